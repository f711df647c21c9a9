"""Step 57: im2col."""

import time
import tracemalloc

import numpy as np

from dezero_lite.functions import (
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
    softmax_cross_entropy,
)
from dezero_lite.layers import Conv2d, Deconv2d

from . import step56
from .step56 import *  # noqa: F403

__all__ = [
    *step56.__all__,
    "im2col",
    "col2im",
    "im2col_array",
    "col2im_array",
    "conv2d",
    "conv2d_simple",
    "deconv2d",
    "pooling",
    "pooling_simple",
    "average_pooling",
    "Conv2d",
    "Deconv2d",
]


def best_time(f, tries=3):
    """The seconds that f() takes, in the best of several tries."""
    times = []
    for _ in range(tries):
        start = time.perf_counter()
        f()
        times.append(time.perf_counter() - start)
    return np.min(times)


def peak_memory(f):
    """The bytes that f() has taken at its peak, its result included."""
    tracemalloc.start()
    f()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def fit(model, loader, optimizer, rounds, decay=0.9):
    """Train a classifier; the learning rate of Adam shrinks after each epoch."""
    losses = []
    for _ in rounds:
        for x, t in loader:
            loss = softmax_cross_entropy(model(x), t)
            model.cleargrads()
            loss.backward()
            optimizer.update()
            losses.append(loss.data.item())
        optimizer.alpha *= decay
    return losses
