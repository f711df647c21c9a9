"""Losses: each measures with one number how far predictions are from targets. Steps
42, 43 and 48 explain them.

Each loss is an average over the examples, which are along axis 0. An average over no
examples is undefined, so an empty batch is an error. Shapes that would broadcast are
also an error, because every prediction would be compared with every target.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import cuda
from ..core import Operand, Primitive, Sub, Variable, as_array, is_batched
from ..core.sums import stable_sum
from ..core.types import Array, Value
from .activation import Sigmoid, Softmax, softmax
from .elementwise import clip, log
from .precision import (
    as_floats,
    downcast_half,
    require_data,
    underflow_to_zero,
    upcast_half,
)
from .targets import (
    answers_of,
    check_range,
    data_of,
    data_or_example,
    labels_of,
    match_targets,
)

__all__ = ["mean_squared_error", "mean_squared_error_simple"]
__all__ += ["accuracy", "softmax_cross_entropy", "softmax_cross_entropy_simple"]
__all__ += ["binary_cross_entropy", "sigmoid_cross_entropy"]

# log(0) is infinite, but log(TINY) is about −35. In float16, TINY is 0: see `_tiny`.
TINY = 1e-15


# --- numbers --------------------------------------------------------------------------


def mean_squared_error_simple(x0: Operand, x1: Operand) -> Variable:
    """Compute the mean squared error by composing existing functions. Source: book step
    42.
    """
    x1 = match_targets("mean_squared_error", x0, x1)
    if "f" not in [require_data(as_array(x)).dtype.kind for x in (x0, x1)]:
        # Small integer dtypes cannot hold negative differences or large squares.
        x0 = as_floats(as_array(x0))
    diff = Sub()(x0, x1)
    return (diff**2).sum() / _count(diff)


def mean_squared_error(x0: Operand, x1: Operand) -> Variable:
    """Sum all squared differences, and divide by the number of examples. Source: book
    step 42.

    Parameters
    ----------
    x0, x1 : Variable or ndarray, shape (N, ...)
        Predictions and targets, of the same shape or one number each. Whole numbers
        take the dtype of the other argument.

    Returns
    -------
    Variable
        Zero-dimensional.

    Raises
    ------
    ValueError
        If the shapes differ, or there are no examples.

    Notes
    -----
    As in the book, the average is over the N examples only: if each example is a row of
    several numbers, its squares are summed.

    Examples
    --------
    >>> mean_squared_error(np.array([1.0, 2.0]), np.array([1.0, 4.0]))
    variable(2.0)
    """
    x1 = match_targets("mean_squared_error", x0, x1)
    return MeanSquaredError()(as_array(x0), as_array(x1))


class MeanSquaredError(Primitive):
    def forward(self, x0: Array, x1: Array) -> Array:
        diff = _difference(x0, x1)
        wider = upcast_half(diff)
        return _mean_over_batch(wider * wider, diff)

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        diff = _difference(*xs)
        gx = diff * (gy * (2 / _count(diff)))
        return gx, -gx if self.needs_input_grad(1) else None


def _difference(x0: Any, x1: Any) -> Any:
    if x0.dtype.kind != "f":
        x0 = x0.astype(x1.dtype if x1.dtype.kind == "f" else float)
    return x0 - (x1 if x1.dtype.kind == "f" else x1.astype(x0.dtype))


# --- classes --------------------------------------------------------------------------


def softmax_cross_entropy_simple(x: Operand, t: Operand) -> Variable:
    """Compute the cross entropy of softmax by composing existing functions. Source:
    book step 47.

    Probabilities are raised to at least 1e-15 (float16: 6e-5), so that their logarithm
    is finite; an example below that has no gradient. :func:`softmax_cross_entropy` is
    one function and has no such limit.
    """
    labels = labels_of("softmax_cross_entropy", x, t)
    n = len(labels)
    p = softmax(x)
    log_p = log(clip(p, _tiny(p), 1.0))
    return -log_p[np.arange(n), labels].sum() / n


def softmax_cross_entropy(x: Operand, t: Operand) -> Variable:
    """Compute the mean of ``-log(softmax(x)[label])``: how unlikely the scores `x` make
    the labels `t`.

    Source: book step 47.

    Parameters
    ----------
    x : Variable or ndarray, shape (N, C)
        Scores of any size, before softmax: one row for each example, one column for
        each class.
    t : Variable or ndarray, shape (N,) or (N, 1)
        The correct classes, integers from 0 to C − 1.

    Returns
    -------
    Variable
        Zero-dimensional.

    Raises
    ------
    TypeError
        If the labels are not integers.
    ValueError
        If the shapes do not match, a label is not a class number, or there are no
        examples.

    Examples
    --------
    >>> x = np.array([[0.0, 0.0], [0.0, 10_000.0]])
    >>> softmax_cross_entropy(x, np.array([0, 1])).item() * 2  # log(2)
    0.693147180559...
    """
    return SoftmaxCrossEntropy()(x, labels_of("softmax_cross_entropy", x, t))


class SoftmaxCrossEntropy(Primitive):
    def forward(self, x: Array, t: Array) -> Array:
        # With many classes, the sum may be too large for float16.
        wider = upcast_half(x)
        z = wider - wider.max(axis=1, keepdims=True)
        right = z[cuda.get_array_module(x).arange(len(t)), t]
        with underflow_to_zero():
            losses = np.log(stable_sum(np.exp(z), axis=1)) - right
        return downcast_half(losses.mean(), x)

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        x, t = xs
        xp = cuda.get_array_module(x)
        wanted = xp.zeros(x.shape, x.dtype)
        wanted[xp.arange(len(t)), t] = 1
        with underflow_to_zero():
            return (Softmax(axis=1).apply(x) - wanted) * (gy * (1 / len(t))), None


def accuracy(y: Operand, t: Operand) -> Variable:
    """Compute the share of examples whose highest score is that of the correct class.
    Source: book step 48.

    Parameters
    ----------
    y : Variable or ndarray, shape (N, C)
        Scores or probabilities.
    t : Variable or ndarray, shape (N,) or (N, 1)
        The correct classes, integers from 0 to C − 1.

    Returns
    -------
    Variable
        Zero-dimensional, and without a gradient, because small changes of the scores do
        not affect it.

    Raises
    ------
    TypeError
        If the labels are not integers.
    ValueError
        If the shapes do not match, a label is not a class number, or there are no
        examples.
    """
    if is_batched(y) or is_batched(t):
        raise TypeError(
            "inside vmap, accuracy cannot read the numbers that it compares: call it "
            "outside, on the scores that vmap has returned"
        )
    labels = labels_of("accuracy", y, t)
    return Variable(as_array((data_of(y).argmax(axis=1) == labels).mean()))


# --- yes or no ------------------------------------------------------------------------


def sigmoid_cross_entropy(x: Operand, t: Operand) -> Variable:
    """Compute the cross entropy of sigmoid: how unlikely the scores `x` make
    the answers `t`, yes or no.

    Parameters
    ----------
    x : Variable or ndarray, shape (N, ...)
        Scores of any size, before the sigmoid.
    t : Variable or ndarray, shape (N, ...)
        1 for yes, 0 for no, or a probability. Must have the shape of `x`, except that
        (N,) and (N, 1) match each other.

    Returns
    -------
    Variable
        Zero-dimensional: the sum of all cross entropies, divided by N. Source: the
        book's function of this name.

    Raises
    ------
    ValueError
        If the shapes do not match, `t` is not from 0 to 1, or there are no examples.
    """
    return SigmoidCrossEntropy()(as_array(x), answers_of("sigmoid_cross_entropy", x, t))


class SigmoidCrossEntropy(Primitive):
    def forward(self, x: Array, t: Array) -> Array:
        x = as_floats(x)
        # log(1 + eˣ) for x > 0 is x + log(1 + e⁻ˣ), which does not overflow.
        with underflow_to_zero():
            losses = x * ((x > 0) - t) + np.log1p(np.exp(-np.abs(x)))
        return _mean_over_batch(upcast_half(losses), losses)

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        x, t = xs
        gy = gy * (1 / _count(x))
        with underflow_to_zero():
            gx = (Sigmoid().apply(x) - t) * gy
        return gx, -x * gy if self.needs_input_grad(1) else None


def binary_cross_entropy(p: Operand, t: Operand) -> Variable:
    """Compute how surprising the answers `t`, yes or no, are under probabilities `p`.

    Parameters
    ----------
    p : Variable or ndarray, shape (N, ...)
        Probabilities of yes, for example from the sigmoid. If you have scores, prefer
        `sigmoid_cross_entropy`, which is more accurate.
    t : Variable or ndarray, shape (N, ...)
        1 for yes, 0 for no, or a probability. Must have the shape of `p`, except that
        (N,) and (N, 1) match each other.

    Returns
    -------
    Variable
        Zero-dimensional: the sum of all cross entropies, divided by N. Source: the
        book's function of this name.

    Raises
    ------
    ValueError
        If the shapes do not match, `p` or `t` is not from 0 to 1, or there are no
        examples.

    Notes
    -----
    Probabilities of yes and of no are raised to at least 1e-15 (float16: 6e-5), so that
    their logarithm is finite. The book's function caps `p` at 0.999; up to there, the
    values are the same.
    """
    t = answers_of("binary_cross_entropy", p, t)
    hint = "for scores before the sigmoid use sigmoid_cross_entropy"
    check_range("binary_cross_entropy", "p", p, hint)
    tiny = _tiny(p)
    yes = t * log(clip(p, tiny, None))
    no = (1 - t) * log(clip(1 - p, tiny, None))
    return -(yes + no).mean() * (yes.size // _count(yes))


def _tiny(p: Operand) -> float:
    # The larger of TINY and the smallest normal number of this dtype.
    dtype = data_or_example(p).dtype
    return max(TINY, float(np.finfo(dtype).tiny)) if dtype.kind == "f" else TINY


# --- averages -------------------------------------------------------------------------


def _count(x: Any) -> int:
    return x.shape[0] if x.shape else 1


def _mean_over_batch(losses: Any, like: Any) -> Any:
    # The sum of all losses, divided by the number of examples, in the dtype of `like`.
    return downcast_half(losses.sum() / _count(losses), like)
