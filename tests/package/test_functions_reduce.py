"""sum, mean, max, min and logsumexp: along all axes, along one, along several."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dezero_lite.functions as F
from dezero_lite import Variable, core
from tests.support.arrays import assert_close, assert_equal, distinct
from tests.support.function_checks import check_function

CASES = [
    ((), None),
    ((1,), 0),
    ((4,), None),
    ((4,), -1),
    ((2, 3), None),
    ((2, 3), 0),
    ((2, 3), -1),
    ((2, 3), (0, 1)),
    ((1, 3), 1),
    ((2, 3, 2), 1),
    ((2, 3, 2), (0, -1)),
    ((2, 3, 2), (2, 0)),
    ((2, 3), ()),
    ((0, 3), 1),
    ((3, 0), 0),
]
ALL = ["sum", "mean", "max", "min", "logsumexp"]


def by_numpy(name, x, axis, keepdims):
    if name == "logsumexp":
        return np.log(np.sum(np.exp(x), axis=axis, keepdims=keepdims))
    return getattr(np, name)(x, axis=axis, keepdims=keepdims)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize(("shape", "axis"), CASES)
@pytest.mark.parametrize("name", ALL)
def test_along_any_axes(name, shape, axis, keepdims):
    x = distinct(*shape)
    f = getattr(F, name)
    y = f(Variable(x), axis, keepdims)
    expected = by_numpy(name, x, axis, keepdims)
    assert y.shape == expected.shape
    assert_close(y.data, expected)
    check_function(lambda x: f(x, axis=axis, keepdims=keepdims), x)


@pytest.mark.parametrize("shape", [(0,), (0, 3)])
def test_the_sum_of_nothing_is_zero(shape):
    x = Variable(np.ones(shape))
    y = F.sum(x)
    assert y.item() == 0
    y.backward()
    assert x.grad.shape == shape
    check_function(lambda x: F.sum(x, axis=0), np.ones(shape))


@pytest.mark.parametrize("name", ALL)
def test_no_rule_widens_on_its_way(name):
    # Backward would narrow the result again, but only after twice the work.
    y = getattr(F, name)(Variable(distinct(3, 4).astype(np.float32)), axis=1)
    assert y.creator.vjp(y.creator.inputs, Variable(y.data)).dtype == np.float32
    assert y.creator.vjp([y.creator.inputs[0].data], y.data).dtype == np.float32


def test_average_is_mean():
    assert F.average is F.mean
    assert F.mean(np.array([1, 2])).item() == 1.5


def test_sum_to_and_broadcast_to_are_those_of_the_core():
    assert F.sum_to is core.sum_to
    assert F.broadcast_to is core.broadcast_to


@pytest.mark.parametrize("name", ["sum", "mean", "max", "min"])
def test_variables_have_them_as_methods(name):
    x = Variable(distinct(2, 3))
    method = getattr(x, name)
    assert_close(method().data, getattr(np, name)(x.data))
    assert_close(method(0).data, getattr(np, name)(x.data, 0))
    assert method(axis=-1, keepdims=True).shape == (2, 1)


def test_numbers_and_plain_arrays_are_welcome():
    assert F.sum(2).item() == 2
    assert F.max(2.5).item() == 2.5
    assert F.sum(np.array([True, True])).item() == 2
    assert_close(F.logsumexp(np.array([1, 1])).item(), 1 + np.log(2))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("shape", "axis"),
    [
        ((60_000, 2), 0),
        ((60_000, 2), (-2,)),
        ((30_000, 2, 3), (2, 0)),
        ((3, 60_000, 2), 1),
        ((3, 60_000, 2), (1, 0)),
        ((3, 60_000), 1),
        ((3, 60_000), None),
        ((2, 30, 2_000, 2), (2, 1)),
        ((60_000, 2, 1, 1), (0, 2, 3)),
        ((60_000, 1, 3, 2), (0, -1)),
    ],
)
@pytest.mark.parametrize("order", ["C", "F", "strided"])
@pytest.mark.parametrize("f", [F.sum, F.mean])
def test_long_columns_add_up_to_the_last_digits(f, order, shape, axis, dtype):
    x = np.full(shape, dtype(0.1), order="F" if order == "F" else "C")
    if order == "strided":
        x = np.repeat(x, 2, axis=-1)[..., ::2]
    exact = getattr(x.astype(np.longdouble), f.__name__)(axis)
    y = f(x, axis)
    assert y.dtype == dtype
    assert y.shape == exact.shape
    assert_close(y.data, exact, rtol=200 * np.finfo(dtype).eps, atol=0)


def test_the_sum_of_everything_is_right_wherever_it_lies():
    x = np.full((60_000, 3, 2), np.float32(0.1))[:, ::2]
    assert np.isclose(F.sum(x).item(), 240_000 * float(np.float32(0.1)), rtol=1e-6)
    row = np.broadcast_to(np.float32(0.1), (60_000, 2))
    assert_close(F.sum(row, axis=0).data, 60_000 * float(np.float32(0.1)))


def test_the_scores_of_many_classes_may_lie_along_any_axis():
    x = np.zeros((60_000, 2), np.float32)
    x[:] = np.log(np.float32(0.1))
    assert_close(F.logsumexp(x, axis=0).data, [np.log(6000)] * 2, rtol=1e-6)
    shares = F.softmax(x, axis=0).data.astype(float)
    assert_close(shares.sum(axis=0), 1, rtol=0, atol=1e-6)
    assert_close(shares * 60_000, 1, rtol=1e-6)


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
    y = F.sum(x, axes, keepdims)
    assert y.shape == expected.shape
    assert_equal(y.data, expected)


@pytest.mark.parametrize("axis", [(0, 0), (0, 2), 2, (0, -2)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_many_rows_are_no_excuse_for_a_wrong_axis(axis, keepdims):
    with pytest.raises(ValueError, match="Sum cannot go along axis"):
        F.sum(Variable(np.ones((600, 3))), axis, keepdims)


@pytest.mark.parametrize("axis", [0, (0, 1)])
def test_many_rows_are_right_to_every_order(axis):
    check_function(
        lambda x: F.sum(x, axis) ** 2 / 1200, np.linspace(-1, 1, 1200).reshape(600, 2)
    )


def test_float16_sums_count_on_where_a_float16_cannot():
    x = Variable(np.full((60_000, 2), 0.1, np.float16))
    y = F.sum(x, axis=0)
    assert y.dtype == np.float16
    assert_close(y.data, 6000, rtol=1e-3)


@pytest.mark.parametrize("shape", [(100_000,), (100_000, 1)])
def test_the_mean_of_many_float16_has_a_value_and_a_gradient(shape):
    x = Variable(np.ones(shape, np.float16))
    y = F.mean(x, axis=0)
    y.backward()
    assert np.all(y.data == 1)
    assert y.dtype == x.grad.dtype == np.float16
    assert_close(x.grad.data, 1e-5, rtol=0.01)


# --- extremes -------------------------------------------------------------------------


def test_ties_share_the_gradient():
    x = Variable(np.array([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]]))
    F.max(x, axis=1).backward()
    assert_close(x.grad.data, [[0, 1 / 2, 1 / 2], [1 / 3, 1 / 3, 1 / 3]])
    x.cleargrad()
    F.min(x).backward()
    assert_equal(x.grad.data, [[1, 0, 0], [0, 0, 0]])


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
        g = x.grad.data
        assert_close(g.sum(axis=axis, keepdims=True), 1)
        assert np.all(g[x != y] == 0)
        assert_close(np.sum(g * (x == y), axis=axis, keepdims=True) * y.data, y.data)


def test_the_second_derivative_through_a_maximum():
    # y = (max x)³, so that y'' = 6 · max x where the maximum lies, and 0 elsewhere.
    x = Variable(np.array([1.0, 4.0, 2.0]))
    (F.max(x) ** 3).backward(create_graph=True)
    gx = x.grad
    x.cleargrad()
    gx.backward()
    assert_equal(x.grad.data, [0, 24, 0])


def test_tied_maxima_of_float32_stay_float32_in_second_order():
    x = Variable(np.array([4.0, 4.0], np.float32))
    (F.max(x) ** 2).backward(create_graph=True)
    gx = x.grad
    assert gx.dtype == np.float32
    assert_equal(gx.data, [4, 4])


# --- logsumexp ------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [-1e4, 1e4])
def test_logsumexp_of_large_numbers(size, dtype):
    x = Variable(np.array([[0, size], [size, size]], dtype))
    y = F.logsumexp(x, axis=1)
    assert_close(y.data, [max(size, 0), size + np.log(2)])
    y.backward()
    assert_equal(x.grad.data, [[size < 0, size > 0], [0.5, 0.5]])
    assert y.dtype == x.grad.dtype == dtype


def test_minus_infinity_adds_nothing_to_logsumexp():
    x = Variable(np.array([-np.inf, 0.0, 0.0]))
    y = F.logsumexp(x)
    assert np.isclose(y.item(), np.log(2))
    y.backward()
    assert_equal(x.grad.data, [0, 0.5, 0.5])


def test_logsumexp_of_small_whole_numbers_does_not_wrap_around():
    x = np.array([3, 200], np.uint8)
    assert np.isclose(F.logsumexp(x).item(), 200)


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [([np.inf, 0], np.inf), ([np.inf, 1000], np.inf), ([np.inf, -np.inf], np.inf)],
)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_logsumexp_of_infinity_is_infinite(numbers, expected, dtype):
    y = F.logsumexp(np.array(numbers, dtype))
    assert y.item() == expected
    assert y.dtype == dtype


def test_logsumexp_of_nan_is_nan():
    assert np.isnan(F.logsumexp(np.array([np.nan, 0.0])).item())


# --- errors ---------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [2, -3, (0, 0), (0, 2), 1.0, [0, 1], "0"])
@pytest.mark.parametrize("name", ALL)
def test_a_wrong_axis_is_named_with_the_shape(name, axis):
    with pytest.raises(
        ValueError,
        match=r"cannot go along axis .* of shape \(2, 3\): .* from -2 to 1, or a tuple",
    ):
        getattr(F, name)(Variable(np.ones((2, 3))), axis=axis)


@pytest.mark.parametrize("name", ALL)
def test_an_array_without_dimensions_has_no_axes(name):
    with pytest.raises(
        ValueError,
        match=r"axis 1 of shape \(\): an array without dimensions has no axes",
    ):
        getattr(F, name)(Variable(np.array(1.0)), axis=1)


@pytest.mark.parametrize("name", ["mean", "max", "min", "logsumexp"])
def test_nothing_has_no_extreme_and_no_mean(name):
    f = getattr(F, name)
    with pytest.raises(
        ValueError,
        match=r"needs an element at least, but shape \(0, 3\) has none along axis 0",
    ):
        f(Variable(np.ones((0, 3))), axis=0)
    with pytest.raises(
        ValueError, match=r"needs an element at least, but shape \(0,\) has none$"
    ):
        f(Variable(np.ones(0)))


def test_whole_numbers_have_sums_but_no_gradients():
    x = Variable(np.array([1, 2]))
    y = F.sum(x)
    assert y.item() == 3
    with pytest.raises(TypeError, match="cannot receive a gradient"):
        y.backward()


def test_a_variable_without_data_is_named():
    with pytest.raises(
        ValueError, match="input 0 of Max, Variable 'w', holds no data yet"
    ):
        F.max(Variable(None, name="w"))


# --- what is easily mistaken ----------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_a_second_axis_is_no_keepdims(name):
    f = getattr(F, name)
    for keepdims in (2, 1, 0, None, np.array([True, False]), "yes"):
        with pytest.raises(TypeError, match=r"keepdims is True or False, not .*tuple"):
            f(Variable(distinct(2, 3, 4)), 1, keepdims)
    assert f(Variable(distinct(2, 3, 4)), 1, np.bool_(True)).shape == (2, 1, 4)


@pytest.mark.parametrize("name", ["sum", "mean", "max", "min"])
def test_a_second_axis_is_no_keepdims_of_a_method_either(name):
    with pytest.raises(TypeError, match=r"as in x\.sum\(\(1, 2\)\)"):
        getattr(Variable(distinct(2, 3, 4)), name)(1, 2)


@pytest.mark.parametrize("f", [F.max, F.min])
def test_no_infinite_gradient_reaches_what_is_no_extreme(f):
    x = Variable(np.array([[0.0, 1.0], [0.0, 0.0]]) * (1 if f is F.min else -1))
    y = f(x, axis=1)
    y.grad = Variable(np.array([np.inf, 2.0]))
    y.backward(create_graph=True)
    gx = x.grad
    assert_equal(gx.data, [[np.inf, 0], [1, 1]])
    gy = Variable(np.array([1.0, 2.0]))
    x.cleargrad()
    y = f(x, axis=1)
    y.grad = gy
    y.backward(create_graph=True)
    gx = x.grad
    gx.grad = Variable(np.array([[1.0, np.inf], [3.0, 5.0]]))
    gx.backward()
    assert_equal(gy.grad.data, [1, 4])
