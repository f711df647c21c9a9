"""gradient_check must pass what is right and catch what is wrong: each planted bug is
one that somebody has written.
"""

import re

import numpy as np
import pytest

from dezero_lite import Config, Function, Variable, core
from dezero_lite.core import BroadcastTo, Div, Mul, SumTo, sum_to
from dezero_lite.gradcheck import gradient_check, numerical_grad
from tests.support.arrays import uniform


def random(*shape, dtype=float, name=None, seed=0):
    return Variable(uniform(*shape, seed=seed, dtype=dtype), name)


class Softmax(Function):
    def forward(self, x):
        y = np.exp(x - x.max(axis=1, keepdims=True))
        return y / y.sum(axis=1, keepdims=True)

    def vjp(self, xs, gy):
        y = self.output(0, like=gy)
        gx = y * gy
        return gx - y * SumTo((gx.shape[0], 1)).on(gx)


class ZeroSoftmax(Softmax):
    def vjp(self, xs, gy):
        return gy * 0


class MeanGradientSoftmax(Softmax):
    """Right if the incoming gradient is the same everywhere, and only then."""

    def vjp(self, xs, gy):
        y = self.output(0, like=gy)
        return y * gy - y * gy * SumTo((gy.shape[0], 1)).on(y)


class Row(Function):
    """Sums over the columns."""

    def forward(self, x):
        return x.sum(axis=1, keepdims=True)

    def vjp(self, xs, gy):
        return BroadcastTo(xs[0].shape).on(gy)


class WrongAxis(Row):
    def vjp(self, xs, gy):
        n = xs[0].shape[0]
        across = gy.data.T if isinstance(gy, Variable) else gy.T
        return np.broadcast_to(across, (n, n)).copy()


class MulForDiv(Div):
    def left(self, gy, a, b):
        return gy * b


class WithoutSumTo(Mul):
    broadcasts = False

    def vjp(self, xs, gy):
        a, b = xs
        return gy * b, gy * a


class SumsToTheWrongPart(Mul):
    """Keeps the shape, but takes a slice where a sum belongs."""

    def vjp(self, xs, gy):
        a, b = xs
        return gy * b, SumTo(b.shape).on(
            (gy * a) * (np.arange(a.shape[0]) == 0)[:, None]
        )


class CutSquare(Function):
    """The first order is right, but the way to the second is cut."""

    def forward(self, x):
        return x**2

    def backward(self, gy):
        (x,) = self.inputs
        return Variable(2 * x.data) * gy


class OtherOnVariables(Function):
    """Another gradient for Variables than for arrays."""

    def forward(self, x):
        return x**2

    def vjp(self, xs, gy):
        return gy * xs[0] * (3 if isinstance(gy, Variable) else 2)


class KeepsItsGradient(Function):
    """Hands out one array, backward after backward."""

    def forward(self, x):
        self.slope = np.full_like(x, 3)
        return x * 3

    def vjp(self, xs, gy):
        if isinstance(gy, Variable):
            return gy * 3
        self.slope[...] = 3 * gy
        return self.slope


class WritesIntoGradient(Function):
    def forward(self, x):
        return x * 2

    def vjp(self, xs, gy):
        if isinstance(gy, Variable):
            return gy * 2
        gy *= 2
        return gy


class WritesIntoInput(Function):
    def forward(self, x):
        x *= 2
        return x * 1

    def vjp(self, xs, gy):
        return gy * 2


class WidensBack(Function):
    def forward(self, x):
        return x * 2

    def vjp(self, xs, gy):
        return gy * 2.0


