"""Which cells of a lesson its exercises stand on, and which of their statements.

What trains or draws beside them takes most of the time, and need not run to try an
attempt. It goes by names, from the last statement to the first. Should it leave out too
much, an exercise stops, or its check is not content with a right attempt.
"""

import ast
import dis
import inspect
import re
from typing import Any

from .. import exercises
from ..definitions import read_imports

# A variable, and a path, stay as they are.
CLASS = re.compile(r"\b(?!(?:Variable|Path)\()[A-Z]\w*\(|\.setup\(")
DEFINES = ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef
ADDS = {"append", "add", "extend", "insert", "pop", "setdefault", "update"}
LISTING = "# %load -s "
MAY_NOT_RUN = ast.If | ast.For | ast.While | ast.Try | ast.Match
# What is random is the same in each run.
SEEDS = re.compile(r"[\w.]*seed\(")
USES = {"LOAD_NAME", "LOAD_GLOBAL"}
BINDS = "STORE_NAME"


def needed(cells, also=()):
    """The cells that a lesson's exercises, and some more of its cells, stand on; of a
    cell that is neither, the statements.
    """
    objects = _made_of_classes(cells)
    found: list[Any] = []
    names: set[str] = set()
    for cell in reversed(cells):
        tree = _tree(cell)
        imported = set(read_imports(tree))
        kept: list[ast.stmt] = []
        if (
            cell in also
            or exercises.is_solution("".join(cell["source"]))
            or exercises.is_check(cell)
            or all(isinstance(statement, DEFINES) for statement in tree.body)
            or (_is_listing(cell) and _stand_on(names, tree, objects))
        ):
            names = names - bound(cell) | used_first(cell)
            found.append(cell)
        elif _stand_on(names, tree, objects):
            kept, names = _stood_on(tree.body, names, objects)
            found.append({**cell, "source": ast.unparse(ast.Module(kept, []))})
        elif imported:
            # An attempt may use them, and what is defined beside them; what the cell
            # does with them is left out.
            kept = [each for each in tree.body if isinstance(each, DEFINES)]
            names = names - imported
            found.append({**cell, "source": ast.unparse(ast.Module(kept, []))})
    return found[::-1]


def _is_listing(cell):
    """Whether a cell has code of the step, where definitions may name later ones."""
    return "".join(cell["source"]).startswith(LISTING)


def _stand_on(names, tree, objects):
    made = _bound(tree) - set(read_imports(tree)) | _changed(tree)
    return names & (made | objects & _used_first(_code(tree)))


def _stood_on(body, names, objects):
    """The statements of a cell that some names stand on, with all that it defines; and
    the names that are needed before it.
    """
    kept: list[ast.stmt] = []
    defines: list[ast.stmt] = [each for each in body if isinstance(each, DEFINES)]
    names = names | _used_first(_code(ast.Module(defines, [])))
    for statement in reversed(body):
        tree = ast.Module([statement], [])
        if isinstance(statement, DEFINES):
            names = names - _bound(tree)
        elif isinstance(statement, ast.Assert):
            continue
        elif _stand_on(names, tree, objects) or _is_given(names, statement):
            if not isinstance(statement, MAY_NOT_RUN):
                names = names - _bound(tree)
            names = names | _used_first(_code(tree))
        elif not SEEDS.match(ast.unparse(statement)):
            continue
        kept.append(statement)
    return kept[::-1], names


def _is_given(names, statement):
    """Whether a function gets one of some names, and nothing of what it returns is
    kept: it may fill or change it, as it may write a file.
    """
    tree = ast.Module([statement], [])
    return isinstance(statement, ast.Expr) and names & _used_first(_code(tree))


def _tree(cell):
    try:
        return ast.parse("".join(cell["source"]))
    except SyntaxError:  # a magic
        return ast.Module([], [])


def _code(tree):
    return compile(tree, "cell", "exec")


def bound(cell):
    """The names that a cell defines."""
    return _bound(_tree(cell))


def _bound(tree):
    steps = dis.get_instructions(_code(tree))
    return {step.argval for step in steps if step.opname == BINDS}


def used_first(cell):
    """The names that a cell uses before it binds them, in its functions, too."""
    return _used_first(_code(_tree(cell)))


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
    return _changed(_tree(cell))


def _changed(tree):
    owners = []
    for node in ast.walk(tree):
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
