"""Step 76: writing fast, and looking inside."""

from contextlib import contextmanager

from dezero_lite import no_grad
from dezero_lite.layers import KeyValueCache

from .library import moved as __getattr__  # noqa: F401
from .step74 import answers

__all__ = ["Counting", "KeyValueCache", "looks", "off_by", "without_head"]


class Counting:
    """A wrapper that counts the positions that a model computes."""

    def __init__(self, model):
        self.model, self.context, self.caches = model, model.context, model.caches
        self.positions = 0

    def __call__(self, ids, caches=None):
        self.positions += ids.shape[1]
        return self.model(ids, caches)


def looks(model, ids):
    """Return the attention weights (N, heads, T, T) of each block."""
    found = []
    with no_grad():
        x = model.embed(ids)
        for block in model.blocks:
            found.append(block.attention.weights(block.norm1(x)).data)
            x = block(x)
    return found


@contextmanager
def without_head(model, block, head):
    """Switch a head off inside a `with` block, by setting its output weights to 0."""
    if block not in range(len(model.blocks)):
        raise IndexError(f"there is no block {block}: count the blocks from 0")
    attention = model.blocks[block].attention
    if head not in range(attention.heads):
        raise IndexError(f"there is no head {head}: count the heads from 0")
    width = attention.size // attention.heads
    used = attention.out.W.data[head * width : (head + 1) * width]
    kept = used.copy()
    used[:] = 0
    try:
        yield
    finally:
        used[:] = kept


def off_by(model, rows):
    """Return the errors of the hundreds, tens and units, as written minus right."""
    return answers(model, rows, 6) - rows[:, 6:]
