"""Step 4: derivatives by nudging."""

import numpy as np

__all__ = ["Exp", "Function", "Square", "Variable", "numerical_diff"]


class Variable:
    """A box that holds an array in ``data``."""

    def __init__(self, data):
        self.data = data


class Function:
    """A rule from one box to another: ``forward`` says what happens to the array."""

    def __call__(self, input):
        y = self.forward(input.data)
        return Variable(y)

    def forward(self, x):
        raise NotImplementedError(f"{type(self).__name__} needs a forward(self, x)")


class Square(Function):
    """y = x²"""

    def forward(self, x):
        return x**2


class Exp(Function):
    """y = exp(x)"""

    def forward(self, x):
        return np.exp(x)


def numerical_diff(f, x, eps=1e-4):
    """Return the slope of ``f`` at ``x``: two values of ``f``, 2 ``eps`` apart."""
    y0 = f(Variable(x.data - eps))
    y1 = f(Variable(x.data + eps))
    return (y1.data - y0.data) / (2 * eps)
