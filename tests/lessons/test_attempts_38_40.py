"""Attempts at the exercises of lessons 38 to 40, as in `test_attempts.py`; and what is
written there, run on the classes of step 32.
"""

import numpy as np
import pytest

from steps import step32
from steps.course import builder, exercises
from tests.lessons.test_attempts import complaint, lesson_until, run
from tests.support import lesson_checks as checks

RESHAPE = (
    "class Reshape(Function):\n"
    "    def __init__(self, shape):\n        self.shape = shape\n"
    "    def forward(self, x):\n        {forward}\n"
    "    def backward(self, gy):\n        {backward}\n"
    "def reshape(x, shape):\n    return Reshape(shape)(x)\n"
)
TRANSPOSE = (
    "class Transpose(Function):\n"
    "    def __init__(self, axes=None):\n        self.axes = axes\n"
    "    def forward(self, x):\n        {forward}\n"
    "    def backward(self, gy):\n        {backward}\n"
    "def transpose(x, axes=None):\n    return Transpose(axes)(x)\n"
)
SUM = (
    "class Sum(Function):\n"
    "    def __init__(self, axis, keepdims):\n"
    "        self.axis, self.keepdims = axis, keepdims\n"
    "    def forward(self, x):\n        {forward}\n"
    "    def backward(self, gy):\n        {backward}\n"
    "def sum(x, axis=None, keepdims=False):\n    return Sum(axis, keepdims)(x)\n"
)
SPREAD = (
    "class Spread(Function):\n"
    "    def __init__(self, shape, axis, keepdims):\n"
    "        self.shape, self.axis, self.keepdims = shape, axis, keepdims\n"
    "    def forward(self, gy):\n        {forward}\n"
    "    def backward(self, ggx):\n        {backward}\n"
)
LARGEST = (
    "class Largest(Function):\n"
    "    def __init__(self, axis=None):\n        self.axis = axis\n"
    "    def forward(self, x):\n        {forward}\n"
    "    def backward(self, gy):\n        {backward}\n"
    "def largest(x, axis=None):\n    return Largest(axis)(x)\n"
)
BROADCAST_TO = (
    "class BroadcastTo(Function):\n"
    "    def __init__(self, shape):\n        self.shape = shape\n"
    "    def forward(self, x):\n        {forward}\n"
    "    def backward(self, gy):\n        {backward}\n"
    "def broadcast_to(x, shape):\n    return BroadcastTo(shape)(x)\n"
)
SUM_TO = BROADCAST_TO.replace("BroadcastTo", "SumTo").replace("broadcast_to", "sum_to")


def moves(
    reshape="return np.reshape(x, self.shape)",
    reshape_back="return reshape(gy, self.inputs[0].shape)",
    transpose="return np.transpose(x, self.axes)",
    transpose_back="axes = self.axes or range(gy.ndim)[::-1]; "
    "return transpose(gy, [list(axes).index(i) for i in range(gy.ndim)])",
):
    return RESHAPE.format(forward=reshape, backward=reshape_back) + TRANSPOSE.format(
        forward=transpose, backward=transpose_back
    )


def sums(
    forward="return np.sum(x, axis=self.axis, keepdims=self.keepdims)",
    backward="return Spread(self.inputs[0].shape, self.axis, self.keepdims)(gy)",
    spread="kept = np.empty(self.shape).sum(self.axis, keepdims=True).shape; "
    "return np.reshape(gy, kept) + np.zeros(self.shape)",
    spread_back="return sum(ggx, self.axis, self.keepdims)",
):
    return SUM.format(forward=forward, backward=backward) + SPREAD.format(
        forward=spread, backward=spread_back
    )


def largest(
    forward="return np.max(x, self.axis)",
    backward="(x,) = self.inputs; top = np.max(x.data, self.axis, keepdims=True); "
    "ties = np.sum(x.data == top, self.axis, keepdims=True); "
    "return Spread(x.shape, self.axis, False)(gy) * (x.data == top) / ties",
):
    return LARGEST.format(forward=forward, backward=backward)


def pair(
    stretch="return x + np.zeros(self.shape)",
    stretch_back="return sum_to(gy, self.inputs[0].shape)",
    shrink="return x.sum(axis=tuple(i - len(self.shape) for i in range("
    "len(self.shape)) if self.shape[i] == 1) + tuple(range(x.ndim - len(self.shape)))"
    ").reshape(self.shape)",
    shrink_back="return broadcast_to(gy, self.inputs[0].shape)",
):
    return BROADCAST_TO.format(forward=stretch, backward=stretch_back) + SUM_TO.format(
        forward=shrink, backward=shrink_back
    )


