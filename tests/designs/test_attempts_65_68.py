"""Attempts at the exercises of lessons 65 to 68: right ones in unusual ways, likely
mistakes, and answers that fit the visible tests alone.
"""

import copy
import re
from functools import cache

import numpy as np
import pytest

from steps.course import builder, exercises
from tests.designs.test_design_exercises import CONTEXT, cells
from tests.support import lesson_checks as checks
from tests.support.attempts import run


def complaint(number, exercise, attempt):
    """What the check of an exercise says to an attempt; None if it is content."""
    names = dict(before(number, exercise))
    if "can" in names:  # an attempt may write into the table
        names["can"] = copy.deepcopy(names["can"])
    run(attempt, names)
    try:
        with np.errstate(all="ignore"):
            run(cells(number)[1][exercise - 1], names)
    except AssertionError as error:
        return str(error)
    return None


@cache
def before(number, exercise):
    """What the lesson knows when it comes to the exercise."""
    names = {"__name__": "__main__"}
    run(cells(number)[0], names)
    run(f"from steps.step{number} import *", names)
    run(CONTEXT.get((number, exercise), ""), names)
    for text in asking() if (number, exercise) == (68, 1) else ():
        run(text, names)
    return names


def asking():
    """The cells of lesson 68 that ask each design what it can do."""
    texts = [checks.source(cell) for cell in checks.code_cells(builder.assemble(68))]
    first = next(i for i, text in enumerate(texts) if "def slopes_61" in text)
    last = next(i for i, text in enumerate(texts) if "can = {" in text)
    # What the lesson knows from further above.
    given = "static, dynamic = list(DESIGNS)[1:4], list(DESIGNS)[4:]"
    return [given, *texts[first : last + 1]]


def newton(*lines):
    body = "".join(f"    {line}\n" for line in lines)
    return f"def newton(f, start, steps):\n{body}"


NEWTON = (
    "place = np.array(start, dtype=float)",
    "for _ in range(steps):",
    "    at = [Scalar(n, requires_grad=True) for n in place]",
    "    out = f(*at)",
    "    place = place - np.linalg.solve(jacobian(out, at), [o.data for o in out])",
    "return place.tolist()",
)


def wrong_newton(old, new):
    attempt = newton(*NEWTON)
    assert old in attempt
    return attempt.replace(old, new)


MAXIMUM = """
def maximum(a, b):
    a_shape, b_shape = a.shape, b.shape
    taken = ~({1})
    return computed(
        {0},
        (a, lambda g: sum_to(g * taken, a_shape)),
        (b, lambda g: sum_to(g * (1 - taken), b_shape)),
    )
"""
SUMS = "def running_sum(x):\n    return computed(np.cumsum(x.data), (x, {}))"
TANH = "def tanh(x):\n    y = np.tanh(x.data)\n    return computed(y, (x, {}))"
CROSS = (
    "def cross_entropy(scores, labels):\n    n = len(labels)\n"
    "    rows = np.arange(n)\n    return {}"
)
POOL = (
    "def average_pool(x, kernel):\n    n, c, h, w = x.shape\n"
    "    rows = im2col(x.reshape(n * c, 1, h, w), kernel, kernel)\n"
    "    count = Windows.of(kernel, kernel, 0).count(x.shape)\n"
    "    return ({}).reshape(n, c, *count)"
)
PIXELS = "x.transpose(0, 2, 3, 1).reshape(-1, f)"
DECONV = (
    "def deconv2d(x, weight, stride):\n    (n, f, h, w), k = x.shape, weight.shape\n"
    "    rows = {} @ weight.reshape(f, -1)\n    stride = {}\n"
    "    size = n, k[1], (h - 1) * stride + k[2], (w - 1) * stride + k[3]\n"
    "    return col2im(rows, size, k[2:], stride)"
)
STOPWATCH = (
    "def ratio(f, g, rounds=11, clock=time.perf_counter):\n"
    "    def taken(call):\n        start = clock()\n        call()\n"
    "        return clock() - start\n    taken(f), taken(g)\n"
    "    pairs = np.array([(taken(f), taken(g)) for _ in range(rounds)])\n"
    "    return {}\n"
)
RIDGE_62 = """
def ridge_62(x, t, weights, rate):
    w, b = (step62.Shared(value, name) for value, name in zip(weights, "wb"))
    a, c = step62.matrix("a"), step62.matrix("c")
    loss = step62.mean((a @ w + b - c) ** 2) + {0}
    dw, db = step62.grad(loss, [w, b])
    old, new = [w, b], {{w: w - rate * dw, b: b - rate * db}}
    step = step62.function([a, c], [loss, *old], {1})
    while True:
        yield (found := step(x, t))[0], found[1:]
"""
RIDGE_66 = """
def ridge_66(x, t, weights, rate):
    w, b = weights = [step66.Tensor(v, requires_grad=True) for v in weights]
    while True:
        error = x @ w + b - t
        loss = (error * error).sum() / len(x) + {0}
        yield loss.data, [weight.data for weight in weights]
        loss.backward()
        for weight in weights:
            weight.data = weight.data - rate * weight.grad
"""
GOOD_66 = RIDGE_66.format("0.5 * (w * w).sum()")
GOOD_62 = RIDGE_62.format("0.5 * step62.total(w**2)", "new")
CHOSEN = (
    "answers = {{'sentences': ('step 66', 'lets_python_decide'), "
    "'night': ('step 62', 'refuses_without_data'), "
    "'newton': ('step 61', 'differentiates_twice'), "
    "'both': ('dezero_lite', 'lets_python_decide')}}\n{}"
)

