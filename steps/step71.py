"""Step 71: attention."""

import numpy as np

from dezero_lite import Model
from dezero_lite.functions import (
    attention,
    attention_weights,
    causal_mask,
    concat,
    relu,
    softmax_cross_entropy,
)
from dezero_lite.layers import EmbedID, Linear
from dezero_lite.optimizers import Adam

from .library import moved as __getattr__  # noqa: F401

__all__ = ["LookBack", "WindowReader", "attention", "attention_weights", "causal_mask"]
__all__ += ["known_loss", "last_letters", "learn", "repeats", "share_right"]


def repeats(rng, count, length=20, shortest=5, longest=10):
    """Repeat random words. Return letters of shape (count, length), and the letters
    that follow; −1 after a new letter, where nobody can know.
    """
    assert longest <= 26, "there are only 26 letters, and those of a word differ"
    assert shortest < length, "a text must be longer than its shortest word"
    sizes = rng.integers(shortest, longest + 1, size=(count, 1))
    words = rng.permuted(np.tile(np.arange(1, 27), (count, 1)), axis=1)
    places = np.arange(length + 1)
    text = np.take_along_axis(words, places % sizes, axis=1)
    return text[:, :-1], np.where(places[:-1] < sizes, -1, text[:, 1:])


def last_letters(ids, width):
    """Return the last `width` letters at each position, (N, T) as (N, T, width)."""
    padded = np.pad(ids, ((0, 0), (width - 1, 0)))
    return np.lib.stride_tricks.sliding_window_view(padded, width, axis=1)


class WindowReader(Model):
    """An MLP over a window that turns letters (N, T) into scores (N, T, 27)."""

    def __init__(self, width, size=16, hidden=64):
        self.width = width
        self.embed = EmbedID(27, size, dtype=np.float64)
        self.hidden = Linear(hidden, in_size=width * size, dtype=np.float64)
        self.out = Linear(27, in_size=hidden, dtype=np.float64)

    def forward(self, ids):
        x = self.embed(last_letters(ids, self.width)).reshape((*ids.shape, -1))
        return self.out(relu(self.hidden(x)))


class LookBack(Model):
    """A window of two letters and one attention over the text so far, which turn
    letters (N, T) into scores (N, T, 27).
    """

    def __init__(self, size=16, causal=True):
        self.causal = causal
        self.embed = EmbedID(27, size, dtype=np.float64)
        self.query = Linear(size, in_size=2 * size, dtype=np.float64)
        self.key = Linear(size, in_size=2 * size, dtype=np.float64)
        self.value = Linear(size, in_size=2 * size, dtype=np.float64)
        self.out = Linear(27, in_size=3 * size, dtype=np.float64)

    def vectors(self, ids):
        return self.embed(last_letters(ids, 2)).reshape((*ids.shape, -1))

    def mask(self, ids):
        return causal_mask(ids.shape[1]) if self.causal else None

    def forward(self, ids):
        x = self.vectors(ids)
        q, k, v = self.query(x), self.key(x), self.value(x)
        found = attention(q, k, v, self.mask(ids))
        return self.out(concat([x, found], axis=2))

    def weights(self, ids):
        x = self.vectors(ids)
        return attention_weights(self.query(x), self.key(x), self.mask(ids))


def known_loss(scores, t):
    """Return the mean cross entropy of the known letters, in nats."""
    return softmax_cross_entropy(scores[t >= 0], t[t >= 0])


def learn(model, examples, rounds):
    """Learn from a new batch of `examples(rng)` in each step; return the losses."""
    rng = np.random.default_rng(0)
    optimizer = Adam(0.02).setup(model)
    losses = []
    for _ in rounds:
        ids, t = examples(rng)
        loss = known_loss(model(ids), t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        losses.append(loss.item())
    return losses


def share_right(model, ids, t):
    """Return how often the letter with the highest score is right."""
    best = model(ids).data.argmax(axis=-1)
    return np.mean(best[t >= 0] == t[t >= 0]).item()
