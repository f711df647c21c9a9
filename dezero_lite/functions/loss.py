"""How far predictions lie from targets, in one number. Steps 42, 43 and 48 explain it.

Each loss is an average over the examples, which are what axis 0 counts. An average over
no examples has no value, so an empty batch is an error; and so are shapes that would
broadcast, because every prediction would be compared with every target.
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

# The logarithm of 0 is infinite, that of this is about −35. To a float16, it is 0; see
# `_tiny`.
TINY = 1e-15


# --- numbers --------------------------------------------------------------------------


def mean_squared_error_simple(x0: Operand, x1: Operand) -> Variable:
    """The mean squared error, made of the functions that there are. Source: book step
    42.
    """
    x1 = match_targets("mean_squared_error", x0, x1)
    if "f" not in [require_data(as_array(x)).dtype.kind for x in (x0, x1)]:
        # Small whole numbers have no room for a difference below 0, or for its square.
        x0 = as_floats(as_array(x0))
    diff = Sub()(x0, x1)
    return (diff**2).sum() / _count(diff)


def mean_squared_error(x0: Operand, x1: Operand) -> Variable:
    """The sum of all squared differences, divided by the number of examples. Source:
    book step 42.

    Parameters
    ----------
    x0, x1 : Variable or ndarray, shape (N, ...)
        Predictions and targets, both of the same shape, or one number each. Whole
        numbers take the dtype of the others.

    Returns
    -------
    Variable
        Without dimensions.

    Raises
    ------
    ValueError
        If the shapes differ, or there are no examples.

    Notes
    -----
    As in the book, only the N examples are averaged: for rows of several numbers, their
    squares are summed.

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
    """The cross entropy of softmax, made of the functions that there are. Source: book
    step 47.

    Probabilities count as 1e-15 at least (float16: 6e-5), so that their logarithm is
    finite: such an example has no gradient. See :func:`softmax_cross_entropy` for one
    function, and no such limit.
    """
    labels = labels_of("softmax_cross_entropy", x, t)
    n = len(labels)
    p = softmax(x)
    log_p = log(clip(p, _tiny(p), 1.0))
    return -log_p[np.arange(n), labels].sum() / n


def softmax_cross_entropy(x: Operand, t: Operand) -> Variable:
    """How surprised the scores `x` are by the labels `t`: the mean of
    ``-log(softmax(x)[label])``.

    Source: book step 47.

    Parameters
    ----------
    x : Variable or ndarray, shape (N, C)
        Scores of any size, before softmax: one row for each example, one column for
        each class.
    t : Variable or ndarray, shape (N,) or (N, 1)
        The right classes, whole numbers from 0 to C − 1.

    Returns
    -------
    Variable
        Without dimensions.

    Raises
    ------
    TypeError
        If the labels are no whole numbers.
    ValueError
        If the shapes do not go together, a label names no class, or there are no
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
        # Many classes have a sum too large for a float16.
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
    """The share of examples whose highest score is that of the right class. Source:
    book step 48.

    Parameters
    ----------
    y : Variable or ndarray, shape (N, C)
        Scores or probabilities.
    t : Variable or ndarray, shape (N,) or (N, 1)
        The right classes, whole numbers from 0 to C − 1.

    Returns
    -------
    Variable
        Without dimensions. It has no gradient: small changes of the scores change
        nothing.

    Raises
    ------
    TypeError
        If the labels are no whole numbers.
    ValueError
        If the shapes do not go together, a label names no class, or there are no
        examples.
    """
    if is_batched(y) or is_batched(t):
        raise TypeError(
            "inside vmap, the numbers that accuracy compares cannot be looked at: call "
            "it outside, on the scores that vmap has returned"
        )
    labels = labels_of("accuracy", y, t)
    return Variable(as_array((data_of(y).argmax(axis=1) == labels).mean()))


# --- yes or no ------------------------------------------------------------------------


def sigmoid_cross_entropy(x: Operand, t: Operand) -> Variable:
    """How surprised the scores `x` are by the answers `t`, yes or no: the cross entropy
    of sigmoid.

    Parameters
    ----------
    x : Variable or ndarray, shape (N, ...)
        Scores of any size, before the sigmoid.
    t : Variable or ndarray, shape (N, ...)
        1 for yes, 0 for no, or a probability; of the shape of `x`, where (N,) and (N,
        1) count as one.

    Returns
    -------
    Variable
        Without dimensions: the sum of all cross entropies, divided by N. Source: the
        book's function of this name.

    Raises
    ------
    ValueError
        If the shapes do not go together, `t` leaves the range from 0 to 1, or there are
        no examples.
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
    """How surprised the probabilities `p` are by the answers `t`, yes or no.

    Parameters
    ----------
    p : Variable or ndarray, shape (N, ...)
        Probabilities of yes, for instance from the sigmoid. Where there is a choice,
        `sigmoid_cross_entropy` takes scores, and is more accurate.
    t : Variable or ndarray, shape (N, ...)
        1 for yes, 0 for no, or a probability; of the shape of `p`, where (N,) and (N,
        1) count as one.

    Returns
    -------
    Variable
        Without dimensions: the sum of all cross entropies, divided by N. Source: the
        book's function of this name.

    Raises
    ------
    ValueError
        If the shapes do not go together, `p` or `t` leaves the range from 0 to 1, or
        there are no examples.

    Notes
    -----
    Probabilities count as 1e-15 at least (float16: 6e-5), for yes and for no, so that
    their logarithm is finite. The book's function lets `p` count as 0.999 at most; up
    to there the values are the same.
    """
    t = answers_of("binary_cross_entropy", p, t)
    hint = "for scores before the sigmoid use sigmoid_cross_entropy"
    check_range("binary_cross_entropy", "p", p, hint)
    tiny = _tiny(p)
    yes = t * log(clip(p, tiny, None))
    no = (1 - t) * log(clip(1 - p, tiny, None))
    return -(yes + no).mean() * (yes.size // _count(yes))


def _tiny(p: Operand) -> float:
    # TINY, or what is the smallest number of this dtype with all its digits.
    dtype = data_or_example(p).dtype
    return max(TINY, float(np.finfo(dtype).tiny)) if dtype.kind == "f" else TINY


# --- averages -------------------------------------------------------------------------


def _count(x: Any) -> int:
    return x.shape[0] if x.shape else 1


def _mean_over_batch(losses: Any, like: Any) -> Any:
    # The sum of the losses for each example, in the dtype of `like`.
    return downcast_half(losses.sum() / _count(losses), like)
