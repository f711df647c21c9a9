"""Every function: both orders of its gradient, its dtypes, and what it leaves alone."""

import inspect

import numpy as np
import pytest

import dezero_lite
from dezero_lite import Variable, no_grad
from dezero_lite import functions as F
from dezero_lite.cuda import get_array_module
from tests.support.arrays import assert_close, distinct, normal, uniform
from tests.support.function_checks import check_function, listed

ROWS = distinct(3, 4)
IMAGES = distinct(2, 2, 5, 5)
KERNELS = normal(4, 2, 3, 3)
SHARES = uniform(3, 4, low=0.1, high=0.9)
LABELS = np.array([0, 3, 1])
YES_OR_NO = np.array([[0, 1, 1, 0]] * 3)
GAMMA, BETA = uniform(4), normal(4)
PICK = np.array([0, 2, 2])


def batch_norm(x, gamma, beta, function=F.batch_norm):
    xp = get_array_module(x)
    averages = xp.zeros(4), xp.ones(4)
    with dezero_lite.test_mode():
        tested = function(x, gamma, beta, *averages)
    return tested + function(x, gamma, beta, *averages)


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
    "binary_cross_entropy": (F.binary_cross_entropy, SHARES, YES_OR_NO),
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
    "sigmoid_cross_entropy": (F.sigmoid_cross_entropy, ROWS, YES_OR_NO),
    "sigmoid_simple": (F.sigmoid_simple, ROWS),
    "sin": (F.sin, ROWS),
    "softmax": (F.softmax, ROWS),
    "softmax_cross_entropy": (F.softmax_cross_entropy, ROWS, LABELS),
    "softmax_cross_entropy_simple": (F.softmax_cross_entropy_simple, ROWS, LABELS),
    "softmax_simple": (F.softmax_simple, ROWS),
    "split": (lambda x: F.split(x, 2, axis=1), ROWS),
    "sqrt": (F.sqrt, uniform(3, 4)),
    "squeeze": (F.squeeze, ROWS[:, None]),
    "stack": (lambda x, y: F.stack([x, y]), ROWS, normal(3, 4)),
    "sum": (lambda x: F.sum(x, axis=(0, 2)), IMAGES),
    "sum_to": (lambda x: F.sum_to(x, (1, 4)), ROWS),
    "tanh": (F.tanh, ROWS),
    "transpose": (lambda x: F.transpose(x, (2, 0, 3, 1)), IMAGES),
    "where": (lambda a, b, c: F.where(c, a, b), ROWS, normal(3, 4), ROWS > 0),
}
WITHOUT_A_SLOPE = {"accuracy", "causal_mask", "im2col_array", "col2im_array"}


def test_no_function_is_left_out():
    names = {name for name in F.__all__ if inspect.isfunction(getattr(F, name))}
    missing = names - WITHOUT_A_SLOPE - set(CALLS)
    assert not missing, f"CALLS needs something that they compute: {missing}"
    assert set(CALLS) <= names


each_function = pytest.mark.parametrize("name", CALLS)


@each_function
def test_it_is_right_to_the_second_order_everywhere(name):
    check_function(*CALLS[name])


def variables(inputs, dtype=float):
    floats = [x.dtype.kind == "f" for x in inputs]
    return [
        Variable(x.astype(dtype)) if is_float else x
        for x, is_float in zip(inputs, floats, strict=True)
    ]


@each_function
def test_no_rule_widens_on_its_way(name):
    # Backward would narrow the result again, but only after twice the work.
    f, *inputs = CALLS[name]
    ys = listed(f(*variables(inputs, np.float32)))
    creator = ys[0].creator
    arrays = [x.data if isinstance(x, Variable) else x for x in creator.inputs]
    gys = [out().data for out in creator.outputs]
    for given, gy in [(creator.inputs, map(Variable, gys)), (arrays, gys)]:
        gxs = creator.vjp(given, *gy)
        gxs = gxs if isinstance(gxs, tuple) else (gxs,)
        assert {gx.dtype for gx in gxs if gx is not None} == {np.dtype(np.float32)}


@each_function
def test_it_takes_plain_arrays_and_leaves_no_graph_under_no_grad(name):
    f, *inputs = CALLS[name]
    with no_grad():
        ys = listed(f(*variables(inputs)))
    for y, like in zip(ys, listed(f(*inputs)), strict=True):
        assert y.creator is None
        assert_close(y.data, like.data)


@each_function
def test_a_variable_without_data_is_named(name):
    f, *inputs = CALLS[name]
    for i in range(len(inputs)):
        given = [*inputs[:i], Variable(None, "w"), *inputs[i + 1 :]]
        with pytest.raises(ValueError, match=r"Variable 'w'.* holds no data yet"):
            f(*given)
