"""Step 90: one program for every example."""

import numpy as np

from dezero_lite.datasets import Digits
from dezero_lite.func import grad, vmap
from dezero_lite.functions import log_softmax, tanh

from .library import moved as __getattr__  # noqa: F401

__all__ = ["AXES", "loss", "mean_loss", "noisy_digits", "trained", "vmap"]

# All examples share the weights; digits and labels have an additional axis.
AXES = (None, None, None, None, 0, 0)


def loss(W1, b1, W2, b2, x, t):
    """Compute the loss of one digit of 64 pixels and its label."""
    scores = tanh(x @ W1 + b1) @ W2 + b2
    return -log_softmax(scores, axis=0)[t]


def noisy_digits(count, wrong, seed=0):
    """Return digits, their labels, and the places of the wrong labels among them."""
    rng = np.random.default_rng(seed)
    x, t = Digits()[:count]
    places = rng.choice(len(t), wrong, replace=False)
    t = t.copy()
    t[places] = (t[places] + rng.integers(1, 10, size=wrong)) % 10
    return x, t, places


def mean_loss(W1, b1, W2, b2, x, t):
    """Compute the mean loss of a whole batch."""
    return vmap(loss, AXES)(W1, b1, W2, b2, x, t).mean()


def trained(x, t, updates, rate=0.5, seed=0, hidden=32):
    """Train a small network on the whole batch at once, and return its weights."""
    rng = np.random.default_rng(seed)
    W1, W2 = rng.normal(size=(64, hidden)) / 8, rng.normal(size=(hidden, 10)) / 6
    weights = [W1, np.zeros(hidden), W2, np.zeros(10)]
    for _ in range(updates):
        gradients = grad(mean_loss, (0, 1, 2, 3))(*weights, x, t)
        pairs = zip(weights, gradients, strict=True)
        weights = [W - rate * gW.data for W, gW in pairs]
    return weights
