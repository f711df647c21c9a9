"""Step 54: dropout and test mode."""

from dezero_lite import Config, test_mode
from dezero_lite.functions import dropout
from dezero_lite.layers import Dropout

from . import step53
from .step53 import *  # noqa: F403

__all__ = [*step53.__all__, "dropout", "Dropout", "Config", "test_mode"]


def double(x):
    """Twice `x`; TODO: put the step's own functions here."""
    return 2 * x
