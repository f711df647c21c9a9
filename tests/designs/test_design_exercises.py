"""Exercises of stage 6: other right solutions than the lessons' own are accepted, and
likely mistakes are told in a sentence.
"""

import contextlib
import io
from functools import cache

import pytest

from steps.course import builder, exercises


@cache
def cells(number):
    """The first cell of a lesson, which imports, and its check cells in order."""
    code = [c for c in builder.assemble(number)["cells"] if c["cell_type"] == "code"]
    checks = [
        cell["source"]
        for cell in code
        if exercises.CHECK in cell["metadata"].get("tags", [])
    ]
    return code[0]["source"], checks


def judged(number, exercise, answer):
    """Run an answer and the exercise's check; what the check says."""
    imports, checks = cells(number)
    names = {"__name__": "__main__"}
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(imports, names)
        exec(f"from steps.step{number} import *", names)
        exec(CONTEXT.get((number, exercise), ""), names)
        exec(answer, names)
        exec(checks[exercise - 1], names)
    return said.getvalue()


CONTEXT = {
    (61, 1): "from steps.step61 import Multiply, upstream",
    (61, 2): "from steps.step61 import full_like",
    (61, 3): """
rng = np.random.default_rng(0)
xs, ts = rng.normal(size=(6, 1)), rng.normal(size=(6, 1))
w1, b1 = Variable(rng.normal(size=(1, 10))), Variable(rng.normal(size=10))
w2, b2 = Variable(rng.normal(size=(10, 1))), Variable(rng.normal(size=1))
x, t = Placeholder("x"), Placeholder("t")
x.fill(xs)
t.fill(ts)
hidden = tanh(x @ w1 + b1)
fit = mean((hidden @ w2 + b2 - t) ** 2)
""",
    (62, 1): "from steps.step62 import apply",
    (62, 2): "from steps.step62 import apply",
    (64, 1): """
def story(start):
    with Graph().as_default():
        n = variable(start)
        count = assign(n, n + 1)
        one, other = Session(), Session()
        one.run(count)
        both = one.run([count, n])
        return [both[1], one.run(n), other.run(n), Session().run(n * 2)]
""",
    (64, 2): "from steps.step64 import SumLike",
    (64, 3): "from steps.step64 import Assign",
    (65, 1): """
def program():
    x, c = Scalar(2.0, requires_grad=True), Scalar(3.0)
    a = c * c
    return {"a": a, "b": (b := x * a), "c": c, "d": (d := exp(a + 1)), "e": b + d}
""",
    (66, 2): "from steps.step66 import sum_to",
    (67, 2): "from steps.step67 import Windows",
    (68, 3): """
def largest_difference(run, other):
    (losses, weights), (other_losses, other_weights) = run, other
    return max(*abs(np.subtract(losses, other_losses)), *abs(weights - other_weights))
""",
}

