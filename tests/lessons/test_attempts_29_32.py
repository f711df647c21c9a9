"""Attempts at the exercises of lessons 29 to 32, as in `test_attempts.py`."""

import pytest

from steps.course import builder, exercises
from tests.lessons.test_attempts import complaint
from tests.support import lesson_checks as checks

NEWTON = """\
def newton_minimize(f, second, start, steps):
    x = Variable(np.array(float(start)))
    path = [x.data]
    for _ in range(steps):
        x.cleargrad()
        f(x).backward()
        x.data = x.data - x.grad.data / second(x.data)
        path.append(x.data)
    return np.array(path)
"""
HEIGHT = "def root_height(x, a):\n    return x**4 / 4 - a * x\n"
SECOND = "def root_second(x, a):\n    return 3 * x**2\n"

TRACE = """\
def trace(y):
    rows, met, waiting = [], set(), [y]
    while waiting:
        v = waiting.pop()
        if v in met:
            continue
        met.add(v)
        f = v.creator
        name = type(f).__name__ if f else None
        rows.append((v.name, name, v.generation, type(v.grad).__name__))
        waiting += f.inputs if f else []
    return rows
"""
NUDGE = """\
def second_by_nudging(f, value, eps=1e-4):
    slopes = []
    for point in (value + eps, value - eps):
        x = Variable(np.array(point))
        f(x).backward()
        slopes.append(x.grad)
    return (slopes[0] - slopes[1]) / (2 * eps)
"""

WALK = """\
def backward_as_graph(y, x):
    gradients = {id(y): Variable(np.ones_like(y.data))}
    for f in latest_first(y):
        gxs = f.backward(gradients[id(f.outputs[0]())])
        gxs = gxs if isinstance(gxs, tuple) else (gxs,)
        for v, gx in zip(f.inputs, gxs, strict=True):
            if isinstance(v, Variable):
                if id(v) in gradients:
                    gx = gradients[id(v)] + gx
                gradients[id(v)] = gx
    return gradients.get(id(x))
"""
CUBE = """\
class Cube(Function):
    def forward(self, x):
        return x * x * x
    def backward(self, gy):
        x = self.inputs[0]
        return 3 * x * x * gy
predicted = 3
"""
MIXED = """\
def mixed(f, a, b):
    x, y = Variable(np.array(float(a))), Variable(np.array(float(b)))
    gx = backward_as_graph(f(x, y), x)
    gxy = gx and backward_as_graph(gx, y)
    return float(gxy.data) if gxy else 0
"""

SQRT = """\
class Sqrt(Function):
    def forward(self, x):
        return np.sqrt(x)
    def backward(self, gy):
        (x,) = self.inputs
        return gy / sqrt(x) / 2
def sqrt(x):
    return Sqrt()(x)
"""
ORDERS = """\
def derivatives(f, value, n):
    x = Variable(np.array(float(value)))
    y = f(x)
    found = []
    for _ in range(n):
        x.cleargrad()
        y.backward(create_graph=True)
        y = x.grad if x.grad is not None else Variable(np.array(0.0))
        found.append(y.data)
    return found
"""

