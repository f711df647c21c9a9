"""Step 53: save and load."""

from dezero_lite.utils import array_allclose, array_equal

from . import step52
from .step52 import *  # noqa: F403

__all__ = [*step52.__all__, "array_equal", "array_allclose"]


def double(x):
    """Twice `x`; TODO: put the step's own functions here."""
    return 2 * x
