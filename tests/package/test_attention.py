"""Attention, its layers and its cache: compared with two loops, with PyTorch, and to
second order.
"""

import numpy as np
import pytest

from dezero_lite import Variable, manual_seed, no_grad
from dezero_lite import layers as L
from dezero_lite.functions import attention, attention_weights, causal_mask
from dezero_lite.gradcheck import gradient_check
from tests.support.arrays import assert_close, normal
from tests.support.function_checks import check_function


def by_loops(q, k, v, mask):
    """Compute the same for one sequence, one number at a time."""
    out = np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        seen = [j for j in range(len(k)) if mask[i, j]]
        scores = [sum(q[i] * k[j]) / np.sqrt(len(q[i])) for j in seen]
        shares = np.exp(scores) / sum(np.exp(scores)) if seen else []
        for share, j in zip(shares, seen, strict=True):
            out[i] += share * v[j]
    return out


MASKS = {
    "none": None,
    "causal": causal_mask(4, 5),
    "one row for all": np.array([True, False, True, True, False]),
    "a column of queries": np.array([[True], [True], [False], [True]]),
    "a row that sees nothing": np.array([[0], [1], [1], [1]], bool) & causal_mask(4, 5),
    "nobody sees anything": np.zeros((4, 5), bool),
    "one for each sequence": np.random.default_rng(1).random((2, 4, 5)) < 0.5,
    "a number": np.array(True),
}


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_it_is_the_weighted_mean_of_the_values_to_second_order(mask):
    q, k, v = normal(2, 4, 3), normal(2, 5, 3, seed=1), normal(2, 5, 6, seed=2)
    found = attention(q, k, v, mask)
    full = np.broadcast_to(True if mask is None else mask, (2, 4, 5))
    for n in range(2):
        assert_close(found.data[n], by_loops(q[n], k[n], v[n], full[n]))
    sums = attention_weights(q, k, mask).data.sum(axis=-1)
    assert_close(sums, full.any(axis=-1).astype(float))
    check_function(lambda q, k, v: attention(q, k, v, mask), q, k, v)


@pytest.mark.parametrize("shape", [(1, 1), (3, 1, 1), (2, 3, 1, 4)])
def test_sequences_of_length_one(shape):
    x = normal(*shape)
    assert_close(attention(x, x, x, causal_mask(shape[-2])).data, x)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_dtypes_stay(dtype):
    q = Variable(normal(4, 3).astype(dtype))
    y = attention(q, q, q, MASKS["a row that sees nothing"][:, :4])
    y.backward()
    assert y.dtype == dtype
    assert q.grad.dtype == dtype


# --- layers ---------------------------------------------------------------------------


def layer(kind, *sizes, **settings):
    manual_seed(0)
    return kind(*sizes, dtype=np.float64, **settings)


@pytest.mark.parametrize("kind", [L.MultiHeadAttention, L.TransformerBlock])
def test_layers_gradients_are_right_to_second_order(kind):
    made = layer(kind, 4, 2)
    x = normal(1, 2, 4)
    assert gradient_check(made, Variable(x))
    for name, param in vars(made).items():
        if hasattr(param, "W"):
            weights = param.W

            def with_weights(W, param=param):
                param.W = W
                return made(x)

            assert gradient_check(with_weights, Variable(weights.data)), name
            param.W = weights


# --- the cache ------------------------------------------------------------------------


@pytest.mark.parametrize("cuts", [[1, 2, 3, 4], [3], [2, 3]])
def test_a_cache_changes_nothing(cuts):
    block = layer(L.TransformerBlock, 6, 2)
    x = normal(2, 5, 6)
    cache = L.KeyValueCache(5)
    with no_grad():
        parts = [block(part, None, cache).data for part in np.split(x, cuts, axis=1)]
    assert_close(np.concatenate(parts, axis=1), block(x).data)
    assert repr(cache) == "KeyValueCache(5 of 5)"
