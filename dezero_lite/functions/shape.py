"""The same numbers in another shape. Steps 38 and 47 explain it.

Nothing is computed here, elements only move. So every gradient is a move back: a
reshape is undone by a reshape, a slice by putting it into zeros, and an element that
was taken twice receives two gradients, which add up.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .. import cuda
from ..core import Function, Operand, Variable, _describe, _plain, as_array
from .elementwise import require_data

__all__ = [
    "concat",
    "embed_id",
    "expand_dims",
    "flatten",
    "get_item",
    "pad",
    "reshape",
    "split",
    "squeeze",
    "stack",
    "transpose",
]


# --- another shape for all of an array ------------------------------------------------


def reshape(x: Operand, shape: int | Sequence[int]) -> Variable:
    """The elements of `x` in another shape; `x` itself if it has that shape. Source:
    book step 38.

    Parameters
    ----------
    x : Variable or ndarray
        Of any shape and dtype.
    shape : int or tuple of int
        Of as many elements. One length may be -1: it follows from the others.

    Raises
    ------
    ValueError
        If `shape` has another number of elements.

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


class Reshape(Function):
    __slots__ = ("shape",)

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape

    def forward(self, x: Any) -> Any:
        return x.reshape(self.shape)

    def vjp(self, xs: Sequence[Any], gy: Any) -> Any:
        return gy.reshape(xs[0].shape)

    def _explain(self, inputs: Sequence[Any]) -> None:
        super()._explain(inputs)
        if not all([isinstance(n, (int, np.integer)) for n in self.shape]):
            return
        x = inputs[0]
        size = math.prod(_shape(x))
        known = math.prod([n for n in self.shape if n != -1])
        if self.shape.count(-1) > 1:
            why = "one length at most can be -1"
        elif -1 in self.shape:
            why = f"it has {size} elements, and no length for -1 makes that of {known}"
        else:
            why = f"it has {size} elements, the new shape {known}"
        raise ValueError(
            f"cannot reshape {_describe(x)} to shape {self.shape}: {why}"
        ) from None


def expand_dims(x: Operand, axis: int | tuple[int, ...]) -> Variable:
    """`x` with a new axis of length 1 at `axis`, or several. Source: book step 47."""
    return reshape(x, np.expand_dims(require_data(x), axis).shape)


