"""Step 40: broadcasting."""

import numpy as np

from . import step39
from .framework import functions
from .framework.functions import (
    BroadcastTo,
    Clip,
    SumTo,
    broadcast_to,
    broadcasting,
    clip,
    sum_to,
)
from .step39 import *  # noqa: F403
from .step39 import Variable, numerical_grad

__all__ = [
    *step39.__all__,
    "BroadcastTo",
    "Clip",
    "SumTo",
    "broadcast_to",
    "broadcasting",
    "clip",
    "sum_to",
]

# The operators of step 22, for operands of different shapes as well.
add, mul = functions.add, functions.mul
sub, rsub = functions.sub, functions.rsub
div, rdiv = functions.div, functions.rdiv

Variable.__add__ = add
Variable.__radd__ = add
Variable.__mul__ = mul
Variable.__rmul__ = mul
Variable.__sub__ = sub
Variable.__rsub__ = rsub
Variable.__truediv__ = div
Variable.__rtruediv__ = rdiv


def worst_error(f, *arrays):
    """Return the largest difference between backward and `numerical_grad` over all
    inputs, divided by the largest gradient if this is above 1. The error is infinite
    if a gradient does not have the shape of its variable.
    """
    xs = [Variable(array) for array in arrays]
    f(*xs).backward()
    errors = []
    for i, x in enumerate(xs):
        if x.grad.shape != x.shape:
            return np.inf
        wanted = numerical_grad(lambda v, i=i: f(*xs[:i], v, *xs[i + 1 :]), x)
        scale = np.maximum(1, np.abs(wanted).max())
        errors.append(np.abs(x.grad.data - wanted).max() / scale)
    return np.max(errors)
