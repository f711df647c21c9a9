"""Step 57: im2col."""

import time
import tracemalloc

import numpy as np

from . import step56
from .framework.functions_conv import (
    Col2im,
    Im2col,
    average_pooling,
    col2im,
    col2im_array,
    conv2d,
    conv2d_simple,
    deconv2d,
    im2col,
    im2col_array,
    pooling,
    pooling_simple,
    windows,
)
from .framework.layers import Conv2d, Deconv2d
from .step56 import *  # noqa: F403
from .step56 import softmax_cross_entropy

__all__ = [
    *step56.__all__,
    "Col2im",
    "Im2col",
    "average_pooling",
    "col2im",
    "col2im_array",
    "conv2d",
    "conv2d_simple",
    "deconv2d",
    "im2col",
    "im2col_array",
    "pooling",
    "pooling_simple",
    "windows",
    "Conv2d",
    "Deconv2d",
]


def best_time(f, tries=3):
    """Measure the seconds that f() takes, in the best of several tries."""
    times = []
    for _ in range(tries):
        start = time.perf_counter()
        f()
        times.append(time.perf_counter() - start)
    return np.min(times)


def peak_memory(f):
    """Measure the bytes that f() uses at its peak, including its result."""
    tracemalloc.start()
    f()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def fit(model, loader, optimizer, rounds, decay=0.9):
    """Train a classifier with an Adam whose rate is multiplied by `decay` per epoch."""
    losses = []
    for _ in rounds:
        for x, t in loader:
            loss = softmax_cross_entropy(model(x), t)
            model.cleargrads()
            loss.backward()
            optimizer.update()
            losses.append(loss.data.item())
        optimizer.alpha *= decay
    if not losses:
        raise ValueError("0 epochs train nothing: take at least one")
    return losses
