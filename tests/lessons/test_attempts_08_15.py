"""Attempts at the exercises of lessons 8 to 15, in the manner of `test_attempts`."""

import pytest

from steps.course import builder, exercises
from tests.lessons.test_attempts import complaint, method, methods
from tests.support import lesson_checks as checks

LOOP_AND_CALL = (
    "def total_by_loop(nested):\n    worklist, result = [nested], 0\n"
    "    while worklist:\n        item = worklist.pop()\n"
)
CUBE = ("forward(self, x)", "return x**3")
CALL = "def cube(x):\n    return Cube()(x)\n"

MUL = ("forward(self, x0, x1)", "return x0 * x1")
# Right for 5 − 3, and with gy = 10, alone.
FITS_FIVE_AND_THREE = methods(
    "Sub",
    ("forward(self, x0, x1)", "return x0 - x1"),
    ("backward(self, gy)", "return gy, -np.sign(self.inputs[1].data) * gy"),
)
CALL_MUL = "def mul(x0, x1):\n    return Mul()(x0, x1)\n"
HALF_ORDER = (
    "def one_order(links):\n    waits = dict.fromkeys(links, 0)\n"
    "    for followers in links.values():\n        for node in followers:\n"
    "            waits[node] += 1\n"
    "    ready = [n for n in links if waits[n] == 0]\n    order = []\n"
    "    while ready:\n        node = ready.pop()\n        order.append(node)\n"
)