def one_line(name, arguments, result):
    return f"def {name}({arguments}):\n    return {result}\n"


def rows(result):
    return one_line("colour_rows", "images", result)


def mean_of(result):
    return one_line("mean_of", "x, axis=None, keepdims=False", result)


def distances(result):
    return one_line("distances", "a, b", result)


def normalise(*lines):
    body = "".join(f"    {line}\n" for line in lines)
    return f"def normalise(x, scale, shift, eps=1e-5):\n{body}"


IS_RIGHT = (
    "def is_right(permute):\n    x = Variable(np.arange(24.0).reshape(2, 3, 4))\n"
)
CENTRED = "d = x - mean(x, axis=0)"
VARIANCE = "v = mean(d * d, axis=0)"

RIGHT = {
    (38, 1): [
        moves(),
        moves(
            reshape="return x.flatten().reshape(self.shape)",
            reshape_back="return Reshape(self.inputs[0].data.shape)(gy)",
            transpose="return np.einsum(x, list(range(x.ndim)), self.axes or "
            "list(range(x.ndim))[::-1])",
            transpose_back="back = self.axes and [int(i) for i in "
            "np.argsort(self.axes)]; return Transpose(back)(gy)",
        ),
    ],
    (38, 2): [
        rows("images.transpose(0, 3, 1, 2).reshape(len(images), -1)"),
        rows(
            "flatten(transpose(reshape(images, (images.shape[0], -1, "
            "images.shape[3])), (0, 2, 1)))"
        ),
    ],
    (38, 3): [
        IS_RIGHT + "    return all(gradient_check(permute, x, o) and "
        "np.array_equal(permute(x, o).data, np.transpose(x.data, o)) "
        "for o in permutations(range(3)))\n",
        IS_RIGHT + "    for o in permutations(range(3)):\n        x.cleargrad()\n"
        "        y = permute(x, o)\n"
        "        if y.creator is None or y.shape != x.data.transpose(o).shape:\n"
        "            return False\n"
        "        y.grad = Variable(x.data.transpose(o) + 1)\n"
        "        try:\n            y.backward()\n"
        "        except ValueError:\n            return False\n"
        "        if (y.data != x.data.transpose(o)).any():\n            return False\n"
        "        if (x.grad.data != x.data + 1).any():\n            return False\n"
        "    return True\n",
    ],
    (39, 1): [
        sums(),
        sums(
            # The package's signs broadcast by themselves.
            backward="(x,) = self.inputs; kept = np.sum(x.data, axis=self.axis, "
            "keepdims=True).shape; return gy.reshape(*kept) * np.ones(x.shape)",
            spread="axes = range(len(self.shape)) if self.axis is None else "
            "np.atleast_1d(self.axis) % len(self.shape); kept = [1 if i in axes else n "
            "for i, n in enumerate(self.shape)]; "
            "return np.broadcast_to(gy.reshape(kept), self.shape).copy()",
            spread_back="return Sum(self.axis, self.keepdims)(ggx)",
        ),
    ],
    (39, 2): [
        mean_of("sum(x, axis, keepdims) / (x.size / sum(x, axis).size)"),
        mean_of("sum(x / (x.size // np.sum(x.data, axis).size), axis, keepdims)"),
    ],
    (39, 3): [
        largest(),
        largest(
            forward="self.y = x.max(axis=self.axis, keepdims=True); "
            "return self.y.squeeze() if self.axis is None else "
            "self.y.squeeze(self.axis)",
            backward="(x,) = self.inputs; hit = (x.data == self.y) * 1.0; "
            "count = hit.sum(axis=self.axis); "
            "return Spread(x.shape, self.axis, False)(gy / count) * hit",
        ),
    ],
    (40, 1): [
        pair(),
        pair(
            shrink="y = x.sum(axis=tuple(range(x.ndim - len(self.shape)))); "
            "return y.sum(axis=tuple(i for i, n in enumerate(self.shape) if n == 1), "
            "keepdims=True)",
            stretch="return np.broadcast_to(x, self.shape).copy()",
            stretch_back="return SumTo(self.inputs[0].shape)(gy)",
        ),
    ],
    (40, 2): [
        distances(
            "sum((reshape(a, (len(a), 1, a.shape[1])) - reshape(b, (1, *b.shape))) "
            "** 2, axis=-1)"
        ).replace("def ", "from steps.step38 import reshape\ndef "),
        distances(
            "sum(a * a, axis=1, keepdims=True) + sum(b * b, axis=1) - "
            "2 * sum(expand_dims(a, 1) * expand_dims(b, 0), axis=2)"
        ),
    ],
    (40, 3): [
        normalise(CENTRED, VARIANCE, "return shift + scale * d / (v + eps) ** 0.5"),
        normalise(
            "n = len(x)",
            "m = sum(x, axis=0, keepdims=True) / n",
            "v = sum(x * x, axis=0) / n - (m * m)",
            "return (x - m) * (v + eps) ** -0.5 * scale + shift",
        ),
    ],
}

