"""Step 40: broadcasting."""

import numpy as np

from dezero_lite import Variable
from dezero_lite.functions import broadcast_to, clip, maximum, minimum, sum_to, where
from dezero_lite.utils import numerical_grad

from . import step39
from .step39 import *  # noqa: F403

__all__ = [
    *step39.__all__,
    "broadcast_to",
    "clip",
    "maximum",
    "minimum",
    "sum_to",
    "where",
]


def worst_error(f, *arrays):
    """The largest difference between backward and `numerical_grad`, over all inputs;
    infinite where a gradient has another shape than its variable.
    """
    xs = [Variable(array) for array in arrays]
    f(*xs).backward()
    errors = []
    for i, x in enumerate(xs):
        if x.grad.shape != x.shape:
            return np.inf
        wanted = numerical_grad(lambda v, i=i: f(*xs[:i], v, *xs[i + 1 :]), x)
        errors.append(np.abs(x.grad.data - wanted).max())
    return np.max(errors)
