"""Step 37: element by element."""

import numpy as np

from . import step36
from .step36 import *  # noqa: F403
from .step36 import Function, Variable

__all__ = [*step36.__all__]


class Roll(Function):
    """Move all elements on by ``shift`` places, and the last ones to the front."""

    def __init__(self, shift):
        self.shift = shift

    def forward(self, x):
        return np.roll(x, self.shift)

    def backward(self, gy):
        return Roll(-self.shift)(gy)


def roll(x, shift):
    return Roll(shift)(x)


def jacobian(f, x):
    """Return all derivatives of ``f`` at ``x``, with one row for each output."""
    y = f(x)
    rows = []
    for i in range(y.size):
        x.cleargrad()
        one = np.zeros(y.shape)
        one.flat[i] = 1.0
        y.grad = Variable(one)
        y.backward()
        rows.append(x.grad.data.flatten())
    return np.array(rows)
