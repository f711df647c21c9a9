"""Joining several arrays into one, and splitting one into several. Used in steps 59 and
70.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core import Operand, Primitive, Variable, describe
from ..core.types import Array, Value
from .shape import shape_of

__all__ = ["concat", "split", "stack"]


def concat(xs: Sequence[Operand], axis: int = 0) -> Variable:
    """Join the arrays `xs` along `axis`; :func:`split` is the reverse.

    Raises
    ------
    ValueError
        If there are none, or their shapes differ in another axis.
    """
    return Concat(axis)(*_as_nonempty_list(xs, "concat"))


class _Join(Primitive):
    needs = ""

    def __init__(self, axis: int = 0) -> None:
        self.axis = axis

    def _raise_input_error(self, inputs: Sequence[Any]) -> None:
        name = type(self).__name__.lower()
        shapes = ", ".join([str(shape_of(x)) for x in inputs])
        raise ValueError(
            f"{name} along axis {self.axis} does not fit the shapes {shapes}: "
            f"{self.needs}"
        ) from None


class Concat(_Join):
    needs = "they must have that axis, and the same length in every other"

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
    """Join the arrays `xs`, all of the same shape, along a new axis.

    Raises
    ------
    ValueError
        If there are none, or their shapes differ.
    """
    return Stack(axis)(*_as_nonempty_list(xs, "stack"))


class Stack(_Join):
    needs = "they must be the same, and allow a new axis there"

    def forward(self, *xs: Array) -> Array:
        return np.stack(xs, self.axis)

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        return Unstack(self.axis % gy.ndim).apply(gy)


class Unstack(Primitive):
    """The slices of an array along an axis, without that axis: the reverse of `stack`,
    used by iteration over a Variable.
    """

    def __init__(self, axis: int = 0) -> None:
        self.axis = axis

    def forward(self, x: Array) -> Array:
        return tuple([x[_along(self.axis, i)] for i in range(x.shape[self.axis])])

    def vjp(self, xs: Sequence[Value], *gys: Value) -> Value:
        return Stack(self.axis).apply(*gys)


def split(
    x: Operand, indices_or_sections: int | Sequence[int], axis: int = 0
) -> tuple[Variable, ...]:
    """Split `x` into parts along `axis`; :func:`concat` is the reverse.

    Parameters
    ----------
    x : Variable or ndarray
        Of any shape and dtype.
    indices_or_sections : int or sequence of int
        The number of parts, all of equal length; or the index at which each part
        begins, except the first.
    axis : int, optional
        The axis to split.

    Raises
    ------
    ValueError
        If there is no such axis, if its length cannot be divided into that many parts,
        or if a part begins before the previous one.
    """
    return Split(indices_or_sections, axis)(x)  # type: ignore[return-value]


class Split(Primitive):
    def __init__(self, indices_or_sections: int | Sequence[int], axis: int = 0) -> None:
        self.cuts, self.axis = indices_or_sections, axis

    def forward(self, x: Array) -> Array:
        if not -x.ndim <= self.axis < x.ndim:
            raise ValueError(f"there is no axis {self.axis}")
        # Written out because `np.split` is slower.
        axis = self.axis % x.ndim
        n = x.shape[axis]
        if isinstance(self.cuts, (int, np.integer)):
            if self.cuts < 1 or n % self.cuts:
                raise ValueError("the parts are not equal")
            starts = [i * n // self.cuts for i in range(self.cuts)]
        else:
            starts = [0, *[slice(cut, None).indices(n)[0] for cut in self.cuts]]
            if starts != sorted(starts):
                raise ValueError("the parts are not in order")
        ends = [*starts[1:], n]
        parts = map(slice, starts, ends)
        return tuple([x[_along(axis, part)] for part in parts])

    def vjp(self, xs: Sequence[Value], *gys: Value) -> Value:
        return Concat(self.axis).apply(*gys)

    def _raise_input_error(self, inputs: Sequence[Any]) -> None:
        parts = f"parts that begin at {self.cuts}, one after the other"
        if isinstance(self.cuts, (int, np.integer)):
            parts = f"{self.cuts} equal parts"
        raise ValueError(
            f"cannot split {describe(inputs[0])} along axis {self.axis} into {parts}"
        ) from None


def _as_nonempty_list(xs: Sequence[Operand], name: str) -> Sequence[Operand]:
    is_iterable = hasattr(xs, "__iter__") and not isinstance(xs, Variable)
    items = list(xs) if is_iterable else []
    if not items:
        raise ValueError(
            f"{name} takes a list or a tuple of at least one array: {name}([x0, x1])"
        )
    return items


def _along(axis: int, index: Any) -> tuple[Any, ...]:
    return (slice(None),) * axis + (index,)
