"""Step 48: many classes: the spiral."""

import numpy as np

from . import step47
from .framework.datasets import get_spiral
from .step47 import *  # noqa: F403
from .step47 import no_grad, softmax_cross_entropy

__all__ = [*step47.__all__, "get_spiral"]


def train_epoch(model, optimizer, x, t, size, rng=None):
    """Train on every example once, in mini-batches; return the loss of each.

    The order comes from `rng`; without it, the order of the data is kept.
    """
    order = np.arange(len(x)) if rng is None else rng.permutation(len(x))
    losses = []
    for start in range(0, len(x), size):
        rows = order[start : start + size]
        loss = softmax_cross_entropy(model(x[rows]), t[rows])
        model.cleargrads()
        loss.backward()
        optimizer.update()
        losses.append(loss.data.item())
    return losses


def share_right(model, x, t):
    """Return the share of examples for which the right class has the largest score."""
    with no_grad():
        return np.mean(model(x).data.argmax(axis=1) == t)


def regions(model, n=81):
    """Return the model's class on a grid of n × n points from −1.1 to 1.1."""
    line = np.linspace(-1.1, 1.1, n, dtype=np.float32)
    x0, x1 = np.meshgrid(line, line)
    with no_grad():
        scores = model(np.column_stack([x0.ravel(), x1.ravel()]))
    return scores.data.argmax(axis=1).reshape(n, n)
