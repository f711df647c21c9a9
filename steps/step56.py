"""Step 56: channels, batches, pooling, seen."""

import numpy as np

from . import step55
from .step55 import *  # noqa: F403
from .step55 import conv2d_naive, get_conv_outsize, pair

__all__ = [*step55.__all__]


def conv2d_loops(x, W, b=None, stride=1, pad=0):
    """Convolve images `x` (N, C, H, W) with kernels `W` (OC, C, KH, KW), and add `b`
    (OC,): the result has the shape (N, OC, OH, OW).
    """
    if x.ndim != 4 or x.shape[1] != W.shape[1]:
        raise ValueError(
            f"kernels of shape {W.shape} take images of shape (N, {W.shape[1]}, H, W), "
            f"not {x.shape}"
        )
    y = []
    for image in x:
        for kernel in W:
            maps = zip(image, kernel, strict=True)
            seen = [conv2d_naive(plane, k, stride, pad) for plane, k in maps]
            y.append(np.sum(seen, axis=0))
    y = np.reshape(y, (len(x), len(W), *y[0].shape))
    return y if b is None else y + b.reshape(-1, 1, 1)


def pooling_loops(x, size, stride):
    """Find the largest number in each window, in each channel of each image of `x`
    (N, C, H, W).
    """
    (kh, kw), (sh, sw) = pair(size), pair(stride)
    oh = get_conv_outsize(x.shape[2], kh, sh, 0)
    ow = get_conv_outsize(x.shape[3], kw, sw, 0)
    y = np.zeros((*x.shape[:2], oh, ow))
    for i in range(oh):
        for j in range(ow):
            top, left = i * sh, j * sw
            seen = x[:, :, top : top + kh, left : left + kw]
            y[:, :, i, j] = seen.max(axis=(2, 3))
    return y


def poppies(size=64):
    """Paint poppies in a meadow with formulas: red, green and blue in [0, 1],
    (3, size, size). A poppy is as bright as the grass around it.
    """
    rng = np.random.default_rng(0)
    y, x = np.mgrid[0 : 1 : size * 1j, 0 : 1 : size * 1j]
    light = 0.42 + 0.04 * np.sin(30 * x + 12 * np.sin(9 * y)) * (y - 0.2)
    color = np.zeros((3, size, size)) + np.reshape([-0.16, 0.22, -0.06], (3, 1, 1))
    for row, column, radius in (
        (0.48, 0.20, 0.05),
        (0.52, 0.60, 0.06),
        (0.68, 0.38, 0.09),
        (0.72, 0.84, 0.08),
        (0.86, 0.14, 0.10),
        (0.87, 0.62, 0.10),
    ):
        inside = np.hypot(x - column, 1.2 * (y - row)) < radius
        color[:, inside] = np.reshape([0.46, -0.24, -0.22], (3, 1))
    sky = y < 0.32 + 0.06 * np.sin(6 * x)
    light[sky] = (0.70 + 0.3 * y)[sky]
    color[:, sky] = np.reshape([-0.15, 0.0, 0.15], (3, 1))
    noise = rng.normal(scale=0.005, size=light.shape)
    return np.clip(light + noise + color, 0, 1)
