"""Step 70: letters as vectors."""

import numpy as np

from dezero_lite import Model, no_grad
from dezero_lite.datasets import Names
from dezero_lite.functions import reshape, softmax, softmax_cross_entropy, tanh
from dezero_lite.layers import EmbedID, Linear
from dezero_lite.optimizers import Adam

from .library import moved as __getattr__  # noqa: F401
from .step69 import LETTERS

__all__ = ["LetterMLP", "loss_by_counting", "mean_loss", "train_letters", "windows"]
__all__ += ["write_with"]


def windows(names, k):
    """Return the last k letters at each position, (N, k), and the next letter, (N,)."""
    edges = np.zeros((len(names.data), k - 1), int)
    rows = np.concatenate([edges, names.data], axis=1)
    seen = np.lib.stride_tricks.sliding_window_view(rows, k, axis=1)
    something_follows = names.label >= 0
    return seen[something_follows], names.label[something_follows]


def loss_by_counting(train, test, k, extra=0.1):
    """Return the test loss of counted contexts, as in exercise 3 of step 69."""
    counts, nothing = {}, np.full(LETTERS, extra)
    for context, letter in zip(*windows(train, k), strict=True):
        counts.setdefault(tuple(context), nothing.copy())[letter] += 1
    losses = []
    for context, letter in zip(*windows(test, k), strict=True):
        row = counts.get(tuple(context), nothing)
        losses.append(np.log(row.sum() / row[letter]))
    return np.mean(losses)


class LetterMLP(Model):
    """A network that turns windows (N, k) into scores of the next letter (N, 27)."""

    def __init__(self, k, size=16, hidden=64):
        self.k, self.size = k, size
        self.embed = EmbedID(LETTERS, size, dtype=np.float64)
        self.hidden = Linear(hidden, in_size=k * size, dtype=np.float64)
        self.out = Linear(LETTERS, in_size=hidden, dtype=np.float64)

    def forward(self, x):
        vectors = self.embed(x)
        side_by_side = reshape(vectors, (len(x), self.k * self.size))
        return self.out(tanh(self.hidden(side_by_side)))


def train_letters(model, x, t, rounds, lr=0.02, batch=256, watch=lambda: None):
    """Learn from all windows in each epoch, in batches, with a rate that falls linearly
    from `lr` almost to 0. Return the results of `watch` after each epoch.
    """
    rng = np.random.default_rng(0)
    optimizer = Adam(lr).setup(model)
    said = []
    for r in rounds:
        optimizer.alpha = lr * (1 - r / len(rounds))
        order = rng.permutation(len(x))
        for rows in np.split(order, range(batch, len(x), batch)):
            loss = softmax_cross_entropy(model(x[rows]), t[rows])
            model.cleargrads()
            loss.backward()
            optimizer.update()
        said.append(watch())
    return said


def mean_loss(model, x, t):
    """Return the loss in nats per letter."""
    with no_grad():
        return softmax_cross_entropy(model(x), t).item()


def write_with(model, rng):
    """Draw letters, each by its chance after the last k, until the name ends."""
    ids = [0] * model.k
    while True:
        with no_grad():
            chances = softmax(model(np.array([ids[-model.k :]]))).data[0]
        ids.append(int(rng.choice(LETTERS, p=chances)))
        if ids[-1] == 0:
            return "".join(Names.letters[i] for i in ids[model.k : -1])
