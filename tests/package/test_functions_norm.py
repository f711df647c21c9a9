"""Dropout and normalisation, in training and in test mode."""

import numpy as np
import pytest

from dezero_lite import Parameter, Variable, manual_seed, no_grad, test_mode
from dezero_lite import functions as F
from dezero_lite.cuda import get_array_module
from dezero_lite.functions import norm
from tests.support.arrays import assert_close, uniform
from tests.support.function_checks import check_function, run, var

# --- dropout --------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(3, 4), (1, 4), (0, 4), ()])
@pytest.mark.parametrize("ratio", [0.0, 0.3, 0.9])
def test_dropout_passes_gradients_where_it_passed_numbers(shape, ratio):
    def f(x):
        manual_seed(1)
        return F.dropout(x, ratio) ** 2

    check_function(f, uniform(*shape))


@pytest.mark.parametrize(
    ("ratio", "drawn", "scale"),
    [(1 - 1e-9, 1 - np.array([1e-8, 2e-9, 1e-10]), 1e9), (1e-9, [1e-10, 2e-9, 1], 1)],
)
def test_dropout_tells_shares_apart_that_a_float32_cannot(
    ratio, drawn, scale, monkeypatch
):
    class Drawn:
        def random(self, shape, dtype):
            # As a generator does, which rounds down.
            narrow = np.floor(np.array(drawn) * 2.0**24) / 2**24
            return narrow if dtype is np.float32 else np.array(drawn)

    monkeypatch.setattr(norm, "generator", Drawn)
    y = F.dropout(np.ones(3), ratio)
    assert_close(y.data, np.where(np.array(drawn) >= ratio, scale, 0))


# --- batch_norm -----------------------------------------------------------------------

SHAPES = [(4, 3), (2, 1), (5, 2, 3, 2), (1, 2, 3, 2), (3, 2, 1, 1)]


def channels(x):
    """Reshape (N, C, H, W) to (N·H·W, C)."""
    return np.moveaxis(x, 1, -1).reshape(-1, x.shape[1])


def plain(c, dtype=float):
    """Return gamma, beta, mean and var that change nothing."""
    return [f(c, dtype) for f in (np.ones, np.zeros, np.zeros, np.ones)]


@pytest.mark.parametrize("shape", SHAPES)
def test_batch_norm_is_right_in_training(shape):
    x, c = uniform(*shape), shape[1]
    gamma, beta = uniform(c, seed=1), uniform(c, seed=2)
    y = F.batch_norm(Variable(x), Variable(gamma), Variable(beta), *plain(c)[2:])
    rows = channels(x)
    normal = (rows - rows.mean(axis=0)) / np.sqrt(rows.var(axis=0) + 2e-5)
    assert y.shape == shape
    assert_close(channels(y.data), gamma * normal + beta)

    def f(x, gamma, beta):
        xp = get_array_module(x)
        return F.batch_norm(x, gamma, beta, xp.zeros(c), xp.ones(c), eps=0.01) ** 2

    check_function(f, x, gamma, beta)


@pytest.mark.parametrize("shape", [*SHAPES, (1, 3), (0, 3), (0, 3, 2, 2)])
def test_batch_norm_is_right_in_use(shape):
    c = shape[1]
    x, gamma, beta = uniform(*shape), uniform(c, seed=1), uniform(c, seed=2)
    mean, var = uniform(c, seed=3), uniform(c, seed=4)

    def f(x, gamma, beta):
        averages = [get_array_module(x).array(a) for a in (mean, var)]
        with test_mode():
            return F.batch_norm(x, gamma, beta, *averages)

    normal = (channels(x) - mean) / np.sqrt(var + 2e-5)
    assert_close(channels(f(x, gamma, beta).data), gamma * normal + beta)
    check_function(lambda *xs: f(*xs) ** 2, x, gamma, beta)


