"""Tries a framework, in a process beside this one: runs a lesson's cells on it, then
the table of capabilities.
"""

import ast
import contextlib
import importlib
import inspect
import re
import traceback
import types
from functools import cache
from typing import Any

from .. import capabilities
from ..capabilities import WORKS
from ..definitions import read_definitions, walk_definitions
from ..judge.cells import ENDS, alone, close_pictures, new_names, run
from ..judge.child import GRACE, Child, Stopped
from ..lessons import STEPS, latest, stem
from . import growth
from .package import FIRST, LAST, forget, is_package, load, take_the_place

# For one cell, or one row of the table; they take a second or two, more where others
# keep the machine busy.
SECONDS = 30
# In place of a cell: here the lesson loads the code of its step.
LOAD = "load"
BEGINNING = "Your definitions"
UNTRUE = "this is not true"
CLOSE = "np.isclose", "np.allclose", "np.array_equal"
# What the first of two sides should be: this, and the other side.
EQUAL, CLOSE_TO, SAME = "", "close to ", "the same object as "
MOST = 70
SCALAR = re.compile(r"\bnp\.\w+\(([^()]*)\)")
ADDRESS = re.compile(r"<(?:[\w<>]+\.)*(\w+) object at 0x\w+>")


def seconds_of(step):
    """What a cell, or a row of the table, may take at a step."""
    return 4 * SECONDS if latest("trains", step) else SECONDS


def module_from(text, step, module=None):
    """A module of a step made from text; one that is there already gets new content,
    and keeps the old one if the text does not run.
    """
    module = module or types.ModuleType(f"{STEPS}.{stem(step)}")
    file = f"your {stem(step)}.py"
    before = dict(module.__dict__)
    module.__dict__.clear()
    module.__dict__.update(__name__=f"{STEPS}.{stem(step)}", __file__=file)
    module.__package__ = STEPS
    try:
        run(text, module.__dict__, file)
    except BaseException:
        module.__dict__.clear()
        module.__dict__.update(before)
        raise
    return module


def names_in(module, text):
    """What a lesson's cell that loads the step would define."""
    return {
        name: vars(module)[name]
        for name in read_definitions(text)
        if name in vars(module)
    }


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
            nowhere = {"line": "", "definitions": [], "inside": ""}
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
        if is_package(task["step"]):
            forget()
        else:
            take_the_place(reference)


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
    with alone(task["seconds"]):
        if is_package(task["step"]):
            load(task["text"], task["step"])
        else:
            take_the_place(module_from(task["text"], task["step"]))


def _module(task):
    return importlib.import_module(f"{STEPS}.{stem(task['step'])}")


def _run_cells(task, say, at):
    names = new_names() | {"__Seen__": Seen}
    for at[0], source in task["cells"]:
        say({"at": at[0]})
        if source == LOAD:
            names |= names_in(_module(task), task["text"])
            continue
        with alone(task["seconds"]):
            run(source, names, tree=watched(source))
        close_pictures()


def _try_rows(task, say, found):
    module, rows = _module(task), rows_at(task["step"], with_watched)
    # What failed before most likely fails again, and is soon found.
    for row in sorted(rows, key=lambda row: row.name not in task["first"]):
        if task["brief"] and row.expected(task["step"]) != WORKS:
            continue
        say({"at": row.name})
        outcome = WORKS
        try:
            with alone(task["seconds"]):
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
    names = dict.fromkeys(part_at(task["text"], line) for line in lines)
    return {
        "place": place,
        "line": cell[0].line if cell else "",
        "error": _said(error, task["seconds"]),
        "definitions": [*names],
        "inside": inside[-1].line if inside else "",
    }


def _said(error, seconds):
    if isinstance(error, TimeoutError):
        return f"it takes more than {seconds} seconds, and was stopped"
    if isinstance(error, AssertionError):
        return str(error) or UNTRUE
    return f"{type(error).__name__}: {error}"


