"""The operators, and the functions that broadcast operands and sum gradients back.
Source: steps 20–22 and 40.

Operands broadcast as NumPy's do. So the gradient that an operator computes may be
larger than the operand, and backward sums it down with `sum_to`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from . import messages
from .function import Primitive
from .sums import stable_sum
from .types import Array, Shape, Value
from .variable import Operand, Variable, as_variable, unwrap

__all__ = ["add", "div", "mul", "neg", "pow", "rdiv", "rsub", "sub"]
__all__ += ["broadcast_to", "sum_to"]
__all__ += ["Add", "AsType", "BinaryOperator", "BroadcastTo", "Div", "Log", "Mul"]
__all__ += ["Neg", "Sub", "SumTo"]


# --- a + b, a − b, a · b, a / b, a ** b -----------------------------------------------


class BinaryOperator(Primitive):
    """An operator with two operands, which broadcast.

    `vjp_left` and `vjp_right` return the gradients of the two operands, before backward
    sums them down; an operand that is a plain array or number gets none.
    """

    symbol = ""
    broadcasts = True

    def vjp_left(self, gy: Value, a: Value, b: Value) -> Value:
        raise NotImplementedError

    def vjp_right(self, gy: Value, a: Value, b: Value) -> Value:
        raise NotImplementedError

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        a, b = xs
        x, y = self.inputs
        ga = self.vjp_left(gy, a, b) if isinstance(x, Variable) else None
        gb = self.vjp_right(gy, a, b) if isinstance(y, Variable) else None
        return ga, gb

    def _differentiate(self, gys: Sequence[Value], create_graph: bool) -> Any:
        # Unwraps inline: half of an operator's run time is spent here.
        kind = type(self)
        own = kind.vjp is BinaryOperator.vjp and kind.backward is Primitive.backward
        if create_graph or not own:
            return super()._differentiate(gys, create_graph)
        (gy,), (x, y) = gys, self.inputs
        x_has, y_has = isinstance(x, Variable), isinstance(y, Variable)
        a, b = x._data if x_has else x, y._data if y_has else y
        ga = self.vjp_left(gy, a, b) if x_has else None
        gb = self.vjp_right(gy, a, b) if y_has else None
        return ga, gb

    def _raise_input_error(self, inputs: Sequence[Any]) -> None:
        if not messages.broadcasts(*[np.shape(unwrap(x)) for x in inputs]):
            why = messages.does_not_broadcast(self.symbol, *inputs)
            raise ValueError(why) from None


class Add(BinaryOperator):
    """y = a + b"""

    symbol = "+"

    def forward(self, a: Array, b: Array) -> Array:
        return a + b

    def vjp_left(self, gy: Value, a: Value, b: Value) -> Value:
        return gy

    def vjp_right(self, gy: Value, a: Value, b: Value) -> Value:
        return gy


class Sub(BinaryOperator):
    """y = a − b"""

    symbol = "-"

    def forward(self, a: Array, b: Array) -> Array:
        return a - b

    def vjp_left(self, gy: Value, a: Value, b: Value) -> Value:
        return gy

    def vjp_right(self, gy: Value, a: Value, b: Value) -> Value:
        return -gy


class Mul(BinaryOperator):
    """y = a · b"""

    symbol = "*"

    def forward(self, a: Array, b: Array) -> Array:
        return a * b

    def vjp_left(self, gy: Value, a: Value, b: Value) -> Value:
        return gy * b

    def vjp_right(self, gy: Value, a: Value, b: Value) -> Value:
        return gy * a


class Div(BinaryOperator):
    """y = a / b"""

    symbol = "/"

    def forward(self, a: Array, b: Array) -> Array:
        return a / b

    def vjp_left(self, gy: Value, a: Value, b: Value) -> Value:
        return gy / b

    def vjp_right(self, gy: Value, a: Value, b: Value) -> Value:
        return -gy * (a / b) / b


class Pow(BinaryOperator):
    """y = a to the power of b"""

    symbol = "**"

    def forward(self, a: Array, b: Array) -> Array:
        return a**b

    def vjp_left(self, gy: Value, a: Value, b: Value) -> Value:
        # a⁰ is flat, but at a = 0 the usual b · a**(b - 1) gives 0 · ∞; adding `flat`
        # keeps the exponent at 0 there.
        flat = (b == 0) & (a == 0) if self.needs_input_grad(1) else b == 0
        return gy * b * a ** (b - 1 + flat)

    def vjp_right(self, gy: Value, a: Value, b: Value) -> Value:
        # a**b · log(a) tends to 0 as a does, unless b is negative.
        return gy * a**b * Log().apply(a + ((a == 0) & (b >= 0)))


class Neg(Primitive):
    """y = −x"""

    def forward(self, x: Array) -> Array:
        return -x

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        return -gy


class Log(Primitive):
    """y = log(x), here for the derivative of a power with respect to its exponent"""

    def forward(self, x: Array) -> Array:
        return np.log(x)

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        return gy / xs[0]


def add(x0: Operand, x1: Operand) -> Variable:
    """Compute ``x0 + x1``. Source: book step 20."""
    return Add()(x0, x1)


def mul(x0: Operand, x1: Operand) -> Variable:
    """Compute ``x0 * x1``. Source: book step 20."""
    return Mul()(x0, x1)


def neg(x: Operand) -> Variable:
    """Compute ``-x``. Source: book step 22."""
    return Neg()(x)


def sub(x0: Operand, x1: Operand) -> Variable:
    """Compute ``x0 - x1``. Source: book step 22."""
    return Sub()(x0, x1)


def rsub(x0: Operand, x1: Operand) -> Variable:
    """Compute ``x1 - x0``. Source: book step 22."""
    return Sub()(x1, x0)


def div(x0: Operand, x1: Operand) -> Variable:
    """Compute ``x0 / x1``. Source: book step 22."""
    return Div()(x0, x1)


def rdiv(x0: Operand, x1: Operand) -> Variable:
    """Compute ``x1 / x0``. Source: book step 22."""
    return Div()(x1, x0)


def pow(x: Operand, c: Operand) -> Variable:
    """Compute ``x ** c``. Source: book step 22."""
    return Pow()(x, c)


# --- shapes and dtypes ----------------------------------------------------------------


def sum_to(x: Operand, shape: Shape) -> Variable:
    """Sum `x` down to `shape`, the reverse of a broadcast; return `x` itself if it
    already has that shape. Source: book steps 39–40.

    Raises
    ------
    ValueError
        If `shape` does not broadcast to the shape of `x`.
    """
    x = as_variable(x)
    return x if getattr(x._data, "shape", None) == shape else SumTo(shape)(x)


def broadcast_to(x: Operand, shape: Shape) -> Variable:
    """Repeat `x` until it has `shape`; return `x` itself if it already has that shape.
    Source: book step 40.

    The data are a read-only view, as with ``np.broadcast_to``.

    Raises
    ------
    ValueError
        If `x` does not broadcast to `shape`.
    """
    x = as_variable(x)
    return x if getattr(x._data, "shape", None) == shape else BroadcastTo(shape)(x)


class ToShape(Primitive):
    """Base class for functions that take the target shape as an argument."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape


