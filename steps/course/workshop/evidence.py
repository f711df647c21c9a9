"""What a line that is not true compares: it is kept, and not computed a second time."""

import ast
import inspect
import re
from functools import cache

from .. import capabilities
from . import growth
from .growth import GROWTH
from .package import FIRST

NAME = "__seen__"
CLOSE = "np.isclose", "np.allclose", "np.array_equal"
# What the first of two sides should be: this, and the other side.
EQUAL, CLOSE_TO, SAME = "", "close to ", "the same object as "
MOST = 70
SCALAR = re.compile(r"\bnp\.\w+\(([^()]*)\)")
ADDRESS = re.compile(r"<(?:[\w<>]+\.)*(\w+) object at 0x\w+>")


class Seen:
    """The sides of the assertion that runs: pairs of text and value."""

    def __init__(self):
        self.kind, self.sides = None, []

    def begin(self, kind):
        self.kind, self.sides = kind, []
        return True

    def side(self, text, value):
        self.sides.append((text, shown(value)))
        return value

    def words(self):
        """What is, and what should be."""
        if self.kind is not None and len(self.sides) == 2:
            (left, value), (right, other) = self.sides
            should = right if self.kind == SAME else other
            return f"`{left}` is `{value}`, and should be {self.kind}`{should}`"
        return ", ".join(f"`{text}` is `{value}`" for text, value in self.sides)


SEEN = Seen()


def shown(value):
    """A value in a sentence: on one line, the middle of a long one left out."""
    text = ADDRESS.sub(r"\1 object", " ".join(repr(value).split()))
    text = SCALAR.sub(r"\1", text)
    return text if len(text) <= MOST else f"{text[: MOST - 20]} … {text[-15:]}"


def watched(source):
    """The tree of a program whose assertions keep what they compare; it needs ``SEEN``
    under ``NAME``.
    """
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            kind = _kind(node.test)
            begins, ends = _call(f"begin({kind!r})"), _call("begin(None)")
            sides = _noted(node.test, kind is not None)
            node.test = ast.BoolOp(ast.And(), [begins, sides, ends])
    return ast.fix_missing_locations(tree)


def _call(text):
    return ast.parse(f"{NAME}.{text}", mode="eval").body


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
        call = _call(f"side({ast.unparse(side)!r})")
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


def rows_at(step):
    """The rows of the table that a step is tried on."""
    return GROWTH if step >= FIRST else capabilities.CAPABILITIES


def due(step):
    """Those of them that should work."""
    return [row for row in rows_at(step) if row.expected(step) == capabilities.WORKS]


@cache
def table(step):
    """The table of capabilities, its assertions watched."""
    named = (growth, "GROWTH") if step >= FIRST else (capabilities, "CAPABILITIES")
    module, name = named
    tree = watched(inspect.getsource(module))
    names = {"__name__": module.__name__, "__package__": module.__package__, NAME: SEEN}
    exec(compile(tree, str(module.__file__), "exec"), names)
    return names[name]