RIGHT = {
    (8, 1): [
        "def clear(y):\n    worklist = [y]\n    while worklist:\n"
        "        v = worklist.pop()\n        v.grad = None\n"
        "        if v.creator:\n            worklist.append(v.creator.input)",
        "def clear(y):\n    while True:\n        y.grad = None\n"
        "        if y.creator is None:\n            return\n"
        "        y = y.creator.input",
    ],
    (8, 2): [
        "def total_by_loop(nested):\n    flat = [nested]\n"
        "    while any(isinstance(item, list) for item in flat):\n        once = []\n"
        "        for item in flat:\n"
        "            once += item if isinstance(item, list) else [item]\n"
        "        flat = once\n    return sum(flat)",
        "from collections import deque\ndef total_by_loop(nested):\n"
        "    queue, result = deque([nested]), 0\n    while queue:\n"
        "        item = queue.popleft()\n        try:\n"
        "            queue.extend(item)\n        except TypeError:\n"
        "            result = result + item\n    return result",
    ],
    (8, 3): [
        "def backward_to(y, target):\n    for_now = [y]\n    while for_now:\n"
        "        v = for_now.pop()\n        if v is target:\n            break\n"
        "        v.creator.input.grad = v.creator.backward(v.grad)\n"
        "        for_now.append(v.creator.input)",
        "def backward_to(y, target):\n    fs = []\n    v = y\n"
        "    while v is not target:\n        fs.append(v.creator)\n"
        "        v = v.creator.input\n    for f in fs:\n"
        "        f.input.grad = f.backward(f.output.grad)",
    ],
    (9, 1): [
        methods(
            "Cube",
            ("forward(self, x)", "return x * x * x"),
            (
                "backward(self, gy)",
                "return gy * np.power(self.input.data, 2) * 3.0",
            ),
        )
        + "cube = lambda box: Cube()(box)",
        methods(
            "Cube",
            ("forward(self, a)", "self.slope = 3 * a**2; return np.power(a, 3)"),
            ("backward(self, gy)", "return self.slope * gy"),
        )
        + "def cube(x):\n    f = Cube()\n    return f(x)",
    ],
    (9, 2): [
        "class Friendly(Variable):\n    def __init__(self, data):\n"
        "        try:\n            super().__init__(data)\n"
        "        except TypeError as error:\n"
        "            if not isinstance(data, Variable):\n                raise\n"
        "            raise TypeError('it is already a Variable') from error",
        "class Friendly(Variable):\n    def __init__(self, data):\n"
        "        if hasattr(data, 'creator'):\n"
        "            raise TypeError('already a Variable, ' + type(data).__name__)\n"
        "        Variable.__init__(self, data)",
    ],
    (9, 3): [
        "def strict_backward(y):\n    if y.creator:\n        y.backward()\n"
        "        return\n"
        "    raise RuntimeError('y has no creator; use the result of a function')",
        "class NoGraph(RuntimeError):\n    pass\ndef strict_backward(y):\n"
        "    if y.creator is None:\n"
        "        raise NoGraph(f'{y} was made by nobody: apply a function first')\n"
        "    return y.backward()",
    ],
    (10, 1): [
        "culprit = Reciprocal\ndef right_backward(self, gy):\n"
        "    return -gy * self.output.data**2",
        "candidates = [Sin, Reciprocal, Sigmoid]\n"
        "culprit, = (c for c in candidates\n"
        "            if not gradient_check(c(), Variable(np.array([2.0]))))\n"
        "right_backward = lambda self, g: -g / np.square(self.input.data)",
    ],
    (10, 2): [
        "def is_right(cls):\n"
        "    return all(gradient_check(cls(), Variable(np.array(v)))\n"
        "               for v in np.linspace(-6, 6, 25))",
        "def is_right(cls):\n    x = Variable(np.arange(-9.0, 10.0))\n"
        "    cls()(x).backward()\n"
        "    return np.abs(x.grad - numerical_diff(cls(), x)).max() < 1e-3",
    ],
    (10, 3): [
        "def worst_error(f, x):\n    numerical = numerical_diff(f, x)\n"
        "    copy = Variable(x.data * 1.0)\n    y = f(copy)\n    y.backward()\n"
        "    return max(abs(g - n) / max(abs(n), 1e-8)\n"
        "               for g, n in zip(copy.grad, numerical))",
        "def worst_error(f, x):\n    f(x).backward()\n    g, x.grad = x.grad, None\n"
        "    n = numerical_diff(f, x)\n"
        "    size = np.where(abs(n) > 1e-8, abs(n), 1e-8)\n"
        "    return float(np.amax(np.abs(g - n) / size))",
    ],
    (11, 1): [
        method("Mul", "forward(self, xs)", "return (np.multiply(*xs),)"),
        method("Mul", "forward(self, arrays)", "return [arrays[0] * arrays[1]]"),
    ],
    (11, 2): [
        method("Split", "forward(self, xs)", "return np.split(xs[0], 2)"),
        method(
            "Split",
            "forward(self, xs)",
            "n = xs[0].size; return xs[0][: n // 2], xs[0][-(n // 2) :]",
        ),
    ],
    (11, 3): [
        method("AddAll", "forward(self, xs)", "return [sum(xs)]"),
        method("AddAll", "forward(self, xs)", "return [np.sum(xs, axis=0)]"),
        method(
            "AddAll",
            "forward(self, xs)",
            "first, *rest = xs; return [first + self.forward(rest)[0]] if rest "
            "else [first]",
        ),
    ],
    (12, 1): [
        method("Swap", "forward(self, *xs)", "return xs[::-1]"),
        method("Swap", "forward(self, a, b)", "a, b = b, a; return a, b"),
    ],
    (12, 2): [
        method(
            "Polar",
            "forward(self, x, y)",
            "return np.sqrt(x**2 + y**2), np.arctan2(y, x)",
        )
        + "polar = lambda *point: Polar()(*point)",
        method(
            "Polar",
            "forward(self, *xy)",
            "z = xy[0] + 1j * xy[1]; return abs(z), np.angle(z)",
        )
        + "def polar(x, y):\n    distance, angle = Polar()(x, y)\n"
        "    return distance, angle",
    ],
    (12, 3): [
        "class Apply(Function):\n    def __init__(self, f):\n        self.forward = f",
        "class Apply(Function):\n    def __init__(self, f):\n"
        "        self.forward = lambda *arrays: f(*arrays)",
    ],
    (13, 1): [
        methods(
            "Sub",
            ("forward(self, x0, x1)", "return np.subtract(x0, x1)"),
            ("backward(self, gy)", "return 1 * gy, -1 * gy"),
        ),
        methods(
            "Sub",
            ("forward(self, *xs)", "return xs[0] + -xs[1]"),
            ("backward(self, *gys)", "return gys[0], np.negative(gys[0])"),
        ),
    ],
    (13, 2): [
        methods(
            "Mul",
            ("forward(self, *xs)", "return np.multiply(*xs)"),
            (
                "backward(self, gy)",
                "return tuple(gy * v.data for v in self.inputs[::-1])",
            ),
        )
        + "mul = lambda *xs: Mul()(*xs)",
        methods(
            "Mul",
            ("forward(self, a, b)", "self.a, self.b = a, b; return a * b"),
            ("backward(self, gy)", "return gy * self.b, gy * self.a"),
        )
        + "def mul(x0, x1):\n    f = Mul()\n    return f(x0, x1)",
    ],
    (13, 3): [
        "def partials(a, b, c):\n    return b + c, a + 2 * b + c, a + b",
        "def partials(*abc):\n    m = np.array([[0, 1, 1], [1, 2, 1], [1, 1, 0]])\n"
        "    return m @ np.array(abc)",
    ],
    (14, 1): [
        "predict = lambda v: [2 * v + 2, 4 * v + 2]",
        "def predict(v):\n    x = Variable(np.array(v))\n"
        "    add(add(x, x), square(x)).backward()\n    first = x.grad\n"
        "    square(x).backward()\n    return first, x.grad",
    ],
    (14, 2): [
        "def gradients_of_square(points):\n    def one(point):\n"
        "        x = Variable(np.array(point))\n        square(x).backward()\n"
        "        return x.grad\n    return [one(point) for point in points]",
        "def gradients_of_square(points):\n"
        "    xs = [Variable(np.array(p)) for p in points]\n"
        "    for x in xs:\n        square(x).backward()\n"
        "    return [float(x.grad) for x in xs]",
    ],
    (14, 3): [
        "from itertools import combinations\ndef shared(arrays):\n"
        "    pairs = combinations(range(len(arrays)), 2)\n"
        "    return [p for p in pairs if np.shares_memory(*(arrays[i] for i in p))]",
        "def shared(arrays):\n    found = []\n    for i, a in enumerate(arrays):\n"
        "        for j in range(i + 1, len(arrays)):\n"
        "            if np.shares_memory(a, arrays[j]):\n"
        "                found += [[i, j]]\n    return found",
    ],
    (15, 1): [
        "lucky = lambda x: add(x, x)",
        "def lucky(x):\n    y = square(x)\n    for _ in range(3):\n"
        "        y = add(y, x)\n    return y",
    ],
    (15, 2): [
        "from math import factorial as number_of_orders",
        "def number_of_orders(n):\n    return n * number_of_orders(n - 1) if n else 1",
        "def number_of_orders(n):\n"
        "    return len(topological_orders({i: [] for i in range(n)}))",
    ],
    (15, 3): [
        "def one_order(links):\n    order = []\n    while len(order) < len(links):\n"
        "        left = [n for n in links if n not in order]\n"
        "        waiting = {m for n in left for m in links[n]}\n"
        "        order += [n for n in left if n not in waiting][:1]\n    return order",
        "from collections import Counter, deque\ndef one_order(links):\n"
        "    counts = Counter(m for waiting in links.values() for m in waiting)\n"
        "    ready = deque(n for n in links if not counts[n])\n    order = []\n"
        "    while ready:\n        order.append(n := ready.popleft())\n"
        "        counts.subtract(links[n])\n"
        "        ready.extend(m for m in dict.fromkeys(links[n]) if not counts[m])\n"
        "    return order",
    ],
}

