"""sigmoid, relu and similar functions; softmax."""

import math
import warnings

import numpy as np
import pytest

import dezero_lite.functions as F
from dezero_lite import Variable
from tests.support.arrays import assert_close, assert_equal, distinct
from tests.support.function_checks import check_as_numpy

SHAPES = ["", "0", "3", "2, 3", "1, 2, 3"]


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


ELEMENTWISE = {
    "sigmoid_simple": sigmoid,
    "sigmoid": sigmoid,
    "softplus": lambda x: np.log(1 + np.exp(x)),
    "relu": lambda x: np.where(x > 0, x, 0),
    "leaky_relu": lambda x, slope=0.2: np.where(x > 0, x, slope * x),
    "gelu": lambda x: (
        0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ELEMENTWISE)
def test_activations(name, shape):
    check_as_numpy(f"{name}(x({shape}))", distinct, **ELEMENTWISE)


@pytest.mark.parametrize("slope", [0.0, 0.01, 1.0, 3.0, -0.5])
def test_leaky_relu_with_any_slope(slope):
    check_as_numpy(f"leaky_relu(x(7), {slope})", distinct, **ELEMENTWISE)


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_activations_of_numbers_and_whole_numbers(name):
    f = getattr(F, name)
    assert np.isclose(f(2).item(), ELEMENTWISE[name](2))
    for dtype in (np.int8, np.uint8, np.int64):
        # Whole numbers that wrap around: 100² and −200 do not fit in a byte.
        x = np.array([0, 3, 100], dtype)
        assert_close(f(x).data, ELEMENTWISE[name](x.astype(float)))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["sigmoid", "softplus", "relu", "leaky_relu", "gelu"])
def test_activations_far_from_zero(name, dtype):
    x = Variable(np.array([-1e4, -100, 100, 1e4], dtype))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        y = getattr(F, name)(x)
        y.backward(create_graph=True)
        gx = x.grad
        x.cleargrad()
        gx.backward()
    values, slopes = {
        "sigmoid": ([0, 0, 1, 1], [0, 0, 0, 0]),
        "softplus": ([0, 0, 100, 1e4], [0, 0, 1, 1]),
        "relu": ([0, 0, 100, 1e4], [0, 0, 1, 1]),
        "leaky_relu": ([-2e3, -20, 100, 1e4], [0.2, 0.2, 1, 1]),
        "gelu": ([0, 0, 100, 1e4], [0, 0, 1, 1]),
    }[name]
    assert_close(y.data, values, atol=1e-40)
    assert_close(gx.data, slopes, atol=1e-40)
    assert y.dtype == gx.dtype == dtype
    # Piecewise linear functions have no second derivative.
    assert x.grad is None or np.all(np.abs(x.grad.data) < 1e-40)


@pytest.mark.parametrize("shape", [(), (4,)])
def test_gelu_of_a_large_float16_has_a_slope(shape):
    for number, slope in [(100, 1), (-100, 0), (60_000, 1), (-60_000, 0)]:
        x = Variable(np.full(shape, number, np.float16))
        y = F.gelu(x)
        y.backward()
        assert np.all(y.data == max(number, 0))
        assert np.all(x.grad.data == slope)
        assert y.dtype == x.grad.dtype == np.float16


# --- softmax --------------------------------------------------------------------------

SOFTMAXES = ["softmax_simple", "softmax", "log_softmax"]


def softmax(x, axis=1):
    return np.exp(x) / np.exp(x).sum(axis=axis, keepdims=True)


SCORES = ["2, 3", "1, 3", "3, 1", "2, 3, 2", "0, 3"]


@pytest.mark.parametrize(
    "case", [*[f"x({shape})" for shape in SCORES], "x(4), 0", "x(2, 3, 2), -1"]
)
@pytest.mark.parametrize("name", SOFTMAXES)
def test_softmax_along_any_axis(name, case):
    numpys = dict.fromkeys(SOFTMAXES, softmax)
    numpys["log_softmax"] = lambda *args: np.log(softmax(*args))
    check_as_numpy(f"{name}({case})", distinct, **numpys)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", SOFTMAXES)
