"""Step 67: edges for images.

The operations that a network needs to read images, for the tensors of step 66:
exponentials, softmax, convolution and pooling. Each computes an array and has a rule
for each input, or is composed of operations that have one.
"""

from math import prod
from typing import NamedTuple

import numpy as np

from .step66 import Edge, Tensor, as_tensor, computed, gradient_error

__all__ = [
    "Edge",
    "Tensor",
    "col2im",
    "computed",
    "conv2d",
    "exp",
    "gradient_error",
    "im2col",
    "log",
    "log_softmax",
    "max_pool",
    "softmax",
]


# --- exp, log, softmax ----------------------------------------------------------------


def exp(x):
    x = as_tensor(x)
    # The rule uses the array y. With the new tensor it would form a reference cycle.
    y = np.exp(x.data)
    return computed(y, (x, lambda g: g * y))


def log(x):
    x = as_tensor(x)
    x_data = x.data
    return computed(np.log(x_data), (x, lambda g: g / x_data))


def softmax(x, axis=-1):
    x = as_tensor(x)
    # Shift each row by its own maximum: its largest term is then 1, so no row is 0/0.
    y = np.exp(x.data - x.data.max(axis=axis, keepdims=True))
    y = y / y.sum(axis=axis, keepdims=True)
    return computed(y, (x, lambda g: y * (g - (g * y).sum(axis=axis, keepdims=True))))


def log_softmax(x, axis=-1):
    x = as_tensor(x)
    y = x.data - x.data.max(axis=axis, keepdims=True)
    y = y - np.log(np.exp(y).sum(axis=axis, keepdims=True))
    return computed(y, (x, lambda g: g - np.exp(y) * g.sum(axis=axis, keepdims=True)))


Tensor.exp = exp
Tensor.log = log
Tensor.softmax = softmax
Tensor.log_softmax = log_softmax


# --- Windows: convolution and pooling -------------------------------------------------


class Windows(NamedTuple):
    """How a window moves over images. Each field is a pair (rows, columns)."""

    kernel: tuple
    stride: tuple
    padding: tuple

    @classmethod
    def of(cls, kernel, stride, padding):
        """Build it from pairs, or from single numbers that apply to both axes."""
        kernel, stride = pair("kernel", kernel, 1), pair("stride", stride, 1)
        return cls(kernel, stride, pair("padding", padding, 0))

    def count(self, shape):
        """Return the number of windows in each direction: (down, across)."""
        (_, _, h, w), (kh, kw), (sh, sw), (ph, pw) = shape, *self
        free = h + 2 * ph - kh, w + 2 * pw - kw
        if min(free) < 0:
            raise ValueError(
                f"a kernel {kh, kw} does not fit into {h, w} + 2 * {ph, pw}"
            )
        return free[0] // sh + 1, free[1] // sw + 1


def pair(name, value, least):
    """Return two whole numbers, given a pair or one number for both."""
    two = tuple(value) if isinstance(value, tuple | list) else (value, value)
    whole = all(isinstance(n, int | np.integer) and n >= least for n in two)
    if len(two) != 2 or not whole:
        raise ValueError(f"{name} {value!r}: give a whole number >= {least}, or a pair")
    return two


def gather(images, windows, fill=0.0):
    """Write each window of the images into a row: (N · windows, C · kernel size)."""
    (n, c, _, _), (kh, kw), (sh, sw), (ph, pw) = images.shape, *windows
    oh, ow = windows.count(images.shape)
    if ph or pw:
        border = ((0, 0), (0, 0), (ph, ph), (pw, pw))
        images = np.pad(images, border, constant_values=fill)
    seen = np.lib.stride_tricks.sliding_window_view(images, (kh, kw), axis=(2, 3))
    seen = seen[:, :, ::sh, ::sw].transpose(0, 2, 3, 1, 4, 5)
    return seen.reshape(n * oh * ow, c * kh * kw)


def scatter(rows, shape, windows):
    """Add each row to the images at the place where ``gather`` reads it."""
    (n, c, h, w), (kh, kw), (sh, sw), (ph, pw) = shape, *windows
    oh, ow = windows.count(shape)
    rows = rows.reshape(n, oh, ow, c, kh, kw).transpose(0, 3, 4, 5, 1, 2)
    images = np.zeros((n, c, h + 2 * ph, w + 2 * pw), rows.dtype)
    for i in range(kh):
        for j in range(kw):
            images[:, :, i : i + sh * oh : sh, j : j + sw * ow : sw] += rows[:, :, i, j]
    return images[:, :, ph : ph + h, pw : pw + w]


def im2col(x, kernel, stride=1, padding=0, fill=0.0):
    """Turn images (N, C, H, W) into rows, one per window, with ``fill`` as padding."""
    x = images_only("im2col", x)
    windows, shape = Windows.of(kernel, stride, padding), x.shape
    rows = gather(x.data, windows, fill)
    return computed(rows, (x, lambda g: scatter(g, shape, windows)))


def col2im(rows, shape, kernel, stride=1, padding=0):
    """Add rows into images of ``shape``, including where windows overlap."""
    rows = as_tensor(rows)
    windows = Windows.of(kernel, stride, padding)
    wanted = (shape[0] * prod(windows.count(shape)), shape[1] * prod(windows.kernel))
    if rows.shape != wanted:
        raise ValueError(f"col2im: {shape} has rows {wanted}, not {rows.shape}")
    images = scatter(rows.data, shape, windows)
    return computed(images, (rows, lambda g: gather(g, windows)))


def conv2d(x, weight, bias=None, stride=1, padding=0):
    """Slide kernels (F, C, KH, KW) over images (N, C, H, W)."""
    x, weight = images_only("conv2d", x), as_tensor(weight)
    if weight.ndim != 4 or weight.shape[1] != x.shape[1]:
        raise ValueError(f"conv2d: kernels {weight.shape} do not fit images {x.shape}")
    f, _, *kernel = weight.shape
    rows = im2col(x, kernel, stride, padding) @ weight.reshape(f, -1).T
    if bias is not None:
        bias = as_tensor(bias)
        if bias.shape not in ((f,), (1, f)):
            raise ValueError(
                f"conv2d: {f} kernels need a bias ({f},), not {bias.shape}"
            )
        rows = rows + bias
    oh, ow = Windows.of(kernel, stride, padding).count(x.shape)
    return rows.reshape(len(x), oh, ow, f).transpose(0, 3, 1, 2)


def max_pool(x, kernel, stride=None, padding=0):
    """Take the largest number of each window; by default, windows do not overlap."""
    x = images_only("max_pool", x)
    windows = Windows.of(kernel, kernel if stride is None else stride, padding)
    if any(p >= k for p, k in zip(windows.padding, windows.kernel, strict=True)):
        raise ValueError(
            f"max_pool: padding {padding} is as large as the window {kernel}"
        )
    n, c, h, w = x.shape
    rows = im2col(x.reshape(n * c, 1, h, w), *windows, fill=lowest(x.dtype))
    largest = rows.data.argmax(axis=1)
    return rows[np.arange(len(rows)), largest].reshape(n, c, *windows.count(x.shape))


def lowest(dtype):
    """Return the lowest number of a dtype, so that padding is never the largest."""
    if dtype.kind in "iu":
        return np.iinfo(dtype).min
    return -np.inf if dtype.kind == "f" else False


def images_only(name, x):
    x = as_tensor(x)
    if x.ndim != 4:
        raise ValueError(f"{name} takes images of shape (N, C, H, W), not {x.shape}")
    return x
