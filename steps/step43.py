"""Step 43: a first neural network."""

import numpy as np

from . import step42
from .framework.functions import Sigmoid, linear, linear_simple, sigmoid, sigmoid_simple
from .step42 import *  # noqa: F403
from .step42 import Variable, mean_squared_error

__all__ = [
    *step42.__all__,
    "Sigmoid",
    "linear",
    "linear_simple",
    "sigmoid",
    "sigmoid_simple",
]


def noisy_sine(n=100, seed=0):
    """Return points around the sine of 2πx: x and t, each of shape (n, 1)."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 1, size=(n, 1))
    return x, np.sin(2 * np.pi * x) + rng.normal(scale=0.1, size=(n, 1))


def initial(hidden, scale=0.01, seed=0):
    """Return the parameters of a network with one hidden layer: W1, b1, W2, b2."""
    rng = np.random.default_rng(seed)
    return [
        Variable(scale * rng.normal(size=(1, hidden))),
        Variable(np.zeros(hidden)),
        Variable(scale * rng.normal(size=(hidden, 1))),
        Variable(np.zeros(1)),
    ]


def network(x, W1, b1, W2, b2):
    """Compute two layers: x of shape (N, 1) gives y of shape (N, 1)."""
    return linear(sigmoid(linear(x, W1, b1)), W2, b2)


def train_network(x, t, parameters, lr=0.3, steps=3_500):
    """Fit the parameters in place by gradient descent; return the losses."""
    losses = []
    for _ in range(steps):
        loss = mean_squared_error(network(x, *parameters), t)
        for parameter in parameters:
            parameter.cleargrad()
        loss.backward()
        for parameter in parameters:
            parameter.data -= lr * parameter.grad.data
        losses.append(loss.data.item())
    return losses
