"""Elements of an array. Step 47 explains it.

Nothing is computed here; elements only move. So every gradient moves elements back: the
gradient of a slice is placed into zeros, and an element that was taken twice receives
the sum of two gradients.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import cuda
from ..core import Operand, Primitive, Variable, as_array, describe, is_batched, unwrap
from ..core.types import Array, Shape, Value
from .precision import require_data
from .shape import shape_of

__all__ = ["embed_id", "get_item"]


def get_item(x: Operand, slices: Any) -> Variable:
    """Return the elements ``x[slices]``, selected as in NumPy. Source: book step 47.

    Parameters
    ----------
    x : Variable or ndarray
        Of any shape and dtype.
    slices : Any
        Integers, slices, ``...``, ``None``, lists and arrays of integers or booleans,
        Variables of such arrays, and tuples of all these. An element that is selected
        more than once receives the sum of its gradients.

    Raises
    ------
    IndexError
        If there is no such element.

    Examples
    --------
    >>> x = Variable(np.array([1.0, 2.0, 3.0]))
    >>> get_item(x, [0, 2, 2]).backward()
    >>> x.grad
    variable([1. 0. 2.])
    """
    parts = slices if isinstance(slices, tuple) else (slices,)
    if any([is_batched(part) for part in parts]):
        if any([is_batched(part) and part.dtype.kind == "b" for part in parts]):
            raise TypeError(
                "inside vmap, x[x > 0] would take a different number of elements from "
                "each example: use where(x > 0, x, 0), which keeps the shape"
            )
        if any(
            [part is None or part is ... or isinstance(part, slice) for part in parts]
        ):
            raise TypeError(
                "inside vmap, indices that differ between examples cannot be combined "
                "with slices: transpose first, as in x.T[i]"
            )
        return Gather()(x, *parts)
    if isinstance(slices, tuple):
        return GetItem(tuple([_index(part, x) for part in slices]))(x)
    return GetItem(_index(slices, x), slices)(x)


def _index(part: Any, x: Operand) -> Any:
    part = unwrap(part)
    # Not a collection of indices: a number, a slice, `...`, None, or nonsense.
    if isinstance(part, (np.generic, str)) or not hasattr(part, "__len__"):
        return part
    if not hasattr(part, "ndim"):
        # A list, a range, a deque: any sequence that NumPy would accept.
        part = np.array(part, None if len(part) else int)
    # Indices belong on the device of the data. A copy, because they may change before
    # backward needs them.
    return cuda.get_array_module(x).array(part)


class GetItem(Primitive):
    def __init__(self, slices: Any, given: Any = None) -> None:
        self.slices = slices
        self.chosen_by = given if isinstance(given, Variable) else None

    def forward(self, x: Array) -> Array:
        return x[self.slices]

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        return GetItemGrad(self.slices, xs[0].shape).apply(gy)


class Gather(Primitive):
    """`GetItem` with indices of which one differs between the examples of a batch;
    `func` has its rule.
    """


class GetItemGrad(Primitive):
    def __init__(self, slices: Any, in_shape: Shape) -> None:
        self.slices, self.in_shape = slices, in_shape

    def forward(self, gy: Array) -> Array:
        xp = cuda.get_array_module(gy)
        gx = xp.zeros(self.in_shape, gy.dtype)
        slices = self.slices
        if not _may_repeat(slices):
            gx[slices] = gy
        elif isinstance(slices, tuple) or gx.ndim == 1:
            xp.add.at(gx, slices, gy)  # CuPy rejects np.add.at with a tuple
        else:
            _add_rows(gx, slices, gy)
        return gx

    def vjp(self, xs: Sequence[Value], ggx: Value) -> Value:
        return ggx[self.slices]


def _may_repeat(slices: Any) -> bool:
    parts = slices if isinstance(slices, tuple) else (slices,)
    arrays = [part for part in parts if getattr(part, "ndim", 0)]
    return any([array.dtype.kind != "b" for array in arrays])


def _add_rows(gx: Any, rows: Any, gy: Any) -> None:
    # `add.at` is several times faster element by element than row by row.
    width = math.prod(gx.shape[1:])
    starts = rows.reshape(-1, 1).astype(np.intp) * width
    xp = cuda.get_array_module(gx)
    elements = starts + xp.arange(width)
    xp.add.at(gx.ravel(), elements.ravel(), gy.ravel())


def embed_id(x: Operand, W: Operand) -> Variable:
    """Look up row ``x[i]`` of `W` for each `i`: a word's vector for its number. Source:
    the book's ``W[x]``.

    Parameters
    ----------
    x : Variable, ndarray or list
        Integers, of any shape; negative ones count from the last row.
    W : Variable or ndarray, shape (V, D)
        One row for each of the V words.

    Returns
    -------
    Variable
        The shape of `x`, followed by D.

    Raises
    ------
    TypeError
        If `x` does not hold integers.
    IndexError
        If a number in `x` has no row.
    """
    ids: Any = x if is_batched(x) else as_array(require_data(x))
    if isinstance(ids, (list, tuple)):
        ids = np.array(ids, None if len(ids) else int)
    if not hasattr(ids, "dtype") or ids.dtype.kind not in "iu":
        hint = "x.astype(int)" if hasattr(x, "astype") else "np.array(x, dtype=int)"
        raise TypeError(
            f"embed_id looks up rows by whole numbers, but x is {describe(x)}: use "
            f"{hint}"
        )
    try:
        return get_item(W, x if isinstance(x, Variable) else ids)
    except IndexError:
        raise IndexError(
            f"x holds numbers from {ids.min()} to {ids.max()}, but W, {describe(W)}, "
            f"has rows 0 to {shape_of(W)[0] - 1}"
        ) from None
