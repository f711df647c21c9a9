"""Make assertions record the values that they compare, so that a failure can report
them without computing them again.
"""

import ast
import re

# Names in an instrumented program: of the class AssertRecorder, and of the function
# that notes failing assertions that only inform.
NAME = "__AssertRecorder__"
NOTE = "__note__"
UNTRUE = "this is not true"
CLOSE = "np.isclose", "np.allclose", "np.array_equal"
# What a message puts between “should be” and the other side.
WORDS = {"said": "{}: {}", "comma": ", "}
EQUAL, CLOSE_TO, SAME = "", "close to ", "the same object as "
MOST = 70
SCALAR = re.compile(r"\bnp\.\w+\(([^()]*)\)")
ADDRESS = re.compile(r"<(?:[\w<>]+\.)*(\w+) object at 0x\w+>")


class AssertRecorder:
    """The sides of a running assertion, as pairs (source, value)."""

    def __init__(self, kind):
        self.kind, self.sides = kind, []

    def record(self, text, value):
        self.sides.append((text, shorten(value)))
        return value

    def format(self, message):
        """Format a message, followed by the values of the sides."""
        each = (f"`{text}` is `{value}`" for text, value in self.sides)
        sides = WORDS["comma"].join(each)
        if self.kind is not None and len(self.sides) == 2:
            (left, value), (right, other) = self.sides
            should = right if self.kind == SAME else other
            sides = f"`{left}` is `{value}`, and should be {self.kind}`{should}`"
        return WORDS["said"].format(message, sides) if sides else message


def shorten(value):
    """Format a value on one line, without the middle if it is long."""
    text = ADDRESS.sub(r"\1 object", " ".join(repr(value).split()))
    text = SCALAR.sub(r"\1", text)
    return text if len(text) <= MOST else f"{text[: MOST - 20]} … {text[-15:]}"


def instrument_asserts(source, informs=False):
    """Parse a program, and make its assertions record what they compare.

    To run, the program needs the class AssertRecorder under NAME. If assertions only
    inform, a failing one does not stop it, and it needs a function under NOTE, which
    takes the line and the message and returns True.
    """
    tree, lines = ast.parse(source), source.splitlines()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            kind = _classify(node.test)
            begin = _parse_expression(f"(__recorder__ := {NAME}({kind!r}))")
            sides = _record_sides(node.test, kind is not None)
            node.test = ast.BoolOp(ast.And(), [begin, sides])
            message = node.msg or ast.Constant(UNTRUE)
            node.msg = ast.Call(_parse_expression("__recorder__.format"), [message], [])
            if informs:
                line = ast.Constant(lines[node.lineno - 1].strip())
                note = ast.Call(_parse_expression(NOTE), [line, node.msg], [])
                node.test = ast.BoolOp(ast.Or(), [node.test, note])
    return ast.fix_missing_locations(tree)


def _parse_expression(text):
    return ast.parse(text, mode="eval").body


def _classify(test):
    """Return how the first of two sides should relate to the second: EQUAL, CLOSE_TO,
    SAME, or None if unknown.
    """
    if isinstance(test, ast.Call) and ast.unparse(test.func) in CLOSE:
        return CLOSE_TO if "close" in ast.unparse(test.func) else EQUAL
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return None
    same = EQUAL if isinstance(test.comparators[0], ast.Constant) else SAME  # is None
    return {ast.Eq: EQUAL, ast.Is: same}.get(type(test.ops[0]))


def _record_sides(test, all_sides):
    """Make a condition record its sides; constants only if ``all_sides`` is set."""

    def record(side):
        is_dull = isinstance(side, ast.Constant) and not all_sides
        if is_dull or isinstance(side, ast.Starred | ast.GeneratorExp):
            return side
        call = _parse_expression(f"__recorder__.record({ast.unparse(side)!r})")
        call.args.append(side)
        return call

    if isinstance(test, ast.Compare):
        test.left, *test.comparators = map(record, [test.left, *test.comparators])
    elif isinstance(test, ast.BoolOp):
        test.values = [_record_sides(value, all_sides) for value in test.values]
    elif isinstance(test, ast.UnaryOp):
        test.operand = _record_sides(test.operand, all_sides)
    elif isinstance(test, ast.Call) and test.args:
        count = 2 if ast.unparse(test.func) in CLOSE else 1
        test.args[:count] = map(record, test.args[:count])
    return test
