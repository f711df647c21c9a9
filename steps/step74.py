"""Step 74: a small GPT."""

from dezero_lite.models import GPT, generate
from dezero_lite.schedules import WarmupCosine, WarmupLinear

from . import step73
from .step73 import *  # noqa: F403

__all__ = [*step73.__all__, "GPT", "generate", "WarmupCosine", "WarmupLinear"]


def double(x):
    """Twice `x`; TODO: put the step's own functions here."""
    return 2 * x
