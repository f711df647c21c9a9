"""Step 77: one gradient from many."""

from dezero_lite.parallel import mean_gradients, own_gradients, set_gradients, shards

from . import step76
from .step76 import *  # noqa: F403

__all__ = [
    *step76.__all__,
    "mean_gradients",
    "own_gradients",
    "set_gradients",
    "shards",
]
