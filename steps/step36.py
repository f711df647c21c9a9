"""Step 36: what double backprop is for."""

import numpy as np

from . import step35
from .framework.functions import Abs, Log, abs, log, sqrt
from .step35 import *  # noqa: F403
from .step35 import Variable, tanh

__all__ = [*step35.__all__, "Abs", "Log", "abs", "log", "sqrt"]


def model(x, a, b, c):
    """Compute a smooth step from −a to a; b sets how steep it is, and c where it is."""
    return a * tanh(b * x + c)


def calm_loss(points, weight):
    """Return a loss of a, b, c: the squared errors and squared slopes at the points."""

    def loss(a, b, c):
        total = 0
        for value, target in points:
            x = Variable(np.array(value))
            y = model(x, a, b, c)
            y.backward(create_graph=True)
            total = total + (y - target) ** 2 + weight * x.grad**2
        for parameter in (a, b, c):
            parameter.cleargrad()
        return total

    return loss


def hvp(f, point, v):
    """Return the Hessian of ``f`` at ``point`` times ``v``, without forming it."""
    xs = [Variable(np.array(float(value))) for value in point]
    f(*xs).backward(create_graph=True)
    along = 0
    for x, part in zip(xs, v, strict=True):
        if x.grad is not None:
            along = along + part * x.grad
        x.cleargrad()
    along.backward()
    return np.array([0.0 if x.grad is None else float(x.grad.data) for x in xs])
