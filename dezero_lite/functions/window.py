"""A small window that slides over images: its sizes, its stops, and what it sees. Steps
55–57 explain it.

Images have the shape (N, C, H, W): N images of C channels, H rows and W columns. A
window stops at OH × OW places of an image, and sees KH × KW pixels of each channel
there. `im2col` collects all that it sees in columns of the shape (N, C, KH, KW, OH,
OW); on them, a convolution is a matrix product, and pooling is a maximum or a mean.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..core import Operand, Primitive, Variable, as_array
from ..core.types import Array, Shape, Value

__all__ = ["col2im", "col2im_array", "im2col", "im2col_array"]

Pair = int | tuple[int, int]


# --- sizes ----------------------------------------------------------------------------


def get_conv_outsize(input_size: int, kernel_size: int, stride: int, pad: int) -> int:
    """Compute the number of stops of a window along an axis. Source: book step 55.

    >>> get_conv_outsize(4, kernel_size=3, stride=1, pad=1)
    4
    """
    return (input_size + 2 * pad - kernel_size) // stride + 1


def get_deconv_outsize(size: int, k: int, s: int, p: int) -> int:
    """Compute the smallest length of an axis on which a window stops at `size` places:
    kernel size `k`, stride `s`, pad `p`.

    >>> get_deconv_outsize(4, k=3, s=1, p=1)
    4
    """
    return s * (size - 1) + k - 2 * p


def pair(x: Pair) -> tuple[int, int]:
    """Return a size for both axes, given as one number or as two. Source: book step 57.

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


# --- the window -----------------------------------------------------------------------


class Window:
    """A window that slides over images: its size, its step, the border around the
    images, and the distance between the pixels that it sees.

    Raises
    ------
    ValueError
        If a size is negative, or a kernel size, stride or dilation is zero.
    """

    __slots__ = ("dilation", "effective_size", "kernel", "pad", "stride")

    def __init__(
        self, kernel: Pair, stride: Pair = 1, pad: Pair = 0, dilation: Pair = 1
    ) -> None:
        self.kernel, self.stride = pair(kernel), pair(stride)
        self.pad, self.dilation = pair(pad), pair(dilation)
        self._check()
        (kh, kw), (dh, dw) = self.kernel, self.dilation
        self.effective_size = dh * (kh - 1) + 1, dw * (kw - 1) + 1

    @property
    def area(self) -> int:
        """The number of its taps, the pixels that it sees at once."""
        return self.kernel[0] * self.kernel[1]

    def columns(self, x: Array) -> Array:
        """Collect all that it sees in the images `x`: (N, C, KH, KW, OH, OW)."""
        self.output_size(x.shape)
        return self.view(self.add_border(x)).copy()

    def images(self, columns: Array, shape: Shape) -> Array:
        """Reverse `columns`: make images of this shape by adding each number to the
        pixel from which it was taken.
        """
        bordered = np.zeros_like(columns, shape=self.bordered_shape(shape), order="C")
        for (i, j), pixels in self.tap_views(bordered, columns.shape[4:]).items():
            pixels += columns[:, :, i, j]
        return self.remove_border(bordered)

    def output_size(self, shape: Shape) -> tuple[int, int]:
        """Count its stops in images of this shape: (OH, OW)."""
        if len(shape) != 4:
            raise ValueError(not_images(shape))
        sizes = zip(shape[2:], self.effective_size, self.stride, self.pad, strict=True)
        oh, ow = [get_conv_outsize(*numbers) for numbers in sizes]
        if oh < 1 or ow < 1:
            raise ValueError(
                f"images of shape {shape} have no place for {self}: it is larger than "
                "an image with its border"
            )
        return oh, ow

    def add_border(self, x: Array, value: float = 0) -> Array:
        """Add the border, filled with `value`, to the images."""
        if not any(self.pad):
            return x
        y = np.full_like(x, value, shape=self.bordered_shape(x.shape), order="C")
        self.remove_border(y)[...] = x
        return y

    def bordered_shape(self, shape: Shape) -> Shape:
        """Return the shape of images with the border around them."""
        n, c, h, w = shape
        return n, c, h + 2 * self.pad[0], w + 2 * self.pad[1]

    def remove_border(self, bordered: Array) -> Array:
        """Return a view of the images without the border."""
        (ph, pw), (h, w) = self.pad, bordered.shape[2:]
        return bordered[:, :, ph : h - ph, pw : w - pw]

    def slices(self, axis: int, stops: int) -> list[slice]:
        """Return, for each tap along an axis, the slice of the pixels that it sees at
        all stops.
        """
        step = self.stride[axis]
        firsts = [k * self.dilation[axis] for k in range(self.kernel[axis])]
        return [slice(first, first + step * (stops - 1) + 1, step) for first in firsts]

    def tap_views(
        self, bordered: Array, size: tuple[int, int]
    ) -> dict[tuple[int, int], Array]:
        """Return, for each tap (i, j), row by row, a view of the pixels that it sees:
        shape (N, C, OH, OW).
        """
        rows, columns = self.slices(0, size[0]), self.slices(1, size[1])
        return {
            (i, j): bordered[:, :, row, column]
            for i, row in enumerate(rows)
            for j, column in enumerate(columns)
        }

    def view(self, bordered: Array) -> Array:
        """Return `columns` of images that already have a border, as a view."""
        seen = sliding_window_view(bordered, self.effective_size, axis=(2, 3))
        (sh, sw), (dh, dw) = self.stride, self.dilation
        return seen[:, :, ::sh, ::sw, ::dh, ::dw].transpose(0, 1, 4, 5, 2, 3)

    def __str__(self) -> str:
        size = f"size {self.kernel}"
        if max(self.dilation) > 1:
            effective = f"so of effective size {self.effective_size},"
            size += f" and dilation {self.dilation}, {effective}"
        return f"a window of {size} with stride {self.stride} and pad {self.pad}"

    def _check(self) -> None:
        positive = {"kernel size": self.kernel, "stride": self.stride}
        positive["dilation"] = self.dilation
        for name, sizes in positive.items():
            if min(sizes) < 1:
                raise ValueError(f"the {name} is {sizes}, but must be at least 1")
        if min(self.pad) < 0:
            raise ValueError(f"the pad is {self.pad}, but a border cannot be negative")


