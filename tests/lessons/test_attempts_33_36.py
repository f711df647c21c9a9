"""Attempts at the exercises of lessons 33 to 36, as in `test_attempts.py`."""

import pytest

from steps.course import builder, exercises
from tests.lessons.test_attempts import complaint, methods
from tests.support import lesson_checks as checks


def newton(
    *moves, returns="np.array(path)", begin="x = Variable(np.array(start * 1.0))"
):
    """A `newton_minimize` whose rounds make these moves."""
    body = "\n".join(f"        {move}" for move in moves)
    return (
        f"def newton_minimize(f, start, steps):\n    {begin}\n"
        f"    path = [float(start)]\n    for _ in range(steps):\n{body}\n"
        f"        path.append(float(x.data))\n    return {returns}\n"
    )


CLEAR, WALK = "x.cleargrad()", "f(x).backward(create_graph=True)"
KEEP, AGAIN = "g = x.grad", "g.backward()"
STEP = "x.data = x.data - g.data / x.grad.data"

PLACE = """\
def kind_of_place(f, value):
    x = Variable(np.array(float(value)))
    f(x).backward(create_graph=True)
    g = x.grad
    x.cleargrad()
    g.backward()
    slope, bend = float(g.data), float(x.grad.data)
"""
NEWTON_2D = """\
def newton_2d(f, start, steps):
    p = np.array(start, dtype=float)
    path = [p]
    for _ in range(steps):
        xs = [Variable(np.array(value)) for value in p]
        f(*xs).backward(create_graph=True)
        gs = [x.grad for x in xs]
        H = np.zeros((2, 2))
        for i in range(2):
            for x in xs:
                x.cleargrad()
            gs[i].backward()
            for j in range(2):
                if xs[j].grad is not None:
                    H[i, j] = xs[j].grad.data
        p = p - np.linalg.solve(H, np.array([g.data for g in gs]))
        path.append(p)
    return path
"""


def pair(
    sine="cos(x) * gy", cosine="-sin(x) * gy", forward="np.sin(x)", call="Cos()(x)"
):
    return (
        methods(
            "Sin",
            ("forward(self, x)", f"return {forward}"),
            ("backward(self, gy)", f"x = self.inputs[0]\n        return {sine}"),
        )
        + methods(
            "Cos",
            ("forward(self, x)", "return np.cos(x)"),
            ("backward(self, gy)", f"x = self.inputs[0]\n        return {cosine}"),
        )
        + f"def sin(x):\n    return Sin()(x)\ndef cos(x):\n    return {call}\n"
    )


def tanh_class(*backward, forward="return np.tanh(x)"):
    return methods(
        "Tanh",
        ("forward(self, x)", forward),
        ("backward(self, gy)", "\n        ".join(backward)),
    )


def hvp(*between, begin="f(*xs).backward(create_graph=True)", end="s.backward()"):
    lines = "\n".join(f"    {line}" for line in (begin, *between, end))
    return (
        "def hvp(f, point, v):\n"
        f"    xs = [Variable(np.array(float(p))) for p in point]\n{lines}\n"
        "    return np.array([0.0 if x.grad is None else x.grad.item() for x in xs])\n"
    )


SUM, CLEAR_ALL = (
    "s = sum(x.grad * p for x, p in zip(xs, v))",
    "[x.cleargrad() for x in xs]",
)


def bend(
    body, end="return float(np.dot(v, hvp(f, point, v)))", begin="np.ones(len(point))"
):
    return (
        f"def strongest_bend(f, point, rounds=50):\n    v = {begin}\n"
        f"    for _ in range(rounds):\n        {body}\n    {end}\n"
    )


def penalty(
    term="(sqrt(a.grad**2 + b.grad**2 + 1e-12) - 1) ** 2",
    walk="critic(a, b).backward(create_graph=True)",
    end="return total / len(shares)",
    point="s * r[i] + (1 - s) * m[i]",
):
    return (
        "def gradient_penalty(critic, real, made, shares):\n    total = 0\n"
        "    for r, m, s in zip(real, made, shares):\n"
        f"        a, b = [Variable(np.array(float({point}))) for i in range(2)]\n"
        f"        {walk}\n        total = total + {term}\n    {end}\n"
    )


