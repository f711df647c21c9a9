"""Losses: values according to the formula, both orders of the gradient, and errors for
mistakes that would go unnoticed.
"""

import math

import numpy as np
import pytest

from dezero_lite import Variable
from dezero_lite import functions as F
from tests.support.arrays import assert_close, uniform
from tests.support.function_checks import check_function
from tests.support.gpu import cupy


def array(*shape, **kwargs):
    return uniform(*shape, low=0.1, high=0.9, **kwargs)


def var(*shape, **kwargs):
    return Variable(array(*shape, **kwargs))


def labels(n, classes):
    return np.random.default_rng(1).integers(0, classes, n)


def cross_entropy(x, t):
    """Compute the losses row by row, with Python's numbers."""
    total = 0
    for row, label in zip(x.tolist(), t.ravel().tolist(), strict=True):
        total += math.log(sum(math.exp(score - row[label]) for score in row))
    return total / len(x)


# --- mean squared error ---------------------------------------------------------------

mean_squared_errors = pytest.mark.parametrize(
    "loss", [F.mean_squared_error, F.mean_squared_error_simple]
)


@mean_squared_errors
@pytest.mark.parametrize("shapes", [((1, 1), (1,)), ((1,), ()), ((), (1, 1)), ((), ())])
def test_two_single_numbers_pair_up_whatever_their_shapes(loss, shapes):
    x, t = Variable(np.full(shapes[0], 3.0)), Variable(np.full(shapes[1], 1.0))
    y = loss(x, t)
    y.backward()
    assert y.item() == 4
    assert (x.grad.shape, t.grad.shape) == shapes
    assert (x.grad.item(), t.grad.item()) == (4, -4)


@mean_squared_errors
@pytest.mark.parametrize("shape", [(4,), (1,), (4, 1), (4, 3), (2, 3, 2), (2, 0)])
def test_mean_squared_error_divides_by_the_number_of_examples(loss, shape):
    x0, x1 = array(*shape), array(*shape, seed=1)
    y = loss(Variable(x0), Variable(x1))
    assert np.isclose(y.item(), ((x0 - x1) ** 2).sum() / shape[0])
    check_function(loss, x0, x1)


@mean_squared_errors
def test_a_constant_target_receives_nothing(loss):
    x, t = var(4, 3), array(4, 3, seed=1)
    for y in (loss(x, t), loss(t, x)):
        x.cleargrad()
        y.backward()
        assert_close(x.grad.data, 2 * (x.data - t) / 4)
    if loss is F.mean_squared_error:
        assert loss(x, t).creator.vjp([x.data, t], 1.0)[1] is None


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, bool])
def test_whole_targets_do_not_widen_float32(dtype):
    x, t = var(4, dtype=np.float32), np.array([0, 1, 1, 0], dtype)
    for y in (F.mean_squared_error(x, t), F.mean_squared_error(t, x)):
        assert y.dtype == np.float32
        assert np.isclose(y.item(), ((x.data - t) ** 2).mean())


@mean_squared_errors
def test_bytes_do_not_wrap_around(loss):
    y = loss(np.array([0, 255], np.uint8), np.array([1, 0], np.uint8))
    assert y.item() == (1 + 255**2) / 2
    assert y.dtype == float


@pytest.mark.parametrize("n", [1, 100_000])
def test_the_error_of_float16_has_a_value_and_a_gradient(n):
    x0, x1 = Variable(np.full(n, 400, np.float16)), np.full(n, 200, np.float16)
    y = F.mean_squared_error(x0, x1)
    y.backward()
    assert y.item() == 40_000
    assert_close(x0.grad.data, 400 / n, rtol=1e-2)
    assert y.dtype == x0.grad.dtype == np.float16


# --- softmax and cross entropy --------------------------------------------------------

cross_entropies = pytest.mark.parametrize(
    "loss", [F.softmax_cross_entropy, F.softmax_cross_entropy_simple]
)


@cross_entropies
@pytest.mark.parametrize("shape", [(4, 3), (1, 3), (5, 2), (3, 1), (1, 1)])
def test_softmax_cross_entropy_is_the_mean_of_minus_log_p(loss, shape):
    x, t = array(*shape), labels(*shape)
    assert np.isclose(loss(Variable(x), t).item(), cross_entropy(x, t))
    check_function(loss, x, t)
    check_function(lambda x, t: loss(x, t) ** 2, x, t)


@cross_entropies
@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint8])
@pytest.mark.parametrize("shape", [(4,), (4, 1)])
def test_labels_may_be_a_column_or_a_variable(loss, dtype, shape):
    x, t = array(4, 3), labels(4, 3).astype(dtype).reshape(shape)
    for chosen in (t, Variable(t)):
        assert np.isclose(loss(Variable(x), chosen).item(), cross_entropy(x, t))
    check_function(lambda x, t: loss(x, Variable(t)), x, t)


@pytest.mark.parametrize("size", [1e4, -1e4, 1e30])
def test_large_scores_are_no_trouble_in_float32(size):
    x = Variable(np.array([[size, 0, -size], [0, size, 0]], np.float32))
    y = F.softmax_cross_entropy(x, np.array([2, 1]))
    # By row: log Σ exp − the score of the label.
    first = abs(size) + size
    second = 0 if size > 0 else math.log(2) - size
    assert y.dtype == np.float32
    assert np.isclose(y.item(), (first + second) / 2, rtol=1e-6)
    y.backward(create_graph=True)
    gx = x.grad
    assert np.isfinite(gx.data).all()
    assert_close(gx.data.sum(axis=1), 0)
    x.cleargrad()
    (gx**2).sum().backward()
    assert np.isfinite(x.grad.data).all()


