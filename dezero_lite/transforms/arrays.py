"""Transforms of arrays; those for images take arrays of shape (C, H, W)."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import ndarray
from numpy.typing import DTypeLike

from ..core import describe, kind_of
from ..random import generator
from .batches import Transform

__all__ = ["AsType", "Flatten", "Normalize", "ToFloat", "ToInt"]
__all__ += ["RandomCrop", "RandomHorizontalFlip"]


class Normalize:
    """Subtract a mean and divide by a standard deviation. Source: book,
    `dezero.transforms`.

    Parameters
    ----------
    mean, std : float or sequence of float, optional
        One number for all values, or one for each channel, which is the first axis of
        an example.

    Raises
    ------
    ValueError
        If `std` is or contains 0. When called, if there are not as many numbers as
        channels.

    Notes
    -----
    Floating-point data keep their dtype; other data become float32.

    Examples
    --------
    >>> Normalize(mean=(1, 2), std=0.5)(np.array([[1.5], [1.5]], np.float32))
    array([[ 1.],
           [-1.]], dtype=float32)
    """

    def __init__(
        self, mean: float | Sequence[float] = 0, std: float | Sequence[float] = 1
    ) -> None:
        self.mean = mean
        self.std = std
        if not np.all(std):
            raise ValueError(
                f"Normalize divides by std, so std={std} must not contain 0"
            )

    def __call__(self, x: Any) -> Any:
        return self._normalize(x, 0)

    def batch(self, xs: Any) -> Any:
        """Normalise a whole batch."""
        return self._normalize(xs, 1)

    def _normalize(self, x: Any, axis: int) -> Any:
        x = _values_for(self, x)
        x = x if x.dtype.kind == "f" else x.astype(np.float32)
        y = x - self._along(x, axis, self.mean, "mean")
        y /= self._along(x, axis, self.std, "std")
        return y

    def _along(self, x: Any, axis: int, values: Any, name: str) -> Any:
        # The values as a scalar that widens nothing, or as an array along the channels.
        if np.ndim(values) == 0:
            return x.dtype.type(values)
        channels = x.shape[axis] if x.ndim > axis else 0
        if len(values) not in (1, channels):
            raise ValueError(
                f"Normalize has {len(values)} numbers for {name}, but an example of "
                f"shape {x.shape[axis:]} has {channels} channels: give one number, or "
                "one for each channel"
            )
        return np.asarray(values, x.dtype).reshape((-1,) + (1,) * (x.ndim - axis - 1))


class Flatten:
    """Put all values of an example in one row. Source: book, `dezero.transforms`."""

    def __call__(self, x: Any) -> Any:
        return _values_for(self, x).flatten()

    def batch(self, xs: Any) -> Any:
        """Flatten a whole batch to shape (N, D)."""
        return xs.reshape(len(xs), math.prod(xs.shape[1:]))


class AsType:
    """Convert to another dtype, default float32. Source: book, `dezero.transforms`."""

    def __init__(self, dtype: DTypeLike = np.float32) -> None:
        self.dtype = dtype

    def __call__(self, x: Any) -> Any:
        return _values_for(self, x).astype(self.dtype)

    batch = __call__


ToFloat = AsType


class ToInt(AsType):
    """Convert to integers, by default int64; the fractional part is dropped.

    Source: book, `dezero.transforms`.
    """

    def __init__(self, dtype: DTypeLike = np.int64) -> None:
        super().__init__(dtype)


class RandomHorizontalFlip:
    """Mirror an image at random, exchanging left and right.

    Parameters
    ----------
    p : float, optional
        The probability that an example is mirrored.

    Raises
    ------
    ValueError
        If `p` is not from 0 to 1.
    """

    def __init__(self, p: float = 0.5) -> None:
        if not 0 <= p <= 1:
            raise ValueError(
                f"RandomHorizontalFlip takes a probability from 0 to 1, not p={p}"
            )
        self.p = p

    def __call__(self, x: Any) -> Any:
        return self.batch([x])[0]

    def batch(self, xs: Any) -> Any:
        """Mirror a whole batch, deciding separately for each example."""
        ys = _copy_images(self, xs)
        mirrored = generator().random(len(ys)) < self.p
        ys[mirrored] = ys[mirrored][..., ::-1]
        return ys


class RandomCrop:
    """Cut a part out of an image at a random position.

    Parameters
    ----------
    size : int or (int, int)
        Height and width of the part; a single number for both.
    pad : int, optional
        The number of rows and columns of zeros added on each side of the image first.

    Raises
    ------
    ValueError
        If `pad` is negative. When called, if the image, padding included, is smaller
        than the part.
    """

    def __init__(self, size: int | tuple[int, int], pad: int = 0) -> None:
        if pad < 0:
            raise ValueError(f"RandomCrop takes a pad of 0 or more, not {pad}")
        self.size = pair(size)
        self.pad = pad

    def __call__(self, x: Any) -> Any:
        return self.batch([x])[0]

    def batch(self, xs: Any) -> Any:
        """Crop a whole batch, choosing a position separately for each example."""
        xs = _copy_images(self, xs)
        border = (self.pad, self.pad)
        xs = np.pad(xs, [(0, 0)] * (xs.ndim - 2) + [border, border])
        height, width = self.size
        room = np.array([xs.shape[-2] - height, xs.shape[-1] - width])
        if room.min() < 0:
            raise ValueError(
                f"RandomCrop cannot cut {self.size} (height, width) out of an image "
                f"of {xs.shape[-2:]}, its pad of {self.pad} included"
            )
        corners = (generator().random((len(xs), 2)) * (room + 1)).astype(int)
        parts = xs[..., :height, :width].copy()
        for k, (i, j) in enumerate(corners):
            parts[k] = xs[k, ..., i : i + height, j : j + width]
        return parts


def pair(size: int | tuple[int, int]) -> tuple[int, int]:
    try:
        sizes: Any = (size, size) if np.ndim(size) == 0 else size
        a, b = map(operator.index, sizes)
    except (TypeError, ValueError):
        raise TypeError(
            f"a size is a whole number or a pair of them, such as 32 or (32, 24), not "
            f"{size!r}"
        ) from None
    if a < 1 or b < 1:
        raise ValueError(
            f"an image must be at least one pixel high and wide, so {size} is not a "
            "size"
        )
    return a, b


def _values_for(transform: object, x: Any) -> Any:
    if hasattr(x, "astype"):
        return x
    if isinstance(x, (int, float, list, tuple)):
        # The index turns a zero-dimensional array into a scalar, and changes nothing
        # else.
        return np.asarray(x)[()]
    raise TypeError(
        f"{type(transform).__name__} takes an array or a number, not "
        f"{kind_of(x)}: ToArray() makes an array of a Pillow image"
    )


def _copy_images(transform: Transform, xs: Any) -> Any:
    # Without this check, a batch of flat rows would be taken for one image.
    for x in xs[:1]:
        if not isinstance(x, ndarray) or x.ndim < 2:
            raise TypeError(
                f"{type(transform).__name__} takes an array of shape (C, H, W), not "
                f"{describe(x)}: use ToArray()"
            )
    return np.array(xs)
