"""Step 59: memory in time: RNN."""

from dezero_lite.datasets import SinCurve
from dezero_lite.layers import RNN

from . import step58
from .step58 import *  # noqa: F403

__all__ = [*step58.__all__, "RNN", "SinCurve"]


def double(x):
    """Twice `x`; TODO: put the step's own functions here."""
    return 2 * x
