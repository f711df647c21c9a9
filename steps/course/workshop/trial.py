"""Try a framework in a separate process: run a lesson's cells and the table of
capabilities on it.
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
from ..judge.cells import (
    ENDS,
    close_pictures,
    make_names,
    run_cell,
    silence_with_timeout,
)
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

# Limit for one cell or one row of the table. They take a second or two, or more on a
# busy machine.
SECONDS = 30
# Marks the place among the cells where the lesson loads the code of its step.
LOAD = "load"
BEGINNING = "Your definitions"
# In the package, cells in these sections may fail: they show the problem that the step
# solves, and each framework fails there in its own way.
OPENING = "The problem", "The idea"


def get_seconds(number):
    """Return the limit for a cell or a row of the table at a step, in seconds."""
    return 4 * SECONDS if latest("trains", number) else SECONDS


def make_module(text, number, module=None):
    """Make the module of a step from source. If ``module`` is given, its content is
    replaced, and restored if the source does not run.
    """
    name, file = f"{STEPS}.{stem(number)}", f"your {stem(number)}.py"
    module = module or types.ModuleType(name)
    before = dict(module.__dict__)
    module.__dict__.clear()
    module.__dict__.update(__name__=name, __file__=file)
    module.__package__ = STEPS
    try:
        run_cell(text, module.__dict__, file)
    except BaseException:
        module.__dict__.clear()
        module.__dict__.update(before)
        raise
    return module


def pick_names(module, text):
    """Return what the lesson's cell that loads the step would define, by name."""
    values = vars(module)
    return {name: values[name] for name in read_definitions(text) if name in values}


class TrialProcess(contextlib.AbstractContextManager[Any]):
    """A process in which frameworks are tried; use it in a ``with`` statement."""

    def __init__(self):
        self._child: Child | None = None

    def __exit__(self, *_):
        self._end()

    def try_out(self, number, cells, text, brief=False, first=(), names=(), traced=()):
        """Try a framework, given as source code; return a dict of results.

        ``failure`` describes an error in the framework or in a cell, or is None.
        ``table`` maps each row to its outcome, and ``evidence`` maps failing rows to
        messages. ``notes`` has failures that only inform, and ``attached`` those of
        ``names``, such as ``Variable.__neg__``, that classes of the framework have
        after it has run.

        With ``brief``, the trial stops at the first failure, and begins with the rows
        in ``first``. With ``traced``, only these rows are tried, and ``ran`` maps each
        of them to the definitions that it ran.
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
            slow = f"was stopped after {get_seconds(number)} seconds"
            message = f"it {stopped if str(stopped) == ENDS else slow}"
            nowhere = {"line": "", "definitions": [], "inside": ""}
            failure = {"cell": at, "error": message} | nowhere
            return make_outcome() | {"failure": failure}
        return line["done"]

    def passes(self, number, text, cells=(), first=()):
        """Return whether a framework passes both the cells and the whole table."""
        done = self.try_out(number, cells, text, brief=True, first=first)
        return not done["failure"] and {*done["table"].values()} <= {WORKS}

    def _end(self):
        if self._child:
            self._child.end()
        self._child = None


# --- In the child process -------------------------------------------------------------


def handle_task(task, say):
    """Try one framework for :meth:`TrialProcess.try_out`, and report progress to it."""
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
    """Run the lesson's cells, then the table. With ``brief``, and always in the
    package, the table comes first, and a failing row ends the trial.
    """
    outcome, at, number = make_outcome(), [BEGINNING], task["number"]
    table_first = task["brief"] or is_package(number)
    say({"at": BEGINNING})
    try:
        _load(task)
        outcome["attached"] = _find_attached(number, task.get("names", ()))
        if table_first:
            _try_rows(task, say, outcome)
            if find_wrong_rows(number, outcome["table"]):
                return outcome
            _load(task)  # restores its initial state
        _run_cells(task, say, at, outcome["notes"])
    except (Exception, SystemExit) as error:
        outcome["failure"] = _describe_failure(task, at[0], error)
        if at[0] == BEGINNING or isinstance(error, TooSlow):
            return outcome
    if not table_first:
        _try_rows(task, say, outcome)
    return outcome


def _load(task):
    """Install the framework instead of the lesson's own."""
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
    """Run the lesson's cells. In the package, their assertions only inform, because
    they may depend on memory, on time, or on the wording of a message.
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
                run_cell(source, names, tree=instrument_asserts(source, informs))
        except Exception as error:
            if not informs or not at[0].startswith(OPENING):
                raise
            failure = _describe_failure(task, at[0], error)
            notes.append((at[0], failure["line"], failure["error"]))
        close_pictures()


def _try_rows(task, say, trial):
    module, rows = _import_step(task), list_rows(task["number"], instrument_module)
    # Rows that failed before come first, because they will probably fail again.
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
    """Collect the code objects of all functions that are called."""
    # Unlike sys.setprofile, sys.settrace costs nothing for calls of C functions.
    sys.settrace(lambda frame, *_: codes.add(frame.f_code))
    try:
        yield
    finally:
        sys.settrace(None)


def _find_defined(task, codes):
    """Find the framework's definitions that code objects belong to."""
    own = [code for code in codes if code.co_filename.startswith("your ")]
    lines = {code.co_firstlineno for code in own}
    return sorted({find_definition_at(task["text"], line) for line in lines})


def _describe_failure(task, cell, error):
    """Describe an error: its place, its message, and the framework's definitions in the
    traceback, innermost last.
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
    """Return the framework's frames in a traceback, and the definitions there."""
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if frame.filename.startswith("your ")]
    if isinstance(error, TooSlow):
        del inside[1:]  # keep the endless loop, not where it was stopped
    # Endless recursion gives a thousand frames, so count each line once.
    lines = dict.fromkeys(frame.lineno for frame in inside)
    names = dict.fromkeys(find_definition_at(task["text"], line) for line in lines)
    return inside, [*names]


def _describe_error(error, seconds):
    if isinstance(error, TooSlow):
        return f"it was stopped after {seconds} seconds"
    if isinstance(error, AssertionError):
        return str(error) or UNTRUE
    return f"{type(error).__name__}: {error}"


def find_definition_at(text, number):
    """Return the name of the innermost definition that contains a line."""
    innermost = ""
    for name, _, node in walk_definitions(text):
        defines = isinstance(node, ast.FunctionDef | ast.ClassDef)
        if defines and find_lines(text, node)[0] < number <= node.end_lineno:
            innermost = name
    return innermost


# --- The rows of the table ------------------------------------------------------------


def list_rows(number, get_names=vars):
    """List the rows of the table that are tried at a step."""
    if number > LAST:
        return []
    table = capabilities_package if number >= FIRST else capabilities
    return get_names(table)["CAPABILITIES"]


def select_required_rows(number):
    """Select the rows that should work at a step."""
    return [row for row in list_rows(number) if row.expected(number) == WORKS]


def find_wrong_rows(number, table):
    """Find the rows of the table that should work at a step but do not."""
    rows = select_required_rows(number)
    return [row for row in rows if table.get(row.name) != WORKS]


@cache
def instrument_module(module):
    """Run a module again, with assertions that record their sides; return its names."""
    names = {"__name__": module.__name__, "__package__": module.__package__}
    names[NAME] = AssertRecorder
    tree = instrument_asserts(inspect.getsource(module))
    exec(compile(tree, module.__file__, "exec"), names)
    return names
