"""gradient_check must pass correct functions and catch wrong ones: each planted bug is
one that somebody has written.
"""

import re

import numpy as np
import pytest

from dezero_lite import Variable, core
from dezero_lite.core import BroadcastTo, Div, Mul, Primitive, SumTo
from dezero_lite.gradcheck import gradient_check
from tests.support.arrays import uniform


def random(*shape, dtype=float, name=None, seed=0):
    return Variable(uniform(*shape, seed=seed, dtype=dtype), name)


class Softmax(Primitive):
    def forward(self, x):
        y = np.exp(x - x.max(axis=1, keepdims=True))
        return y / y.sum(axis=1, keepdims=True)

    def vjp(self, xs, gy):
        y = self.output(0, like=gy)
        gx = y * gy
        return gx - y * SumTo((gx.shape[0], 1)).apply(gx)


class Row(Primitive):
    """Sums over the columns."""

    def forward(self, x):
        return x.sum(axis=1, keepdims=True)

    def vjp(self, xs, gy):
        return BroadcastTo(xs[0].shape).apply(gy)


def bug(base=Primitive, **parts):
    """Make a class with a fault in one of its methods."""
    return type("Bug", (base,), parts)


def doubled(self, x):
    return x * 2


# Right only if the incoming gradient is the same everywhere.
def mean_gradient(self, xs, gy):
    y = self.output(0, like=gy)
    return y * gy - y * gy * SumTo((gy.shape[0], 1)).apply(y)


def across(self, xs, gy):
    n = xs[0].shape[0]
    turned = gy.data.T if isinstance(gy, Variable) else gy.T
    return np.broadcast_to(turned, (n, n)).copy()


# Keeps the shape, but takes a slice where a sum belongs.
def sums_to_a_part(self, xs, gy):
    a, b = xs
    first = (np.arange(a.shape[0]) == 0)[:, None]
    return gy * b, SumTo(b.shape).apply((gy * a) * first)


# The first order is right, but the graph for the second is cut.
def cut(self, gy):
    (x,) = self.inputs
    return Variable(2 * x.data) * gy


# Returns the same array in every backward pass.
def keeps_its_gradient(self, xs, gy):
    if isinstance(gy, Variable):
        return gy * 2
    self.slope = getattr(self, "slope", np.empty_like(gy))
    self.slope[...] = 2 * gy
    return self.slope


def writes_into_gradient(self, xs, gy):
    if isinstance(gy, Variable):
        return gy * 2
    gy *= 2
    return gy


def steeper_for_variables(self, xs, gy):
    return gy * xs[0] * (2 + isinstance(gy, Variable))


def steeper_unless_recorded(self, gy):
    return gy * (2 if core.Config.enable_backprop else 3)


def steeper_at_the_end(self, xs, gy):
    return gy * (2 + np.array([[0, 0, 0], [0, 0, 1]]))


def writes_into_input(self, x):
    x *= 2
    return x * 1


