"""Step 73: a block that can be stacked."""

import numpy as np

from dezero_lite import Layer, Model, Variable
from dezero_lite.functions import gelu, softmax_cross_entropy
from dezero_lite.layers import (
    EmbedID,
    LayerNorm,
    Linear,
    MultiHeadAttention,
    TransformerBlock,
)
from dezero_lite.optimizers import Adam

from .library import moved as __getattr__  # noqa: F401

__all__ = ["Deep", "TransformerBlock", "Variant", "echoes", "gradient_sizes"]
__all__ += ["train_deep"]


class Variant(Layer):
    """A block with or without additions (``residual``), and with norms "before" its
    parts, "after" its sums, or None.
    """

    def __init__(self, size, heads=2, residual=True, norm="before"):
        double = np.float64
        self.residual, self.norm = residual, norm
        self.attention = MultiHeadAttention(size, heads, dtype=double)
        self.up = Linear(4 * size, in_size=size, dtype=double)
        self.down = Linear(size, in_size=4 * size, dtype=double)
        self.norm1 = LayerNorm(in_size=size, dtype=double)
        self.norm2 = LayerNorm(in_size=size, dtype=double)

    def forward(self, x):
        y = self.part(x, self.attention, self.norm1)
        return self.part(y, self.think, self.norm2)

    def think(self, x):
        return self.down(gelu(self.up(x)))

    def part(self, x, work, norm):
        y = work(norm(x) if self.norm == "before" else x)
        y = y + x if self.residual else y
        return norm(y) if self.norm == "after" else y


def gradient_sizes(blocks, start, rng):
    """Send a random gradient back from the last block; return its length at the input
    of each block.
    """
    x, inputs = Variable(start), []
    for block in blocks:
        inputs.append(x)
        x = block(x)
    (x * rng.normal(size=x.shape)).sum().backward(retain_grad=True)
    return [np.sqrt(np.sum(x.grad.data**2)) for x in inputs]


def echoes(rng, count, letters=8, length=8, back=3):
    """Make random letters (count, length), and for each position the letter some
    positions back, or −1 if there is none.
    """
    ids = rng.integers(letters, size=(count, length))
    t = np.full_like(ids, -1)
    t[:, back:] = ids[:, :-back]
    return ids, t


class Deep(Model):
    """A model with any blocks: letters (N, T) give scores (N, T, letters)."""

    def __init__(self, blocks, size, letters=8, length=8):
        self.letters = EmbedID(letters, size, dtype=np.float64)
        self.positions = EmbedID(length, size, dtype=np.float64)
        self.blocks = blocks
        self.norm = LayerNorm(in_size=size, dtype=np.float64)
        self.out = Linear(letters, in_size=size, dtype=np.float64)

    def forward(self, ids):
        x = self.letters(ids) + self.positions(np.arange(ids.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.out(self.norm(x))


def train_deep(model, rounds, lr=0.003):
    """Train on new echoes in each step; return the losses."""
    rng = np.random.default_rng(0)
    optimizer = Adam(lr).setup(model)
    losses = []
    for _ in rounds:
        ids, t = echoes(rng, 16)
        asked = t >= 0
        loss = softmax_cross_entropy(model(ids)[asked], t[asked])
        model.cleargrads()
        loss.backward()
        optimizer.update()
        losses.append(loss.item())
    return losses
