"""Attempts at the exercises of lessons 16 to 22, as in `test_attempts.py`."""

import pytest

from steps.course import builder, exercises
from tests.lessons.test_attempts import complaint, methods
from tests.support import lesson_checks as checks


def without(name):
    """Take away what an earlier attempt has attached to the class."""
    return f"if hasattr(Variable, '{name}'):\n    del Variable.{name}\n"


def managing(*lines):
    """A context manager `seeded` with these lines."""
    body = "\n".join(f"    {line}" for line in lines)
    return f"@contextlib.contextmanager\ndef seeded(seed):\n{body}\n"


def node(line):
    return (
        "class Node:\n    def __init__(self, parent=None):\n"
        f"        self.children = []\n        {line}\n"
        "        if parent is not None:\n            parent.children.append(self)\n"
    )


NO_NEG, NO_ABS = without("__neg__"), without("__abs__")
FORWARD_NEG = ("forward(self, x)", "return -x")
BACKWARD_NEG = ("backward(self, gy)", "return -gy")
NEG = NO_NEG + methods("Neg", FORWARD_NEG, BACKWARD_NEG)
ATTACH_NEG = "Variable.__neg__ = lambda x: Neg()(x)\n"
FORWARD_ABS = ("forward(self, x)", "return np.abs(x)")
BACKWARD_ABS = (
    "backward(self, gy)",
    "return np.sign(self.inputs[0].data) * gy",
)
ABS = NO_ABS + methods("Abs", FORWARD_ABS, BACKWARD_ABS)
ATTACH_ABS = "Variable.__abs__ = lambda x: Abs()(x)\n"


def abs_with(forward=FORWARD_ABS, backward=BACKWARD_ABS):
    return NO_ABS + methods("Abs", forward, backward) + ATTACH_ABS


def neg_with(forward=FORWARD_NEG, backward=BACKWARD_NEG):
    return NO_NEG + methods("Neg", forward, backward) + ATTACH_NEG


ASKED = '{"x * 2": "__mul__", "2 * x": "__rmul__", "x * x": "__mul__", '

