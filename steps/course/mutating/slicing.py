"""Finds the cells and statements of a lesson that its exercises need.

Most of a lesson's time goes into training and drawing, which need not run to try an
attempt. The search follows names from the last statement back to the first. If it drops
too much, an exercise raises an error, or its check rejects a right attempt.
"""

import ast
import dis
import inspect
import re
from importlib.util import find_spec
from typing import Any

from .. import exercises
from ..definitions import read_imports
from ..judge.cell_text import find_bound_names

# A call that makes an object with state; Variable and Path do not count.
CONSTRUCTOR = re.compile(r"\b(?!(?:Variable|Path)\()[A-Z]\w*\(|\.setup\(")
DEFINITIONS = ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef
ADDERS = {"append", "add", "extend", "insert", "pop", "setdefault", "update"}
LISTING = "# %load -s "
CONDITIONAL = ast.If | ast.For | ast.While | ast.Try | ast.Match
# Seeds are kept, so that random numbers are the same in each run.
SEEDS = re.compile(r"[\w.]*seed\(")
LOAD_OPS = {"LOAD_NAME", "LOAD_GLOBAL"}
STORE_OP = "STORE_NAME"


def slice_cells(cells, whole_cells=()):
    """Return the cells that the exercises (and `whole_cells`) depend on; other cells
    are reduced to the statements they need.
    """
    stateful = _find_stateful_names(cells)
    slices: list[Any] = []
    names: set[str] = set()
    for cell in reversed(cells):
        source = "".join(cell["source"])
        tree = _parse(source)
        is_needed = _find_needed_names(names, source, stateful)
        if (
            cell in whole_cells
            or exercises.is_solution(source)
            or exercises.is_check(cell)
            or all(isinstance(statement, DEFINITIONS) for statement in tree.body)
            # Keep the step's code whole: its definitions may use later ones.
            or (source.startswith(LISTING) and is_needed)
        ):
            names = names - find_bound_names(source) | find_used_names(source)
            slices.append(cell)
        elif is_needed:
            statements, names = _slice_statements(tree.body, names, stateful)
            slices.append({**cell, "source": _unparse(statements)})
        elif imported := set(read_imports(tree)):
            # An attempt may use the imports and the cell's definitions; drop the rest.
            names = names - imported
            slices.append({**cell, "source": _unparse(_select_definitions(tree.body))})
    return slices[::-1]


def _find_needed_names(names, source, stateful):
    """Return those of `names` that a cell or a statement sets or may change."""
    bound = find_bound_names(source) - set(read_imports(_parse(source)))
    changed = bound | find_changed_names(source)
    return names & (changed | stateful & find_used_names(source))


def _slice_statements(body, names, stateful):
    """Return the statements of a cell that `names` depend on, with its definitions and
    seeds; and the names that are needed before the cell.
    """
    statements = []
    names = names | find_used_names(_unparse(_select_definitions(body)))
    for statement in reversed(body):
        source = ast.unparse(statement)
        if isinstance(statement, DEFINITIONS):
            names = names - find_bound_names(source)
        elif isinstance(statement, ast.Assert):
            continue
        elif _find_needed_names(names, source, stateful) or (
            # An expression that uses one of the names, and whose value is not kept, may
            # change the object or write a file.
            isinstance(statement, ast.Expr) and names & find_used_names(source)
        ):
            if not isinstance(statement, CONDITIONAL):
                names = names - find_bound_names(source)
            names = names | find_used_names(source)
        elif not SEEDS.match(source):
            continue
        statements.append(statement)
    return statements[::-1], names


def _select_definitions(body):
    return [s for s in body if isinstance(s, DEFINITIONS) and not _is_missing(s)]


def _is_missing(statement):
    """Whether a statement imports a module that the lesson writes first, as 23 does."""
    tops = [name.name.partition(".")[0] for name in getattr(statement, "names", ())]
    return isinstance(statement, ast.Import) and not all(map(find_spec, tops))


def _unparse(statements):
    return ast.unparse(ast.Module(statements, []))


def _parse(source):
    try:
        return ast.parse(source)
    except SyntaxError:  # a magic
        return ast.Module([], [])


def find_used_names(source):
    """Find the names that a cell, or a function in it, uses before binding them."""
    return _find_names_of_code(compile(_parse(source), "cell", "exec"))


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


def find_changed_names(source):
    """Find the names whose objects a cell changes: it sets or deletes attributes or
    items, or calls one of the methods in ADDERS.
    """
    owners = []
    for node in ast.walk(_parse(source)):
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in ADDERS:
                owners.append(owner)
            case (
                ast.Attribute(value=owner, ctx=ast.Store() | ast.Del())
                | ast.Subscript(value=owner, ctx=ast.Store() | ast.Del())
            ):
                owners.append(owner)
    return {owner.id for owner in owners if isinstance(owner, ast.Name)}


def _find_stateful_names(cells):
    """Find the names of models, optimizers and other objects with state, which any cell
    that uses them may change.
    """
    return {
        target.id
        for cell in cells
        for node in ast.walk(_parse("".join(cell["source"])))
        if isinstance(node, ast.Assign) and CONSTRUCTOR.search(ast.unparse(node.value))
        for target in node.targets
        if isinstance(target, ast.Name)
    }