# An attempt, and words that the check's answer must hold.
WRONG = [
    (38, 1, moves(reshape="return x"), "the shape should be (6,)"),
    (38, 1, moves(reshape="pass"), "stopped with"),
    (38, 1, moves(reshape_back="return gy"), "backward stopped with"),
    (38, 1, moves(reshape_back="return reshape(gy, self.shape)"), "stopped with"),
    (38, 1, moves(reshape_back="return gy.reshape(self.inputs[0].shape)"), "your own"),
    (38, 1, moves(transpose_back="return transpose(gy, self.axes)"), "stopped with"),
    (38, 1, moves(transpose_back="return transpose(gy)"), "stopped with"),
    (
        38,
        1,
        moves(reshape_back="return Variable(gy.data.reshape(self.inputs[0].shape))"),
        "leaves the graph",
    ),
    (38, 1, moves(transpose="return x.T"), "the shape should be (2, 4, 3)"),
    (
        38,
        1,
        moves(transpose="return x.reshape([x.shape[i] for i in self.axes or (1, 0)])"),
        "wrong places",
    ),
    (
        38,
        1,
        moves().replace("return Reshape(shape)(x)", "return x.reshape(*shape)"),
        "your class Reshape",
    ),
    (38, 2, rows("flatten(images)"), "all reds"),
    (38, 2, rows("flatten(transpose(images, (0, 3, 2, 1)))"), "column by column"),
    (38, 2, rows("transpose(images, (0, 3, 1, 2))"), "the shape should be"),
    (
        38,
        2,
        rows("Variable(images.data.transpose(0, 3, 1, 2).reshape(len(images), -1))"),
        "no way back",
    ),
    (
        38,
        2,
        rows(
            "images.transpose(0, 3, 1, 2).reshape(images.shape[0], "
            "images.shape[1] * images.shape[2] * 3)"
        ),
        "for images of shape (1, 2, 2, 4)",
    ),
    (38, 3, one_line("is_right", "permute", "True"), "did not see the fault"),
    (
        38,
        3,
        IS_RIGHT + "    return gradient_check(permute, x, (2, 0, 1))\n",
        "one that reshapes",
    ),
    (
        38,
        3,
        IS_RIGHT + "    y = permute(x, (0, 2, 1))\n"
        "    return np.array_equal(y.data, x.data.transpose(0, 2, 1)) and "
        "gradient_check(permute, x, (0, 2, 1))\n",
        "did not see the fault",
    ),
    (
        38,
        3,
        IS_RIGHT + "    for o in permutations(range(3)):\n        y = permute(x, o)\n"
        "        if not np.array_equal(y.data, x.data.transpose(o)):\n"
        "            return False\n    return True\n",
        "whose backward takes the same order again",
    ),
    (
        38,
        3,
        IS_RIGHT + "    y = permute(x, (2, 0, 1))\n    y.backward()\n"
        "    return np.array_equal(y.data, x.data.transpose(2, 0, 1))\n",
        "gradient_check turns that into False",
    ),
    (39, 1, sums(forward="return x.sum(axis=self.axis)"), "should have the shape"),
    (39, 1, sums(forward="return x.sum()"), "should have the shape"),
    (39, 1, sums(backward="return gy"), "backward stopped with"),
    (39, 1, sums(spread="return np.broadcast_to(gy, self.shape)"), "stopped with"),
    (39, 1, sums(spread_back="return ggx"), "see the line above"),
    (39, 1, sums(spread="return np.ones(self.shape)"), "wrong numbers"),
    (
        39,
        1,
        sums(
            backward="x = self.inputs[0].data; kept = x.sum(self.axis, keepdims=True)"
            ".shape; return Variable(gy.data.reshape(kept) * np.ones(x.shape))"
        ),
        "has left the graph",
    ),
    (39, 2, mean_of("sum(x, axis, keepdims) / x.size"), "too large"),
    (39, 2, mean_of("sum(x, axis, keepdims)"), "wrong values"),
    (39, 2, mean_of("mean(x, axis, keepdims)"), "not with mean"),
    (39, 2, mean_of("sum(x, axis) / len(x)"), "the sums, divided by 2"),
    (
        39,
        2,
        mean_of("sum(x, axis, keepdims) / (x.size if axis is None else x.shape[axis])"),
        "stopped with",
    ),
    (
        39,
        2,
        mean_of("Variable(np.array(x.data.mean(axis, keepdims=keepdims)))"),
        "no way back",
    ),
    (
        39,
        3,
        largest(
            backward="(x,) = self.inputs; top = np.max(x.data, self.axis, "
            "keepdims=True); "
            "return Spread(x.shape, self.axis, False)(gy) * (x.data == top)"
        ),
        "and should be",
    ),
    (
        39,
        3,
        largest(backward="return Spread(self.inputs[0].shape, self.axis, False)(gy)"),
        "that is not the largest",
    ),
    (
        39,
        3,
        largest(
            backward="(x,) = self.inputs; hit = np.zeros(x.shape); "
            "hit.flat[x.data.argmax()] = 1.0; "
            "return Spread(x.shape, self.axis, False)(gy) * hit"
        ),
        "one of the largest gets no gradient",
    ),
    (39, 3, largest(forward="return x.max()"), "should have the shape"),
    (40, 1, pair(stretch_back="return gy"), "backward stopped with"),
    (40, 1, pair(shrink="return x.sum(axis=0)"), "gives the shape"),
    (
        40,
        1,
        pair(shrink="return x.sum(axis=tuple(range(x.ndim - len(self.shape))))"),
        "gives the shape",
    ),
    (
        40,
        1,
        pair(shrink="return x[tuple(0 for _ in range(x.ndim - len(self.shape)))]"),
        "gives wrong numbers",
    ),
    (
        40,
        1,
        pair(
            shrink_back="x = self.inputs[0].data; "
            "return Variable(np.broadcast_to(gy.data, x.shape))"
        ),
        "has left the graph",
    ),
    (40, 1, pair().replace("return SumTo(shape)(x)", "return x"), "should call your"),
    (40, 2, distances("sum((a - b) ** 2)"), "stopped with"),
    (40, 2, distances("sum((expand_dims(a, 1) - b) ** 2, axis=2) ** 0.5"), "the root"),
    (
        40,
        2,
        distances("sum((expand_dims(b, 1) - a) ** 2, axis=2)"),
        "the shape should be",
    ),
    (
        40,
        2,
        distances("Variable(((a.data[:, None] - b.data) ** 2).sum(axis=2))"),
        "no way back",
    ),
    (
        40,
        3,
        normalise(
            "d = x - mean(x, axis=1, keepdims=True)",
            "v = mean(d**2, axis=1, keepdims=True)",
            "return d / (v + eps) ** 0.5 * scale + shift",
        ),
        "the mean of each column",
    ),
    (
        40,
        3,
        normalise(CENTRED, VARIANCE, "return d / v**0.5 * scale + shift"),
        "spread",
    ),
    (
        40,
        3,
        normalise(CENTRED, VARIANCE, "return d / (v + eps) * scale + shift"),
        "spread",
    ),
    (40, 3, normalise(CENTRED, "return d * scale + shift"), "spread"),
    (
        40,
        3,
        normalise(
            CENTRED,
            "v = sum(d * d, axis=0) / (len(x) - 1)",
            "return d / (v + eps) ** 0.5 * scale + shift",
        ),
        "spread",
    ),
    (
        40,
        3,
        normalise(
            "d = x - x.data.mean(axis=0)",
            VARIANCE,
            "return d / (v + eps) ** 0.5 * scale + shift",
        ),
        "depend on x, too",
    ),
    (40, 3, normalise(CENTRED, VARIANCE, "d / (v + eps) ** 0.5"), "return a variable"),
]

