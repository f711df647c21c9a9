"""What the benchmarks call the work in NumPy alone is the same work."""

import numpy as np
import pytest

import dezero_lite.functions as F
from benchmarks import bare
from benchmarks.networks import image
from dezero_lite import Variable
from tests.support.arrays import assert_close


def value_and_gradients(f, *arrays):
    xs = [Variable(array) for array in arrays]
    y = f(*xs)
    y.grad = Variable(np.ones_like(y.data))
    y.backward()
    return [y.data, *(x.grad.data for x in xs)]


@pytest.mark.parametrize(("stride", "pad"), [(1, 1), (2, 1), (1, 0)])
def test_convolution(stride, pad):
    shapes = (4, 2, 9, 9), (3, 2, 3, 3)
    y, gW, gx = bare.convolution(*shapes, stride, pad)(image_gradient=True)
    expected = value_and_gradients(
        lambda x, W: F.conv2d(x, W, stride=stride, pad=pad),
        *(image(*s) for s in shapes),
    )
    for ours, theirs in zip([y, gx, gW.reshape(shapes[1])], expected, strict=True):
        assert_close(ours, theirs, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("kernel", "stride"), [(2, 2), (3, 2)])
def test_max_pooling(kernel, stride):
    x = image(2, 3, 9, 9)
    expected = value_and_gradients(lambda x: F.pooling(x, kernel, stride), x)
    for ours, theirs in zip(
        bare.max_pooling(x, kernel, stride)(), expected, strict=True
    ):
        assert_close(ours, theirs)


def test_a_row_times_a_matrix():
    x, row = image(5, 4), image(4)
    _, gx, grow = value_and_gradients(lambda x, row: F.sum(x * row), x, row)
    ours = bare.scaled_rows(x, row)
    assert_close(ours[0], gx)
    assert_close(ours[1], grow, rtol=1e-5)
