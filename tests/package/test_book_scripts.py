"""Scripts in the style of the book's stages 2 to 4, run unchanged after ``import
dezero_lite as dezero``; those that train networks are in test_book_training.py.
"""

import numpy as np
import pytest

import dezero_lite as dezero
from dezero_lite import Function, Variable, core_simple
from tests.support.arrays import assert_equal

F = dezero.functions


def simple_variable(data):
    """Return the Variable class as the book's steps 28 and 29 import it."""
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


# --- functions of one's own -----------------------------------------------------------


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
