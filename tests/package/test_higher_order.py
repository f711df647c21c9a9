"""Derivatives of derivatives: every function to the second order, elementary ones to
the sixth against closed forms, and the Hessian of a small network.
"""

import inspect
import math

import numpy as np
import pytest
from numpy.polynomial import Polynomial

import dezero_lite
from dezero_lite import Variable
from dezero_lite import functions as F
from dezero_lite.gradcheck import gradient_check
from dezero_lite.models import MLP
from tests.support.arrays import assert_close, distinct, normal, uniform

ROWS = distinct(3, 4)
IMAGES = distinct(2, 2, 5, 5)
KERNELS = normal(4, 2, 3, 3)
LABELS = np.array([0, 3, 1])
YES_OR_NO = np.array([[0, 1, 1, 0]] * 3)
GAMMA, BETA = uniform(4), normal(4)
PICK = np.array([0, 2, 2])


def batch_norm(x, gamma, beta, function=F.batch_norm):
    with dezero_lite.test_mode():
        tested = function(x, gamma, beta, np.zeros(4), np.ones(4))
    return tested + function(x, gamma, beta, np.zeros(4), np.ones(4))


def dropout(x):
    dezero_lite.manual_seed(0)
    return F.dropout(x, 0.4)


# For each function, something it computes, and what it is given.
CALLS = {
    "abs": (F.abs, ROWS),
    "average": (lambda x: F.average(x, axis=1), ROWS),
    "average_pooling": (lambda x: F.average_pooling(x, 3, 2, 1), IMAGES),
    "batch_norm": (batch_norm, ROWS, GAMMA, BETA),
    "batch_nrom": (lambda *xs: batch_norm(*xs, F.batch_nrom), ROWS, GAMMA, BETA),
    "binary_cross_entropy": (
        lambda p: F.binary_cross_entropy(p, YES_OR_NO),
        uniform(3, 4, low=0.1, high=0.9),
    ),
    "broadcast_to": (lambda x: F.broadcast_to(x, (2, 3, 4)), ROWS),
    "clip": (lambda x: F.clip(x, -1, 1), ROWS),
    "col2im": (lambda x: F.col2im(x, (1, 1, 4, 4), 3, 1, 0), distinct(4, 9)),
    "concat": (lambda x, y: F.concat([x, y], axis=1), ROWS, normal(3, 2)),
    "conv2d": (lambda *xs: F.conv2d(*xs, 2, 1), IMAGES, KERNELS, BETA),
    "conv2d_simple": (lambda *xs: F.conv2d_simple(*xs, 2, 1), IMAGES, KERNELS, BETA),
    "cos": (F.cos, ROWS),
    "deconv2d": (lambda *xs: F.deconv2d(*xs, stride=2), IMAGES, normal(2, 3, 3, 3)),
    "dropout": (dropout, ROWS),
    "embed_id": (lambda W: F.embed_id(PICK, W), ROWS),
    "exp": (F.exp, ROWS),
    "expand_dims": (lambda x: F.expand_dims(x, 1), ROWS),
    "flatten": (F.flatten, IMAGES),
    "gelu": (F.gelu, ROWS),
    "get_item": (lambda x: F.get_item(x, PICK), ROWS),
    "im2col": (lambda x: F.im2col(x, 3, 2, 1), IMAGES),
    "attention": (F.attention, ROWS, ROWS, ROWS),
    "attention_weights": (F.attention_weights, ROWS, ROWS),
    "layer_norm": (F.layer_norm, ROWS, GAMMA, BETA),
    "leaky_relu": (F.leaky_relu, ROWS),
    "linear": (F.linear, ROWS, normal(4, 2), normal(2)),
    "linear_simple": (F.linear_simple, ROWS, normal(4, 2), normal(2)),
    "log": (F.log, uniform(3, 4)),
    "log_softmax": (F.log_softmax, ROWS),
    "logsumexp": (lambda x: F.logsumexp(x, axis=0), ROWS),
    "matmul": (F.matmul, ROWS, normal(4, 2)),
    "max": (lambda x: F.max(x, axis=1), ROWS),
    "maximum": (F.maximum, ROWS, normal(3, 4)),
    "mean": (lambda x: F.mean(x, axis=0, keepdims=True), ROWS),
    "mean_squared_error": (F.mean_squared_error, ROWS, normal(3, 4)),
    "mean_squared_error_simple": (F.mean_squared_error_simple, ROWS, normal(3, 4)),
    "min": (lambda x: F.min(x, axis=0), ROWS),
    "minimum": (F.minimum, ROWS, normal(3, 4)),
    "pad": (lambda x: F.pad(x, ((1, 0), (0, 2))), ROWS),
    "pooling": (lambda x: F.pooling(x, 3, 2, 1), IMAGES),
    "pooling_simple": (lambda x: F.pooling_simple(x, 3, 2, 1), IMAGES),
    "relu": (F.relu, ROWS),
    "reshape": (lambda x: F.reshape(x, (2, 6)), ROWS),
    "sigmoid": (F.sigmoid, ROWS),
    "sigmoid_cross_entropy": (lambda x: F.sigmoid_cross_entropy(x, YES_OR_NO), ROWS),
    "sigmoid_simple": (F.sigmoid_simple, ROWS),
    "sin": (F.sin, ROWS),
    "softmax": (F.softmax, ROWS),
    "softmax_cross_entropy": (lambda x: F.softmax_cross_entropy(x, LABELS), ROWS),
    "softmax_cross_entropy_simple": (
        lambda x: F.softmax_cross_entropy_simple(x, LABELS),
        ROWS,
    ),
    "softmax_simple": (F.softmax_simple, ROWS),
    "split": (lambda x: F.split(x, 2, axis=1), ROWS),
    "sqrt": (F.sqrt, uniform(3, 4)),
    "squeeze": (F.squeeze, ROWS[:, None]),
    "stack": (lambda x, y: F.stack([x, y]), ROWS, normal(3, 4)),
    "sum": (lambda x: F.sum(x, axis=(0, 2)), IMAGES),
    "sum_to": (lambda x: F.sum_to(x, (1, 4)), ROWS),
    "tanh": (F.tanh, ROWS),
    "transpose": (lambda x: F.transpose(x, (2, 0, 3, 1)), IMAGES),
    "where": (lambda a, b: F.where(ROWS > 0, a, b), ROWS, normal(3, 4)),
}
WITHOUT_A_SLOPE = {"accuracy", "causal_mask", "im2col_array", "col2im_array"}


