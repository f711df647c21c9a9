"""Convolution and pooling: a small window slides over an image. Steps 55–57 explain it.

Images have the shape (N, C, H, W): N of them, C channels each, H rows, W columns. A
window stops at OH × OW places of an image, and sees KH × KW pixels of each channel
there. `im2col` writes down all that it sees, in columns of the shape (N, C, KH, KW, OH,
OW); with them a convolution is a matrix product, and a pooling is a maximum or a mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..core import Function, Operand, Variable, _plain, as_array, as_variable
from .reduce import floats

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


# --- sizes ----------------------------------------------------------------------------


def get_conv_outsize(input_size: int, kernel_size: int, stride: int, pad: int) -> int:
    """The number of places where a window stops along an axis. Source: book step 55.

    >>> get_conv_outsize(4, kernel_size=3, stride=1, pad=1)
    4
    """
    return (input_size + 2 * pad - kernel_size) // stride + 1


def get_deconv_outsize(size: int, k: int, s: int, p: int) -> int:
    """The least length of an axis on which a window stops at `size` places: size `k`,
    stride `s`, pad `p`.

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
    raise ValueError(
        f"a size is a whole number, or two of them for height and width, not {x!r}"
    )


class _Window:
    # What slides over an image: its size, its steps, the border around the image, the
    # distance of the pixels it sees.
    __slots__ = ("dilation", "kernel", "pad", "reach", "stride")

    def __init__(
        self, kernel: Pair, stride: Pair = 1, pad: Pair = 0, dilation: Pair = 1
    ) -> None:
        self.kernel, self.stride, self.pad, self.dilation = (
            pair(kernel),
            pair(stride),
            pair(pad),
            pair(dilation),
        )
        for name, sizes in (
            ("kernel size", self.kernel),
            ("stride", self.stride),
            ("dilation", self.dilation),
        ):
            if min(sizes) < 1:
                raise ValueError(f"the {name} is {sizes}, but must be at least 1")
        if min(self.pad) < 0:
            raise ValueError(f"the pad is {self.pad}, but a border cannot be negative")
        kh, kw = [
            d * (k - 1) + 1 for k, d in zip(self.kernel, self.dilation, strict=True)
        ]
        self.reach = kh, kw

    def __str__(self) -> str:
        spread = (
            f" and dilation {self.dilation}, so of reach {self.reach},"
            if max(self.dilation) > 1
            else ""
        )
        return (
            f"a window of size {self.kernel}{spread} with stride {self.stride} and "
            f"pad {self.pad}"
        )

    @property
    def area(self) -> int:
        return self.kernel[0] * self.kernel[1]

    def stops(self, shape: tuple[int, ...]) -> tuple[int, int]:
        # How many places there are for the window in images of this shape: (OH, OW).
        if len(shape) != 4:
            raise ValueError(
                f"images have the shape (N, C, H, W), not {shape}: x.reshape(...) "
                "makes it so"
            )
        sizes = zip(shape[2:], self.reach, self.stride, self.pad, strict=True)
        oh, ow = [
            get_conv_outsize(size, reach, stride, pad)
            for size, reach, stride, pad in sizes
        ]
        if oh < 1 or ow < 1:
            raise ValueError(
                f"images of shape {shape} have no place for {self}: it is larger than "
                "an image with its border"
            )
        return oh, ow

    def border(self, x: Any, value: float = 0) -> Any:
        # The images with the border around them.
        if not any(self.pad):
            return x
        y = np.full_like(x, value, shape=self.bordered(x.shape), order="C")
        self.inside(y)[...] = x
        return y

    def bordered(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        n, c, h, w = shape
        return n, c, h + 2 * self.pad[0], w + 2 * self.pad[1]

    def inside(self, bordered: Any) -> Any:
        # The images without the border around them.
        (ph, pw), (h, w) = self.pad, bordered.shape[2:]
        return bordered[:, :, ph : h - ph, pw : w - pw]

    def slices(self, axis: int, stops: int) -> list[slice]:
        # For each field of the window along an axis, the pixels that it meets at its
        # stops.
        step = self.stride[axis]
        firsts = [k * self.dilation[axis] for k in range(self.kernel[axis])]
        return [slice(first, first + step * (stops - 1) + 1, step) for first in firsts]

    def fields(
        self, bordered: Any, stops: tuple[int, int]
    ) -> dict[tuple[int, int], Any]:
        # For each field (i, j) of the window, row by row, the pixels that it meets:
        # views of the shape (N, C, OH, OW).
        rows, columns = self.slices(0, stops[0]), self.slices(1, stops[1])
        return {
            (i, j): bordered[:, :, row, column]
            for i, row in enumerate(rows)
            for j, column in enumerate(columns)
        }

    def view(self, bordered: Any) -> Any:
        # All that the window sees at its stops, (N, C, KH, KW, OH, OW), though nothing
        # has been copied yet.
        seen = np.lib.stride_tricks.sliding_window_view(
            bordered, self.reach, axis=(2, 3)
        )
        (sh, sw), (dh, dw) = self.stride, self.dilation
        return seen[:, :, ::sh, ::sw, ::dh, ::dw].transpose(0, 1, 4, 5, 2, 3)


# --- columns --------------------------------------------------------------------------


def im2col_array(
    img: Any, kernel_size: Pair, stride: Pair, pad: Pair, to_matrix: bool = True
) -> Any:
    """What a window sees at each of its stops, from an array: see :func:`im2col`.
    Source: book step 57.
    """
    return _matrix(_columns(img, _Window(kernel_size, stride, pad)), to_matrix)


def col2im_array(
    col: Any,
    img_shape: tuple[int, ...],
    kernel_size: Pair,
    stride: Pair,
    pad: Pair,
    to_matrix: bool = True,
) -> Any:
    """Images from columns, for arrays: see :func:`col2im`. Source: book step 57."""
    window = _Window(kernel_size, stride, pad)
    n, c = img_shape[:2]
    oh, ow = window.stops(img_shape)
    shape = (
        (n, oh, ow, c, *window.kernel) if to_matrix else (n, c, *window.kernel, oh, ow)
    )
    flat = (n * oh * ow, c * window.area) if to_matrix else shape
    if col.shape != flat:
        raise ValueError(
            f"columns of shape {col.shape} do not belong to images of shape "
            f"{img_shape}: {window} makes columns of shape {flat}, with "
            f"to_matrix={to_matrix}"
        )
    col = col.reshape(shape).transpose(0, 3, 4, 5, 1, 2) if to_matrix else col
    return _images(col, img_shape, window)


def _columns(x: Any, window: _Window) -> Any:
    window.stops(x.shape)
    return window.view(window.border(x)).copy()


def _images(columns: Any, shape: tuple[int, ...], window: _Window) -> Any:
    bordered = np.zeros_like(columns, shape=window.bordered(shape), order="C")
    for (i, j), pixels in window.fields(bordered, columns.shape[4:]).items():
        pixels += columns[:, :, i, j]
    return window.inside(bordered)


def _matrix(columns: Any, to_matrix: bool) -> Any:
    if not to_matrix:
        return columns
    n, c, kh, kw, oh, ow = columns.shape
    return columns.transpose(0, 4, 5, 1, 2, 3).reshape(n * oh * ow, c * kh * kw)


def im2col(
    x: Operand,
    kernel_size: Pair,
    stride: Pair = 1,
    pad: Pair = 0,
    to_matrix: bool = True,
) -> Variable:
    """Write down what a window sees at each of its stops. Source: book step 57.

    Parameters
    ----------
    x : Variable or ndarray
        Images (N, C, H, W).
    kernel_size, stride, pad : int or (int, int)
        The size of the window, its steps, and the width of the border of zeros around
        the images.
    to_matrix : bool, optional
        Whether to return one row for each stop.

    Returns
    -------
    Variable
        (N * OH * OW, C * KH * KW), or without `to_matrix` (N, C, KH, KW, OH, OW).

    Raises
    ------
    ValueError
        If `x` holds no images, if they have no place for the window, or if a size is
        negative or a step zero.

    Examples
    --------
    >>> im2col(np.arange(6.0).reshape(1, 1, 2, 3), kernel_size=2)
    variable([[0. 1. 3. 4.]
              [1. 2. 4. 5.]])
    """
    return Im2col(kernel_size, stride, pad, to_matrix)(as_array(x))


def col2im(
    x: Operand,
    input_shape: tuple[int, ...],
    kernel_size: Pair,
    stride: Pair = 1,
    pad: Pair = 0,
    to_matrix: bool = True,
) -> Variable:
    """Add up columns to images: each number goes where :func:`im2col` would take it
    from. Source: book step 57.

    It is the reverse in that it carries gradients back, not the inverse: a pixel that
    is seen k times counts k times.

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
        If the columns do not belong to such images, or for the reasons of
        :func:`im2col`.
    """
    return Col2im(input_shape, kernel_size, stride, pad, to_matrix)(as_array(x))


class Im2col(Function):
    __slots__ = ("arguments",)

    def __init__(
        self, kernel_size: Pair, stride: Pair, pad: Pair, to_matrix: bool
    ) -> None:
        self.arguments = kernel_size, stride, pad, to_matrix

    def forward(self, x: Any) -> Any:
        return im2col_array(x, *self.arguments)

    def vjp(self, xs: Sequence[Any], gy: Any) -> Any:
        return Col2im(xs[0].shape, *self.arguments).on(gy)


class Col2im(Function):
    __slots__ = ("arguments", "input_shape")

    def __init__(
        self,
        input_shape: tuple[int, ...],
        kernel_size: Pair,
        stride: Pair,
        pad: Pair,
        to_matrix: bool,
    ) -> None:
        self.input_shape = input_shape
        self.arguments = kernel_size, stride, pad, to_matrix

    def forward(self, x: Any) -> Any:
        kernel_size, stride, pad, to_matrix = self.arguments
        return col2im_array(x, self.input_shape, kernel_size, stride, pad, to_matrix)

    def vjp(self, xs: Sequence[Any], gy: Any) -> Any:
        return Im2col(*self.arguments).on(gy)


# --- convolution ----------------------------------------------------------------------


def conv2d_simple(
    x: Operand, W: Operand, b: Operand | None = None, stride: Pair = 1, pad: Pair = 0
) -> Variable:
    """Convolution in functions that are known already: columns, then a matrix product.
    Source: book step 57.

    It takes what :func:`conv2d` takes, and gives the same.
    """
    x, W = as_variable(x), as_variable(W)
    _check_kernels(W)
    kh, kw = W.shape[2:]
    window = _Window((kh, kw), stride, pad)
    oh, ow = window.stops(x.shape)
    _check_channels(x, W, b, groups=1)
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
        The steps of the kernel, the width of the border of zeros, and the distance of
        the pixels that it sees.
    groups : int, optional
        The channels fall into so many groups, and each group of outputs sees its own
        group of inputs.

    Returns
    -------
    Variable
        (N, OC, OH, OW).

    Raises
    ------
    ValueError
        If the channels do not match or do not divide into groups, if the kernel is
        larger than the image with its border, or if a size is negative or a step zero.

    Notes
    -----
    As in every framework for deep learning, the kernel is not flipped: mathematics
    calls this a cross-correlation.
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
    """The way back through a convolution, also called transposed convolution. Source:
    book step 57.

    Each pixel of `x` lays a copy of the kernel, times itself, onto the output. With the
    same `W`, `stride` and `pad` it is to :func:`conv2d` what a gradient is to a value,
    and it has the shapes of that: small images become large.

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
        The height and width of the output, where a stride leaves a choice; else it is
        the smallest.

    Returns
    -------
    Variable
        (N, OC, OH, OW).

    Raises
    ------
    ValueError
        If the channels do not match or do not divide into groups, if no convolution
        leads from `outsize` to the size of `x`, or if a size is negative or a step
        zero.
    """
    arrays = [as_array(array) for array in (x, W, b) if array is not None]
    return Deconv2d(stride, pad, outsize, dilation, groups)(*arrays)


class _Convolution(Function):
    # Images x, kernels W and results y are tied by one sum over products x · W · y. Its
    # slope with respect to y is the convolution, with respect to x the deconvolution,
    # with respect to W the gradient of the kernels. So the three classes below are each
    # other's gradients, to every order.
    __slots__ = ("dilation", "groups", "pad", "stride")

    def __init__(
        self, stride: Pair = 1, pad: Pair = 0, dilation: Pair = 1, groups: int = 1
    ) -> None:
        self.stride, self.pad, self.dilation, self.groups = (
            stride,
            pad,
            dilation,
            groups,
        )

    def window(self, W: Any) -> _Window:
        _check_kernels(W)
        return _Window(W.shape[2:], self.stride, self.pad, self.dilation)

    def convolve(self, x: Any, W: Any) -> Any:
        return Conv2d(self.stride, self.pad, self.dilation, self.groups).on(x, W)

    def deconvolve(self, y: Any, W: Any, size: tuple[int, int]) -> Any:
        return Deconv2d(self.stride, self.pad, size, self.dilation, self.groups).on(
            y, W
        )

    def kernels(self, x: Any, y: Any, kernel_size: tuple[int, int]) -> Any:
        return Conv2DGradW(
            kernel_size, self.stride, self.pad, self.dilation, self.groups
        ).on(x, y)


class Conv2d(_Convolution):
    __slots__ = ()

    def forward(self, x: Any, W: Any, b: Any = None) -> Any:
        window = self.window(W)
        window.stops(x.shape)
        _check_channels(x, W, b, self.groups)
        return _plus(_convolve(x, W, window, self.groups), b)

    def vjp(self, xs: Sequence[Any], gy: Any) -> Any:
        x, W = xs[:2]
        gb = gy.sum(axis=(0, 2, 3)) if len(xs) == 3 else None
        if (
            self.needs_input_grad(0)
            and self.needs_input_grad(1)
            and not isinstance(gy, Variable)
        ):
            gx, gW = _both_gradients(x, W, gy, self.window(W), self.groups)
            return (gx, gW) if len(xs) == 2 else (gx, gW, gb)
        gx = self.deconvolve(gy, W, x.shape[2:]) if self.needs_input_grad(0) else None
        gW = self.kernels(x, gy, W.shape[2:]) if self.needs_input_grad(1) else None
        return (gx, gW) if len(xs) == 2 else (gx, gW, gb)


class Deconv2d(_Convolution):
    __slots__ = ("outsize",)

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

    def forward(self, y: Any, W: Any, b: Any = None) -> Any:
        window = self.window(W)
        shape = _check_deconvolution(y, W, b, window, self.outsize, self.groups)
        return _plus(_deconvolve(y, W, window, shape, self.groups), b)

    def vjp(self, xs: Sequence[Any], gx: Any) -> Any:
        y, W = xs[:2]
        gy = self.convolve(gx, W) if self.needs_input_grad(0) else None
        gW = self.kernels(gx, y, W.shape[2:]) if self.needs_input_grad(1) else None
        return (gy, gW) if len(xs) == 2 else (gy, gW, gx.sum(axis=(0, 2, 3)))


class Conv2DGradW(_Convolution):
    __slots__ = ("kernel_size",)

    def __init__(
        self,
        kernel_size: Pair,
        stride: Pair = 1,
        pad: Pair = 0,
        dilation: Pair = 1,
        groups: int = 1,
    ) -> None:
        super().__init__(stride, pad, dilation, groups)
        self.kernel_size = kernel_size

    def forward(self, x: Any, y: Any) -> Any:
        return _kernels(
            x,
            y,
            _Window(self.kernel_size, self.stride, self.pad, self.dilation),
            self.groups,
        )

    def vjp(self, xs: Sequence[Any], gW: Any) -> Any:
        x, y = xs
        gx = self.deconvolve(y, gW, x.shape[2:]) if self.needs_input_grad(0) else None
        gy = self.convolve(x, gW) if self.needs_input_grad(1) else None
        return gx, gy


def _plus(y: Any, b: Any) -> Any:
    # The result of a convolution is fresh, so it may grow in place, unless b is of a
    # wider dtype.
    if b is None:
        return y
    return np.add(
        y, b.reshape(-1, 1, 1), out=y if np.result_type(y, b) == y.dtype else None
    )


def _check_kernels(W: Any) -> None:
    if W.ndim != 4:
        raise ValueError(
            f"kernels have four axes, the last two KH and KW, but W has shape {W.shape}"
        )
    if 0 in W.shape[:2]:
        raise ValueError(
            f"kernels have a channel at least on each side, but W has shape {W.shape}"
        )


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


def _check_deconvolution(
    y: Any, W: Any, b: Any, window: _Window, outsize: Pair | None, groups: int
) -> tuple[int, int, int, int]:
    if y.ndim != 4:
        raise ValueError(
            f"images have the shape (N, C, H, W), not {y.shape}: x.reshape(...) makes "
            "it so"
        )
    if groups < 1 or y.shape[1] % groups or y.shape[1] != W.shape[0]:
        raise ValueError(
            f"x of shape {y.shape} does not fit W of shape {W.shape} with "
            f"groups={groups}: W has the shape (C, OC / groups, KH, KW), where C is "
            "the number of channels of x, which groups must divide"
        )
    oc = W.shape[1] * groups
    _check_bias(b, oc)
    sizes = zip(y.shape[2:], window.reach, window.stride, window.pad, strict=True)
    formula = [
        get_deconv_outsize(size, reach, stride, pad)
        for size, reach, stride, pad in sizes
    ]
    most = [
        length + step - 1 for length, step in zip(formula, window.stride, strict=True)
    ]
    if min(most) < 1:
        raise ValueError(
            f"nothing is left of x of shape {y.shape} with {window}: the pad is what "
            "a deconvolution cuts off on each side, so a smaller one leaves more"
        )
    least = [max(1, length) for length in formula]
    h, w = least if outsize is None else pair(outsize)
    if not (least[0] <= h <= most[0] and least[1] <= w <= most[1]):
        raise ValueError(
            f"no convolution leads from {h} × {w} pixels to x of shape {y.shape} with "
            f"{window}: outsize can be from {least[0]} × {least[1]} to {most[0]} × "
            f"{most[1]}"
        )
    return y.shape[0], oc, h, w


# --- convolution, by blocks of columns ------------------------------------------------

# All columns together take KH · KW times the memory of the images, and fresh memory
# costs more time than arithmetic. So they are formed a block at a time, always in the
# same memory, and backward forms them again. BLOCK bytes stay in the processor's cache;
# but since each product reads all the kernels, a block has no fewer columns than
# COLUMNS.
BLOCK = 2**21
COLUMNS = 256


# Which way to compute is decided here. All ways agree but for rounding.


def _convolve(x: Any, W: Any, window: _Window, groups: int) -> Any:
    if _sees_a_pixel(window):
        return _mix(x, W, groups)
    return _sweep(x, window, groups, W=W)[0]


def _deconvolve(
    y: Any, W: Any, window: _Window, shape: tuple[int, ...], groups: int
) -> Any:
    if _sees_a_pixel(window):
        return _mix(y, _turned(W, groups), groups)
    if _turns(W, window, groups):
        return _sweep(y, _turned_window(window), groups, W=_turned(W, groups))[0]
    return _scatter(y, W, window, shape, groups)


def _kernels(x: Any, y: Any, window: _Window, groups: int) -> Any:
    if _sees_a_pixel(window):
        return _mixture(x, y, groups)
    return _sweep(x, window, groups, y=y)[1]


def _both_gradients(
    x: Any, W: Any, gy: Any, window: _Window, groups: int
) -> tuple[Any, Any]:
    if _turns(W, window, groups) and not _sees_a_pixel(window):
        gx, gW = _sweep(gy, _turned_window(window), groups, W=_turned(W, groups), y=x)
        return gx, _turned(gW, groups)
    return _deconvolve(gy, W, window, x.shape, groups), _kernels(x, gy, window, groups)


def _sees_a_pixel(window: _Window) -> bool:
    return window.kernel == window.stride == (1, 1) and window.pad == (0, 0)


def _turns(W: Any, window: _Window, groups: int) -> bool:
    # With stride 1, the way back through a convolution is a convolution as well. It
    # sees columns of y in place of columns of x, which pays unless y has many more
    # channels.
    border = [reach > pad for reach, pad in zip(window.reach, window.pad, strict=True)]
    return (
        window.stride == (1, 1)
        and all(border)
        and W.shape[0] <= 2 * groups * W.shape[1]
    )


def _turned(W: Any, groups: int) -> Any:
    # Kernels for the way back: turned half around, input channels and output channels
    # exchanged.
    oc, c, kh, kw = W.shape
    W = W.reshape(groups, oc // groups, c, kh, kw)[:, :, :, ::-1, ::-1]
    return W.transpose(0, 2, 1, 3, 4).reshape(groups * c, oc // groups, kh, kw)


def _turned_window(window: _Window) -> _Window:
    ph, pw = [
        reach - 1 - pad for reach, pad in zip(window.reach, window.pad, strict=True)
    ]
    return _Window(window.kernel, 1, (ph, pw), window.dilation)


def _sweep(
    x: Any, window: _Window, groups: int, W: Any = None, y: Any = None
) -> tuple[Any, Any]:
    # Form the columns of x once, for one or both of two products: with the kernels W,
    # which is the convolution, and with y, of the shape of a convolution, which is the
    # gradient of the kernels.
    n, c = x.shape[:2]
    stops = window.stops(x.shape)
    convolved: Any = None
    gW: Any = None
    if W is not None:
        kernels = W.reshape(groups, W.shape[0] // groups, W[0].size)
        convolved = np.empty_like(
            x, np.result_type(x, W), shape=(n, W.shape[0], *stops), order="C"
        )
    if y is not None:
        shape = groups, y.shape[1] // groups, c // groups * window.area
        gW = np.zeros_like(x, np.result_type(x, y), shape=shape, order="C")
    view = window.view(window.border(x))
    for images, rows, columns, matrix in _blocks(x, c, n, stops, window, groups):
        columns[...] = view[images, :, :, :, rows]
        if W is not None:
            part = convolved[images, :, rows]
            part[...] = _ungrouped(kernels @ matrix, part.shape)
        if y is not None:
            gW += _grouped(y[images, :, rows], groups) @ matrix.transpose(0, 2, 1)
    return convolved, None if gW is None else gW.reshape(
        -1, c // groups, *window.kernel
    )


def _scatter(
    y: Any, W: Any, window: _Window, shape: tuple[int, ...], groups: int
) -> Any:
    # The way back for every stride: multiply to columns, then add each of their fields
    # to the pixels that it met.
    n, c = shape[:2]
    stops = y.shape[2:]
    kernels = W.reshape(groups, W.shape[0] // groups, W[0].size).transpose(0, 2, 1)
    bordered = np.zeros_like(
        y, np.result_type(y, W), shape=window.bordered(shape), order="C"
    )
    fields = window.fields(bordered, stops)
    for images, rows, columns, matrix in _blocks(bordered, c, n, stops, window, groups):
        np.matmul(kernels, _grouped(y[images, :, rows], groups), out=matrix)
        for (i, j), pixels in fields.items():
            pixels[images, :, rows] += columns[:, :, i, j]
    return window.inside(bordered)


def _blocks(
    like: Any, c: int, n: int, stops: tuple[int, int], window: _Window, groups: int
) -> Iterator[tuple[slice, slice, Any, Any]]:
    # Some images, or some rows of stops in one: which they are, memory for their
    # columns, and the same memory as one matrix (C / G · KH · KW, N · OH · OW) for each
    # group.
    oh, ow = stops
    length = c * window.area
    number = max(COLUMNS, BLOCK // (length * like.dtype.itemsize))
    height = max(1, min(oh, number // ow))
    count = max(1, min(n, number // (oh * ow)))
    memory = np.empty_like(like, shape=length * count * height * ow)
    for i in range(0, n, count):
        for r in range(0, oh, height):
            m, h = min(count, n - i), min(height, oh - r)
            part = memory[: length * m * h * ow]
            columns = part.reshape(c, *window.kernel, m, h, ow).transpose(
                3, 0, 1, 2, 4, 5
            )
            yield (
                slice(i, i + m),
                slice(r, r + h),
                columns,
                part.reshape(groups, length // groups, m * h * ow),
            )


def _grouped(y: Any, groups: int) -> Any:
    # From (N, C, H, W) to a matrix (C / G, N · H · W) for each group.
    n, c, h, w = y.shape
    return y.transpose(1, 0, 2, 3).reshape(groups, c // groups, n * h * w)


def _ungrouped(matrices: Any, shape: tuple[int, ...]) -> Any:
    n, c, h, w = shape
    return matrices.reshape(c, n, h, w).transpose(1, 0, 2, 3)


# A kernel of one pixel mixes the channels of that pixel. Nothing slides: the images are
# their own columns.


def _mix(x: Any, W: Any, groups: int) -> Any:
    n, c, h, w = x.shape
    y = W.reshape(groups, W.shape[0] // groups, c // groups) @ x.reshape(
        n, groups, c // groups, h * w
    )
    return y.reshape(n, W.shape[0], h, w)


def _mixture(x: Any, y: Any, groups: int) -> Any:
    # A product writes all of gW, so small images share one. A large image has one of
    # its own, which spares a copy.
    (n, c, h, w), oc = x.shape, y.shape[1]
    gW = np.zeros_like(
        x, np.result_type(x, y), shape=(groups, oc // groups, c // groups), order="C"
    )
    count = max(1, COLUMNS // (h * w))
    for i in range(0, n, count):
        images = slice(i, i + count)
        gW += _grouped(y[images], groups) @ _grouped(x[images], groups).transpose(
            0, 2, 1
        )
    return gW.reshape(oc, c // groups, 1, 1)


# --- pooling --------------------------------------------------------------------------


def pooling_simple(
    x: Operand, kernel_size: Pair, stride: Pair = 1, pad: Pair = 0
) -> Variable:
    """Max pooling in functions that are known already: columns, then their maxima.
    Source: book step 57.

    It takes what :func:`pooling` takes, and gives the same; at ties the gradient goes
    where :func:`max` lets it go, to the border as well where a window sees nothing but
    −∞.
    """
    window = _Window(kernel_size, stride, pad)
    columns = im2col(x, kernel_size, stride, pad, to_matrix=False)
    if max(window.pad):
        columns = columns + _border_columns(_plain(x), window)
    return columns.max(axis=(2, 3))


def pooling(x: Operand, kernel_size: Pair, stride: Pair = 1, pad: Pair = 0) -> Variable:
    """The largest number in each window: max pooling. Source: book step 57.

    Parameters
    ----------
    x : Variable or ndarray
        Images (N, C, H, W).
    kernel_size, stride, pad : int or (int, int)
        The size of the window, its steps, and the width of the border. The border holds
        −∞, or the least number that the dtype has, so it never wins.

    Returns
    -------
    Variable
        (N, C, OH, OW), of the dtype of `x`.

    Raises
    ------
    ValueError
        If `x` holds no images, if they have no place for the window, if `pad` is so
        large that a window sees nothing but border, or if a size is negative or a step
        zero.

    Notes
    -----
    Where several numbers of a window are largest, the first of them receives the
    gradient, row by row: after a relu, windows full of zeros are common.
    """
    return Pooling(kernel_size, stride, pad)(as_array(x))


def average_pooling(
    x: Operand, kernel_size: Pair, stride: Pair = 1, pad: Pair = 0
) -> Variable:
    """The mean of each window. Source: book step 57.

    Parameters
    ----------
    x : Variable or ndarray
        Images (N, C, H, W).
    kernel_size, stride, pad : int or (int, int)
        The size of the window, its steps, and the width of the border of zeros. These
        zeros count.

    Returns
    -------
    Variable
        (N, C, OH, OW), of the dtype of `x`; whole numbers have means in float64.

    Raises
    ------
    ValueError
        If `x` holds no images, if they have no place for the window, or if a size is
        negative or a step zero.
    """
    return AveragePooling(kernel_size, stride, pad)(as_array(x))


def _border_columns(x: Any, window: _Window) -> Any:
    # −∞ where the window sees the border, else 0.
    _check_pooling(x, window)
    border = window.border(np.zeros_like(x), _least(x.dtype))
    return _columns(border, _Window(window.kernel, window.stride))


def _least(dtype: np.dtype[Any]) -> float:
    if dtype.kind == "f":
        return -np.inf
    return np.iinfo(dtype).min if dtype.kind in "iu" else 0


def _check_pooling(x: Any, window: _Window) -> None:
    if window.pad[0] >= window.kernel[0] or window.pad[1] >= window.kernel[1]:
        raise ValueError(
            f"in images of shape {x.shape}, {window} stops where it sees nothing but "
            "border: the pad must be smaller than the window"
        )


# A window of more fields than this looks for its winner in two steps.
LARGE = 16


class Pooling(Function):
    __slots__ = ("_y", "window")

    def __init__(self, kernel_size: Pair, stride: Pair = 1, pad: Pair = 0) -> None:
        self.window = _Window(kernel_size, stride, pad)

    def forward(self, x: Any) -> Any:
        self.window.stops(x.shape)
        _check_pooling(x, self.window)
        self._y = _maxima(x, self.window)
        return self._y

    def vjp(self, xs: Sequence[Any], gy: Any) -> Any:
        # Who wins does not change when x changes a little. So the winners are
        # constants, to every order.
        x, window = _plain(xs[0]), self.window
        if window.area <= LARGE:
            return Pooling2DGrad(window, x.shape, _winners(x, self._y, window)).on(gy)
        # The winner of each row, then the first among those: KH + KW steps do the work
        # of KH · KW.
        (kh, kw), (sh, sw), (ph, pw) = window.kernel, window.stride, window.pad
        row, column = (
            _Window((1, kw), (1, sw), (0, pw)),
            _Window((kh, 1), (sh, 1), (ph, 0)),
        )
        best = _maxima(x, row)
        gbest = Pooling2DGrad(column, best.shape, _winners(best, self._y, column)).on(
            gy
        )
        return Pooling2DGrad(row, x.shape, _winners(x, best, row)).on(gbest)


def _maxima(x: Any, window: _Window) -> Any:
    return _over_rows_then_columns(
        np.maximum, window.border(x, _least(x.dtype)), window, window.stops(x.shape)
    )


def _winners(x: Any, y: Any, window: _Window) -> list[Any]:
    # For each field of the window: does it hold the maximum first, in each of the
    # places?
    winners = []
    undecided = np.ones_like(y, dtype=bool)
    fields = window.fields(window.border(x, _least(x.dtype)), y.shape[2:])
    if any(window.pad):
        # The border wins nothing, even where the image holds −∞ itself.
        image = window.fields(
            window.border(np.ones_like(x, dtype=bool, shape=(1, 1, *x.shape[2:]))),
            y.shape[2:],
        )
    for place, pixels in fields.items():
        won = (pixels == y) & undecided
        if any(window.pad):
            won &= image[place]
        undecided ^= won
        winners.append(won)
    return winners


class Pooling2DGrad(Function):
    # Each number goes to the winner of its window.
    __slots__ = ("shape", "window", "winners")

    def __init__(
        self, window: _Window, shape: tuple[int, ...], winners: list[Any]
    ) -> None:
        self.window, self.shape, self.winners = window, shape, winners

    def forward(self, gy: Any) -> Any:
        bordered = np.zeros_like(gy, shape=self.window.bordered(self.shape), order="C")
        apart = all(
            [
                step >= k
                for step, k in zip(self.window.stride, self.window.kernel, strict=True)
            ]
        )
        fields = self.window.fields(bordered, gy.shape[2:])
        for won, pixels in zip(self.winners, fields.values(), strict=True):
            if apart:
                np.multiply(won, gy, out=pixels)
            else:
                pixels += won * gy
        return self.window.inside(bordered)

    def vjp(self, xs: Sequence[Any], ggx: Any) -> Any:
        return Pooling2DWithIndexes(self.window, self.shape, self.winners).on(ggx)


class Pooling2DWithIndexes(Pooling2DGrad):
    # Each window yields what lies where its winner was.
    __slots__ = ()

    def forward(self, x: Any) -> Any:
        y = np.zeros_like(x, shape=self.winners[0].shape, order="C")
        fields = self.window.fields(self.window.border(x), y.shape[2:])
        for won, pixels in zip(self.winners, fields.values(), strict=True):
            y += won * pixels
        return y

    def vjp(self, xs: Sequence[Any], gy: Any) -> Any:
        return Pooling2DGrad(self.window, self.shape, self.winners).on(gy)


class AveragePooling(Function):
    __slots__ = ("window",)

    def __init__(self, kernel_size: Pair, stride: Pair = 1, pad: Pair = 0) -> None:
        self.window = _Window(kernel_size, stride, pad)

    def forward(self, x: Any) -> Any:
        stops = self.window.stops(x.shape)
        x = floats(x)
        y = (
            _over_rows_then_columns(
                np.add, self.window.border(_widened(x)), self.window, stops
            )
            / self.window.area
        )
        return y.astype(x.dtype, copy=False)

    def vjp(self, xs: Sequence[Any], gy: Any) -> Any:
        return AveragePoolingGrad(self.window, xs[0].shape).on(gy)


class AveragePoolingGrad(Function):
    # Each number is shared out equally to its window.
    __slots__ = ("shape", "window")

    def __init__(self, window: _Window, shape: tuple[int, ...]) -> None:
        self.window, self.shape = window, shape

    def forward(self, gy: Any) -> Any:
        (n, c, oh, ow), (h, w) = gy.shape, self.window.bordered(self.shape)[2:]
        share = _widened(gy) / self.window.area
        rows = np.zeros_like(share, shape=(n, c, oh, w), order="C")
        for column in self.window.slices(1, ow):
            rows[:, :, :, column] += share
        bordered = np.zeros_like(share, shape=(n, c, h, w), order="C")
        for row in self.window.slices(0, oh):
            bordered[:, :, row] += rows
        return self.window.inside(bordered).astype(gy.dtype, copy=False)

    def vjp(self, xs: Sequence[Any], ggx: Any) -> Any:
        return AveragePooling(
            self.window.kernel, self.window.stride, self.window.pad
        ).on(ggx)


def _widened(x: Any) -> Any:
    # Sums soon leave the range of float16, though means do not.
    return x.astype(np.float32) if x.dtype == np.float16 else x


def _over_rows_then_columns(
    operation: Any, bordered: Any, window: _Window, stops: tuple[int, int]
) -> Any:
    # KH + KW steps do the work of KH · KW: maxima of maxima, or sums of sums. Rows come
    # first because neighbours in a row are neighbours in memory, too.
    y = _fold(operation, [bordered[:, :, row] for row in window.slices(0, stops[0])])
    return _fold(
        operation, [y[:, :, :, column] for column in window.slices(1, stops[1])]
    )


def _fold(operation: Any, arrays: list[Any]) -> Any:
    if len(arrays) == 1:
        return arrays[0].copy()
    y = operation(arrays[0], arrays[1])
    for array in arrays[2:]:
        operation(y, array, out=y)
    return y