def squeeze(x: Operand, axis: int | tuple[int, ...] | None = None) -> Variable:
    """`x` without the axes of length 1, or without those that `axis` names.

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
            f"cannot squeeze axis {axis} of {_describe(x)}: only an axis of length 1 "
            "can be left out"
        ) from error


def flatten(x: Operand) -> Variable:
    """`x` of shape (N, …) as (N, D): one row for each example. Source: book step 57.

    Raises
    ------
    ValueError
        If `x` has no axes.
    """
    shape = _shape(x)
    if not shape:
        raise ValueError(
            "flatten keeps axis 0, the examples', but x has shape (): it has no axes"
        )
    return reshape(x, (shape[0], math.prod(shape[1:])))


def transpose(x: Operand, axes: Sequence[int] | None = None) -> Variable:
    """`x` with its axes in another order: reversed, or as `axes` says. Source: book
    step 38.

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
        If `axes` does not name every axis once.
    """
    if isinstance(axes, (int, np.integer)):
        raise ValueError(
            "transpose takes the new order of all axes, such as transpose(x, (1, "
            f"0)), not {axes}"
        )
    return Transpose(None if axes is None else tuple(axes))(as_array(x))


class Transpose(Function):
    __slots__ = ("axes",)

    def __init__(self, axes: tuple[int, ...] | None = None) -> None:
        self.axes = axes

    def forward(self, x: Any) -> Any:
        return x.transpose(self.axes)

    def vjp(self, xs: Sequence[Any], gy: Any) -> Any:
        if self.axes is None:
            return gy.transpose(None)
        axes = [axis % gy.ndim for axis in self.axes]
        return gy.transpose(tuple([axes.index(i) for i in range(gy.ndim)]))

    def _explain(self, inputs: Sequence[Any]) -> None:
        super()._explain(inputs)
        x = inputs[0]
        raise ValueError(
            f"cannot transpose {_describe(x)} to axes {self.axes}: name each of its "
            f"{len(_shape(x))} axes once"
        ) from None


# --- parts of an array ----------------------------------------------------------------


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
    part = _plain(part)
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
    __slots__ = ("slices",)

    def __init__(self, slices: Any) -> None:
        self.slices = slices

    def forward(self, x: Any) -> Any:
        return x[self.slices]

    def vjp(self, xs: Sequence[Any], gy: Any) -> Any:
        return GetItemGrad(self.slices, xs[0].shape).on(gy)


class GetItemGrad(Function):
    __slots__ = ("in_shape", "slices")

    def __init__(self, slices: Any, in_shape: tuple[int, ...]) -> None:
        self.slices = slices
        self.in_shape = in_shape

    def forward(self, gy: Any) -> Any:
        gx = cuda.get_array_module(gy).zeros(self.in_shape, gy.dtype)
        slices = self.slices
        if not _may_repeat(slices):
            gx[slices] = gy
        elif isinstance(slices, tuple) or gx.ndim == 1:
            np.add.at(gx, slices, gy)
        else:
            _add_rows(gx, slices, gy)
        return gx

    def vjp(self, xs: Sequence[Any], ggx: Any) -> Any:
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
    np.add.at(gx.reshape(-1), elements.reshape(-1), gy.reshape(-1))


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
            f"embed_id looks up rows by whole numbers, but x is {_describe(x)}: use "
            f"{hint}"
        )
    try:
        return get_item(W, ids)
    except IndexError:
        raise IndexError(
            f"x holds numbers from {ids.min()} to {ids.max()}, but W, {_describe(W)}, "
            f"has rows 0 to {_shape(W)[0] - 1}"
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
    __slots__ = ("axis",)
    needs = ""

    def __init__(self, axis: int = 0) -> None:
        self.axis = axis

    def _explain(self, inputs: Sequence[Any]) -> None:
        super()._explain(inputs)
        name = type(self).__name__.lower()
        shapes = ", ".join([str(_shape(x)) for x in inputs])
        raise ValueError(
            f"{name} along axis {self.axis} does not fit the shapes {shapes}: "
            f"{self.needs}"
        ) from None


class Concat(_Join):
    __slots__ = ()
    needs = "they need that axis, and the same length in every other"

    def forward(self, *xs: Any) -> Any:
        return np.concatenate(xs, self.axis)

    def vjp(self, xs: Sequence[Any], gy: Any) -> Any:
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
    __slots__ = ()
    needs = "they need to be the same, with that axis to be added"

    def forward(self, *xs: Any) -> Any:
        return np.stack(xs, self.axis)

    def vjp(self, xs: Sequence[Any], gy: Any) -> Any:
        return Unstack(self.axis % gy.ndim).on(gy)


class Unstack(Function):
    """The parts of an array, without the axis that it had along them: what `stack`
    undoes, and a loop goes over.
    """

    __slots__ = ("axis",)

    def __init__(self, axis: int = 0) -> None:
        self.axis = axis

    def forward(self, x: Any) -> Any:
        return tuple([x[_along(self.axis, i)] for i in range(x.shape[self.axis])])

    def vjp(self, xs: Sequence[Any], *gys: Any) -> Any:
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
    __slots__ = ("axis", "cuts")

    def __init__(self, indices_or_sections: int | Sequence[int], axis: int = 0) -> None:
        self.cuts = indices_or_sections
        self.axis = axis

    def forward(self, x: Any) -> Any:
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

    def vjp(self, xs: Sequence[Any], *gys: Any) -> Any:
        return Concat(self.axis).on(*gys)

    def _explain(self, inputs: Sequence[Any]) -> None:
        super()._explain(inputs)
        number = isinstance(self.cuts, (int, np.integer))
        parts = (
            f"{self.cuts} equal parts"
            if number
            else f"parts that begin at {self.cuts}, one after the other"
        )
        raise ValueError(
            f"cannot split {_describe(inputs[0])} along axis {self.axis} into {parts}"
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


# --- a margin -------------------------------------------------------------------------


def pad(x: Operand, pad_width: int | Sequence[Any], value: float = 0) -> Variable:
    """`x` with a margin of `value` around it.

    Parameters
    ----------
    x : Variable or ndarray
        Of any shape and dtype.
    pad_width : int or sequence
        How wide, as ``np.pad`` has it: a number for all sides, ``(before, after)`` for
        all axes, or one such pair for each axis.
    value : float, optional
        What to fill the margin with.

    Raises
    ------
    ValueError
        If `pad_width` does not fit the axes of `x`, or is negative, or `x` holds whole
        numbers and `value` is none.
    """
    ndim = len(_shape(x))
    try:
        widths = np.broadcast_to(np.asarray(pad_width), (ndim, 2)).tolist()
    except ValueError:
        raise ValueError(
            f"pad_width {pad_width} does not fit {_describe(x)}: give one number, one "
            f"pair (before, after), or {ndim} pairs"
        ) from None
    if any([not isinstance(n, int) or n < 0 for pair in widths for n in pair]):
        raise ValueError(
            "pad_width counts elements, so that it is made of whole numbers from 0 "
            f"on, not {pad_width}"
        )
    return Pad(widths, value)(as_array(x))


class Pad(Function):
    __slots__ = ("value", "widths")

    def __init__(self, widths: list[list[int]], value: float = 0) -> None:
        self.widths = widths
        self.value = value

    def forward(self, x: Any) -> Any:
        shape = tuple(
            [
                before + n + after
                for n, (before, after) in zip(x.shape, self.widths, strict=True)
            ]
        )
        if x.dtype.kind != "f" and self.value % 1:
            raise ValueError(
                f"pad cannot put {self.value} around {_describe(x)}: use "
                "x.astype(float)"
            )
        y = np.full_like(x, self.value, shape=shape)
        y[self._inside(x)] = x
        return y

    def vjp(self, xs: Sequence[Any], gy: Any) -> Any:
        return gy[self._inside(xs[0])]

    def _inside(self, x: Any) -> tuple[slice, ...]:
        return tuple(
            [
                slice(before, before + n)
                for n, (before, _) in zip(x.shape, self.widths, strict=True)
            ]
        )


# --- methods --------------------------------------------------------------------------


def _shape(x: Any) -> tuple[int, ...]:
    return np.shape(require_data(x))


def _reshape(self: Variable, *shape: Any) -> Variable:
    return reshape(self, shape[0] if len(shape) == 1 else shape)


def _transpose(self: Variable, *axes: Any) -> Variable:
    if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], (tuple, list))):
        return transpose(self, axes[0])
    return transpose(self, axes or None)


def _iter(self: Variable) -> Iterator[Variable]:
    # Without it, Python takes x[0], x[1], … until an error, and finds a number to be an
    # empty sequence; and for each of them, backward fills an array as large as x.
    if not require_data(self).ndim:
        raise TypeError(f"{_describe(self)} has no axis to go along")
    return iter(Unstack()(self))


Variable.reshape = _reshape
Variable.transpose = _transpose
Variable.T = property(transpose)  # type: ignore[assignment]
Variable.__getitem__ = get_item
Variable.__iter__ = _iter  # type: ignore[attr-defined]
