"""Which cells of a lesson its exercises stand on.

What trains or draws beside them takes most of the time, and need not run to try an
attempt. It goes by names, from the last cell to the first. Should it leave out too
much, an exercise stops, or its check is not content with a right attempt.
"""

import ast
import dis
import inspect
import re
from typing import Any

from .. import exercises
from ..definitions import imports

# A variable, and a path, stay as they are.
CLASS = re.compile(r"\b(?!(?:Variable|Path)\()[A-Z]\w*\(|\.setup\(")
DEFINES = ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef
ADDS = {"append", "add", "extend", "insert", "pop", "setdefault", "update"}
USES = {"LOAD_NAME", "LOAD_GLOBAL"}
BINDS = "STORE_NAME"


def needed(cells, also=()):
    """The cells that a lesson's exercises, and some more of its cells, stand on."""
    objects = _made_of_classes(cells)
    found: list[Any] = []
    names: set[str] = set()
    for cell in reversed(cells):
        body = _tree(cell).body
        bound_here, used = bound(cell), used_first(cell)
        imported = set(imports(_tree(cell)))
        if (
            cell in also
            or exercises.is_solution("".join(cell["source"]))
            or exercises.is_check(cell)
            or names & (bound_here - imported | changed(cell) | objects & used)
            or all(isinstance(statement, DEFINES) for statement in body)
        ):
            names = names - bound_here | used
            found.append(cell)
        elif imported:
            # An attempt may use them, and what is defined beside them; what the cell
            # does with them is left out.
            kept: list[ast.stmt] = [each for each in body if isinstance(each, DEFINES)]
            names = names - imported
            found.append({**cell, "source": ast.unparse(ast.Module(kept, []))})
    return found[::-1]


def _tree(cell):
    try:
        return ast.parse("".join(cell["source"]))
    except SyntaxError:  # a magic
        return ast.Module([], [])


def bound(cell):
    """The names that a cell defines."""
    steps = dis.get_instructions(compile(_tree(cell), "cell", "exec"))
    return {step.argval for step in steps if step.opname == BINDS}


def used_first(cell):
    """The names that a cell uses before it binds them, in its functions, too."""
    return _used_first(compile(_tree(cell), "cell", "exec"))


def _used_first(code, known=()):
    found, known = set(), set(known)
    for step in dis.get_instructions(code):
        if step.opname in USES:
            found |= {step.argval} - known
        elif step.opname == BINDS:
            known.add(step.argval)
        elif inspect.iscode(step.argval):
            found |= _used_first(step.argval, known)
    return found


def changed(cell):
    """The names of which a cell sets an attribute or an item, or adds one to."""
    owners = []
    for node in ast.walk(_tree(cell)):
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in ADDS:
                owners.append(owner)
            case ast.Attribute(value=owner, ctx=ast.Store() | ast.Del()):
                owners.append(owner)
            case ast.Subscript(value=owner, ctx=ast.Store() | ast.Del()):
                owners.append(owner)
    return {owner.id for owner in owners if isinstance(owner, ast.Name)}


def _made_of_classes(cells):
    """The names of models, optimizers and their like, which a cell that mentions them
    may change.
    """
    return {
        target.id
        for cell in cells
        for node in ast.walk(_tree(cell))
        if isinstance(node, ast.Assign) and CLASS.search(ast.unparse(node.value))
        for target in node.targets
        if isinstance(target, ast.Name)
    }
