"""The book's helpers on plain arrays, and its names for what lives elsewhere."""

import numpy as np
import pytest

from dezero_lite import Variable, functions, gradcheck, graph, utils
from tests.support.arrays import assert_close


def test_names_are_handed_on():
    assert utils.gradient_check is gradcheck.gradient_check
    assert utils.get_dot_graph is graph.get_dot_graph
    assert utils.get_conv_outsize is functions.window.get_conv_outsize
    assert utils.pair(3) == (3, 3)


def test_arrays_and_variables_are_compared():
    a = np.array([1.0, 2.0])
    assert utils.array_equal(Variable(a), a.copy()) is True
    assert utils.array_equal(a, a + 1e-9) is False
    assert utils.array_equal(a, a[None]) is False
    assert utils.array_allclose(a, Variable(a + 1e-6)) is True
    assert utils.array_allclose(a, a + 1e-6, rtol=0, atol=1e-9) is False


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


def test_sum_to_refuses_what_does_not_broadcast_back():
    with pytest.raises(ValueError, match=r"cannot sum shape \(2, 3\) to shape \(2,\)"):
        utils.sum_to(np.ones((2, 3)), (2,))


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


def test_logsumexp_does_not_overflow():
    x = np.array([[1e4, 1e4], [0.0, np.log(3.0)]])
    assert_close(utils.logsumexp(x), [[1e4 + np.log(2)], [np.log(4)]])
    assert utils.logsumexp(x.astype(np.float32)).dtype == np.float32