RIGHT = {
    "operators": (
        lambda a, b: a**b / (a + b * b) - 2**a * b,
        random(3, 1),
        random(4, seed=1),
    ),
    "numbers": (lambda a: 2 / a - a / 2 + 3 * a**2 - a, random(2, 3)),
    "softmax": (Softmax(), random(3, 4)),
    "no dimensions": (lambda a, b: a * b + a, random(), random(seed=1)),
    "size zero": (lambda a, b: a * b, random(0, 3), random(1)),
    "float32": (
        lambda a, b: a * b / (a + b),
        random(3, dtype=np.float32),
        random(2, 3, dtype=np.float32),
    ),
    "mixed dtypes": (
        lambda a, b: a * b / (a + b),
        random(3, dtype=np.float32),
        random(2, 3),
    ),
    "constants": (lambda a, b, c: a * b + c, random(3), np.arange(3), 2),
    "array": (lambda a: a * a, np.array([1.0, 2.0])),
    "whole numbers": (lambda a: a * a, np.array([1, 2])),
    "linear": (lambda a: a + 1, random(3)),
    "same": (lambda a: a, random(3)),
    "no influence": (lambda a, b: a * 2, random(3), random(2)),
    "two outputs": (lambda a, b: (a * b, a + b), random(3), random(3, seed=1)),
    "row": (Row(), random(3, 3)),
}


@pytest.mark.parametrize("name", RIGHT)
def test_passes_what_is_right(name, capsys):
    assert gradient_check(*RIGHT[name]) is True
    assert capsys.readouterr().out == ""


WRONG = {
    "zeros": (
        ZeroSoftmax,
        [(3, 4)],
        "the gradient of input 0 .x. is wrong in 12 of 12",
    ),
    "right for ones only": (MeanGradientSoftmax, [(3, 4)], "the gradient of input 0"),
    "* for /": (MulForDiv, [(3,), (3,)], "the gradient of input 0"),
    "no sum_to": (
        WithoutSumTo,
        [(3, 2), (2,)],
        "has shape .3, 2., but belongs to a Variable of shape .2,.",
    ),
    "slice for sum": (SumsToTheWrongPart, [(3, 2), (2,)], "the gradient of input 1"),
    "wrong axis": (WrongAxis, [(3, 3)], "the gradient of input 0"),
    "second order cut": (CutSquare, [(3,)], "the second-order gradient of input 0"),
    "another rule for Variables": (
        OtherOnVariables,
        [(3,)],
        "the gradient with create_graph of input 0",
    ),
    "one array for all": (KeepsItsGradient, [(3,)], "shares its memory"),
    "writes into gy": (
        WritesIntoGradient,
        [(3,)],
        "came from the output has been written into",
    ),
    "writes into x": (WritesIntoInput, [(3,)], "input 0 .x. has been written into"),
}


@pytest.mark.parametrize("name", WRONG)
def test_catches_what_is_wrong(name, capsys):
    bug, shapes, report = WRONG[name]
    inputs = [random(*shape, seed=i, name="xy"[i]) for i, shape in enumerate(shapes)]
    assert gradient_check(lambda *xs: bug()(*xs), *inputs) is False
    printed = capsys.readouterr().out
    assert printed.startswith("gradient_check failed: ")
    assert re.search(report, printed), printed


def test_ones_alone_would_not_have_caught_it():
    x = random(3, 4)
    for softmax in (ZeroSoftmax, MeanGradientSoftmax):
        x.cleargrad()
        softmax()(x).backward()
        np.testing.assert_allclose(x.grad.data, numerical_grad(Softmax(), x), atol=1e-9)


def test_catches_gradients_that_alias(monkeypatch, capsys):
    a, b = random(3), random(3, seed=1)
    assert gradient_check(lambda a, b: a + b, a, b)
    monkeypatch.setattr(core.backward, "is_fresh", lambda gx, f, memory: True)
    assert not gradient_check(lambda a, b: a + b, a, b)
    assert (
        "the gradient of input 1 shares its memory with another array"
        in capsys.readouterr().out
    )


@pytest.mark.parametrize("what", ["dtype", "shape"])
def test_catches_a_gradient_of_another_form(what, monkeypatch, capsys):
    form = {
        "dtype": lambda gx: gx.astype(np.float64),
        "shape": lambda gx: gx.reshape(1, -1),
    }[what]
    monkeypatch.setattr(core.backward, "is_fresh", lambda gx, f, memory: False)
    monkeypatch.setattr(core.backward, "copied", lambda gx: form(gx).copy())
    assert not gradient_check(WidensBack(), random(3, dtype=np.float32))
    assert "is float32 (3,), but its gradient is float" in capsys.readouterr().out


