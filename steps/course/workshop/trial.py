"""Tries a framework: runs a lesson's cells on it, then the table of capabilities."""

import ast
import importlib
import sys
import traceback
import types

from ..capabilities import CAPABILITIES, WORKS, tried
from ..judge.cells import close_pictures, limited, new_names, run, silence
from ..lessons import STEPS, stem
from .parts import nodes, parts

# For one cell, or one row of the table; they take a second or two, more where others
# keep the machine busy.
SECONDS = 30
# In place of a cell: here the lesson loads the code of its step.
LOAD = "load"
CLOSE = "np.isclose", "np.allclose"
NOT_PLAIN = ast.Call | ast.BinOp | ast.Subscript
BEGINNING = "Your definitions"


def module_from(text, step, module=None):
    """A module of a step made from text; one that is there already gets new content,
    and keeps the old one if the text does not run.
    """
    module = module or types.ModuleType(f"{STEPS}.{stem(step)}")
    file = f"your {stem(step)}.py"
    before = dict(module.__dict__)
    module.__dict__.clear()
    module.__dict__.update(__name__=f"{STEPS}.{stem(step)}", __file__=file)
    try:
        run(text, module.__dict__, file)
    except BaseException:
        module.__dict__.clear()
        module.__dict__.update(before)
        raise
    return module


def take_the_place(module, step):
    """From now on, who imports the step gets this module."""
    sys.modules[module.__name__] = module
    setattr(sys.modules[STEPS], stem(step), module)


def names_in(module, text):
    """What a lesson's cell that loads the step would define."""
    return {name: vars(module)[name] for name in parts(text) if name in vars(module)}


# --- In the process -------------------------------------------------------------------


def answer(task, say):
    """Try one framework: a dict with ``failure``, or None there, and ``table``. Say
    what comes next.
    """
    reference = importlib.import_module(f"{STEPS}.{stem(task['step'])}")
    try:
        return _attempted(task, say)
    finally:
        take_the_place(reference, task["step"])


def _attempted(task, say):
    text, names, place = task["text"], new_names(), BEGINNING
    say({"at": place})
    try:
        with silence(), limited(task["seconds"]):
            module = module_from(text, task["step"])
        take_the_place(module, task["step"])
        for place, source in task["cells"]:
            say({"at": place})
            if source == LOAD:
                names |= names_in(module, text)
                continue
            with silence(), limited(task["seconds"]):
                run(source, names)
            close_pictures()
        failure = None
    except (Exception, SystemExit) as error:
        failure = _failure(task, place, error)
        if task["brief"] or place == BEGINNING or isinstance(error, TimeoutError):
            return {"failure": failure, "table": {}}
    return {"failure": failure, "table": dict(_rows(task, module, say))}


def _rows(task, module, say):
    found = WORKS
    for row in CAPABILITIES:
        works = row.expected(task["step"]) == WORKS
        if works or not task["brief"]:
            say({"at": row.name})
            with silence(), limited(task["seconds"]):
                found = tried(row.quick, module)
            yield row.name, found
        if found == "TimeoutError" or (task["brief"] and found != WORKS):
            return


def _failure(task, place, error):
    """What is to be said about an error: where it is, what it says, and the parts of
    the framework in which it arose, the innermost last.
    """
    frames = traceback.extract_tb(error.__traceback__)
    cell = [frame for frame in frames if _is_cell(frame.filename)]
    inside = [frame for frame in frames if frame.filename.startswith("your ")]
    if isinstance(error, TimeoutError):
        del inside[1:]  # the loop that does not end, not where it was stopped
    # Of a recursion without end there are a thousand.
    lines = dict.fromkeys(frame.lineno for frame in inside)
    return {
        "place": place,
        "line": cell[0].line if cell else "",
        "error": _said(error, task["seconds"]) + _value(error, cell),
        "parts": list(dict.fromkeys(part_at(task["text"], line) for line in lines)),
        "inside": inside[-1].line if inside else "",
    }


def _is_cell(filename):
    return filename.startswith("<cell")


def _said(error, seconds):
    if isinstance(error, TimeoutError):
        return f"it takes more than {seconds} seconds, and was stopped"
    if isinstance(error, AssertionError):
        return str(error) or "this is not true"
    return f"{type(error).__name__}: {error}"


def _value(error, cell):
    """What a line that is not true compares, if it is there to be read: nothing is
    computed a second time.
    """
    if not cell or not isinstance(error, AssertionError) or str(error):
        return ""
    try:
        (node,) = ast.parse(cell[0].line).body
        frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
        (names, *_) = (f.f_globals for f in frames if _is_cell(f.f_code.co_filename))
        values = {
            ast.unparse(side): eval(ast.unparse(side), names)
            for side in _compared(node.test)
            if not any(isinstance(child, NOT_PLAIN) for child in ast.walk(side))
        }
    except Exception:
        return ""
    said = ", ".join(f"`{side}` is `{value!r}`" for side, value in values.items())
    return f": {said}" if 0 < len(said) < 100 else ""


def _compared(test):
    """The left of a comparison; both sides of one such as ``np.isclose(a, b)``."""
    if isinstance(test, ast.Call) and ast.unparse(test.func) in CLOSE:
        return [side for side in test.args if not isinstance(side, ast.Constant)]
    return [test.left] if isinstance(test, ast.Compare) else []


def part_at(text, number):
    """The name of the innermost part in which a line of a module stands."""
    found = ""
    for name, _, node in nodes(text):
        defines = isinstance(node, ast.FunctionDef | ast.ClassDef)
        if defines and node.lineno <= number <= node.end_lineno:
            found = name
    return found
