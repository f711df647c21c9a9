"""sum, mean, max, min and logsumexp: over all axes, over one, over several."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dezero_lite.functions as F
from dezero_lite import Variable
from tests.support.arrays import assert_close, assert_equal, distinct
from tests.support.function_checks import check_as_numpy, check_function

ALL = ["sum", "mean", "max", "min", "logsumexp"]
each = pytest.mark.parametrize("name", ALL)
CASES = """
x()
x(1), 0
x(4), -1
x(2, 3)
x(2, 3), 0
x(2, 3), -1
x(2, 3), (0, 1)
x(1, 3), 1
x(2, 3, 2), 1
x(2, 3, 2), (2, 0)
x(2, 3, 2), (0, -1)
x(2, 3), ()
x(0, 3), 1
x(3, 0), 0
"""


def logsumexp(x, axis=None, keepdims=False):
    return np.log(np.sum(np.exp(x), axis=axis, keepdims=keepdims))


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("case", CASES.split("\n")[1:-1])
@each
def test_along_any_axes(name, case, keepdims):
    code = f"{name}({case}, keepdims={keepdims})"
    check_as_numpy(code, distinct, logsumexp=logsumexp)


@pytest.mark.parametrize("name", ["sum", "mean", "max", "min"])
@pytest.mark.parametrize("given", ["", "0", "axis=-1, keepdims=True"])
def test_variables_have_them_as_methods(name, given):
    check_as_numpy(f"x(2, 3).{name}({given})", distinct)


# --- many numbers ---------------------------------------------------------------------


LONG = [((60_000, 2), 0), ((60_000, 2), (-2,)), ((30_000, 2, 3), (2, 0))]
LONG += [((3, 60_000, 2), 1), ((3, 60_000, 2), (1, 0)), ((3, 60_000), None)]
LONG += [((60_000, 2, 1, 1), (0, 2, 3)), ((60_000, 1, 3, 2), (0, -1))]
LONG += [((2, 30, 2_000, 2), (2, 1))]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("shape", "axis"), LONG)
@pytest.mark.parametrize("order", ["C", "F", "strided"])
def test_long_columns_add_up_to_the_last_digits(order, shape, axis, dtype):
    x = np.full(shape, dtype(0.1), order="F" if order == "F" else "C")
    if order == "strided":
        x = np.repeat(x, 2, axis=-1)[..., ::2]
    for f in (F.sum, F.mean):
        exact = getattr(x.astype(np.longdouble), f.__name__)(axis)
        y = f(x, axis)
        assert y.dtype == dtype
        assert_close(y.data, exact, rtol=200 * np.finfo(dtype).eps, atol=0)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    rows=st.integers(500, 1200),
    rest=st.sampled_from([(), (1,), (3,), (2, 3), (0,)]),
    axes=st.sampled_from([None, 0, -1, (0,), (0, -1), (-1, 0), (), 1, (1,)]),
    keepdims=st.booleans(),
    fortran=st.booleans(),
)
def test_sums_of_many_rows_are_those_of_numpy(rows, rest, axes, keepdims, fortran):
    x = np.random.default_rng(rows).integers(-9, 9, (rows, *rest)).astype(np.float64)
    x = np.asfortranarray(x) if fortran else x
    try:
        expected = x.sum(axis=axes, keepdims=keepdims)
    except ValueError:
        with pytest.raises(ValueError, match="Sum cannot go along axis"):
            F.sum(x, axes, keepdims)
        return
    assert_equal(F.sum(x, axes, keepdims).data, expected)


@pytest.mark.parametrize("axis", [0, (0, 1)])
def test_many_rows_are_right_to_every_order(axis):
    check_function(
        lambda x: F.sum(x, axis) ** 2 / 600, np.linspace(-1, 1, 600).reshape(600, 1)
    )


@pytest.mark.parametrize("shape", [(1_000_000,), (1_000_000, 1)])
def test_the_mean_of_many_float16_has_a_value_and_a_gradient(shape):
    x = Variable(np.ones(shape, np.float16))
    y = F.mean(x, axis=0)
    # In float16, the loss is scaled.
    (y * np.float16(1000)).backward()
    assert np.all(y.data == 1)
    assert y.dtype == x.grad.dtype == np.float16
    assert_close(x.grad.data, 1e-3, rtol=1e-3)


# --- extremes -------------------------------------------------------------------------


@given(
    st.lists(st.sampled_from([0.0, 1.0, 2.0]), min_size=12, max_size=12),
    st.sampled_from([None, 0, -1, (0, 1)]),
)
@settings(derandomize=True, deadline=None, max_examples=60)
def test_the_gradient_of_an_extreme_is_shared_by_its_places_alone(values, axis):
    for f in (F.max, F.min):
        x = Variable(np.array(values).reshape(3, 4))
        y = f(x, axis=axis, keepdims=True)
        y.backward()
        places = (x.data == y.data).astype(float)
        assert_close(x.grad.data, places / places.sum(axis=axis, keepdims=True))


@pytest.mark.parametrize("f", [F.max, F.min])
@pytest.mark.parametrize("axis", [None, 0])
def test_more_equal_extremes_than_a_float16_can_count(f, axis):
    x = Variable(np.ones(70_000, np.float16))
    y = f(x, axis)
    y.backward(create_graph=True)
    assert y.dtype == x.grad.dtype == np.float16
    assert_close(x.grad.data, 1 / 70_000, rtol=0.01)


# --- logsumexp ------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [-1e4, 1e4])
def test_logsumexp_of_large_numbers(size, dtype):
    x = Variable(np.array([[0, size], [size, size], [-np.inf, 0]], dtype))
    y = F.logsumexp(x, axis=1)
    assert_close(y.data, [max(size, 0), size + np.log(2), 0])
    y.backward()
    assert_equal(x.grad.data, [[size < 0, size > 0], [0.5, 0.5], [0, 1]])
    assert y.dtype == x.grad.dtype == dtype


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_logsumexp_of_infinity_is_infinite_and_of_nan_nan(dtype):
    numbers = [[np.inf, 0], [np.inf, 1000], [np.inf, -np.inf], [np.nan, 0]]
    y = F.logsumexp(np.array(numbers, dtype), axis=1)
    assert_equal(y.data, [np.inf, np.inf, np.inf, np.nan])
    assert y.dtype == dtype


def ones(*shape):
    return Variable(np.ones(shape))


@each
def test_keepdims_may_be_numpys(name):
    assert getattr(F, name)(ones(2, 3, 4), 1, np.bool_(True)).shape == (2, 1, 4)
