"""Step 83: the first compiled loop."""

from functools import partial

import numpy as np

from dezero_lite import Function

from .library import moved as __getattr__  # noqa: F401

__all__ = ["AverageBack", "AveragePool", "average_back", "average_loop"]
__all__ += ["average_numpy", "needs_numba", "njit", "scatter"]


def njit(f=None, **options):
    """Return Numba's compiled `f`, or `needs_numba` if Numba is not installed."""
    if f is None:
        return partial(njit, **options)
    try:
        import numba
    except ImportError:
        return needs_numba
    return numba.njit(f, **options)


def needs_numba(*_):
    """Raise an error; this replaces a compiled loop if Numba is not installed."""
    raise ImportError(
        "a compiled loop needs Numba: pip install numba; cells that use NumPy alone "
        "run without it"
    )


def average_loop(x, size, stride, y):
    """Write the mean of each window of images x (N, H, W) into y."""
    for n in range(y.shape[0]):
        for r in range(y.shape[1]):
            for c in range(y.shape[2]):
                total = 0.0
                for i in range(size):
                    for j in range(size):
                        total += x[n, r * stride + i, c * stride + j]
                y[n, r, c] = total / size**2


def average_numpy(x, size, stride, y):
    """Do the same with NumPy, in one call for each field of the window."""
    height, width = [stride * (stops - 1) + 1 for stops in y.shape[1:]]
    y[...] = 0
    for i in range(size):
        for j in range(size):
            y += x[:, i : i + height : stride, j : j + width : stride]
    y /= size**2


def average_back(gy, size, stride, gx):
    """Run average_loop backward: add each pixel's share of the gradients to gx."""
    for n in range(gy.shape[0]):
        for r in range(gy.shape[1]):
            for c in range(gy.shape[2]):
                share = gy[n, r, c] / size**2
                for i in range(size):
                    for j in range(size):
                        gx[n, r * stride + i, c * stride + j] += share


class AveragePool(Function):
    """Average pooling of images (N, H, W), with a forward and a backward loop."""

    def __init__(self, size, stride, there, back):
        self.settings = size, stride, there, back

    def forward(self, x):
        size, stride, there, _ = self.settings
        self.shape = x.shape
        stops = [(length - size) // stride + 1 for length in x.shape[1:]]
        y = np.empty((len(x), *stops), x.dtype)
        there(x, size, stride, y)
        return y

    def backward(self, gy):
        return AverageBack(self.shape, *self.settings)(gy)


class AverageBack(Function):
    """The backward pass of AveragePool, whose own backward pass is AveragePool."""

    def __init__(self, shape, *settings):
        self.shape, self.settings = shape, settings

    def forward(self, gy):
        size, stride, _, back = self.settings
        gx = np.zeros(self.shape, gy.dtype)
        back(gy, size, stride, gx)
        return gx

    def backward(self, ggx):
        return AveragePool(*self.settings)(ggx)


def scatter(columns, stride, images):
    """Add what a window saw, (N, KH, KW, OH, OW), to the pixels of images (N, H, W)."""
    for n in range(columns.shape[0]):
        for i in range(columns.shape[1]):
            for j in range(columns.shape[2]):
                for r in range(columns.shape[3]):
                    for c in range(columns.shape[4]):
                        seen = columns[n, i, j, r, c]
                        images[n, r * stride + i, c * stride + j] += seen
