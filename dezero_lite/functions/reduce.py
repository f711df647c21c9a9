"""Many numbers to one: sums, means, extremes. Steps 39 and 40.

Each of these functions goes along all axes, along one, or along several. Its gradient
spreads out again over the axes that the result has lost.

Long sums are right in their last digits, too: `precision` says how.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from ..core import BroadcastTo, Operand, Primitive, Variable, as_array, unwrap
from ..core.operators import broadcast_to, sum_to
from ..core.sums import stable_sum
from ..core.types import Array, Axis, Shape, Value
from ..from_pytorch import unknown_argument
from .elementwise import Exp
from .precision import Select, downcast_half, into, underflow_to_zero, upcast_half

__all__ = ["average", "logsumexp", "max", "mean", "min", "sum"]
__all__ += ["broadcast_to", "sum_to"]


def sum(
    x: Operand, axis: Axis = None, keepdims: bool = False, **unknown: NoReturn
) -> Variable:
    """Add the elements of `x` along `axis`. Also ``x.sum(...)``. Source: book step 39.

    Parameters
    ----------
    x : Variable, ndarray or number
        Of any shape.
    axis : int or tuple of int, optional
        The axes to go along, negative ones counted from the last; by default all.
    keepdims : bool, optional
        Keep these axes, with length 1, so that the result broadcasts against `x`.

    Raises
    ------
    ValueError
        If `x` has no such axis.

    Examples
    --------
    >>> x = Variable(np.array([[1.0, 2.0], [3.0, 4.0]]))
    >>> sum(x), sum(x, axis=0), sum(x, axis=1, keepdims=True).shape
    (variable(10.0), variable([4. 6.]), (2, 1))
    """
    if unknown:
        raise unknown_argument("functions", unknown, "sum")
    return Sum(axis, keepdims)(as_array(x))


def mean(
    x: Operand, axis: Axis = None, keepdims: bool = False, **unknown: NoReturn
) -> Variable:
    """Average the elements of `x` along `axis`. Also ``x.mean(...)``, and `average`.
    Source: the book's functions.

    Takes what `sum` takes.

    Raises
    ------
    ValueError
        If `x` has no such axis, or nothing to average along it.
    """
    if unknown:
        raise unknown_argument("functions", unknown, "mean")
    return Mean(axis, keepdims)(as_array(x))


average = mean


def max(
    x: Operand, axis: Axis = None, keepdims: bool = False, **unknown: NoReturn
) -> Variable:
    """Find the largest element of `x` along `axis`. Also ``x.max(...)``. Source: the
    book's functions.

    Takes what `sum` takes. Where several elements are the largest, they share the
    gradient equally.

    Raises
    ------
    ValueError
        If `x` has no such axis, or no element along it.

    Examples
    --------
    >>> x = Variable(np.array([1.0, 3.0, 3.0]))
    >>> max(x).backward()
    >>> x.grad
    variable([0.  0.5 0.5])
    """
    if unknown:
        raise unknown_argument("functions", unknown, "max")
    return Max(axis, keepdims)(as_array(x))


def min(
    x: Operand, axis: Axis = None, keepdims: bool = False, **unknown: NoReturn
) -> Variable:
    """Find the smallest element of `x` along `axis`. Also ``x.min(...)``. Source: the
    book's functions.

    Takes what `sum` takes. Where several elements are the smallest, they share the
    gradient equally.

    Raises
    ------
    ValueError
        If `x` has no such axis, or no element along it.
    """
    if unknown:
        raise unknown_argument("functions", unknown, "min")
    return Min(axis, keepdims)(as_array(x))


def logsumexp(
    x: Operand, axis: Axis = None, keepdims: bool = False, **unknown: NoReturn
) -> Variable:
    """Compute ``log(sum(exp(x)))`` along `axis`, without overflow however large `x` is.

    Takes what `sum` takes; whole numbers count as float64. An element of −∞ adds
    nothing, but there must be others; one of ∞ makes the result ∞, which has no
    gradient (NaN).

    Raises
    ------
    ValueError
        If `x` has no such axis, or no element along it.

    Examples
    --------
    >>> logsumexp(np.array([1000.0, 1000.0]))  # 1000 + log(2)
    variable(1000.6931471805599)
    """
    if unknown:
        raise unknown_argument("functions", unknown, "logsumexp")
    return LogSumExp(axis, keepdims)(as_array(x))


class AlongAxis(Primitive):
    """What functions along an axis have in common. Those that give a result of the same
    shape derive from it, too.
    """

    def __init__(self, axis: Axis = None) -> None:
        self.axis = axis

    def lengths(self, shape: Shape) -> list[int]:
        """The lengths of the axes to go along."""
        along = self._is_reduced(len(shape))
        return [n for n, lost in zip(shape, along, strict=True) if lost]

    def keepdims_shape(self, shape: Shape) -> Shape:
        """The shape with length 1 along these axes."""
        along = self._is_reduced(len(shape))
        return tuple([1 if lost else n for n, lost in zip(shape, along, strict=True)])

    def _is_reduced(self, ndim: int) -> list[bool]:
        axes = self.axis if isinstance(self.axis, tuple) else (self.axis,)
        return [self.axis is None or i in axes or i - ndim in axes for i in range(ndim)]

    def _raise_input_error(self, inputs: Sequence[Any]) -> None:
        shape = inputs[0].shape
        ndim = len(shape)
        try:
            np.ones((1,) * ndim).sum(axis=self.axis)
        except (TypeError, ValueError):
            valid = (
                f"axis is a whole number from {-ndim} to {ndim - 1}, or a tuple of "
                "different ones"
            )
            raise ValueError(
                f"{type(self).__name__} cannot go along axis {self.axis!r} of shape "
                f"{shape}: "
                f"{valid if ndim else 'an array without dimensions has no axes'}"
            ) from None
        if 0 in self.lengths(shape):
            raise self._empty_error(shape) from None

    def _empty_error(self, shape: Shape) -> ValueError:
        along = "" if self.axis is None else f" along axis {self.axis!r}"
        return ValueError(
            f"{type(self).__name__} needs an element at least, but shape {shape} has "
            f"none{along}"
        )


class _Reduction(AlongAxis):
    def __init__(self, axis: Axis = None, keepdims: bool = False) -> None:
        if not isinstance(keepdims, (bool, np.bool_)):
            raise TypeError(
                f"keepdims is True or False, not {keepdims!r}: name several axes in a "
                "tuple, as in x.sum((1, 2))"
            )
        self.axis, self.keepdims = axis, bool(keepdims)

    def spread(self, y: Any, x: Any) -> Any:
        """A result, or its gradient, in a shape that broadcasts against `x`."""
        if self.keepdims or self.axis is None:
            return y
        return y.reshape(self.keepdims_shape(x.shape))


class Sum(_Reduction):
    def forward(self, x: Array) -> Array:
        return stable_sum(x, self.axis, self.keepdims)

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        return BroadcastTo(xs[0].shape).apply(self.spread(gy, xs[0]))


class Mean(Sum):
    def forward(self, x: Array) -> Array:
        if x.size == 0 and 0 in self.lengths(x.shape):
            raise self._empty_error(x.shape)
        sums = stable_sum(upcast_half(x), self.axis, self.keepdims)
        return downcast_half(sums / (x.size // (sums.size or 1)), x)

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        # In float16, n may overflow and 1 / n underflow.
        share = upcast_half(gy) * (gy.size / (xs[0].size or 1))
        return super().vjp(xs, downcast_half(share, gy))


class Max(_Reduction):
    def forward(self, x: Array) -> Array:
        return x.max(axis=self.axis, keepdims=self.keepdims)

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        x, y = unwrap(xs[0]), unwrap(self.output(0, gy))
        chosen = x == self.spread(y, x)
        if (y != y).any():  # NaN is not equal to itself, and was chosen
            chosen |= x != x
        # As integers: a float16 count overflows, and a float32 one may stop at 2²⁴.
        ties = chosen.sum(axis=self.axis, keepdims=True, dtype=np.int32)
        wider = upcast_half(self.spread(gy, x))
        share = downcast_half(wider / ties.astype(wider.dtype), gy)
        return Select(chosen).apply(BroadcastTo(x.shape).apply(share))


class Min(Max):
    def forward(self, x: Array) -> Array:
        return x.min(axis=self.axis, keepdims=self.keepdims)


class LogSumExp(_Reduction):
    def forward(self, x: Array) -> Array:
        # Many elements have a sum too large for a float16.
        wider = upcast_half(x)
        top = self._finite_max(wider)
        powers = wider - top
        with underflow_to_zero():
            powers = np.exp(powers, out=into(powers))
        y = np.log(stable_sum(powers, self.axis, keepdims=True)) + top
        y = downcast_half(y, x)
        return y if self.keepdims else y.squeeze(self.axis)

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        x = upcast_half(xs[0])
        # The shares are exp(x - y); but where y is large, its last digits are too
        # coarse for that.
        with underflow_to_zero():
            powers = Exp().apply(x - self._finite_max(unwrap(x)))
            sums = Sum(self.axis, keepdims=True).apply(powers)
            powers *= self.spread(upcast_half(gy), x) / sums
            return downcast_half(powers, gy)

    def _finite_max(self, x: Any) -> Any:
        # Finite, since ∞ − ∞ is no number.
        top = x.max(axis=self.axis, keepdims=True)
        limits = np.finfo(x.dtype)
        return np.maximum(np.minimum(top, limits.max), limits.min)