def test_no_function_is_left_out():
    names = {name for name in F.__all__ if inspect.isfunction(getattr(F, name))}
    assert set(CALLS) == names - WITHOUT_A_SLOPE


@pytest.mark.parametrize("name", CALLS)
def test_a_function_is_right_to_the_second_order(name):
    f, *inputs = CALLS[name]
    assert gradient_check(f, *map(Variable, inputs))


# --- to the sixth order ---------------------------------------------------------------


def derivatives(f, x, order=6):
    x = Variable(np.array(x))
    y = f(x)
    found = []
    for _ in range(order):
        x.cleargrad()
        y.backward(create_graph=True)
        y = x.grad
        found.append(y.item())
    return found


def of_power(c, x):
    factors = np.cumprod([c - k for k in range(6)])
    return [factor * x ** (c - n) for n, factor in enumerate(factors, start=1)]


def of_tanh(x):
    # Each is a polynomial in t = tanh x, whose derivative is that by t, times 1 − t².
    polynomial, found = Polynomial([0, 1]), []
    for _ in range(6):
        polynomial = polynomial.deriv() * Polynomial([1, 0, -1])
        found.append(polynomial(np.tanh(x)))
    return found


ORDERS = range(1, 7)


@pytest.mark.parametrize(
    ("f", "closed_form"),
    [
        (F.sin, lambda x: [math.sin(x + n * math.pi / 2) for n in ORDERS]),
        (F.cos, lambda x: [math.cos(x + n * math.pi / 2) for n in ORDERS]),
        (F.exp, lambda x: [math.exp(x)] * 6),
        (
            F.log,
            lambda x: [(-1) ** (n - 1) * math.factorial(n - 1) / x**n for n in ORDERS],
        ),
        (F.tanh, of_tanh),
        (F.sqrt, lambda x: of_power(0.5, x)),
        (lambda x: x**7, lambda x: of_power(7, x)),
        (lambda x: x**-2.5, lambda x: of_power(-2.5, x)),
        (lambda x: 1 / x, lambda x: of_power(-1, x)),
    ],
    ids=["sin", "cos", "exp", "log", "tanh", "sqrt", "x^7", "x^-2.5", "1/x"],
)
@pytest.mark.parametrize("x", [0.3, 0.7, 1.9])
def test_six_derivatives_are_those_of_the_closed_form(f, closed_form, x):
    assert_close(derivatives(f, x), closed_form(x), rtol=1e-9, atol=1e-9)


# --- of a network ---------------------------------------------------------------------


def test_the_hessian_of_a_network_is_the_difference_of_its_gradients():
    dezero_lite.manual_seed(0)
    model = MLP((4, 2), activation=F.tanh)
    x, t = normal(6, 3), np.array([0, 1, 1, 0, 1, 0])
    model(x)
    params = list(model.params())
    for param in params:
        param.data = param.data.astype(float)

    def gradient(create_graph=False):
        model.cleargrads()
        loss = F.softmax_cross_entropy(model(x), t)
        loss.backward(create_graph=create_graph)
        return [param.grad for param in params]

    def flat(variables):
        return np.concatenate([v.data.ravel() for v in variables])

    hessian, measured = [], []
    for i, param in enumerate(params):
        for j in range(param.size):
            slopes = gradient(create_graph=True)
            model.cleargrads()
            slopes[i].reshape(-1)[j].backward()
            hessian.append(flat([p.grad for p in params]))
            found = []
            for nudge in (1e-5, -1e-5):
                param.data.flat[j] += nudge
                found.append(flat(gradient()))
                param.data.flat[j] -= nudge
            measured.append((found[0] - found[1]) / 2e-5)
    assert_close(np.array(hessian), np.array(measured), rtol=1e-4, atol=1e-7)
    assert_close(np.array(hessian), np.array(hessian).T, atol=1e-12)
