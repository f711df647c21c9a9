"""Step 72: position, and many heads."""

import numpy as np

from dezero_lite import Model
from dezero_lite.layers import EmbedID, Linear, MultiHeadAttention

from .library import moved as __getattr__  # noqa: F401

__all__ = ["MultiHeadAttention", "TwoLooks", "two_questions"]


def two_questions(rng, count, length=12, near=2, far=5):
    """Make random letters (count, length), and two labels for each position: the
    letters `near` and `far` positions back, or −1 if there is none.
    """
    ids = rng.integers(1, 27, size=(count, length))
    t = np.full((count, length, 2), -1)
    t[:, near:, 0] = ids[:, :-near]
    t[:, far:, 1] = ids[:, :-far]
    return ids, t


class TwoLooks(Model):
    """One layer of attention that turns letters (N, T) into scores (N, T, 2, 27), for
    two questions at each position.
    """

    def __init__(self, heads, length=12, size=32, ordered=True):
        self.ordered = ordered
        self.letters = EmbedID(27, size, dtype=np.float64)
        self.positions = EmbedID(length, size, dtype=np.float64)
        self.attend = MultiHeadAttention(size, heads, dtype=np.float64)
        self.out = Linear(2 * 27, in_size=size, dtype=np.float64)

    def vectors(self, ids):
        x = self.letters(ids)
        return x + self.positions(np.arange(ids.shape[1])) if self.ordered else x

    def forward(self, ids):
        return self.out(self.attend(self.vectors(ids))).reshape((*ids.shape, 2, 27))
