"""Convolution and pooling: what a window sees, and a product or a maximum. Step 57."""

import numpy as np

from .core import Function, as_variable
from .functions import linear, matmul, max, mean, reshape, transpose
from .utils import get_conv_outsize, get_deconv_outsize, pair

# --- Step 57 --------------------------------------------------------------------------


def windows(shape, kernel_size, stride, pad):
    """Return KH, KW, SH, SW, PH, PW, OH, OW for images of a shape (N, C, H, W)."""
    if len(shape) != 4:
        raise ValueError(f"images have the shape (N, C, H, W), not {shape}")
    (kh, kw), (sh, sw), (ph, pw) = pair(kernel_size), pair(stride), pair(pad)
    oh = get_conv_outsize(shape[2], kh, sh, ph)
    ow = get_conv_outsize(shape[3], kw, sw, pw)
    if oh < 1 or ow < 1:
        raise ValueError(f"a {kh}×{kw} window does not fit on images of shape {shape}")
    return kh, kw, sh, sw, ph, pw, oh, ow


def im2col_array(img, kernel_size, stride, pad, to_matrix=True, border=0):
    """List what a window sees: (N, C, KH, KW, OH, OW), or one row for each stop."""
    n, c = img.shape[:2]
    kh, kw, sh, sw, ph, pw, oh, ow = windows(img.shape, kernel_size, stride, pad)
    widths = ((0, 0), (0, 0), (ph, ph), (pw, pw))
    img = np.pad(img, widths, constant_values=border)
    col = np.empty((n, c, kh, kw, oh, ow), img.dtype)
    for i in range(kh):
        for j in range(kw):
            col[:, :, i, j] = img[:, :, i : i + sh * oh : sh, j : j + sw * ow : sw]
    if to_matrix:
        col = col.transpose(0, 4, 5, 1, 2, 3).reshape(n * oh * ow, -1)
    return col


def col2im_array(col, img_shape, kernel_size, stride, pad, to_matrix=True):
    """Make images by adding each number of ``col`` to the pixel that it came from."""
    n, c, h, w = img_shape
    kh, kw, sh, sw, ph, pw, oh, ow = windows(img_shape, kernel_size, stride, pad)
    if to_matrix:
        col = col.reshape(n, oh, ow, c, kh, kw).transpose(0, 3, 4, 5, 1, 2)
    img = np.zeros((n, c, h + 2 * ph + sh - 1, w + 2 * pw + sw - 1), col.dtype)
    for i in range(kh):
        for j in range(kw):
            img[:, :, i : i + sh * oh : sh, j : j + sw * ow : sw] += col[:, :, i, j]
    return img[:, :, ph : ph + h, pw : pw + w]


class Im2col(Function):
    """y = the numbers that a window sees in the images x"""

    def __init__(self, *window, border=0):
        self.window, self.border = window, border

    def forward(self, x):
        return im2col_array(x, *self.window, border=self.border)

    def backward(self, gy):
        (x,) = self.inputs
        return col2im(gy, x.shape, *self.window)


def im2col(x, kernel_size, stride=1, pad=0, to_matrix=True):
    return Im2col(kernel_size, stride, pad, to_matrix)(x)


class Col2im(Function):
    """y = images in which each number of x is added to the pixel that it came from"""

    def __init__(self, input_shape, *window):
        self.input_shape, self.window = input_shape, window

    def forward(self, x):
        return col2im_array(x, self.input_shape, *self.window)

    def backward(self, gy):
        return im2col(gy, *self.window)


def col2im(x, input_shape, kernel_size, stride=1, pad=0, to_matrix=True):
    return Col2im(input_shape, kernel_size, stride, pad, to_matrix)(x)


def conv2d(x, W, b=None, stride=1, pad=0):
    """y = im2col(x) · Wᵀ + b, for images (N, C, H, W) and kernels (OC, C, KH, KW)"""
    x, W = as_variable(x), as_variable(W)
    if W.ndim != 4 or x.ndim != 4 or x.shape[1] != W.shape[1]:
        raise ValueError(f"kernels of shape {W.shape} do not fit images of {x.shape}")
    n, (oc, _, *kernel) = len(x), W.shape
    *_, oh, ow = windows(x.shape, tuple(kernel), stride, pad)
    col = im2col(x, tuple(kernel), stride, pad)
    y = linear(col, transpose(reshape(W, (oc, -1))), b)
    return transpose(reshape(y, (n, oh, ow, oc)), (0, 3, 1, 2))


conv2d_simple = conv2d  # the book's two forms are one here


def deconv2d(x, W, b=None, stride=1, pad=0, outsize=None):
    """y = col2im(x · W) + b: the backward pass of `conv2d`, for W (C, OC, KH, KW)"""
    x, W = as_variable(x), as_variable(W)
    if W.ndim != 4 or x.ndim != 4 or x.shape[1] != W.shape[0]:
        raise ValueError(f"kernels of shape {W.shape} do not fit images of {x.shape}")
    (n, c, h, w), (_, oc, kh, kw) = x.shape, W.shape
    (sh, sw), (ph, pw) = pair(stride), pair(pad)
    if outsize is None:
        outsize = get_deconv_outsize(h, kh, sh, ph), get_deconv_outsize(w, kw, sw, pw)
    rows = reshape(transpose(x, (0, 2, 3, 1)), (n * h * w, c))
    col = matmul(rows, reshape(W, (c, oc * kh * kw)))
    y = col2im(col, (n, oc, *pair(outsize)), (kh, kw), stride, pad)
    return y if b is None else y + reshape(b, (1, oc, 1, 1))


def pooling(x, kernel_size, stride=1, pad=0):
    """y = the largest number in each window; the border is filled with −∞"""
    col = Im2col(kernel_size, stride, pad, False, border=-np.inf)(x)
    return max(col, axis=(2, 3))


pooling_simple = pooling


def average_pooling(x, kernel_size, stride=1, pad=0):
    """y = the mean of each window; the zeros of the border count"""
    return mean(im2col(x, kernel_size, stride, pad, to_matrix=False), axis=(2, 3))
