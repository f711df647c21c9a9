"""The snapshots' messages for the mistakes that people make first, and the inputs that
they accept.

Each from the step on in which a lesson teaches it.
"""

from importlib import import_module

import numpy as np
import pytest

from steps.course.lessons import StepKind, of_kind
from steps.framework.utils import plain
from tests.support.arrays import assert_equal
from tests.support.lesson_checks import fail_with

# Facts about snapshots: functions of a step, with the first and the last step.
HABITS = []


def from_step(first, last=32):
    def added(habit):
        HABITS.append((habit, range(first, last + 1)))
        return habit

    return added


def failing(habits, step):
    """Return the messages of those that do not hold for a step."""
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


@from_step(18)
def does_not_count_a_kept_gradient_twice(step):
    x = step.Variable(np.array(2.0))
    a = step.square(x)
    step.square(a).backward(retain_grad=True)
    x.cleargrad()
    step.add(a, a).backward()
    assert plain(x.grad) == 8.0


@from_step(18)
def does_not_count_a_kept_gradient_of_another_output_twice(step):
    class Both(step.Function):
        def forward(self, x):
            return 2 * x, x

        def backward(self, gy0, gy1):
            return gy0 + gy0 + gy1

    x = step.Variable(np.array(2.0))
    y0, y1 = Both()(x)
    step.add(y0, y1).backward(retain_grad=True)
    x.cleargrad()
    step.add(y0, y1).backward()
    assert plain(x.grad) == 3.0


@from_step(21)
def says_what_to_use_instead_of_numpys_functions(step):
    for function in (np.exp, np.sum, np.array, np.sqrt, np.mean):
        with pytest.raises(TypeError, match=r"pass x\.data, or call .* exp\(x\)"):
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


@from_step(22)
def has_a_flat_slope_for_the_power_0(step):
    x = step.Variable(np.array([0.0, 2.0]))
    (x**0).backward()
    assert_equal(plain(x.grad), [0.0, 0.0])