RIGHT = {
    (65, 1): [
        "number_of_nodes, need_a_gradient = 3, 'eb'",
        "need_a_gradient = ['b', 'e']\nnumber_of_nodes = 1 + len(need_a_gradient)",
    ],
    (65, 2): [
        "def detach(x):\n    y = Scalar(0)\n    y.data = x.data\n    return y\n"
        "gradient_at_3 = 6 / 2",
        "def detach(x):\n    y = x * 1\n    y.node = None\n    return y\n"
        "gradient_at_3 = 3",
    ],
    (65, 3): [
        newton(
            "if steps == 0:",
            "    return list(start)",
            "u, v = Scalar(start[0], True), Scalar(start[1], True)",
            "p, q = f(u, v)",
            "(a, b), (c, d) = jacobian([p, q], [u, v])",
            "det = a * d - b * c",
            "s = (b * q.data - d * p.data) / det, (c * p.data - a * q.data) / det",
            "return newton(f, [u.data + s[0], v.data + s[1]], steps - 1)",
        ),
        newton(
            "place = np.array(start, dtype=float)",
            "while steps > 0:",
            "    leaves = [Scalar(n, requires_grad=True) for n in place]",
            "    J = np.zeros((2, 2))",
            "    values = f(*leaves)",
            "    for row, y in enumerate(values):",
            "        for leaf in leaves:",
            "            leaf.zero_grad()",
            "        if y.requires_grad:",
            "            y.backward(retain_graph=True)",
            "        J[row] = [leaf.grad or 0.0 for leaf in leaves]",
            "    place = place - np.linalg.inv(J) @ [y.data for y in values]",
            "    steps -= 1",
            "return place",
        ),
    ],
    (66, 1): [
        "def tanh(x):\n    slope = np.cosh(x.data) ** -2\n"
        "    return computed(np.tanh(x.data), (x, lambda g: np.multiply(slope, g)))",
        "def tanh(x):\n    e = np.exp(-2 * np.abs(x.data))\n"
        "    y = np.sign(x.data) * (1 - e) / (1 + e)\n"
        "    def rule(g):\n        return g - g * y**2\n"
        "    return computed(y, (x, rule))",
    ],
    (66, 2): [
        MAXIMUM.format("np.where(taken, a.data, b.data)", "b.data >= a.data"),
        "def maximum(a, b):\n    first, (p, q) = a.data > b.data, (a.shape, b.shape)\n"
        "    def part(chosen, shape):\n"
        "        return lambda g: sum_to(np.where(chosen, g, 0.0), shape)\n"
        "    rules = part(first, p), part(np.logical_not(first), q)\n"
        "    return computed(np.maximum(a.data, b.data), *zip((a, b), rules))",
        "def maximum(a, b):\n    return b + (a - b) * (a > b)",
    ],
    (66, 3): [
        "def running_sum(x):\n    n = len(x)\n"
        "    L = np.array([[float(j <= i) for j in range(n)] for i in range(n)])\n"
        "    return computed(L @ x.data, (x, lambda g: g @ L))",
        "def running_sum(x):\n    def rule(g):\n"
        "        return np.flip(np.add.accumulate(np.flip(g)))\n"
        "    return computed(np.add.accumulate(x.data), (x, rule))",
    ],
    (67, 1): [
        "def cross_entropy(scores, labels):\n    total = 0.0\n"
        "    for row, label in zip(log_softmax(scores), labels):\n"
        "        total = total - row[int(label)]\n    return total / len(labels)",
        "def cross_entropy(scores, labels):\n"
        "    here = np.zeros(scores.shape)\n"
        "    np.put_along_axis(here, labels[:, None], -1 / len(labels), axis=1)\n"
        "    return (log_softmax(scores, axis=1) * here).sum()",
        "def cross_entropy(scores, labels):\n"
        "    shifted = scores - scores.data.max(axis=1, keepdims=True)\n"
        "    sums = log(exp(shifted).sum(axis=1))\n"
        "    right = shifted[list(range(len(labels))), labels]\n"
        "    return (sums - right).sum() * (1 / len(labels))",
    ],
    (67, 2): [
        "def average_pool(x, kernel):\n"
        "    kh, kw = np.broadcast_to(kernel, 2).tolist()\n"
        "    n, c, h, w = x.shape\n"
        "    weight = Tensor(np.full((1, 1, kh, kw), 1 / (kh * kw)))\n"
        "    y = conv2d(x.reshape(n * c, 1, h, w), weight, stride=(kh, kw))\n"
        "    return y.reshape(n, c, *y.shape[2:])",
        "def average_pool(x, kernel):\n"
        "    kh, kw = kernel if isinstance(kernel, tuple) else (kernel, kernel)\n"
        "    h, w = x.shape[2] // kh * kh, x.shape[3] // kw * kw\n    total = 0.0\n"
        "    for i in range(kh):\n        for j in range(kw):\n"
        "            total = total + x[:, :, i:h:kh, j:w:kw]\n"
        "    return total / (kh * kw)",
    ],
    (67, 3): [
        "def deconv2d(x, weight, stride):\n"
        "    (n, f, h, w), k = x.shape, weight.shape\n"
        "    pixels = x.transpose(1, 0, 2, 3).reshape(f, -1)\n"
        "    rows = (weight.reshape(f, -1).T @ pixels).T\n"
        "    size = [n, k[1], (h - 1) * stride + k[2], (w - 1) * stride + k[3]]\n"
        "    return col2im(rows, tuple(size), k[2:], stride)",
        "def deconv2d(x, weight, stride):\n"
        "    (n, f, h, w), k = x.shape, weight.shape\n"
        "    size = n, k[1], (h - 1) * stride + k[2], (w - 1) * stride + k[3]\n"
        "    total = 0.0\n    for m in range(f):\n"
        "        pixels = x[:, m].reshape(n * h * w, 1)\n"
        "        total = total + pixels * weight[m].reshape(1, -1)\n"
        "    return col2im(total, size, k[2:], stride)",
    ],
    (68, 1): [
        "answers = {'sentences': ('dezero_lite', 'takes_arrays'), "
        "'night': ('step 63', 'refuses_without_data'), "
        "'newton': ('step 64', 'takes_arrays'), "
        "'both': ('dezero_lite', 'lets_python_decide')}",
        "answers = {'night': [who('refuses_without_data')[0], 'refuses_without_data']}"
        "\nfor name in 'newton', 'both':\n"
        "    answers[name] = who('differentiates_twice')[-1], 'differentiates_twice'\n"
        "answers['sentences'] = dynamic[-1], 'takes_arrays'",
    ],
    (68, 2): [
        STOPWATCH.format("np.median(pairs[:, 0]) / np.median(pairs[:, 1])"),
        "def ratio(f, g, rounds=11, clock=time.perf_counter):\n"
        "    def middle(times):\n        times, n = sorted(times), len(times)\n"
        "        return (times[n // 2] + times[(n - 1) // 2]) / 2\n"
        "    f(), g()\n    first, second = [], []\n    while len(second) < rounds:\n"
        "        a = clock(); f(); b = clock(); first.append(b - a)\n"
        "        a = clock(); g(); b = clock(); second.append(b - a)\n"
        "    return middle(first) / middle(second)",
    ],
    (68, 3): [
        RIDGE_62.format("0.5 * step62.total(w * w)", "new")
        + RIDGE_66.format("(w**2).sum() / 2").replace("w**2", "w * w"),
        RIDGE_62.format("step62.total(w @ w) / 2", "new")
        + "def ridge_66(x, t, weights, rate):\n"
        "    w, b = weights\n    while True:\n"
        "        w, b = (step66.Tensor(v, requires_grad=True) for v in (w, b))\n"
        "        miss = b + x @ w - t\n"
        "        loss = (miss * miss).sum() / len(t) + (w * w * 0.5)[0, 0]\n"
        "        yield float(loss.data), [w.data, b.data]\n        loss.backward()\n"
        "        w, b = (v.data - rate * v.grad for v in (w, b))\n",
    ],
}