RIGHT = {
    (33, 1): [
        newton(CLEAR, WALK, KEEP, CLEAR, AGAIN, STEP, returns="path"),
        newton(
            "x = Variable(np.array(path[-1]))",
            "y = f(x)",
            "y.backward(create_graph=True)",
            KEEP,
            "x.grad = None",
            AGAIN,
            "x = Variable(np.array(path[-1] - g.data / x.grad.data))",
            begin="x = None",
        ),
    ],
    (33, 2): [
        PLACE + "    if slope > 1e-6 or slope < -1e-6:\n        return 'slope'\n"
        "    if bend < -1e-6:\n        return 'hilltop'\n"
        "    if bend > 1e-6:\n        return 'valley'\n    return 'unclear'\n",
        PLACE + "    if abs(slope) > 1e-6:\n        return 'slope'\n"
        "    k = int(bend > 1e-6) - int(bend < -1e-6)\n"
        "    return ['unclear', 'valley', 'hilltop'][k]\n",
    ],
    (33, 3): [
        NEWTON_2D,
        NEWTON_2D.replace("np.linalg.solve(H,", "(np.linalg.inv(H) @"),
    ],
    (34, 1): [
        pair(sine="gy * cos(x)", cosine="(-gy) * sin(x)"),
        pair(sine="Cos()(x) * gy", cosine="-1 * Sin()(x) * gy"),
    ],
    (34, 2): [
        "def sine_derivative(order, value):\n    k = order % 4\n"
        "    return (np.cos(value) if k % 2 else np.sin(value)) * (-1 if k > 1 else 1)",
        "import math\ndef sine_derivative(order, value):\n"
        "    return math.sin(value + (order % 4) * math.pi / 2)",
    ],
    (34, 3): [
        "def tanh_slope(y):\n    return (1 - y) * (1 + y)",
        "def tanh_slope(y):\n    return -(y * y) + 1",
    ],
    (35, 1): [
        tanh_class("y = self.outputs[0]()", "return gy - gy * y**2"),
        tanh_class("(x,) = self.inputs", "y = Tanh()(x)", "return (1 - y * y) * gy"),
    ],
    (35, 2): [
        "def wasted(f, value, order):\n    sizes = graph_sizes(f, value, order)\n"
        "    x = Variable(np.array(float(value)))\n"
        "    found = derivatives(f, x, order)\n    n = order\n"
        "    while float(found[n].data) == 0:\n        n -= 1\n"
        "    return sizes[-1] - sizes[n]",
        "def wasted(f, value, order):\n    x = Variable(np.array(1.0 * value))\n"
        "    kept = None\n    for y in derivatives(f, x, order):\n"
        "        size = len(graph_of(y)[0])\n"
        "        if y.data:\n            kept = size\n    return size - kept",
    ],
    (35, 3): [
        "def tanh_polynomial(order):\n    c = [0.0, 1.0]\n"
        "    for _ in range(order):\n        n = [0.0] * (len(c) + 1)\n"
        "        for k, a in enumerate(c):\n            if k:\n"
        "                n[k - 1] += k * a\n                n[k + 1] -= k * a\n"
        "        c = n\n    return c",
        "def tanh_polynomial(order):\n    if order == 0:\n"
        "        return np.array([0, 1])\n"
        "    P = np.polynomial.polynomial\n"
        "    return P.polymul(P.polyder(tanh_polynomial(order - 1)), [1, 0, -1])",
    ],
    (36, 1): [
        hvp(SUM, CLEAR_ALL),
        hvp("gs = [x.grad for x in xs]", CLEAR_ALL, "s = sum(map(np.multiply, v, gs))")
        .replace("sum(map(np.multiply, v, gs))", "sum(g * p for g, p in zip(gs, v))")
        .replace("x.cleargrad() for", "setattr(x, 'grad', None) for"),
    ],
    (36, 2): [
        bend("v = hvp(f, point, v)\n        v = v / np.sqrt(np.sum(v * v))"),
        bend(
            "w = hvp(f, point, v); v = w / (w @ w) ** 0.5",
            "return v @ hvp(f, point, v)",
        ),
    ],
    (36, 3): [
        penalty(),
        penalty(
            term="((a.grad * a.grad + b.grad * b.grad + 1e-12) ** 0.5 - 1) ** 2"
            " / len(real)",
            end="return total",
        ),
    ],
}

