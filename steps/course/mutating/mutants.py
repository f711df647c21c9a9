"""Makes mutants: source code with one small planted fault, which a check or a test has
to find.

The faults are common mistakes: a wrong operator, a constant that is off, a negated
condition, a missing statement or return value, two swapped arguments. They are planted
in solutions (:mod:`.scores`), and in the package and the course tool themselves
(``python -m tests.mutation``).

A fault is named by the first line of its statement before and after, such as
``return 2 * x -> return 2 / x``. Harmless faults are listed in ``harmless.json``, here
for the solutions and in ``tests/mutation`` for the rest: for each place the names of
its faults, with reasons.
"""

import ast
import itertools
from dataclasses import dataclass
from typing import Any

from ..exercises import BEGIN, END

# The operators of a SWAPPED pair replace each other; in REPLACED pairs, the second
# replaces the first.
SWAPPED: list[tuple[Any, Any]] = [(ast.Add, ast.Sub), (ast.Mult, ast.Div)]
SWAPPED += [(ast.BitOr, ast.BitAnd)]
SWAPPED += [(ast.And, ast.Or), (ast.Eq, ast.NotEq), (ast.Lt, ast.LtE)]
SWAPPED += [(ast.Gt, ast.GtE), (ast.Is, ast.IsNot), (ast.In, ast.NotIn)]
REPLACED = [(ast.FloorDiv, ast.Div), (ast.Mod, ast.Mult), (ast.Pow, ast.Mult)]
REPLACED += [(ast.MatMult, ast.Mult)]
REPLACEMENTS = dict([*SWAPPED, *((b, a) for a, b in SWAPPED), *REPLACED])
DROPPABLE = ast.Expr | ast.Assign | ast.AugAssign | ast.Raise | ast.Assert | ast.Delete
DROPPABLE |= ast.If | ast.For | ast.While | ast.With | ast.Try | ast.Continue
DROPPABLE |= ast.Break
DEFINITIONS = ast.FunctionDef | ast.ClassDef
EMPTY_RETURNS = "return", "return None"


@dataclass(frozen=True)
class Fault:
    """A fault: ``text`` replaces the bytes from ``start`` to ``end``. ``around`` names
    the enclosing classes and functions, outermost first, as in ("Box", "Box.grow").
    """

    change: str
    around: tuple[str, ...]
    line: int
    start: int
    end: int
    text: str

    def plant(self, source):
        data = source.encode()
        return (data[: self.start] + self.text.encode() + data[self.end :]).decode()


def make_mutants(solution):
    """Make the mutants of a solution cell.

    Returns
    -------
    dict
        Maps each change, such as ``return 2 * x -> return 2 / x``, to the source of
        the cell with that change.
    """
    lines = [line.strip() for line in solution.splitlines()]
    # The numbers of the lines between the two markers, counted from 1.
    marked_lines = range(lines.index(BEGIN) + 2, len(lines) - lines[::-1].index(END))
    sources: dict[str, str] = {}
    for fault in list_faults(solution):
        if fault.line in marked_lines:
            sources[_make_unique(fault.change, sources)] = fault.plant(solution)
    return sources


def list_faults(source):
    """Yield every fault that can be planted in source code, each once."""
    lengths = map(len, source.encode().splitlines(keepends=True))
    starts = [0, *itertools.accumulate(lengths)]
    seen = set()
    for node, variant, around, line, change in _list_changes(ast.parse(source)):
        if (line, change) not in seen:
            seen.add((line, change))
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[node.end_lineno - 1] + node.end_col_offset
            text = ast.unparse(ast.fix_missing_locations(variant))
            text = f"({text})" if isinstance(variant, ast.expr) else text
            yield Fault(change, around, node.lineno, start, end, text)


def _list_changes(parent, statement=None, around=()):
    """Yield for each fault below a node: the node to replace, its replacement, the
    enclosing definitions, the line of the statement, and the fault's name.
    """
    for field, container, key in _list_places(parent):
        child = container[key]
        inner = child if isinstance(child, ast.stmt) else statement
        # Defaults are evaluated outside the function, when it is defined.
        is_default = isinstance(parent, ast.FunctionDef) and field == "args"
        inner_around = around[:-1] if is_default else around
        for variant in _list_variants(child, field):
            before = _find_first_line(inner)
            container[key] = variant
            after = _find_first_line(variant if inner is child else inner)
            container[key] = child
            if before != after:
                yield child, variant, inner_around, inner.lineno, f"{before} -> {after}"
        if isinstance(child, DEFINITIONS):
            inner_around = (*inner_around, ".".join([*inner_around[-1:], child.name]))
        yield from _list_changes(child, inner, inner_around)


def _list_places(parent):
    """Yield the place of each child of a node: the name of its field, and a list or
    dict with the child's index or key. Skip what is for people or type checkers
    (annotations, docstrings, f-strings), and decorators.
    """
    if isinstance(parent, ast.JoinedStr):
        return
    for name, value in ast.iter_fields(parent):
        if name not in ("annotation", "returns", "decorator_list"):
            is_list = isinstance(value, list)
            container = value if is_list else vars(parent)
            for key in range(len(value)) if is_list else [name]:
                node = container[key]
                if isinstance(node, ast.AST) and not _is_for_people(node):
                    yield name, container, key


def _is_for_people(node):
    if isinstance(node, ast.If):
        return "TYPE_CHECKING" in ast.unparse(node.test)
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _list_variants(node, field):
    """Yield the faults that can replace a node; `field` is its place in the parent."""
    if isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign):
        if type(node.op) in REPLACEMENTS:
            yield _copy_with(node, op=REPLACEMENTS[type(node.op)]())
    elif isinstance(node, ast.Compare):
        for index, op in enumerate(node.ops):
            ops = [*node.ops[:index], REPLACEMENTS[type(op)](), *node.ops[index + 1 :]]
            yield _copy_with(node, ops=ops)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
        yield node.operand
    elif isinstance(node, ast.Call):
        for index in range(len(node.args) - 1):
            args = list(node.args)
            args[index : index + 2] = args[index + 1], args[index]
            yield _copy_with(node, args=args)
    elif isinstance(node, ast.Return) and ast.unparse(node) not in EMPTY_RETURNS:
        yield ast.Return(None)
    elif isinstance(node, ast.Constant):
        yield from _list_other_constants(node.value)
    if field == "test" and isinstance(node, ast.Name | ast.Attribute | ast.Call):
        yield ast.UnaryOp(ast.Not(), node)
    if isinstance(node, DROPPABLE):
        yield ast.Pass()


def _list_other_constants(value):
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int | float):
        yield ast.Constant(value + 1)
        if value not in (0, 1):
            yield ast.Constant(type(value)(0))
        if isinstance(value, float) and abs(value) < 0.1 and value:
            yield ast.Constant(value * 1000)
    elif isinstance(value, str) and " " not in value:  # wording may vary
        yield ast.Constant(value + "?")


def _copy_with(node, **changed):
    fields = {name: getattr(node, name) for name in node._fields}
    return type(node)(**(fields | changed))


def _find_first_line(statement):
    """Return the first line of a statement, without decorators and body."""
    inside = {"decorator_list", "body", "orelse"}.intersection(statement._fields)
    head = _copy_with(statement, **{name: [] for name in inside})
    return ast.unparse(ast.fix_missing_locations(head)).strip().splitlines()[0]


def _make_unique(change, taken):
    numbered = (f"{change} ({count})" for count in itertools.count(2))
    names = itertools.chain([change], numbered)
    return next(name for name in names if name not in taken)
