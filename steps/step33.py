"""Step 33: Newton, automatic."""

import numpy as np

from dezero_lite import Variable

from . import step31
from .step31 import *  # noqa: F403

__all__ = [*step31.__all__]


def newton_minimize(f, start, steps):
    """The points of Newton's walk on ``f``, ``start`` included: an array (steps + 1).

    The framework finds the second derivative of ``f``, too.
    """
    x = Variable(np.array(float(start)))
    path = [float(start)]
    for _ in range(steps):
        x.cleargrad()
        f(x).backward(create_graph=True)
        slope = x.grad
        x.cleargrad()
        slope.backward()
        x.data = x.data - slope.data / x.grad.data
        path.append(float(x.data))
    return np.array(path)
