"""Matrix products. Steps 41–43 explain them.

For y = xW, the gradients are again products: gx = gy Wᵀ and gW = xᵀ gy. The shapes
allow nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core import Operand, Primitive, SumTo, Variable, describe, unwrap
from ..core.messages import broadcasts
from ..core.types import Array, Value
from ..deprecated import old_names_of
from .reduce import Sum

__all__ = ["linear", "linear_simple", "matmul"]


# --- x @ W ----------------------------------------------------------------------------


def matmul(x: Operand, W: Operand) -> Variable:
    """Compute the matrix product ``x @ W``, as in NumPy. Source: book step 41.

    Parameters
    ----------
    x : Variable or ndarray, shape (..., M, K) or (K,)
        A matrix; a stack of matrices, one for each index of the leading axes; or a
        vector.
    W : Variable or ndarray, shape (..., K, N) or (K,)
        Likewise. The axes before the last two broadcast.

    Returns
    -------
    Variable
        Of shape (..., M, N); without M or N where the operand is a vector.

    Raises
    ------
    ValueError
        If the shapes do not match.

    Examples
    --------
    >>> x, W = Variable(np.array([[1.0, 2.0]])), Variable(np.array([[3.0], [4.0]]))
    >>> matmul(x, W)
    variable([[11.]])
    """
    return MatMul()(x, W)


class MatMul(Primitive):
    def forward(self, x: Array, W: Array) -> Array:
        return x @ W

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        x, W = xs[:2]
        gy = materialize(gy)
        gx = _grad_of_x(x, W, gy) if self.needs_input_grad(0) else None
        gW = _grad_of_W(x, W, gy) if self.needs_input_grad(1) else None
        if len(xs) == 2:
            return gx, gW
        # The bias of `Linear`, which inherits this rule.
        gb = Sum(axis=0).apply(_as_rows(gy)) if self.needs_input_grad(2) else None
        return gx, gW, gb

    def _raise_input_error(self, inputs: Sequence[Any]) -> None:
        _raise_shape_error(*inputs)


def materialize(x: Value) -> Value:
    """Copy `x` if it repeats numbers, as the gradient of a sum does: before NumPy 2.3,
    products of such an array bypass BLAS.
    """
    return x.astype(x.dtype) if 0 in unwrap(x).strides else x


def _grad_of_x(x: Value, W: Value, gy: Value) -> Value:
    if W.ndim == 2:
        return _match_shape(_as_rows(gy) @ W.T, x)
    left, right, gy = _as_matrices(x, W, gy)
    return _match_shape(SumTo(left.shape).apply(gy @ swap_last_axes(right)), x)


def _grad_of_W(x: Value, W: Value, gy: Value) -> Value:
    if W.ndim == 2:
        return _as_rows(x).T @ _as_rows(gy)
    left, right, gy = _as_matrices(x, W, gy)
    return _match_shape(SumTo(right.shape).apply(swap_last_axes(left) @ gy), W)


def _as_rows(x: Value) -> Value:
    # Merge all axes but the last: one large product is faster than many small ones, and
    # it also sums over the examples.
    return x if x.ndim == 2 else x.reshape((math.prod(x.shape[:-1]), x.shape[-1]))


def _match_shape(gx: Value, x: Value) -> Value:
    return gx if gx.shape == x.shape else gx.reshape(x.shape)


def _as_matrices(x: Value, W: Value, gy: Value) -> tuple[Value, Value, Value]:
    # Add the axis that a vector lacks.
    left = x.reshape((1, *x.shape)) if x.ndim == 1 else x
    right = W.reshape((*W.shape, 1)) if W.ndim == 1 else W
    before = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    return left, right, gy.reshape((*before, left.shape[-2], right.shape[-1]))


def swap_last_axes(x: Value) -> Value:
    return x.transpose((*range(x.ndim - 2), x.ndim - 1, x.ndim - 2))


def _raise_shape_error(x: Any, W: Any) -> None:
    a, b = np.shape(unwrap(x)), np.shape(unwrap(W))
    if not a or not b:
        why = "both need an axis; with numbers, use *"
    elif a[-1] != b[-2:][0]:
        which = "only" if len(b) == 1 else "last but one"
        why = (
            f"the last axis of x and the {which} axis of W must agree, but they have "
            f"{a[-1]} and {b[-2:][0]} elements"
        )
    else:
        if broadcasts(a[:-2], b[:-2]):
            return
        why = (
            f"the axes before the last two must broadcast, but they are {a[:-2]} and "
            f"{b[:-2]}"
        )
    raise ValueError(
        f"x and W do not multiply: x is {describe(x)}, W is {describe(W)}; {why}"
    ) from None


# --- x @ W + b ------------------------------------------------------------------------


def linear_simple(x: Operand, W: Operand, b: Operand | None = None) -> Variable:
    """Compute ``x @ W + b`` by composing existing functions. Source: book step 43."""
    y = matmul(x, W)
    return y if b is None else y + b


def linear(x: Operand, W: Operand, b: Operand | None = None) -> Variable:
    """Compute the linear transformation ``x @ W + b`` in one function. Source: book
    step 43.

    Parameters
    ----------
    x : Variable or ndarray, shape (N, I) or (..., I)
        One row for each example.
    W : Variable or ndarray, shape (I, O)
        The weights.
    b : Variable or ndarray, shape (O,), optional
        The bias, which is added to every row.

    Returns
    -------
    Variable
        Of shape (N, O) or (..., O).

    Raises
    ------
    ValueError
        If the shapes do not match.
    """
    return Linear()(x, W) if b is None else Linear()(x, W, b)


class Linear(MatMul):
    def forward(self, x: Array, W: Array, b: Array = None) -> Array:
        if W.ndim != 2 or (b is not None and b.shape != W.shape[1:]):
            raise ValueError("linear takes W of shape (I, O) and b of shape (O,)")
        shape = (*x.shape[:-1], W.shape[1])
        y = x @ W if x.ndim < 3 else (_as_rows(x) @ W).reshape(shape)
        if b is None:
            return y
        if b.dtype != y.dtype:
            return y + b
        y += b
        return y

    def _raise_input_error(self, inputs: Sequence[Any]) -> None:
        x, W = inputs[:2]
        shape = np.shape(unwrap(W))
        if len(shape) != 2:
            raise ValueError(
                f"linear takes W of shape (I, O), but W is {describe(W)}"
            ) from None
        if len(inputs) == 3 and np.shape(unwrap(inputs[2])) != shape[1:]:
            raise ValueError(
                f"linear takes one bias for each column of W: W is {describe(W)}, so b "
                f"must have shape {shape[1:]}, but b is {describe(inputs[2])}"
            ) from None
        _raise_shape_error(x, W)


__getattr__ = old_names_of(__name__)
