"""sin, exp, maximum, where and the other element-wise functions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dezero_lite.functions as F
from dezero_lite import Variable
from dezero_lite.functions import elementwise
from tests.support.arrays import assert_equal, distinct
from tests.support.function_checks import check_as_numpy, check_function

SHAPES = ["", "0", "3", "2, 3"]
PAIRS = ["x(), 0.5", "x(3), x(3)", "x(2, 3), x(3)", "x(2, 1), x(1, 3)", "x(), x(2)"]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ["sin", "cos", "tanh", "exp", "abs"])
def test_functions_of_any_number(name, shape):
    check_as_numpy(f"{name}(x({shape}))", distinct)
    if name == "abs":
        check_function(abs, distinct(2, 3))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ["log", "sqrt"])
def test_functions_of_positive_numbers(name, shape):
    check_as_numpy(f"{name}(x({shape}))")


def test_the_graph_of_a_high_derivative_of_tanh_stays_small(monkeypatch):
    calls = []
    call = elementwise.Primitive.__call__
    monkeypatch.setattr(
        elementwise.Primitive, "__call__", lambda *xs: calls.append(xs) or call(*xs)
    )
    x = Variable(np.array(0.7))
    y = F.tanh(x)
    for _ in range(6):
        x.cleargrad()
        y.backward(create_graph=True)
        y = x.grad
    x.cleargrad()
    assert 6 < len(calls) <= 300


# --- maximum, minimum, where ----------------------------------------------------------


@pytest.mark.parametrize("name", ["maximum", "minimum"])
@pytest.mark.parametrize("pair", [*PAIRS, "x(0, 3), x(3)", "x(2, 3), 0.5", "0.5, x()"])
def test_extremes_of_two_broadcast(name, pair):
    check_as_numpy(f"{name}({pair})", distinct)


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


@pytest.mark.parametrize("condition", [(), (3,), (2, 1), (2, 3)])
@pytest.mark.parametrize(
    ("one", "other"), [((2, 3), (2, 3)), ((), (3,)), ((2, 1), (3,))]
)
def test_where_broadcasts_all_three(condition, one, other):
    a, b, c = distinct(*one), distinct(*other), distinct(*condition) > 0
    assert_equal(F.where(c, Variable(a), Variable(b)).data, np.where(c, a, b))
    check_function(lambda a, b, c: F.where(c, a, b), a, b, c)


# --- what is chosen, and what is not --------------------------------------------------


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
@pytest.mark.parametrize("limits", ["-1.0, 0.7", "None, 0.7", "-1.0, None", "0, 1"])
def test_clip(shape, limits):
    check_as_numpy(f"clip(x({shape}), {limits})", distinct)


@pytest.mark.parametrize(
    ("limits", "kept"), [((-1, 1), [0, 1, 1, 1, 0]), ((1, 1), [0, 0, 0, 1, 0])]
)
def test_clip_passes_gradients_at_its_limits(limits, kept):
    x = Variable(np.array([-1.5, -1.0, 0.0, 1.0, 1.5]))
    y = F.clip(x, *limits)
    y.backward()
    assert_equal(y.data, np.clip(x.data, *limits))
    assert_equal(x.grad.data, kept)
