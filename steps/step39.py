"""Step 39: sum."""

import numpy as np

from dezero_lite import Function
from dezero_lite.functions import average, max, mean, min, sum
from dezero_lite.utils import max_backward_shape, reshape_sum_backward

from . import step38
from .step38 import *  # noqa: F403

__all__ = [
    *step38.__all__,
    "average",
    "max",
    "max_backward_shape",
    "mean",
    "min",
    "reshape_sum_backward",
    "sum",
]


class Spread(Function):
    """Copy the gradient of a sum to all places that were added up."""

    def __init__(self, shape, axis, keepdims):
        self.shape, self.axis, self.keepdims = shape, axis, keepdims

    def forward(self, gy):
        if self.axis is not None and not self.keepdims:
            gy = np.expand_dims(gy, self.axis)
        return np.broadcast_to(gy, self.shape)

    def backward(self, ggx):
        return sum(ggx, self.axis, self.keepdims)
