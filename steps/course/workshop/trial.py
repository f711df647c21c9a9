"""Tries a framework, in a process beside this one: runs a lesson's cells on it, then
the table of capabilities.
"""

import ast
import contextlib
import importlib
import sys
import traceback
import types
from typing import Any

from ..capabilities import WORKS
from ..judge.cells import ENDS, close_pictures, limited, new_names, run, silence
from ..judge.child import GRACE, Child, Stopped
from ..lessons import STEPS, stem
from .evidence import NAME, SEEN, table, watched
from .package import FIRST, forget, load
from .parts import nodes, parts

# For one cell, or one row of the table; they take a second or two, more where others
# keep the machine busy.
SECONDS = 30
# From this step on cells train networks.
TRAINS = 43
# In place of a cell: here the lesson loads the code of its step.
LOAD = "load"
BEGINNING = "Your definitions"


def seconds_of(step):
    """What a cell, or a row of the table, may take at a step."""
    return SECONDS if step < TRAINS else 4 * SECONDS


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


class TrialProcess(contextlib.AbstractContextManager[Any]):
    """``with TrialProcess() as process`` gives something to try frameworks on."""

    def __init__(self):
        self._child: Child | None = None

    def __exit__(self, *_):
        self._end()

    def try_out(self, step, cells, text, brief=False, first=()):
        """What comes of a framework: its failure, or None, and its table; in brief, up
        to the first thing that does not work, begun with some rows of the table.
        """
        self._child = self._child or Child(__name__)
        seconds = seconds_of(step) / 3 if brief else seconds_of(step)
        task = {"step": step, "cells": cells, "text": text, "first": [*first]}
        self._child.send(task | {"brief": brief, "seconds": seconds})
        at = BEGINNING
        try:
            while "done" not in (line := self._child.hear(seconds + GRACE)):
                at = line["at"]
        except Stopped as stopped:
            self._end()
            slow = f"takes more than {seconds_of(step)} seconds"
            said = f"it {stopped if str(stopped) == ENDS else slow}"
            nowhere = {"line": "", "parts": [], "inside": ""}
            failure = {"place": at, "error": said} | nowhere
            return {"failure": failure, "table": {}, "evidence": {}}
        return line["done"]

    def _end(self):
        if self._child:
            self._child.end()
        self._child = None


# --- In the process -------------------------------------------------------------------


def answer(task, say):
    """Try one framework: a dict with ``failure``, or None there, ``table``, and
    ``evidence`` for its rows. Say what comes next.
    """
    reference = _module(task)
    try:
        return _attempted(task, say)
    finally:
        if task["step"] >= FIRST:
            forget()
        else:
            take_the_place(reference, task["step"])


def _attempted(task, say):
    """The lesson's cells, then the table; in brief, the table first, which is quick,
    and no more than up to what does not work.
    """
    found: dict[str, Any] = {"failure": None, "table": {}, "evidence": {}}
    at = [BEGINNING]
    say({"at": BEGINNING})
    try:
        _load(task)
        if task["brief"]:
            _try_rows(task, say, found)
            if set(found["table"].values()) - {WORKS}:
                return found
            _load(task)  # as it is before a lesson
        _run_cells(task, say, at)
    except (Exception, SystemExit) as error:
        found["failure"] = _failure(task, at[0], error)
        if at[0] == BEGINNING or isinstance(error, TimeoutError):
            return found
    if not task["brief"]:
        _try_rows(task, say, found)
    return found


def _load(task):
    """Let the framework take the place of the lesson's."""
    with silence(), limited(task["seconds"]):
        if task["step"] >= FIRST:
            load(task["text"], task["step"])
        else:
            take_the_place(module_from(task["text"], task["step"]), task["step"])


def _module(task):
    return importlib.import_module(f"{STEPS}.{stem(task['step'])}")


def _run_cells(task, say, at):
    names = new_names() | {NAME: SEEN}
    for at[0], source in task["cells"]:
        say({"at": at[0]})
        if source == LOAD:
            names |= names_in(_module(task), task["text"])
            continue
        with silence(), limited(task["seconds"]):
            run(source, names, tree=watched(source))
        close_pictures()


def _try_rows(task, say, found):
    module, rows = _module(task), table(task["step"])
    # What failed before most likely fails again, and is soon found.
    for row in sorted(rows, key=lambda row: row.name not in task["first"]):
        if task["brief"] and row.expected(task["step"]) != WORKS:
            continue
        say({"at": row.name})
        outcome = WORKS
        try:
            with silence(), limited(task["seconds"]):
                row.quick(module)
        except Exception as error:
            outcome = type(error).__name__
            found["evidence"][row.name] = _said(error, task["seconds"])
        found["table"][row.name] = outcome
        if outcome == "TimeoutError" or (task["brief"] and outcome != WORKS):
            return


def _failure(task, place, error):
    """What is to be said about an error: where it is, what it says, and the parts of
    the framework in which it arose, the innermost last.
    """
    frames = traceback.extract_tb(error.__traceback__)
    cell = [frame for frame in frames if frame.filename.startswith("<cell")]
    inside = [frame for frame in frames if frame.filename.startswith("your ")]
    if isinstance(error, TimeoutError):
        del inside[1:]  # the loop that does not end, not where it was stopped
    # Of a recursion without end there are a thousand.
    lines = dict.fromkeys(frame.lineno for frame in inside)
    return {
        "place": place,
        "line": cell[0].line if cell else "",
        "error": _said(error, task["seconds"]),
        "parts": list(dict.fromkeys(part_at(task["text"], line) for line in lines)),
        "inside": inside[-1].line if inside else "",
    }


def _said(error, seconds):
    if isinstance(error, TimeoutError):
        return f"it takes more than {seconds} seconds, and was stopped"
    if isinstance(error, AssertionError):
        said = str(error) or "this is not true"
        return ": ".join(filter(None, [said, SEEN.words()]))
    return f"{type(error).__name__}: {error}"


def part_at(text, number):
    """The name of the innermost part in which a line of a module stands."""
    found = ""
    for name, _, node in nodes(text):
        defines = isinstance(node, ast.FunctionDef | ast.ClassDef)
        if defines and node.lineno <= number <= node.end_lineno:
            found = name
    return found
