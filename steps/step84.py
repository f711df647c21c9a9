"""Step 84: remember the place."""

import numpy as np

from dezero_lite import Variable
from dezero_lite.compiled import use
from dezero_lite.functions.pool import Pooling

from .library import moved as __getattr__  # noqa: F401
from .step83 import njit

__all__ = ["RememberingPool", "back_to_all", "choose_places", "for_size"]
__all__ += ["halved_maxima", "max_places", "put_back", "row_maxima", "search_back"]
__all__ += ["use"]


def search_back(gy, x, y, size, stride, gx):
    """Add each number of gy to the first field that contains the maximum."""
    for n in range(gy.shape[0]):
        for r in range(gy.shape[1] - 1, -1, -1):
            for c in range(gy.shape[2] - 1, -1, -1):
                for k in range(size * size):
                    row, column = r * stride + k // size, c * stride + k % size
                    if x[n, row, column] == y[n, r, c]:
                        gx[n, row, column] += gy[n, r, c]
                        break


def max_places(x, size, stride, y, places):
    """Write each window's largest number and the place of its first field, or −1 if
    the number is NaN.
    """
    for n in range(y.shape[0]):
        for r in range(y.shape[1]):
            for c in range(y.shape[2]):
                best, place = x[n, r * stride, c * stride], 0
                for k in range(1, size * size):
                    seen = x[n, r * stride + k // size, c * stride + k % size]
                    if seen > best or np.isnan(seen):
                        best, place = seen, k
                y[n, r, c] = best
                places[n, r, c] = -1 if np.isnan(best) else place


def put_back(gy, places, size, stride, gx):
    """Add each number of gy at its place, from the last window to the first."""
    for n in range(gy.shape[0]):
        for r in range(gy.shape[1] - 1, -1, -1):
            for c in range(gy.shape[2] - 1, -1, -1):
                k = places[n, r, c]
                if k >= 0:
                    gx[n, r * stride + k // size, c * stride + k % size] += gy[n, r, c]


def choose_places(x, size, stride, y, places):
    """Do the same as max_places, without a jump."""
    for n in range(y.shape[0]):
        for r in range(y.shape[1]):
            for c in range(y.shape[2]):
                best, place = x[n, r * stride, c * stride], 0
                for k in range(1, size * size):
                    seen = x[n, r * stride + k // size, c * stride + k % size]
                    better = (seen > best) | np.isnan(seen)
                    best = seen if better else best
                    place = k if better else place
                y[n, r, c] = best
                places[n, r, c] = -1 if np.isnan(best) else place


def for_size(loop, size, stride):
    """Compile the loop for windows of this size and stride only."""
    inner = njit(loop, inline="always")

    def find(x, y, places):
        inner(x, size, stride, y, places)

    return njit(find)


class RememberingPool(Pooling):
    """The package's max pooling, but it remembers the places of the maxima."""

    def __init__(self, size, stride, find, put):
        super().__init__(size, stride)
        self.settings, self.find, self.put = (size, stride), find, put

    def forward(self, x):
        shape = *x.shape[:2], *self.window.output_size(x.shape)
        fields = self.settings[0] ** 2
        self.places = np.empty(shape, np.min_scalar_type(-fields))
        self.shape, self._y = x.shape, np.empty(shape, x.dtype)
        self.find(*map(self.flat, (x, self._y, self.places)))
        return self._y

    def vjp(self, xs, gy):
        if isinstance(gy, Variable):  # double backprop: search
            return super().vjp(xs, gy)
        gx = np.zeros(self.shape, gy.dtype)
        gy = np.ascontiguousarray(gy)
        given = self.flat(gy), self.flat(self.places)
        self.put(*given, *self.settings, self.flat(gx))
        return gx

    @staticmethod
    def flat(images):
        """Reshape images (N, C, H, W) to (N · C, H, W)."""
        return images.reshape(-1, *images.shape[2:])


def back_to_all(gy, x, y, size, stride, gx):
    """Add each number of gy to every field that contains the maximum."""
    for n in range(gy.shape[0]):
        for r in range(gy.shape[1]):
            for c in range(gy.shape[2]):
                for k in range(size * size):
                    row, column = r * stride + k // size, c * stride + k % size
                    if x[n, row, column] == y[n, r, c]:
                        gx[n, row, column] += gy[n, r, c]


def row_maxima(x, y):
    """Find the largest number of each row; each comparison waits for the previous."""
    for r in range(x.shape[0]):
        best = x[r, 0]
        for c in range(1, x.shape[1]):
            best = x[r, c] if x[r, c] > best else best
        y[r] = best


def halved_maxima(x, y, room):
    """Do the same: compare the halves of what is left until one number is left."""
    for r in range(x.shape[0]):
        left = x.shape[1]
        half = (left + 1) // 2
        for c in range(half):
            room[c] = x[r, c]
        for c in range(left - half):
            room[c] = x[r, c + half] if x[r, c + half] > room[c] else room[c]
        while half > 1:
            left, half = half, (half + 1) // 2
            for c in range(left - half):
                room[c] = room[c + half] if room[c + half] > room[c] else room[c]
        y[r] = room[0]
