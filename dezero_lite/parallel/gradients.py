"""The gradient of a batch from those of its shards.

Each shard's loss is a mean over its examples. So the batch's is the mean of these
means, weighted by how many examples each has seen; and so is its gradient.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from ..core import Variable
from ..core.types import Array


class Adds(Protocol):
    """What sums arrays over workers: a :class:`Ring`, or one of MPI."""

    def all_reduce(self, array: Array) -> Array:
        """The sum over all workers, which all of them get."""


def own_gradients(model: Any) -> list[Array]:
    """A model's gradients, in its parameters' order; zeros where there is none.

    They are the model's own arrays, not copies.
    """
    return [
        np.zeros_like(p.data) if p.grad is None else p.grad.data for p in model.params()
    ]


def set_gradients(model: Any, gradients: Sequence[Array]) -> None:
    """Give each parameter its gradient, in their order.

    Raises
    ------
    ValueError
        If there are not as many, or one has another shape; nothing has changed then.
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
    """The mean of several workers' gradients, weighted by their examples.

    They are added in the order given, so that the same parts give the same bits.

    Parameters
    ----------
    parts : sequence of sequence of ndarray
        For each worker, a gradient for each parameter.
    counts : sequence of int
        The numbers of examples of which the workers' gradients are means; a 0 leaves
        one out.

    Raises
    ------
    ValueError
        If there are not as many counts as parts, or no example at all.
    """
    if len(parts) != len(counts) or not sum(counts):
        raise ValueError(
            f"{len(parts)} gradients have the counts {list(counts)}: one each, and "
            "not all 0"
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

    Each worker calls it, with the number of examples behind its own gradient. All
    travel as one array: a message has its price, however short it is.
    """
    gradients = own_gradients(model)
    # In float16, a gradient times some thousand examples would be infinite.
    dtype = np.result_type(np.float32, *gradients)
    weighted = [gradient.ravel() * dtype.type(count) for gradient in gradients]
    total = ring.all_reduce(np.concatenate([*weighted, np.array([count], dtype)]))
    total[:-1] /= max(total[-1], 1)
    ends = np.cumsum([gradient.size for gradient in gradients])
    pieces = zip(np.split(total[:-1], ends[:-1]), gradients, strict=True)
    set_gradients(model, [new.reshape(g.shape).astype(g.dtype) for new, g in pieces])
