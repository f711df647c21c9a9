"""Step 46: optimizers."""

from dezero_lite.optimizers import (
    SGD,
    AdaDelta,
    AdaGrad,
    Adam,
    AdamW,
    ClipGrad,
    FreezeParam,
    MomentumSGD,
    Optimizer,
    WeightDecay,
)

from . import step45
from .step45 import *  # noqa: F403

__all__ = [
    *step45.__all__,
    "Optimizer",
    "SGD",
    "MomentumSGD",
    "AdaGrad",
    "AdaDelta",
    "Adam",
    "AdamW",
    "WeightDecay",
    "ClipGrad",
    "FreezeParam",
]


def double(x):
    """Twice `x`; TODO: put the step's own functions here."""
    return 2 * x
