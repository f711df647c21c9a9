"""Attempts at the exercises of the first lessons: right ones in unusual ways, which a
check must accept, and likely mistakes, which it must answer with a sentence that helps.
"""

import linecache
from functools import cache

import pytest

from steps.course import builder, exercises
from tests.support import lesson_checks as checks


def run(text, names):
    """Run a cell; its lines can be read in a traceback, as in a notebook."""
    file = f"<cell {len(linecache.cache)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), names)


@cache
def lesson_until(number, exercise):
    """Run a lesson up to an exercise: its names, the exercise's cell and its check."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    mpl.use("Agg")
    names, found = {"__name__": "__main__"}, 0
    cells = iter(checks.code_cells(builder.assemble(number)))
    for cell in cells:
        text = checks.source(cell)
        found += exercises.is_solution(text)
        if found == exercise:
            return names, text, checks.source(next(cells))
        try:
            run(text, names)
        except Exception:
            assert "raises-exception" in checks.tags(cell)
        plt.close("all")
    raise LookupError(f"lesson {number} has no exercise {exercise}")


def complaint(number, exercise, attempt):
    """What the check of an exercise says to an attempt; None if it is content."""
    names, _, check = lesson_until(number, exercise)
    names = dict(names)
    run(attempt, names)
    try:
        run(check, names)
    except AssertionError as error:
        return str(error)
    return None


def method(owner, name, body):
    return f"class {owner}(Function):\n    def {name}:\n        {body}\n"


def methods(owner, *pairs):
    return f"class {owner}(Function):\n" + "".join(
        f"    def {name}:\n        {body}\n" for name, body in pairs
    )


RIGHT = {
    (1, 1): [
        "def refill(b):\n    kept, b.data = b.data, np.add(b.data, b.data)\n"
        "    return Variable(data=kept)",
        "def refill(box):\n    second = Variable(None)\n"
        "    vars(second).update(vars(box))\n"
        "    box.__init__(2 * second.data)\n    return second",
    ],
    (1, 2): [
        "predict = lambda p, q, r: np.array([r, r, q])",
        "def predict(p, q, r):\n    of = dict(c=q) | dict.fromkeys('ab', r)\n"
        "    return tuple(of[name] for name in 'abc')",
    ],
    (1, 3): [
        "def swap(a, b):\n    kept = a.data\n    a.data = b.data\n    b.data = kept",
        "def swap(x, y):\n    x.__dict__, y.__dict__ = y.__dict__, x.__dict__",
    ],
    (2, 1): [
        method("Cube", "forward(self, array)", "return np.multiply(array, array**2)"),
        method("Cube", "forward(self, x)", "return np.array([v * v * v for v in x])"),
    ],
    (2, 2): [
        methods(
            "Scale",
            ("__init__(self, factor)", "self.times = factor"),
            ("forward(self, x)", "return np.multiply(x, self.times)"),
        ),
        methods(
            "Scale",
            ("__init__(self, factor)", "self.forward = lambda x: x * factor"),
        ),
    ],
    (2, 3): [
        method(
            "Normalize",
            "forward(self, x)",
            "return (x - np.mean(x)) / np.sqrt(np.mean((x - x.mean()) ** 2))",
        ),
        method(
            "Normalize",
            "forward(self, x)",
            "z = x.copy(); z -= z.mean(); return z / z.std()",
        ),
    ],
    (3, 1): [
        "def exp_of_exp(x):\n    f = Exp()\n    return f(f(x))",
        "def exp_of_exp(x):\n    for f in (Exp(), Exp()):\n        x = f(x)\n"
        "    return x",
    ],
    (3, 2): [
        method("Neg", "forward(self, x)", "return np.negative(x)")
        + "def bump(v):\n    for f in (Square, Neg, Exp):\n        v = f()(v)\n"
        "    return v",
        method("Neg", "forward(self, x)", "return 0.0 - x")
        + "bump = lambda x: Exp()(Neg()(Square()(x)))",
    ],
    (3, 3): [
        "from functools import reduce\ndef compose(*fs):\n"
        "    return lambda x: reduce(lambda v, f: f(v), fs, x)",
        "def compose(*fs):\n    def g(x):\n        if not fs:\n            return x\n"
        "        return compose(*fs[1:])(fs[0](x))\n    return g",
    ],
    (4, 1): [
        "def forward_diff(f, x, eps=1e-7):\n"
        "    return (f(Variable(x.data + eps)).data - f(x).data) / eps",
        "def forward_diff(f, x, eps=1e-8):\n    right = Variable(np.add(x.data, eps))\n"
        "    return np.subtract(f(right).data, f(x).data) / eps",
    ],
    (4, 2): [
        "def second_diff(f, x, eps=1e-4):\n"
        "    slope = lambda v: numerical_diff(f, Variable(v), eps / 2)\n"
        "    return (slope(x.data + eps / 2) - slope(x.data - eps / 2)) / eps",
        "def second_diff(f, x, eps=3e-4):\n"
        "    at = lambda d: f(Variable(x.data + d)).data\n"
        "    return (at(eps) - 2 * at(0) + at(-eps)) / eps / eps",
    ],
    (4, 3): [
        "def numerical_gradient(f, x, eps=1e-5):\n"
        "    value = lambda v: float(f(Variable(v)).data)\n"
        "    return np.array([(value(x.data + e) - value(x.data - e)) / (2 * eps)\n"
        "                     for e in eps * np.eye(x.data.size)])",
        "def numerical_gradient(f, x, eps=1e-7):\n    base = f(x).data\n    g = []\n"
        "    for i in range(len(x.data)):\n        v = x.data.copy()\n"
        "        v[i] += eps\n"
        "        g += [(f(Variable(v)).data - base) / eps]\n    return np.array(g)",
    ],
    (5, 1): [
        "forward_cost = lambda n: 35 * n\nbackward_cost = lambda n: 10 * (n + 5)",
        "def forward_cost(n):\n    first, second = (5, 5, n), (2, 5, n)\n"
        "    return np.prod(first) + np.prod(second)\n"
        "def backward_cost(n):\n    return sum(2 * a * b for a, b in [(5, 5), (5, n)])",
    ],
    (5, 2): [
        "def cheap_forward(factor):\n    return (1,) + 3 * (5 * factor,)",
        "def cheap_forward(factor, size=4):\n"
        "    sizes = np.array([1, size, size, size, size])\n"
        "    costs = [jacobian_chain_cost(sizes.tolist(), o) for o in "
        "('forward', 'backward')]\n"
        "    good = costs[1] > factor * costs[0]\n"
        "    return sizes if good else cheap_forward(factor, 2 * size)",
    ],
    (5, 3): [
        "def walk_back(W, x):\n    return 2 * W.T @ (W @ x)",
        "def walk_back(W, x):\n    g = np.zeros(x.size)\n    a = W.dot(x)\n"
        "    for i, row in enumerate(W):\n        g = g + 2 * a[i] * row\n    return g",
    ],
    (6, 1): [
        methods(
            "Sin",
            ("forward(self, x)", "return np.sin(x)"),
            (
                "backward(self, gy)",
                "return gy * np.sqrt(1 - 0) * np.sin(self.input.data + np.pi / 2)",
            ),
        ),
        methods(
            "Sin",
            ("forward(self, a)", "self.slope = np.cos(a); return np.sin(a)"),
            ("backward(self, g)", "return self.slope * g"),
        ),
    ],
    (6, 2): [
        "def gradient_at(x):\n    f, g, h = Square(), Exp(), Sin()\n    h(g(f(x)))\n"
        "    return f.backward(g.backward(h.backward(1.0)))",
        "def gradient_at(x):\n    fs = [Square(), Exp(), Sin()]\n    for f in fs:\n"
        "        x = f(x)\n    g = np.array(1.0)\n    for f in fs[::-1]:\n"
        "        g = f.backward(g)\n    return g",
    ],
    (6, 3): [
        "class Row:\n    def __init__(self, *fs):\n        self.fs = fs\n"
        "    def __call__(self, x, i=0):\n        return x if i == len(self.fs) "
        "else self(self.fs[i](x), i + 1)\n    def backward(self, gy):\n"
        "        for i in range(len(self.fs) - 1, -1, -1):\n"
        "            gy = self.fs[i].backward(gy)\n        return gy",
        "from functools import reduce\nclass Row:\n    def __init__(self, *fs):\n"
        "        self.fs = list(fs)\n    def __call__(self, x):\n"
        "        return reduce(lambda v, f: f(v), self.fs, x)\n"
        "    def backward(self, g):\n"
        "        return reduce(lambda v, f: f.backward(v), self.fs[::-1], g)",
    ],
    (7, 1): [
        "number_of_calls = lambda n: len(range(n + 1))",
        "def number_of_calls(n):\n"
        "    return 1 if n == 0 else 1 + number_of_calls(n - 1)",
    ],
    (7, 2): [
        "def history(y):\n    names, f = [], y.creator\n    while f:\n"
        "        names.insert(0, f.__class__.__name__)\n        f = f.input.creator\n"
        "    return names",
        "from collections import deque\ndef history(y):\n    names = deque()\n"
        "    while y.creator:\n        names.appendleft(type(y.creator).__name__)\n"
        "        y = y.creator.input\n    return list(names)",
    ],
    (7, 3): [
        "def paths(y):\n    if y.creator is None:\n        return 'x0'\n"
        "    n = len(history(y))\n    name = type(y.creator).__name__\n"
        "    return f'{paths(y.creator.input)} -> {name}#{n} -> x{n}'",
        "def paths(y):\n    parts = ['x0']\n    for i, name in enumerate(history(y)):\n"
        "        parts += [f'{name}#{i + 1}', f'x{i + 1}']\n"
        "    return ' -> '.join(parts)",
    ],
}

ROOMS_GIVEN = """\
rooms = {
    "variable": ["Variable"],
    "function": ["Function"],
    "operators": ["arithmetic"],
    "backward": ["walk"],
}
"""
STAR_BY_ALL = (
    "    if hasattr(module, '__all__'):\n        return sorted(module.__all__)\n"
)
NAMES = f"def names_of(module):\n{STAR_BY_ALL}"
AFFECTED = "def affected(room, needs):\n"

RIGHT |= {
    (23, 1): [
        # Rooms of their own for what stands at the bottom and at the top.
        ROOMS_GIVEN + "rooms['settings'] = ['settings']\n"
        "rooms['arrays'] = ['as_array']\nrooms['function'] += ['as_variable']\n"
        "rooms['operators'] += ['signs']\nrooms['extras'] = ['functions', 'checks']",
        "rooms = {\n    'backward': ['walk', 'settings', 'as_variable'],\n"
        "    'operators': ('arithmetic', 'functions'),\n    'all_signs': ['signs'],\n"
        "    'function': ['Function'],\n"
        "    'variable': ['as_array', 'checks', 'Variable'],\n}",
    ],
    (23, 2): [
        "def names_of(module):\n    names = {}\n"
        "    dummy = [n for n in module.__dict__ if not n.startswith('_')]\n"
        "    return sorted(getattr(module, '__all__', dummy))",
        "def names_of(module):\n    try:\n        names = list(module.__all__)\n"
        "    except AttributeError:\n"
        "        names = list(filter(lambda n: n[0] != '_', dir(module)))\n"
        "    names.sort()\n    return names",
    ],
    (23, 3): [
        f"{AFFECTED}    def reached(start, seen):\n        for other in needs:\n"
        "            if start in needs[other] and other not in seen:\n"
        "                seen.add(other)\n                reached(other, seen)\n"
        "        return seen\n    return reached(room, set()) - {room}",
        f"{AFFECTED}    found = {{room}}\n    while True:\n"
        "        more = found | {a for a, bs in needs.items() if found & set(bs)}\n"
        "        if more == found:\n            return frozenset(found - {room})\n"
        "        found = more",
    ],
}

F_24 = "def f(x, y):\n    return (x - 3) ** 2 + 2 * (y + 1) ** 2\n"
HIMMELBLAU = """\
def himmelblau(x, y):
    return (x**2 + y - 11) ** 2 + (x + y**2 - 7) ** 2


