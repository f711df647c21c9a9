"""Plain loops over arrays, which Numba compiles. Steps 83 and 84 explain them.

Compiled code checks no bounds: the caller must make sure that the shapes fit. Kernels
write into `y`, `places` and trailing arguments that begin with g; they only read the
others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit, uintp


def kernel(**options: Any) -> Callable[..., Any]:
    """Compile a loop at its first call, and cache the result for the next process if
    there is a writable folder.
    """

    def compile_later(f: Any) -> Any:
        try:
            return njit(cache=True, error_model="numpy", **options)(f)
        except RuntimeError:  # neither this folder nor the home is writable
            return njit(error_model="numpy", **options)(f)

    return compile_later


# Additions keep the order in which they are written.
strict = kernel()
# A sum may be computed as several partial sums, side by side.
reordered = kernel(fastmath={"reassoc"})
# The body is inserted where it is called, so that a number that the caller writes out,
# such as a size, is a constant, and the loop over it is unrolled.
inlined = njit(inline="always")


# --- max pooling ----------------------------------------------------------------------


@inlined
def find_in_row(row, best, places, first, kw, sw):
    # From the last tap to the first, so that the first one wins; and without branches,
    # so that several stops are processed at once.
    for stop in range(uintp(len(best))):
        place = places[stop]
        for j in range(kw - 1, -1, -1):
            seen = row[stop * uintp(sw) + uintp(j)]
            place = places.dtype.type(first + j) if seen == best[stop] else place
        places[stop] = place


@strict
def find_places(x, y, size, stride, places):
    """Find the first tap, row by row, that holds the maximum `y` of its window; −1 if
    none does, as for NaN.
    """
    (kh, kw), (sh, sw) = size, stride
    places[...] = -1
    for image in range(len(y)):
        for r in range(y.shape[1]):
            for i in range(kh - 1, -1, -1):
                row, best, place = x[image, r * sh + i], y[image, r], places[image, r]
                if kw == 2 and sw == 2:
                    find_in_row(row, best, place, i * 2, 2, 2)
                elif kw == 3 and sw == 2:
                    find_in_row(row, best, place, i * 3, 3, 2)
                elif sw == 1:
                    for j in range(kw - 1, -1, -1):
                        find_in_row(row[j:], best, place, i * kw + j, 1, 1)
                else:
                    find_in_row(row, best, place, i * kw, kw, sw)


@inlined
def spread_row(gy, places, i, kw, sw, gx):
    for stop in range(uintp(len(gy))):
        for j in range(kw):
            # 0 · gy, even if gy is infinite.
            none = np.copysign(gx.dtype.type(0), gy[stop])
            g = gy[stop] if places[stop] == i * kw + j else none
            gx[stop * uintp(sw) + uintp(j)] = g


@strict
def spread(gy, places, size, stride, gx):
    """Send each number to its place, for windows that do not overlap."""
    (kh, kw), (sh, sw) = size, stride
    for image in range(len(gy)):
        for r in range(gy.shape[1]):
            for i in range(kh):
                g, place, row = gy[image, r], places[image, r], gx[image, r * sh + i]
                if kw == 2 and sw == 2:
                    spread_row(g, place, i, 2, 2, row)
                else:
                    spread_row(g, place, i, kw, sw, row)


@strict
def add_up(gy, places, size, stride, gx):
    """Add each number at its place, for windows that overlap.

    From the last window to the first, so that a pixel gets its numbers in the order of
    the taps that see it.
    """
    (kh, kw), (sh, sw) = size, stride
    width = gx.shape[2]
    steps = np.array([k // kw * width + k % kw for k in range(kh * kw)])
    for image in range(len(gy)):
        pixels = gx[image].reshape(-1)
        for r in range(gy.shape[1] - 1, -1, -1):
            for c in range(gy.shape[2] - 1, -1, -1):
                k = places[image, r, c]
                if k >= 0:
                    pixels[r * sh * width + c * sw + steps[k]] += gy[image, r, c]


# --- transposed convolution -----------------------------------------------------------


@inlined
def add_row(row, step, pixels):
    for k in range(uintp(len(row))):
        pixels[k * uintp(step)] += row[k]


@strict
def add_columns(columns, stride, dilation, first, gx):
    """Add columns of shape (C, KH, KW, N, H, OW) to the pixels that the window saw;
    `first` is their first row of stops.
    """
    (sh, sw), (dh, dw) = stride, dilation
    channels, kh, kw, images, height, _ = columns.shape
    for image in range(images):
        for c in range(channels):
            for i in range(kh):
                for j in range(kw):
                    for r in range(height):
                        row = columns[c, i, j, image, r]
                        pixels = gx[image, c, (first + r) * sh + i * dh, j * dw :]
                        if sw == 1:
                            add_row(row, 1, pixels)
                        else:
                            add_row(row, sw, pixels)


# --- Adam -----------------------------------------------------------------------------


@strict
def adam(data, grad, m, v, new_m, new_v, eps, step, keep):
    for i in range(len(data)):
        m[i] += (grad[i] - m[i]) * new_m
        v[i] += (grad[i] * grad[i] - v[i]) * new_v
        data[i] = data[i] * keep - m[i] / (np.sqrt(v[i]) + eps) * step


# --- products that were broadcast -----------------------------------------------------


@strict
def sum_of_rows(gy, x, total):
    """Sum the products down the rows; `gy` has as many rows as `x`, or one."""
    for i in range(len(x)):
        row = gy[i if len(gy) > 1 else 0]
        for j in range(x.shape[1]):
            total[j] += row[j] * x[i, j]


@reordered
def sum_of_columns(gy, x, total):
    """Sum the products along each row."""
    for i in range(len(x)):
        row = gy[i if len(gy) > 1 else 0]
        for j in range(x.shape[1]):
            total[i] += row[j] * x[i, j]


# --- layer norm -----------------------------------------------------------------------


@inlined
def moments(row, eps):
    mean, var = 0.0, 0.0
    for j in range(len(row)):
        mean += row[j]
    mean /= len(row)
    for j in range(len(row)):
        var += (row[j] - mean) ** 2
    return mean, 1 / np.sqrt(var / len(row) + eps)


@reordered
def layer_norm(x, gamma, beta, eps, y):
    for i in range(len(x)):
        mean, scale = moments(x[i], eps)
        for j in range(len(gamma)):
            y[i, j] = (x[i, j] - mean) * scale * gamma[j] + beta[j]


@reordered
def layer_norm_back(x, gamma, gy, eps, gx, ggamma, gbeta):
    n = len(gamma)
    for i in range(len(x)):
        mean, scale = moments(x[i], eps)
        along_z, along_1 = 0.0, 0.0
        for j in range(n):
            z, g = (x[i, j] - mean) * scale, gy[i, j] * gamma[j]
            along_z += z * g
            along_1 += g
            ggamma[j] += z * gy[i, j]
            gbeta[j] += gy[i, j]
        for j in range(n):
            z, g = (x[i, j] - mean) * scale, gy[i, j] * gamma[j]
            gx[i, j] = (g - (z * along_z + along_1) / n) * scale


# --- softmax cross-entropy ------------------------------------------------------------


@reordered
def cross_entropy(x, t):
    """Compute the mean of −log softmax(x)[t]."""
    total = 0.0
    for i in range(len(x)):
        highest, right, exps = x[i].max(), x.dtype.type(0), 0.0
        for c in range(x.shape[1]):
            z = x[i, c] - highest
            exps += np.exp(z)
            # Compared, not indexed: a wrong label cannot read past the end.
            right = z if c == t[i] else right
        total += np.log(exps) - right
    return total / len(x)


@reordered
def cross_entropy_back(x, t, gy, gx):
    for i in range(len(x)):
        highest, exps = x[i].max(), 0.0
        for c in range(x.shape[1]):
            gx[i, c] = np.exp(x[i, c] - highest)
            exps += gx[i, c]
        for c in range(x.shape[1]):
            gx[i, c] = (gx[i, c] / exps - (c == t[i])) * gy