RIGHT = {
    (29, 1): [
        NEWTON,
        "def newton_minimize(f, second, start, steps):\n    if steps == 0:\n"
        "        return [start]\n    x = Variable(np.array(start))\n"
        "    f(x).backward()\n    x = x - x.grad / second(x.data)\n"
        "    rest = newton_minimize(f, second, float(x.data), steps - 1)\n"
        "    return [start, *rest]",
    ],
    (29, 2): [
        "first, bend = 4 * 0.5**3 - 2, 3 - 4\nends = np.array([-1.0, 0.0, -1.0])",
        "first, bend = -3 / 2, quartic_second(0.5)\n"
        "ends = [newton_minimize(quartic, quartic_second, s, 20)[-1]\n"
        "    for s in (-3, 0.3, 0.5)]",
    ],
    (29, 3): [
        "def root_height(x, a):\n    return x * x * x * x * 0.25 - x * a + 7\n"
        "def root_second(x, a):\n    return x * 3 * x",
        "def root_height(x, a):\n    return x * (x**3 - 4 * a) / 4\n"
        "root_second = lambda x, a: (x + x + x) * x",
    ],
    (30, 1): [
        TRACE,
        "def trace(y):\n    every, i = [y], 0\n    while i < len(every):\n"
        "        f = every[i].creator\n        for x in f.inputs if f else ():\n"
        "            if all(x is not v for v in every[-30:] + every[:30]):\n"
        "                every.append(x)\n        i += 1\n"
        "    return tuple((v.name, v.creator and v.creator.__class__.__name__,\n"
        "        v.generation, v.grad.__class__.__name__) for v in every)",
    ],
    (30, 2): [
        "kept = [1, 0, 1, 0, 1, 0]",
        "kept = np.array([True, False, True, False, True, False])",
    ],
    (30, 3): [
        NUDGE,
        "def second_by_nudging(f, value, eps=1e-4):\n"
        "    low, high = Variable(np.array(value - eps)), "
        "Variable(np.array(value + eps))\n    (f(high) - f(low)).backward()\n"
        "    return (high.grad + low.grad) / eps / 2",
    ],
    (31, 1): [
        WALK,
        "from collections import defaultdict\n"
        "def backward_as_graph(y, x):\n    parts = defaultdict(list)\n"
        "    parts[id(y)] = [Variable(np.ones_like(y.data))]\n"
        "    def whole(v):\n        first, *rest = parts[id(v)]\n"
        "        for other in rest:\n            first = first + other\n"
        "        return first\n"
        "    for f in latest_first(y):\n"
        "        gxs = f.backward(whole(f.outputs[0]()))\n"
        "        for v, gx in zip(f.inputs, gxs if type(gxs) is tuple else [gxs]):\n"
        "            if gx is not None:\n                parts[id(v)].append(gx)\n"
        "    return whole(x) if parts[id(x)] else None",
    ],
    (31, 2): [
        CUBE.replace("x * gy", "(x * gy)"),
        CUBE.replace("3 * x * x * gy", "x * (x + x + x) * gy").replace("= 3", "= 4"),
    ],
    (31, 3): [
        "def mixed(f, a, b):\n"
        "    x, y = Variable(np.array(a + 0.0)), Variable(np.array(b + 0.0))\n"
        "    g = backward_as_graph(f(x, y), y)\n    if g is None:\n"
        "        return 0\n    g = backward_as_graph(g, x)\n"
        "    return 0 if g is None else g.data[()]",
        "def mixed(f, a, b):\n"
        "    x, y = (Variable(np.array(float(v))) for v in (a, b))\n"
        "    z = f(x, y)\n    for v in (x, y):\n"
        "        z = backward_as_graph(z, v)\n        if z is None:\n"
        "            return 0.0\n    return float(z.data)",
    ],
    (32, 1): [
        "numbers = np.array([6, 8, 8])",
        "numbers = [2 * 3, 2 * 3 + 2, 2 * 3 + 2.0]",
    ],
    (32, 2): [
        SQRT,
        SQRT.replace("gy / sqrt(x) / 2", "0.5 * x**-0.5 * gy"),
        SQRT.replace("gy / sqrt(x) / 2", "gy / (2 * self.outputs[0]())"),
    ],
    (32, 3): [
        ORDERS,
        "def derivatives(f, value, n):\n    x = Variable(np.array(float(value)))\n"
        "    def rest(y, n):\n        if n == 0:\n            return []\n"
        "        x.grad = None\n        y.backward(create_graph=True)\n"
        "        gx = x.grad\n        if gx is None:\n            return [0] * n\n"
        "        return [gx] + rest(gx, n - 1)\n    return rest(f(x), n)",
    ],
}

