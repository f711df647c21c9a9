"""Step 7: backward by recursion."""

import numpy as np

__all__ = ["Exp", "Function", "Square", "Variable", "numerical_diff"]


class Variable:
    """A box that holds an array in ``data`` and its gradient in ``grad``."""

    def __init__(self, data):
        self.data = data
        self.grad = None
        self.creator = None

    def set_creator(self, func):
        self.creator = func

    def backward(self):
        f = self.creator
        if f is not None:
            x = f.input
            x.grad = f.backward(self.grad)
            x.backward()


class Function:
    """A rule between boxes: ``forward`` for arrays, ``backward`` for gradients."""

    def __call__(self, input):
        y = self.forward(input.data)
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


def numerical_diff(f, x, eps=1e-4):
    """Return the slope of ``f`` at ``x``: two values of ``f``, 2 ``eps`` apart."""
    y0 = f(Variable(x.data - eps))
    y1 = f(Variable(x.data + eps))
    return (y1.data - y0.data) / (2 * eps)
