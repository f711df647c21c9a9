"""Try a framework in a process beside this one: run a lesson's cells on it, then the
table of capabilities.
"""

import ast
import contextlib
import importlib
import inspect
import sys
import traceback
import types
from functools import cache
from typing import Any

from .. import capabilities
from ..capabilities import WORKS, run_probe
from ..checks import TooSlow
from ..definitions import (
    find_lines,
    get_owner,
    read_definitions,
    walk_definitions,
)
from ..judge.cells import ENDS, close_pictures, make_names, run, silence_with_timeout
from ..judge.child import GRACE_SECONDS, Child, Stopped
from ..lessons import STEPS, latest, stem
from . import capabilities_package
from .asserts import NAME, NOTE, UNTRUE, AssertRecorder, instrument_asserts
from .package import (
    FIRST,
    LAST,
    forget_modules,
    install_module,
    is_package,
    load_package,
)

# For one cell, or one row of the table; they take a second or two, more where others
# keep the machine busy.
SECONDS = 30
# In place of a cell: here the lesson loads the code of its step.
LOAD = "load"
BEGINNING = "Your definitions"
# In the package, cells before the step's own code may stop: they show what the step is
# to change, and every framework has its own way to refuse that.
OPENING = "The problem", "The idea"


def get_seconds(number):
    """Get what a cell, or a row of the table, may take at a step."""
    return 4 * SECONDS if latest("trains", number) else SECONDS


def make_module(text, number, module=None):
    """Make the module of a step from text; one that is there already gets new content,
    and keeps the old one if the text does not run.
    """
    name, file = f"{STEPS}.{stem(number)}", f"your {stem(number)}.py"
    module = module or types.ModuleType(name)
    before = dict(module.__dict__)
    module.__dict__.clear()
    module.__dict__.update(__name__=name, __file__=file)
    module.__package__ = STEPS
    try:
        run(text, module.__dict__, file)
    except BaseException:
        module.__dict__.clear()
        module.__dict__.update(before)
        raise
    return module


def pick_names(module, text):
    """Pick what a lesson's cell that loads the step would define."""
    values = vars(module)
    return {name: values[name] for name in read_definitions(text) if name in values}


class TrialProcess(contextlib.AbstractContextManager[Any]):
    """``with TrialProcess() as process`` gives something to try frameworks on."""

    def __init__(self):
        self._child: Child | None = None

    def __exit__(self, *_):
        self._end()

    def try_out(self, number, cells, text, brief=False, first=(), names=(), traced=()):
        """Try the text of a framework; return a dict with its ``failure``, or None, its
        ``table``, ``evidence`` for the rows, ``notes``, what assertions say that only
        inform, and ``attached``, those of some names, such as Variable.__neg__, that
        its classes have when it has run. In brief, stop at the first thing that does
        not work, and begin with some rows of the table. If some rows are traced, only
        those are tried, and ``ran`` has the definitions that each of them runs.
        """
        self._child = self._child or Child(__name__)
        seconds = get_seconds(number) / 3 if brief else get_seconds(number)
        task = {"number": number, "cells": cells, "text": text, "first": [*first]}
        task |= {"names": [*names], "traced": [*traced]}
        self._child.send(task | {"brief": brief, "seconds": seconds})
        at = BEGINNING
        try:
            while "done" not in (line := self._child.receive(seconds + GRACE_SECONDS)):
                at = line["at"]
        except Stopped as stopped:
            self._end()
            slow = f"takes more than {get_seconds(number)} seconds"
            message = f"it {stopped if str(stopped) == ENDS else slow}"
            nowhere = {"line": "", "definitions": [], "inside": ""}
            failure = {"cell": at, "error": message} | nowhere
            return make_outcome() | {"failure": failure}
        return line["done"]

    def _end(self):
        if self._child:
            self._child.end()
        self._child = None


# --- In the process -------------------------------------------------------------------


def answer(task, say):
    """Try one framework, as :meth:`TrialProcess.try_out` says; say what comes next."""
    reference = _import_step(task)
    try:
        return _try_all(task, say)
    finally:
        if is_package(task["number"]):
            forget_modules()
        else:
            install_module(reference)


def make_outcome():
    lists: dict[str, Any] = {"notes": [], "attached": []}
    return {"failure": None, "table": {}, "evidence": {}, "ran": {}} | lists


def _try_all(task, say):
    """Try the lesson's cells, then the table. In brief, and in the package, which the
    table judges, that comes first, and what does not work there ends it.
    """
    outcome, at, number = make_outcome(), [BEGINNING], task["number"]
    table_first = task["brief"] or is_package(number)
    say({"at": BEGINNING})
    try:
        _load(task)
        outcome["attached"] = _find_attached(number, task.get("names", ()))
        if table_first:
            _try_rows(task, say, outcome)
            table = outcome["table"]
            if any(table.get(r.name) != WORKS for r in select_required_rows(number)):
                return outcome
            _load(task)  # as it is before a lesson
        _run_cells(task, say, at, outcome["notes"])
    except (Exception, SystemExit) as error:
        outcome["failure"] = _describe_failure(task, at[0], error)
        if at[0] == BEGINNING or isinstance(error, TooSlow):
            return outcome
    if not table_first:
        _try_rows(task, say, outcome)
    return outcome


