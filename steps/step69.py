"""Step 69: what comes next."""

import numpy as np

from dezero_lite import Parameter
from dezero_lite.datasets import Names
from dezero_lite.functions import log_softmax, softmax
from dezero_lite.layers import Layer
from dezero_lite.optimizers import Adam

from .library import moved as __getattr__  # noqa: F401

__all__ = ["LETTERS", "Names", "Table", "count_pairs", "learn_table", "pairs"]
__all__ += ["smoothed", "surprise", "write_name"]

LETTERS = len(Names.letters)


def pairs(names):
    """Return all letters of the names, and the letters that follow: two arrays (N,)."""
    something_follows = names.label >= 0
    return names.data[something_follows], names.label[something_follows]


def count_pairs(x, t):
    """Count how often letter t follows letter x: whole numbers, (27, 27)."""
    counts = np.zeros((LETTERS, LETTERS), int)
    np.add.at(counts, (x, t), 1)
    return counts


def smoothed(counts, extra=0.0):
    """Turn counts into chances, after adding `extra` to each count."""
    counts = counts + extra
    return counts / counts.sum(axis=-1, keepdims=True)


def surprise(p, x, t):
    """Return the mean of −log p[x, t], in nats per letter; infinite if a p is 0."""
    with np.errstate(divide="ignore"):
        return -np.log(p[x, t]).mean()


def write_name(p, rng):
    """Draw letters by their chances until the name ends."""
    name, last = "", 0
    while True:
        last = int(rng.choice(LETTERS, p=p[last]))
        if last == 0:
            return name
        name += Names.letters[last]


class Table(Layer):
    """A score for each pair of letters, at first 0."""

    def __init__(self):
        self.W = Parameter(np.zeros((LETTERS, LETTERS)))

    def loss(self, counts):
        return -(counts * log_softmax(self.W)).sum() / counts.sum()

    def chances(self):
        return softmax(self.W).data


def learn_table(counts, rounds):
    """Find the scores by gradient descent; return the table and the losses."""
    table, losses = Table(), []
    optimizer = Adam(0.2).setup(table)
    for _ in rounds:
        loss = table.loss(counts)
        table.cleargrads()
        loss.backward()
        optimizer.update()
        losses.append(loss.item())
    return table, losses