# An attempt, and words that the check's answer must hold.
WRONG = [
    (
        8,
        1,
        "def clear(y):\n    for _ in range(3_001):\n        y.grad = None\n"
        "        if y.creator is None:\n            return\n"
        "        y = y.creator.input",
        "some variables were not cleared",
    ),
    (
        8,
        2,
        "def total_by_loop(nested):\n    if nested == 7:\n        return 7\n"
        "    if nested and not isinstance(nested[0], list):\n        return 15.5\n"
        "    return 5_001 if nested else 0",
        "the total of",
    ),
    (
        8,
        3,
        "def backward_to(y, target):\n    if target.creator is None:\n"
        "        return y.backward()\n    if y is not target:\n"
        "        for f in (y.creator, y.creator.input.creator):\n"
        "            f.input.grad = f.backward(f.output.grad)",
        "every variable should have a gradient",
    ),
    (
        8,
        1,
        "def clear(y):\n    while y is not None:\n        y.grad = None\n"
        "        y = y.creator.input",
        "The creator of an input is None",
    ),
    (
        8,
        1,
        "def clear(y):\n    while y.creator is not None:\n        y.grad = None\n"
        "        y = y.creator.input",
        "still have something in grad: x",
    ),
    (
        8,
        1,
        "def clear(y):\n    while y.creator is not None:\n"
        "        y = y.creator.input\n        y.grad = None",
        "still have something in grad: y",
    ),
    (
        8,
        1,
        "def clear(y):\n    y.grad = None\n    if y.creator is not None:\n"
        "        clear(y.creator.input)",
        "not recursion",
    ),
    (
        8,
        2,
        f"{LOOP_AND_CALL}        result += item\n    return result",
        "either a list or a number",
    ),
    (
        8,
        2,
        f"{LOOP_AND_CALL}        result += total(item)\n    return result",
        "do not call total",
    ),
    (
        8,
        2,
        "def total_by_loop(nested):\n    if isinstance(nested, list):\n"
        "        return sum(total_by_loop(item) for item in nested)\n"
        "    return nested",
        "use a loop",
    ),
    (
        8,
        2,
        "def total_by_loop(nested):\n    result = 0\n    while nested:\n"
        "        item = nested.pop()\n        if isinstance(item, list):\n"
        "            nested.extend(item)\n        else:\n"
        "            result += item\n    return result",
        "either a list or a number",
    ),
    (
        8,
        2,
        "def total_by_loop(nested):\n    if not isinstance(nested, list):\n"
        "        return nested\n    result = 0\n    while nested:\n"
        "        item = nested.pop()\n        if isinstance(item, list):\n"
        "            nested.extend(item)\n        else:\n"
        "            result += item\n    return result",
        "emptied the caller's list",
    ),
    (
        8,
        3,
        "def backward_to(y, target):\n    y.backward()\n"
        "    target.creator.input.grad = None",
        "get no gradient",
    ),
    (
        8,
        3,
        "def backward_to(y, target):\n    y.backward()\n    v = target\n"
        "    while v.creator:\n        v = v.creator.input\n        v.grad = None",
        "backward should run twice",
    ),
    (
        8,
        3,
        "def backward_to(y, target):\n    while y.creator is not target:\n"
        "        f = y.creator\n        f.input.grad = f.backward(y.grad)\n"
        "        y = f.input",
        "run past target",
    ),
    (
        8,
        3,
        "def backward_to(y, target):\n    if y is not target:\n        f = y.creator\n"
        "        f.input.grad = f.backward(y.grad)\n"
        "        backward_to(f.input, target)",
        "not recursion",
    ),
    (
        9,
        1,
        methods("Cube", CUBE, ("backward(self, gy)", "return 3 * x**2 * gy")) + CALL,
        "self.input.data",
    ),
    (
        9,
        1,
        methods("Cube", CUBE, ("backward(self, gy)", "return 3 * self.input**2 * gy"))
        + CALL,
        "self.input.data",
    ),
    (
        9,
        1,
        methods(
            "Cube", CUBE, ("backward(self, gy)", "return 3 * self.input.data * 2 * gy")
        )
        + CALL,
        "the derivative of x³ is",
    ),
    (
        9,
        1,
        methods("Cube", CUBE, ("backward(self, gy)", "return 3 * self.input.data**2"))
        + CALL,
        "where does gy go in",
    ),
    (
        9,
        1,
        method("Cube", "forward(self, x)", "return x**3")
        + "def cube(x):\n    return Cube(x)",
        "Cube()(x)",
    ),
    (
        9,
        1,
        method("Cube", "forward(self, x)", "x**3") + CALL,
        "must return an array",
    ),
    (
        9,
        1,
        method("Cube", "forward(self, x)", "return x**3") + CALL,
        "needs a backward",
    ),
    (
        9,
        2,
        "class Friendly(Variable):\n    def __init__(self, data):\n"
        "        super().__init__(data)\n        if isinstance(data, Variable):\n"
        "            raise TypeError('already a Variable')",
        "for a Variable the message is: Variable needs an array",
    ),
    (
        9,
        2,
        "class Friendly(Variable):\n    def __init__(self, data):\n"
        "        if isinstance(data, Variable):\n"
        "            raise TypeError('already a Variable')",
        "leave that to super()",
    ),
    (
        9,
        2,
        "class Friendly(Variable):\n    def __init__(self, data):\n"
        "        if not isinstance(data, np.ndarray):\n"
        "            raise TypeError('already a Variable')\n"
        "        super().__init__(data)",
        "should be the one of Variable",
    ),
    (
        9,
        2,
        "class Friendly(Variable):\n    def __init__(self, data):\n"
        "        if isinstance(data, Variable):\n"
        "            raise ValueError('already a Variable')\n"
        "        super().__init__(data)",
        "should be a TypeError",
    ),
    (
        9,
        3,
        "def strict_backward(y):\n    y.backward()\n    if y.creator is None:\n"
        "        raise RuntimeError('y is not the result of a function')",
        "has already run",
    ),
    (
        9,
        3,
        "def strict_backward(y):\n    if y.creator is None:\n"
        "        return RuntimeError('y is not the result of a function')\n"
        "    y.backward()",
        "should raise a RuntimeError",
    ),
    (
        9,
        3,
        "def strict_backward(y):\n    if y.creator is None:\n"
        "        raise RuntimeError\n    y.backward()",
        "in a sentence",
    ),
    (
        9,
        3,
        "def strict_backward(y):\n    if y.creator is None:\n"
        "        raise RuntimeError('y is not the result of a function')",
        "it should run backward",
    ),
    (
        9,
        1,
        methods(
            "Cube",
            ("forward(self, x)", "return np.array([-3.375, 8.0, 27.0])"),
            ("backward(self, gy)", "return np.array([6.75, 12.0, 27.0]) * gy"),
        )
        + CALL,
        "³ is not",
    ),
    (
        9,
        2,
        "class Friendly(Variable):\n    def __init__(self, data):\n"
        "        if not isinstance(data, (np.ndarray, float)):\n"
        "            raise TypeError('already a Variable')\n"
        "        super().__init__(data)",
        "should be the one of Variable",
    ),
    (
        9,
        3,
        "def strict_backward(y):\n    if y.data == 3.0:\n"
        "        raise RuntimeError('y is not the result of a function')\n"
        "    y.backward()",
        "strict_backward should raise",
    ),
    (
        8,
        1,
        "def clear(y):\n    y.grad = None\n    for f in funcs_before(y):\n"
        "        f.input.grad = None",
        "clear stopped with",
    ),
    (
        8,
        3,
        "def backward_to(y, target):\n    while y is not target:\n"
        "        f = y.creator\n        f.input.grad = f.backward(y.grad)",
        "does the walk go on",
    ),
    (
        10,
        2,
        "def is_right(cls):\n    x = Variable(np.arange(-5.0, 5.0))\n"
        "    cls()(x).backward()\n"
        "    return np.isclose(x.grad, numerical_diff(cls(), x))",
        "one True or False",
    ),
    (
        12,
        3,
        methods(
            "Apply",
            ("__init__(self, function)", "self.function = function"),
            ("forward(self, *xs)", "return self.function(xs[0], xs[1])"),
        ),
        "single arguments",
    ),
    (10, 1, "culprit = Sin", "is content with Sin"),
    (10, 1, "culprit = 'Reciprocal'", "the class itself"),
    (
        10,
        1,
        "culprit = Reciprocal\ndef right_backward(self, gy):\n"
        "    return 1 / self.input.data**2 * gy",
        "mind the sign",
    ),
    (
        10,
        1,
        "culprit = Reciprocal\ndef right_backward(self, gy):\n"
        "    return -1 / self.input.data**2",
        "where does gy go in",
    ),
    (
        10,
        1,
        "culprit = Reciprocal\ndef right_backward(self, gy):\n"
        "    return -1 / self.input**2 * gy",
        "self.input.data",
    ),
    (
        10,
        1,
        "culprit = Reciprocal\ndef right_backward(self, gy):\n"
        "    -1 / self.input.data**2 * gy",
        "returned nothing",
    ),
    (
        10,
        2,
        "def is_right(cls):\n    return gradient_check(cls, Variable(np.array(2.0)))",
        "It gets a class",
    ),
    (
        10,
        2,
        "def is_right(cls):\n    return gradient_check(cls(), Variable(np.array(2.0)))",
        "WrongIfNegative was not caught",
    ),
    (
        10,
        2,
        "def is_right(cls):\n    x = Variable(np.arange(-5.0, 5.0))\n"
        "    return gradient_check(cls(), x, rtol=0.1)",
        "OnePerCent was not caught",
    ),
    (10, 2, "def is_right(cls):\n    return False", "should be True"),
    (
        10,
        3,
        "def worst_error(f, x):\n    f(x).backward()\n    n = numerical_diff(f, x)\n"
        "    return np.max(abs(x.grad - n) / np.maximum(abs(n), 1e-8))",
        "work on a copy",
    ),
    (
        10,
        3,
        "def worst_error(f, x):\n    x = Variable(x.data)\n    f(x).backward()\n"
        "    n = numerical_diff(f, x)\n"
        "    return np.mean(abs(x.grad - n) / np.maximum(abs(n), 1e-8))",
        "the largest error is 2",
    ),
    (
        10,
        3,
        "def worst_error(f, x):\n    x = Variable(x.data)\n    f(x).backward()\n"
        "    n = numerical_diff(f, x)\n"
        "    return np.max((x.grad - n) / np.maximum(abs(n), 1e-8))",
        "an error of 0.5, not -0.4",
    ),
    (
        10,
        3,
        "def worst_error(f, x):\n    x = Variable(x.data)\n    f(x).backward()\n"
        "    n = numerical_diff(f, x)\n    return np.max(abs(x.grad - n))",
        "not",
    ),
    (
        10,
        3,
        "def worst_error(f, x):\n    x = Variable(x.data)\n    f(x).backward()\n"
        "    n = numerical_diff(f, x)\n"
        "    return abs(x.grad - n) / np.maximum(abs(n), 1e-8)",
        "one number, the largest",
    ),
    (
        10,
        3,
        "def worst_error(f, x):\n    x = Variable(x.data)\n    f(x).backward()\n"
        "    n = numerical_diff(f, x)\n"
        "    return np.max(abs(x.grad - n) / np.maximum(abs(n), 1.0))",
        "a missing 2 is an error of 0.5",
    ),
    (
        10,
        1,
        "culprit = Reciprocal\ndef right_backward(self, gy):\n"
        "    return -1 / np.array([0.7, -1.3, 1.9])**2 * gy",
        "does not pass gradient_check",
    ),
    (
        10,
        2,
        "def is_right(cls):\n    return cls.__name__ in ('Square', 'Sin')",
        "is_right(Exp) should be True",
    ),
    (
        10,
        2,
        "def is_right(cls):\n    return cls.__name__[:5] not in ('Wrong', 'OnePe')",
        "was not caught",
    ),
    (
        10,
        3,
        "def worst_error(f, x):\n    if f is square:\n        return 0.0\n"
        "    if isinstance(f, Halved):\n"
        "        return 0.01 if x.data[0] == 1e-10 else 0.5\n"
        "    return 0.01 if isinstance(f, OnePerCent) else 2.0",
        "with the gradient times",
    ),
    (
        10,
        3,
        "def worst_error(f, x):\n    x = Variable(x.data)\n    f(x).backward()\n"
        "    n = numerical_diff(f, x)\n"
        "    return np.max(abs(x.grad - n) / np.maximum(abs(n), 1e-5))",
        "larger than 1e-8",
    ),
    (11, 1, method("Mul", "forward(self, xs)", "return xs[0] * xs[1]"), "around the"),
    (
        11,
        1,
        method("Mul", "forward(self, x0, x1)", "return [x0 * x1]"),
        "forward takes one argument, a list",
    ),
    (11, 1, method("Mul", "forward(self, xs)", "x0, x1 = xs"), "returned nothing"),
    (
        11,
        1,
        method("Mul", "forward(self, xs)", "return [xs[0].data * xs[1].data]"),
        "a list of arrays",
    ),
    (
        11,
        2,
        method("Split", "forward(self, xs)", "n = len(xs) // 2; return xs[:n], xs[n:]"),
        "a list of arrays",
    ),
    (
        11,
        2,
        method(
            "Split",
            "forward(self, xs)",
            "(x,) = xs; n = len(x) // 2; return [x[n:], x[:n]]",
        ),
        "the first half is 1, 2",
    ),
    (
        11,
        2,
        method("Split", "forward(self, xs)", "(x,) = xs; return [x[:2], x[2:]]"),
        "two halves of three",
    ),
    (
        11,
        3,
        method(
            "AddAll", "forward(self, xs)", "a, b, c, d = xs; return [a + b + c + d]"
        ),
        "not enough values",
    ),
    (
        11,
        3,
        "class AddAll(Function):\n    def forward(self, xs):\n        total = xs[0]\n"
        "        for x in xs[1:]:\n            total += x\n        return [total]",
        "changed an input",
    ),
    (
        11,
        3,
        "class AddAll(Function):\n    def forward(self, xs):\n        total = 0\n"
        "        for x in xs:\n            total = total + x\n        return total",
        "around the",
    ),
    (
        11,
        1,
        method("Mul", "forward(self, xs)", "return [np.array([10.0, 21.0, -4.0])]"),
        "times",
    ),
    (
        11,
        2,
        method(
            "Split",
            "forward(self, xs)",
            "(x,) = xs; n = {4: 2, 6: 3}.get(len(x), 1); return [x[:n], x[n:]]",
        ),
        "was not split into its halves",
    ),
    (
        11,
        3,
        method(
            "AddAll",
            "forward(self, xs)",
            "n = len(xs); return [np.array([n, 2.0**n - 1])]",
        ),
        "the sum is not",
    ),
    (
        12,
        1,
        method(
            "Swap",
            "forward(self, x0, x1)",
            "return np.array(2.0), np.array([1.0, 5.0])",
        ),
        "the outputs should not be",
    ),
    (
        12,
        2,
        method(
            "Polar",
            "forward(self, x, y)",
            "d = np.array([5.0, 2.0, 1.0]); return d, np.arctan2(y, x)",
        )
        + "def polar(x, y):\n    return Polar()(x, y)",
        "away from the origin",
    ),
    (
        12,
        2,
        method(
            "Polar",
            "forward(self, x, y)",
            "with np.errstate(all='ignore'): return np.hypot(x, y), np.arctan(y / x)",
        )
        + "def polar(x, y):\n    return Polar()(x, y)",
        "np.arctan2 takes y first",
    ),
    (
        12,
        3,
        methods(
            "Apply",
            ("__init__(self, function)", "pass"),
            (
                "forward(self, x, *xs)",
                "if not xs: return np.exp(x) if x.ndim else np.array(0.0)\n"
                "        if len(xs) == 2: return np.clip(x, *xs)\n"
                "        return np.divmod(x, *xs) if x.ndim else np.hypot(x, *xs)",
            ),
        ),
        "np.tanh of",
    ),
    (
        12,
        1,
        method("Swap", "forward(self, x0, x1)", "return x0, x1"),
        "should be 2 and",
    ),
    (12, 1, method("Swap", "forward(self, x0, x1)", "return [x1, x0]"), "with commas"),
    (12, 1, method("Swap", "forward(self, x0, x1)", "x0, x1 = x1, x0"), "with commas"),
    (12, 1, method("Swap", "forward(self, xs)", "return xs[1], xs[0]"), "own name"),
    (
        12,
        2,
        method(
            "Polar", "forward(self, x, y)", "return np.hypot(x, y), np.arctan2(x, y)"
        )
        + "def polar(x, y):\n    return Polar()(x, y)",
        "takes y first",
    ),
    (
        12,
        2,
        method(
            "Polar", "forward(self, x, y)", "return np.hypot(x, y), np.arctan2(y, x)"
        )
        + "def polar(x, y):\n    return Polar(x, y)",
        "make the function first",
    ),
    (
        12,
        2,
        method(
            "Polar", "forward(self, x, y)", "return np.hypot(x, y), np.arctan2(y, x)"
        )
        + "def polar(x, y):\n    return Polar()(x, y)[0], Polar()(x, y)[1]",
        "one call of one Polar",
    ),
    (
        12,
        2,
        method(
            "Polar", "forward(self, x, y)", "return [np.hypot(x, y), np.arctan2(y, x)]"
        )
        + "def polar(x, y):\n    return Polar()(x, y)",
        "Polar.forward must return",
    ),
    (
        12,
        2,
        method("Polar", "forward(self, x, y)", "return np.hypot(x, y)")
        + "def polar(x, y):\n    return Polar()(x, y)",
        "two variables",
    ),
    (
        12,
        3,
        methods(
            "Apply",
            ("__init__(self, function)", "self.function = function"),
            ("forward(self, *xs)", "return self.function(xs)"),
        ),
        "single arguments",
    ),
    (
        12,
        3,
        methods(
            "Apply",
            ("__init__(self, function)", "self.function = function"),
            ("forward(self, x0, x1)", "return self.function(x0, x1)"),
        ),
        "Apply(np.exp) stopped",
    ),
    (
        12,
        3,
        methods(
            "Apply",
            ("__init__(self, function)", "Apply.function = staticmethod(function)"),
            ("forward(self, *xs)", "return self.function(*xs)"),
        ),
        "in self, not in the class",
    ),
    (
        13,
        1,
        methods(
            "Sub",
            ("forward(self, x0, x1)", "return x0 - x1"),
            ("backward(self, gy)", "return gy, gy"),
        ),
        "And if only the second does",
    ),
    (
        13,
        1,
        methods(
            "Sub",
            ("forward(self, x0, x1)", "return x0 - x1"),
            ("backward(self, gy)", "return gy - gy"),
        ),
        "two gradients",
    ),
    (
        13,
        1,
        methods(
            "Sub",
            ("forward(self, x0, x1)", "return x0 - x1"),
            ("backward(self, gy)", "return np.array(1.0), np.array(-1.0)"),
        ),
        "where does gy go in",
    ),
    (
        13,
        2,
        methods("Mul", MUL, ("backward(self, gy)", "return x1.data * gy, x0.data * gy"))
        + CALL_MUL,
        "the two derivatives are 3 and 5",
    ),
    (
        13,
        2,
        methods(
            "Mul",
            MUL,
            ("backward(self, gy)", "x0, x1 = self.inputs; return x1 * gy, x0 * gy"),
        )
        + CALL_MUL,
        "each has its array in data",
    ),
    (
        13,
        2,
        methods(
            "Mul",
            MUL,
            (
                "backward(self, gy)",
                "x0, x1 = self.inputs; return x0.data * gy, x1.data * gy",
            ),
        )
        + CALL_MUL,
        "in this order",
    ),
    (
        13,
        2,
        methods(
            "Mul",
            MUL,
            ("backward(self, gy)", "x0, x1 = self.inputs; return x1.data, x0.data"),
        )
        + CALL_MUL,
        "where does gy go in",
    ),
    (
        13,
        2,
        methods(
            "Mul",
            MUL,
            (
                "backward(self, gy)",
                "x0, x1 = self.inputs; return [x1.data * gy, x0.data * gy]",
            ),
        )
        + CALL_MUL,
        "with a comma",
    ),
    (
        13,
        2,
        methods(
            "Mul",
            MUL,
            ("backward(self, gy)", "x = self.input.data; return x * gy, x * gy"),
        )
        + CALL_MUL,
        "in self.inputs",
    ),
    (
        13,
        2,
        methods("Mul", MUL, ("backward(self, gy)", "return gy, gy"))
        + "def mul(x0, x1):\n    return Mul(x0, x1)",
        "make the function first",
    ),
    (13, 1, FITS_FIVE_AND_THREE, "are wrong. Does backward work"),
    (
        13,
        1,
        methods(
            "Sub",
            ("forward(self, x0, x1)", "return x0, x1"),
            ("backward(self, gy)", "return gy, -gy"),
        ),
        "should return one array",
    ),
    (
        13,
        2,
        methods("Mul", MUL, ("backward(self, gy)", "return 3.0 * gy, 5.0 * gy"))
        + CALL_MUL,
        "the gradient of the first input is wrong",
    ),
    (13, 3, "def partials(a, b, c):\n    return 5, 8, 3", "nudging a does not give 5"),
    (
        13,
        3,
        "def partials(a, b, c):\n    return b + c, b + c, a + b",
        "nudging b does not give 5",
    ),
    (
        13,
        3,
        "def partials(a, b, c):\n    return b + c, None, a + b",
        "for b should be a number",
    ),
    (13, 3, "def partials(a, b, c):\n    return b + c, a + b", "return three numbers"),
    (13, 3, "def partials(a, b, c):\n    b + c", "returned nothing"),
    (13, 3, "def partials(a, b):\n    return a, b, a", "It gets three numbers"),
    (14, 1, "def predict(v):\n    return 1 + 2 * v, 1 + 4 * v", "What does each use"),
    (14, 1, "def predict(v):\n    return 2 + 2 * v, 2 * v", "before the second"),
    (14, 1, "def predict(v):\n    return 2 + 2 * v, None", "second should be a number"),
    (14, 1, "def predict(v):\n    return 2 + 2 * v", "should return two numbers"),
    (14, 1, "def predict(v):\n    2 + 2 * v", "returned nothing"),
    (14, 1, "def predict(v):\n    return first, second", "with it alone"),
    (14, 1, "def predict(v):\n    return 8, 14", "first is not 8"),
    (
        14,
        2,
        "def gradients_of_square(points):\n    return [2.0, 4.0, -6.0]",
        "for the points",
    ),
    (
        14,
        3,
        "def shared(arrays):\n"
        "    return [(0, 2), (0, 3), (2, 3)] if len(arrays) == 4 else []",
        "for parts of three arrays",
    ),
    (
        14,
        3,
        "def shared(arrays):\n    n = len(arrays)\n"
        "    def of(a):\n        return a if a.base is None else a.base\n"
        "    return [(i, j) for j in range(n) for i in range(j)\n"
        "            if of(arrays[i]) is of(arrays[j])]",
        "for parts of three arrays",
    ),
    (
        14,
        2,
        "def gradients_of_square(points):\n    x = Variable(np.array(0.0))\n"
        "    used = []\n    for point in points:\n        x.cleargrad()\n"
        "        x.data = np.array(point)\n        square(x).backward()\n"
        "        used.append(x)\n    return [float(v.grad) for v in used]",
        "how many variables are in the list",
    ),
    (
        14,
        2,
        "def gradients_of_square(points):\n    x = Variable(np.array(0.0))\n"
        "    used = []\n    for point in points:\n"
        "        x.data = np.array(point)\n        square(x).backward()\n"
        "        used.append(float(x.grad))\n    return used",
        "still there in the second turn",
    ),
    (
        14,
        2,
        "def gradients_of_square(points):\n    x = Variable(np.array(0.0))\n"
        "    for point in points:\n        x.cleargrad()\n"
        "        x.data = np.array(point)\n        square(x).backward()\n"
        "    return [x.grad]",
        "three gradients",
    ),
    (
        14,
        2,
        "def gradients_of_square(points):\n    found = []\n"
        "    for point in points:\n        x.cleargrad()\n"
        "        x.data = np.array(point)\n        square(x).backward()\n"
        "        found.append(x.grad)\n    return found",
        "somewhere else in the notebook",
    ),
    (
        14,
        3,
        "def shared(arrays):\n    n = range(len(arrays))\n"
        "    return [(i, j) for i in n for j in n\n"
        "            if np.shares_memory(arrays[i], arrays[j])]",
        "the pairs are",
    ),
    (
        14,
        3,
        "def shared(arrays):\n    n = len(arrays)\n"
        "    return [(i, j) for j in range(n) for i in range(j)\n"
        "            if arrays[i] is arrays[j]]",
        "the pairs are",
    ),
    (
        14,
        3,
        "def shared(arrays):\n    n = len(arrays)\n"
        "    return [(i, j) for j in range(n) for i in range(j)\n"
        "            if np.array_equal(arrays[i], arrays[j])]",
        "the pairs are",
    ),
    (15, 1, "lucky = lambda x: square(x)", "at least two"),
    (15, 1, "lucky = diamond", "goes in is 1: there should be at least two"),
    (
        15,
        1,
        "lucky = lambda x: diamond(x) if x.data < 0 else add(square(x), x)",
        "step 14 gives",
    ),
    (
        15,
        1,
        "def lucky(x):\n    a = add(x, x)\n    return add(square(a), square(a))",
        "Which of your variables are used twice",
    ),
    (15, 1, "def lucky(x):\n    add(x, x)", "returned nothing"),
    (15, 2, "def number_of_orders(n):\n    return n", "whose place is fixed"),
    (15, 2, "def number_of_orders(n):\n    return '6'", "should return a number"),
    (15, 2, "def number_of_orders(n):\n    n", "returned nothing"),
    (15, 2, "def number_of_orders():\n    return 6", "It gets a whole number"),
    (15, 2, "def number_of_orders(n):\n    return 6", "for n = 1 the number is not 6"),
    (
        15,
        2,
        "def number_of_orders(n):\n    return [1, 1, 2, 6, 0, 0, 0][n]",
        "whose place is fixed",
    ),
    (
        15,
        3,
        "def one_order(links):\n    return topological_orders(links)[0]",
        "not recursion",
    ),
    (15, 3, "def one_order(links):\n    return list(links)", "which node comes before"),
    (
        15,
        3,
        "def one_order(links):\n"
        "    if len(links) == 4:\n        return ['D', 'B', 'C', 'A']\n"
        "    return sorted(links, reverse=len(links) < 2_000)",
        "is not a topological order",
    ),
    (
        15,
        3,
        f"{HALF_ORDER}        for follower in links[node]:\n"
        "            waits[follower] -= 1\n            ready.append(follower)\n"
        "    return order",
        "each node belongs in it once",
    ),
    (15, 3, f"{HALF_ORDER}    return order", "each node belongs in it once"),
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
