"""Matrix products and the linear transformation."""

from typing import ClassVar

import numpy as np
import pytest

from dezero_lite import Variable
from dezero_lite import functions as F
from tests.support.arrays import assert_close, uniform
from tests.support.function_checks import check_as_numpy, check_function

# --- matmul ---------------------------------------------------------------------------

PRODUCTS = """
matmul(x(2, 3), x(3, 4))
matmul(x(1, 1), x(1, 1))
matmul(x(3), x(3))
matmul(x(3), x(3, 2))
matmul(x(2, 3), x(3))
matmul(x(5, 2, 3), x(3, 4))
matmul(x(5, 2, 3), x(3))
matmul(x(3), x(5, 3, 4))
matmul(x(2, 3), x(5, 3, 4))
matmul(x(1, 2, 3), x(5, 3, 4))
matmul(x(5, 2, 3), x(1, 3, 4))
matmul(x(2, 1, 2, 3), x(3, 3, 1))
matmul(x(2, 1, 1, 3), x(1, 3, 3, 2))
matmul(x(0, 3), x(3, 4))
matmul(x(2, 0), x(0, 4))
matmul(x(0,), x(0, 2))
matmul(x(0, 2, 3), x(1, 3, 4))
matmul(x(2, 3), x(3, 0))
x(2, 3) @ x(3, 4)
x(2, 3).dot(x(3, 4))
"""


@pytest.mark.parametrize("code", PRODUCTS.split("\n")[1:-1])
def test_products_are_numpys(code):
    check_as_numpy(code)


class Watched(np.ndarray):
    """An array that records the strides of everything that it is multiplied with."""

    strides_seen: ClassVar = []

    def __array_ufunc__(self, ufunc, method, *inputs, out=(), **kwargs):
        if ufunc is np.matmul:
            self.strides_seen += [x.strides for x in inputs]
        plain = [np.asarray(x) for x in inputs]
        if out:
            kwargs["out"] = tuple([np.asarray(y) for y in out])
        y = getattr(ufunc, method)(*plain, **kwargs)
        return y.view(Watched) if isinstance(y, np.ndarray) else y


# The gradient of a sum repeats one number in memory. Before NumPy 2.3, products of such
# an array are many times slower.
PRODUCT_RULES = {
    "matmul": (F.matmul, (5, 4), (4, 3)),
    "matmul of many": (F.matmul, (2, 5, 4), (2, 4, 3)),
    "linear": (F.linear, (5, 4), (4, 3)),
    "linear of many": (F.linear, (2, 5, 4), (4, 3)),
    "conv2d": (F.conv2d, (2, 3, 6, 6), (4, 3, 3, 3)),
    "conv2d with gaps": (
        lambda x, W: F.conv2d(x, W, stride=2),
        (2, 3, 6, 6),
        (4, 3, 3, 3),
    ),
    "conv2d of pixels": (F.conv2d, (2, 3, 6, 6), (4, 3, 1, 1)),
    "deconv2d of pixels": (F.deconv2d, (2, 3, 6, 6), (3, 4, 1, 1)),
}


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("name", PRODUCT_RULES)
def test_gradients_of_products_are_computed_by_blas(name, create_graph, monkeypatch):
    monkeypatch.setattr(Watched, "strides_seen", seen := [])
    f, *shapes = PRODUCT_RULES[name]
    x, W = [Variable(uniform(*shape).view(Watched)) for shape in shapes]
    F.sum(f(x, W)).backward(create_graph=create_graph)
    assert len(seen) >= 6, "a product has not been noted"
    assert not any(0 in strides for strides in seen)


# --- linear ---------------------------------------------------------------------------

both = pytest.mark.parametrize("linear", [F.linear, F.linear_simple])


@both
@pytest.mark.parametrize(
    "shape", [(4, 3), (1, 3), (0, 3), (3,), (2, 4, 3), (2, 1, 2, 3), (2, 0, 3)]
)
def test_linear_is_a_product_and_a_sum(linear, shape):
    x, W, b = uniform(*shape), uniform(3, 2, seed=1), uniform(2, seed=2)
    assert_close(linear(Variable(x), Variable(W), Variable(b)).data, x @ W + b)
    assert_close(linear(Variable(x), Variable(W)).data, x @ W)
    assert_close(linear(x, W, np.zeros(2)).data, x @ W)
    check_function(linear, x, W)
    check_function(lambda x, W, b: linear(x, W, b) ** 2, x, W, b)


@both
@pytest.mark.parametrize(("wide", "out"), [(0, 2), (3, 0), (1, 1)])
def test_linear_of_nothing_is_the_bias(linear, wide, out):
    check_function(linear, uniform(4, wide), uniform(wide, out), uniform(out))


@pytest.mark.parametrize("shape", [(60_000, 2), (300, 200, 2)])
def test_the_gradient_of_the_bias_is_right_to_the_last_digits(shape):
    x, W, b = [Variable(np.zeros(s, np.float32)) for s in (shape, (2, 3), 3)]
    y = F.linear(x, W, b)
    y.grad = Variable(np.full(y.shape, np.float32(0.1)))
    y.backward()
    assert b.grad.dtype == np.float32
    assert_close(b.grad.data, 6000, rtol=3e-6, atol=0)
