"""Step 81: a strip of memory."""

import numpy as np

from .library import moved as __getattr__  # noqa: F401

__all__ = ["Strip", "row_strides", "walk"]


def row_strides(shape):
    """Return the strides of numbers stored row by row, without gaps."""
    return tuple(int(np.prod(shape[axis + 1 :])) for axis in range(len(shape)))


class Strip:
    """An array that looks at a flat buffer and never copies it.

    Strides and offset count numbers, as in PyTorch; NumPy's strides count bytes.
    """

    def __init__(self, buffer, shape, strides=None, offset=0):
        self.buffer, self.shape, self.offset = buffer, tuple(shape), offset
        self.strides = row_strides(shape) if strides is None else tuple(strides)

    def place(self, index):
        """Return the place in the buffer of the number at this index."""
        place = self.offset
        for i, stride in zip(index, self.strides, strict=True):
            place += i * stride
        return place

    def places(self):
        """Return the places of all numbers, in an array of the same shape."""
        found = [self.place(index) for index in np.ndindex(self.shape)]
        return np.array(found, dtype=int).reshape(self.shape)

    def tolist(self):
        """Return the numbers as nested lists."""
        places, end = self.places(), len(self.buffer)
        if places.size and not 0 <= places.min() <= places.max() < end:
            raise IndexError(f"a place is not in the buffer, which has {end} numbers")
        return np.array(self.buffer)[places].tolist()

    def transpose(self, axes):
        """Return a view with its axes in this order."""
        shape = [self.shape[axis] for axis in axes]
        strides = [self.strides[axis] for axis in axes]
        return Strip(self.buffer, shape, strides, self.offset)

    def broadcast_to(self, shape):
        """Return a view of a larger shape, with stride 0 along repeated axes."""
        new = len(shape) - len(self.shape)
        old = zip((0,) * new + self.strides, (1,) * new + self.shape, strict=True)
        strides = [0 if length == 1 else stride for stride, length in old]
        return Strip(self.buffer, shape, strides, self.offset)

    def __getitem__(self, keys):
        """Return the view that a number or slice for each axis selects, such as
        `x[1, ::2]`, or a number if no axis is left. Axes without a key are kept whole.
        """
        keys = keys if isinstance(keys, tuple) else (keys,)
        keys += (slice(None),) * (len(self.shape) - len(keys))
        shape, strides, offset = [], [], self.offset
        for key, length, stride in zip(keys, self.shape, self.strides, strict=True):
            if isinstance(key, slice):
                along = range(length)[key]
                shape.append(len(along))
                strides.append(along.step * stride)
                offset += along.start * stride
            else:
                offset += range(length)[key] * stride
        if not shape:
            return self.buffer[offset]
        return Strip(self.buffer, shape, strides, offset)

    def __setitem__(self, index, value):
        """Write one number."""
        self.buffer[self.place(index)] = value


def walk(x):
    """Sum a matrix, row after row."""
    total = 0
    for row in x:
        total += row.sum()
    return total
