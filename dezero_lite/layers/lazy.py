"""Base class and helpers of layers that learn their sizes from the first input. Step
44.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ..core import Operand, Variable, describe
from ..core.types import Array, Shape
from ..random import generator
from .layer import Layer, LazyVariable


class LazyLayer(Layer):
    """A layer that learns sizes from its first input.

    If that call fails, the sizes stay unknown.
    """

    def learn_sizes(self, x: Operand) -> None:
        """Create the parameters that an input like `x` requires."""
        raise NotImplementedError

    def first_call(
        self, forward: Callable[[Any, Operand], Variable], x: Operand
    ) -> Variable:
        """Learn the sizes from `x`, and compute `forward`."""
        lazy = [v for v in vars(self).values() if isinstance(v, LazyVariable)]
        empty = [variable for variable in lazy if variable.data is None]
        self.learn_sizes(x)
        try:
            return forward(self, x)
        except Exception:
            for variable in empty:
                variable.data = None
            raise


_unset = ContextVar("_unset", default=False)


@contextmanager
def unset_weights() -> Iterator[None]:
    """Give layers made in this ``with`` block weights of the right shape but arbitrary
    values. They take no memory until used, because loaded weights will replace them.
    """
    before = _unset.set(True)
    try:
        yield
    finally:
        _unset.reset(before)


def random_weights(
    shape: Shape, fan_in: int, dtype: DTypeLike, xp: ModuleType
) -> Array:
    """Draw random weights scaled so that a sum of `fan_in` products is about as large
    as one input.
    """
    if _unset.get():
        return xp.empty(shape, dtype=dtype)
    drawn = np.float64 if dtype == np.float64 else np.float32
    weights = generator().standard_normal(shape, dtype=drawn)
    weights *= 1 / math.sqrt(max(fan_in, 1))
    return xp.asarray(weights.astype(dtype, copy=False))


def input_length(layer: Layer, x: Any, axis: int) -> int:
    """Return the length of an axis of a layer's first input.

    Raises
    ------
    ValueError
        If there is no such axis.
    """
    try:
        return int(x.shape[axis])
    except (AttributeError, IndexError):
        where = "the last axis" if axis == -1 else f"axis {axis}"
        raise ValueError(
            f"{type(layer).__name__} learns a size from {where} of its first input, "
            f"but {describe(x)} has none"
        ) from None


def check_counts(layer: Layer, **counts: object) -> None:
    """Raise a ValueError for a size that is negative or not a whole number."""
    for name, count in counts.items():
        if not isinstance(count, (int, np.integer)) or count < 0:
            raise ValueError(
                f"{name} of {type(layer).__name__} must be a whole number and not "
                f"negative, but is {count!r}"
            )


def check_nobias(layer: Layer, nobias: object, example: str) -> None:
    """Raise a TypeError if `nobias` is a number, which was probably meant as a size."""
    if not isinstance(nobias, (bool, np.bool_)):
        raise TypeError(
            f"nobias of {type(layer).__name__} is True or False, not {nobias!r}: a "
            "layer takes its output size, and its input size only by name, as in "
            f"{example}"
        )


def check_no_size(layer: Layer, size: tuple[object, ...]) -> None:
    """Raise a TypeError for a size if the layer takes it from its first input."""
    if size:
        kind = type(layer).__name__
        raise TypeError(f"{kind} takes its size from its first input: write {kind}()")
