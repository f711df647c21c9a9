"""Convolution and pooling: a small window slides over an image. Steps 57 and 58 explain it.

Images have the shape (N, C, H, W): N of them, C channels each, H rows, W columns. A window stops at OH × OW places of
an image, and sees KH × KW pixels of each channel there. `im2col` writes down all that it sees, in columns of the shape
(N, C, KH, KW, OH, OW); with them a convolution is a matrix product, and a pooling is a maximum or a mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..core import Function, Operand, Variable, as_variable

__all__ = [
    "average_pooling",
    "col2im",
    "col2im_array",
    "conv2d",
    "conv2d_simple",
    "deconv2d",
    "im2col",
    "im2col_array",
    "pooling",
    "pooling_simple",
]

Pair = int | tuple[int, int]


# --- sizes ------------------------------------------------------------------------------------------------------------


def get_conv_outsize(input_size: int, kernel_size: int, stride: int, pad: int) -> int:
    """The number of places where a window stops along an axis. Source: book step 55.

    >>> get_conv_outsize(4, kernel_size=3, stride=1, pad=1)
    4
    """
    return (input_size + 2 * pad - kernel_size) // stride + 1


def get_deconv_outsize(size: int, k: int, s: int, p: int) -> int:
    """The length of an axis on which a window of size `k` stops at `size` places: stride `s`, pad `p`.

    >>> get_deconv_outsize(4, k=3, s=1, p=1)
    4
    """
    return s * (size - 1) + k - 2 * p


def pair(x: Pair) -> tuple[int, int]:
    """A size for both axes, given as one number or as two. Source: book step 57.

    >>> pair(3)
    (3, 3)

    Raises
    ------
    ValueError
        If `x` is neither a whole number nor two of them.
    """
    numbers = (x, x) if isinstance(x, (int, np.integer)) else x
    if isinstance(numbers, (tuple, list)) and len(numbers) == 2:
        a, b = numbers
        if isinstance(a, (int, np.integer)) and isinstance(b, (int, np.integer)):
            return int(a), int(b)
    raise ValueError(f"a size is a whole number, or two of them for height and width, not {x!r}")


class _Window:
    # What slides over an image: its size, the steps it takes, the border around the image, the distance of its pixels.
    __slots__ = ("dilation", "kernel", "pad", "reach", "stride")

    def __init__(self, kernel: Pair, stride: Pair = 1, pad: Pair = 0, dilation: Pair = 1) -> None:
        self.kernel, self.stride, self.pad, self.dilation = pair(kernel), pair(stride), pair(pad), pair(dilation)
        for name, sizes in (("kernel size", self.kernel), ("stride", self.stride), ("dilation", self.dilation)):
            if min(sizes) < 1:
                raise ValueError(f"the {name} is {sizes}, but must be at least 1")
        if min(self.pad) < 0:
            raise ValueError(f"the pad is {self.pad}, but a border cannot be negative")
        kh, kw = [d * (k - 1) + 1 for k, d in zip(self.kernel, self.dilation, strict=True)]
        self.reach = kh, kw

    def stops(self, shape: tuple[int, ...]) -> tuple[int, int]:
        # How many places there are for the window in images of this shape: (OH, OW).
        if len(shape) != 4:
            raise ValueError(f"images have the shape (N, C, H, W), not {shape}: x.reshape(...) makes it so")
        sizes = zip(shape[2:], self.reach, self.stride, self.pad, strict=True)
        oh, ow = [get_conv_outsize(size, reach, stride, pad) for size, reach, stride, pad in sizes]
        if oh < 1 or ow < 1:
            raise ValueError(f"no place for {self} in images of shape {shape}")
        return oh, ow

    def __str__(self) -> str:
        spread = f" and dilation {self.dilation}, which makes it {self.reach}," if max(self.dilation) > 1 else ""
        return f"a window of size {self.kernel}{spread} with pad {self.pad}"

    def bordered(self, x: Any, value: float = 0) -> Any:
        # The images with the border around them.
        ph, pw = self.pad
        if not ph and not pw:
            return x
        n, c, h, w = x.shape
        y = np.full_like(x, value, shape=(n, c, h + 2 * ph, w + 2 * pw), order="C")
        y[:, :, ph : ph + h, pw : pw + w] = x
        return y

    def inside(self, bordered: Any) -> Any:
        # The images without the border around them.
        ph, pw = self.pad
        h, w = bordered.shape[2:]
        return bordered[:, :, ph : h - ph, pw : w - pw]

    def taps(self, bordered: Any, stops: tuple[int, int], rows: slice = slice(None)) -> Iterator[tuple[int, int, Any]]:
        # For each field (i, j) of the window, the pixels that it meets at all its stops, or at some rows of them, as a
        # view (N, C, OH, OW).
        first, last, _ = rows.indices(stops[0])
        for i in range(self.kernel[0]):
            for j in range(self.kernel[1]):
                yield i, j, bordered[:, :, self._met(0, i, first, last), self._met(1, j, 0, stops[1])]

    def _met(self, axis: int, k: int, first: int, last: int) -> slice:
        # The pixels along an axis that field k meets at the stops from the first until before the last.
        offset, step = k * self.dilation[axis], self.stride[axis]
        return slice(offset + first * step, offset + (last - 1) * step + 1, step)

    @property
    def area(self) -> int:
        return self.kernel[0] * self.kernel[1]

    @property
    def is_pixel(self) -> bool:
        return self.kernel == self.stride == (1, 1) and self.pad == (0, 0)

    def turned(self) -> _Window:
        # The window of the way back, where the stride is 1.
        ph, pw = [reach - 1 - pad for reach, pad in zip(self.reach, self.pad, strict=True)]
        return _Window(self.kernel, 1, (ph, pw), self.dilation)


# --- columns ----------------------------------------------------------------------------------------------------------


def im2col_array(img: Any, kernel_size: Pair, stride: Pair, pad: Pair, to_matrix: bool = True) -> Any:
    """What a window sees at each of its stops, from an array: see :func:`im2col`. Source: book step 57."""
    return _matrix(_columns(img, _Window(kernel_size, stride, pad)), to_matrix)


def col2im_array(
    col: Any, img_shape: tuple[int, ...], kernel_size: Pair, stride: Pair, pad: Pair, to_matrix: bool = True
) -> Any:
    """Images from columns, for arrays: see :func:`col2im`. Source: book step 57."""
    window = _Window(kernel_size, stride, pad)
    n, c = img_shape[:2]
    oh, ow = window.stops(img_shape)
    shape = (n, oh, ow, c, *window.kernel) if to_matrix else (n, c, *window.kernel, oh, ow)
    flat = (n * oh * ow, c * window.kernel[0] * window.kernel[1]) if to_matrix else shape
    if col.shape != flat:
        raise ValueError(
            f"columns of shape {col.shape} do not belong to images of shape {img_shape} under {window}: "
            f"with stride {window.stride} and to_matrix={to_matrix} that makes {flat}"
        )
    col = col.reshape(shape).transpose(0, 3, 4, 5, 1, 2) if to_matrix else col
    return _images(col, img_shape, window)


def _columns(x: Any, window: _Window) -> Any:
    oh, ow = stops = window.stops(x.shape)
    columns = np.empty_like(x, shape=(*x.shape[:2], *window.kernel, oh, ow), order="C")
    for i, j, pixels in window.taps(window.bordered(x), stops):
        columns[:, :, i, j] = pixels
    return columns


def _images(columns: Any, shape: tuple[int, ...], window: _Window) -> Any:
    n, c, h, w = shape
    ph, pw = window.pad
    bordered = np.zeros_like(columns, shape=(n, c, h + 2 * ph, w + 2 * pw), order="C")
    for i, j, pixels in window.taps(bordered, columns.shape[4:]):
        pixels += columns[:, :, i, j]
    return window.inside(bordered)


def _matrix(columns: Any, to_matrix: bool) -> Any:
    if not to_matrix:
        return columns
    n, c, kh, kw, oh, ow = columns.shape
    return columns.transpose(0, 4, 5, 1, 2, 3).reshape(n * oh * ow, c * kh * kw)


def im2col(x: Operand, kernel_size: Pair, stride: Pair = 1, pad: Pair = 0, to_matrix: bool = True) -> Variable:
    """Write down what a window sees at each of its stops. Source: book step 57.

    Parameters
    ----------
    x : Variable or ndarray
        Images (N, C, H, W).
    kernel_size, stride, pad : int or (int, int)
        The size of the window, its steps, and the width of the border of zeros around the images.
    to_matrix : bool, optional
        One row for each stop?

    Returns
    -------
    Variable
        (N * OH * OW, C * KH * KW), or without `to_matrix` (N, C, KH, KW, OH, OW).

    Raises
    ------
    ValueError
        If `x` holds no images, if they have no place for the window, or if a size is negative or a step zero.

    Examples
    --------
    >>> im2col(np.arange(6.0).reshape(1, 1, 2, 3), kernel_size=2)
    variable([[0. 1. 3. 4.]
              [1. 2. 4. 5.]])
    """
    return Im2col(kernel_size, stride, pad, to_matrix)(x)


def col2im(
    x: Operand, input_shape: tuple[int, ...], kernel_size: Pair, stride: Pair = 1, pad: Pair = 0, to_matrix: bool = True
) -> Variable:
    """Add up columns to images: each number goes where :func:`im2col` would take it from. Source: book step 57.

    It is the reverse in that it carries gradients back, not the inverse: a pixel that is seen k times counts k times.

    Parameters
    ----------
    x : Variable or ndarray
        (N * OH * OW, C * KH * KW), or without `to_matrix` (N, C, KH, KW, OH, OW).
    input_shape : tuple of int
        The shape of the images, (N, C, H, W).
    kernel_size, stride, pad, to_matrix
        As for :func:`im2col`.

    Returns
    -------
    Variable
        (N, C, H, W).

    Raises
    ------
    ValueError
        If the columns do not belong to such images, or for the reasons of :func:`im2col`.
    """
    return Col2im(input_shape, kernel_size, stride, pad, to_matrix)(x)


class Im2col(Function):
    __slots__ = ("arguments",)

    def __init__(self, kernel_size: Pair, stride: Pair, pad: Pair, to_matrix: bool) -> None:
        self.arguments = kernel_size, stride, pad, to_matrix

    def forward(self, x: Any) -> Any:
        return im2col_array(x, *self.arguments)

    def rule(self, xs: Sequence[Any], gy: Any) -> Any:
        return Col2im(xs[0].shape, *self.arguments).on(gy)


class Col2im(Function):
    __slots__ = ("arguments", "input_shape")

    def __init__(
        self, input_shape: tuple[int, ...], kernel_size: Pair, stride: Pair, pad: Pair, to_matrix: bool
    ) -> None:
        self.input_shape = input_shape
        self.arguments = kernel_size, stride, pad, to_matrix

    def forward(self, x: Any) -> Any:
        kernel_size, stride, pad, to_matrix = self.arguments
        return col2im_array(x, self.input_shape, kernel_size, stride, pad, to_matrix)

    def rule(self, xs: Sequence[Any], gy: Any) -> Any:
        return Im2col(*self.arguments).on(gy)


# --- convolution ------------------------------------------------------------------------------------------------------


def conv2d_simple(x: Operand, W: Operand, b: Operand | None = None, stride: Pair = 1, pad: Pair = 0) -> Variable:
    """Convolution in functions that are known already: columns, then a matrix product. Source: book step 57.

    It takes what :func:`conv2d` takes, and gives the same.
    """
    x, W = as_variable(x), as_variable(W)
    window = _Window(W.shape[2:], stride, pad)
    oh, ow = window.stops(x.shape)
    columns = im2col(x, window.kernel, stride, pad)
    y = columns @ W.reshape(W.shape[0], -1).transpose()
    if b is not None:
        y = y + b
    return y.reshape(x.shape[0], oh, ow, W.shape[0]).transpose(0, 3, 1, 2)


def conv2d(
    x: Operand,
    W: Operand,
    b: Operand | None = None,
    stride: Pair = 1,
    pad: Pair = 0,
    dilation: Pair = 1,
    groups: int = 1,
) -> Variable:
    """Slide kernels over images and multiply: a convolution. Source: book step 57.

    Parameters
    ----------
    x : Variable or ndarray
        Images (N, C, H, W).
    W : Variable or ndarray
        Kernels (OC, C / groups, KH, KW).
    b : Variable or ndarray, optional
        One number for each output channel (OC,).
    stride, pad, dilation : int or (int, int)
        The steps of the kernel, the width of the border of zeros, and the distance of the pixels that it sees.
    groups : int, optional
        The channels fall into so many groups, and each group of outputs sees its own group of inputs.

    Returns
    -------
    Variable
        (N, OC, OH, OW).

    Raises
    ------
    ValueError
        If the channels do not match or do not divide into groups, if the kernel is larger than the image with its
        border, or if a size is negative or a step zero.

    Notes
    -----
    As in every framework for deep learning, the kernel is not flipped: mathematics calls this a cross-correlation.
    """
    f = Conv2d(stride, pad, dilation, groups)
    return f(x, W) if b is None else f(x, W, b)


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
    """The way back through a convolution, also called transposed convolution. Source: book step 57.

    Each pixel of `x` lays a copy of the kernel, times itself, onto the output. With the same `W`, `stride` and `pad` it
    is to :func:`conv2d` what a gradient is to a value, and it has the shapes of that: small images become large.

    Parameters
    ----------
    x : Variable or ndarray
        Images (N, C, H, W).
    W : Variable or ndarray
        Kernels (C, OC / groups, KH, KW).
    b : Variable or ndarray, optional
        One number for each output channel (OC,).
    stride, pad, dilation, groups
        Those of the convolution.
    outsize : int or (int, int), optional
        The height and width of the output, where a stride leaves a choice; else it is the smallest.

    Returns
    -------
    Variable
        (N, OC, OH, OW).

    Raises
    ------
    ValueError
        If the channels do not match or do not divide into groups, if no convolution leads from `outsize` to the size
        of `x`, or if a size is negative or a step zero.
    """
    f = Deconv2d(stride, pad, outsize, dilation, groups)
    return f(x, W) if b is None else f(x, W, b)


class _Convolution(Function):
    # Images x, kernels W and results y are tied by one sum over products x · W · y. Its slope with respect to y is the
    # convolution, with respect to x the deconvolution, with respect to W the gradient of the kernels. So the three
    # classes below are each other's gradients, to every order.
    __slots__ = ("dilation", "groups", "pad", "stride")

    def __init__(self, stride: Pair = 1, pad: Pair = 0, dilation: Pair = 1, groups: int = 1) -> None:
        self.stride, self.pad, self.dilation, self.groups = stride, pad, dilation, groups

    def window(self, W: Any) -> _Window:
        return _Window(W.shape[2:], self.stride, self.pad, self.dilation)

    def convolve(self, x: Any, W: Any) -> Any:
        return Conv2d(self.stride, self.pad, self.dilation, self.groups).on(x, W)

    def deconvolve(self, y: Any, W: Any, size: tuple[int, int]) -> Any:
        return Deconv2d(self.stride, self.pad, size, self.dilation, self.groups).on(y, W)

    def kernels(self, x: Any, y: Any, kernel_size: tuple[int, int]) -> Any:
        return Conv2DGradW(kernel_size, self.stride, self.pad, self.dilation, self.groups).on(x, y)


class Conv2d(_Convolution):
    __slots__ = ()

    def forward(self, x: Any, W: Any, b: Any = None) -> Any:
        window = self.window(W)
        window.stops(x.shape)
        _check_channels(x, W, b, self.groups)
        return _plus(_convolve(x, W, window, self.groups), b)

    def rule(self, xs: Sequence[Any], gy: Any) -> Any:
        x, W = xs[:2]
        gb = gy.sum(axis=(0, 2, 3)) if len(xs) == 3 else None
        if self.wants(0) and self.wants(1) and not isinstance(gy, Variable):
            gx, gW = _both_gradients(x, W, gy, self.window(W), self.groups)
            return (gx, gW) if len(xs) == 2 else (gx, gW, gb)
        gx = self.deconvolve(gy, W, x.shape[2:]) if self.wants(0) else None
        gW = self.kernels(x, gy, W.shape[2:]) if self.wants(1) else None
        return (gx, gW) if len(xs) == 2 else (gx, gW, gb)


class Deconv2d(_Convolution):
    __slots__ = ("outsize",)

    def __init__(
        self, stride: Pair = 1, pad: Pair = 0, outsize: Pair | None = None, dilation: Pair = 1, groups: int = 1
    ) -> None:
        super().__init__(stride, pad, dilation, groups)
        self.outsize = outsize

    def forward(self, y: Any, W: Any, b: Any = None) -> Any:
        window = self.window(W)
        shape = _check_deconvolution(y, W, b, window, self.outsize, self.groups)
        return _plus(_deconvolve(y, W, window, shape, self.groups), b)

    def rule(self, xs: Sequence[Any], gx: Any) -> Any:
        y, W = xs[:2]
        gy = self.convolve(gx, W) if self.wants(0) else None
        gW = self.kernels(gx, y, W.shape[2:]) if self.wants(1) else None
        return (gy, gW) if len(xs) == 2 else (gy, gW, gx.sum(axis=(0, 2, 3)))


class Conv2DGradW(_Convolution):
    __slots__ = ("kernel_size",)

    def __init__(self, kernel_size: Pair, stride: Pair = 1, pad: Pair = 0, dilation: Pair = 1, groups: int = 1) -> None:
        super().__init__(stride, pad, dilation, groups)
        self.kernel_size = kernel_size

    def forward(self, x: Any, y: Any) -> Any:
        return _kernels(x, y, _Window(self.kernel_size, self.stride, self.pad, self.dilation), self.groups)

    def rule(self, xs: Sequence[Any], gW: Any) -> Any:
        x, y = xs
        gx = self.deconvolve(y, gW, x.shape[2:]) if self.wants(0) else None
        gy = self.convolve(x, gW) if self.wants(1) else None
        return gx, gy


def _plus(y: Any, b: Any) -> Any:
    return y if b is None else y + b.reshape(-1, 1, 1)


def _check_channels(x: Any, W: Any, b: Any, groups: int) -> None:
    oc, per_group = W.shape[:2]
    if groups < 1 or x.shape[1] % groups or oc % groups:
        raise ValueError(
            f"{x.shape[1]} channels of x, of shape {x.shape}, and {oc} kernels of W, of shape {W.shape}, do not both "
            f"divide into {groups} groups"
        )
    if x.shape[1] != per_group * groups:
        raise ValueError(
            f"x of shape {x.shape} has {x.shape[1]} channels, but W of shape {W.shape} with groups={groups} "
            f"takes {per_group * groups}: W has the shape (OC, C / groups, KH, KW)"
        )
    _check_bias(b, oc)


def _check_bias(b: Any, oc: int) -> None:
    if b is not None and b.shape != (oc,):
        raise ValueError(f"b has shape {b.shape}, but {oc} output channels need ({oc},)")


def _check_deconvolution(
    y: Any, W: Any, b: Any, window: _Window, outsize: Pair | None, groups: int
) -> tuple[int, int, int, int]:
    if y.ndim != 4:
        raise ValueError(f"images have the shape (N, C, H, W), not {y.shape}: x.reshape(...) makes it so")
    if groups < 1 or y.shape[1] % groups or y.shape[1] != W.shape[0]:
        raise ValueError(
            f"x of shape {y.shape} does not fit W of shape {W.shape} in {groups} groups: W has the shape "
            f"(C, OC / groups, KH, KW), where C is the number of channels of x, which groups must divide"
        )
    oc = W.shape[1] * groups
    _check_bias(b, oc)
    smallest = [
        get_deconv_outsize(size, reach, stride, pad)
        for size, reach, stride, pad in zip(y.shape[2:], window.reach, window.stride, window.pad, strict=True)
    ]
    h, w = smallest if outsize is None else pair(outsize)
    shape = (y.shape[0], oc, h, w)
    if min(h, w) < 1 or window.stops(shape) != y.shape[2:]:
        raise ValueError(
            f"no convolution leads from images of {h} × {w} pixels to x of shape {y.shape} under {window} and stride "
            f"{window.stride}: the height starts at {smallest[0]}, the width at {smallest[1]}, and both end before a "
            f"stride more"
        )
    return shape


# --- convolution, by blocks of columns --------------------------------------------------------------------------------

# All columns together take KH · KW times the memory of the images, and fresh memory costs more time than arithmetic. So
# they are formed a block at a time, always in the same memory, and backward forms them again. This many bytes stay in
# the processor's cache:
BLOCK = 1 << 20


def _convolve(x: Any, W: Any, window: _Window, groups: int) -> Any:
    if window.is_pixel:
        return _mix_channels(W, x, groups)
    return _sweep(x, window, groups, W=W)[0]


def _deconvolve(y: Any, W: Any, window: _Window, shape: tuple[int, ...], groups: int) -> Any:
    if window.is_pixel:
        return _mix_channels(_turned(W, groups), y, groups)
    if _gathers(W, window, groups):
        return _sweep(y, window.turned(), groups, W=_turned(W, groups))[0]
    return _scatter(y, W, window, shape, groups)


def _kernels(x: Any, y: Any, window: _Window, groups: int) -> Any:
    if window.is_pixel:
        return _mixture(x, y, groups)
    return _sweep(x, window, groups, y=y)[1]


def _both_gradients(x: Any, W: Any, gy: Any, window: _Window, groups: int) -> tuple[Any, Any]:
    if not window.is_pixel and _gathers(W, window, groups):
        gx, gW = _sweep(gy, window.turned(), groups, W=_turned(W, groups), y=x)
        return gx, _turned(gW, groups)
    return _deconvolve(gy, W, window, x.shape, groups), _kernels(x, gy, window, groups)


def _gathers(W: Any, window: _Window, groups: int) -> bool:
    # With stride 1, a convolution's way back is a convolution, too: by the kernels turned half around, on a border that
    # makes up for the places lost. It takes columns of y, not of x; so it pays unless y has many more channels.
    turned = [reach > pad for reach, pad in zip(window.reach, window.pad, strict=True)]
    return window.stride == (1, 1) and all(turned) and W.shape[0] <= 2 * W.shape[1] * groups


def _turned(W: Any, groups: int) -> Any:
    # The kernels of the way back: turned half around, input channels and output channels exchanged.
    oc, c, kh, kw = W.shape
    W = W.reshape(groups, oc // groups, c, kh, kw)[:, :, :, ::-1, ::-1]
    return W.transpose(0, 2, 1, 3, 4).reshape(groups * c, oc // groups, kh, kw)


def _sweep(x: Any, window: _Window, groups: int, W: Any = None, y: Any = None) -> tuple[Any, Any]:
    # Form the columns of x once and use them twice: for the convolution with W, and for the gradient of the kernels
    # when y is that of the result; without W or without y, for the other only.
    n, c = x.shape[:2]
    stops = window.stops(x.shape)
    per_group = c // groups
    result = gW = None
    if W is not None:
        oc = W.shape[0]
        kernels = W.reshape(groups, oc // groups, W[0].size)
        result = np.empty_like(x, np.result_type(x, W), shape=(n, oc, *stops), order="C")
    if y is not None:
        oc = y.shape[1]
        gW = np.zeros_like(x, np.result_type(x, y), shape=(groups, oc // groups, per_group * window.area), order="C")
    bordered = window.bordered(x)
    for images, rows, columns, matrix in _blocks(x, x.shape, stops, window, groups):
        for i, j, pixels in window.taps(bordered[images], stops, rows):
            columns[:, :, i, j] = pixels
        if W is not None:
            _put(kernels @ matrix, result[images, :, rows])
        if y is not None:
            gW += _take(y[images, :, rows], groups) @ matrix.transpose(0, 2, 1)
    return result, None if gW is None else gW.reshape(oc, per_group, *window.kernel)


def _scatter(y: Any, W: Any, window: _Window, shape: tuple[int, ...], groups: int) -> Any:
    # The other way around: multiply to columns, then add each of their fields to the pixels that it met.
    n, c, h, w = shape
    ph, pw = window.pad
    kernels = W.reshape(groups, W.shape[0] // groups, W[0].size).transpose(0, 2, 1)
    bordered = np.zeros_like(y, np.result_type(y, W), shape=(n, c, h + 2 * ph, w + 2 * pw), order="C")
    stops = y.shape[2:]
    for images, rows, columns, matrix in _blocks(bordered, shape, stops, window, groups):
        np.matmul(kernels, _take(y[images, :, rows], groups), out=matrix)
        for i, j, pixels in window.taps(bordered[images], stops, rows):
            pixels += columns[:, :, i, j]
    return window.inside(bordered)


def _blocks(
    like: Any, shape: tuple[int, ...], stops: tuple[int, int], window: _Window, groups: int
) -> Iterator[tuple[slice, slice, Any, Any]]:
    # Some images, or some rows of one: which, memory for their columns, and the same memory as a matrix per group.
    n, c = shape[:2]
    oh, ow = stops
    column = c * window.area
    per_row = column * ow * like.dtype.itemsize
    height = min(oh, max(1, BLOCK // per_row))
    count = min(n, max(1, BLOCK // (per_row * oh)))
    memory = np.empty_like(like, shape=column * count * height * ow)
    for i in range(0, n, count):
        for r in range(0, oh, height):
            images, rows = slice(i, min(i + count, n)), slice(r, min(r + height, oh))
            m, k = images.stop - i, rows.stop - r
            part = memory[: column * m * k * ow]
            columns = part.reshape(c, *window.kernel, m, k, ow).transpose(3, 0, 1, 2, 4, 5)
            yield images, rows, columns, part.reshape(groups, column // groups, m * k * ow)


def _take(y: Any, groups: int) -> Any:
    # (N, OC, OH, OW) as a matrix for each group, (G, OC / G, N · OH · OW), and back.
    n, oc, oh, ow = y.shape
    return y.transpose(1, 0, 2, 3).reshape(groups, oc // groups, n * oh * ow)


def _put(matrix: Any, y: Any) -> None:
    n, oc, oh, ow = y.shape
    y[...] = matrix.reshape(oc, n, oh, ow).transpose(1, 0, 2, 3)


# A kernel of one pixel sees each pixel once. Nothing slides: the images are their own columns.


def _mix_channels(W: Any, x: Any, groups: int) -> Any:
    n, c, h, w = x.shape
    oc = W.shape[0]
    y = W.reshape(groups, oc // groups, c // groups) @ x.reshape(n, groups, c // groups, h * w)
    return y.reshape(n, oc, h, w)


def _mixture(x: Any, y: Any, groups: int) -> Any:
    n, c, h, w = x.shape
    oc = y.shape[1]
    x = x.reshape(n, groups, c // groups, h * w).transpose(0, 1, 3, 2)
    return (y.reshape(n, groups, oc // groups, h * w) @ x).sum(axis=0).reshape(oc, c // groups, 1, 1)


# --- pooling ----------------------------------------------------------------------------------------------------------


def pooling_simple(x: Operand, kernel_size: Pair, stride: Pair = 1, pad: Pair = 0) -> Variable:
    """Max pooling in functions that are known already: columns, then their maxima. Source: book step 58.

    It takes what :func:`pooling` takes, and gives the same; at ties the gradient goes where :func:`max` lets it go.
    """
    window = _Window(kernel_size, stride, pad)
    columns = im2col(x, kernel_size, stride, pad, to_matrix=False)
    if max(window.pad):
        columns = columns + _border_columns(x.data if isinstance(x, Variable) else x, window)
    return columns.max(axis=(2, 3))


def pooling(x: Operand, kernel_size: Pair, stride: Pair = 1, pad: Pair = 0) -> Variable:
    """The largest number in each window: max pooling. Source: book step 58.

    Parameters
    ----------
    x : Variable or ndarray
        Images (N, C, H, W).
    kernel_size, stride, pad : int or (int, int)
        The size of the window, its steps, and the width of the border. The border holds −∞, or the least number that
        the dtype has, so it never wins.

    Returns
    -------
    Variable
        (N, C, OH, OW), of the dtype of `x`.

    Raises
    ------
    ValueError
        If `x` holds no images, if they have no place for the window, if `pad` is so large that a window sees nothing
        but border, or if a size is negative or a step zero.

    Notes
    -----
    Where several numbers of a window are largest, the first of them receives the gradient, row by row: after a relu,
    windows full of zeros are common.
    """
    return Pooling(kernel_size, stride, pad)(x)


def average_pooling(x: Operand, kernel_size: Pair, stride: Pair = 1, pad: Pair = 0) -> Variable:
    """The mean of each window. Source: book step 58.

    Parameters
    ----------
    x : Variable or ndarray
        Images (N, C, H, W).
    kernel_size, stride, pad : int or (int, int)
        The size of the window, its steps, and the width of the border of zeros. These zeros count.

    Returns
    -------
    Variable
        (N, C, OH, OW).

    Raises
    ------
    ValueError
        If `x` holds no images, if they have no place for the window, or if a size is negative or a step zero.
    """
    return AveragePooling(kernel_size, stride, pad)(x)


def _border_columns(x: Any, window: _Window) -> Any:
    # −∞ where the window sees the border, else 0.
    _check_pooling(window, x)
    border = window.bordered(np.zeros_like(x), _least(x.dtype))
    return _columns(border, _Window(window.kernel, window.stride))


def _check_pooling(window: _Window, x: Any) -> None:
    if window.pad[0] >= window.kernel[0] or window.pad[1] >= window.kernel[1]:
        raise ValueError(
            f"under {window} some windows see nothing of images of shape {x.shape}: "
            f"the pad must be smaller than the window"
        )


class Pooling(Function):
    __slots__ = ("_y", "window")

    def __init__(self, kernel_size: Pair, stride: Pair = 1, pad: Pair = 0) -> None:
        self.window = _Window(kernel_size, stride, pad)

    def forward(self, x: Any) -> Any:
        stops = self.window.stops(x.shape)
        _check_pooling(self.window, x)
        bordered = self.window.bordered(x, _least(x.dtype))
        y = None
        for _, _, pixels in self.window.taps(bordered, stops):
            y = pixels.copy() if y is None else np.maximum(y, pixels, out=y)
        self._y = y
        return y

    def rule(self, xs: Sequence[Any], gy: Any) -> Any:
        x = xs[0].data if isinstance(xs[0], Variable) else xs[0]
        bordered = self.window.bordered(x, _least(x.dtype))
        hits = []
        free = np.ones_like(self._y, dtype=bool)
        for _, _, pixels in self.window.taps(bordered, self._y.shape[2:]):
            hits.append((pixels == self._y) & free)
            free ^= hits[-1]
        return Pooling2DGrad(self.window, x.shape, hits).on(gy)


class Pooling2DGrad(Function):
    __slots__ = ("hits", "shape", "window")

    def __init__(self, window: _Window, shape: tuple[int, ...], hits: list[Any]) -> None:
        self.window, self.shape, self.hits = window, shape, hits

    def forward(self, gy: Any) -> Any:
        n, c, h, w = self.shape
        ph, pw = self.window.pad
        bordered = np.zeros_like(gy, shape=(n, c, h + 2 * ph, w + 2 * pw), order="C")
        for hit, (_, _, pixels) in zip(self.hits, self.window.taps(bordered, gy.shape[2:]), strict=True):
            pixels += hit * gy
        return self.window.inside(bordered)

    def rule(self, xs: Sequence[Any], ggx: Any) -> Any:
        return Pooling2DWithIndexes(self.window, self.shape, self.hits).on(ggx)


class Pooling2DWithIndexes(Pooling2DGrad):
    __slots__ = ()

    def forward(self, x: Any) -> Any:
        bordered = self.window.bordered(x)
        y = np.zeros_like(x, shape=self.hits[0].shape, order="C")
        for hit, (_, _, pixels) in zip(self.hits, self.window.taps(bordered, y.shape[2:]), strict=True):
            y += hit * pixels
        return y

    def rule(self, xs: Sequence[Any], gy: Any) -> Any:
        return Pooling2DGrad(self.window, self.shape, self.hits).on(gy)


def _least(dtype: np.dtype[Any]) -> float:
    if dtype.kind == "f":
        return -np.inf
    return np.iinfo(dtype).min if dtype.kind in "iu" else 0


class AveragePooling(Function):
    __slots__ = ("window",)

    def __init__(self, kernel_size: Pair, stride: Pair = 1, pad: Pair = 0) -> None:
        self.window = _Window(kernel_size, stride, pad)

    def forward(self, x: Any) -> Any:
        stops = self.window.stops(x.shape)
        y = None
        for _, _, pixels in self.window.taps(self.window.bordered(x), stops):
            y = pixels.copy() if y is None else y + pixels
        return y / (self.window.kernel[0] * self.window.kernel[1])

    def rule(self, xs: Sequence[Any], gy: Any) -> Any:
        return AveragePoolingGrad(self.window, xs[0].shape).on(gy)


class AveragePoolingGrad(Function):
    __slots__ = ("shape", "window")

    def __init__(self, window: _Window, shape: tuple[int, ...]) -> None:
        self.window, self.shape = window, shape

    def forward(self, gy: Any) -> Any:
        n, c, h, w = self.shape
        ph, pw = self.window.pad
        bordered = np.zeros_like(gy, shape=(n, c, h + 2 * ph, w + 2 * pw), order="C")
        share = gy / (self.window.kernel[0] * self.window.kernel[1])
        for _, _, pixels in self.window.taps(bordered, gy.shape[2:]):
            pixels += share
        return self.window.inside(bordered)

    def rule(self, xs: Sequence[Any], ggx: Any) -> Any:
        return AveragePooling(self.window.kernel, self.window.stride, self.window.pad).on(ggx)
