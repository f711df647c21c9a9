"""Elementwise functions: each number of the result depends only on the numbers in the
same place. Steps 27, 34 and 35.

Outside a function's domain, the result is NumPy's: ``log(0)`` is −∞, ``log(-1)`` and
``sqrt(-1)`` are NaN, each with NumPy's warning. The functions accept whole numbers,
which however receive no gradient.

For large arrays, allocating memory takes longer than computing. So here and in
neighbouring files, `forward` and `vjp` change their own arrays in place where they can
(``y += 1``, ``out=into(y)``). They write ``gy * (0.5 / y)`` instead of ``gy / (2 *
y)``, because NumPy can put the result of ``gy * (...)`` into the memory of the
parenthesis. On Variables, ``y += 1`` makes a new Variable, so a `vjp` may also use it.

Functions that choose, such as `maximum`, pass the gradient where a number was chosen
and stop it elsewhere. They select instead of multiplying by 1 and 0, which would turn
an infinite gradient into NaN (see `picker`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..core import NUMBERS, Operand, Primitive, Variable, as_array, is_batched, unwrap
from ..core.messages import TO_BROADCAST, broadcasts, describe, kind_of
from ..core.operators import BinaryOperator, Log
from ..core.types import Array, Value
from .precision import Select, require_data

__all__ = ["cos", "exp", "log", "sin", "sqrt", "tanh"]
__all__ += ["abs", "clip", "maximum", "minimum", "where"]


def sin(x: Operand) -> Variable:
    """Compute the sine of `x`, in radians. Source: book steps 27 and 34."""
    return Sin()(x)


class Sin(Primitive):
    def forward(self, x: Array) -> Array:
        return np.sin(x)

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        return gy * Cos().apply(xs[0])


def cos(x: Operand) -> Variable:
    """Compute the cosine of `x`, in radians. Source: book step 34."""
    return Cos()(x)


class Cos(Primitive):
    def forward(self, x: Array) -> Array:
        return np.cos(x)

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        return gy * -Sin().apply(xs[0])


def tanh(x: Operand) -> Variable:
    """Compute the hyperbolic tangent of `x`, from −1 to 1. Source: book step 35.

    Examples
    --------
    >>> x = Variable(np.array(0.0))
    >>> tanh(x).backward()
    >>> x.grad
    variable(1.0)
    """
    return Tanh()(x)


class Tanh(Primitive):
    def forward(self, x: Array) -> Array:
        return np.tanh(x)

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        return gy * TanhSlope().apply(self.output(0, gy))


class TanhSlope(Primitive):
    """1 − y², the derivative of tanh where its value is y. As one function, it keeps
    the graphs of higher derivatives small.
    """

    def forward(self, y: Array) -> Array:
        slope = -y
        slope *= y
        slope += 1
        return slope

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        return gy * (-2 * xs[0])


def exp(x: Operand) -> Variable:
    """Compute the exponential of `x`. Source: book step 3."""
    return Exp()(x)


class Exp(Primitive):
    def forward(self, x: Array) -> Array:
        return np.exp(x)

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        return gy * self.output(0, gy)


def log(x: Operand) -> Variable:
    """Compute the natural logarithm of `x`: −∞ at 0 and NaN below, with NumPy's
    warning. Source: book step 47.
    """
    return Log()(x)


def sqrt(x: Operand) -> Variable:
    """Compute the square root of `x`: NaN below 0, with NumPy's warning.

    At 0 the gradient is infinite, with NumPy's warning; ``sqrt(x + 1e-12)`` keeps it
    finite.
    """
    return Sqrt()(x)


class Sqrt(Primitive):
    def forward(self, x: Array) -> Array:
        return np.sqrt(x)

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        return gy * (0.5 / self.output(0, gy))


def abs(x: Operand) -> Variable:
    """Compute the absolute value of `x`. The gradient at 0, where there is a kink, is
    0.
    """
    return Abs()(x)


class Abs(Primitive):
    def forward(self, x: Array) -> Array:
        return np.abs(x)

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        x = unwrap(xs[0])
        return Select(x > 0).apply(gy) - Select(x < 0).apply(gy)


def maximum(a: Operand, b: Operand) -> Variable:
    """Pick the larger of `a` and `b` in each place; they broadcast. NaN wins.

    Where `a` and `b` are equal, each receives half of the gradient.

    Raises
    ------
    ValueError
        If the shapes do not broadcast.

    Examples
    --------
    >>> a, b = Variable(np.array([1.0, 2.0, 3.0])), Variable(np.array([3.0, 2.0, 1.0]))
    >>> y = maximum(a, b)
    >>> y
    variable([3. 2. 3.])
    >>> y.backward()
    >>> a.grad, b.grad
    (variable([0.  0.5 1. ]), variable([1.  0.5 0. ]))
    """
    return Maximum()(a, b)


class Maximum(BinaryOperator):
    symbol = "and"

    def forward(self, a: Array, b: Array) -> Array:
        return np.maximum(a, b)

    def vjp_left(self, gy: Value, a: Value, b: Value) -> Value:
        return _pass_where_chosen(gy, ~(a < b), ~(a <= b))

    def vjp_right(self, gy: Value, a: Value, b: Value) -> Value:
        return _pass_where_chosen(gy, ~(b < a), ~(b <= a))


def minimum(a: Operand, b: Operand) -> Variable:
    """Take the smaller of `a` and `b`, element by element, with broadcasting. NaN wins.

    Where `a` and `b` are equal, each receives half of the gradient.

    Raises
    ------
    ValueError
        If the shapes do not broadcast.
    """
    return Minimum()(a, b)


class Minimum(Maximum):
    # Swapped, because where one operand is larger, the other is smaller.
    vjp_left, vjp_right = Maximum.vjp_right, Maximum.vjp_left

    def forward(self, a: Array, b: Array) -> Array:
        return np.minimum(a, b)


def _pass_where_chosen(gy: Value, wins: Value, wins_alone: Value) -> Value:
    # The full gradient where this operand alone is chosen, half of it at a tie, else 0.
    share = np.multiply(wins_alone, 0.5, dtype=gy.dtype.type)
    share += 0.5
    return Select(wins).apply(gy * share)


def where(condition: ArrayLike | Variable, a: Operand, b: Operand) -> Variable:
    """Pick from `a` where `condition` holds, else from `b`; the three broadcast.

    Parameters
    ----------
    condition : array_like of bool, or Variable
        Numbers count as true unless they are 0. The condition receives no gradient.
    a, b : Variable, ndarray or number
        Each receives the gradient only where it was picked.

    Raises
    ------
    TypeError
        If the condition is ``None``.
    ValueError
        If the shapes do not broadcast.

    Notes
    -----
    Both sides are computed before one is picked: ``where(x > 0, log(x), 0)`` warns at
    ``x = 0``, and its gradient there is NaN (0 / 0). Make the argument safe instead:
    ``log(where(x > 0, x, 1))``.
    """
    if is_batched(condition):
        return Choose()(condition, a, b)  # type: ignore[arg-type]
    return Where(condition)(a, b)


class Where(BinaryOperator):
    symbol = "and"

    def __init__(self, condition: Any) -> None:
        if condition is None:
            raise TypeError(
                "where needs a condition, truth values such as x > 0, but it is None"
            )
        self.condition = np.not_equal(require_data(condition), 0)
        self.chosen_by = condition if isinstance(condition, Variable) else None

    def forward(self, a: Array, b: Array) -> Array:
        return np.where(self.condition, a, b)

    def vjp_left(self, gy: Value, a: Value, b: Value) -> Value:
        return Select(self.condition).apply(gy)

    def vjp_right(self, gy: Value, a: Value, b: Value) -> Value:
        return Select(~self.condition).apply(gy)

    def _raise_input_error(self, inputs: Sequence[Any]) -> None:
        super()._raise_input_error(inputs)
        picked = np.broadcast_shapes(*[np.shape(unwrap(x)) for x in inputs])
        if not broadcasts(self.condition.shape, picked):
            raise ValueError(
                f"the condition, {describe(self.condition)}, does not broadcast with "
                f"a and b, together of shape {picked}. {TO_BROADCAST}"
            ) from None


class Choose(Primitive):
    """`Where` with a condition that differs between the examples of a batch; `func` has
    its rule.
    """


def clip(x: Operand, x_min: float | None, x_max: float | None) -> Variable:
    """Raise numbers below `x_min` to `x_min`, and lower those above `x_max` to `x_max`.
    Source: the book's functions.

    Gradients pass where `x` is from `x_min` to `x_max`, inclusive, and stop elsewhere.

    Parameters
    ----------
    x : Variable, ndarray or number
        Of any shape.
    x_min, x_max : float or None
        ``None`` means no limit on this side.

    Raises
    ------
    ValueError
        If `x_min` is greater than `x_max`.
    TypeError
        If `x_min` or `x_max` is neither a number nor ``None``.
    """
    for limit in (x_min, x_max):
        if limit is not None and not isinstance(limit, (*NUMBERS, np.generic)):
            raise TypeError(
                "the limits of clip are numbers or None, but one is "
                f"{kind_of(limit)}: for limits that differ from place to place "
                "use maximum and minimum"
            )
    if x_min is not None and x_max is not None and x_min > x_max:
        raise ValueError(
            f"the lower limit of clip, {x_min}, is above the upper one, {x_max}"
        )
    return Clip(x_min, x_max)(as_array(x))


class Clip(Primitive):
    def __init__(self, x_min: float | None, x_max: float | None) -> None:
        self.x_min, self.x_max = x_min, x_max

    def forward(self, x: Array) -> Array:
        y = np.clip(x, self.x_min, self.x_max)
        return y.astype(x.dtype, copy=False) if x.dtype.kind == "f" else y

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        return Select(unwrap(xs[0]) == unwrap(self.output(0, gy))).apply(gy)
