"""Step 76: writing fast, and looking inside."""

from contextlib import contextmanager

from dezero_lite import no_grad
from dezero_lite.layers import KeyValueCache

from .library import moved as __getattr__  # noqa: F401
from .step74 import answers

__all__ = ["Counting", "KeyValueCache", "looks", "off_by", "without_head"]


class Counting:
    """A model that counts the positions it computes."""

    def __init__(self, model):
        self.model, self.context, self.caches = model, model.context, model.caches
        self.positions = 0

    def __call__(self, ids, caches=None):
        self.positions += ids.shape[1]
        return self.model(ids, caches)


def looks(model, ids):
    """For each block, how much each head looks where: shape (N, heads, T, T)."""
    found = []
    with no_grad():
        x = model.embed(ids)
        for block in model.blocks:
            found.append(block.attention.weights(block.norm1(x)).data)
            x = block(x)
    return found


@contextmanager
def without_head(model, block, head):
    """Inside `with`, what this head finds is multiplied by zero."""
    attention = model.blocks[block].attention
    width = attention.size // attention.heads
    used = attention.out.W.data[head * width : (head + 1) * width]
    kept = used.copy()
    used[:] = 0
    try:
        yield
    finally:
        used[:] = kept


def off_by(model, rows):
    """Written minus right: of each sum's hundreds, tens and units."""
    return answers(model, rows, 6) - rows[:, 6:]