RIGHT = {
    (61, 1): [
        "product = lambda u, v: v * (exp(u) * u)",
        """
def product(u, v):
    slow = multiply(exp(u), u)
    return Placeholder(parent=Multiply(slow, v))
""",
    ],
    (61, 2): [
        """
class Sin(Operation):
    def compute(self, a):
        return np.sin(a)
    def gradient(self, g, y):
        return [-sin(self.inputs[0] - np.pi / 2) * g]
def sin(a):
    return Placeholder(parent=Sin(a))
""",
        """
class Cos(Operation):
    def compute(self, a):
        return np.cos(a)
    def gradient(self, g, y):
        return (-g * sin(self.inputs[0]),)
class Sin(Operation):
    def compute(self, a):
        return np.sin(a)
    def gradient(self, g, y):
        return (g * Placeholder(parent=Cos(self.inputs[0])),)
def sin(a):
    return Placeholder(parent=Sin(a))
""",
    ],
    (61, 3): [
        """
def loss_without(i):
    keep = np.arange(10) != i
    hidden.fill(hidden.eval() * keep, short_circuit=True)
    loss = fit.eval().item()
    hidden.clear()
    return loss
""",
        """
def loss_without(unit):
    before = hidden.eval()
    others = np.delete(before, unit, axis=1)
    hidden.fill(np.insert(others, unit, 0.0, axis=1), short_circuit=True)
    try:
        return fit.eval().item()
    finally:
        w1.update(w1.value)
""",
    ],
    (62, 1): [
        """
def make_counter():
    by, so_far = scalar("by"), Shared(0.0, "total")
    new = by + so_far
    return function(by, new, {so_far: new})
""",
        """
def make_counter():
    sums = Shared(np.zeros(1), "sums")
    number = scalar("number")
    return function([number], total(sums) + number, [(sums, sums + number)])
""",
    ],
    (62, 2): [
        """
last, before = Shared(0, "last"), Shared(1, "before")
fibonacci = function([], last, {last: last + before, before: last})
""",
        """
pair = Shared(np.array([[0], [1]]), "pair")
pick, step = np.array([[1, 0]]), np.array([[0, 1], [1, 1]])
fibonacci = function([], total(pick @ pair), [(pair, step @ pair)])
""",
    ],
    (62, 3): [
        """
def newton(f, start):
    x = Shared(np.array(start), "place")
    value = f(x)
    slope = grad(value, [x])[0]
    return function([], x, {x: x - 1.0 / slope * value})
""",
        """
def newton(f, start):
    x, here = Shared(start, "x"), scalar("here")
    rule = [f(here), grad(f(here), here)]
    y = f(x)
    return function([], 1.0 * x, updates=((x, x + -y * grad(y, x) ** -1),))
""",
    ],
    (63, 1): [
        "leaky_relu = lambda x: switch(x < 0, x / 10, x)",
        "leaky_relu = lambda x: x * switch(x > 0, 1.0, 0.1)",
    ],
    (63, 2): [
        """
def price(n):
    rest = switch(n > 10, switch(n > 20, 30 + n, 10 + 2 * n), 3 * n)
    return rest
slope_at_15 = 2.0
""",
        """
def smaller(a, b):
    return switch(a < b, a, b)
price = lambda n: smaller(3 * n, smaller(10 + 2 * n, 30 + n))
slope_at_15 = int(50 / 10) - 3
""",
    ],
    (63, 3): [
        """
def clipped(g, longest):
    square = total(g**2)
    return g * switch(square > longest**2, longest / square**0.5, 1.0)
""",
        """
def clipped(g, longest):
    squares = total(power(g, 2), axis=0)
    length = total(squares) ** 0.5
    return switch(length <= longest, g, longest * g * length**-1)
""",
    ],
    (64, 1): [
        "predicted = lambda n: (n + 1, n + 1 + 1, n, n + n)",
        "predicted = lambda n: list(np.array([1, 1, 1, 2]) * n + [1, 2, 0, 0])",
    ],
    (64, 2): [
        """
class Subtract(Operation):
    def compute_output(self, a, b):
        return np.subtract(a, b)
    def gradient(self, grad):
        return [SumLike(grad, self.inputs[0]), -SumLike(grad, self.inputs[1])]
""",
        """
class Subtract(Operation):
    def compute_output(self, *both):
        minuend, subtrahend = both
        return minuend + -1 * subtrahend
    def gradient(self, grad):
        return tuple(SumLike(sign * grad, x) for sign, x in zip((1, -1), self.inputs))
""",
    ],
    (64, 3): [
        """
class MomentumOptimizer:
    def __init__(self, rate, momentum):
        self.rate, self.momentum = rate, momentum
    def minimize(self, loss, variables):
        slopes = compute_gradients(loss)
        speeds = [variable(0 * w.initial) for w in variables]
        new = [self.momentum * v - self.rate * slopes[w]
               for v, w in zip(speeds, variables)]
        moved = [w + v for w, v in zip(variables, new)]
        return Assign([*variables, *speeds], [*moved, *new])
""",
        """
class MomentumOptimizer:
    def __init__(self, learning_rate, momentum):
        self.learning_rate, self.momentum = learning_rate, momentum
    def minimize(self, loss, variables):
        slopes, changes = compute_gradients(loss), {}
        for w in variables:
            sum_of_slopes = variable(np.zeros(w.initial.shape))
            changes[sum_of_slopes] = self.momentum * sum_of_slopes + slopes[w]
            changes[w] = w - self.learning_rate * changes[sum_of_slopes]
        return Assign(changes.keys(), changes.values())
""",
    ],
    (65, 1): ['number_of_nodes, need_a_gradient = 3, "b, e"'],
    (65, 2): [
        "detach = lambda x: Scalar(x.data, requires_grad=False)\ngradient_at_3 = 3"
    ],
    (65, 3): [
        """
def newton(f, start, steps):
    if steps == 0:
        return list(start)
    unknowns = [Scalar(number, True) for number in start]
    values = f(*unknowns)
    J = np.array(jacobian(values, unknowns))
    step = np.linalg.inv(J) @ [value.data for value in values]
    return newton(f, [float(a - b) for a, b in zip(start, step)], steps - 1)
"""
    ],
    (66, 1): [
        """
def tanh(x):
    array = x.data
    return computed(np.tanh(array), (x, lambda g: g / np.cosh(array) ** 2))
"""
    ],
    (66, 2): ["maximum = lambda a, b: a * (a > b) + b * (b >= a)"],
    (66, 3): [
        """
def running_sum(x):
    return np.tril(np.ones((len(x), len(x)))) @ x
""",
        """
def running_sum(x):
    return computed(np.cumsum(x.data), (x, lambda g: g.sum() - np.cumsum(g) + g))
""",
    ],
    (67, 1): [
        """
def cross_entropy(scores, labels):
    right = np.eye(scores.shape[1])[labels]
    return (scores.log_softmax() * right).sum() / -len(labels)
"""
    ],
    (67, 2): [
        """
def average_pool(x, kernel):
    kh, kw = kernel if isinstance(kernel, tuple) else (kernel, kernel)
    n, c, h, w = x.shape
    x = x[:, :, : h // kh * kh, : w // kw * kw]
    return x.reshape(n, c, h // kh, kh, w // kw, kw).sum(axis=(3, 5)) / (kh * kw)
"""
    ],
    (67, 3): [
        """
def deconv2d(x, weight, stride):
    (n, f, h, w), (_, c, kh, kw) = x.shape, weight.shape
    pixels = x.reshape(n, f, h * w).transpose(0, 2, 1).reshape(-1, f)
    size = n, c, stride * (h - 1) + kh, stride * (w - 1) + kw
    return col2im(pixels @ weight.reshape(f, c * kh * kw), size, (kh, kw), stride)
"""
    ],
    (68, 2): [
        """
def ratio(f, g, rounds=11, clock=time.perf_counter):
    def taken(call):
        begin = clock()
        call()
        return clock() - begin
    taken(f), taken(g)
    pairs = np.array([(taken(f), taken(g)) for _ in range(rounds)])
    return float(np.median(pairs[:, 0]) / np.median(pairs[:, 1]))
"""
    ],
}
# The answer to 61.2 with two gaps: for compute, and for gradient.
SINE = """
class Sin(Operation):
    def compute(self, a):
        {}
    def gradient(self, g, y):
        {}
def sin(a):
    return Placeholder(parent=Sin(a))
"""
# Answers to 62.1 and 62.3 with gaps: for inputs, output and new value.
COUNTER = """
def make_counter():
    by, so_far = scalar("by"), Shared(0.0, "so_far")
    return function({}, {}, [(so_far, {})])
"""
NEWTON = """
def newton(f, start):
    x = Shared(start, "x")
    y = f(x)
    return function({}, {}, [(x, {})])
"""
PRICE = """
def price(n):
    return switch(n <= 10, 3 * n, switch(n <= 20, {}, {}))
slope_at_15 = {}
"""
CLIPPED = """
def clipped(g, longest):
    length = {}
    return switch(length > longest, {}, g)
"""
SUBTRACT = """
class Subtract(Operation):
    def compute_output(self, a, b):
        {}
    def gradient(self, grad):
        {}
"""
DOWN = "a, b = self.inputs; return "
MOMENTUM = """
class MomentumOptimizer:
    def __init__(self, learning_rate, momentum):
        self.learning_rate = learning_rate
        self.momentum = momentum
    def minimize(self, loss, variables):
        gradients = compute_gradients(loss)
        targets, values = [], []
        for w in variables:
            v = {}
            new_v = {}
            targets += [v, w]
            values += [new_v, {}]
        return {}
"""
ZEROS = "variable(np.zeros_like(w.initial))"
NEW_V = "self.momentum * v - self.learning_rate * gradients[w]"
ASSIGN = "Assign(targets, values)"
LIKELY = [
    (61, 1, "def product(u, v):\n    ...", "should return a node"),
    (61, 1, "product = lambda u, v: v * u * exp(u)", "2 operations run, not one"),
    (61, 1, "product = lambda u, v: np.exp(u) * u * v", "functions take arrays"),
    (61, 1, "product = lambda u, v: exp(u) * u * [v]", "cannot be built"),
    (61, 1, "product = lambda u, v: v * np.e", "u = 2, v = 3"),
    (61, 1, "product = lambda u, v: v * (u.value * np.exp(u.value))", "u = 2, v = 3"),
    (61, 1, "product = lambda u, v: u * np.exp(1) ** u.value * v", "u = 2, v = 3"),
    (61, 2, SINE.format("...", "..."), "returned nothing"),
    (61, 2, SINE.format("import math; return math.sin(a)", "..."), "gets an array"),
    (61, 2, SINE.format("return np.sin(a)", "..."), "returns a tuple"),
    (
        61,
        2,
        SINE.format("return np.sin(a)", "return (g * np.cos(self.inputs[0]),)"),
        "let sin make nodes",
    ),
    (
        61,
        2,
        SINE.format("return np.sin(a)", "return (g * sin(self.input),)"),
        "nodes of nodes",
    ),
    (
        61,
        2,
        SINE.format("return np.sin(a)", "return (np.cos(self.inputs[0].value),)"),
        "not an array",
    ),
    (
        61,
        2,
        SINE.format("return np.sin(a)", "return (g * np.cos(self.inputs[0].value),)"),
        "the second derivative is wrong",
    ),
    (
        61,
        2,
        SINE.format("return np.sin(a)", "return (sin(self.inputs[0] + np.pi / 2),)"),
        "the gradient is wrong",
    ),
    (
        61,
        2,
        SINE.format("return np.sin(a)", "return g * sin(self.inputs[0] + np.pi / 2)"),
        "returns a tuple",
    ),
    (61, 2, SINE.format("return np.sin([0.6, 4.0])", "..."), "returns a tuple"),
    (
        61,
        2,
        SINE.format("return np.sin([0.6, 4.0])", "return (g * np.cos([0.6, 4.0]),)"),
        "wrong",
    ),
    (61, 3, "def loss_without(i):\n    ...", "should return a float"),
    (61, 3, "def loss_without(i):\n    hidden.eval()[:, i] = 0", "change a copy"),
    (61, 3, "def loss_without(i):\n    hidden.fill(np.zeros(10))", "cut the graph"),
    (61, 3, "loss_without = lambda i: float(fit.eval())", "with all units"),
    (61, 3, "loss_without = lambda i: fit.eval()", "return a float"),
    (
        61,
        3,
        "def loss_without(i):\n"
        "    values = hidden.eval().copy()\n"
        "    values[:, i] = 0\n"
        "    hidden.fill(values, short_circuit=True)\n"
        "    return float(fit.eval())",
        "clear hidden",
    ),
    (
        61,
        3,
        "seen = {}\n"
        "def loss_without(i):\n"
        "    if i not in seen:\n"
        "        keep = np.arange(10) != i\n"
        "        hidden.fill(hidden.eval() * keep, short_circuit=True)\n"
        "        seen[i] = float(fit.eval())\n"
        "        hidden.clear()\n"
        "    return seen[i]",
        "the loss is not",
    ),
    (62, 1, "make_counter = lambda: lambda by: by", r"return a function\(...\)"),
    (62, 1, "def make_counter():\n    ...", r"return a function\(...\)"),
    (62, 1, COUNTER.format("[by]", "so_far", "so_far + by"), "the total before"),
    (62, 1, COUNTER.format("[by]", "[so_far + by]", "so_far + by"), "not a list"),
    (62, 1, COUNTER.format("[]", "so_far + by", "so_far + by"), "cannot be built"),
    (62, 1, COUNTER.format("[by]", "so_far + by", "by"), "after 0.5 more"),
    (
        62,
        1,
        "by, so_far = scalar('by'), Shared(0.0, 'so_far')\n"
        "counter = function([by], so_far + by, [(so_far, so_far + by)])\n"
        "make_counter = lambda: counter",
        "share a total",
    ),
    (
        62,
        1,
        "def make_counter():\n"
        "    calls, by = Shared(0, 'calls'), scalar('by')\n"
        "    add = Op('look up', lambda i, by: TOTALS[i] + 0 * by, lambda i, by: ())\n"
        "    return function([by], apply(add, calls, by), [(calls, calls + 1)])\n"
        "TOTALS = np.array([2.0, 5.0, 5.5, *range(100)])",
        "is not",
    ),
    (
        62,
        1,
        "def make_counter():\n"
        "    by, so_far = scalar('by', dtype=int), Shared(0, 'so_far')\n"
        "    return function([by], so_far + by, [(so_far, so_far + by)])",
        "any real number",
    ),
    (62, 2, "fibonacci = None", r"made with function\(...\)"),
    (
        62,
        2,
        "now, later = Shared(0, 'now'), Shared(1, 'later')\n"
        "fibonacci = function([], later, [(now, later), (later, now + later)])",
        "the first number is 0, not 1",
    ),
    (
        62,
        2,
        "now, later = Shared(0, 'now'), Shared(1, 'later')\n"
        "fibonacci = function([], now, [(now, later), (later, later + later)])",
        "the numbers are",
    ),
    (
        62,
        2,
        "table = np.array([0, 1, 1, 2, 3, 5, 8, 13, 21, 34])\n"
        "count = Shared(0, 'count')\n"
        "look_up = Op('look up', lambda i: table[i % 10], lambda i: ())\n"
        "fibonacci = function([], apply(look_up, count), [(count, count + 1)])",
        "after 34 comes a wrong one",
    ),
    (
        62,
        3,
        "def newton(f, start):\n    grad(scalar('x'), f(scalar('x')))",
        "the slope",
    ),
    (62, 3, "def newton(f, start):\n    ...", r"return a function\(...\)"),
    (62, 3, NEWTON.format("[]", "x", "x - y / grad(f, x)"), "the slope of y"),
    (62, 3, NEWTON.format("[]", "[x]", "x - y / grad(y, x)"), "not a list"),
    (62, 3, NEWTON.format("[]", "x", "x - grad(y, x) / y"), "from 1 to 3"),
    (62, 3, NEWTON.format("[]", "x", "x + y / grad(y, x)"), "from 1 to 0.5"),
    (62, 3, NEWTON.format("[]", "x - y / grad(y, x)", "x"), "not 1.5"),
    (62, 3, NEWTON.format("[]", "x", "(x + 2.0 / x) / 2.0"), "does not lead"),
    (62, 3, NEWTON.format("[scalar('by')]", "x", "x"), "no inputs"),
    (63, 1, "leaky_relu = lambda x: x if x > 0 else 0.1 * x", "not with if"),
    (63, 1, "leaky_relu = lambda x: max(x, 0.1 * x)", "not with if"),
    (63, 1, "leaky_relu = lambda x: ...", "return an expression"),
    (63, 1, "leaky_relu = lambda x: np.where(x > 0, x, 0.1 * x)", "not with if"),
    (63, 1, "leaky_relu = lambda x: switch(x > 0, 3.0, -0.3)", "at 3 the slope"),
    (63, 1, "leaky_relu = lambda x: switch(True, 3.0, -0.3)", "depend on x"),
    (63, 1, "leaky_relu = lambda x: 0.55 * x + 0.45 * (x**2) ** 0.5", "choose with"),
    (63, 1, "leaky_relu = lambda x: switch(x > 0, x, 0.2 * x)", "it should be -0.3"),
    (63, 1, "leaky_relu = lambda x: switch(x > 0, 0.1 * x, x)", "it should be 3, not"),
    (
        63,
        1,
        "leaky_relu = lambda x: switch(equal(x, 3.0) + equal(x, 0.2), x, 0.1 * x)",
        "it should be",
    ),
    (63, 2, "price = lambda n: ...", "return an expression"),
    (63, 2, "price = lambda n: 3 * n if n <= 10 else 2 * n", "nest two switches"),
    (63, 2, "price = lambda n: min(3 * n, 10 + 2 * n, 30 + n)", "nest two switches"),
    (63, 2, PRICE.format("2 * n", "n", 2), "12.5 should cost 35, not 25"),
    (
        63,
        2,
        PRICE.format("30 + 2 * (n - 10)", "50 + n", 2),
        "26 should cost 56, not 76",
    ),
    (
        63,
        2,
        PRICE.format("30 + 2 * (n - 10)", "50 + (n - 20)", None),
        "the slope at 15",
    ),
    (
        63,
        2,
        PRICE.format("30 + 2 * (n - 10)", "50 + (n - 20)", 40),
        "one more does not cost 40",
    ),
    (63, 2, PRICE.format("2.8 * n", "switch(n > 25, 56.0, 50.0)", 2), "should cost"),
    (
        63,
        2,
        "price = lambda n: switch(n > 9, switch(n > 15, 50.0, 35.0), 12.0)",
        "0 should",
    ),
    (63, 2, "price = lambda n: switch(True, 50.0, 35.0)", "depend on n"),
    (63, 3, "clipped = lambda g, longest: ...", "return an expression"),
    (63, 3, "clipped = lambda g, longest: g", "choose with switch"),
    (63, 3, "clipped = lambda g, longest: np.clip(g, 0, longest)", "cannot be built"),
    (63, 3, CLIPPED.format("np.sqrt(total(g * g))", "g"), "functions take arrays"),
    (63, 3, "clipped = lambda g, n: switch(g > n, n, g)", "one truth value"),
    (63, 3, CLIPPED.format("total(g * g)", "g * (longest / length)"), "the length 2"),
    (63, 3, CLIPPED.format("total(g)", "g * (longest / length)"), "the length"),
    (63, 3, CLIPPED.format("total(g * g) ** 0.5", "g / length"), "the length"),
    (63, 3, CLIPPED.format("total(g * g) ** 0.5", "longest"), "of one type"),
    (
        63,
        3,
        CLIPPED.format("total(g * g) ** 0.5", "g * 0 + longest * 0.5**0.5"),
        "keep its direction",
    ),
    (
        63,
        3,
        CLIPPED.format("total(g * g) ** 0.5", "longest * np.array([0.6, 0.8])"),
        "becomes a thing|should keep",
    ),
    (
        63,
        3,
        "def clipped(g, longest):\n"
        "    factor = longest / total(g * g) ** 0.5\n"
        "    return g * factor * switch(factor < 1, 1.0, 1 / factor)",
        "nothing should be divided|should stay",
    ),
    (64, 1, "predicted = lambda start: ...", "return a list"),
    (64, 1, "predicted = lambda start: story(start)", "without a run"),
    (64, 1, "predicted = lambda start: [11, 12, 10]", "3 numbers, not four"),
    (64, 1, "predicted = lambda start: [11.0, 12.0, 10.0, 20.0]", "number 1 is not 11"),
    (64, 1, "predicted = lambda n: [n + 2, n + 2, n, 2 * n]", "from before it"),
    (64, 1, "predicted = lambda n: [n + 1, n + 1, n, 2 * n]", "in the next one"),
    (64, 1, "predicted = lambda n: [n + 1, n + 2, n + 2, 2 * n]", "of its own"),
    (64, 1, "predicted = lambda n: [n + 1, n + 2, n, 2 * n + 4]", "the initial value"),
    (64, 2, SUBTRACT.format("...", "..."), "not a − b"),
    (64, 2, SUBTRACT.format("return b - a", "..."), "not a − b"),
    (64, 2, SUBTRACT.format("return a - b", "..."), "return two nodes"),
    (64, 2, SUBTRACT.format("return a - b", "return SumLike(grad, a)"), "'a' is not"),
    (64, 2, SUBTRACT.format("return a - b", "return np.sum(grad), 0"), "from nodes"),
    (
        64,
        2,
        "with Graph().as_default():\n    a = b = variable(1.0)\n"
        + SUBTRACT.format("return a - b", "return SumLike(grad, a), SumLike(-grad, b)"),
        "another graph",
    ),
    (64, 2, SUBTRACT.format("return a - b", "return grad, -grad"), "has"),
    (
        64,
        2,
        SUBTRACT.format("return a - b", DOWN + "SumLike(grad, a), SumLike(grad, b)"),
        "the gradient of b is wrong",
    ),
    (
        64,
        2,
        SUBTRACT.format("return a - b", DOWN + "SumLike(a, grad), SumLike(-b, grad)"),
        "is wrong|cannot be run",
    ),
    (
        64,
        2,
        SUBTRACT.format("return np.full_like(a - b, 3.0)", "..."),
        "the output is not a − b|return two nodes",
    ),
    (64, 3, MOMENTUM.format("...", "...", "...", "..."), "return a node"),
    (
        64,
        3,
        MOMENTUM.format("np.zeros_like(w)", NEW_V, "w + new_v", ASSIGN),
        "do not fit",
    ),
    (
        64,
        3,
        MOMENTUM.format("variable(0.0)", NEW_V, "w + new_v", ASSIGN),
        "has w's shape",
    ),
    (64, 3, MOMENTUM.format(ZEROS, NEW_V, "w + v", ASSIGN), "after step 1, w is"),
    (
        64,
        3,
        MOMENTUM.format(
            ZEROS, NEW_V, "w + new_v", "Assign(targets[1::2], values[1::2])"
        ),
        "after step 2, w is",
    ),
    (
        64,
        3,
        MOMENTUM.format(ZEROS, NEW_V, "w + new_v", "[targets, values]"),
        "made with Assign",
    ),
    (
        64,
        3,
        MOMENTUM.format(ZEROS, "0.9 * v - 0.1 * gradients[w]", "w + new_v", ASSIGN),
        "after step 1",
    ),
    (
        64,
        3,
        MOMENTUM.format("variable([0.0, 0.0])", NEW_V, "w + new_v", ASSIGN),
        "has w's shape",
    ),
    (66, 1, "def tanh(x):\n    return computed(np.tanh(x.data))", "an edge to x"),
    (
        66,
        2,
        "maximum = lambda a, b: computed(np.maximum(a.data, b.data))",
        "needs edges",
    ),
    (
        66,
        3,
        "running_sum = lambda x: computed(np.cumsum(x.data), (x, len))",
        "the rule",
    ),
    (67, 1, "cross_entropy = lambda s, t: -log_softmax(s).sum()", "the loss is"),
    (67, 3, "deconv2d = lambda x, w, s: x.reshape(-1, 4) @ w.reshape(3, -1)", "shapes"),
]


@pytest.mark.parametrize("place", RIGHT, ids=lambda place: "{}.{}".format(*place))
def test_other_right_solutions_are_accepted(place):
    for answer in RIGHT[place]:
        assert f"Exercise {place[1]} is right." in judged(*place, answer)


@pytest.mark.parametrize(("number", "exercise", "answer", "words"), LIKELY)
def test_a_likely_mistake_is_told_in_a_sentence(number, exercise, answer, words):
    with pytest.raises(AssertionError, match=words):
        judged(number, exercise, answer)