def not_images(shape: Shape) -> str:
    """Return the message for an array of this shape that should hold images."""
    return (
        f"images have the shape (N, C, H, W), not {shape}: x.reshape(...) makes it so"
    )


# --- columns --------------------------------------------------------------------------


def im2col(
    x: Operand,
    kernel_size: Pair,
    stride: Pair = 1,
    pad: Pair = 0,
    to_matrix: bool = True,
) -> Variable:
    """Collect what a window sees at each of its stops. Source: book step 57.

    Parameters
    ----------
    x : Variable or ndarray
        Images (N, C, H, W).
    kernel_size, stride, pad : int or (int, int)
        The size of the window, its step, and the width of the border of zeros around
        the images.
    to_matrix : bool, optional
        Return a matrix with one row for each stop.

    Returns
    -------
    Variable
        (N * OH * OW, C * KH * KW), or without `to_matrix` (N, C, KH, KW, OH, OW).

    Raises
    ------
    ValueError
        If `x` is not an array of images, if the window does not fit into them, or if a
        size is negative or a step zero.

    Examples
    --------
    >>> im2col(np.arange(6.0).reshape(1, 1, 2, 3), kernel_size=2)
    variable([[0. 1. 3. 4.]
              [1. 2. 4. 5.]])
    """
    return Im2col(kernel_size, stride, pad, to_matrix)(as_array(x))


def col2im(
    x: Operand,
    input_shape: Shape,
    kernel_size: Pair,
    stride: Pair = 1,
    pad: Pair = 0,
    to_matrix: bool = True,
) -> Variable:
    """Add up columns into images: each number goes to the pixel from which
    :func:`im2col` would take it. Source: book step 57.

    It reverses :func:`im2col` for gradients but is not its inverse: a pixel that is
    seen k times counts k times.

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
        If the columns do not match such images, or for the reasons given in
        :func:`im2col`.
    """
    return Col2im(input_shape, kernel_size, stride, pad, to_matrix)(as_array(x))


class Im2col(Primitive):
    def __init__(
        self, kernel_size: Pair, stride: Pair, pad: Pair, to_matrix: bool
    ) -> None:
        self.arguments = kernel_size, stride, pad, to_matrix

    def forward(self, x: Array) -> Array:
        return im2col_array(x, *self.arguments)

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        return Col2im(xs[0].shape, *self.arguments).apply(gy)


class Col2im(Primitive):
    def __init__(
        self,
        input_shape: Shape,
        kernel_size: Pair,
        stride: Pair,
        pad: Pair,
        to_matrix: bool,
    ) -> None:
        self.input_shape = input_shape
        self.arguments = kernel_size, stride, pad, to_matrix

    def forward(self, x: Array) -> Array:
        return col2im_array(x, self.input_shape, *self.arguments)

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        return Im2col(*self.arguments).apply(gy)


def im2col_array(
    img: Array, kernel_size: Pair, stride: Pair, pad: Pair, to_matrix: bool = True
) -> Array:
    """Collect what a window sees at each stop, from an array: see :func:`im2col`.
    Source: book step 57.
    """
    columns = Window(kernel_size, stride, pad).columns(img)
    if not to_matrix:
        return columns
    n, c, kh, kw, oh, ow = columns.shape
    return columns.transpose(0, 4, 5, 1, 2, 3).reshape(n * oh * ow, c * kh * kw)


def col2im_array(
    col: Array,
    img_shape: Shape,
    kernel_size: Pair,
    stride: Pair,
    pad: Pair,
    to_matrix: bool = True,
) -> Array:
    """Add up columns into images, for arrays: see :func:`col2im`. Source: book step
    57.
    """
    window = Window(kernel_size, stride, pad)
    (n, c), (oh, ow) = img_shape[:2], window.output_size(img_shape)
    kh, kw = window.kernel
    rows = (n * oh * ow, c * kh * kw)
    shape = rows if to_matrix else (n, c, kh, kw, oh, ow)
    if col.shape != shape:
        raise ValueError(
            f"columns of shape {col.shape} do not belong to images of shape "
            f"{img_shape}: {window} makes columns of shape {shape}, with "
            f"to_matrix={to_matrix}"
        )
    if to_matrix:
        col = col.reshape(n, oh, ow, c, kh, kw).transpose(0, 3, 4, 5, 1, 2)
    return window.images(col, img_shape)
