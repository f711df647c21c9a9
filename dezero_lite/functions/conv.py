"""Convolution and transposed convolution. Steps 55–57 explain them.

The simple form comes first: collect what the window sees in columns; then the
convolution is one matrix product (`conv2d_simple`).

Images x, kernels W and results y are related by one sum of products x · W · y. Its
derivative with respect to y is the convolution, with respect to x the deconvolution,
and with respect to W the gradient of the kernels. So the three classes below are each
other's gradients, to every order. They compute the same products as the simple form,
but in the order that suits the processor's cache: see `conv_fast`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core import Operand, Primitive, Variable, as_array, as_variable
from ..core.types import Array, Value
from .conv_fast import both_gradients, convolve, deconvolve, kernel_gradient
from .linear import materialize
from .precision import require_data
from .reduce import Sum
from .window import Pair, Window, get_deconv_outsize, im2col, not_images, pair

__all__ = ["conv2d", "conv2d_simple", "deconv2d"]


# --- the simple form ------------------------------------------------------------------


def conv2d_simple(
    x: Operand, W: Operand, b: Operand | None = None, stride: Pair = 1, pad: Pair = 0
) -> Variable:
    """Compute a convolution by composing existing functions: columns, then a matrix
    product. Source: book step 57.

    It takes the arguments of :func:`conv2d` up to `pad`, and gives the same result.
    """
    x, W = as_variable(x), as_variable(W)
    for given in (x, W, b):
        require_data(given)
    window = _window(W, stride, pad)
    oh, ow = window.output_size(x.shape)
    _check_channels(x, W, b, groups=1)
    columns = im2col(x, window.kernel, stride, pad)
    y = columns @ W.reshape(W.shape[0], -1).T
    if b is not None:
        y = y + b
    return y.reshape(x.shape[0], oh, ow, W.shape[0]).transpose(0, 3, 1, 2)


# --- in one function ------------------------------------------------------------------


def conv2d(
    x: Operand,
    W: Operand,
    b: Operand | None = None,
    stride: Pair = 1,
    pad: Pair = 0,
    dilation: Pair = 1,
    groups: int = 1,
) -> Variable:
    """Slide kernels over images, multiply and sum: a convolution. Source: book step 57.

    Parameters
    ----------
    x : Variable or ndarray
        Images (N, C, H, W).
    W : Variable or ndarray
        Kernels (OC, C / groups, KH, KW).
    b : Variable or ndarray, optional
        One number for each output channel (OC,).
    stride, pad, dilation : int or (int, int)
        The step of the kernel, the width of the border of zeros, and the distance
        between the pixels that it sees.
    groups : int, optional
        The channels are divided into this many groups, and each group of outputs sees
        only its own group of inputs.

    Returns
    -------
    Variable
        (N, OC, OH, OW).

    Raises
    ------
    ValueError
        If the channels do not match or cannot be divided into groups, if the kernel is
        larger than the image with its border, or if a size is negative or a step zero.

    Notes
    -----
    As in every deep-learning framework, the kernel is not flipped: mathematicians call
    this a cross-correlation.
    """
    arrays = [as_array(array) for array in (x, W, b) if array is not None]
    return Conv2d(stride, pad, dilation, groups)(*arrays)


def deconv2d(
    x: Operand,
    W: Operand,
    b: Operand | None = None,
    stride: Pair = 1,
    pad: Pair = 0,
    outsize: Pair | None = None,
    dilation: Pair = 1,
    groups: int = 1,
) -> Variable:
    """Compute a transposed convolution, or deconvolution. Source: book step 57.

    Each pixel of `x` adds a copy of the kernel, scaled by its value, to the output.
    With the same `W`, `stride` and `pad`, it computes the gradient of :func:`conv2d`
    with respect to the images, so it turns small images into large ones.

    Parameters
    ----------
    x : Variable or ndarray
        Images (N, C, H, W).
    W : Variable or ndarray
        Kernels (C, OC / groups, KH, KW).
    b : Variable or ndarray, optional
        One number for each output channel (OC,).
    stride, pad, dilation, groups
        As for the corresponding convolution.
    outsize : int or (int, int), optional
        The height and width of the output, where a stride allows several; by default
        the smallest.

    Returns
    -------
    Variable
        (N, OC, OH, OW).

    Raises
    ------
    ValueError
        If the channels do not match or cannot be divided into groups, if no convolution
        leads from `outsize` to the size of `x`, or if a size is negative or a step
        zero.
    """
    arrays = [as_array(array) for array in (x, W, b) if array is not None]
    return Deconv2d(stride, pad, outsize, dilation, groups)(*arrays)


class _Convolution(Primitive):
    def __init__(
        self, stride: Pair = 1, pad: Pair = 0, dilation: Pair = 1, groups: int = 1
    ) -> None:
        self.stride, self.pad = stride, pad
        self.dilation, self.groups = dilation, groups

    def window(self, W: Value) -> Window:
        return _window(W, self.stride, self.pad, self.dilation)

    def convolve(self, x: Value, W: Value) -> Value:
        return Conv2d(self.stride, self.pad, self.dilation, self.groups).apply(x, W)

    def deconvolve(self, y: Value, W: Value, size: Pair) -> Value:
        f = Deconv2d(self.stride, self.pad, size, self.dilation, self.groups)
        return f.apply(y, W)

    def kernel_gradient(self, x: Value, y: Value, size: Pair) -> Value:
        return Conv2DGradW(self, size).apply(x, y)

    def bias_gradient(self, gy: Value) -> Value:
        # None if there is no bias, or if its gradient is not needed.
        if len(self.inputs) < 3 or not self.needs_input_grad(2):
            return None
        return Sum(axis=(0, 2, 3)).apply(gy)


class Conv2d(_Convolution):
    def forward(self, x: Array, W: Array, b: Array = None) -> Array:
        window = self.window(W)
        window.output_size(x.shape)
        _check_channels(x, W, b, self.groups)
        return _add_bias(convolve(x, W, window, self.groups), b)

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        x, W = xs[:2]
        gy = materialize(gy)
        wants_x, wants_W = self.needs_input_grad(0), self.needs_input_grad(1)
        if wants_x and wants_W and not isinstance(gy, Variable):
            gx, gW = both_gradients(x, W, gy, self.window(W), self.groups)
        else:
            gx = self.deconvolve(gy, W, x.shape[2:]) if wants_x else None
            gW = self.kernel_gradient(x, gy, W.shape[2:]) if wants_W else None
        return (gx, gW, self.bias_gradient(gy))[: len(xs)]


class Deconv2d(_Convolution):
    def __init__(
        self,
        stride: Pair = 1,
        pad: Pair = 0,
        outsize: Pair | None = None,
        dilation: Pair = 1,
        groups: int = 1,
    ) -> None:
        super().__init__(stride, pad, dilation, groups)
        self.outsize = outsize

    def forward(self, y: Array, W: Array, b: Array = None) -> Array:
        window = self.window(W)
        _check_deconvolution(y, W, b, self.groups)
        size = _input_size(y, window, self.outsize)
        shape = y.shape[0], W.shape[1] * self.groups, *size
        return _add_bias(deconvolve(y, W, window, shape, self.groups), b)

    def vjp(self, xs: Sequence[Value], gx: Value) -> Value:
        y, W = xs[:2]
        gx = materialize(gx)
        wants_y, wants_W = self.needs_input_grad(0), self.needs_input_grad(1)
        gy = self.convolve(gx, W) if wants_y else None
        gW = self.kernel_gradient(gx, y, W.shape[2:]) if wants_W else None
        return (gy, gW, self.bias_gradient(gx))[: len(xs)]


class Conv2DGradW(_Convolution):
    def __init__(self, of: _Convolution, kernel_size: Pair) -> None:
        super().__init__(of.stride, of.pad, of.dilation, of.groups)
        self.kernel_size = kernel_size

    def forward(self, x: Array, y: Array) -> Array:
        window = Window(self.kernel_size, self.stride, self.pad, self.dilation)
        return kernel_gradient(x, y, window, self.groups)

    def vjp(self, xs: Sequence[Value], gW: Value) -> Value:
        x, y = xs
        gx = self.deconvolve(y, gW, x.shape[2:]) if self.needs_input_grad(0) else None
        gy = self.convolve(x, gW) if self.needs_input_grad(1) else None
        return gx, gy


def _add_bias(y: Any, b: Any) -> Any:
    # The result of a convolution is fresh, so the bias can be added in place, unless b
    # has a wider dtype.
    if b is None:
        return y
    out = y if np.result_type(y, b) == y.dtype else None
    return np.add(y, b.reshape(-1, 1, 1), out=out)


# --- checks ---------------------------------------------------------------------------


def _window(W: Any, stride: Pair, pad: Pair, dilation: Pair = 1) -> Window:
    # The window that belongs to these kernels.
    if W.ndim != 4 or 0 in W.shape[:2]:
        need = "four axes, the last two KH and KW"
        if W.ndim == 4:
            need = "at least one channel on each side"
        raise ValueError(f"kernels have {need}, but W has shape {W.shape}")
    return Window(W.shape[2:], stride, pad, dilation)


def _check_channels(x: Any, W: Any, b: Any, groups: int) -> None:
    oc, per_group = W.shape[:2]
    if groups < 1 or x.shape[1] % groups or oc % groups:
        raise ValueError(
            f"{x.shape[1]} channels of x, of shape {x.shape}, and {oc} kernels of W, "
            f"of shape {W.shape}, do not both divide into {groups} groups"
        )
    if x.shape[1] != per_group * groups:
        raise ValueError(
            f"x of shape {x.shape} has {x.shape[1]} channels, but W of shape "
            f"{W.shape} with groups={groups} takes {per_group * groups}: W has the "
            "shape (OC, C / groups, KH, KW)"
        )
    _check_bias(b, oc)


def _check_bias(b: Any, oc: int) -> None:
    if b is not None and b.shape != (oc,):
        raise ValueError(
            f"b has shape {b.shape}, but {oc} output channels need ({oc},)"
        )


def _check_deconvolution(y: Any, W: Any, b: Any, groups: int) -> None:
    if y.ndim != 4:
        raise ValueError(not_images(y.shape))
    if groups < 1 or y.shape[1] % groups or y.shape[1] != W.shape[0]:
        raise ValueError(
            f"x of shape {y.shape} does not fit W of shape {W.shape} with "
            f"groups={groups}: W has the shape (C, OC / groups, KH, KW), where C is "
            "the number of channels of x and must be divisible by groups"
        )
    _check_bias(b, W.shape[1] * groups)


def _input_size(y: Any, window: Window, outsize: Pair | None) -> tuple[int, int]:
    # The height and width of the images from which this window makes y: the smallest,
    # or `outsize`.
    sizes = zip(
        y.shape[2:], window.effective_size, window.stride, window.pad, strict=True
    )
    formula = [get_deconv_outsize(*numbers) for numbers in sizes]
    most = [n + step - 1 for n, step in zip(formula, window.stride, strict=True)]
    if min(most) < 1:
        raise ValueError(
            f"nothing is left of x of shape {y.shape} with {window}: a deconvolution "
            "cuts off the pad on each side, so use a smaller one"
        )
    least = [max(1, n) for n in formula]
    h, w = least if outsize is None else pair(outsize)
    if not (least[0] <= h <= most[0] and least[1] <= w <= most[1]):
        raise ValueError(
            f"no convolution turns {h} × {w} pixels into x of shape {y.shape} with "
            f"{window}: outsize can be from {least[0]} × {least[1]} to {most[0]} × "
            f"{most[1]}"
        )
    return h, w
