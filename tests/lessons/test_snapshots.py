"""What the snapshots say to the mistakes that people make first, and what they accept.

Each from the step on in which a lesson teaches it.
"""

from importlib import import_module

import numpy as np
import pytest

from tests.support.arrays import assert_equal


def snapshots(first, last=22):
    return pytest.mark.parametrize(
        "step",
        [import_module(f"steps.step{n:02d}") for n in range(first, last + 1)],
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
    if step.__name__.endswith("22"):
        pairs += [(left - x, [2.0, 1.0]), (left / x, [3.0, 1.5])]
    for y, expected in pairs:
        assert isinstance(y, step.Variable)
        assert_equal(y.data, expected)
