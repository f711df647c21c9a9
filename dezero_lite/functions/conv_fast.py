"""Convolution in the order that suits the processor's cache: for readers of `conv` who
want to know why it is fast. Steps 55–57 do not need it.

All columns together need KH · KW times the memory of the images, and allocating memory
takes longer than arithmetic. So the columns are formed block by block, always in the
same memory, and backward forms them again. Some shapes allow a faster method: a 1×1
kernel needs no columns, and some deconvolutions are themselves convolutions. All
methods agree up to rounding.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..core.types import Array, Shape
from .window import Window

# Bytes per block, so that it stays in the processor's cache. But because each product
# reads all the kernels, a block has at least COLUMNS columns.
BLOCK = 2**21
COLUMNS = 256


# --- which method ---------------------------------------------------------------------


def convolve(x: Array, W: Array, window: Window, groups: int) -> Array:
    """Convolve the images `x` with the kernels `W`."""
    if is_pointwise(window):
        return _pointwise(x, W, groups)
    return _sweep(x, window, groups, W=W)[0]


def deconvolve(y: Array, W: Array, window: Window, shape: Shape, groups: int) -> Array:
    """Compute the transposed convolution, to images of this shape."""
    if is_pointwise(window):
        return _pointwise(y, _flip(W, groups), groups)
    if flips(W, window, groups):
        return _sweep(y, _flip_window(window), groups, W=_flip(W, groups))[0]
    return _scatter(y, W, window, shape, groups)


def kernel_gradient(x: Array, y: Array, window: Window, groups: int) -> Array:
    """Compute the kernels' gradient from `y`, the gradient of the result."""
    if is_pointwise(window):
        return _pointwise_kernels(x, y, groups)
    return _sweep(x, window, groups, y=y)[1]


def both_gradients(
    x: Array, W: Array, gy: Array, window: Window, groups: int
) -> tuple[Array, Array]:
    """Compute the gradients of images and kernels, sharing columns where possible."""
    if is_pointwise(window) or not flips(W, window, groups):
        gx = deconvolve(gy, W, window, x.shape, groups)
        return gx, kernel_gradient(x, gy, window, groups)
    back = _flip_window(window)
    gx, gW = _sweep(gy, back, groups, W=_flip(W, groups), y=x)
    return gx, _flip(gW, groups)


def is_pointwise(window: Window) -> bool:
    """Return whether the window sees each pixel exactly once, on its own."""
    return window.kernel == window.stride == (1, 1) and window.pad == (0, 0)


def flips(W: Array, window: Window, groups: int) -> bool:
    """Return whether to deconvolve by a convolution with flipped kernels. It forms
    columns of y instead of x, which pays unless y has many more channels.
    """
    (rh, rw), (ph, pw) = window.effective_size, window.pad
    possible = window.stride == (1, 1) and rh > ph and rw > pw
    return possible and W.shape[0] <= 2 * groups * W.shape[1]