def part_at(text, number):
    """The name of the innermost part in which a line of a module stands."""
    found = ""
    for name, _, node in walk_definitions(text):
        defines = isinstance(node, ast.FunctionDef | ast.ClassDef)
        if defines and node.lineno <= number <= node.end_lineno:
            found = name
    return found


# --- What a line that is not true compares: kept, and not computed again --------------


class Seen:
    """The sides of an assertion that runs: pairs of text and value."""

    def __init__(self, kind):
        self.kind, self.sides = kind, []

    def side(self, text, value):
        self.sides.append((text, shown(value)))
        return value

    def words(self, said):
        """What is said, what is, and what should be."""
        found = ", ".join(f"`{text}` is `{value}`" for text, value in self.sides)
        if self.kind is not None and len(self.sides) == 2:
            (left, value), (right, other) = self.sides
            should = right if self.kind == SAME else other
            found = f"`{left}` is `{value}`, and should be {self.kind}`{should}`"
        return f"{said}: {found}" if found else said


def shown(value):
    """A value in a sentence: on one line, the middle of a long one left out."""
    text = ADDRESS.sub(r"\1 object", " ".join(repr(value).split()))
    text = SCALAR.sub(r"\1", text)
    return text if len(text) <= MOST else f"{text[: MOST - 20]} … {text[-15:]}"


def watched(source):
    """The tree of a program whose assertions keep what they compare, and say it; it
    needs the class ``Seen`` under the name ``__Seen__``.
    """
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            kind = _kind(node.test)
            begins = _call(f"(__seen__ := __Seen__({kind!r}))")
            sides = _noted(node.test, kind is not None)
            node.test = ast.BoolOp(ast.And(), [begins, sides])
            said = node.msg or ast.Constant(UNTRUE)
            node.msg = ast.Call(_call("__seen__.words"), [said], [])
    return ast.fix_missing_locations(tree)


def _call(text):
    return ast.parse(text, mode="eval").body


def _kind(test):
    """What the first of two sides has to be with regard to the second."""
    if isinstance(test, ast.Call) and ast.unparse(test.func) in CLOSE:
        return CLOSE_TO if "close" in ast.unparse(test.func) else EQUAL
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return None
    same = EQUAL if isinstance(test.comparators[0], ast.Constant) else SAME  # is None
    return {ast.Eq: EQUAL, ast.Is: same}.get(type(test.ops[0]))


def _noted(test, all_sides):
    """A condition that keeps its sides; constants only if they are asked for."""

    def note(side):
        dull = isinstance(side, ast.Constant) and not all_sides
        if dull or isinstance(side, ast.Starred | ast.GeneratorExp):
            return side
        call = _call(f"__seen__.side({ast.unparse(side)!r})")
        call.args.append(side)
        return call

    if isinstance(test, ast.Compare):
        test.left, *test.comparators = map(note, [test.left, *test.comparators])
    elif isinstance(test, ast.BoolOp):
        test.values = [_noted(value, all_sides) for value in test.values]
    elif isinstance(test, ast.UnaryOp):
        test.operand = _noted(test.operand, all_sides)
    elif isinstance(test, ast.Call) and test.args:
        count = 2 if ast.unparse(test.func) in CLOSE else 1
        test.args[:count] = map(note, test.args[:count])
    return test


def rows_at(step, names_of=vars):
    """The rows of the table that a step is tried on."""
    if step > LAST:
        return []
    if step >= FIRST:
        return names_of(growth)["GROWTH"]
    return names_of(capabilities)["CAPABILITIES"]


def due(step):
    """Those of them that should work."""
    return [row for row in rows_at(step) if row.expected(step) == WORKS]


@cache
def with_watched(module):
    """The names of a module whose assertions are watched."""
    names = {"__name__": module.__name__, "__package__": module.__package__}
    names["__Seen__"] = Seen
    exec(compile(watched(inspect.getsource(module)), module.__file__, "exec"), names)
    return names
