"""Matrix products and the linear transformation."""

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