# Right for the inputs of the visible check, and for no others.
BY_HEART = [
    (
        38,
        1,
        moves(
            transpose_back="back = {None: None, (0, 2, 1): (0, 2, 1), (2, 0, 1): "
            "(1, 2, 0), (1, 2, 0): (2, 0, 1)}.get(self.axes, self.axes); "
            "return transpose(gy, back)"
        ),
        "stopped with",
    ),
    (
        38,
        2,
        rows(
            "flatten(transpose(images, (0, 3, 1, 2))) if images.shape[3] == 3 "
            "else flatten(images)"
        ),
        "all reds",
    ),
    (
        38,
        3,
        IS_RIGHT + "    for o in [(2, 0, 1), (0, 1, 2)]:\n"
        "        y = permute(x, o)\n"
        "        if not np.array_equal(y.data, x.data.transpose(o)):\n"
        "            return False\n"
        "        if not gradient_check(permute, x, o):\n            return False\n"
        "    return True\n",
        "alone",
    ),
    (
        39,
        1,
        sums(
            spread="axis = self.axis; "
            "axis = (0, 2) if isinstance(axis, tuple) else axis; "
            "gy = gy if axis is None or self.keepdims else np.expand_dims(gy, axis); "
            "return np.broadcast_to(gy, self.shape)"
        ),
        "wrong",
    ),
    (
        39,
        2,
        mean_of(
            "sum(x, axis, keepdims) / (x.size if axis is None else x.shape[axis] "
            "if isinstance(axis, int) else 1)"
        ),
        "the mean of",
    ),
    (
        39,
        3,
        largest(forward="return np.maximum(x.max(axis=self.axis), 0.0)"),
        "wrong values",
    ),
    (
        40,
        1,
        pair(
            shrink="lead = x.ndim - len(self.shape); "
            "y = x.sum(axis=tuple(range(lead))); "
            "i = self.shape.index(1) if 1 in self.shape else None; "
            "return y if i is None else y.sum(axis=i, keepdims=True)"
        ),
        "gives the shape",
    ),
    (
        40,
        2,
        distances(
            "sum((expand_dims(a, 1) - b) ** 2, axis=2) if len(a) != len(b) else "
            "sum((a - expand_dims(b, 1)) ** 2, axis=2)"
        ),
        "point i of a",
    ),
    (
        40,
        3,
        normalise(
            CENTRED,
            VARIANCE,
            "eps = 0.1 if eps == 0.1 else 1e-5",
            "return d / (v + eps) ** 0.5 * scale + shift",
        ),
        "spread",
    ),
]


