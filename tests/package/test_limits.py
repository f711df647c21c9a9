"""What becomes of NaN, infinities and very large numbers, forward and backward."""

import numpy as np
import pytest

import dezero_lite.functions as F
from dezero_lite import Variable, manual_seed
from tests.support.arrays import assert_equal, distinct


def gradient(f, *values, dtype=np.float64):
    """Return the gradients of the sum of f, for several inputs side by side."""
    xs = [Variable(np.array(value, dtype)) for value in values]
    with np.errstate(all="ignore"):
        F.sum(f(*xs)).backward()
    return [x.grad.data.tolist() for x in xs]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_gelu_is_flat_or_straight_far_out(dtype):
    far = [-6e4, -60.0, 60.0, 6e4] if dtype == np.float16 else [-1e30, -60, 60, 1e30]
    assert gradient(F.gelu, far, dtype=dtype) == [[0, 0, 1, 1]]
    y = F.gelu(Variable(np.array(far, dtype))).data
    np.testing.assert_array_equal(y, np.maximum(np.array(far, dtype), 0))


# Each passes on some of its numbers, and ignores the others.
CHOOSING = {
    "relu": F.relu,
    "leaky_relu": lambda x: F.leaky_relu(x, 0),
    # 1e-320 is only 0 in float32.
    "leaky_relu, small": lambda x: F.leaky_relu(x, 1e-320 * (x.dtype == np.float32)),
    "where, left": lambda x: F.where(x > 0, x, 0.0),
    "where, right": lambda x: F.where(x < 0, 0.0, x),
    "clip": lambda x: F.clip(x, -1, 1),
    "maximum, left": lambda x: F.maximum(x, 0.0),
    "maximum, right": lambda x: F.maximum(0.0, x),
    "minimum, left": lambda x: F.minimum(x, 0.0),
    "minimum, right": lambda x: F.minimum(0.0, x),
    "max": lambda x: F.max(x, axis=3),
    "min": lambda x: F.min(x, axis=(1, 3)),
    "dropout": lambda x: [manual_seed(0), F.dropout(x, 0.5)][1],
    "pooling": lambda x: F.pooling(x, 2),
    "pooling without gaps": lambda x: F.pooling(x, 2, 2),
    "pooling of large windows": lambda x: F.pooling(x, 5),
    "pooling simply": lambda x: F.pooling_simple(x, 5, 5),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", CHOOSING)
def test_what_is_not_chosen_stops_an_infinite_gradient(name, dtype):
    x = Variable(distinct(1, 2, 6, 6).astype(dtype))

    def gradients(gy, ggx=1):
        """Return the gradients of x, and of the gradient that y receives."""
        x.cleargrad()
        y = CHOOSING[name](x)
        incoming = y.grad = Variable(np.full(y.shape, gy, dtype))
        y.backward(create_graph=True)
        gx = x.grad
        gx.grad = Variable(np.broadcast_to(ggx, x.shape).astype(dtype))
        gx.backward()
        return gx.data, incoming.grad.data

    chosen = gradients(1)[0] != 0
    assert 0 < chosen.sum() < x.size
    assert_equal(gradients(np.inf)[0], np.where(chosen, np.inf, 0))
    # The second order only uses the chosen elements.
    _, expected = gradients(1, 3)
    _, found = gradients(1, np.where(chosen, 3, np.inf))
    assert_equal(found, expected)