WRONG = [
    (
        33,
        1,
        newton(CLEAR, "f(x).backward()", KEEP, CLEAR, AGAIN, STEP),
        "has to be said",
    ),
    (33, 1, newton(CLEAR, WALK, KEEP, AGAIN, STEP), "f′ + f″"),
    (33, 1, newton(WALK, KEEP, CLEAR, AGAIN, STEP), "cleared twice"),
    (33, 1, newton(CLEAR, WALK, CLEAR, KEEP, AGAIN, STEP), "keep the slope"),
    (33, 1, newton(CLEAR, WALK, KEEP, CLEAR, AGAIN, STEP, returns="None"), "nothing"),
    (33, 1, newton(CLEAR, WALK, KEEP, CLEAR, AGAIN, STEP, returns="path[1:]"), "shape"),
    (
        33,
        1,
        newton(
            CLEAR, WALK, KEEP, CLEAR, AGAIN, "x.data = x.data - g.data * x.grad.data"
        ),
        "step 1 should end",
    ),
    (
        33,
        1,
        newton(CLEAR, WALK, KEEP, CLEAR, AGAIN, "x = x - g / x.grad"),
        "newton_minimize",
    ),
    (33, 2, PLACE + "    return 'valley' if bend > 0 else 'hilltop'", "“slope”"),
    (33, 2, PLACE + "    print('valley')", "returned nothing"),
    (33, 2, PLACE + "    return 'slope' if slope > 1e-6 else 'valley'", "“hilltop”"),
    (
        33,
        2,
        PLACE.replace("create_graph=True", "") + "    return 'slope'",
        "stopped with",
    ),
    (
        33,
        2,
        PLACE + "    if abs(slope) > 1e-6:\n        return 'slope'\n"
        "    return 'valley' if bend > 0 else 'hilltop'",
        "“unclear”",
    ),
    (33, 3, NEWTON_2D.replace("x.cleargrad()", "pass"), "cleared before each walk"),
    (33, 3, NEWTON_2D.replace("create_graph=True", ""), "stopped with"),
    (33, 3, NEWTON_2D.replace("    return path\n", ""), "returned nothing"),
    (33, 3, NEWTON_2D.replace("p - np", "p + np"), "step 1 should end"),
    (
        33,
        3,
        NEWTON_2D.replace("range(2):\n            for x", "[0]:\n            for x"),
        "",
    ),
    (33, 3, NEWTON_2D.replace("is not None", "is None or True"), "stopped with"),
    (34, 1, pair(cosine="sin(x) * gy"), "derivative 2 of sin is wrong"),
    (34, 1, pair(sine="np.cos(x.data) * gy"), "does not depend on x"),
    (34, 1, pair(sine="np.cos(x) * gy"), "not NumPy's"),
    (34, 1, pair(sine="cos(x)"), "wrong"),
    (34, 1, pair(forward="sin(x)"), "calls itself"),
    (34, 1, pair(forward="np.cos(x)"), "values of sin"),
    (34, 1, pair(call="Sin()(x)"), "values of cos"),
    (34, 1, pair().replace("return Sin()(x)", "Sin()(x)"), "sin returned nothing"),
    (34, 1, pair(call="sin(x + np.pi / 2)"), "your class Cos"),
    (
        34,
        2,
        "def sine_derivative(order, value):\n"
        "    return np.sin(value + order * np.pi / 2)",
        "order % 4",
    ),
    (34, 2, "def sine_derivative(order, value):\n    np.sin(value)", "nothing"),
    (
        34,
        2,
        "def sine_derivative(order, value):\n    s, c = np.sin(value), np.cos(value)\n"
        "    return [s, -c, -s, c][order % 4]",
        "the framework finds",
    ),
    (
        34,
        2,
        "def sine_derivative(order, value):\n    s, c = np.sin(value), np.cos(value)\n"
        "    return [s, c, -s, -c][order]",
        "IndexError",
    ),
    (34, 3, "def tanh_slope(y):\n    return 1 - y", "where y is"),
    (34, 3, "def tanh_slope(y):\n    return 1 - np.tanh(y)**2", "where y is"),
    (34, 3, "def tanh_slope(y):\n    return 1 - abs(y)", "where y is"),
    (
        34,
        3,
        "def tanh_slope(y):\n    y = y.data if isinstance(y, Variable) else y\n"
        "    return 1 - y * y",
        "return a variable",
    ),
    (34, 3, "def tanh_slope(y):\n    return 1 - y.data**2", "operators only"),
    (
        35,
        1,
        tanh_class("y = self.outputs[0]", "return gy * (1 - y * y)"),
        "parentheses",
    ),
    (
        35,
        1,
        tanh_class("y = self.outputs[0]().data", "return gy * (1 - y * y)"),
        "does not depend on x",
    ),
    (35, 1, tanh_class("y = self.inputs[0]", "return gy * (1 - y * y)"), "is wrong"),
    (35, 1, tanh_class("y = self.outputs[0]()", "return 1 - y * y"), "wrong"),
    (35, 1, tanh_class("return 1 - self.outputs[0]() ** 2 * gy"), "wrong"),
    (
        35,
        1,
        tanh_class(
            "return gy * (1 - self.y**2)", forward="self.y = np.tanh(x); return self.y"
        ),
        "does not depend on x",
    ),
    (
        35,
        1,
        tanh_class(
            "y = self.outputs[0]()",
            "return gy * (1 - y * y)",
            forward="return (np.exp(x) - np.exp(-x)) / (np.exp(x) + np.exp(-x))",
        ),
        "far out",
    ),
    (
        35,
        2,
        "def wasted(f, value, order):\n    s = graph_sizes(f, value, order)\n"
        "    return s[-1] - s[-2]",
        "nodes are wasted",
    ),
    (
        35,
        2,
        "def wasted(f, value, order):\n    graph_sizes(f, value, order)",
        "nothing",
    ),
    (
        35,
        2,
        "def wasted(f, value, order):\n    s = graph_sizes(f, value, order)\n"
        "    return max(0, s[-1] - s[4])",
        "wasted",
    ),
    (
        35,
        2,
        "def wasted(f, value, order):\n    s = graph_sizes(f, value, order)\n"
        "    d = derivatives(f, value, order)\n    return s[-1] - s[4]",
        "stopped with",
    ),
    (
        35,
        3,
        "def tanh_polynomial(order):\n    p = np.polynomial.Polynomial([0, 1])\n"
        "    return p.deriv(order).coef",
        "and the framework",
    ),
    (
        35,
        3,
        "def tanh_polynomial(order):\n    p = np.polynomial.Polynomial([0, 1])\n"
        "    for _ in range(order):\n        p = p.deriv() * [1, 0, 1]\n"
        "    return p.coef",
        "and the framework",
    ),
    (35, 3, "def tanh_polynomial(order):\n    [0, 1]", "returned nothing"),
    (
        35,
        3,
        "def tanh_polynomial(order):\n    return [0, 1] if order == 0 else [-1, 0, 1]",
        "order 1",
    ),
    (36, 1, hvp(SUM, CLEAR_ALL, begin="f(*xs).backward()"), "has to be said"),
    (36, 1, hvp(SUM), "cleared between"),
    (36, 1, hvp(CLEAR_ALL, SUM), "stopped with"),
    (36, 1, hvp("s = sum(x.grad for x in xs)", CLEAR_ALL), "H times v is"),
    (36, 1, hvp(SUM, CLEAR_ALL).replace("return", "r ="), "returned nothing"),
    (
        36,
        1,
        hvp(SUM, CLEAR_ALL).replace("0.0 if x.grad is None else ", ""),
        "stopped with",
    ),
    (
        36,
        1,
        "def hvp(f, point, v):\n    rows = []\n    for i in range(len(point)):\n"
        "        xs = [Variable(np.array(float(p))) for p in point]\n"
        "        f(*xs).backward(create_graph=True)\n        g = xs[i].grad\n"
        "        [x.cleargrad() for x in xs]\n        g.backward()\n"
        "        rows.append([0 if x.grad is None else x.grad.item() for x in xs])\n"
        "    return np.array(rows) @ v",
        "once is enough",
    ),
    (36, 2, bend("v = hvp(f, point, v)"), "length 1"),
    (
        36,
        2,
        bend("v = hvp(f, point, v); v = v / np.linalg.norm(v)", "return v"),
        "one number",
    ),
    (36, 2, bend("pass"), "after"),
    (36, 2, bend("v = hvp(f, point, v); v = v / np.linalg.norm(v)", "v"), "nothing"),
    (
        36,
        2,
        bend(
            "v = hvp(f, point, v); v = v / np.linalg.norm(v)",
            "return np.linalg.norm(hvp(f, point, v))",
        ),
        "after",
    ),
    (36, 3, penalty(walk="critic(a, b).backward()"), "Do the slopes have a graph"),
    (
        36,
        3,
        penalty(term="(np.sqrt(a.grad.data**2 + b.grad.data**2) - 1) ** 2"),
        "should be a variable",
    ),
    (36, 3, penalty(end="return total"), "the penalty is"),
    (36, 3, penalty(end="total / len(shares)"), "returned nothing"),
    (36, 3, penalty(point="(1 - s) * r[i] + s * m[i]"), "the penalty is"),
    (36, 3, penalty(term="(sqrt(a.grad**2 + b.grad**2) - 1) ** 2"), "nan"),
    (36, 3, penalty(term="(a.grad**2 + b.grad**2 - 1) ** 2"), "the penalty is"),
    (36, 3, penalty(term="(a.grad + b.grad - 1) ** 2"), "the penalty is"),
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


@pytest.mark.parametrize("number", range(33, 37))
def test_two_right_ways_are_kept_for_every_exercise(number):
    book = builder.assemble(number)
    count = sum(
        exercises.is_solution(checks.source(cell)) for cell in checks.code_cells(book)
    )
    assert {where for where in RIGHT if where[0] == number} == {
        (number, exercise) for exercise in range(1, count + 1)
    }
    assert all(len(attempts) >= 2 for attempts in RIGHT.values())
