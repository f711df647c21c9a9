"""Mutants: a solution with one small fault planted, which its check has to find.

The faults are those that people make: an operator is another one, a constant is off, a
statement or a returned value is missing, two arguments stand the wrong way round.
"""

import ast

from .exercises import BEGIN, END

ANOTHER = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.MatMult: ast.Mult,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
DROPPED = (
    ast.Expr,
    ast.Assign,
    ast.AugAssign,
    ast.Raise,
    ast.Assert,
    ast.Delete,
    ast.If,
    ast.For,
    ast.While,
    ast.With,
    ast.Try,
    ast.Continue,
    ast.Break,
)


def mutants(solution):
    """The mutants of a solution cell.

    Returns
    -------
    dict
        Maps what was changed, such as ``return 2 * x -> return 2 / x``, to the cell's
        source with that change.
    """
    lines = [line.strip() for line in solution.splitlines()]
    # The numbers of the lines between the two marks; the first line is 1.
    region = range(lines.index(BEGIN) + 2, len(lines) - lines[::-1].index(END))
    tree = ast.parse(solution)
    original = ast.unparse(tree)
    found: dict[str, str] = {}
    sources = {original}
    for change in _changes(tree, None, region):
        source = ast.unparse(ast.fix_missing_locations(tree))
        if source not in sources:
            sources.add(source)
            found[_new_name(change(), found)] = source
    return found


def _changes(parent, statement, region):
    """Plant one fault after the other in a tree; what is yielded, called, says which.

    While the caller looks at the tree the fault is in it, and afterwards it is gone.
    """
    for place, child in _children(parent):
        if _is_text(child):
            continue
        inner = child if isinstance(child, ast.stmt) else statement
        if getattr(child, "lineno", 0) in region:
            before = _first_line(inner)
            for variant in _variants(child):
                _put(parent, place, variant)
                after = variant if inner is child else inner
                yield (
                    lambda before=before, after=after: (
                        f"{before} -> {_first_line(after)}"
                    )
                )
                _put(parent, place, child)
        if not isinstance(child, ast.JoinedStr):
            yield from _changes(child, inner, region)


def _children(parent):
    for name, value in ast.iter_fields(parent):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        if isinstance(value, list):
            for index, child in enumerate(value):
                if isinstance(child, ast.AST):
                    yield (name, index), child
        elif isinstance(value, ast.AST):
            yield (name, None), value


def _put(parent, place, child):
    name, index = place
    if index is None:
        setattr(parent, name, child)
    else:
        getattr(parent, name)[index] = child


def _variants(node):
    """The faults that can be planted in place of a node."""
    if isinstance(node, (ast.BinOp, ast.BoolOp, ast.AugAssign)):
        if type(node.op) in ANOTHER:
            yield _like(node, op=ANOTHER[type(node.op)]())
    elif isinstance(node, ast.Compare):
        for index, op in enumerate(node.ops):
            ops = [*node.ops[:index], ANOTHER[type(op)](), *node.ops[index + 1 :]]
            yield _like(node, ops=ops)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Not)):
        yield node.operand
    elif isinstance(node, ast.Call):
        for index in range(len(node.args) - 1):
            args = list(node.args)
            args[index : index + 2] = args[index + 1], args[index]
            yield _like(node, args=args)
    elif isinstance(node, ast.Return) and not _is_none(node.value):
        yield ast.Return(None)
    elif isinstance(node, ast.Constant):
        yield from _other_constants(node.value)
    if isinstance(node, DROPPED):
        yield ast.Pass()


def _is_text(node):
    """Whether a node is a docstring, or the dots of a stub."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_none(value):
    return value is None or (isinstance(value, ast.Constant) and value.value is None)


def _other_constants(value):
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, (int, float)):
        yield ast.Constant(value + 1)
        if value not in (0, 1):
            yield ast.Constant(type(value)(0))
        if isinstance(value, float) and abs(value) < 0.1 and value:
            yield ast.Constant(value * 1000)
    elif isinstance(value, str) and " " not in value:  # a sentence may be another
        yield ast.Constant(value + "?")


def _like(node, **changed):
    fields = {name: getattr(node, name) for name in node._fields}
    return type(node)(**(fields | changed))


def _first_line(statement):
    return ast.unparse(ast.fix_missing_locations(statement)).splitlines()[0]


def _new_name(change, taken):
    name, count = change, 1
    while name in taken:
        count += 1
        name = f"{change} ({count})"
    return name
