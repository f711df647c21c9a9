"""Step 29: Newton by hand."""

import numpy as np

from . import step28
from .step28 import *  # noqa: F403
from .step28 import Variable

__all__ = [*step28.__all__]


def quartic(x):
    """Compute a curve with valleys at −1 and 1, and a hilltop at 0 between them."""
    return x**4 - 2 * x**2


def quartic_second(x):
    """Compute the second derivative of `quartic`, found by hand."""
    return 12 * x**2 - 4


def newton_minimize(f, second, start, steps):
    """Walk by Newton's method from ``start``; return all steps + 1 points.

    ``second`` is the second derivative of ``f``, a function of a plain number.
    """
    x = Variable(np.array(float(start)))
    path = [float(start)]
    for _ in range(steps):
        x.cleargrad()
        f(x).backward()
        x.data = x.data - x.grad / second(x.data)
        path.append(float(x.data))
    return np.array(path)
