"""What the snapshots say to the mistakes that people make first, and what they accept.

Each from the step on in which a lesson teaches it.
"""

from importlib import import_module

import numpy as np
import pytest

from steps import step32
from steps.course.lessons import StepKind, of_kind
from tests.support.arrays import assert_equal


def snapshots(first, last=32):
    numbers = [n for n in of_kind(StepKind.SNAPSHOT) if first <= n <= last]
    return pytest.mark.parametrize(
        "step",
        [import_module(f"steps.step{n:02d}") for n in numbers],
        ids=lambda step: step.__name__,
    )


@snapshots(9)
def test_an_empty_box_is_allowed(step):
    assert step.Variable(None).data is None
    with pytest.raises(TypeError, match="not type list"):
        step.Variable([1.0])


@snapshots(9)
def test_a_function_that_gets_its_input_too_early_says_how_to_call_it(step):
    class Cube(step.Function):
        pass

    x = step.Variable(np.array(2.0))
    with pytest.raises(TypeError, match=r"make the function first.*Cube\(\)\(x\)"):
        Cube(x)


@snapshots(9, 10)
@pytest.mark.parametrize("result", [None, [1.0]])
def test_a_forward_that_returns_no_array_is_named(step, result):
    class Wrong(step.Function):
        def forward(self, x):
            return result

    with pytest.raises(TypeError, match=r"Wrong\.forward must return an array"):
        Wrong()(step.Variable(np.array(2.0)))


@snapshots(12)
@pytest.mark.parametrize(
    "result", [None, [np.array(1.0), np.array(2.0)], (np.array(1.0), None)]
)
def test_a_forward_that_returns_no_arrays_is_named(step, result):
    class Wrong(step.Function):
        def forward(self, x):
            return result

    with pytest.raises(TypeError, match=r"Wrong\.forward must .* a tuple of arrays"):
        Wrong()(step.Variable(np.array(2.0)))


@snapshots(21)
@pytest.mark.parametrize("value", [2.0, 2, np.float32(2.0), np.array(2.0)])
def test_everything_that_is_a_number_becomes_a_variable(step, value):
    made = step.as_variable(value)
    assert isinstance(made, step.Variable)
    assert isinstance(made.data, np.ndarray)
    assert made.data == 2.0
    assert step.square(value).data == 4.0
    assert step.mul(value, value).data == 4.0


@snapshots(21)
@pytest.mark.parametrize("function", [np.exp, np.sum, np.array, np.sqrt, np.mean])
def test_numpys_functions_say_what_to_use_instead(step, function):
    with pytest.raises(TypeError, match=r"use x\.data, or ours: exp\(x\)"):
        function(step.Variable(np.array([1.0, 2.0])))


@snapshots(21)
@pytest.mark.parametrize(
    "left", [np.array([3.0]), np.array(3.0), np.float64(3), np.float32(3), 3.0, 3]
)
def test_numbers_and_arrays_leave_operators_to_the_variable_on_the_right(step, left):
    x = step.Variable(np.array([1.0, 2.0]))
    pairs = [(left + x, [4.0, 5.0]), (left * x, [3.0, 6.0])]
    if hasattr(step, "rsub"):
        pairs += [(left - x, [2.0, 1.0]), (left / x, [3.0, 1.5])]
    for y, expected in pairs:
        assert isinstance(y, step.Variable)
        assert_equal(y.data, expected)


# --- Step 32: gradients are variables -------------------------------------------------


class OldCube(step32.Function):
    """With a backward as it was written before step 32."""

    def forward(self, x):
        return x**3

    def backward(self, gy):
        return 3 * self.inputs[0].data ** 2 * gy.data


def test_a_gradient_is_a_variable_even_where_a_backward_returns_an_array():
    x = step32.Variable(np.array([1.0, 2.0]))
    y = OldCube()(x) * 2
    y.backward(create_graph=True)
    assert isinstance(x.grad, step32.Variable)
    assert_equal(x.grad.data, np.array([6.0, 24.0]))


def test_the_walk_is_recorded_only_where_that_is_asked_for():
    x = step32.Variable(np.array(2.0))
    (x**3 + x).backward()
    assert x.grad.creator is None
    assert step32.Config.enable_backprop
    x.cleargrad()
    with step32.no_grad():
        y = x**3
    assert y.creator is None
    y = x**3 + x
    with step32.no_grad():
        y.backward(create_graph=True)
        assert not step32.Config.enable_backprop
    assert x.grad.creator is not None


def test_every_function_can_be_differentiated_three_times():
    formulas = {
        "square": (lambda x: step32.square(x), lambda v: (2 * v, 2 + 0 * v, 0 * v)),
        "exp": (lambda x: step32.exp(x), lambda v: (np.exp(v),) * 3),
        "mul": (lambda x: x * x * x, lambda v: (3 * v**2, 6 * v, 6 + 0 * v)),
        "div": (lambda x: 2 / x, lambda v: (-2 / v**2, 4 / v**3, -12 / v**4)),
        "pow": (lambda x: x**4, lambda v: (4 * v**3, 12 * v**2, 24 * v)),
        "neg, sub": (
            lambda x: -(x**3) - x,
            lambda v: (-3 * v**2 - 1, -6 * v, -6 + 0 * v),
        ),
    }
    values = np.array([0.5, 1.0, 2.0])
    for name, (f, expected) in formulas.items():
        x = step32.Variable(values)
        y = f(x)
        for order, right in enumerate(expected(values), start=1):
            x.cleargrad()
            y.backward(create_graph=True)
            y = x.grad
            # Where the last one is constant, nothing leads to x any more.
            found = np.zeros(3) if y is None else y.data
            assert np.allclose(found, right), (name, order)
