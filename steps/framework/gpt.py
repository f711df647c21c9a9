"""A model that writes, and how fast it learns. Step 74.

Steps 33 to 60 do without this room. In the workshop the lessons of stage 7 use it.
"""

import math

import numpy as np

from .attention import LayerNorm, TransformerBlock
from .core import no_grad, test_mode
from .functions import softmax
from .layers import EmbedID, Linear
from .models import Model
from .utils import generator

# --- Step 74 --------------------------------------------------------------------------


class GPT(Model):
    """Tokens (N, T) to scores for what comes after each of them, (N, T, vocabulary)"""

    def __init__(
        self,
        vocabulary,
        context,
        layers=2,
        size=48,
        heads=4,
        dropout_ratio=0.0,
        dtype=np.float32,
    ):
        self.context = context
        self.tokens = EmbedID(vocabulary, size, dtype)
        self.positions = EmbedID(context, size, dtype)
        self.blocks = [
            TransformerBlock(size, heads, dropout_ratio, dtype=dtype)
            for _ in range(layers)
        ]
        self.norm = LayerNorm(dtype, in_size=size)
        self.out = Linear(vocabulary, in_size=size, dtype=dtype)

    def forward(self, ids):
        x = self.embed(ids)
        for block in self.blocks:
            x = block(x)
        return self.out(self.norm(x))

    def embed(self, ids):
        """The vector of each token plus that of its position, (N, T, size)."""
        places = ids.shape[1]
        if places > self.context:
            raise ValueError(f"{places} tokens do not fit into {self.context} places")
        return self.tokens(ids) + self.positions(np.arange(places))


def generate(model, ids, count, temperature=1.0, top_k=None, rng=None):
    """The tokens ids (N, T) and count more, each drawn by its chance, then read."""
    rng = rng or generator()
    with no_grad(), test_mode():
        for _ in range(count):
            scores = model(ids[:, -model.context :]).data[:, -1]
            chosen = draw(scores, temperature, top_k, rng)
            ids = np.concatenate([ids, chosen[:, None]], axis=1)
    return ids


def draw(scores, temperature, top_k, rng):
    """A token for each row of scores: the likeliest at temperature 0."""
    if temperature == 0:
        return scores.argmax(axis=1)
    scores = scores.astype(float) / temperature
    if top_k is not None and top_k < scores.shape[1]:
        least = np.sort(scores, axis=1)[:, -top_k]
        scores = np.where(scores < least[:, None], -np.inf, scores)
    return np.array([rng.choice(len(p), p=p) for p in softmax(scores).data])


class WarmupLinear:
    """The rate of a step: up in a straight line to the peak, and down in another"""

    def __init__(self, peak, warmup, steps):
        self.peak, self.warmup, self.steps = peak, warmup, steps

    def __call__(self, step):
        if step < self.warmup:
            return self.peak * (step + 1) / (self.warmup + 1)
        way = (step - self.warmup) / (self.steps - self.warmup)
        return self.peak * self.left(min(way, 1.0))

    def left(self, way):
        return 1 - way


class WarmupCosine(WarmupLinear):
    """The same, but down along half a wave of the cosine"""

    def left(self, way):
        return (1 + math.cos(math.pi * way)) / 2