class SumTo(ToShape):
    """y = x, summed along the axes that a broadcast would stretch"""

    def forward(self, x: Array) -> Array:
        lead = x.ndim - len(self.shape)
        pairs = zip(x.shape[max(lead, 0) :], self.shape, strict=False)
        if lead < 0 or any([to not in (1, n) for n, to in pairs]):
            raise ValueError(
                f"cannot sum shape {x.shape} to shape {self.shape}, which does not "
                "broadcast back to it"
            )
        ones = tuple([lead + i for i, to in enumerate(self.shape) if to == 1])
        if not lead and not ones:
            return x
        return stable_sum(x, (*range(lead), *ones), keepdims=True).reshape(self.shape)

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        return BroadcastTo(xs[0].shape).apply(gy)


class BroadcastTo(ToShape):
    """y = x, repeated along new axes and along those of length 1"""

    def forward(self, x: Array) -> Array:
        return np.broadcast_to(x, self.shape)

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        return SumTo(xs[0].shape).apply(gy)

    def _raise_input_error(self, inputs: Sequence[Any]) -> None:
        raise ValueError(messages.cannot_broadcast(inputs[0], self.shape)) from None


class AsType(Primitive):
    """y = x in another dtype"""

    def __init__(self, dtype: DTypeLike) -> None:
        self.dtype = dtype

    def forward(self, x: Array) -> Array:
        return x.astype(self.dtype)

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        return gy.astype(xs[0].dtype)


def astype(x: Variable, dtype: DTypeLike) -> Variable:
    """Return a copy in another dtype. Gradients pass only between floating-point
    dtypes; otherwise the result is detached.
    """
    y = AsType(dtype)(x)
    return y if y.dtype.kind == x.dtype.kind == "f" else y.detach()
