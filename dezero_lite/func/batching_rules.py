"""Batching rules: how to call a function on whole batches, to do to all examples what
was meant for one. Most rules compute where an example's axes are in the batch.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from .. import functions as F
from ..core import (
    Config,
    Function,
    Variable,
    no_grad,
)
from ..core.operators import (
    AsType,
    BinaryOperator,
    BroadcastTo,
    Log,
    Neg,
    SumTo,
    add,
    mul,
)
from ..core.types import Shape
from ..functions.activation import Gelu, LeakyReLU, ReLU, Sigmoid, Softplus
from ..functions.conv import Conv2d, Deconv2d
from ..functions.elementwise import Abs, Choose, Clip, Cos, Exp, Sin, Sqrt, Tanh, Where
from ..functions.indexing import Gather, GetItem
from ..functions.joining import Concat, Split, Stack, Unstack
from ..functions.linear import Linear, MatMul
from ..functions.loss import (
    MeanSquaredError,
    SigmoidCrossEntropy,
    SoftmaxCrossEntropy,
)
from ..functions.norm import BatchNorm, Dropout, LayerNorm
from ..functions.pool import AveragePooling, Pooling
from ..functions.reduce import AlongAxis
from ..functions.shape import Pad, Reshape, Transpose
from ..functions.window import Im2col
from ..layers.recurrent import LSTMStep
from .batching import Compare, rule


def _copy_with(f: Function, **settings: Any) -> Any:
    """Copy `f` with other settings."""
    f = copy.copy(f)
    vars(f).update(settings)
    return f


def _align(xs: Sequence[Any], batched: Sequence[bool]) -> list[Any]:
    """Reshape the inputs so that they broadcast as those of the examples do."""
    most = max([np.ndim(x) - is_batch for x, is_batch in zip(xs, batched, strict=True)])
    return [
        _insert_ones(x, 1, most + 1 - np.ndim(x)) if is_batch else x
        for x, is_batch in zip(xs, batched, strict=True)
    ]


def _insert_ones(x: Any, axis: int, number: int) -> Any:
    dims = x.shape
    return F.reshape(x, (*dims[:axis], *[1] * number, *dims[axis:]))


def _as_batches(xs: Sequence[Any], batched: Sequence[bool]) -> list[Any]:
    """Repeat the inputs that all examples share, once for each example."""
    n = next(len(x) for x, is_batch in zip(xs, batched, strict=True) if is_batch)
    return [
        x if is_batch else F.broadcast_to(x, (n, *np.shape(x)))
        for x, is_batch in zip(xs, batched, strict=True)
    ]


def _shift_axis(axis: Any, ndim: int) -> Any:
    """Map an example's axis to the batch's axis; `ndim` includes the batch axis."""
    if axis is None:
        return tuple(range(1, ndim))
    if isinstance(axis, tuple):
        return tuple([_shift_axis(i, ndim) for i in axis])
    if not -ndim < axis < ndim - 1:
        raise ValueError(f"an example has {ndim - 1} axes, so there is no axis {axis}")
    return axis + 1 if axis >= 0 else axis


@rule(BinaryOperator, Neg, Log, AsType)
@rule(Sin, Cos, Tanh, Exp)
@rule(Sqrt, Abs, Clip, Sigmoid)
@rule(ReLU, LeakyReLU, Gelu, Softplus)
def by_element(f: Any, xs: Any, batched: Any) -> Any:
    return f(*_align(xs, batched))


@rule(Compare)
def compare(f: Any, xs: Any, batched: Any) -> Any:
    with no_grad():
        return f(*_align(xs, batched))


@rule(Where, Choose)
def where(f: Any, xs: Any, batched: Any) -> Any:
    if isinstance(f, Where):
        xs, batched = (f.condition, *xs), (False, *batched)
    return F.where(*_align(xs, batched))


@rule(AlongAxis)
def along_axis(f: Any, xs: Any, batched: Any) -> Any:
    return _copy_with(f, axis=_shift_axis(f.axis, xs[0].ndim))(xs[0])


@rule(SumTo)
def sum_to(f: Any, xs: Any, batched: Any) -> Any:
    n, *dims = xs[0].shape
    ones = len(dims) - len(f.shape)
    return F.sum_to(xs[0], (n, *[1] * ones, *f.shape)).reshape((n, *f.shape))


@rule(BroadcastTo)
def broadcast_to(f: Any, xs: Any, batched: Any) -> Any:
    x = _insert_ones(xs[0], 1, len(f.shape) + 1 - xs[0].ndim)
    return F.broadcast_to(x, (len(x), *f.shape))


@rule(Reshape)
def reshape(f: Any, xs: Any, batched: Any) -> Any:
    return _copy_with(f, shape=(len(xs[0]), *f.shape))(xs[0])


@rule(Transpose)
def transpose(f: Any, xs: Any, batched: Any) -> Any:
    ndim = xs[0].ndim
    axes = range(ndim - 2, -1, -1) if f.axes is None else f.axes
    return _copy_with(f, axes=(0, *[_shift_axis(i, ndim) for i in axes]))(xs[0])


@rule(Pad)
def pad(f: Any, xs: Any, batched: Any) -> Any:
    return _copy_with(f, widths=[[0, 0], *f.widths])(xs[0])


@rule(Concat, Stack, Split, Unstack)
def join(f: Any, xs: Any, batched: Any) -> Any:
    xs = _as_batches(xs, batched)
    ndim = xs[0].ndim + isinstance(f, Stack)
    return _copy_with(f, axis=_shift_axis(f.axis, ndim))(*xs)


@rule(MatMul)
def matmul(f: Any, xs: Any, batched: Any) -> Any:
    # A vector becomes a matrix of one row or one column; that axis is removed again.
    (x, W), (x_is_batch, W_is_batch) = xs, batched
    row, column = np.ndim(x) - x_is_batch == 1, np.ndim(W) - W_is_batch == 1
    x = _insert_ones(x, np.ndim(x) - 1, 1) if row else x
    W = _insert_ones(W, np.ndim(W), 1) if column else W
    y = F.matmul(*_align([x, W], batched))
    lost = [i for i, gone in ((-2, row), (-1, column)) if gone]
    return F.squeeze(y, tuple(lost)) if lost else y


@rule(Linear)
def affine(f: Any, xs: Any, batched: Any) -> Any:
    if not any(batched[1:]):
        return f(*xs)
    y = matmul(f, xs[:2], batched[:2]) if any(batched[:2]) else F.matmul(*xs[:2])
    if len(xs) < 3:
        return y
    return add(*_align([y, xs[2]], [any(batched[:2]), batched[2]]))


@rule(GetItem)
def get_item(f: Any, xs: Any, batched: Any) -> Any:
    x, parts = xs[0], f.slices if isinstance(f.slices, tuple) else (f.slices,)
    if not any([getattr(part, "ndim", 0) for part in parts]):
        return F.get_item(x, (slice(None), *parts))
    # Beside a slice, NumPy would move the axes of index arrays in front of the batch.
    numbers = _element_numbers(x.shape[1:])[f.slices].data
    return F.get_item(x.reshape(len(x), -1), (slice(None), numbers))


@rule(Gather)
def gather(f: Any, xs: Any, batched: Any) -> Any:
    (x, *parts), (is_batch, *parts_batched) = xs, batched
    indices = tuple(_align(parts, parts_batched))
    numbers = _element_numbers(np.shape(x)[is_batch:])[indices]
    if not is_batch:
        return F.reshape(x, -1)[numbers]
    ones = numbers.ndim - any(parts_batched)
    examples = np.arange(len(x)).reshape(-1, *[1] * ones)
    return x.reshape(len(x), -1)[examples, numbers]


def _element_numbers(dims: Shape) -> Variable:
    """Number the elements of an array of this shape, from 0 on."""
    return Variable(np.arange(math.prod(dims)).reshape(dims))


@rule(MeanSquaredError)
def mean_squared_error(f: Any, xs: Any, batched: Any) -> Any:
    a, b = _align(xs, batched)
    return _mean_over_rows((a - b) ** 2)


@rule(SigmoidCrossEntropy)
def sigmoid_cross_entropy(f: Any, xs: Any, batched: Any) -> Any:
    x, t = _as_batches(xs, batched)
    no = np.zeros(x.shape, x.dtype)
    return _mean_over_rows(F.logsumexp(F.stack([no, x]), axis=0) - x * t)


def _mean_over_rows(losses: Any) -> Any:
    """Sum the losses of each example, and divide by its number of rows."""
    rows = losses.shape[1] if losses.ndim > 1 else 1
    return losses.sum(tuple(range(1, losses.ndim))) / rows


@rule(SoftmaxCrossEntropy)
def softmax_cross_entropy(f: Any, xs: Any, batched: Any) -> Any:
    x, t = _as_batches(xs, batched)
    n, rows, _ = x.shape
    examples = np.arange(n).reshape(-1, 1)
    return -F.log_softmax(x, axis=2)[examples, np.arange(rows), t].mean(axis=1)


@rule(LayerNorm)
def layer_norm(f: Any, xs: Any, batched: Any) -> Any:
    x, gamma, beta = xs
    form = np.shape(gamma)[batched[1] :]
    y = f(x, np.ones(form, x.dtype), np.zeros(form, x.dtype))
    y = mul(*_align([y, gamma], [batched[0], batched[1]]))
    return add(*_align([y, beta], [batched[0] or batched[1], batched[2]]))


@rule(BatchNorm)
def batch_norm(f: Any, xs: Any, batched: Any) -> Any:
    x, gamma, beta = _as_batches(xs, batched)
    n, rows, channels, *size = x.shape
    axes = (1, 0, *range(2, x.ndim))
    # Put the channels of all examples side by side. In training, averages that begin at
    # 0 collect what each example adds to the running ones.
    side = x.transpose(axes).reshape(rows, n * channels, *size)
    running = f.avg_mean, f.avg_var
    begin = np.zeros_like if Config.train else np.asarray
    averages = [np.tile(begin(a), n) for a in running]
    f = _copy_with(f, avg_mean=averages[0], avg_var=averages[1])
    y = f(side, gamma.reshape(-1), beta.reshape(-1))
    for average, parts in zip(running, averages, strict=True):
        for part in parts.reshape(n, channels) if Config.train else ():
            average *= f.decay
            average += part
    return y.reshape(rows, n, channels, *size).transpose(axes)


@rule(LSTMStep)
def lstm_step(f: Any, xs: Any, batched: Any) -> Any:
    x, h, c, Wx, Wh, b = _as_batches(xs, batched)
    z = F.matmul(x, Wx) + F.matmul(h, Wh) + F.expand_dims(b, 1)
    gates, new = F.split(z, [3 * c.shape[2]], axis=2)
    keep, add, show = F.split(F.sigmoid(gates), 3, axis=2)
    c = keep * c + add * F.tanh(new)
    return show * F.tanh(c), c


@rule(Conv2d, Deconv2d)
def convolve(f: Any, xs: Any, batched: Any) -> Any:
    x, W = xs[:2]
    if batched[1]:  # each example has its own kernels: treat them as groups of channels
        x, W = _as_batches([x, W], batched[:2])
        n, images, channels, *size = x.shape
        side = x.transpose(1, 0, 2, 3, 4).reshape(images, n * channels, *size)
        f = _copy_with(f, groups=n * f.groups)
        y = f(side, W.reshape(n * W.shape[1], *W.shape[2:]))
        y = y.reshape(images, n, -1, *y.shape[2:]).transpose(1, 0, 2, 3, 4)
    else:
        y = fold(f, [x, W], batched[:2]) if batched[0] else f(x, W)
    if len(xs) < 3:
        return y
    b = F.reshape(xs[2], (*np.shape(xs[2]), 1, 1))
    return add(*_align([y, b], [batched[0] or batched[1], batched[2]]))


@rule(Pooling, AveragePooling, Im2col)
def fold(f: Any, xs: Any, batched: Any) -> Any:
    # Merge the examples' images into one larger batch.
    n, images, *dims = xs[0].shape
    y = f(xs[0].reshape(n * images, *dims), *xs[1:])
    return y.reshape(n, len(y) // n, *y.shape[1:])


@rule(Dropout)
def draw(f: Any, xs: Any, batched: Any) -> NoReturn:
    raise TypeError(
        "inside vmap, dropout would draw once for all examples: draw a mask for each "
        "beforehand, and pass it as another argument"
    )
