"""Step 47: softmax and cross-entropy."""

import numpy as np

from . import step46
from .framework.functions import (
    GetItem,
    GetItemGrad,
    Softplus,
    answers_of,
    binary_cross_entropy,
    get_item,
    labels_of,
    log_softmax,
    logsumexp,
    sigmoid_cross_entropy,
    softmax,
    softmax_cross_entropy,
    softmax_cross_entropy_simple,
    softmax_simple,
    softplus,
)
from .step46 import *  # noqa: F403
from .step46 import Variable

__all__ = [
    *step46.__all__,
    "GetItem",
    "GetItemGrad",
    "Softplus",
    "answers_of",
    "binary_cross_entropy",
    "get_item",
    "labels_of",
    "log_softmax",
    "logsumexp",
    "sigmoid_cross_entropy",
    "softmax",
    "softmax_cross_entropy",
    "softmax_cross_entropy_simple",
    "softmax_simple",
    "softplus",
]

Variable.__getitem__ = get_item


def three_kinds(n=60, seed=0):
    """Return fish lengths in cm, (3n, 1), and the three kinds as labels, (3n,)."""
    rng = np.random.default_rng(seed)
    lengths = [rng.normal(mean, 3, size=n) for mean in (10, 18, 30)]
    return np.concatenate(lengths).reshape(-1, 1), np.repeat(range(len(lengths)), n)


def train_classifier(model, optimizer, x, t, loss_of=softmax_cross_entropy, steps=300):
    """Train a model on the labels t with an optimizer; return the losses."""
    optimizer.setup(model)
    losses = []
    for _ in range(steps):
        loss = loss_of(model(x), t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        losses.append(loss.data.item())
    return losses