WRONG = [
    (65, 1, "number_of_nodes, need_a_gradient = 5, 'be'", "constants have none"),
    (65, 1, "number_of_nodes, need_a_gradient = 3, 'bde'", "follow x"),
    (65, 1, "number_of_nodes, need_a_gradient = 'be', 3", "then a string"),
    (65, 2, "detach = lambda x: x\ngradient_at_3 = 3", "need no gradient"),
    (65, 2, "detach = lambda x: x.data\ngradient_at_3 = 3", "return a Scalar"),
    (
        65,
        2,
        "def detach(x):\n    x.node = None\n    return x\ngradient_at_3 = 3",
        "the original should stay",
    ),
    (
        65,
        2,
        "detach = lambda x: Scalar(x.data)\ngradient_at_3 = 6.0",
        "is not 6.0",
    ),
    (65, 2, "detach = lambda x: Scalar(9.0)\ngradient_at_3 = 9.0", "the same value"),
    (65, 3, newton("return start"), "not zero"),
    (65, 3, newton("pass"), "two numbers in a list"),
    (65, 3, newton("return [0.5, 1.9]"), "not zero"),
    (
        65,
        3,
        newton(
            "r = 2 + 3**0.5",
            "if steps == 6:",
            "    return [r**0.5, r**-0.5]",
            "J, f = [[4, 0.6], [0.3, 2]], [0.09, -0.4]",
            "return np.array(start) - np.linalg.solve(J, f)",
        ),
        "another f",
    ),
    (65, 3, wrong_newton("requires_grad=True", ""), "requires_grad=True"),
    (65, 3, wrong_newton("[o.data for o in out]", "out"), "newton stops"),
    (65, 3, wrong_newton("place - np", "place + np"), "not zero"),
    (65, 3, wrong_newton("place.tolist()", "at"), "return numbers, not Scalars"),
    (65, 3, wrong_newton("range(steps)", "range(6)"), "one step"),
    (66, 1, TANH.format("lambda g: 1 - y * y"), "gradient is wrong"),
    (66, 1, TANH.format("lambda g: g * (1 - y)"), "gradient is wrong"),
    (66, 1, TANH.format("lambda g: g * (1 - x * x)"), "the rule takes"),
    (66, 1, TANH.format("lambda g: None"), "the rule takes"),
    (66, 1, TANH.format("lambda g: g * np.array([0.42, 1, 0.07])"), "is wrong"),
    (
        66,
        1,
        "def tanh(x):\n    array = x.data\n    table = [np.cosh(v) ** -2 for v in "
        "(-1.0, 0.0, 2.0)]\n"
        "    return computed(np.tanh(array), (x, lambda g: g * np.array(table)))",
        "the shape",
    ),
    (
        66,
        1,
        "def tanh(x):\n    y = computed(np.tanh(x.data), "
        "(x, lambda g: g * (1 - y.data**2)))\n    return y",
        "holds the new tensor",
    ),
    (66, 1, "tanh = lambda x: np.tanh(x.data)", "should return computed"),
    (66, 2, "maximum = lambda a, b: np.maximum(a, b)", "with a.data and b.data"),
    (66, 2, "maximum = lambda a, b: Tensor(np.maximum(a.data, b.data))", "needs edges"),
    (66, 2, "maximum = lambda a, b: a if a.size > b.size else b", "value is wrong"),
    (
        66,
        2,
        MAXIMUM.format("np.maximum(a.data, b.data)", "b.data > a.data"),
        "equal numbers",
    ),
    (
        66,
        2,
        MAXIMUM.format("np.maximum(a.data, b.data)", "b.data >= a.data").replace(
            "sum_to(g * (1 - taken), b_shape)", "g * (1 - taken)"
        ),
        "shapes",
    ),
    (
        66,
        2,
        "def sum_to(g, shape):\n    return g if g.shape == shape else g.sum(axis=0)\n"
        + MAXIMUM.format("np.maximum(a.data, b.data)", "b.data >= a.data"),
        "shapes",
    ),
    (66, 3, SUMS.format("np.cumsum"), "hands 1 to these two"),
    (66, 3, SUMS.format("lambda g: g"), "hands 1 to these two"),
    (66, 3, SUMS.format("lambda g: g.sum()"), "the rule"),
    (66, 3, "running_sum = lambda x: np.cumsum(x.data)", "return a Tensor"),
    (66, 3, "running_sum = lambda x: Tensor(np.cumsum(x.data))", "an edge"),
    (
        66,
        3,
        "def running_sum(x):\n    y = [1.0, 3, 6] if len(x) == 3 else "
        "[0.1, 0, 0.6, 0.7, 0.2, 0.5]\n    L = np.tri(len(x))\n"
        "    return computed(np.array(y), (x, lambda g: g @ L))",
        "wrong",
    ),
    (
        66,
        3,
        "def running_sum(x):\n    L = np.tri(6)[: len(x), : len(x)]\n"
        "    return computed(L @ x.data[:6], (x, lambda g: np.resize(g @ L, len(x))))",
        "n = 9",
    ),
    (67, 1, CROSS.format("-softmax(scores)[rows, labels].sum() / len(labels)"), "loss"),
    (67, 1, CROSS.format("log_softmax(scores)[rows, labels].sum() / 3"), "the sign"),
    (67, 1, CROSS.format("-log_softmax(scores)[rows, labels].sum()"), "the mean"),
    (67, 1, CROSS.format("-log_softmax(scores)[rows, labels].sum() / 3"), "2000"),
    (67, 1, CROSS.format("-log_softmax(scores)[rows, labels] / 3"), "a single number"),
    (67, 1, CROSS.format("-log_softmax(scores)[labels].sum() / 3"), "the loss is"),
    (67, 1, CROSS.format("-np.log(softmax(scores))[rows, labels]"), "stops"),
    (67, 1, CROSS.format("-log(softmax(scores))[rows, labels].sum() / n"), "2000"),
    (
        67,
        1,
        CROSS.format("-Tensor(log_softmax(scores).data)[rows, labels].sum() / n"),
        "use tensors",
    ),
    (
        67,
        1,
        CROSS.format("-log_softmax(scores)[rows, rows].sum() / n"),
        "the loss is",
    ),
    (
        67,
        1,
        CROSS.format("-log_softmax(scores)[rows[:3], labels[:3]].sum() / n"),
        "wrong for scores",
    ),
    (67, 2, POOL.format("rows.sum(axis=1)"), "not the mean"),
    (67, 2, POOL.format("rows.sum(axis=1) / 4"), "wrong for images"),
    (67, 2, POOL.format("rows.sum(axis=0)"), "stops"),
    (67, 2, POOL.format("rows.data.mean(axis=1)"), "should return a Tensor"),
    (67, 2, POOL.format("Tensor(rows.data.mean(axis=1))"), "all the way"),
    (67, 2, "average_pool = max_pool", "not the mean 5"),
    (
        67,
        2,
        "def average_pool(x, kernel):\n"
        "    (kh, kw), s = np.broadcast_to(kernel, 2), (3, 5)\n"
        "    n, c, h, w = x.shape\n"
        "    x = x.reshape(n, c, h // kh, kh, w // kw, kw)\n"
        "    return x.sum(axis=s) / (kh * kw)",
        r"images \(2, 2, 5, 4\)",
    ),
    (67, 3, DECONV.format("x.reshape(-1, f)", "stride"), "number by number"),
    (67, 3, DECONV.format(PIXELS, "2"), "wrong for x"),
    (67, 3, DECONV.format(f"{PIXELS}.data", "stride"), "stops|shapes|all the way"),
    (67, 3, DECONV.format("x.transpose(0, 2, 3, 1)", "stride"), "print the shapes"),
    (68, 1, CHOSEN.format("answers['night'] = None"), "night: write"),
    (68, 1, CHOSEN.format("answers['night'] = 62"), "night: write"),
    (68, 1, CHOSEN.format("del answers['night']"), "night: write"),
    (68, 1, CHOSEN.format("answers['night'] = 'step 60', 'goes_deep'"), "is none of"),
    (
        68,
        1,
        CHOSEN.format("answers['newton'] = 'step 66', 'takes_arrays'"),
        "the table says no to",
    ),
    (
        68,
        1,
        CHOSEN.format("answers['both'] = 'step 61', 'differentiates_twice'"),
        "says no to .'lets_python_decide'",
    ),
    (
        68,
        1,
        CHOSEN.format("answers['both'] = 'dezero_lite', 'takes_arrays'"),
        "not what the task is about",
    ),
    (
        68,
        1,
        CHOSEN.format(
            "can['lets_python_decide']['step 61'] = True\n"
            "answers['sentences'] = 'step 61', 'lets_python_decide'"
        ),
        "asked again, no",
    ),
    (68, 2, "def ratio(f, g, rounds=11, clock=None):\n    f()\n    g()", "a number"),
    (68, 2, STOPWATCH.format("pairs[:, 0].mean() / pairs[:, 1].mean()"), "medians"),
    (68, 2, STOPWATCH.format("np.median(pairs[:, 0] / pairs[:, 1]) + 0.5"), "medians"),
    (
        68,
        2,
        STOPWATCH.format("np.median(pairs[:, 1]) / np.median(pairs[:, 0])"),
        "medians",
    ),
    (
        68,
        2,
        STOPWATCH.format("3.0").replace("    taken(f), taken(g)\n", ""),
        "in turns",
    ),
    (68, 2, STOPWATCH.format("3.0"), "wrong for"),
    (
        68,
        2,
        STOPWATCH.format("np.median(pairs[:, 0]) / np.median(pairs[:, 1])").replace(
            "range(rounds)", "range(5)"
        ),
        "rounds are not",
    ),
    (
        68,
        2,
        STOPWATCH.format("np.median(pairs[:, 0]) / np.median(pairs[:, 1])").replace(
            "rounds=11", "rounds=3"
        ),
        "should be eleven",
    ),
    (68, 3, GOOD_62 + GOOD_66.replace("0.5", "0.25"), "the first loss"),
    (68, 3, GOOD_62 + RIDGE_66.format("0.5 * (b * b).sum()"), "ridge_66: the first"),
    (68, 3, RIDGE_62.format("0.5 * w**2", "new") + GOOD_66, "ridge_62 stops"),
    (
        68,
        3,
        RIDGE_62.format("0.5 * step62.total(w**2)", "{}") + GOOD_66,
        "ridge_62 is off",
    ),
    (
        68,
        3,
        GOOD_62 + GOOD_66.replace("weight.data - rate", "weight.data + rate"),
        "ridge_66 is off|ridge_66 stops",
    ),
    (
        68,
        3,
        GOOD_62 + "def ridge_66(x, t, weights, rate):\n    return weights\n",
        "use yield",
    ),
    (68, 3, "def ridge_62(*task):\n    yield\n" + GOOD_66, "ridge_62 stops"),
    (
        68,
        3,
        GOOD_62 + GOOD_66.replace("x @ w", "line_task().x @ w"),
        "ridge_66: the first loss",
    ),
    (
        68,
        3,
        GOOD_62 + GOOD_66.replace("[weight.data for weight in weights]", "[w.data]"),
        "yield the loss and the weights",
    ),
]


@pytest.mark.parametrize(
    ("number", "exercise", "attempt"),
    [(*where, attempt) for where, attempts in RIGHT.items() for attempt in attempts],
)
def test_a_right_solution_in_another_way_is_accepted(number, exercise, attempt):
    assert complaint(number, exercise, attempt) is None


@pytest.mark.parametrize(("number", "exercise", "attempt", "words"), WRONG)
def test_a_wrong_answer_is_answered_with_a_sentence(number, exercise, attempt, words):
    answer = complaint(number, exercise, attempt)
    assert answer is not None, "accepted"
    assert re.search(words, answer), answer


@pytest.mark.parametrize("number", range(65, 69))
def test_two_right_ways_are_kept_for_every_exercise(number):
    book = builder.assemble(number)
    count = sum(
        exercises.is_solution(checks.source(cell)) for cell in checks.code_cells(book)
    )
    assert {where for where in RIGHT if where[0] == number} == {
        (number, exercise) for exercise in range(1, count + 1)
    }
    assert all(len(attempts) >= 2 for attempts in RIGHT.values())
