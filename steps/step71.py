"""Step 71: attention."""

from dezero_lite.functions import attention, attention_weights, causal_mask

from . import step70
from .step70 import *  # noqa: F403

__all__ = [*step70.__all__, "attention", "attention_weights", "causal_mask"]


def double(x):
    """Twice `x`; TODO: put the step's own functions here."""
    return 2 * x