WRONG = [
    (32, 1, "numbers = (6, 2, 8)", "(2) is not 2"),
    (32, 1, "numbers = (6, 8, 2)", "(3) is not 2"),
    (32, 1, "numbers = (9, 8, 8)", "2x at x = 3"),
    (32, 1, "numbers = 6", "three numbers"),
    (32, 2, SQRT.replace("(x,) = self.inputs", "x = self.inputs[0].data"), ".data"),
    (32, 2, SQRT.replace("sqrt(x) / 2", "np.sqrt(x) / 2"), "no np.sqrt"),
    (32, 2, SQRT.replace("sqrt(x) / 2", "sqrt(x.data) / 2"), ".data in backward"),
    (32, 2, SQRT.replace(" / 2", ""), "the first derivative"),
    (32, 2, SQRT.replace("gy / sqrt", "1 / sqrt"), "the first derivative"),
    (32, 2, SQRT.replace("return Sqrt()(x)", "return x**0.5"), "your class Sqrt"),
    (32, 2, SQRT.replace("np.sqrt(x)", "sqrt(x)"), "stopped"),
    (32, 3, ORDERS.replace("        x.cleargrad()\n", ""), "cleared"),
    (32, 3, ORDERS.replace("create_graph=True", ""), "number 2"),
    (
        32,
        3,
        ORDERS.replace(" if x.grad is not None else Variable(np.array(0.0))", ""),
        "nothing left",
    ),
    (32, 3, ORDERS.replace("range(n)", "range(n - 1)"), "there should be 5"),
    (32, 3, ORDERS.replace("return found", ""), "returned nothing"),
    (
        32,
        3,
        "def derivatives(f, value, n):\n    return [32.0, 48.0, 48.0, 24.0, 0.0][:n]",
        "5x",
    ),
    (31, 1, WALK.replace("outputs[0]()", "outputs[0]"), "weak references"),
    (31, 1, WALK.replace("gradients[id(v)] + gx", "gx"), "added up"),
    (
        31,
        1,
        WALK.replace("gxs if isinstance(gxs, tuple) else (gxs,)", "gxs"),
        "one gradient or a tuple",
    ),
    (31, 1, WALK.replace("isinstance(v, Variable)", "True"), "numbers get no gradient"),
    (31, 1, WALK.replace(".get(id(x))", "[id(x)]"), "return None"),
    (
        31,
        1,
        WALK.replace(
            "gx = gradients[id(v)] + gx",
            "gx = Variable(gradients[id(v)].data + gx.data)",
        ),
        "no graph",
    ),
    (
        31,
        1,
        "def backward_as_graph(y, x):\n    y.backward()\n    return x.grad",
        "leave x.grad alone",
    ),
    (31, 2, CUBE.replace("self.inputs[0]", "self.inputs[0].data"), "is there a .data"),
    (31, 2, CUBE.replace("3 * x * x", "3 * x * x.data"), "without .data"),
    (31, 2, CUBE.replace(" * gy", ""), "multiply 3x² by gy"),
    (31, 2, CUBE.replace("= 3\n", "= 2\n"), "does not have 2 functions"),
    (31, 2, CUBE.replace("return 3", "_ = 3"), "return a variable"),
    (31, 2, CUBE.replace("3 * x * x", "3 * x"), "3x² times gy"),
    (31, 3, MIXED.replace("(gx, y)", "(gx, x)"), "First along x"),
    (31, 3, MIXED.replace("float(gxy.data)", "gxy"), "a plain number"),
    (31, 3, MIXED.replace("(f(x, y), x)", "(f(a, b), x)"), "f takes variables"),
    (31, 3, MIXED.replace(" if gxy else 0", ""), "stopped"),
    (31, 3, MIXED.replace("return float", "_ = float"), "returned nothing"),
    (30, 1, TRACE.replace("        met.add(v)\n", ""), "Each variable appears once"),
    (30, 1, TRACE.replace("if f else None", ""), "is missing"),
    (30, 1, TRACE.replace("f.inputs if f else []", "f.inputs"), "creator is None"),
    (30, 1, TRACE.replace("type(v.grad).__name__", "v.grad"), "is missing"),
    (30, 1, TRACE.replace("v.generation, ", ""), "a tuple of four"),
    (30, 1, TRACE.replace("return rows", "print(rows)"), "returned nothing"),
    (30, 2, "kept = (True, True, True, False, True, False)", "(2) is wrong"),
    (30, 2, "kept = (True, False, True, True, True, False)", "(4) is wrong"),
    (30, 2, "kept = (True, False, True, False, True, True)", "is an array"),
    (30, 2, "kept = True, False", "six answers"),
    (30, 3, NUDGE.replace("(2 * eps)", "eps"), "divided by the distance"),
    (30, 3, NUDGE.replace("value - eps", "value"), "value + eps and value - eps"),
    (30, 3, NUDGE.replace("np.array(point)", "point"), "Variable takes an array"),
    (30, 3, NUDGE.replace("        f(x).backward()\n", "        f(x)\n"), "stopped"),
    (30, 3, NUDGE.replace("x.grad", "f(x).data"), "twice"),
    (30, 3, NUDGE.replace("return (", "("), "returned nothing"),
    (30, 3, "def second_by_nudging(f, value, eps=1e-4):\n    return 18.0", "twice"),
    (29, 1, NEWTON.replace("        x.cleargrad()\n", ""), "cleared"),
    (29, 1, NEWTON.replace("data - x.grad", "data + x.grad"), "subtract"),
    (29, 1, NEWTON.replace("/ second", "* second"), "divided by the second"),
    (29, 1, NEWTON.replace("        f(x).backward()\n", ""), "None until backward"),
    (29, 1, NEWTON.replace("second(x.data)", "second(x)"), "second takes its data"),
    (29, 1, NEWTON.replace("path = [x.data]", "path = []"), "there are 2"),
    (29, 1, NEWTON.replace("return np.array(path)", "pass"), "returned nothing"),
    (
        29,
        1,
        "def newton_minimize(f, second, start, steps):\n"
        "    return gradient_descent(f, (start,), 0.01, steps)[:, 0]",
        "divided by the second",
    ),
    (29, 2, "first, bend = -1.5, -1\nends = [-1, 0, 0]", "far to the left"),
    (29, 2, "first, bend = -1.5, -1\nends = [-1, 1, -1]", "in the trap"),
    (29, 2, "first, bend = -1.5, -1\nends = [1, 0, -1]", "nearest valley"),
    (29, 2, "first, bend = 2.5, -1\nends = [-1, 0, -1]", "4x³ − 4x"),
    (29, 2, "first, bend = -1.5, 2\nends = [-1, 0, -1]", "12x² − 4"),
    (29, 2, "first, bend = -1.5, -1\nends = -1", "three numbers"),
    (29, 3, HEIGHT.replace("x**4 / 4", "x**4") + SECOND, "should be x³ − a"),
    (29, 3, HEIGHT.replace("x**4 / 4 - a * x", "x**3 - a") + SECOND, "x³ − a"),
    (29, 3, HEIGHT.replace("- a * x", "- a") + SECOND, "should be x³ − a"),
    (29, 3, HEIGHT + SECOND.replace("3 * x**2", "3 * x**2 - a"), "slope of x³ − a"),
    (29, 3, HEIGHT + "def root_second(x, a):\n    3 * x**2", "returned nothing"),
    (
        29,
        3,
        "def root_height(x, a):\n    return a ** (1 / 3)\n" + SECOND,
        "should return a variable",
    ),
]


@pytest.mark.parametrize(
    ("number", "exercise", "attempt"),
    [(*where, attempt) for where, attempts in RIGHT.items() for attempt in attempts],
)
def test_a_right_solution_in_another_way_is_accepted(number, exercise, attempt):
    assert complaint(number, exercise, attempt) is None


@pytest.mark.parametrize(("number", "exercise", "attempt", "words"), WRONG)
def test_a_likely_mistake_is_answered_with_a_sentence(number, exercise, attempt, words):
    answer = complaint(number, exercise, attempt)
    assert answer is not None, "accepted"
    assert words in answer


@pytest.mark.parametrize("number", [29, 30, 31, 32])
def test_two_right_ways_are_kept_for_every_exercise(number):
    book = builder.assemble(number)
    count = sum(
        exercises.is_solution(checks.source(cell)) for cell in checks.code_cells(book)
    )
    assert {where for where in RIGHT if where[0] == number} == {
        (number, exercise) for exercise in range(1, count + 1)
    }
    assert all(len(attempts) >= 2 for attempts in RIGHT.values())
