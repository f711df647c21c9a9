"""Step 55: convolution, seen."""

import numpy as np

from . import step54
from .framework.utils import get_conv_outsize, get_deconv_outsize, pair
from .step54 import *  # noqa: F403

__all__ = [*step54.__all__, "get_conv_outsize", "get_deconv_outsize", "pair"]


def conv2d_naive(image, kernel, stride=1, pad=0):
    """Slide `kernel` over `image`, both arrays with two axes. At each stop, multiply
    its numbers by the pixels under them, and add up the products.
    """
    (h, w), (kh, kw) = image.shape, kernel.shape
    (sh, sw), (ph, pw) = pair(stride), pair(pad)
    oh = get_conv_outsize(h, kh, sh, ph)
    ow = get_conv_outsize(w, kw, sw, pw)
    bordered = np.pad(image, ((ph, ph), (pw, pw)))
    result = np.zeros((oh, ow))
    for i in range(oh):
        for j in range(ow):
            top, left = i * sh, j * sw
            seen = bordered[top : top + kh, left : left + kw]
            result[i, j] = np.sum(seen * kernel)
    return result


def photograph(height=120, width=160):
    """Paint a landscape with formulas: shades of grey in [0, 1], (height, width)."""
    noise = np.random.default_rng(0).normal(scale=0.01, size=(height, width))
    y, x = np.mgrid[0 : 1 : height * 1j, 0 : width / height : width * 1j]
    picture = 0.55 + 0.35 * y  # the sky, brighter towards the horizon
    picture[np.hypot(x - 1.02, y - 0.17) < 0.09] = 1.0
    for level, shade, snow in ((0.42, 0.5, 0.05), (0.53, 0.3, 0.0)):
        waves = np.sin(5 * x + 9 * level) + 0.4 * np.sin(17 * x) + 0.2 * np.sin(41 * x)
        below = y - level + 0.25 * (0.9 - level) * waves
        rock = shade + 0.25 * below + 0.05 * np.sin(60 * x + 35 * y)
        picture = np.where(below > 0, np.where(below < snow, 0.95, rock), picture)
    side = np.abs(x - 0.28)  # the house, left of the middle
    picture[(side < 0.11) & (np.abs(y - 0.60) < 0.07)] = 0.85
    picture[(side < 0.02) & (np.abs(y - 0.63) < 0.04)] = 0.10
    picture[(side < 1.4 * (y - 0.43)) & (y < 0.53)] = 0.15
    # The lake mirrors everything above its shore, darker and with waves.
    shore = 0.67
    rows = 2 * shore - y + 0.015 * np.sin(120 * np.sqrt(np.maximum(y - shore, 0)))
    rows = np.clip(np.rint(rows * (height - 1)), 0, height - 1).astype(int)
    mirrored = 0.75 * np.take_along_axis(picture, rows, axis=0)
    return np.clip(np.where(y > shore, mirrored, picture) + noise, 0, 1)
