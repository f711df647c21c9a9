"""The same numbers in another shape. Step 38 explains it.

Nothing is computed here; elements only move. So every gradient moves elements back: a
reshape undoes a reshape, and a transpose a transpose.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core import Operand, Primitive, Variable, as_array, describe
from ..core.types import Array, Axis, Shape, Value
from .precision import require_data

__all__ = ["expand_dims", "flatten", "pad", "reshape", "squeeze", "transpose"]


# --- another shape for all of an array ------------------------------------------------


def reshape(x: Operand, shape: int | Sequence[int]) -> Variable:
    """Return the elements of `x` in another shape, or `x` itself if it already has that
    shape. Source: book step 38.

    Parameters
    ----------
    x : Variable or ndarray
        Of any shape and dtype.
    shape : int or tuple of int
        With the same number of elements. One length may be -1: it is inferred.

    Raises
    ------
    ValueError
        If `shape` has a different number of elements.

    Examples
    --------
    >>> reshape(np.arange(6), (2, -1))
    variable([[0 1 2]
              [3 4 5]])
    """
    wanted: Any = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    if isinstance(x, Variable) and require_data(x).shape == wanted:
        return x
    return Reshape(wanted)(as_array(x))


class Reshape(Primitive):
    def __init__(self, shape: Shape) -> None:
        self.shape = shape

    def forward(self, x: Array) -> Array:
        return x.reshape(self.shape)

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        return gy.reshape(xs[0].shape)

    def _raise_input_error(self, inputs: Sequence[Any]) -> None:
        if not all([isinstance(n, (int, np.integer)) for n in self.shape]):
            return
        x = inputs[0]
        size = math.prod(shape_of(x))
        known = math.prod([n for n in self.shape if n != -1])
        if self.shape.count(-1) > 1:
            why = "at most one length can be -1"
        elif -1 in self.shape:
            why = (
                f"its {size} elements cannot be divided by {known}, the product of the "
                "other lengths"
            )
        else:
            why = f"it has {size} elements, the new shape {known}"
        raise ValueError(
            f"cannot reshape {describe(x)} to shape {self.shape}: {why}"
        ) from None


def expand_dims(x: Operand, axis: int | Shape) -> Variable:
    """Insert one or more axes of length 1 into `x` at `axis`. Source: book step 47."""
    return reshape(x, np.expand_dims(require_data(x), axis).shape)


def squeeze(x: Operand, axis: Axis = None) -> Variable:
    """Remove all axes of length 1 from `x`, or only those that `axis` names.

    Raises
    ------
    ValueError
        If an axis in `axis` has another length.
    """
    data = require_data(x)
    try:
        return reshape(x, np.squeeze(data, axis).shape)
    except ValueError as error:
        raise ValueError(
            f"cannot squeeze axis {axis} of {describe(x)}: only an axis of length 1 "
            "can be removed"
        ) from error


def flatten(x: Operand) -> Variable:
    """Reshape `x` from (N, …) to (N, D): one row per example. Source: book step 57.

    Raises
    ------
    ValueError
        If `x` has no axes.
    """
    shape = shape_of(x)
    if not shape:
        raise ValueError(
            "flatten keeps axis 0, that of the examples, but x of shape () has no axes"
        )
    return reshape(x, (shape[0], math.prod(shape[1:])))


def transpose(x: Operand, axes: Sequence[int] | None = None) -> Variable:
    """Reorder the axes of `x`: reverse them, or follow `axes`. Source: book step 38.

    Parameters
    ----------
    x : Variable or ndarray
        Of any shape and dtype.
    axes : tuple of int, optional
        Axis `i` of the result is axis ``axes[i]`` of `x`; negative numbers count from
        the end.

    Raises
    ------
    ValueError
        If `axes` does not name every axis exactly once.
    """
    if isinstance(axes, (int, np.integer)):
        raise ValueError(
            "transpose takes the new order of all axes, such as transpose(x, (1, "
            f"0)), not {axes}"
        )
    return Transpose(None if axes is None else tuple(axes))(as_array(x))


class Transpose(Primitive):
    def __init__(self, axes: Shape | None = None) -> None:
        self.axes = axes

    def forward(self, x: Array) -> Array:
        return x.transpose(self.axes)

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        if self.axes is None:
            return gy.transpose(None)
        axes = [axis % gy.ndim for axis in self.axes]
        return gy.transpose(tuple([axes.index(i) for i in range(gy.ndim)]))

    def _raise_input_error(self, inputs: Sequence[Any]) -> None:
        x = inputs[0]
        raise ValueError(
            f"cannot transpose {describe(x)} to axes {self.axes}: name each of its "
            f"{len(shape_of(x))} axes once"
        ) from None


# --- a margin -------------------------------------------------------------------------


def pad(x: Operand, pad_width: int | Sequence[Any], value: float = 0) -> Variable:
    """Add a margin of `value` around `x`.

    Parameters
    ----------
    x : Variable or ndarray
        Of any shape and dtype.
    pad_width : int or sequence
        The widths, as for ``np.pad``: a number for all sides, ``(before, after)`` for
        all axes, or one such pair for each axis.
    value : float, optional
        The number that fills the margin.

    Raises
    ------
    ValueError
        If `pad_width` does not fit the axes of `x` or is negative, or if `x` holds
        whole numbers but `value` is fractional.
    """
    ndim = len(shape_of(x))
    try:
        widths = np.broadcast_to(np.asarray(pad_width), (ndim, 2)).tolist()
    except ValueError:
        raise ValueError(
            f"pad_width {pad_width} does not fit {describe(x)}: give one number, one "
            f"pair (before, after), or {ndim} pairs"
        ) from None
    if any([not isinstance(n, int) or n < 0 for pair in widths for n in pair]):
        raise ValueError(
            "pad_width counts elements, so that it is made of whole numbers from 0 "
            f"on, not {pad_width}"
        )
    return Pad(widths, value)(as_array(x))


class Pad(Primitive):
    def __init__(self, widths: list[list[int]], value: float = 0) -> None:
        self.widths, self.value = widths, value

    def forward(self, x: Array) -> Array:
        if x.dtype.kind != "f" and self.value % 1:
            raise ValueError(
                f"pad cannot put {self.value} around {describe(x)}: use x.astype(float)"
            )
        shape = [n + sum(width) for n, width in zip(x.shape, self.widths, strict=True)]
        y = np.full_like(x, self.value, shape=shape)
        y[self._inside(x)] = x
        return y

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        return gy[self._inside(xs[0])]

    def _inside(self, x: Any) -> tuple[slice, ...]:
        sides = zip(x.shape, self.widths, strict=True)
        return tuple([slice(before, before + n) for n, (before, _) in sides])


# --- a helper -------------------------------------------------------------------------


def shape_of(x: Any) -> Shape:
    """Return the shape of a Variable, an array or a number.

    Raises
    ------
    ValueError
        If a Variable has no data yet.
    """
    return np.shape(require_data(x))
