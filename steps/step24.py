"""Step 24: difficult functions."""

from . import step23
from .framework import utils
from .step23 import *  # noqa: F403

__all__ = [*step23.__all__, "numerical_grad"]

# From here on, for several inputs, and to second order if gradients are variables.
gradient_check = utils.gradient_check
numerical_grad = utils.numerical_grad


def sphere(x, y):
    """Return the height of a bowl, whose lowest point is 0 at (0, 0)."""
    return x**2 + y**2


def matyas(x, y):
    """Return the height of a long valley, whose lowest point is 0 at (0, 0)."""
    return 0.26 * (x**2 + y**2) - 0.48 * x * y


def goldstein(x, y):
    """Return Goldstein and Price's function of x and y; its minimum is 3 at (0, -1)."""
    first = 19 - 14 * x + 3 * x**2 - 14 * y + 6 * x * y + 3 * y**2
    second = 18 - 32 * x + 12 * x**2 + 48 * y - 36 * x * y + 27 * y**2
    return (1 + (x + y + 1) ** 2 * first) * (30 + (2 * x - 3 * y) ** 2 * second)
