"""Parts of an array, and arrays as parts of a larger one. Step 47 explains it.

Nothing is computed here, elements only move. So every gradient is a move back: a slice
is undone by putting it into zeros, and an element that was taken twice receives two
gradients, which add up.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .. import cuda
from ..core import Function, Operand, Variable, as_array, describe, unwrap
from ..core.types import Array, Shape, Value
from .precision import require_data
from .shape import shape_of

__all__ = ["concat", "embed_id", "get_item", "split", "stack"]


# --- elements of an array -------------------------------------------------------------


def get_item(x: Operand, slices: Any) -> Variable:
    """The elements ``x[slices]``, picked as NumPy does. Source: book step 47.

    Parameters
    ----------
    x : Variable or ndarray
        Of any shape and dtype.
    slices : Any
        Whole numbers, slices, ``...``, ``None``, lists and arrays of whole numbers or
        of truth values, Variables of such arrays, and tuples of all these. An element
        that is picked more than once receives the sum of its gradients.

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
    if isinstance(slices, tuple):
        return GetItem(tuple([_index(part, x) for part in slices]))(x)
    return GetItem(_index(slices, x))(x)


def _index(part: Any, x: Operand) -> Any:
    part = unwrap(part)
    if _is_single(part):
        return part
    if not hasattr(part, "ndim"):
        # A list, a range, a deque: NumPy would take its elements as well.
        part = np.array(part, None if len(part) else int)
    # Indices lie where the data do. A copy, since they may change before backward needs
    # them.
    return cuda.get_array_module(x).array(part)


def _is_single(part: Any) -> bool:
    # What is no collection of indices: a number, a slice, `...`, None, or nonsense.
    return isinstance(part, (np.generic, str)) or not hasattr(part, "__len__")


class GetItem(Function):
    def __init__(self, slices: Any) -> None:
        self.slices = slices

    def forward(self, x: Array) -> Array:
        return x[self.slices]

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        return GetItemGrad(self.slices, xs[0].shape).on(gy)


class GetItemGrad(Function):
    def __init__(self, slices: Any, in_shape: Shape) -> None:
        self.slices = slices
        self.in_shape = in_shape

    def forward(self, gy: Array) -> Array:
        gx = cuda.get_array_module(gy).zeros(self.in_shape, gy.dtype)
        slices = self.slices
        if not _may_repeat(slices):
            gx[slices] = gy
        elif isinstance(slices, tuple) or gx.ndim == 1:
            np.add.at(gx, slices, gy)
        else:
            _add_rows(gx, slices, gy)
        return gx

    def vjp(self, xs: Sequence[Value], ggx: Value) -> Value:
        return ggx[self.slices]


def _may_repeat(slices: Any) -> bool:
    parts = slices if isinstance(slices, tuple) else (slices,)
    return any(
        [getattr(part, "ndim", 0) > 0 and part.dtype.kind != "b" for part in parts]
    )


def _add_rows(gx: Any, rows: Any, gy: Any) -> None:
    # Element by element, `add.at` is several times faster than row by row.
    width = math.prod(gx.shape[1:])
    starts = rows.reshape(-1, 1).astype(np.intp) * width
    elements = starts + cuda.get_array_module(gx).arange(width)
    np.add.at(gx.ravel(), elements.ravel(), gy.ravel())


def embed_id(x: Operand, W: Operand) -> Variable:
    """Row ``x[i]`` of `W` for each `i`: a word's vector in place of its number. Source:
    the book's ``W[x]``.

    Parameters
    ----------
    x : Variable, ndarray or list
        Whole numbers, of any shape; negative ones count from the last row.
    W : Variable or ndarray, shape (V, D)
        One row for each of the V words.

    Returns
    -------
    Variable
        Of the shape of `x` and D.

    Raises
    ------
    TypeError
        If `x` holds anything but whole numbers.
    IndexError
        If a number in `x` has no row.
    """
    ids = as_array(require_data(x))
    if isinstance(ids, (list, tuple)):
        ids = np.array(ids, None if len(ids) else int)
    if not hasattr(ids, "dtype") or ids.dtype.kind not in "iu":
        hint = "x.astype(int)" if hasattr(x, "astype") else "np.array(x, dtype=int)"
        raise TypeError(
            f"embed_id looks up rows by whole numbers, but x is {describe(x)}: use "
            f"{hint}"
        )
    try:
        return get_item(W, ids)
    except IndexError:
        raise IndexError(
            f"x holds numbers from {ids.min()} to {ids.max()}, but W, {describe(W)}, "
            f"has rows 0 to {shape_of(W)[0] - 1}"
        ) from None


# --- several arrays -------------------------------------------------------------------