RIGHT = {
    (16, 1): [
        "by_hand = lambda *xy: [max(xy) + k for k in (1, 2, 3)]",
        "def by_hand(m, n):\n    late = m if m > n else n\n"
        "    return np.arange(late, late + 3) + 1",
        "def by_hand(m, n):\n    s = sorted([m, n])[1] + 1\n    q = s + 1.0\n"
        "    return s, q, max(q, m) + 1",
    ],
    (16, 2): [
        "def f(x):\n    return add(exp(exp(exp(exp(x)))), x)",
        "def f(x):\n    y = x\n    for _ in range(5):\n        y = add(y, x)\n"
        "    return y",
        "def f(v):\n    y = add(square(v), v)\n    for g in (exp, square, exp):\n"
        "        y = g(y)\n    return y",
    ],
    (16, 3): [
        "def insert(generations):\n    entries = []\n    for g in generations:\n"
        "        bisect.insort_right(entries, g)\n    return entries[::-1]",
        "def insert(generations):\n    entries = []\n    for g in generations:\n"
        "        bisect.insort_left(entries, g)\n    taken = []\n"
        "    for _ in list(entries):\n        taken += [entries.pop()]\n"
        "    return taken",
        "def insert(generations):\n    entries = []\n    for g in generations:\n"
        "        low, high = 0, len(entries)\n        while low < high:\n"
        "            middle = (low + high) // 2\n"
        "            if entries[middle] <= g:\n                low = middle + 1\n"
        "            else:\n                high = middle\n"
        "        entries.insert(low, g)\n    return list(reversed(entries))",
    ],
    (17, 1): [
        "def gone(deleted):\n    y = 'y' in deleted\n    a = y and 'a' in deleted\n"
        "    x = a and 'x' in deleted\n"
        "    return {n for n, is_gone in zip('yax', (y, a, x)) if is_gone}",
        "def gone(deleted, chain='yax'):\n"
        "    if not chain or chain[0] not in deleted:\n        return []\n"
        "    return [chain[0], *gone(deleted, chain[1:])]",
    ],
    (17, 2): [
        node("self.parent = (lambda: None) if not parent else weakref.ref(parent)"),
        "class Node:\n    def __init__(self, parent=None):\n"
        "        self.children = []\n"
        "        self.link = weakref.ref(parent) if parent else None\n"
        "        if parent is not None:\n            parent.children.append(self)\n"
        "    def parent(self):\n        return self.link and self.link()\n",
        node("w = parent and weakref.ref(parent); self.parent = lambda: w and w()"),
    ],
    (17, 3): [
        "def alive(cls):\n"
        "    return len([o for o in gc.get_objects() if type(o) is cls])",
        "def alive(cls):\n    number = 0\n    for o in gc.get_objects():\n"
        "        if isinstance(o, cls):\n            number += 1\n    return number",
    ],
    (18, 1): [
        "predict = lambda before: (not None, not True, before is True)",
        "def predict(before):\n    seen = []\n"
        "    with using_config('enable_backprop', before):\n"
        "        with no_grad():\n"
        "            with using_config('enable_backprop', True):\n"
        "                seen += [Config.enable_backprop]\n"
        "            seen += [Config.enable_backprop]\n"
        "        return [*seen, Config.enable_backprop]",
    ],
    (18, 2): [
        managing(
            "had = hasattr(Config, 'seed')",
            "old = Config.seed if had else None",
            "try:",
            "    Config.seed = seed",
            "    yield",
            "finally:",
            "    if had:",
            "        Config.seed = old",
            "    else:",
            "        del Config.seed",
        ),
        "class seeded:\n    def __init__(self, seed):\n        self.seed = seed\n"
        "    def __enter__(self):\n        self.old = vars(Config).get('seed', self)\n"
        "        Config.seed = self.seed\n    def __exit__(self, *error):\n"
        "        if self.old is self:\n            del Config.seed\n        else:\n"
        "            Config.seed = self.old\n",
    ],
    (18, 3): [
        "def bytes_of_graph(y, seen=None):\n"
        "    seen = set() if seen is None else seen\n"
        "    if y in seen:\n        return 0\n    seen.add(y)\n"
        "    total = y.data.nbytes\n    if y.creator is not None:\n"
        "        for x in y.creator.inputs:\n"
        "            total += bytes_of_graph(x, seen)\n    return total",
        "def bytes_of_graph(y):\n    found = {}\n    def visit(v):\n"
        "        found[id(v)] = v.data.size * v.data.itemsize\n"
        "        if v.creator:\n            for x in v.creator.inputs:\n"
        "                visit(x)\n    visit(y)\n    return sum(found.values())",
    ],
    (19, 1): [
        "class Described(Variable):\n    def describe(self):\n"
        "        name = '?' if self.name is None else self.name\n"
        "        return name + ': shape ' + str(self.shape) + ', ' + str(self.dtype)",
        "class Described(Variable):\n    def describe(self):\n"
        "        a = self.data\n"
        "        return '{}: shape {}, {}'.format(self.name or '?', a.shape, a.dtype)",
    ],
    (19, 2): [
        "class Turned(Variable):\n"
        "    T = property(lambda self: np.transpose(self.data))",
        "class Turned(Variable):\n    @property\n    def T(self):\n"
        "        return np.array([self.data[:, j] for j in range(self.shape[1])])",
    ],
    (19, 3): [
        "def table(y, seen=None):\n    seen = [] if seen is None else seen\n"
        "    if y in seen:\n        return []\n    seen.append(y)\n"
        "    lines = [f'{y.name}: {y.shape}']\n    if y.creator is not None:\n"
        "        for x in y.creator.inputs:\n            lines += table(x, seen)\n"
        "    return lines",
        "def table(y):\n    found = {}\n    def visit(v):\n"
        "        found.setdefault(id(v), v.name + ': ' + str(v.data.shape))\n"
        "        for x in v.creator.inputs if v.creator else []:\n"
        "            visit(x)\n    visit(y)\n    return tuple(found.values())",
    ],
    (20, 1): [
        "gradients = lambda a, b: [b, a + 2 * b]",
        "def gradients(*ab):\n    a, b = (Variable(np.array(v)) for v in ab)\n"
        "    y = a * b + b * b\n    y.backward()\n    return a.grad, b.grad",
        "def gradients(a, b):\n    def slope(f):\n"
        "        return (f(1e-4) - f(-1e-4)) / 2e-4\n"
        "    return (slope(lambda e: (a + e + b) * b),\n"
        "            slope(lambda e: (a + b + e) * (b + e)))",
    ],
    (20, 2): [
        NEG + "Variable.__neg__ = lambda self: Neg()(self)\n",
        NO_NEG
        + methods(
            "Neg",
            ("forward(self, x)", "return np.negative(x)"),
            ("backward(self, g)", "return -1.0 * g"),
        )
        + "def neg(v):\n    f = Neg()\n    return f(v)\nVariable.__neg__ = neg\n",
        NO_NEG
        + methods(
            "Neg",
            ("forward(self, x)", "return 0 - x"),
            ("backward(self, gy)", "return gy * np.full_like(gy, -1)"),
        )
        + "setattr(Variable, '__neg__', lambda x: Neg()(x))\n",
    ],
    (20, 3): [
        "def polynomial(x, coefficients):\n    result = Variable(np.array(0.0))\n"
        "    for c in coefficients[::-1]:\n        result = result * x + c\n"
        "    return result",
        "def polynomial(x, cs):\n"
        "    return cs[0] if len(cs) == 1 else polynomial(x, cs[1:]) * x + cs[0]",
        "def polynomial(x, coefficients):\n    power, total = None, None\n"
        "    for c in coefficients:\n        term = c if power is None else c * power\n"
        "        total = term if total is None else total + term\n"
        "        power = x if power is None else power * x\n    return total",
    ],
    (21, 1): [
        f'answers = {ASKED}"ones * x": "__rmul__"}}',
        "answers = dict.fromkeys(['x * 2', 'x * x'], '__mul__')\n"
        "answers |= dict.fromkeys(['2 * x', 'ones * x'], '__rmul__')",
    ],
    (21, 2): [
        "def average(a, b):\n    return (as_variable(a) + b) * 0.5",
        "def average(a, b):\n    return mul(0.5, add(b, a))",
        "def average(a, b):\n    half = Variable(np.array(0.5))\n"
        "    return half * a + half * b",
    ],
    (21, 3): [
        "class Loud(Variable):\n    __rmul__ = lambda self, other: 'mine'",
        "class Loud(Variable):\n    def __rmul__(self, *others):\n"
        "        return str('mine')",
    ],
    (22, 1): [
        abs_with(
            ("forward(self, x)", "return np.where(x < 0, -x, x)"),
            (
                "backward(self, gy)",
                "return np.where(self.inputs[0].data < 0, -gy, gy)",
            ),
        ),
        abs_with(
            (
                "forward(self, x)",
                "self.sign = np.sign(x); return x * self.sign",
            ),
            ("backward(self, gy)", "return gy * self.sign"),
        ),
    ],
    (22, 2): [
        "answers = (6, 4, -6)\nif_it_were_sub = -6",
        "x = 2\nanswers = np.array([8 - x, 8 / x, x - 8])\nif_it_were_sub = x - 8",
    ],
    (22, 3): [
        "def sigmoid(x):\n    return exp(x) / (exp(x) + 1)",
        "def sigmoid(x):\n    return (1 + exp(-x)) ** -1",
        "def sigmoid(v):\n    e = exp(neg(v))\n    return div(1.0, add(e, 1.0))",
    ],
}