COMBINED = lambda a, b: a**b / (a + b * b) - 2**a * b
HARMONIC = lambda a, b: a * b / (a + b)
SINGLE = random(3, dtype=np.float32)
RIGHT = {
    "operators": (COMBINED, random(3, 1), random(4, seed=1)),
    "numbers": (lambda a: 2 / a - a / 2 + 3 * a**2 - a, random(2, 3)),
    "softmax": (Softmax(), random(3, 4)),
    "no dimensions": (lambda a, b: a * b + a, random(), random(seed=1)),
    "size zero": (lambda a, b: a * b, random(0, 3), random(1)),
    "float32": (HARMONIC, SINGLE, random(2, 3, dtype=np.float32)),
    "mixed dtypes": (HARMONIC, SINGLE, random(2, 3)),
    "constants": (lambda a, b, c: a * b + c, random(3), np.arange(3), 2),
    "array": (lambda a: a * a, np.array([1.0, 2.0])),
    "whole numbers": (lambda a: a * a, np.array([1, 2])),
    "linear": (lambda a: a + 1, random(3)),
    "same": (lambda a: a, random(3)),
    "no influence": (lambda a, b: a * 2, random(3), random(2)),
    "two outputs": (lambda a, b: (a * b, a + b), random(3), random(3, seed=1)),
    "row": (Row(), random(3, 3)),
    "a number that is none, without influence": (
        lambda a: a[:1] * 2,
        np.array([1.0, np.nan]),
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_passes_what_is_right(name, capsys):
    assert gradient_check(*RIGHT[name]) is True
    assert capsys.readouterr().out == ""


ZERO = bug(Softmax, vjp=lambda self, xs, gy: gy * 0)
MEAN = bug(Softmax, vjp=mean_gradient)
SQUARE = {"forward": lambda self, x: x**2}
DOUBLE = {"forward": doubled, "vjp": lambda self, xs, gy: gy * 2.0}
CUT = bug(**SQUARE, backward=cut)
OTHER = bug(**SQUARE, vjp=steeper_for_variables)
PLAIN = bug(forward=doubled, backward=steeper_unless_recorded)
KEEPS = bug(forward=doubled, vjp=keeps_its_gradient)
INTO_GY = bug(forward=doubled, vjp=writes_into_gradient)
INTO_X = bug(**DOUBLE | {"forward": writes_into_input})
AT_THE_END = bug(forward=doubled, vjp=steeper_at_the_end)
ONE, TWO, FIRST = [(3,)], [(3, 2), (2,)], "the gradient of input 0"
WHERE = r"input 0 .x. is wrong in 1 of 6 elements: backward returned.*at \(1, 2\), but"
# The fault, the shapes of its inputs, and the message.
WRONG = {
    "zeros": (ZERO, [(3, 4)], "the gradient of input 0 .x. is wrong in 12 of 12"),
    "right for ones only": (MEAN, [(3, 4)], FIRST),
    "* for /": (bug(Div, vjp_left=lambda self, gy, a, b: gy * b), ONE * 2, FIRST),
    "no sum_to": (
        bug(Mul, broadcasts=False, vjp=lambda self, xs, gy: (gy * xs[1], gy * xs[0])),
        TWO,
        "has shape .3, 2., but belongs to a Variable of shape .2,.",
    ),
    "slice for sum": (bug(Mul, vjp=sums_to_a_part), TWO, "the gradient of input 1"),
    "wrong axis": (bug(Row, vjp=across), [(3, 3)], FIRST),
    "second order cut": (CUT, ONE, "the second-order gradient of input 0"),
    "by Variables": (OTHER, ONE, "the gradient with create_graph of input 0"),
    "by a plain backward": (PLAIN, ONE, FIRST),
    "one array for all": (KEEPS, ONE, "shares its memory"),
    "writes into gy": (INTO_GY, ONE, "from the output was modified in place"),
    "writes into x": (INTO_X, ONE, "input 0 .x. was modified in place"),
    "one element": (AT_THE_END, [(2, 3)], WHERE),
}


@pytest.mark.parametrize("name", WRONG)
def test_catches_what_is_wrong(name, capsys):
    fault, shapes, report = WRONG[name]
    inputs = [random(*shape, seed=i, name="xy"[i]) for i, shape in enumerate(shapes)]
    assert gradient_check(lambda *xs: fault()(*xs), *inputs) is False
    printed = capsys.readouterr().out
    assert printed.startswith("gradient_check failed: ")
    assert re.search(report, printed), printed


def test_catches_gradients_that_alias(monkeypatch, capsys):
    a, b = random(3), random(3, seed=1)
    assert gradient_check(lambda a, b: a + b, a, b)
    monkeypatch.setattr(core.backward, "is_fresh", lambda *_: True)
    assert not gradient_check(lambda a, b: a + b, a, b)
    shared = "the gradient of input 1 shares its memory with another array"
    assert shared in capsys.readouterr().out


@pytest.mark.parametrize("what", ["dtype", "shape"])
def test_catches_a_gradient_of_another_form(what, monkeypatch, capsys):
    form = {
        "dtype": lambda gx: gx.astype(np.float64),
        "shape": lambda gx: gx.reshape(1, -1),
    }[what]
    monkeypatch.setattr(core.backward, "is_fresh", lambda *_: False)
    monkeypatch.setattr(core.backward, "copy_gradient", lambda gx: form(gx).copy())
    assert not gradient_check(bug(**DOUBLE)(), random(3, dtype=np.float32))
    assert "is float32 (3,), but its gradient is float" in capsys.readouterr().out


@pytest.mark.parametrize("at", [0, 1, 2])
def test_checks_every_input(at, capsys):
    def vjp(self, xs, gy):
        a, b, c = xs
        gxs = [gy * b * c, gy * a * c, gy * a * b]
        gxs[at] = gxs[at] * 1.01
        return tuple(gxs)

    bent = bug(forward=lambda self, a, b, c: a * b * c, vjp=vjp)
    assert not gradient_check(bent(), *[random(2, seed=i) for i in range(3)])
    report = f"the gradient of input {at} is wrong in 2 of 2 elements"
    assert report in capsys.readouterr().out


def test_says_what_a_second_backward_gives_and_what_the_first_gave(capsys):
    def vjp(self, xs, gy):
        self.slope = getattr(self, "slope", 0) + 2
        return gy * self.slope

    grows = bug(forward=doubled, vjp=vjp)
    assert not gradient_check(lambda x: grows()(x), random(3))
    said = capsys.readouterr().out
    assert "the gradient by a second backward of input 0 is wrong in 3 of 3" in said
    found, right = re.search(r"returned (\S+) at .*slope is (\S+)", said).groups()
    assert float(found) == pytest.approx(2 * float(right))


def test_tolerances_are_the_callers():
    rough = bug(forward=doubled, vjp=lambda self, xs, gy: gy * 2.001)()
    assert not gradient_check(rough, random(3))
    assert gradient_check(rough, random(3), rtol=1e-2)
    assert gradient_check(rough, random(3), rtol=0, atol=0.1)
