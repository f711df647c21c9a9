"""What the snapshots say to the mistakes that people make first, and what they accept.

Each from the step on in which a lesson teaches it.
"""

from importlib import import_module

import numpy as np
import pytest

from steps import step32
from steps.course.lessons import StepKind, of_kind
from tests.support.arrays import assert_equal
from tests.support.lesson_checks import fail_with

# What holds for snapshots: functions of a step, with the first and the last one.
HABITS = []


def from_step(first, last=32):
    def added(habit):
        HABITS.append((habit, range(first, last + 1)))
        return habit

    return added


def failing(habits, step):
    """What those of them say that do not hold for a step."""
    for habit in habits:
        try:
            habit(step)
        except (Exception, pytest.fail.Exception) as error:
            yield f"{habit.__name__.replace('_', ' ')}: {error!r}"


@pytest.mark.parametrize(
    "number", [n for n in of_kind(StepKind.SNAPSHOT) if n >= 9], ids="step{:02d}".format
)
def test_snapshot(number):
    habits = [habit for habit, steps in HABITS if number in steps]
    assert habits
    fail_with(list(failing(habits, import_module(f"steps.step{number:02d}"))))


def test_a_snapshot_with_another_habit_is_seen():
    wrong = [takes_an_empty_box_and_no_list, leaves_signs_to_the_right_side]
    first, second = failing(wrong, import_module("steps.step08"))
    assert first.startswith("takes an empty box and no list: ")
    assert "TypeError" in second


@from_step(9)
def takes_an_empty_box_and_no_list(step):
    assert step.Variable(None).data is None
    with pytest.raises(TypeError, match="not type list"):
        step.Variable([1.0])


@from_step(9)
def says_how_to_call_a_function_that_gets_its_input_too_early(step):
    class Cube(step.Function):
        pass

    x = step.Variable(np.array(2.0))
    with pytest.raises(TypeError, match=r"make the function first.*Cube\(\)\(x\)"):
        Cube(x)


def refuses(step, results, message):
    for result in results:

        class Wrong(step.Function):
            def forward(self, x, result=result):
                return result

        with pytest.raises(TypeError, match=rf"Wrong\.forward must {message}"):
            Wrong()(step.Variable(np.array(2.0)))


@from_step(9, 10)
def names_a_forward_that_returns_no_array(step):
    refuses(step, [None, [1.0]], "return an array")


@from_step(12)
def names_a_forward_that_returns_no_arrays(step):
    two = np.array(1.0), np.array(2.0)
    refuses(step, [None, list(two), (two[0], None)], ".* a tuple of arrays")


@from_step(21)
def makes_a_variable_of_everything_that_is_a_number(step):
    for value in (2.0, 2, np.float32(2.0), np.array(2.0)):
        made = step.as_variable(value)
        assert isinstance(made, step.Variable)
        assert isinstance(made.data, np.ndarray)
        assert made.data == 2.0
        assert step.square(value).data == 4.0
        assert step.mul(value, value).data == 4.0


@from_step(21)
def says_what_to_use_instead_of_numpys_functions(step):
    for function in (np.exp, np.sum, np.array, np.sqrt, np.mean):
        with pytest.raises(TypeError, match=r"use x\.data, or ours: exp\(x\)"):
            function(step.Variable(np.array([1.0, 2.0])))


@from_step(21)
def leaves_signs_to_the_right_side(step):
    x = step.Variable(np.array([1.0, 2.0]))
    for left in (np.array([3.0]), np.array(3.0), np.float64(3), np.float32(3), 3.0, 3):
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


# Formulas, with their first three derivatives.
FORMULAS = {
    "square": (step32.square, lambda v: (2 * v, 2 + 0 * v, 0 * v)),
    "exp": (step32.exp, lambda v: (np.exp(v),) * 3),
    "mul": (lambda x: x * x * x, lambda v: (3 * v**2, 6 * v, 6 + 0 * v)),
    "div": (lambda x: 2 / x, lambda v: (-2 / v**2, 4 / v**3, -12 / v**4)),
    "pow": (lambda x: x**4, lambda v: (4 * v**3, 12 * v**2, 24 * v)),
    "neg": (lambda x: -(x**3) - x, lambda v: (-3 * v**2 - 1, -6 * v, -6 + 0 * v)),
}


def test_every_function_can_be_differentiated_three_times():
    values = np.array([0.5, 1.0, 2.0])
    for name, (f, expected) in FORMULAS.items():
        x = step32.Variable(values)
        y = f(x)
        for order, right in enumerate(expected(values), start=1):
            x.cleargrad()
            y.backward(create_graph=True)
            y = x.grad
            # Where the last one is constant, nothing leads to x any more.
            found = np.zeros(3) if y is None else y.data
            assert np.allclose(found, right), (name, order)
