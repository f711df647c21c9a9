"""Activation functions, which bend the straight lines between layers, and functions
that turn scores into probabilities. Steps 43, 47 and 51.

Whole numbers are converted to float64, except by `relu`, which keeps their dtype.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from typing import Any

import numpy as np

from ..core import Operand, Primitive, Variable, as_array, as_variable, unwrap
from ..core.arrays import as_scalar
from ..core.sums import stable_sum
from ..core.types import Array, Value
from .elementwise import Clip, Exp, Tanh, TanhSlope, exp
from .precision import (
    Select,
    as_floats,
    downcast_half,
    into,
    require_data,
    underflow_to_zero,
    upcast_half,
)
from .reduce import AlongAxis, Sum, max

__all__ = ["gelu", "leaky_relu", "relu", "sigmoid", "sigmoid_simple", "softplus"]
__all__ += ["log_softmax", "softmax", "softmax_simple"]


def sigmoid_simple(x: Operand) -> Variable:
    """Compute ``1 / (1 + exp(-x))`` literally, with four functions. Source: book step
    43.

    `sigmoid` is one function instead of four, and does not overflow; here, float32 data
    below −88 overflow.
    """
    require_data(x)
    x = as_floats(as_variable(x))
    return 1 / (1 + exp(-x))


def sigmoid(x: Operand) -> Variable:
    """Compute ``1 / (1 + exp(-x))``, which rises from 0 to 1 and is 0.5 at 0. Source:
    book step 43.

    Examples
    --------
    >>> sigmoid(np.array([-10_000.0, 0.0, 10_000.0]))
    variable([0.  0.5 1. ])
    """
    return Sigmoid()(as_array(x))


class Sigmoid(Primitive):
    def forward(self, x: Array) -> Array:
        x = as_floats(x)
        y = -x
        # Far below 0, e⁻ˣ is infinite, and 1 / (1 + ∞) = 0 is correct.
        with np.errstate(over="ignore", under="ignore"):
            y = np.exp(y, out=into(y))
        y += 1
        return np.reciprocal(y, out=into(y))

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        y = self.output(0, gy)
        with underflow_to_zero():
            return gy * (y * (1 - y))


def softplus(x: Operand) -> Variable:
    """Compute ``log(1 + exp(x))``, a smooth `relu`: nearly 0 far below 0, nearly `x`
    far above. Its slope is `sigmoid`.

    Examples
    --------
    >>> softplus(np.array([-10_000.0, 0.0, 10.0]))
    variable([ 0.          0.69314718 10.0000454 ])
    """
    return Softplus()(as_array(x))


class Softplus(Primitive):
    def forward(self, x: Array) -> Array:
        x = as_floats(x)
        y = -np.abs(x)
        # log(1 + eˣ) for x > 0 is x + log(1 + e⁻ˣ), which does not overflow.
        with underflow_to_zero():
            y = np.log1p(np.exp(y, out=into(y)), out=into(y))
            y += np.maximum(x, 0)
        return y

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        with underflow_to_zero():
            return gy * Sigmoid().apply(xs[0])


def relu(x: Operand) -> Variable:
    """Replace negative elements by 0: ``max(x, 0)`` element by element. The gradient at
    0 is 0. Source: book step 43.
    """
    return ReLU()(as_array(x))


class ReLU(Primitive):
    def forward(self, x: Array) -> Array:
        # NumPy compares two arrays faster than an array with a number.
        zeros = np.empty_like(x)
        zeros.fill(0)
        return as_scalar(np.maximum(x, zeros, out=zeros))

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        return Select(~(xs[0] <= 0)).apply(gy)  # at NaN, the gradient passes


def leaky_relu(x: Operand, slope: float = 0.2) -> Variable:
    """Scale down negative elements: `x` where it is positive, else ``slope * x``.
    Source: the book's functions.

    The gradient at 0 is that of the negative side.
    """
    return LeakyReLU(slope)(as_array(x))


class LeakyReLU(Primitive):
    def __init__(self, slope: float = 0.2) -> None:
        self.slope = slope

    def forward(self, x: Array) -> Array:
        x = as_floats(x)
        if self.slope == 0:
            # 0 · ∞ is NaN.
            return np.maximum(x, x.dtype.type(0))
        # The result is the upper of the two lines, or the lower one if the slope is
        # greater than 1.
        pick = np.maximum if self.slope <= 1 else np.minimum
        y = x * x.dtype.type(self.slope)
        return pick(x, y, out=into(y))

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        positive = unwrap(xs[0]) > 0
        if gy.dtype.type(self.slope) == 0:
            return Select(positive).apply(gy)
        # 1 where x is positive, else the slope.
        steepness = np.multiply(~positive, self.slope, dtype=gy.dtype.type)
        steepness += positive
        return gy * steepness


def gelu(x: Operand) -> Variable:
    """Weight each `x` by roughly the probability that a standard normal number is
    smaller.

    This is the tanh approximation, ``0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 *
    x**3)))``, which differs from the exact value by less than 0.0005. (The exact one
    needs the error function, which NumPy lacks.)

    Source: Hendrycks and Gimpel, Gaussian Error Linear Units, arXiv:1606.08415.
    """
    return Gelu()(as_array(x))


class Gelu(Primitive):
    a = (2 / pi) ** 0.5
    b = 0.044715 * a

    def forward(self, x: Array) -> Array:
        # The cube of a float16 soon overflows.
        wider = upcast_half(x)
        y = self._inner(self._clip(wider))
        y = np.tanh(y, out=into(y))
        y += 1
        y *= wider
        y *= 0.5
        return y.astype(as_floats(x).dtype, copy=False)

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        x = self._clip(upcast_half(xs[0]))
        t = Tanh().apply(self._inner(x))
        slope = x * (self.a + 3 * self.b * (x * x)) * TanhSlope().apply(t)
        slope += t
        slope += 1
        slope *= 0.5
        return gy * slope

    def _inner(self, x: Any) -> Any:
        return x * (self.a + self.b * (x * x))

    def _clip(self, x: Any) -> Any:
        # Beyond ±50, tanh is ±1 and flat, but the cube might be infinite: 0 · ∞ is NaN.
        return Clip(-50.0, 50.0).apply(x)


def softmax_simple(x: Operand, axis: int = 1) -> Variable:
    """Compute softmax as the lesson derives it, with four functions instead of one as
    in `softmax`. Source: book step 47.

    Raises
    ------
    ValueError
        If `x` has no such axis, or no element along it.
    """
    x = as_variable(x)
    # A constant, because adding a number to all scores does not change softmax.
    top = max(x, axis, keepdims=True).detach()
    y = exp(as_floats(x) - top)
    return y / y.sum(axis=axis, keepdims=True)


def softmax(x: Operand, axis: int = 1) -> Variable:
    """Turn scores into probabilities: ``exp(x)``, divided by its sum along `axis`.
    Source: book step 47.

    Parameters
    ----------
    x : Variable or ndarray
        Scores of any size, for example of shape (N, C), one row per example. A score of
        −∞ gets probability 0, but not all scores may be −∞.
    axis : int, optional
        The axis along which the probabilities sum to 1.

    Raises
    ------
    ValueError
        If `x` has no such axis, or no element along it.

    Examples
    --------
    >>> softmax(np.array([[0.0, 10_000.0], [5.0, 5.0]]))
    variable([[0.  1. ]
              [0.5 0.5]])
    """
    return Softmax(axis)(as_array(x))


class Softmax(AlongAxis):
    def __init__(self, axis: int = 1) -> None:
        super().__init__(axis)

    def forward(self, x: Array) -> Array:
        # With many classes, the sum may be too large for float16.
        wider = upcast_half(x)
        y = wider - wider.max(axis=self.axis, keepdims=True)
        with underflow_to_zero():
            y = np.exp(y, out=into(y))
            y /= stable_sum(y, self.axis, keepdims=True)
            return downcast_half(y, x)

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        y, gx = upcast_half(self.output(0, gy)), upcast_half(gy)
        with underflow_to_zero():
            gx = y * (gx - Sum(self.axis, keepdims=True).apply(y * gx))
            return downcast_half(gx, gy)


def log_softmax(x: Operand, axis: int = 1) -> Variable:
    """Compute the logarithm of `softmax`, which stays finite even where the probability
    itself rounds to 0. Source: book step 47.

    Takes the arguments of `softmax`.

    Raises
    ------
    ValueError
        If `x` has no such axis, or no element along it.

    Examples
    --------
    >>> log_softmax(np.array([[0.0, 10_000.0]]))
    variable([[-10000.      0.]])
    """
    return LogSoftmax(axis)(as_array(x))


class LogSoftmax(Softmax):
    def forward(self, x: Array) -> Array:
        # With many classes, the sum may be too large for float16.
        wider = upcast_half(x)
        y = wider - wider.max(axis=self.axis, keepdims=True)
        with underflow_to_zero():
            y -= np.log(stable_sum(np.exp(y), self.axis, keepdims=True))
        return downcast_half(y, x)

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        y, wider = upcast_half(self.output(0, gy)), upcast_half(gy)
        with underflow_to_zero():
            gx = Exp().apply(y)
            gx *= -Sum(self.axis, keepdims=True).apply(wider)
            gx += wider
            return downcast_half(gx, gy)
