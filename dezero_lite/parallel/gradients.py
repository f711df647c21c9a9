"""The gradient of a batch from those of its shards.

The loss of a shard is a mean over its examples. So the loss of the batch is the mean of
these means, weighted by the numbers of examples; the same holds for the gradients.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from ..core import Variable
from ..core.types import Array


class Adds(Protocol):
    """Anything that sums arrays over workers, such as :class:`Ring` or
    :class:`MPIRing`.
    """

    def all_reduce(self, array: Array) -> Array:
        """Return the sum over all workers, to each of them."""


def own_gradients(model: Any) -> list[Array]:
    """Return a model's gradients, in the order of its parameters; zeros for missing
    ones.

    They are the model's own arrays, not copies.
    """
    return [
        np.zeros_like(p.data) if p.grad is None else p.grad.data for p in model.params()
    ]


def set_gradients(model: Any, gradients: Sequence[Array]) -> None:
    """Assign the gradients to the parameters, in order.

    Raises
    ------
    ValueError
        If their number or a shape is wrong; nothing has changed then.
    """
    params = list(model.params())
    shapes = [p.shape for p in params], [np.shape(g) for g in gradients]
    if shapes[0] != shapes[1]:
        raise ValueError(
            f"the model's parameters have the shapes {shapes[0]}, but the gradients "
            f"{shapes[1]}"
        )
    for param, gradient in zip(params, gradients, strict=True):
        param.grad = Variable(gradient)


def mean_gradients(
    parts: Sequence[Sequence[Array]], counts: Sequence[int]
) -> list[Array]:
    """Average the gradients of several workers, weighted by their numbers of examples.

    The order of addition is that of the arguments, so the same parts give the same
    bits.

    Parameters
    ----------
    parts : sequence of sequence of ndarray
        For each worker, a gradient for each parameter.
    counts : sequence of int
        The number of examples behind each worker's gradients, which are means; a worker
        with 0 is left out.

    Raises
    ------
    ValueError
        If the numbers of counts and parts differ, or all counts are 0.
    """
    if len(parts) != len(counts) or not sum(counts):
        raise ValueError(
            f"{len(parts)} gradients have the counts {list(counts)}: pass "
            "one count for each worker, not all of them 0"
        )
    shares = [float(count / sum(counts)) for count in counts]
    pairs = zip(parts, shares, strict=True)
    (first, share), *rest = [pair for pair in pairs if pair[1]]
    means = [gradient * share for gradient in first]
    for gradients, share in rest:
        for mean, gradient in zip(means, gradients, strict=True):
            mean += gradient * share
    return means


def average_gradients(model: Any, count: int, ring: Adds) -> None:
    """Give the model, on every worker of a ring, the gradient of the whole batch.

    Each worker must call it, with the number of examples behind its own gradients. All
    gradients travel as one array, because every message has a fixed cost.
    """
    gradients = own_gradients(model)
    # In float16, a gradient times some thousand examples would overflow.
    dtype = np.result_type(np.float32, *gradients)
    weighted = [gradient.ravel() * dtype.type(count) for gradient in gradients]
    total = ring.all_reduce(np.concatenate([*weighted, np.array([count], dtype)]))
    total[:-1] /= max(total[-1], 1)
    ends = np.cumsum([gradient.size for gradient in gradients])
    pieces = zip(np.split(total[:-1], ends[:-1]), gradients, strict=True)
    set_gradients(model, [new.reshape(g.shape).astype(g.dtype) for new, g in pieces])