def _flip(W: Array, groups: int) -> Array:
    # Kernels for the deconvolution: rotated by 180°, with input and output channels
    # exchanged.
    oc, c, kh, kw = W.shape
    W = W.reshape(groups, oc // groups, c, kh, kw)[:, :, :, ::-1, ::-1]
    return W.transpose(0, 2, 1, 3, 4).reshape(groups * c, oc // groups, kh, kw)


def _flip_window(window: Window) -> Window:
    (rh, rw), (ph, pw) = window.effective_size, window.pad
    return Window(window.kernel, 1, (rh - 1 - ph, rw - 1 - pw), window.dilation)


# --- block by block -------------------------------------------------------------------


def _sweep(
    x: Array, window: Window, groups: int, W: Array = None, y: Array = None
) -> tuple[Array, Array]:
    # Form the columns of x once, for one or both of two products: with the kernels W,
    # which gives the convolution, and with y, the gradient of the convolution's result,
    # which gives the gradient of the kernels.
    output_size = window.output_size(x.shape)
    kernels = None if W is None else _as_matrices(W, groups)
    convolved = None if W is None else _empty(x, W, output_size)
    gW = None if y is None else _zeros(x, y, window, groups)
    view = window.view(window.add_border(x))
    for images, rows, columns, matrix in _blocks(
        x, x.shape, output_size, window, groups
    ):
        columns[...] = view[images, :, :, :, rows]
        if convolved is not None:
            part = convolved[images, :, rows]
            part[...] = _ungroup(kernels @ matrix, part.shape)
        if gW is not None:
            gW += _group(y[images, :, rows], groups) @ matrix.transpose(0, 2, 1)
    if gW is not None:
        gW = gW.reshape(y.shape[1], x.shape[1] // groups, *window.kernel)
    return convolved, gW


def _scatter(y: Array, W: Array, window: Window, shape: Shape, groups: int) -> Array:
    # The deconvolution for any stride: multiply into columns, then add the values of
    # each tap to the pixels that it saw.
    output_size = y.shape[2:]
    kernels = _as_matrices(W, groups).transpose(0, 2, 1)
    dtype, larger = np.result_type(y, W), window.bordered_shape(shape)
    bordered = np.zeros_like(y, dtype, shape=larger, order="C")
    views = window.tap_views(bordered, output_size)
    blocks = _blocks(bordered, shape, output_size, window, groups)
    for images, rows, columns, matrix in blocks:
        np.matmul(kernels, _group(y[images, :, rows], groups), out=matrix)
        for (i, j), pixels in views.items():
            pixels[images, :, rows] += columns[:, :, i, j]
    return window.remove_border(bordered)


def _blocks(
    like: Array, shape: Shape, output_size: tuple[int, int], window: Window, groups: int
) -> Iterator[tuple[slice, slice, Array, Array]]:
    # Split the work into some images, or some output rows of one image: yield their
    # slices, memory for their columns, and the same memory as a matrix (C / G · KH ·
    # KW, N · OH · OW) for each group.
    (n, c), (oh, ow) = shape[:2], output_size
    length = c * window.area
    number = max(COLUMNS, BLOCK // (length * like.dtype.itemsize))
    height = max(1, min(oh, number // ow))
    count = max(1, min(n, number // (oh * ow)))
    memory = np.empty_like(like, shape=length * count * height * ow)
    for i in range(0, n, count):
        for r in range(0, oh, height):
            m, h = min(count, n - i), min(height, oh - r)
            part = memory[: length * m * h * ow]
            columns = part.reshape(c, *window.kernel, m, h, ow)
            matrix = part.reshape(groups, length // groups, m * h * ow)
            images, rows = slice(i, i + m), slice(r, r + h)
            yield images, rows, columns.transpose(3, 0, 1, 2, 4, 5), matrix


def _empty(x: Array, W: Array, output_size: tuple[int, int]) -> Array:
    shape = x.shape[0], W.shape[0], *output_size
    return np.empty_like(x, np.result_type(x, W), shape=shape, order="C")


def _zeros(x: Array, y: Array, window: Window, groups: int) -> Array:
    # For the gradient of the kernels: one matrix for each group.
    shape = groups, y.shape[1] // groups, x.shape[1] // groups * window.area
    return np.zeros_like(x, np.result_type(x, y), shape=shape, order="C")


def _as_matrices(W: Array, groups: int) -> Array:
    # One matrix for each group, with a row for each kernel.
    return W.reshape(groups, W.shape[0] // groups, W[0].size)


def _group(y: Array, groups: int) -> Array:
    # From (N, C, H, W) to a matrix (C / G, N · H · W) for each group.
    n, c, h, w = y.shape
    return y.transpose(1, 0, 2, 3).reshape(groups, c // groups, n * h * w)


def _ungroup(matrices: Array, shape: Shape) -> Array:
    n, c, h, w = shape
    return matrices.reshape(c, n, h, w).transpose(1, 0, 2, 3)


# --- kernels of one pixel -------------------------------------------------------------

# They mix the channels of a pixel. Nothing slides: the images are their own columns.


def _pointwise(x: Array, W: Array, groups: int) -> Array:
    n, c, h, w = x.shape
    columns = x.reshape(n, groups, c // groups, h * w)
    return (_as_matrices(W, groups) @ columns).reshape(n, W.shape[0], h, w)


def _pointwise_kernels(x: Array, y: Array, groups: int) -> Array:
    # Each product writes all of gW, so small images share a product. A large image has
    # its own, which avoids a copy.
    (n, c, h, w), oc = x.shape, y.shape[1]
    gW = _zeros(x, y, Window(1), groups)
    count = max(1, COLUMNS // (h * w))
    for i in range(0, n, count):
        images = slice(i, i + count)
        columns = _group(x[images], groups).transpose(0, 2, 1)
        gW += _group(y[images], groups) @ columns
    return gW.reshape(oc, c // groups, 1, 1)