@pytest.mark.parametrize("at", [0, 1, 2])
def test_checks_every_input(at, capsys):
    class Bent(Function):
        def forward(self, *xs):
            return xs[0] * xs[1] * xs[2]

        def vjp(self, xs, gy):
            a, b, c = xs
            gxs = [gy * b * c, gy * a * c, gy * a * b]
            gxs[at] = gxs[at] * 1.01
            return tuple(gxs)

    assert not gradient_check(Bent(), random(2), random(2, seed=1), random(2, seed=2))
    assert (
        f"the gradient of input {at} is wrong in 2 of 2 elements"
        in capsys.readouterr().out
    )


def test_says_which_element_is_worst(capsys):
    class OneOff(Function):
        def forward(self, x):
            return x * 2

        def vjp(self, xs, gy):
            return gy * (2 + np.array([[0, 0, 0], [0, 0, 1]]))

    assert not gradient_check(OneOff(), random(2, 3, name="x"))
    assert "input 0 (x) is wrong in 1 of 6 elements: backward says" in (
        out := capsys.readouterr().out
    )
    assert "at (1, 2), where" in out


def test_leaves_no_trace_and_can_be_called_twice():
    a, b, inside = random(3), random(3, seed=1), random(3, seed=2)
    a.grad = Variable(np.full(3, 7.0))
    before = [v.data.copy() for v in (a, b, inside)]
    kept = a.grad
    for _ in range(2):
        assert gradient_check(
            lambda a, b, scale=1: a * b * inside * scale, a, b, scale=3
        )
    assert a.grad is kept
    assert a.grad.data.tolist() == [7, 7, 7]
    assert (b.grad, inside.grad) == (None, None)
    for v, data in zip((a, b, inside), before, strict=True):
        assert v.creator is None
        np.testing.assert_array_equal(v.data, data)
    assert Config.enable_backprop


def test_says_what_a_second_backward_gives_and_what_the_first_gave(capsys):
    class Grows(Function):
        slope = 0

        def forward(self, x):
            return x * 2

        def vjp(self, xs, gy):
            self.slope += 2
            return gy * self.slope

    assert not gradient_check(lambda x: Grows()(x), random(3))
    said = capsys.readouterr().out
    assert "the gradient by a second backward of input 0 is wrong in 3 of 3" in said
    found, right = re.search(r"says (\S+) at .*where (\S+) is right", said).groups()
    assert float(found) == pytest.approx(2 * float(right))


def test_tolerances_are_the_callers():
    class Rough(Function):
        def forward(self, x):
            return x * 2

        def vjp(self, xs, gy):
            return gy * 2.001

    assert not gradient_check(Rough(), random(3))
    assert gradient_check(Rough(), random(3), rtol=1e-2)
    assert gradient_check(Rough(), random(3), rtol=0, atol=0.1)


def test_numerical_grad():
    x = Variable(np.array([[1.0, 2.0], [3.0, 4.0]], dtype=np.float32))
    found = numerical_grad(
        lambda x, b, c=0: x**2 * b + c, x, np.array([1.0, 10.0]), c=5
    )
    assert (found.shape, found.dtype) == ((2, 2), np.float64)
    np.testing.assert_allclose(found, [[2, 40], [6, 80]], rtol=1e-7)
    np.testing.assert_allclose(
        numerical_grad(lambda x: x.data**2, np.array(3.0)), 6, rtol=1e-7
    )
    np.testing.assert_allclose(
        numerical_grad(lambda x: (x, sum_to(x, (1,))), np.array([3, 4])),
        [2, 2],
        rtol=1e-7,
    )
    assert x.data.tolist() == [[1, 2], [3, 4]]
