"""Step 27: Taylor."""

import math

import numpy as np

from . import step26
from .step26 import *  # noqa: F403
from .step26 import Function

__all__ = [*step26.__all__]


class Sin(Function):
    """y = sin x"""

    def forward(self, x):
        return np.sin(x)

    def backward(self, gy):
        x = self.inputs[0].data
        return np.sin(x + np.pi / 2) * gy  # sin(x + π/2) is cos x


def sin(x):
    return Sin()(x)


def taylor_sin(x, threshold=1e-4):
    """Compute sin x by its Taylor series, up to the first term below ``threshold``."""
    y = 0
    for n in range(1, 1_000, 2):
        sign = 1 if n % 4 == 1 else -1
        term = sign / math.factorial(n) * x**n
        y = y + term
        if abs(term.data) < threshold:
            break
    return y