def test_each_row_is_shifted_by_its_own_maximum(name, dtype):
    x = Variable(np.array([[1e4, 1e4, -1e4], [-1e4, -1e4, -1e4], [1, 1, 1]], dtype))
    before = x.data.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        y = getattr(F, name)(x)
        y.grad = Variable(np.array([[1, 0, 0]] * 3, dtype))
        y.backward()
    if name == "log_softmax":
        two, three = -np.log(2), -np.log(3)
        assert_close(y.data, [[two, two, -2e4 + two], [three] * 3, [three] * 3])
        slopes = [[0.5, -0.5, 0], [2 / 3, -1 / 3, -1 / 3], [2 / 3, -1 / 3, -1 / 3]]
    else:
        assert_close(y.data, [[0.5, 0.5, 0], [1 / 3] * 3, [1 / 3] * 3])
        slopes = [[0.25, -0.25, 0], [2 / 9, -1 / 9, -1 / 9], [2 / 9, -1 / 9, -1 / 9]]
    assert_close(x.grad.data, slopes)
    assert y.dtype == x.grad.dtype == dtype
    assert_equal(x.data, before)


@pytest.mark.parametrize("name", SOFTMAXES)
def test_a_score_of_minus_infinity_has_no_share(name):
    y = getattr(F, name)(np.array([[0.0, 0.0, -np.inf]])).data
    assert_close(np.exp(y) if name == "log_softmax" else y, [[0.5, 0.5, 0]])


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.int8])
@pytest.mark.parametrize("name", SOFTMAXES)
def test_scores_in_whole_numbers_are_computed_with_as_float64(name, dtype):
    x = np.array([[1, 2, 120]], dtype)
    f = getattr(F, name)
    assert f(x).dtype == np.float64
    assert_equal(f(x).data, f(x.astype(float)).data)


# --- extremes -------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["relu", "leaky_relu", "sigmoid", "gelu", "softplus"])
def test_the_order_of_bytes_does_not_matter(name):
    f = getattr(F, name)
    x = Variable(np.array([-1, 0, 2], ">f4"))
    y = f(x)
    y.backward()
    like = Variable(np.array([-1, 0, 2], np.float32))
    expected = f(like)
    expected.backward()
    assert_equal(y.data, expected.data)
    assert_equal(x.grad.data, like.grad.data)


LOG = math.log(70_000)
LABEL = np.array([3])
# For each function: its value, the gradient of the classes after the label, and its
# tolerance, which for log_softmax is that of a difference from 1 with three digits.
HALVES = {
    "log_softmax": (F.log_softmax, -LOG, 0, 0.01),
    "logsumexp": (lambda x: F.logsumexp(x, axis=1), LOG, 1 / 70_000, 1e-7),
    "cross_entropy": (lambda x: F.softmax_cross_entropy(x, LABEL), LOG, 1 / 7e4, 1e-7),
}


@pytest.mark.parametrize("name", HALVES)
def test_more_classes_than_a_float16_can_count(name):
    f, value, slope, atol = HALVES[name]
    x = Variable(np.zeros((1, 70_000), np.float16))
    y = f(x)
    y.grad = Variable(np.ones_like(y.data))
    y.backward()
    assert y.dtype == x.grad.dtype == np.float16
    assert np.all(y.data == np.float16(value))
    assert_close(x.grad.data[0, 4:], slope, rtol=0, atol=atol)


LOW = np.array([[-1000.0, 0.0, 5.0], [-80.0, 30.0, 2.0]])
YES = np.eye(3, dtype=int)[:2]
QUIET = {
    "sigmoid": F.sigmoid,
    "softplus": F.softplus,
    "softmax": F.softmax,
    "log_softmax": F.log_softmax,
    "logsumexp": lambda x: F.logsumexp(x, axis=1),
    "softmax_cross_entropy": lambda x: F.softmax_cross_entropy(x, np.array([2, 1])),
    "sigmoid_cross_entropy": lambda x: F.sigmoid_cross_entropy(x, YES),
}


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("name", QUIET)
def test_what_underflows_on_the_way_is_no_error(name, dtype, create_graph):
    x = Variable(LOW.astype(dtype))
    with np.errstate(all="raise"):
        y = QUIET[name](x)
        # Small enough for a product with the slope to underflow.
        y.grad = Variable(np.full(y.shape, 1e-4, dtype))
        y.backward(create_graph=create_graph)
    assert np.all(np.isfinite(x.grad.data))
