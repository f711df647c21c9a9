"""The book's helpers on plain arrays, and its names for functions that are
elsewhere.
"""

import numpy as np
import pytest

from dezero_lite import utils


@pytest.mark.parametrize("shape", [(2, 3), (1, 3), (2, 1), (3,), (1,), ()])
def test_sum_to_undoes_a_broadcast(shape):
    x = np.arange(6.0).reshape(2, 3)
    y = utils.sum_to(x, shape)
    assert y.shape == shape
    assert np.isclose(y.sum(), x.sum())
    weights = np.arange(float(np.prod(shape))).reshape(shape)
    assert np.isclose(
        (y * weights).sum(), (x * np.broadcast_to(weights, x.shape)).sum()
    )


@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2), (-1, 0)])
def test_shapes_of_reductions_are_put_back(axis):
    x = np.arange(24.0).reshape(2, 3, 4)
    kept = x.max(axis=axis, keepdims=True)
    assert utils.max_backward_shape(x, axis) == kept.shape
    assert (
        utils.reshape_sum_backward(x.sum(axis=axis), x.shape, axis, False).shape
        == kept.shape
    )
    assert utils.reshape_sum_backward(kept, x.shape, axis, True) is kept
