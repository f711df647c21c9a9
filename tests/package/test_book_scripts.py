"""Scripts in the manner of the book's stages 2 to 4, run as they are after ``import
dezero_lite as dezero``; those that train networks are in test_book_training.py.
"""

from copy import deepcopy

import numpy as np
import pytest

import dezero_lite as dezero
from dezero_lite import Function, Variable, core_simple
from tests.support.arrays import assert_close, assert_equal

F = dezero.functions


def simple_variable(data):
    """A Variable as the book's steps 28 and 29 come by it."""
    if not dezero.is_simple_core:
        from dezero_lite.core_simple import Variable, setup_variable

        setup_variable()
    return Variable(data)


@pytest.mark.parametrize("make", [Variable, simple_variable])
def test_gradient_descent_on_rosenbrock(make):
    x0, x1 = make(np.array(0.0)), make(np.array(2.0))
    for _ in range(1000):
        y = 100 * (x1 - x0**2) ** 2 + (x0 - 1) ** 2
        x0.cleargrad()
        x1.cleargrad()
        y.backward()
        for x in (x0, x1):
            x.data -= 0.001 * (x.grad if make is simple_variable else x.grad.data)
    # The book's framework prints these two.
    assert f"{x0}, {x1}" == "variable(0.6837118569138317), variable(0.4659526837427042)"


def test_newtons_method():
    x, simple = Variable(np.array(2.0)), simple_variable(np.array(2.0))
    for _ in range(10):
        y = simple**4 - 2 * simple**2
        simple.cleargrad()
        y.backward()
        simple.data -= simple.grad / (12 * simple.data**2 - 4)

        z = x**4 - 2 * x**2
        x.cleargrad()
        z.backward(create_graph=True)
        gx = x.grad
        x.cleargrad()
        gx.backward()
        x.data -= gx.data / x.grad.data
    assert (simple.data, y.data) == (1.0, -1.0)
    assert np.isclose(x.data, 1.0, atol=1e-12)


def test_a_gradient_that_is_an_array_adds_up_and_is_copied():
    x = simple_variable(np.array([1.0, 2.0]))
    for _ in range(2):
        (x * x).backward()
    assert type(x.grad) is np.ndarray
    assert x.grad.tolist() == [4.0, 8.0]
    copy = deepcopy(x)
    copy.grad += 1
    assert (type(copy), copy.grad.tolist()) == (type(x), [5.0, 9.0])
    assert x.grad.tolist() == [4.0, 8.0]
    x.cleargrad()
    assert x.grad is None


def test_a_function_of_ones_own_whose_backward_computes_on_arrays():
    class ReLU(core_simple.Function):
        def forward(self, x):
            return np.maximum(x, 0)

        def backward(self, gy):
            return np.where(self.inputs[0].data > 0, gy, 0)

    class Doubled(ReLU):
        def backward(self, gy):
            return 2 * super().backward(gy)

    class Named(ReLU):
        pass

    for kind, slope in [(ReLU, 1.0), (Doubled, 2.0), (Named, 1.0)]:
        x = simple_variable(np.array([-1.0, 3.0]))
        kind()(x).backward()
        assert x.grad.tolist() == [0.0, slope]


def test_a_gradient_inside_a_formula():
    x = Variable(np.array(2.0))
    y = x**2
    y.backward(create_graph=True)
    gx = x.grad
    x.cleargrad()
    z = gx**3 + y
    z.backward()
    assert x.grad.data == 100.0


def test_a_product_of_the_hessian_and_a_vector():
    x = Variable(np.array([1.0, 2.0]))
    y = F.sum(x**2)
    y.backward(create_graph=True)
    gx = x.grad
    x.cleargrad()
    F.matmul(Variable(np.array([4.0, 5.0])), gx).backward()
    assert_equal(x.grad.data, [8.0, 10.0])


# --- functions of one's own -----------------------------------------------------------


def test_a_function_of_ones_own_works_on_either_kind_of_array_and_uses_its_output():
    class MyExp(Function):
        def forward(self, x):
            xp = dezero.cuda.get_array_module(x)
            return xp.exp(x)

        def backward(self, gy):
            y = self.outputs[0]()  # a weak reference
            return gy * y

    x = Variable(np.array([-1.0, 0.0, 2.0]))
    y = MyExp()(x * 2)
    y.backward(create_graph=True)
    gx = x.grad
    x.cleargrad()
    gx.backward()
    assert_close(x.grad.data, 4 * np.exp(2 * x.data))


@pytest.mark.parametrize("data", [[[-1.0, 2.0], [3.0, -4.0]], [3.0, -1.0], 3.0])
def test_a_function_of_ones_own_that_masks_an_array(data):
    class MyReLU(Function):
        def forward(self, x):
            self.mask = x <= 0
            y = x.copy()
            y[self.mask] = 0
            return y

        def backward(self, gy):
            return gy * (1 - self.mask)

    x = Variable(np.array(data))
    y = MyReLU()(x)
    y.backward()
    assert_equal(y.data, np.maximum(x.data, 0))
    assert_equal(x.grad.data, np.float64(x.data > 0))


def test_functions_are_checked_by_numbers():
    check = dezero.utils.gradient_check
    rng = np.random.RandomState(0)
    x = rng.rand(2, 3) + 1
    assert check(lambda x: F.sum(x**3, axis=1), x) is True
    assert check(F.sum, Variable(x), axis=1)
    image, W = rng.rand(2, 2, 4, 4), rng.rand(3, 2, 3, 3)
    assert check(F.conv2d, image, W, None, stride=1, pad=1)
    slope = dezero.utils.numerical_grad(lambda x: x**3, Variable(x))
    assert dezero.utils.array_allclose(slope, 3 * x**2)


# --- descent and settings -------------------------------------------------------------


def test_settings_may_be_set_without_with():
    Config = dezero.Config
    assert (Config.enable_backprop, Config.train) == (True, True)
    Config.train = False
    try:
        assert_equal(F.dropout(np.ones(5)).data, np.ones(5))
    finally:
        Config.train = True


def test_the_branch_for_a_gpu():
    x = Variable(np.ones((2, 2)))
    xp = dezero.cuda.cupy if dezero.cuda.gpu_enable else np
    if dezero.cuda.gpu_enable:
        x.to_gpu()
    y = F.sum(x * xp.ones((2, 2)))
    x.to_cpu()
    assert dezero.cuda.get_array_module(x) is np
    assert dezero.cuda.as_numpy(y).tolist() == 4.0