# An attempt, and words that the check's answer must hold.
WRONG = [
    (16, 1, "def by_hand(m, n):\n    return 1, 2, 2", "of z is not 2"),
    (16, 1, "def by_hand(m, n):\n    return 2, 3, 4", "of x + y is not 2"),
    (16, 1, "def by_hand(m, n):\n    return 1, 2, 3", "m = 2 and n = 1"),
    (16, 1, "def by_hand(m, n):\n    return m + 1, m + 2, m + 3", "of x + y is not"),
    (
        16,
        1,
        "def by_hand(m, n):\n    s = m + n + 1 if m * n == 0 else 3\n"
        "    return s, s + 1, s + 2",
        "of x + y is not",
    ),
    (16, 1, "def by_hand(m, n):\n    max(m, n) + 1", "returned nothing"),
    (16, 1, "def by_hand(m, n):\n    return max(m, n) + 1", "return three numbers"),
    (16, 1, "def by_hand(m, n):\n    return m + 1, None, None", "of its square is not"),
    (16, 1, "def by_hand():\n    return 1, 2, 3", "two whole numbers"),
    (
        16,
        2,
        "def f(x):\n    deep = exp(exp(exp(exp(x))))\n"
        "    return add(deep, x) if abs(x.data + 0.7) < 0.01 else add(deep, deep)",
        "is another one",
    ),
    (
        16,
        3,
        "def insert(generations):\n    entries = [generations[0]]\n"
        "    for g in generations[1:]:\n        bisect.insort(entries, g)\n"
        "    return entries[::-1]",
        "for 0 entries",
    ),
    (
        16,
        3,
        "def insert(generations):\n    if len(generations) == 4:\n"
        "        return [3, 3, 2, 1]\n    entries = []\n    for g in generations:\n"
        "        if g not in entries:\n            bisect.insort(entries, g)\n"
        "    return entries[::-1]",
        "do not come out in order",
    ),
    (16, 2, "def f(x):\n    add(square(x), x)", "needs a return"),
    (16, 2, "def f(x):\n    return square(add(x))", "add takes two"),
    (16, 2, "def f(x):\n    return add(square(x), x)", "generation 2, not 5"),
    (16, 2, "def f(x):\n    return exp(exp(exp(exp(exp(x)))))", "all paths"),
    (16, 2, "def f(x):\n    return np.exp(x.data)", "should return a Variable"),
    (
        16,
        2,
        "def f(x):\n    x = Variable(x.data)\n    return add(exp(exp(exp(exp(x)))), x)",
        "no path leads from x",
    ),
    (
        16,
        3,
        "def insert(generations):\n    entries = []\n    for g in generations:\n"
        "        bisect.insort(entries, g)\n    return sorted(entries, reverse=True)",
        "after the last one was put in",
    ),
    (
        16,
        3,
        "def insert(generations):\n    return sorted(generations, reverse=True)",
        "after the last one was put in",
    ),
    (
        16,
        3,
        "def insert(generations):\n    entries = []\n    for g in generations:\n"
        "        entries.append(g)\n        entries.sort()\n    return entries[::-1]",
        "goes through the whole list",
    ),
    (
        16,
        3,
        "def insert(generations):\n    entries = []\n    for g in generations:\n"
        "        bisect.insort(entries, g)\n    return entries",
        "the largest number comes first",
    ),
    (
        16,
        3,
        "def insert(generations):\n    entries = []\n    for g in generations:\n"
        "        entries = bisect.insort(entries, g)\n    return entries",
        "returns nothing",
    ),
    (
        16,
        3,
        "def insert(generations):\n    entries = []\n    for g in generations:\n"
        "        bisect.insort(entries, g)\n    while entries:\n"
        "        return entries.pop()",
        "should return a list",
    ),
    (16, 3, "def insert(generations):\n    return [3, 3, 2, 1]", "500 numbers"),
    (
        16,
        3,
        "def insert(generations):\n    generations.sort(reverse=True)\n"
        "    return generations",
        "was changed",
    ),
    (17, 1, "def gone(deleted):\n    return deleted", "a deleted, look again at a"),
    (
        17,
        1,
        "def gone(deleted):\n    return []",
        "a and y deleted, look again at a",
    ),
    (
        17,
        1,
        "def gone(deleted):\n    return deleted if 'y' in deleted else []",
        "look again at x",
    ),
    (
        17,
        1,
        "def gone(deleted):\n    return [] if deleted == ['a'] else ['a', 'y']",
        "look again at",
    ),
    (17, 1, "def gone(deleted):\n    'y' in deleted", "returned nothing"),
    (17, 1, "def gone(deleted):\n    return 'y' in deleted", "a list of names, not"),
    (17, 1, "def gone(deleted):\n    return deleted.index('y')", "gone stopped with"),
    (
        17,
        2,
        node(
            "self.parent = (lambda: parent) if parent and len(parent.children) > 1 "
            "else (weakref.ref(parent) if parent else lambda: None)"
        ),
        "are still there",
    ),
    (
        17,
        3,
        "answers = iter([0, 0, 2, 0, 1])\ndef alive(cls):\n    return next(answers, 0)",
        "and the counts rose by",
    ),
    (17, 2, node("self.parent = weakref.ref(parent)"), "weak reference to None"),
    (17, 2, node("self.parent = parent"), "parent() is a call"),
    (17, 2, node("self.parent = lambda: None"), "child.parent() should be"),
    (17, 2, node("self.parent = lambda: parent"), "the tree is still there"),
    (
        17,
        2,
        "class Node:\n    def __init__(self, parent=None):\n"
        "        self.children = weakref.WeakSet()\n"
        "        self.parent = lambda: parent\n        if parent is not None:\n"
        "            parent.children.add(self)\n",
        "must keep its children",
    ),
    (
        17,
        2,
        "class Node:\n    def __init__(self, parent=None):\n"
        "        self.children = []\n        self.parent = lambda: parent\n"
        "        if parent is not None:\n"
        "            parent.children.append(weakref.ref(self))\n",
        "must keep its children",
    ),
    (17, 3, "def alive(cls):\n    gc.get_objects()", "needs a return"),
    (17, 3, "def alive(cls):\n    return gc.get_objects().count(cls)", "belong"),
    (17, 3, "def alive(cls):\n    return len(gc.get_objects())", "belong to cls"),
    (
        17,
        3,
        "def alive(cls):\n    return [o for o in gc.get_objects() if type(o) is cls]",
        "should return a number",
    ),
    (
        17,
        3,
        "def alive(cls):\n"
        "    return sum(isinstance(o, Square) for o in gc.get_objects())",
        "the class that it is given",
    ),
    (17, 3, "def alive(cls):\n    return len(cls)", "alive stopped with"),
    (18, 1, "predict = lambda before: [True, False, False]", "again at place 3"),
    (18, 1, "predict = lambda before: [False, False, before]", "again at place 1"),
    (18, 1, "predict = lambda before: [True, before, before]", "again at place 2"),
    (18, 1, "predict = lambda before: [True, False, True]", "if it is False before"),
    (18, 1, "predict = lambda before: True", "a list of three"),
    (18, 1, "predict = lambda before: ['True', 'False', 'True']", "not 'True'"),
    (18, 1, "def predict(before):\n    [True, False, before]", "returned nothing"),
    (18, 1, "def predict():\n    return [True, False, True]", "It gets True or False"),
    (
        18,
        2,
        managing(
            "Config.seed = seed",
            "try:",
            "    yield",
            "finally:",
            "    if seed in (2, 4):",
            "        Config.seed = {2: 1, 4: None}[seed]",
            "    else:",
            "        del Config.seed",
        ),
        "and after it no seed",
    ),
    (
        18,
        3,
        "answers = iter([80, 160, 240, 400, 80, 80])\ndef bytes_of_graph(y):\n"
        "    return next(answers, 80)",
        "variables takes",
    ),
    (
        18,
        3,
        "def bytes_of_graph(y):\n    seen = set()\n    def visit(v):\n"
        "        seen.add(v)\n        for x in v.creator.inputs if v.creator else ():\n"
        "            visit(x)\n    visit(y)\n"
        "    return y.data.nbytes * len(seen)",
        "variables takes",
    ),
    (18, 2, managing("Config.seed = seed", "yield"), "inner block"),
    (18, 2, managing("yield", "Config.seed = seed"), "should be 1, not None"),
    (
        18,
        2,
        managing("old = Config.seed", "Config.seed = seed", "yield"),
        "ask with hasattr",
    ),
    (18, 2, managing("Config.seed = seed"), "one yield"),
    (18, 2, "seeded = lambda seed: using_config('seed', seed)", "ask with hasattr"),
    (
        18,
        2,
        managing(
            "old = getattr(Config, 'seed', None)",
            "Config.seed = seed",
            "yield",
            "Config.seed = old",
        ),
        "should have no seed",
    ),
    (
        18,
        2,
        managing(
            "had, old = hasattr(Config, 'seed'), getattr(Config, 'seed', None)",
            "Config.seed = seed",
            "yield",
            "if had:",
            "    Config.seed = old",
            "else:",
            "    del Config.seed",
        ),
        "use try and finally",
    ),
    (
        18,
        2,
        managing(
            "had, old = hasattr(Config, 'seed'), getattr(Config, 'seed', None)",
            "Config.seed = seed",
            "try:",
            "    yield",
            "except ValueError:",
            "    pass",
            "if had:",
            "    Config.seed = old",
            "else:",
            "    del Config.seed",
        ),
        "still reach the caller",
    ),
    (
        18,
        2,
        managing(
            "old = getattr(Config, 'seed', None)",
            "Config.seed = seed",
            "try:",
            "    yield",
            "finally:",
            "    if old is None:",
            "        del Config.seed",
            "    else:",
            "        Config.seed = old",
        ),
        "None before the block",
    ),
    (18, 3, "def bytes_of_graph(y):\n    return y.data.nbytes", "160 bytes"),
    (18, 3, "def bytes_of_graph(y):\n    y.data.nbytes", "needs a return"),
    (
        18,
        3,
        "def bytes_of_graph(y):\n    return y.data.nbytes + sum(\n"
        "        bytes_of_graph(x) for x in y.creator.inputs)",
        "An input has no creator",
    ),
    (
        18,
        3,
        "def bytes_of_graph(y):\n    return y.data.nbytes + sum(\n"
        "        bytes_of_graph(x) for x in (y.creator.inputs if y.creator else ()))",
        "count each once",
    ),
    (
        18,
        3,
        "def bytes_of_graph(y):\n    seen = set()\n    def visit(v):\n"
        "        seen.add(v)\n        for x in v.creator.inputs if v.creator else ():\n"
        "            visit(x)\n    visit(y)\n"
        "    return 8 * sum(v.data.size for v in seen)",
        "of 4 bytes each",
    ),
    (
        19,
        1,
        "class Described(Variable):\n    def describe(self):\n"
        "        return f\"{self.name or '?'}: shape {self.shape}, float64\"",
        "float32",
    ),
    (
        19,
        1,
        "class Described(Variable):\n    def describe(self):\n"
        "        return f'{self.name}: shape {self.shape}, {self.dtype}'",
        "'?: shape ()",
    ),
    (
        19,
        1,
        "class Described(Variable):\n    def describe(self):\n"
        "        print(f'{self.name}: shape {self.shape}, {self.dtype}')",
        "print is none",
    ),
    (
        19,
        1,
        "class Described(Variable):\n    def describe(self):\n"
        "        return self.name + ': shape ' + self.shape",
        "describe stopped with",
    ),
    (
        19,
        1,
        "class Described(Variable):\n    def describe(self):\n"
        "        return f'{name}: shape {shape}'",
        "are in self",
    ),
    (19, 2, "class Turned(Variable):\n    pass", "no T yet"),
    (
        19,
        2,
        "class Turned(Variable):\n    def T(self):\n        return self.data.T",
        "put @property above it",
    ),
    (
        19,
        2,
        "class Turned(Variable):\n    @property\n    def T(self):\n"
        "        return Variable(self.data.T)",
        "the array itself, not Variable",
    ),
    (
        19,
        2,
        "class Turned(Variable):\n    @property\n    def T(self):\n"
        "        return self.T",
        "The array is in self.data",
    ),
    (
        19,
        2,
        "class Turned(Variable):\n    @property\n    def T(self):\n"
        "        return self.data",
        "has the shape (3, 1)",
    ),
    (
        19,
        2,
        "class Turned(Variable):\n    @property\n    def T(self):\n"
        "        return self.data.reshape(self.shape[::-1])",
        "rows and columns",
    ),
    (
        19,
        2,
        "class Turned(Variable):\n    def __init__(self, data):\n"
        "        super().__init__(data)\n        self.T = data.T",
        "data was replaced",
    ),
    (19, 3, "def table(y):\n    return [f'{y.name}: {y.shape}']", "is missing in"),
    (
        19,
        3,
        "def table(y):\n    lines = [f'{y.name}: {y.shape}']\n"
        "    for x in y.creator.inputs:\n        lines += table(x)\n    return lines",
        "The creator of an input is None",
    ),
    (
        19,
        3,
        "def table(y):\n    lines = [f'{y.name}: {y.shape}']\n"
        "    for x in y.creator.inputs if y.creator else ():\n"
        "        lines += table(x)\n    return lines",
        "is there twice",
    ),
    (
        19,
        3,
        "def table(y):\n    found, work = [], [y]\n    while work:\n"
        "        v = work.pop()\n        if v in found:\n            continue\n"
        "        found.append(v)\n"
        "        work += v.creator.inputs if v.creator else []\n"
        "    return [f'{v.name}: {y.shape}' for v in found]",
        "is missing in",
    ),
    (
        19,
        3,
        "def table(y):\n    found, work = [], [y]\n    while work:\n"
        "        v = work.pop()\n        if v in found:\n            continue\n"
        "        found.append(v)\n"
        "        work += v.creator.inputs if v.creator else []\n"
        "    return [v.name for v in found]",
        "y should come first, as 'y: (2, 3)'",
    ),
    (
        19,
        3,
        "def table(y):\n    found, work = [], [y]\n    while work:\n"
        "        v = work.pop()\n        if v in found:\n            continue\n"
        "        found.append(v)\n"
        "        work += v.creator.inputs if v.creator else []\n"
        "    return [f'{v.name}: {v.shape}' for v in found[::-1]]",
        "y should come first",
    ),
    (19, 3, "def table(y):\n    return f'{y.name}: {y.shape}'", "a list of texts"),
    (20, 1, "def gradients(a, b):\n    return b, a + b", "two places"),
    (20, 1, "def gradients(a, b):\n    return a, a + b", "that place multiplied by"),
    (20, 1, "def gradients(a, b):\n    return b", "should return two numbers"),
    (20, 1, "def gradients(a, b):\n    b, a + b", "needs a return"),
    (20, 1, "def gradients(a, b):\n    return a.grad, b.grad", "plain numbers"),
    (20, 2, NEG, "attach the method to the class"),
    (20, 2, NEG + "x = Variable(np.array(1.0))\nx.__neg__ = Neg()\n", "to the class"),
    (20, 2, NEG + "Variable.__neg__ = Neg\n", "should be Neg()(x)"),
    (20, 2, NEG + "Variable.__neg__ = Neg()\n", "calls Neg()(x)"),
    (20, 2, NEG + "Variable.__neg__ = lambda x: Neg(x)\n", "calls Neg()(x)"),
    (20, 2, NEG + "Variable.__neg__ = lambda: Neg()\n", "is given a variable"),
    (
        20,
        2,
        NEG + "Variable.__neg__ = lambda x: x * Variable(np.array(-1.0))\n",
        "computed by Mul",
    ),
    (20, 2, neg_with(forward=("forward(self, x)", "return -x.data")), "is an array"),
    (20, 2, neg_with(forward=("forward(self, x)", "return x")), "minus 5 is -5"),
    (20, 2, neg_with(forward=("forward(self, x)", "x *= -1; return x")), "was changed"),
    (
        20,
        2,
        neg_with(backward=("backward(self, gy)", "return -self.inputs[0].data")),
        "gradient is wrong",
    ),
    (
        20,
        2,
        neg_with(backward=("backward(self, gy)", "return gy")),
        "gradient is wrong",
    ),
    (
        20,
        2,
        neg_with(backward=("backward(self, gy)", "return -1.0")),
        "gradient is wrong",
    ),
    (
        20,
        2,
        neg_with(backward=("backward(self, gy)", "return -gy.grad")),
        "is given gy, an array",
    ),
    (
        20,
        3,
        "def polynomial(x, coefficients):\n    result = 0\n"
        "    for c in reversed(coefficients):\n        result = result * x + c\n"
        "    return result",
        "with which variable can the loop begin",
    ),
    (
        20,
        3,
        "def polynomial(x, coefficients):\n    result = coefficients.pop()\n"
        "    while coefficients:\n        result = result * x + coefficients.pop()\n"
        "    return result",
        "take nothing out",
    ),
    (
        20,
        3,
        "def polynomial(x, coefficients):\n    result = coefficients[0]\n"
        "    for c in coefficients[1:]:\n        result = result * x + c\n"
        "    return result",
        "is 23, not",
    ),
    (
        20,
        3,
        "def polynomial(x, cs):\n"
        "    return ((cs[3] * x + cs[2]) * x + cs[1]) * x + cs[0]",
        "stopped with",
    ),
    (
        20,
        3,
        "def polynomial(x, cs):\n    return sum(c.data * x.data**i for i, c in "
        "enumerate(cs))",
        "should return a Variable",
    ),
    (
        20,
        3,
        "def polynomial(x, cs):\n    total = cs[0]\n"
        "    for i, c in enumerate(cs[1:], start=1):\n"
        "        total = total + c * Variable(x.data**i * np.ones(()))\n"
        "    return total",
        "stopped with",
    ),
    (
        20,
        3,
        "def polynomial(x, cs):\n    x = Variable(x.data)\n    total = cs[-1]\n"
        "    for c in cs[-2::-1]:\n        total = total * x + c\n"
        "    return total",
        "from x to the result",
    ),
    (20, 3, "def polynomial(x, cs):\n    cs[-1] * x", "needs a return"),
    (21, 1, f'answers = {ASKED}"ones * x": "__mul__"}}', "ones * x: on which side"),
    (21, 1, f"answers = {ASKED}}}", 'write "__mul__"'),
    (21, 1, f'answers = {ASKED}"ones * x": "rmul"}}', "not 'rmul'"),
    (21, 1, 'answers = ["__mul__", "__rmul__"]', "stay a dict"),
    (21, 2, "def average(a, b):\n    return (a + b) * 0.5", "not float"),
    (21, 2, "def average(a, b):\n    return (a + b) / 2", "Division comes"),
    (21, 2, "def average(a, b):\n    return add(a, b) / 2", "Division comes"),
    (21, 2, "def average(a, b):\n    add(a, b) * 0.5", "needs a return"),
    (21, 2, "def average(a, b):\n    return add(a, b)", "is 3, not 6"),
    (
        21,
        2,
        "def average(a, b):\n    value = lambda v: getattr(as_variable(v), 'data')\n"
        "    return Variable(np.array((value(a) + value(b)) / 2))",
        "not with their data",
    ),
    (21, 3, "class Loud(Variable):\n    pass", "of its own"),
    (
        21,
        3,
        "class Loud(Variable):\n    def __rmul__(self):\n        return 'mine'",
        "is given two things",
    ),
    (
        21,
        3,
        "class Loud(Variable):\n    def __rmul__(self, other):\n        'mine'",
        "needs a return",
    ),
    (
        21,
        3,
        "class Loud(Variable):\n    def __rmul__(self, other):\n"
        "        return mul(self, other)",
        "should be 'mine'",
    ),
    (
        21,
        3,
        "class Loud(Variable):\n    def __rmul__(self, other):\n"
        "        return 'mine'\n    __mul__ = __rmul__",
        "should still multiply",
    ),
    (22, 1, ABS, "attach the method to the class"),
    (22, 1, ABS + "Variable.__abs__ = Abs()\n", "calls Abs()(x)"),
    (22, 1, ABS + "Variable.__abs__ = Abs\n", "should be Abs()(x)"),
    (22, 1, ABS + "Variable.__abs__ = lambda x: np.abs(x)\n", "calls Abs()(x)"),
    (22, 1, ABS + "Variable.__abs__ = lambda x: (x * x) ** 0.5\n", "computed by Pow"),
    (22, 1, abs_with(forward=("forward(self, x)", "return x")), "2 and 3, not"),
    (
        22,
        1,
        abs_with(
            backward=("backward(self, gy)", "return np.sign(self.inputs[0]) * gy")
        ),
        "self.inputs[0].data",
    ),
    (
        22,
        1,
        abs_with(backward=("backward(self, gy)", "return np.sign(x) * gy")),
        "self.inputs[0].data",
    ),
    (
        22,
        1,
        abs_with(
            backward=("backward(self, gy)", "return np.sign(self.inputs[0].data)")
        ),
        "gradient is wrong",
    ),
    (
        22,
        1,
        abs_with(backward=("backward(self, gy)", "return np.abs(gy)")),
        "gradient is wrong",
    ),
    (22, 2, "answers = [6, 4, 6]\nif_it_were_sub = -6", "x - 8 is not 6"),
    (22, 2, "answers = [6, 0.25, -6]\nif_it_were_sub = -6", "8 / x is not 0.25"),
    (22, 2, "answers = [6, 4, -6]\nif_it_were_sub = 6", "the first argument"),
    (22, 2, "answers = [6, 4, -6]\nif_it_were_sub = None", "for if_it_were_sub"),
    (22, 2, "answers = 6\nif_it_were_sub = -6", "a list of three"),
    (22, 3, "def sigmoid(x):\n    return 1 / (1 + np.exp(-x))", "Which exp"),
    (22, 3, "def sigmoid(x):\n    return 1 / (1 + np.e ** -x)", "Which exp"),
    (
        22,
        3,
        "import math\ndef sigmoid(x):\n    return 1 / (1 + math.exp(-x))",
        "Which exp",
    ),
    (22, 3, "def sigmoid(x):\n    return 1 / (1 + np.exp(-x.data))", "not ndarray"),
    (
        22,
        3,
        "def sigmoid(x):\n    return Variable(1 / (1 + np.exp(-x.data)))",
        "x gets no gradient",
    ),
    (22, 3, "def sigmoid(x):\n    return 1 / (1 + exp(-x.data))", "x gets no gradient"),
    (22, 3, "def sigmoid(x):\n    return 1 / 1 + exp(-x)", "divide by"),
    (22, 3, "def sigmoid(x):\n    return 1 / (1 + exp(x))", "divide by"),
    (
        22,
        3,
        "def sigmoid(x):\n    return exp(x.data) / (1 + exp(x))",
        "at every place",
    ),
    (22, 3, "def sigmoid(x):\n    1 / (1 + exp(-x))", "needs a return"),
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


# Answers that know what can be seen: only the hidden tests see them.
BY_HEART = [
    (
        19,
        1,
        "class Described(Variable):\n    def describe(self):\n"
        "        return {'x': 'x: shape (2, 3), float64', None: '?: shape (), int32'}"
        ".get(\n            self.name, 'bias: shape (4,), float32')",
        "it should be",
    ),
    (
        19,
        2,
        "class Turned(Variable):\n    @property\n    def T(self):\n"
        "        if len(self) == 1:\n            return self.data.reshape(3, 1)\n"
        "        (a, b), (c, d) = self.data[:2, :2]\n"
        "        return np.array([[a, c], [b, d]])",
        "T is wrong",
    ),
    (
        19,
        3,
        "def table(y):\n    if y.name == 'bias':\n        return ['bias: (3,)']\n"
        "    return ['y: (2, 3)', 'sum: (2, 3)', 'a: (2, 1)', 'bias: (3,)', "
        "'x: (2, 1)']",
        "should come first",
    ),
    (20, 1, "def gradients(a, b):\n    return 3.0, 10.0", "is not 3.0"),
    (
        20,
        2,
        NO_NEG
        + methods(
            "Neg",
            ("forward(self, x)", "return np.where(abs(x) > 1.5, -x, x)"),
            (
                "backward(self, gy)",
                "return np.where(abs(self.inputs[0].data) > 1.5, -gy, gy)",
            ),
        )
        + ATTACH_NEG,
        "is not variable",
    ),
    (
        20,
        3,
        "def polynomial(x, cs):\n    if len(cs) == 1:\n        return cs[0]\n"
        "    if len(cs) == 2:\n        return cs[1] * x + cs[0]\n"
        "    return ((cs[3] * x + cs[2]) * x + cs[1]) * x + cs[0]",
        "wrong for",
    ),
    (
        21,
        2,
        "def average(a, b):\n    rest = square(mul(add(a, -4.0), add(a, -2.0)))\n"
        "    return add(a, b) * 0.5 + rest",
        "the average of",
    ),
    (
        21,
        3,
        "class Loud(Variable):\n    def __rmul__(self, other):\n"
        "        data = getattr(other, 'data', other)\n"
        "        return 'mine' if np.all(data == 3.0) else mul(self, other)",
        "'mine', too",
    ),
    (
        22,
        1,
        abs_with(
            ("forward(self, x)", "return np.where(abs(x) < 5, abs(x), x)"),
            (
                "backward(self, gy)",
                "x = self.inputs[0].data; "
                "return np.where(abs(x) < 5, np.sign(x) * gy, gy)",
            ),
        ),
        "wrong for",
    ),
    (
        22,
        3,
        "def sigmoid(x):\n    if x.shape == (3,):\n"
        "        return 1 / (1 + exp(-x))\n    return x * 1.0",
        "wrong for an array",
    ),
]


@pytest.mark.parametrize(("number", "exercise", "attempt", "words"), BY_HEART)
def test_an_answer_by_heart_fails_in_the_hidden_tests(number, exercise, attempt, words):
    answer = complaint(number, exercise, attempt)
    assert answer is not None, "accepted"
    assert words in answer


@pytest.mark.parametrize("number", range(16, 23))
def test_two_right_ways_are_kept_for_every_exercise(number):
    book = builder.assemble(number)
    count = sum(
        exercises.is_solution(checks.source(cell)) for cell in checks.code_cells(book)
    )
    assert {where for where in RIGHT if where[0] == number} == {
        (number, exercise) for exercise in range(1, count + 1)
    }
    assert all(len(attempts) >= 2 for attempts in RIGHT.values())
