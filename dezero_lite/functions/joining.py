"""Several arrays as one, and one as several. Steps 59 and 70 use them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from ..core import Operand, Primitive, Variable, describe
from ..core.types import Array, Value
from ..from_pytorch import unknown_argument
from .shape import shape_of

__all__ = ["concat", "split", "stack"]


def concat(xs: Sequence[Operand], axis: int = 0, **unknown: NoReturn) -> Variable:
    """The arrays `xs` one after the other along `axis`; :func:`split` is the way back.

    Raises
    ------
    ValueError
        If there are none, or their shapes differ in another axis.
    """
    if unknown:
        raise unknown_argument("functions", unknown, "concat")
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


def stack(xs: Sequence[Operand], axis: int = 0, **unknown: NoReturn) -> Variable:
    """The arrays `xs`, all of one shape, along a new axis.

    Raises
    ------
    ValueError
        If there are none, or their shapes differ.
    """
    if unknown:
        raise unknown_argument("functions", unknown, "stack")
    return Stack(axis)(*_as_nonempty_list(xs, "stack"))


class Stack(_Join):
    needs = "they need to be the same, with that axis to be added"

    def forward(self, *xs: Array) -> Array:
        return np.stack(xs, self.axis)

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        return Unstack(self.axis % gy.ndim).apply(gy)


class Unstack(Primitive):
    """The parts of an array, without the axis that it had along them: what `stack`
    undoes, and a loop goes over.
    """

    def __init__(self, axis: int = 0) -> None:
        self.axis = axis

    def forward(self, x: Array) -> Array:
        return tuple([x[_along(self.axis, i)] for i in range(x.shape[self.axis])])

    def vjp(self, xs: Sequence[Value], *gys: Value) -> Value:
        return Stack(self.axis).apply(*gys)


def split(
    x: Operand,
    indices_or_sections: int | Sequence[int],
    axis: int = 0,
    **unknown: NoReturn,
) -> tuple[Variable, ...]:
    """`x` in parts along `axis`; :func:`concat` is the way back.

    Parameters
    ----------
    x : Variable or ndarray
        Of any shape and dtype.
    indices_or_sections : int or sequence of int
        The number of parts, of equal length; or the places at which parts begin, but
        for the first.
    axis : int, optional
        The axis to cut.

    Raises
    ------
    ValueError
        If there is no such axis, its length does not divide into that many parts, or a
        part begins before the one in front of it.
    """
    if unknown:
        raise unknown_argument("functions", unknown, "split")
    return Split(indices_or_sections, axis)(x)  # type: ignore[return-value]


class Split(Primitive):
    def __init__(self, indices_or_sections: int | Sequence[int], axis: int = 0) -> None:
        self.cuts, self.axis = indices_or_sections, axis

    def forward(self, x: Array) -> Array:
        if not -x.ndim <= self.axis < x.ndim:
            raise ValueError(f"there is no axis {self.axis}")
        # `np.split` takes longer than all of this.
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
            f"{name} takes a list or a tuple of arrays, at least one: {name}([x0, x1])"
        )
    return items


def _along(axis: int, index: Any) -> tuple[Any, ...]:
    return (slice(None),) * axis + (index,)