def descend(f, x, y, rounds=2_000, rate=0.01):
"""
RIGHT |= {
    (24, 1): [
        "f = lambda a, b: a * a - 6 * a + 9 + 2 * (b * b + 2 * b + 1)\npoint = [3, -1]",
        F_24 + "point = np.array([3.0, 0.0])\nfor _ in range(100):\n"
        "    point = point - 0.2 * np.array(gradient(f, *point))",
    ],
    (24, 2): [
        HIMMELBLAU + "    place = np.array([x, y])\n"
        "    for _ in range(rounds):\n"
        "        place = place - rate * np.array(gradient(f, *place))\n"
        "    return tuple(place)",
        "def himmelblau(x, y):\n    a, b = x * x + y - 11, y * y + x - 7\n"
        "    return a * a + b * b\n"
        "def descend(f, x, y, rounds=2_000, rate=0.01):\n    if rounds:\n"
        "        gx, gy = gradient(f, x, y)\n"
        "        # In two halves, so that the calls do not pile up.\n"
        "        x, y = x - rate * gx, y - rate * gy\n"
        "        x, y = descend(f, x, y, (rounds - 1) // 2, rate)\n"
        "        x, y = descend(f, x, y, rounds - 1 - (rounds - 1) // 2, rate)\n"
        "    return x, y",
    ],
    (24, 3): [
        "def minima():\n    ends = []\n"
        "    for start in ((3, 3), (-3, 3), (3, -3), (-3, -3), (1, 1)):\n"
        "        x, y = descend(himmelblau, *start)\n"
        "        if not any(abs(x - a) + abs(y - b) < 0.1 for a, b in ends):\n"
        "            ends.append((round(x, 3), round(y, 3)))\n    return ends",
        "def minima():\n    starts = np.array([[3, 3], [-3, 3], [3, -3], [-3, -3]])\n"
        "    ends = [descend(himmelblau, *s, rounds=800) for s in starts * 1.1]\n"
        "    return np.unique(np.round(ends, 3), axis=0)",
    ],
}

REFILL = "def refill(box):\n    "
BUMP = "def bump(x):\n    return Exp()(Neg()(Square()(x)))\n"
NEG = method("Neg", "forward(self, x)", "return -x")
SIN = ("forward(self, x)", "return np.sin(x)")
ROW = (
    "class Row:\n    def __init__(self, *functions):\n"
    "        self.functions = functions\n"
    "    def __call__(self, x):\n        for f in self.functions:\n"
    "            x = f(x)\n"
    "        return x\n    def backward(self, gy):\n"
)

# An attempt, and words that the check's answer must hold.
WRONG = [
    (1, 1, REFILL + "box = Variable(box.data * 2)\n    return box", "in the box"),
    (1, 1, REFILL + "box.data *= 2\n    return Variable(box.data)", "was changed"),
    (1, 1, REFILL + "box *= 2\n    return box", "Its box is a Variable"),
    (1, 1, REFILL + "box.data = box.data * 2\n    return box", "a box of its own"),
    (1, 1, REFILL + "box.data = 2 * box.data\n    Variable(box.data)", "a return"),
    (
        1,
        1,
        REFILL + "box.data = box.data * 2\n    return Variable(box.data)",
        "where is the old one",
    ),
    (
        1,
        1,
        REFILL + "old = box.data.copy()\n    box.data = box.data * 2\n"
        "    return Variable(old)",
        "a copy",
    ),
    (
        1,
        1,
        REFILL + "old = box.data\n    box.data = Variable(2 * old)\n"
        "    return Variable(old)",
        "should hold an array",
    ),
    (1, 2, "predict = lambda p, q, r: [q, q, q]", "look again at a"),
    (1, 2, "predict = lambda p, q, r: [r, p, q]", "look again at b"),
    (1, 2, "predict = lambda p, q, r: [r, r, p]", "look again at c"),
    (1, 2, "def predict(p, q, r):\n    pass", "a list of three"),
    (1, 3, "def swap(x, y):\n    x, y = y, x", "stay inside swap"),
    (1, 3, "def swap(x, y):\n    x.data = y.data\n    y.data = x.data", "the old one"),
    (1, 3, "def swap(x, y):\n    x.array, y.array = y.array, x.array", "in its data"),
    (
        1,
        3,
        "def swap(x, y):\n    a, b = x.data.copy(), y.data.copy()\n"
        "    x.data, y.data = b, a",
        "holds a copy",
    ),
    (1, 3, "def swap(x, y):\n    x.data[:], y.data[:] = y.data, x.data", "shapes"),
    (2, 1, method("Cube", "forward(self, x)", "return x.data**3"), "the array already"),
    (2, 1, method("Cube", "forward(self, x)", "x**3"), "needs a return"),
    (2, 1, method("Cube", "forward(self, x)", "x **= 3; return x"), "was changed"),
    (
        2,
        1,
        method("Cube", "forward(self, x)", "return 3 * x"),
        "the cubes of [-1.  2.]",
    ),
    (
        2,
        1,
        method("Cube", "forward(self, x)", "return Variable(x**3)"),
        "makes the box",
    ),
    (
        2,
        2,
        methods(
            "Scale",
            ("__init__(self, factor)", "self.factor = factor"),
            ("forward(self, x)", "x *= self.factor; return x"),
        ),
        "the input was changed",
    ),
    (
        2,
        2,
        methods(
            "Scale",
            ("__init__(self, factor)", "self.factor = factor"),
            ("forward(self, x)", "return factor * x"),
        ),
        "should keep it in self",
    ),
    (
        2,
        2,
        methods(
            "Scale",
            ("__init__(self, factor)", "Scale.factor = factor"),
            ("forward(self, x)", "return self.factor * x"),
        ),
        "a factor of its own",
    ),
    (
        2,
        3,
        method("Normalize", "forward(self, x)", "x -= x.mean(); return x / x.std()"),
        "the input was changed",
    ),
    (
        2,
        3,
        method("Normalize", "forward(self, x)", "return x - x.mean() / x.std()"),
        "the mean should be 0",
    ),
    (
        2,
        3,
        method("Normalize", "forward(self, x)", "return (x - x.mean()) / x.var()"),
        "deviation should be 1",
    ),
    (3, 1, "def exp_of_exp(x):\n    return Exp(Exp(x))", "two pairs of parentheses"),
    (3, 1, "def exp_of_exp(x):\n    return Exp()(x)", "once only"),
    (3, 1, "def exp_of_exp(x):\n    Exp()(Exp()(x))", "needs a return"),
    (3, 1, "def exp_of_exp(x):\n    return np.exp(np.exp(x.data))", "a Variable"),
    (
        3,
        1,
        "def exp_of_exp(x):\n    return Variable(np.exp(np.exp(x.data)))",
        "0 calls of Exp",
    ),
    (3, 2, method("Neg", "forward(self, x)", "return x") + BUMP, "Neg should make"),
    (3, 2, NEG + "def bump(x):\n    return Exp()(Square()(Neg()(x)))", "the order"),
    (3, 2, NEG + "def bump(x):\n    return Exp(Neg(Square(x)))", "Square()(x)"),
    (3, 3, "def compose(f, g):\n    return lambda x: g(f(x))", "any number"),
    (
        3,
        3,
        "def compose(*fs):\n    def g(x):\n        for f in fs[::-1]:\n"
        "            x = f(x)\n        return x\n    return g",
        "square first",
    ),
    (
        3,
        3,
        "def compose(*fs):\n    def g(x):\n        for f in fs:\n"
        "            x = f(x)\n    return g",
        "a return, too",
    ),
    (
        3,
        3,
        "def compose(*fs):\n    fs = iter(fs)\n    def g(x):\n"
        "        for f in fs:\n            x = f(x)\n        return x\n    return g",
        "a second time",
    ),
    (
        3,
        3,
        "def compose(*fs):\n    return lambda x: fs[1](fs[0](x)) if fs else x",
        "apply all of them",
    ),
    (
        4,
        1,
        "forward_diff = lambda f, x, eps=1e-8: numerical_diff(f, x, eps)",
        "central",
    ),
    (
        4,
        1,
        "def forward_diff(f, x, eps=1e-8):\n"
        "    return (f(x).data - f(Variable(x.data - eps)).data) / eps",
        "one nudge to the right",
    ),
    (
        4,
        1,
        "def forward_diff(f, x, eps=1e-8):\n    y = f(x).data\n    x.data += eps\n"
        "    return (f(x).data - y) / eps",
        "x was changed",
    ),
    (
        4,
        1,
        "def forward_diff(f, x, eps=1e-8):\n    return (f(x.data + eps) - f(x)) / eps",
        "takes a Variable",
    ),
    (
        4,
        2,
        "def second_diff(f, x, eps=None):\n"
        "    at = lambda d: f(Variable(x.data + d)).data\n"
        "    return (at(eps) - 2 * at(0) + at(-eps)) / eps**2",
        "instead of None",
    ),
    (
        4,
        2,
        "def second_diff(f, x, eps=1e-8):\n"
        "    at = lambda d: f(Variable(x.data + d)).data\n"
        "    return (at(eps) - 2 * at(0) + at(-eps)) / eps**2",
        "try other eps",
    ),
    (
        4,
        2,
        "def second_diff(f, x, eps=1e-4):\n"
        "    at = lambda d: f(Variable(x.data + d)).data\n"
        "    return (at(eps) - 2 * at(0) + at(-eps)) / eps",
        "is eps squared",
    ),
    (
        4,
        3,
        "def numerical_gradient(f, x):\n"
        "    nudges = 1e-4 * np.eye(x.data.size)\n"
        "    at = lambda n: f(Variable(x.data + n)).data\n"
        "    return [(at(n) - at(-n)) / 2e-4 for n in nudges]",
        "should be an array",
    ),
    (
        4,
        3,
        "def numerical_gradient(f, x):\n    return 2 * x.data",
        "a nudge of its own",
    ),
    (
        4,
        3,
        "def numerical_gradient(f, x):\n    return numerical_diff(f, x)",
        "2 times for 3 inputs",
    ),
    (
        5,
        1,
        "forward_cost = lambda n: 50 + 10 * n\nbackward_cost = lambda n: 35 * n",
        "a 5×5 by a 5×10",
    ),
    (
        5,
        1,
        "forward_cost = lambda n: 35 * n\nbackward_cost = lambda n: 50",
        "a 2×5 by a 5×5",
    ),
    (
        5,
        1,
        "forward_cost = lambda n: 35 * n\nbackward_cost = lambda n: None",
        "backward_cost returned nothing",
    ),
    (1, 1, "def refill(box):\n    return Variable(data)", "'data' is not defined"),
    (1, 3, "def swap(x, y):\n    x.data, y.data = b, a", "'b' is not defined"),
    (3, 1, "def exp_of_exp(x):\n    return exp()(exp()(x))", "two pairs of paren"),
    (5, 2, "cheap_forward = lambda factor: [1, 2, 3]", "at least four"),
    (5, 2, "cheap_forward = lambda factor: [1, 0, 0, 9]", "whole number"),
    (5, 2, "cheap_forward = lambda factor: [1, 0.5, 2, 9]", "whole number"),
    (5, 2, "cheap_forward = lambda factor: [factor, 9, 9, 1]", "how few inputs"),
    (5, 2, "cheap_forward = lambda factor: [1] + 3 * [factor]", "that is too little"),
    (
        5,
        3,
        "def walk_back(W, x):\n    a = W @ x\n    return W @ (2 * a)",
        "which side of the Jacobian",
    ),
    (5, 3, "def walk_back(W, x):\n    return 2 * (W @ x)", "as many derivatives"),
    (5, 3, "def walk_back(W, x):\n    return (W @ x) @ W", "what is its derivative"),
    (
        6,
        1,
        methods("Sin", SIN, ("backward(self, gy)", "return np.cos(self.input) * gy")),
        "self.input.data",
    ),
    (
        6,
        1,
        methods("Sin", SIN, ("backward(self, gy)", "return np.cos(x) * gy")),
        "self.input.data",
    ),
    (
        6,
        1,
        methods("Sin", SIN, ("backward(self, gy)", "return np.cos(x.data) * gy")),
        "Where does backward find its x",
    ),
    (
        6,
        1,
        methods("Sin", SIN, ("backward(self, gy)", "return np.cos(self.input.data)")),
        "where does gy go in",
    ),
    (
        6,
        1,
        methods(
            "Sin",
            SIN,
            ("backward(self, gy)", "gy *= np.cos(self.input.data); return gy"),
        ),
        "gy was changed",
    ),
    (
        6,
        1,
        methods("Sin", SIN, ("backward(self, gy)", "return np.cos(gy)")),
        "Where does backward find its x",
    ),
    (
        6,
        2,
        "def gradient_at(x):\n"
        "    return numerical_diff(lambda v: Sin()(Exp()(Square()(v))), x)",
        "use the backward calls",
    ),
    (
        6,
        2,
        "def gradient_at(x):\n    v = x.data\n    e = np.exp(v * v)\n"
        "    return 2 * v * e * np.cos(e)",
        "0 backward calls",
    ),
    (
        6,
        2,
        "def gradient_at(x):\n    A, B, C = Square(), Exp(), Sin()\n    C(B(A(x)))\n"
        "    return B.backward(C.backward(1.0))",
        "arrow by arrow",
    ),
    (
        6,
        2,
        "def gradient_at(x):\n    A, B, C = Square(), Exp(), Sin()\n    C(B(A(x)))\n"
        "    return C.backward(B.backward(A.backward(1.0)))",
        "at which end",
    ),
    (
        6,
        2,
        "def gradient_at(x):\n    return Square().backward(1.0)",
        "forward first",
    ),
    (
        6,
        3,
        "class Row:\n    def __init__(self, *functions):\n"
        "        self.functions = functions\n\n    def __call__(self, x):\n"
        "        A, B, C = self.functions\n        return C(B(A(x)))\n\n"
        "    def backward(self, gy):\n        A, B, C = self.functions\n"
        "        return A.backward(B.backward(C.backward(gy)))",
        "however many there are",
    ),
    (
        6,
        3,
        f"{ROW}        for f in self.functions:\n            gy = f.backward(gy)\n"
        "        return gy",
        "beginning with the last",
    ),
    (
        6,
        3,
        f"{ROW}        for f in self.functions[::-1]:\n            f.backward(gy)\n"
        "        return gy",
        "squares in a row",
    ),
    (7, 1, "number_of_calls = lambda n: n", "for n = 1 it is not 1"),
    (
        7,
        2,
        "def history(y):\n    names = []\n    while y.creator is not None:\n"
        "        names.append(type(func).__name__)\n        y = y.creator.input\n"
        "    return names[::-1]",
        "history stopped with",
    ),
    (7, 1, "number_of_calls = lambda n: {1: 2, 2: 3}.get(n, 31)", "n = 0 it is not 31"),
    (
        7,
        2,
        "def history(y):\n    if y.creator is None:\n        return []\n"
        "    if type(y.creator) is AddOne:\n        return ['AddOne'] * 5_000\n"
        "    return ['Square', 'Exp']",
        "the history is not",
    ),
    (
        7,
        3,
        "def paths(y):\n"
        "    return 'x0 -> Square#1 -> x1 -> Exp#2 -> x2' if y.creator else 'x0'",
        "it should be",
    ),
    (
        7,
        2,
        "def history(y):\n    names = []\n    while y.creator is not None:\n"
        "        names.append(type(y.creator).__name__)\n        y = y.creator.input\n"
        "    return names",
        "ran first",
    ),
    (
        7,
        2,
        "def history(y):\n    names = []\n    while y is not None:\n"
        "        names.append(type(y.creator).__name__)\n        y = y.creator.input\n"
        "    return names[::-1]",
        "The creator of an input is None",
    ),
    (
        7,
        2,
        "def history(y):\n    if y.creator is None:\n        return []\n"
        "    return history(y.creator.input) + [type(y.creator).__name__]",
        "not recursion",
    ),
    (
        7,
        3,
        "def paths(y):\n    return ' -> '.join(history(y))",
        "for exp(x²) it should be",
    ),
    (24, 1, F_24 + "point = (3.0, 1.0)", "and not zero"),
    (24, 1, F_24 + "point = 3.0, -1.0, 0.0", "as two numbers"),
    (24, 1, F_24 + "point = None", "as two numbers"),
    (
        24,
        1,
        "def f(x, y):\n    (x - 3) ** 2\npoint = 3, -1",
        "needs a return",
    ),
    (
        24,
        1,
        F_24.replace("2 * ", "") + "point = (3.0, -1.0)",
        "f(0, 0) should be 11",
    ),
    (24, 2, f"{HIMMELBLAU}    return x, y", "has not moved"),
    (24, 2, f"{HIMMELBLAU}    for _ in range(rounds):\n        pass", "a pair"),
    (
        24,
        2,
        HIMMELBLAU + "    for _ in range(rounds):\n"
        "        x = x - rate * gradient(f, x, y)[0]\n"
        "        y = y - rate * gradient(f, x, y)[1]\n    return x, y",
        "both of the old point",
    ),
    (
        24,
        2,
        HIMMELBLAU + "    gx, gy = gradient(f, x, y)\n"
        "    return x - rate * gx, y - rate * gy",
        "are there all rounds",
    ),
    (
        24,
        2,
        HIMMELBLAU + "    for _ in range(rounds):\n"
        "        gx, gy = gradient(f, x, y)\n"
        "        x, y = x + rate * gx, y + rate * gy\n    return x, y",
        "subtract rate times",
    ),
    (24, 3, "def minima():\n    return [(3.0, 2.0)]", "start in other corners"),
    (
        24,
        3,
        "def minima():\n    return [descend(himmelblau, a, b, 500) for a in (-3, 3)\n"
        "            for b in (-3, 0, 3)]",
        "a point is there twice",
    ),
    (
        24,
        3,
        "def minima():\n    return [descend(himmelblau, a, b, 500) for a in (-3, 3)\n"
        "            for b in (-3, 3)]",
        "to three digits",
    ),
    (23, 1, ROOMS_GIVEN, "have no room yet"),
    (
        23,
        1,
        ROOMS_GIVEN + "rooms['variable'] += ['as_array', 'signs']\n"
        "rooms['function'] += ['settings', 'as_variable']\n"
        "rooms['backward'] += ['checks', 'functions']",
        "there is a circle: ",
    ),
    (
        23,
        1,
        ROOMS_GIVEN + "rooms['variable'] += ['as_array', 'checks']\n"
        "rooms['function'] += ['settings', 'functions']\n"
        "rooms['operators'] += ['signs', 'as_variable']",
        "needs as_variable from operators",
    ),
    (23, 1, ROOMS_GIVEN + "rooms['variable'] += ['as_arary']", "no piece 'as_arary'"),
    (23, 1, ROOMS_GIVEN + "rooms['x'] = 'signs'", "for each room a list"),
    (23, 1, ROOMS_GIVEN + "rooms['variable'] += ['walk']", "has two places"),
    (23, 1, "rooms = {'everything': list(PIECES)}", "should stay in the room"),
    (23, 1, ROOMS_GIVEN + "rooms['x'] = [['signs']]", "the name of one piece"),
    (23, 1, ROOMS_GIVEN + "rooms['class'] = ['signs']", "cannot be the name of a room"),
    (23, 1, ROOMS_GIVEN + "rooms['__init__'] = ['signs']", "cannot be the name of a r"),
    (23, 1, ROOMS_GIVEN + "rooms['x'] = []", "the room 'x' is empty"),
    (
        23,
        2,
        "def names_of(module):\n"
        "    return sorted(n for n in dir(module) if n in module.__all__)",
        "a module without __all__",
    ),
    (23, 2, f"{NAMES}    return sorted(dir(module))", "here ['apple', 'zebra']"),
    (
        23,
        2,
        "def names_of(module):\n    names = getattr(module, '__all__', dir(module))\n"
        "    return sorted(n for n in names if not n.startswith('_'))",
        "here ['_hidden', 'zebra']",
    ),
    (
        23,
        2,
        "def names_of(module):\n    return sorted(module.__all__)",
        "a module without __all__",
    ),
    (
        23,
        2,
        NAMES + "    return sorted(vars(module))",
        "names without a leading underscore",
    ),
    (
        23,
        2,
        "def names_of(module):\n"
        "    return sorted(n for n in vars(module) if not n.startswith('_'))",
        "with __all__, the list is exactly that",
    ),
    (23, 3, f"{AFFECTED}    return set(needs[room])", "turn the question round"),
    (
        23,
        3,
        f"{AFFECTED}    return {{a for a in needs if room in needs[a]}}",
        "the roof needs the floor through the wall",
    ),
    (
        23,
        3,
        f"{AFFECTED}    found = {{a for a in needs if room in needs[a]}}\n"
        "    return found.union(*(affected(a, needs) for a in found))",
        "keep the rooms that you have seen",
    ),
    (
        23,
        3,
        f"{AFFECTED}    return [a for a in needs if room in needs[a]]",
        "should be a set",
    ),
    (
        23,
        3,
        f"{AFFECTED}    found, todo = set(), [room]\n    while todo:\n"
        "        changed = todo.pop()\n        for other in needs:\n"
        "            if changed in needs[other] and other not in found:\n"
        "                found.add(other)\n                todo.append(other)\n"
        "    return found",
        "in a circle, too, leave the room itself out",
    ),
    (
        23,
        3,
        f"{AFFECTED}    found = {{a for a in needs if room in needs[a]}}\n"
        "    more = {a for a in needs if found & set(needs[a])}\n"
        "    return (found | more) - {room}",
        "affects them all",
    ),
    (
        23,
        3,
        f"{AFFECTED}    found, todo = set(), [room]\n    while todo:\n"
        "        changed = todo.pop()\n        for other in needs:\n"
        "            if changed in needs[other]:\n"
        "                found.add(other)\n                todo.append(other)\n"
        "    return found - {room}",
        "keep the rooms that you have seen",
    ),
    (
        23,
        3,
        f"{AFFECTED}    found = {{room}}\n    for _ in list(needs):\n"
        "        found |= {a for a in needs if found & set(needs[a])}\n"
        "    needs.clear()\n    return found - {room}",
        "should leave needs as it is",
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


@pytest.mark.parametrize("number", sorted({number for number, _ in RIGHT}))
def test_two_right_ways_are_kept_for_every_exercise(number):
    book = builder.assemble(number)
    count = sum(
        exercises.is_solution(checks.source(cell)) for cell in checks.code_cells(book)
    )
    assert {where for where in RIGHT if where[0] == number} == {
        (number, exercise) for exercise in range(1, count + 1)
    }
    assert all(len(attempts) >= 2 for attempts in RIGHT.values())
