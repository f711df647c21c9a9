"""sin, exp, maximum, where and the other functions that work element by element."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dezero_lite.functions as F
from dezero_lite import Variable
from dezero_lite.functions import elementwise
from tests.support.arrays import assert_equal, distinct
from tests.support.function_checks import check_function

SHAPES = [(), (0,), (1,), (3,), (2, 3)]
PAIRS = [
    ((), ()),
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((2, 1), (1, 3)),
    ((), (2,)),
    ((0, 3), (3,)),
]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ["sin", "cos", "tanh", "exp", "abs"])
def test_functions_of_any_number(name, shape):
    x = distinct(*shape)
    f = getattr(F, name)
    assert_equal(f(Variable(x)).data, getattr(np, name)(x))
    check_function(f, x)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ["log", "sqrt"])
def test_functions_of_positive_numbers(name, shape):
    x = distinct(*shape, low=0.5)
    f = getattr(F, name)
    assert_equal(f(Variable(x)).data, getattr(np, name)(x))
    check_function(f, x)


SEVERAL = [
    *[
        F.sin,
        F.cos,
        F.tanh,
        F.exp,
        F.abs,
        lambda x: F.log(x + 3),
        lambda x: F.sqrt(x + 3),
        lambda x: F.clip(x, -1, 1),
    ],
    *[
        lambda x: F.maximum(x, 0.5),
        lambda x: F.minimum(0.5, x),
        lambda x: F.where(x > 0, x, 2.0),
    ],
]


@pytest.mark.parametrize("f", SEVERAL)
def test_no_rule_widens_on_its_way(f):
    # Backward would narrow the result again, but only after twice the work.
    y = f(Variable(distinct(3, 4).astype(np.float32)))
    inputs = y.creator.inputs
    arrays = [x.data if isinstance(x, Variable) else x for x in inputs]
    for xs, gy in [(inputs, Variable(y.data)), (arrays, y.data)]:
        gxs = y.creator.vjp(xs, gy)
        assert {
            gx.dtype
            for gx in (gxs if isinstance(gxs, tuple) else [gxs])
            if gx is not None
        } == {y.dtype}
        assert y.dtype == np.float32


def test_plain_arrays_and_numbers_are_welcome():
    assert F.exp(0).item() == 1
    assert F.clip(5, 0, 1).item() == 1
    assert_equal(F.maximum(np.array([1.0, 2.0]), 1.5).data, [1.5, 2.0])
    assert F.where(True, 1.0, 2.0).item() == 1
    assert F.abs(np.array([-3])).dtype.kind == "i"


def derivatives(f, x, order):
    x = Variable(np.array(x))
    y = f(x)
    found = []
    for _ in range(order):
        x.cleargrad()
        y.backward(create_graph=True)
        y = x.grad
        found.append(y.item())
    return found


def test_the_graph_of_a_high_derivative_of_tanh_stays_small(monkeypatch):
    calls = []
    call = elementwise.Function.__call__

    def counted(self, *inputs):
        calls.append(self)
        return call(self, *inputs)

    monkeypatch.setattr(elementwise.Function, "__call__", counted)
    derivatives(F.tanh, 0.7, 6)
    assert len(calls) <= 300


def test_pythons_own_abs_is_ours():
    x = Variable(np.array([-2.0, 3.0]))
    y = abs(x)
    y.backward()
    assert y.data.tolist() == [2, 3]
    assert x.grad.data.tolist() == [-1, 1]


def test_abs_is_flat_at_zero():
    x = Variable(np.array([-2.0, 0.0, 2.0]))
    F.abs(x).backward()
    assert_equal(x.grad.data, [-1, 0, 1])


def test_outside_its_domain_a_function_is_what_numpy_makes_of_it():
    for f, x, expected in [
        (F.log, -1.0, np.nan),
        (F.log, 0.0, -np.inf),
        (F.sqrt, -1.0, np.nan),
    ]:
        with pytest.warns(RuntimeWarning):
            y = f(Variable(np.array(x)))
        assert_equal(y.data, expected)


def test_the_slope_of_sqrt_at_zero_is_infinite():
    x = Variable(np.array([0.0, 4.0]))
    y = F.sqrt(x)
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        y.backward()
    assert_equal(x.grad.data, [np.inf, 0.25])


# --- maximum, minimum -----------------------------------------------------------------


@pytest.mark.parametrize("name", ["maximum", "minimum"])
@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_extremes_of_two_broadcast(name, one, other):
    a, b = distinct(*one), distinct(*other, low=-2.1, high=1.7)
    f = getattr(F, name)
    assert_equal(f(Variable(a), Variable(b)).data, getattr(np, name)(a, b))
    check_function(f, a, b)


@pytest.mark.parametrize("f", [F.maximum, F.minimum])
def test_extremes_with_a_number_on_either_side(f):
    check_function(lambda a: f(a, 0.5), distinct(2, 3))
    check_function(lambda b: f(0.5, b), distinct(2, 3))
    check_function(lambda b: f(0.5, b), distinct())


def test_extremes_with_an_array_on_either_side():
    ones = np.ones(3, np.int8)
    check_function(F.maximum, distinct(2, 3), ones)
    check_function(lambda b, ones: F.minimum(ones, b), distinct(2, 3), ones)


@given(
    st.lists(st.sampled_from([0.0, 1.0, 2.0]), min_size=12, max_size=12), st.booleans()
)
@settings(derandomize=True, deadline=None, max_examples=50)
def test_the_gradient_of_an_extreme_is_shared_but_never_lost(values, largest):
    a, b = Variable(np.array(values[:6])), Variable(np.array(values[6:]))
    y = (F.maximum if largest else F.minimum)(a, b)
    y.backward()
    assert_equal(a.grad.data + b.grad.data, np.ones(6))
    assert_equal(a.grad.data[a == b], np.full(np.sum(a == b), 0.5))
    assert_equal((a.grad * a + b.grad * b).data, y.data)


def test_shapes_that_do_not_broadcast_are_named():
    with pytest.raises(
        ValueError, match=r"shapes of a and b do not broadcast: .*\(2,\).*\(3,\)"
    ):
        F.maximum(Variable(np.ones(2)), np.ones(3))
    with pytest.raises(
        ValueError, match=r"shapes of a and b do not broadcast: .*\(2,\).*\(3,\)"
    ):
        F.minimum(Variable(np.ones(2)), np.ones(3))
    with pytest.raises(
        ValueError, match=r"shapes of a and b do not broadcast: .*\(2,\).*\(3,\)"
    ):
        F.where(True, Variable(np.ones(2)), np.ones(3))


# --- where ----------------------------------------------------------------------------


@pytest.mark.parametrize("condition", [(), (3,), (2, 1), (2, 3)])
@pytest.mark.parametrize(
    ("one", "other"), [((2, 3), (2, 3)), ((), (3,)), ((2, 1), (3,))]
)
def test_where_broadcasts_all_three(condition, one, other):
    a, b, c = distinct(*one), distinct(*other), distinct(*condition) > 0
    assert_equal(F.where(c, Variable(a), Variable(b)).data, np.where(c, a, b))
    check_function(lambda a, b, c: F.where(c, a, b), a, b, c)


def test_where_with_numbers_and_other_kinds_of_condition():
    x = Variable(np.array([1.0, 2.0], np.float32))
    y = F.where([True, False], x, 0.0)
    assert y.dtype == np.float32
    y.backward()
    assert_equal(x.grad.data, [1, 0])
    condition = Variable(np.array([0.0, -3.0]))
    F.where(condition, 0.0, x).backward()
    assert_equal(x.grad.data, [2, 0])
    assert condition.grad is None
    assert F.where(1, Variable(np.array(5.0)), 0.0).item() == 5


def test_a_condition_that_does_not_broadcast_is_named():
    with pytest.raises(
        ValueError,
        match=r"the condition, .* shape \(4,\) .* together of shape \(2, 3\)",
    ):
        F.where(np.ones(4, bool), Variable(np.ones((2, 3))), 0.0)


def test_the_advice_of_where_against_nan():
    x = Variable(np.array([0.0, 2.0]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        F.log(F.where(x > 0, x, 1.0)).backward()
    assert_equal(x.grad.data, [0, 0.5])


def test_where_needs_a_condition():
    with pytest.raises(
        TypeError, match=r"where picks by a condition, .* but the condition is None"
    ):
        F.where(None, np.ones(2), np.zeros(2))
    with pytest.raises(ValueError, match="Variable 'c' holds no data yet"):
        F.where(Variable(None, name="c"), np.ones(2), np.zeros(2))


# --- what is chosen, and what is not --------------------------------------------------

# Each passes on the gradient of the last number alone, and 0 of the others, −1. The
# slope of the square root there is infinite.
CHOOSING = {
    "relu": F.relu,
    "leaky_relu": lambda x: F.leaky_relu(x, 0),
    "leaky_relu, small": lambda x: F.leaky_relu(x, 1e-320),
    "where, left": lambda x: F.where(x > 0, x, 0.0),
    "where, right": lambda x: F.where(x < 0, 0.0, x),
    "clip": lambda x: F.clip(x, 0, 2),
    "maximum, left": lambda x: F.maximum(x, 0.0),
    "maximum, right": lambda x: F.maximum(0.0, x),
    "minimum, left": lambda x: -F.minimum(-x, 0.0),
    "minimum, right": lambda x: -F.minimum(0.0, -x),
    "abs": lambda x: F.abs(F.maximum(x, 0.0)),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", CHOOSING)
def test_what_is_not_chosen_stops_an_infinite_gradient(name, dtype):
    if name == "leaky_relu, small" and dtype is np.float64:
        pytest.skip("1e-320 is 0 to a float32 only")
    x = Variable(np.array([-1, -1, 0.25], dtype))
    with np.errstate(divide="ignore", invalid="ignore"):
        F.sqrt(CHOOSING[name](x)).backward()
        assert_equal(x.grad.data, [0, 0, 1])
        x.cleargrad()
        F.sqrt(CHOOSING[name](x)).backward(create_graph=True)
        gx = x.grad
        assert_equal(gx.data, [0, 0, 1])
        x.cleargrad()
        gx.backward()
    assert_equal(x.grad.data, [0, 0, -2])


def test_what_abs_has_no_slope_for_stops_an_infinite_gradient():
    x = Variable(np.array([0.0, -4.0]))
    with np.errstate(divide="ignore"):
        F.sqrt(F.abs(x)).backward()
    assert_equal(x.grad.data, [0, -0.25])


@pytest.mark.parametrize("gradient", [np.inf, -np.inf, np.nan])
def test_an_infinite_gradient_passes_where_a_number_was_chosen(gradient):
    a, b = Variable(np.array([1.0, 2.0, 3.0])), Variable(np.array([1.0, 3.0, 2.0]))
    y = F.maximum(a, b)
    y.grad = Variable(np.full(3, gradient))
    y.backward()
    assert_equal(a.grad.data, [gradient, 0, gradient])
    assert_equal(b.grad.data, [gradient, gradient, 0])


# --- clip -----------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "limits", [(-1.0, 0.7), (None, 0.7), (-1.0, None), (0, 1), (1, 1)]
)
def test_clip(shape, limits):
    x = distinct(*shape)
    assert_equal(F.clip(Variable(x), *limits).data, np.clip(x, *limits))
    check_function(lambda x: F.clip(x, *limits), x)


def test_clip_passes_gradients_at_its_limits():
    x = Variable(np.array([-1.5, -1.0, 0.0, 1.0, 1.5]))
    F.clip(x, -1, 1).backward()
    assert_equal(x.grad.data, [0, 1, 1, 1, 0])


def test_clip_between_equal_limits_is_that_number():
    x = Variable(np.array([0.0, 1.0, 2.0]))
    y = F.clip(x, 1, 1)
    y.backward()
    assert_equal(y.data, [1, 1, 1])
    assert_equal(x.grad.data, [0, 1, 0])


def test_clip_keeps_float32_whatever_the_limits():
    x = Variable(np.array([0.5, 2.0], np.float32))
    assert F.clip(x, np.float64(0), np.float64(1)).dtype == np.float32
    assert F.clip(Variable(np.array(2.0, np.float32)), 0.0, 1.0).dtype == np.float32
    assert_equal(F.clip(np.array([1, 5]), 0, 2.5).data, [1, 2.5])


def test_limits_that_make_no_sense_are_refused():
    with pytest.raises(
        ValueError, match="the lower limit of clip, 2, is above the upper one, 1"
    ):
        F.clip(Variable(np.ones(2)), 2, 1)
    with pytest.raises(TypeError, match=r"one is a Variable: .* maximum and minimum"):
        F.clip(Variable(np.ones(2)), Variable(np.array(0.0)), 1)


def test_whole_numbers_have_values_but_no_gradients():
    x = Variable(np.array([1, 2]))
    y = F.sin(x)
    assert_equal(y.data, np.sin([1, 2]))
    with pytest.raises(TypeError, match="cannot receive a gradient"):
        y.backward()


def test_a_variable_without_data_is_named():
    with pytest.raises(
        ValueError, match="input 0 of Sin, Variable 'w', holds no data yet"
    ):
        F.sin(Variable(None, name="w"))
