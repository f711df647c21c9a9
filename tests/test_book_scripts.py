"""Scripts in the manner of the book's stages 2 and 3, run as they are after ``import dezero_lite as dezero``."""

import numpy as np

import dezero_lite as dezero
from dezero_lite import Function, Variable


def test_goldstein_price_and_its_gradient():
    def goldstein(x, y):
        return (
            1
            + (x + y + 1) ** 2 * (19 - 14 * x + 3 * x**2 - 14 * y + 6 * x * y + 3 * y**2)
        ) * (
            30
            + (2 * x - 3 * y) ** 2 * (18 - 32 * x + 12 * x**2 + 48 * y - 36 * x * y + 27 * y**2)
        )  # fmt: skip

    x = Variable(np.array(1.0))
    y = Variable(np.array(1.0))
    z = goldstein(x, y)
    z.backward()
    assert (x.grad.data, y.grad.data) == (-5376.0, 8064.0)


def test_gradient_descent_on_rosenbrock():
    def rosenbrock(x0, x1):
        return 100 * (x1 - x0**2) ** 2 + (x0 - 1) ** 2

    x0 = Variable(np.array(0.0))
    x1 = Variable(np.array(2.0))
    lr = 0.001
    for _ in range(10_000):
        y = rosenbrock(x0, x1)
        x0.cleargrad()
        x1.cleargrad()
        y.backward()
        x0.data -= lr * x0.grad.data
        x1.data -= lr * x1.grad.data
    assert np.allclose([x0.data, x1.data], [0.9945, 0.9890], atol=1e-3)


def test_newtons_method():
    def f(x):
        return x**4 - 2 * x**2

    x = Variable(np.array(2.0))
    for _ in range(10):
        y = f(x)
        x.cleargrad()
        y.backward(create_graph=True)
        gx = x.grad
        x.cleargrad()
        gx.backward()
        gx2 = x.grad
        x.data -= gx.data / gx2.data
    assert np.isclose(x.data, 1.0, atol=1e-12)


def test_a_gradient_inside_a_formula():
    x = Variable(np.array(2.0))
    y = x**2
    y.backward(create_graph=True)
    gx = x.grad
    x.cleargrad()
    z = gx**3 + y
    z.backward()
    assert x.grad.data == 100.0


def test_a_function_of_ones_own_to_the_fourth_derivative():
    class Sin(Function):
        def forward(self, x):
            return np.sin(x)

        def backward(self, gy):
            (x,) = self.inputs
            return gy * cos(x)

    class Cos(Function):
        def forward(self, x):
            return np.cos(x)

        def backward(self, gy):
            (x,) = self.inputs
            return gy * -sin(x)

    def sin(x):
        return Sin()(x)

    def cos(x):
        return Cos()(x)

    x = Variable(np.linspace(-3, 3, 7))
    y = sin(x)
    y.backward(create_graph=True)
    found = [x.grad.data]
    for _ in range(3):
        gx = x.grad
        x.cleargrad()
        gx.backward(create_graph=True)
        found.append(x.grad.data)
    expected = [np.cos(x.data), -np.sin(x.data), -np.cos(x.data), np.sin(x.data)]
    assert np.allclose(found, expected)


def test_taylors_sine():
    import math

    def my_sin(x, threshold=0.0001):
        y = 0
        for i in range(100_000):
            c = (-1) ** i / math.factorial(2 * i + 1)
            t = c * x ** (2 * i + 1)
            y = y + t
            if abs(t.data) < threshold:
                break
        return y

    x = Variable(np.array(np.pi / 4))
    y = my_sin(x)
    y.backward()
    assert np.isclose(y.data, np.sin(np.pi / 4), atol=1e-4)
    assert np.isclose(x.grad.data, np.cos(np.pi / 4), atol=1e-4)


def test_settings():
    x = Variable(np.array(3.0))
    with dezero.no_grad():
        assert (2 * x).creator is None
    with dezero.using_config("enable_backprop", False):
        assert (x + 1).creator is None
    assert (x + 1).creator is not None


def test_names_shapes_and_repr():
    x = Variable(np.array([[1, 2, 3], [4, 5, 6]]), name="x")
    assert (x.name, x.shape, x.ndim, x.size, len(x)) == ("x", (2, 3), 2, 6, 2)
    assert repr(x) == "variable([[1 2 3]\n          [4 5 6]])"


def test_the_same_variable_twice_and_a_diamond():
    x = Variable(np.array(2.0))
    a = x**2
    y = a**2 + a**2
    y.backward()
    assert x.grad.data == 64.0
    x.cleargrad()
    (x + x + x).backward()
    assert x.grad.data == 3.0


def test_retained_gradients():
    x0, x1 = Variable(np.array(1.0)), Variable(np.array(1.0))
    t = x0 + x1
    y = x0 + t
    y.backward()
    assert (y.grad, t.grad) == (None, None)
    assert (x0.grad.data, x1.grad.data) == (2.0, 1.0)
    y.backward(retain_grad=True)
    assert t.grad.data == 1.0
