"""Finds the cells of a lesson that its exercises need, and of these the statements.

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
from ..definitions import imports
from ..judge.cell_text import find_bound_names

# A variable, and a path, stay as they are.
CONSTRUCTOR = re.compile(r"\b(?!(?:Variable|Path)\()[A-Z]\w*\(|\.setup\(")
DEFINITIONS = ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef
ADDERS = {"append", "add", "extend", "insert", "pop", "setdefault", "update"}
LISTING = "# %load -s "
CONDITIONAL = ast.If | ast.For | ast.While | ast.Try | ast.Match
# What is random is the same in each run.
SEEDS = re.compile(r"[\w.]*seed\(")
LOAD_OPS = {"LOAD_NAME", "LOAD_GLOBAL"}
STORE_OP = "STORE_NAME"


def slice_cells(cells, whole_cells=()):
    """Find the cells that a lesson's exercises, and some whole cells, stand on; of a
    cell that is neither, the statements.
    """
    stateful = _find_stateful_names(cells)
    slices: list[Any] = []
    names: set[str] = set()
    for cell in reversed(cells):
        tree = _parse(cell)
        imported = set(imports(tree))
        statements: list[ast.stmt] = []
        if (
            cell in whole_cells
            or exercises.is_solution("".join(cell["source"]))
            or exercises.is_check(cell)
            or all(isinstance(statement, DEFINITIONS) for statement in tree.body)
            or (_is_listing(cell) and _find_needed_names(names, tree, stateful))
        ):
            bound = find_bound_names("".join(cell["source"]))
            names = names - bound | find_used_names(cell)
            slices.append(cell)
        elif _find_needed_names(names, tree, stateful):
            statements, names = _slice_statements(tree.body, names, stateful)
            slices.append({**cell, "source": ast.unparse(ast.Module(statements, []))})
        elif imported:
            # An attempt may use them, and what is defined beside them; what the cell
            # does with them is left out.
            statements = [node for node in tree.body if isinstance(node, DEFINITIONS)]
            names = names - imported
            slices.append({**cell, "source": ast.unparse(ast.Module(statements, []))})
    return slices[::-1]


def _is_listing(cell):
    """Say whether a cell lists code of the step, where definitions name later ones."""
    return "".join(cell["source"]).startswith(LISTING)


def _find_needed_names(names, tree, stateful):
    """Find those of some names that a tree sets, or may change."""
    bound = find_bound_names(ast.unparse(tree)) - set(imports(tree))
    changed = bound | _find_changed_names(tree)
    return names & (changed | stateful & _find_used_names(tree))


def _slice_statements(body, names, stateful):
    """Find the statements of a cell that some names stand on, with all that it defines;
    and the names that are needed before it.
    """
    statements: list[ast.stmt] = []
    definitions: list[Any] = [node for node in body if isinstance(node, DEFINITIONS)]
    names = names | _find_used_names(ast.Module(definitions, []))
    for statement in reversed(body):
        tree = ast.Module([statement], [])
        if isinstance(statement, DEFINITIONS):
            names = names - find_bound_names(ast.unparse(tree))
        elif isinstance(statement, ast.Assert):
            continue
        elif _find_needed_names(names, tree, stateful) or _may_change(statement, names):
            if not isinstance(statement, CONDITIONAL):
                names = names - find_bound_names(ast.unparse(tree))
            names = names | _find_used_names(tree)
        elif not SEEDS.match(ast.unparse(statement)):
            continue
        statements.append(statement)
    return statements[::-1], names


def _may_change(statement, names):
    """Say whether a function gets one of some names, and nothing of what it returns is
    kept: it may fill or change it, as it may write a file.
    """
    used = _find_used_names(ast.Module([statement], []))
    return isinstance(statement, ast.Expr) and names & used


def _parse(cell):
    try:
        return ast.parse("".join(cell["source"]))
    except SyntaxError:  # a magic
        return ast.Module([], [])


def find_used_names(cell):
    """Find the names that a cell, or a function in it, uses before it binds them."""
    return _find_used_names(_parse(cell))


def _find_used_names(tree):
    return _find_names_of_code(compile(tree, "cell", "exec"))


def _find_names_of_code(code, bound=()):
    used, bound = set(), set(bound)
    for instruction in dis.get_instructions(code):
        if instruction.opname in LOAD_OPS:
            used |= {instruction.argval} - bound
        elif instruction.opname == STORE_OP:
            bound.add(instruction.argval)
        elif inspect.iscode(instruction.argval):
            used |= _find_names_of_code(instruction.argval, bound)
    return used


def find_changed_names(cell):
    """Find the names of which a cell sets an attribute or an item, or adds one to."""
    return _find_changed_names(_parse(cell))


def _find_changed_names(tree):
    owners = []
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in ADDERS:
                owners.append(owner)
            case ast.Attribute(value=owner, ctx=ast.Store() | ast.Del()):
                owners.append(owner)
            case ast.Subscript(value=owner, ctx=ast.Store() | ast.Del()):
                owners.append(owner)
    return {owner.id for owner in owners if isinstance(owner, ast.Name)}


def _find_stateful_names(cells):
    """Find the names of models, optimizers and their like, which a cell that mentions
    them may change.
    """
    return {
        target.id
        for cell in cells
        for node in ast.walk(_parse(cell))
        if isinstance(node, ast.Assign) and CONSTRUCTOR.search(ast.unparse(node.value))
        for target in node.targets
        if isinstance(target, ast.Name)
    }