def concat(xs: Sequence[Operand], axis: int = 0) -> Variable:
    """The arrays `xs` one after the other along `axis`; :func:`split` is the way back.

    Raises
    ------
    ValueError
        If there are none, or their shapes differ in another axis.
    """
    return Concat(axis)(*_several(xs, "concat"))


class _Join(Function):
    needs = ""

    def __init__(self, axis: int = 0) -> None:
        self.axis = axis

    def _explain(self, inputs: Sequence[Any]) -> None:
        name = type(self).__name__.lower()
        shapes = ", ".join([str(shape_of(x)) for x in inputs])
        raise ValueError(
            f"{name} along axis {self.axis} does not fit the shapes {shapes}: "
            f"{self.needs}"
        ) from None


class Concat(_Join):
    needs = "they need that axis, and the same length in every other"

    def forward(self, *xs: Array) -> Array:
        return np.concatenate(xs, self.axis)

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        axis = self.axis % gy.ndim
        gxs = []
        end = 0
        for x in xs:
            start, end = end, end + x.shape[axis]
            gxs.append(gy[_along(axis, slice(start, end))])
        return tuple(gxs)


def stack(xs: Sequence[Operand], axis: int = 0) -> Variable:
    """The arrays `xs`, all of one shape, along a new axis.

    Raises
    ------
    ValueError
        If there are none, or their shapes differ.
    """
    return Stack(axis)(*_several(xs, "stack"))


class Stack(_Join):
    needs = "they need to be the same, with that axis to be added"

    def forward(self, *xs: Array) -> Array:
        return np.stack(xs, self.axis)

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        return Unstack(self.axis % gy.ndim).on(gy)


class Unstack(Function):
    """The parts of an array, without the axis that it had along them: what `stack`
    undoes, and a loop goes over.
    """

    def __init__(self, axis: int = 0) -> None:
        self.axis = axis

    def forward(self, x: Array) -> Array:
        return tuple([x[_along(self.axis, i)] for i in range(x.shape[self.axis])])

    def vjp(self, xs: Sequence[Value], *gys: Value) -> Value:
        return Stack(self.axis).on(*gys)


def split(
    x: Operand, indices_or_sections: int | Sequence[int], axis: int = 0
) -> tuple[Variable, ...]:
    """`x` in parts along `axis`; :func:`concat` is the way back.

    Parameters
    ----------
    x : Variable or ndarray
        Of any shape and dtype.
    indices_or_sections : int or sequence of int
        How many parts, of equal length; or where each part but the first begins.
    axis : int, optional
        Which axis to cut.

    Raises
    ------
    ValueError
        If there is no such axis, its length does not divide into that many parts, or a
        part begins before the one in front of it.
    """
    return Split(indices_or_sections, axis)(x)  # type: ignore[return-value]


class Split(Function):
    def __init__(self, indices_or_sections: int | Sequence[int], axis: int = 0) -> None:
        self.cuts = indices_or_sections
        self.axis = axis

    def forward(self, x: Array) -> Array:
        if not -x.ndim <= self.axis < x.ndim:
            raise ValueError(f"there is no axis {self.axis}")
        if isinstance(self.cuts, (int, np.integer)):
            if self.cuts < 1:
                raise ValueError("there is one part at least")
        else:
            starts = [
                slice(cut, None).indices(x.shape[self.axis])[0] for cut in self.cuts
            ]
            if starts != sorted(starts):
                raise ValueError("the parts are not in order")
        return tuple(np.split(x, self.cuts, self.axis))

    def vjp(self, xs: Sequence[Value], *gys: Value) -> Value:
        return Concat(self.axis).on(*gys)

    def _explain(self, inputs: Sequence[Any]) -> None:
        number = isinstance(self.cuts, (int, np.integer))
        parts = (
            f"{self.cuts} equal parts"
            if number
            else f"parts that begin at {self.cuts}, one after the other"
        )
        raise ValueError(
            f"cannot split {describe(inputs[0])} along axis {self.axis} into {parts}"
        ) from None


def _several(xs: Sequence[Operand], name: str) -> Sequence[Operand]:
    several = (
        [] if isinstance(xs, Variable) or not hasattr(xs, "__iter__") else list(xs)
    )
    if not several:
        raise ValueError(
            f"{name} takes a list or a tuple of arrays, at least one: {name}([x0, x1])"
        )
    return several


def _along(axis: int, index: Any) -> tuple[Any, ...]:
    return (slice(None),) * axis + (index,)


# --- methods --------------------------------------------------------------------------


def _iter(self: Variable) -> Iterator[Variable]:
    # Without it, Python takes x[0], x[1], … until an error, and finds a number to be an
    # empty sequence; and for each of them, backward fills an array as large as x.
    if not require_data(self).ndim:
        raise TypeError(f"{describe(self)} has no axis to go along")
    return iter(Unstack()(self))


Variable.__getitem__ = get_item
Variable.__iter__ = _iter  # type: ignore[attr-defined]
