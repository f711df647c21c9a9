"""Step 10: trust, but verify."""

import numpy as np

__all__ = [
    "Exp",
    "Function",
    "Square",
    "Variable",
    "as_array",
    "exp",
    "gradient_check",
    "numerical_diff",
    "square",
]


class Variable:
    """A box that holds an array in ``data`` and its gradient in ``grad``."""

    def __init__(self, data):
        if data is not None and not isinstance(data, np.ndarray):
            kind = type(data).__name__
            raise TypeError(f"Variable needs an array, np.array(...), not type {kind}")
        self.data = data
        self.grad = None
        self.creator = None

    def set_creator(self, func):
        self.creator = func

    def backward(self):
        if self.grad is None:
            self.grad = np.ones_like(self.data)

        funcs = [self.creator] if self.creator is not None else []
        while funcs:
            f = funcs.pop()
            x, y = f.input, f.output
            x.grad = as_array(f.backward(y.grad))
            if x.creator is not None:
                funcs.append(x.creator)


class Function:
    """A rule between boxes: ``forward`` for arrays, ``backward`` for gradients."""

    def __init__(self, *inputs):
        if inputs:
            name = type(self).__name__
            raise TypeError(f"make the function first, then call it: {name}()(x)")

    def __call__(self, input):
        y = as_array(self.forward(input.data))
        if not isinstance(y, np.ndarray):
            raise TypeError(f"{type(self).__name__}.forward must return an array")
        output = Variable(y)
        output.set_creator(self)
        self.input = input
        self.output = output
        return output

    def forward(self, x):
        raise NotImplementedError(f"{type(self).__name__} needs a forward(self, x)")

    def backward(self, gy):
        raise NotImplementedError(f"{type(self).__name__} needs a backward(self, gy)")


class Square(Function):
    """y = x²"""

    def forward(self, x):
        return x**2

    def backward(self, gy):
        x = self.input.data
        return 2 * x * gy


class Exp(Function):
    """y = exp(x)"""

    def forward(self, x):
        return np.exp(x)

    def backward(self, gy):
        x = self.input.data
        return np.exp(x) * gy


def as_array(x):
    """Return ``x`` as an array: a single number becomes an array of zero dimensions."""
    if np.isscalar(x):
        return np.array(x)
    return x


def square(x):
    return Square()(x)


def exp(x):
    return Exp()(x)


def numerical_diff(f, x, eps=1e-4):
    """Return the slope of ``f`` at ``x``: two values of ``f``, 2 ``eps`` apart."""
    y0 = f(Variable(as_array(x.data - eps)))
    y1 = f(Variable(as_array(x.data + eps)))
    return (y1.data - y0.data) / (2 * eps)


def gradient_check(f, x, rtol=1e-4, atol=1e-5):
    """Tell whether the gradient of ``f`` at ``x`` agrees with ``numerical_diff``."""
    x = Variable(x.data.copy())
    y = f(x)
    y.backward()
    return np.allclose(x.grad, numerical_diff(f, x), rtol=rtol, atol=atol)


def test_square_forward():
    y = square(Variable(np.array(3.0)))
    assert y.data == 9.0


def test_square_backward():
    x = Variable(np.array(3.0))
    square(x).backward()
    assert x.grad == 6.0


def test_random_gradients():
    rng = np.random.default_rng(0)
    x = Variable(rng.uniform(-2, 2, size=10))
    assert gradient_check(square, x)
    assert gradient_check(exp, x)
    assert gradient_check(lambda x: square(exp(square(x))), Variable(x.data / 2))
