"""Step 39."""

from dezero_lite.functions import average, max, mean, min, sum  # noqa: A004

from . import step38
from .step38 import *  # noqa: F403

__all__ = [*step38.__all__, "average", "max", "mean", "min", "sum"]