def test_whole_scores_are_numbers_too():
    x, t = np.array([[1, 2, 3], [3, 2, 1]]), np.array([0, 0])
    assert np.isclose(F.softmax_cross_entropy(x, t).item(), cross_entropy(x, t))
    assert F.accuracy(x, t).item() == 0.5


# --- accuracy -------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(4,), (4, 1)])
def test_accuracy_is_the_share_of_right_answers(shape):
    y = Variable(np.array([[0.2, 0.8, 0], [0, 0.9, 0.1], [0.8, 0.2, 0], [0, 0, 1.0]]))
    t = np.array([1, 2, 0, 2]).reshape(shape)
    for chosen in (t, Variable(t)):
        result = F.accuracy(y, chosen)
        assert isinstance(result, Variable)
        assert (result.shape, result.item(), result.creator) == ((), 0.75, None)
    there = F.accuracy(Variable(cupy.array(y.data)), cupy.array(t)).data
    assert isinstance(there, cupy.ndarray)
    assert there.item() == 0.75


# --- yes or no ------------------------------------------------------------------------


def binary(p, t):
    """Compute the loss number by number, according to the formula, divided by the
    length of axis 0.
    """
    pairs = zip(p.ravel().tolist(), t.ravel().tolist(), strict=True)
    total = sum(t * math.log(p) + (1 - t) * math.log(1 - p) for p, t in pairs)
    return -total / len(p)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


answering = pytest.mark.parametrize(
    "loss", [F.sigmoid_cross_entropy, F.binary_cross_entropy]
)


def expected(loss, x, t):
    return binary(x if loss is F.binary_cross_entropy else sigmoid(x), t)


@answering
@pytest.mark.parametrize("shape", [(4,), (1,), (4, 1), (4, 3), (2, 3, 2)])
def test_cross_entropies_of_yes_or_no_divide_by_the_number_of_examples(loss, shape):
    x, t = array(*shape), array(*shape, seed=1)
    assert np.isclose(loss(Variable(x), Variable(t)).item(), expected(loss, x, t))
    check_function(loss, x, t)


@answering
@pytest.mark.parametrize("dtype", [np.int64, np.uint8, bool, np.float32])
def test_answers_may_be_whole_numbers(loss, dtype):
    x, t = array(4), np.array([0, 1, 1, 0])
    for answers in (t.astype(dtype), Variable(t.astype(dtype))):
        assert np.isclose(loss(Variable(x), answers).item(), expected(loss, x, t))
        assert loss(Variable(x.astype(np.float32)), answers).dtype == np.float32
    check_function(lambda x, t: loss(x, Variable(t)), x, t)


@answering
@pytest.mark.parametrize(
    ("left", "right"), [((4, 1), (4,)), ((4,), (4, 1)), ((1, 1), (1,))]
)
def test_a_column_of_answers_is_as_good_as_a_row(loss, left, right):
    x, t = array(*left), array(*right, seed=1)
    assert np.isclose(loss(Variable(x), t).item(), loss(x.ravel(), t.ravel()).item())
    check_function(loss, x, t)
    check_function(lambda x, t: loss(x, t), x, t.round().astype(int))


@pytest.mark.parametrize("size", [1e4, -1e4])
def test_large_yes_and_no_scores_are_no_trouble_in_float32(size):
    x = Variable(np.array([size, size], np.float32))
    y = F.sigmoid_cross_entropy(x, np.array([0, 1]))
    y.backward()
    assert y.dtype == np.float32
    assert y.item() == 1e4 / 2
    assert_close(x.grad.data, np.array([size > 0, -(size < 0)]) / 2)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize(("p", "t"), [(0, 1), (1, 0), (0, 0), (1, 1)])
def test_certainty_costs_nothing_if_right_and_much_if_wrong(p, t, dtype):
    p = Variable(np.array([p], dtype))
    y = F.binary_cross_entropy(p, np.array([t]))
    y.backward()
    assert (y.item() == 0) == (p.data[0] == t)
    assert np.isfinite(y.item())
    if dtype is not np.float16 and y.item():
        assert np.isclose(y.item(), -math.log(1e-15))
    assert np.isfinite(p.grad.data).all()
    assert y.dtype == dtype


@pytest.mark.parametrize(
    ("loss", "value", "slope"),
    [
        (F.sigmoid_cross_entropy, math.log1p(math.exp(0.5)), 6.2e-6),
        (F.binary_cross_entropy, math.log(2), 2e-5),
    ],
)
def test_the_surprise_at_many_float16_has_a_value_and_a_gradient(loss, value, slope):
    x = Variable(np.full(100_000, 0.5, np.float16))
    y = loss(x, np.zeros(100_000, int))
    y.backward()
    assert math.isclose(y.item(), value, rel_tol=1e-3)
    assert_close(x.grad.data, slope, rtol=0.02)
    assert y.dtype == x.grad.dtype == np.float16