def _load(task):
    """Let the framework take the place of the lesson's."""
    with silence_with_timeout(task["seconds"]):
        if is_package(task["number"]):
            load_package(task["text"], task["number"])
        else:
            install_module(make_module(task["text"], task["number"]))


def _find_attached(number, names):
    module = importlib.import_module(f"{STEPS}.{stem(number)}")
    classes = [getattr(module, get_owner(name), None) for name in names]
    pairs = zip(names, classes, strict=True)
    return [n for n, c in pairs if n.partition(".")[2] in getattr(c, "__dict__", ())]


def _import_step(task):
    return importlib.import_module(f"{STEPS}.{stem(task['number'])}")


def _run_cells(task, say, at, notes):
    """Run the lesson's cells. In the package their assertions only inform: what they
    say may depend on memory, on time, or on the wording of a message.
    """
    informs, names = is_package(task["number"]), make_names() | {NAME: AssertRecorder}
    names[NOTE] = lambda line, error: not notes.append((at[0], line, error))
    for at[0], source in task["cells"]:
        say({"at": at[0]})
        if source == LOAD:
            names |= pick_names(_import_step(task), task["text"])
            continue
        try:
            with silence_with_timeout(task["seconds"]):
                run(source, names, tree=instrument_asserts(source, informs))
        except Exception as error:
            if not informs or not at[0].startswith(OPENING):
                raise
            failure = _describe_failure(task, at[0], error)
            notes.append((at[0], failure["line"], failure["error"]))
        close_pictures()


def _try_rows(task, say, trial):
    module, rows = _import_step(task), list_rows(task["number"], instrument_module)
    # What failed before most likely fails again, and is soon found.
    for row in sorted(rows, key=lambda row: row.name not in task["first"]):
        if task["brief"] and row.expected(task["number"]) != WORKS:
            continue
        if task["traced"] and row.name not in task["traced"]:
            continue
        say({"at": row.name})
        guard, codes = silence_with_timeout(task["seconds"]), set[types.CodeType]()
        with _note_calls(codes) if task["traced"] else contextlib.nullcontext():
            outcome, error = run_probe(row.probe, module, guard)
        trial["ran"][row.name] = _find_defined(task, codes)
        if error:
            evidence = _describe_error(error, task["seconds"])
            trial["evidence"][row.name] = evidence
        trial["table"][row.name] = outcome
        if outcome == "TooSlow" or (task["brief"] and outcome != WORKS):
            return


@contextlib.contextmanager
def _note_calls(codes):
    """Note the code objects of the functions that are called."""
    # Other than a profile, a trace costs nothing for calls of C.
    sys.settrace(lambda frame, *_: codes.add(frame.f_code))
    try:
        yield
    finally:
        sys.settrace(None)


def _find_defined(task, codes):
    """Find the definitions of the framework that code objects belong to."""
    own = [code for code in codes if code.co_filename.startswith("your ")]
    lines = {code.co_firstlineno for code in own}
    return sorted({find_definition_at(task["text"], line) for line in lines})


def _describe_failure(task, cell, error):
    """Describe an error: where it is, what it says, and the definitions of the
    framework in which it arose, the innermost last.
    """
    lesson = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename.startswith("<cell")
    ]
    inside, names = _find_frames(task, error)
    return {
        "cell": cell,
        "line": lesson[0].line if lesson else "",
        "error": _describe_error(error, task["seconds"]),
        "definitions": names,
        "inside": inside[-1].line if inside else "",
    }


def _find_frames(task, error):
    """Find the frames of an error in the framework, and the definitions there."""
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if frame.filename.startswith("your ")]
    if isinstance(error, TooSlow):
        del inside[1:]  # the loop that does not end, not where it was stopped
    # Of a recursion without end there are a thousand.
    lines = dict.fromkeys(frame.lineno for frame in inside)
    names = dict.fromkeys(find_definition_at(task["text"], line) for line in lines)
    return inside, [*names]


def _describe_error(error, seconds):
    if isinstance(error, TooSlow):
        return f"it takes more than {seconds} seconds, and was stopped"
    if isinstance(error, AssertionError):
        return str(error) or UNTRUE
    return f"{type(error).__name__}: {error}"


def find_definition_at(text, number):
    """Find the name of the innermost definition that a line of a module belongs to."""
    innermost = ""
    for name, _, node in walk_definitions(text):
        defines = isinstance(node, ast.FunctionDef | ast.ClassDef)
        if defines and find_lines(text, node)[0] < number <= node.end_lineno:
            innermost = name
    return innermost


# --- The rows of the table ------------------------------------------------------------


def list_rows(number, get_names=vars):
    """List the rows of the table that a step is tried on."""
    if number > LAST:
        return []
    table = capabilities_package if number >= FIRST else capabilities
    return get_names(table)["CAPABILITIES"]


def select_required_rows(number):
    """Select the rows that should work at a step."""
    return [row for row in list_rows(number) if row.expected(number) == WORKS]


@cache
def instrument_module(module):
    """Run a module anew with assertions that record their sides; return its names."""
    names = {"__name__": module.__name__, "__package__": module.__package__}
    names[NAME] = AssertRecorder
    tree = instrument_asserts(inspect.getsource(module))
    exec(compile(tree, module.__file__, "exec"), names)
    return names
