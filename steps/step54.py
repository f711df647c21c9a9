"""Step 54: dropout and test mode."""

import numpy as np

from . import step53
from .framework.core import test_mode
from .framework.functions import dropout
from .framework.layers import Dropout
from .step53 import *  # noqa: F403
from .step53 import (
    Adam,
    Digits,
    Linear,
    Sequential,
    accuracy,
    no_grad,
    relu,
    softmax_cross_entropy,
)

__all__ = [*step53.__all__, "test_mode", "dropout", "Dropout"]


class MislabelledDigits(Digits):
    """500 of the digits, a quarter of which have wrong labels."""

    def prepare(self):
        super().prepare()
        self.data, self.label = self.data[:500], self.label[:500].copy()
        rng = np.random.default_rng(0)
        wrong = rng.permutation(len(self.label))[: len(self.label) // 4]
        self.label[wrong] = (self.label[wrong] + rng.integers(1, 10, wrong.size)) % 10


def digit_network(ratio, hidden=200):
    """Make a network of two hidden layers, with dropout after each."""
    # Double precision, so that every machine reaches the same accuracies.
    sizes = [Linear(size, dtype=np.float64) for size in (hidden, hidden, 10)]
    one, two, last = sizes
    return Sequential(one, relu, Dropout(ratio), two, relu, Dropout(ratio), last)


def evaluate(model, data):
    """Return the share of examples that the model gets right in test mode."""
    x, t = data[:]
    with no_grad(), test_mode():
        return accuracy(model(x), t).data.item()


def fit(model, loader, test, epochs):
    """Train; return the accuracies on training and test data after each epoch."""
    optimizer = Adam(0.002).setup(model)
    curves = []
    for _ in epochs:
        for x, t in loader:
            loss = softmax_cross_entropy(model(x), t)
            model.cleargrads()
            loss.backward()
            optimizer.update()
        curves.append([evaluate(model, loader.dataset), evaluate(model, test)])
    if not curves:
        raise ValueError("0 epochs train nothing: take at least one")
    return np.array(curves)