@pytest.mark.parametrize("shape", SHAPES)
def test_training_moves_the_running_averages(shape):
    x, c = uniform(*shape), shape[1]
    mean, var = uniform(c, seed=3), uniform(c, seed=4)
    kept = mean, var
    rows = channels(x)
    new_mean = 0.7 * mean + 0.3 * rows.mean(axis=0)
    new_var = 0.7 * var + 0.3 * rows.var(axis=0, ddof=1)
    F.batch_norm(x, np.ones(c), np.zeros(c), mean, var, decay=0.7)
    assert kept[0] is mean
    assert_close(mean, new_mean)
    assert_close(var, new_var)


@pytest.mark.parametrize("in_use", [False, True])
def test_float64_averages_do_not_widen_float32(in_use):
    inputs = [var(*shape, dtype=np.float32) for shape in [(4, 3), (3,), (3,)]]
    with test_mode() if in_use else no_grad():
        y = F.batch_norm(*inputs, np.zeros(3), np.ones(3))
    assert y.dtype == np.float32
    mean, var32 = np.zeros(3, np.float32), np.ones(3, np.float32)
    F.batch_norm(uniform(4, 3), np.ones(3), np.zeros(3), mean, var32)
    assert mean.dtype == var32.dtype == np.float32


@pytest.mark.parametrize(
    "f", [lambda *xs: F.batch_norm(*xs, np.zeros(3), np.ones(3)), F.layer_norm]
)
def test_the_gradient_of_a_constant_batch_is_not_computed(f):
    x, gamma, beta = uniform(4, 3), Parameter(np.ones(3)), np.zeros(3)
    y = f(x, gamma, beta)
    assert y.creator.vjp([x, gamma.data, beta], np.ones((4, 3)))[0] is None
    y.backward()
    assert gamma.grad.shape == (3,)


def assert_float16_is_like_float32(f, *arrays):
    """Compare the results of `f` for Variables of both, and of a dtype."""
    results = []
    for dtype in (np.float16, np.float32):
        inputs = [Variable(x.astype(np.float16).astype(dtype)) for x in arrays]
        results.append(f(dtype, inputs))
    for half, single in zip(*results, strict=True):
        assert half.dtype == np.float16
        assert np.abs(half - single).max() <= 0.01 * max(1, np.abs(single).max())


@pytest.mark.parametrize("shape", [(6, 2), (3, 2, 2, 2)])
@pytest.mark.parametrize("scale", [0.01, 700])
def test_batches_of_float16_are_normalised_like_float32(shape, scale):
    def f(dtype, inputs):
        averages = np.zeros(2, dtype), np.ones(2, dtype)
        trained = run(lambda *xs: F.batch_norm(*xs, *averages), inputs)
        with test_mode():
            used = run(lambda *xs: F.batch_norm(*xs, *averages), inputs)
        return [*trained, *averages, *used]

    arrays = scale * uniform(*shape), uniform(2), uniform(2, seed=1)
    assert_float16_is_like_float32(f, *arrays)


# --- layer_norm -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "features"),
    [
        *[(s, s[-1:]) for s in [(4, 3), (1, 3), (3,), (2, 3, 4), (0, 3), (4, 1)]],
        ((2, 3, 4), (3, 4)),
    ],
)
def test_layer_norm_normalises_each_example(shape, features):
    x = uniform(*shape)
    gamma, beta = uniform(*features, seed=1), uniform(*features, seed=2)
    axes = tuple(range(-len(features), 0))
    std = np.sqrt(x.var(axis=axes, keepdims=True) + 1e-5)
    z = (x - x.mean(axis=axes, keepdims=True)) / std
    assert_close(F.layer_norm(Variable(x), gamma, beta).data, gamma * z + beta)
    check_function(lambda *xs: F.layer_norm(*xs, eps=0.01) ** 2, x, gamma, beta)


@pytest.mark.parametrize("scale", [0.01, 1, 400, 20_000])
def test_examples_of_float16_are_normalised_like_float32(scale):
    arrays = scale * uniform(3, 5), uniform(5), uniform(5, seed=1)
    assert_float16_is_like_float32(lambda _, xs: run(F.layer_norm, xs), *arrays)