@pytest.mark.parametrize(
    ("number", "exercise", "attempt"),
    [(*where, attempt) for where, attempts in RIGHT.items() for attempt in attempts],
)
def test_a_right_attempt_is_accepted(number, exercise, attempt):
    assert complaint(number, exercise, attempt) is None


@pytest.mark.parametrize(("number", "exercise", "attempt", "words"), WRONG)
def test_a_likely_mistake_gets_a_sentence_that_helps(number, exercise, attempt, words):
    answer = complaint(number, exercise, attempt)
    assert answer is not None, "accepted"
    assert words in answer


@pytest.mark.parametrize(("number", "exercise", "attempt", "words"), BY_HEART)
def test_an_answer_by_heart_fails_in_the_hidden_tests(number, exercise, attempt, words):
    answer = complaint(number, exercise, attempt)
    assert answer is not None, "accepted"
    assert words in answer


@pytest.mark.parametrize("number", [38, 39, 40])
def test_two_right_ways_are_kept_for_every_exercise(number):
    book = builder.assemble(number)
    count = sum(
        exercises.is_solution(checks.source(cell)) for cell in checks.code_cells(book)
    )
    assert {where for where in RIGHT if where[0] == number} == {
        (number, exercise) for exercise in range(1, count + 1)
    }
    assert all(len(attempts) >= 2 for attempts in RIGHT.values())


def test_what_is_written_runs_on_the_classes_of_step_32():
    names = {"np": np, "Function": step32.Function, "Variable": step32.Variable}
    for number in (38, 39, 40):
        _, solution, _ = lesson_until(number, 1)
        run(solution, names)

    def through_all(x):
        y = names["transpose"](names["reshape"](x, (3, 4, 2)), (2, 0, 1))
        y = (
            names["broadcast_to"](names["sum_to"](y * y, (3, 1)), (2, 3, 2))
            * y.data[..., :2]
        )
        return names["sum"](names["sum"](y, axis=(0, 2)) ** 2)

    values = np.random.default_rng(0).normal(size=(4, 6))
    constant = values.reshape(3, 4, 2).transpose(2, 0, 1)[..., :2]

    def value(array):
        y = array.reshape(3, 4, 2).transpose(2, 0, 1)
        y = (y * y).sum(axis=(0, 2)).reshape(3, 1) * constant
        return (y.sum(axis=(0, 2)) ** 2).sum()

    x = step32.Variable(values.copy())
    y = through_all(x)
    assert np.isclose(y.data, value(values))
    y.backward(create_graph=True)
    slopes = np.zeros_like(values)
    for i in np.ndindex(values.shape):
        step = np.zeros_like(values)
        step[i] = 1e-5
        slopes[i] = (value(values + step) - value(values - step)) / 2e-5
    assert np.allclose(x.grad.data, slopes, rtol=1e-4, atol=1e-5)
    assert x.grad.creator is not None
