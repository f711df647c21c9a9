"""Matrix products and the linear transformation."""

import numpy as np
import pytest

from dezero_lite import Parameter, Variable
from dezero_lite import functions as F
from dezero_lite.functions.linear import Linear
from tests.support.arrays import assert_close, uniform
from tests.support.function_checks import check_as_numpy, check_function, var

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


def test_one_matrix_may_stand_on_both_sides():
    check_function(lambda x: x @ x, uniform(3, 3))
    check_function(lambda x: x @ x.T, uniform(2, 3))


def test_an_array_may_stand_on_either_side():
    x, W = var(2, 3), var(3, 4, seed=1)
    for y in (x @ W.data, x.data @ W, x.matmul(W.data), F.matmul(x.data, W)):
        assert isinstance(y, Variable)
        assert_close(y.data, x.data @ W.data)


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


def test_linear_is_one_function_which_the_book_may_call():
    x, W, b = var(4, 3), var(3, 2), var(2)
    assert F.linear(x, W, b).creator.inputs == (x, W, b)
    assert_close(Linear()(x, W, b).data, x.data @ W.data + b.data)


def test_the_dtypes_of_linear_are_numpys():
    x, W, b = var(4, 3, dtype=np.float32), var(3, 2, dtype=np.float32), var(2)
    y = F.linear(x, W, b)
    assert y.dtype == np.float64
    y.backward()
    assert [v.grad.dtype for v in (x, W, b)] == [np.float32, np.float32, np.float64]
    whole = np.ones((4, 3), int), np.ones((3, 2), int)
    assert F.linear(*whole, np.ones(2, np.float32)).dtype == np.float64


def test_only_the_gradients_that_are_wanted_are_computed():
    x, W, b = uniform(4, 3), Parameter(uniform(3, 2)), uniform(2)
    product, affine = F.matmul(x, W), F.linear(x, W, b)
    for y, arrays in [(product, [x, W.data]), (affine, [x, W.data, b])]:
        gx, gW, *gb = y.creator.vjp(arrays, np.ones((4, 2)))
        assert gx is None
        assert gb in ([], [None])
        assert_close(gW, x.T @ np.ones((4, 2)))


@pytest.mark.parametrize("shape", [(60_000, 2), (300, 200, 2)])
def test_the_gradient_of_the_bias_is_right_to_the_last_digits(shape):
    x, W, b = [Variable(np.zeros(s, np.float32)) for s in (shape, (2, 3), 3)]
    y = F.linear(x, W, b)
    y.grad = Variable(np.full(y.shape, np.float32(0.1)))
    y.backward()
    assert b.grad.dtype == np.float32
    assert_close(b.grad.data, 6000, rtol=3e-6, atol=0)


def test_many_rows_are_right_to_every_order():
    check_function(
        lambda *xs: F.linear(*xs) ** 2 / 600, uniform(600, 1), uniform(1, 2), uniform(2)
    )
