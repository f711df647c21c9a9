"""Step 39: sum."""

from . import step38
from .framework.functions import Max, Min, Spread, Sum, average, max, mean, min, sum
from .framework.utils import kept_shape, max_backward_shape, reshape_sum_backward
from .step38 import *  # noqa: F403
from .step38 import Variable

__all__ = [
    *step38.__all__,
    "Max",
    "Min",
    "Spread",
    "Sum",
    "average",
    "max",
    "mean",
    "min",
    "sum",
    "kept_shape",
    "max_backward_shape",
    "reshape_sum_backward",
]

Variable.sum = sum
Variable.mean = mean
Variable.max = max
Variable.min = min
