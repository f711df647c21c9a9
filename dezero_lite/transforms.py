"""What happens to an example between the data set and the model. Step 51 explains it.

A transform is anything that can be called with one example and returns another. Those
here for arrays can do more: their method ``batch`` takes a whole batch at once,
examples along the first axis, and does to each what a call would. A data set uses it
where it is there; so a transform of your own needs none, and gains speed if it has one.

Images are Pillow's up to :class:`ToArray`, and arrays of shape (C, H, W) from there on.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy import ndarray
from numpy.typing import DTypeLike

from .core import kind_of
from .random import generator

__all__ = [
    "AsType",
    "CenterCrop",
    "Compose",
    "Convert",
    "Flatten",
    "Normalize",
    "RandomCrop",
    "RandomHorizontalFlip",
    "Resize",
    "ToArray",
    "ToFloat",
    "ToInt",
    "ToPIL",
]

Transform = Callable[[Any], Any]

# Pillow's number for it, so that nobody needs Pillow to write down a Resize.
BILINEAR = 2


def as_batch(examples: Iterable[Any]) -> Any:
    """Put examples of equal shape on top of each other, along a new first axis.

    Raises
    ------
    ValueError
        If their shapes differ.
    """
    arrays = [np.asarray(example) for example in examples]
    shapes = list(dict.fromkeys([array.shape for array in arrays]))
    if len(shapes) > 1:
        raise ValueError(
            f"examples of shape {shapes[0]} and {shapes[1]} make no batch: bring them "
            "to one shape with a transform, such as Resize or CenterCrop for images"
        )
    return np.stack(arrays)


def apply_to_batch(transform: Transform, xs: Any) -> Any:
    """Apply `transform` to every example of a batch: at once where it can, else one by
    one.
    """
    batch = getattr(transform, "batch", None)
    return as_batch([transform(x) for x in xs]) if batch is None else batch(xs)


class Compose:
    """Several transforms, one after the other; none at all leaves examples as they are.

    Source: book, `dezero.transforms`.

    Raises
    ------
    TypeError
        If `transforms` is no list of functions.

    Examples
    --------
    >>> f = Compose([Flatten(), ToFloat(), Normalize(0.0, 255.0)])
    >>> f(np.full((1, 2, 2), 51, np.uint8))
    array([0.2, 0.2, 0.2, 0.2], dtype=float32)
    """

    def __init__(self, transforms: Sequence[Transform] = ()) -> None:
        several = transforms if hasattr(transforms, "__iter__") else None
        if several is None or not all(map(callable, several)):
            raise TypeError(
                "Compose takes a list of transforms, as in Compose([Flatten(), "
                f"ToFloat()]), not {transforms!r}"
            )
        self.transforms = list(several)

    def __call__(self, x: Any) -> Any:
        for transform in self.transforms:
            x = transform(x)
        return x

    def batch(self, xs: Any) -> Any:
        """The same for a whole batch."""
        if not all(hasattr(transform, "batch") for transform in self.transforms):
            return as_batch([self(x) for x in xs])
        for transform in self.transforms:
            xs = transform.batch(xs)  # type: ignore[attr-defined]
        return xs


# --- images ---------------------------------------------------------------------------


class Convert:
    """A Pillow image in another mode, such as ``'RGB'``, ``'L'`` (grey) or ``'BGR'``.

    Source: book, `dezero.transforms`.
    """

    def __init__(self, mode: str = "RGB") -> None:
        self.mode = mode

    def __call__(self, image: Any) -> Any:
        pillow = _pillow_for(self, image)
        if self.mode != "BGR":
            return image.convert(self.mode)
        r, g, b = image.convert("RGB").split()
        return pillow.merge("RGB", (b, g, r))


class Resize:
    """A Pillow image in another size. Source: book, `dezero.transforms`.

    Parameters
    ----------
    size : int or (int, int)
        Width and height in pixels; one number for both.
    mode : int, optional
        How Pillow interpolates; bilinear by default.
    """

    def __init__(self, size: int | tuple[int, int], mode: int = BILINEAR) -> None:
        self.size = _pair(size)
        self.mode = mode

    def __call__(self, image: Any) -> Any:
        _pillow_for(self, image)
        return image.resize(self.size, self.mode)


class CenterCrop:
    """The middle of a Pillow image. Source: book, `dezero.transforms`.

    Parameters
    ----------
    size : int or (int, int)
        Width and height in pixels; one number for both.

    Raises
    ------
    ValueError
        When called, if the image is smaller.
    """

    def __init__(self, size: int | tuple[int, int]) -> None:
        self.size = _pair(size)

    def __call__(self, image: Any) -> Any:
        _pillow_for(self, image)
        width, height = self.size
        left, top = (image.width - width) // 2, (image.height - height) // 2
        if left < 0 or top < 0:
            raise ValueError(
                f"CenterCrop cannot cut {width}×{height} pixels (width × height) out "
                f"of an image of {image.width}×{image.height}: use Resize before it"
            )
        return image.crop((left, top, left + width, top + height))


class ToArray:
    """A Pillow image as an array of shape (C, H, W), grey ones with C = 1; an array as
    it is.

    Source: book, `dezero.transforms`.

    Parameters
    ----------
    dtype : dtype, optional
        Of the array; float32 by default. Values stay as they are in the image, mostly 0
        to 255.
    """

    def __init__(self, dtype: DTypeLike = np.float32) -> None:
        self.dtype = dtype

    def __call__(self, image: Any) -> Any:
        if isinstance(image, ndarray):
            return image
        _pillow_for(self, image)
        array = np.asarray(image)
        array = array[..., np.newaxis] if array.ndim == 2 else array
        return np.ascontiguousarray(array.transpose(2, 0, 1), self.dtype)


class ToPIL:
    """An array as a Pillow image. Source: book, `dezero.transforms`.

    The array has shape (C, H, W) and dtype uint8. C is 1 (grey), 3 (RGB) or 4 (RGBA).

    Raises
    ------
    TypeError
        When called, if the dtype is another one.
    ValueError
        When called, if the shape is another one.
    """

    def __call__(self, array: Any) -> Any:
        if array.dtype != np.uint8:
            raise TypeError(
                f"ToPIL takes pixels of dtype uint8, not {array.dtype}: use "
                "AsType(np.uint8) before it"
            )
        if array.ndim != 3 or len(array) not in (1, 3, 4):
            raise ValueError(
                "ToPIL takes an image of shape (C, H, W), where C is 1, 3 or 4, not "
                f"{array.shape}"
            )
        pixels = np.ascontiguousarray(array.transpose(1, 2, 0))
        return _pillow("ToPIL").fromarray(pixels[..., 0] if len(array) == 1 else pixels)


# --- arrays ---------------------------------------------------------------------------


class Normalize:
    """Subtract a mean and divide by a standard deviation. Source: book,
    `dezero.transforms`.

    Parameters
    ----------
    mean, std : float or sequence of float, optional
        One number for all values, or one for each channel, the first axis of an
        example.

    Raises
    ------
    ValueError
        If `std` is or holds 0. When called, if there are not as many numbers as
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
            raise ValueError(f"Normalize divides by std, so std={std} must hold no 0")

    def __call__(self, x: Any) -> Any:
        return self._normalize(x, 0)

    def batch(self, xs: Any) -> Any:
        """The same for a whole batch."""
        return self._normalize(xs, 1)

    def _normalize(self, x: Any, axis: int) -> Any:
        x = _values_for(self, x)
        x = x if x.dtype.kind == "f" else x.astype(np.float32)
        y = x - self._along(x, axis, self.mean, "mean")
        y /= self._along(x, axis, self.std, "std")
        return y

    def _along(self, x: Any, axis: int, values: Any, name: str) -> Any:
        # The values as numbers that widen nothing, or as an array that lies along the
        # channels.
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
    """All values of an example in one row. Source: book, `dezero.transforms`."""

    def __call__(self, x: Any) -> Any:
        return _values_for(self, x).flatten()

    def batch(self, xs: Any) -> Any:
        """The same for a whole batch: shape (N, D)."""
        return xs.reshape(len(xs), math.prod(xs.shape[1:]))


class AsType:
    """Values of another dtype, default float32. Source: book, `dezero.transforms`."""

    def __init__(self, dtype: DTypeLike = np.float32) -> None:
        self.dtype = dtype

    def __call__(self, x: Any) -> Any:
        return _values_for(self, x).astype(self.dtype)

    batch = __call__


ToFloat = AsType


class ToInt(AsType):
    """Values as whole numbers, by default int64; what follows the point is cut off.

    Source: book, `dezero.transforms`.
    """

    def __init__(self, dtype: DTypeLike = np.int64) -> None:
        super().__init__(dtype)


class RandomHorizontalFlip:
    """The mirror image, left and right exchanged, now and then.

    Parameters
    ----------
    p : float, optional
        How likely an example is mirrored.

    Raises
    ------
    ValueError
        If `p` is no probability.
    """

    def __init__(self, p: float = 0.5) -> None:
        if not 0 <= p <= 1:
            raise ValueError(
                f"RandomHorizontalFlip takes a probability from 0 to 1, not p={p}"
            )
        self.p = p

    def __call__(self, x: Any) -> Any:
        return self.batch(_array_for(self, x)[np.newaxis])[0]

    def batch(self, xs: Any) -> Any:
        """The same for a whole batch; chance decides for each example."""
        _arrays_for(self, xs)
        mirrored = generator().random(len(xs)) < self.p
        ys = xs.copy()
        ys[mirrored] = xs[mirrored][..., ::-1]
        return ys


class RandomCrop:
    """A part of an image, cut out anywhere.

    Parameters
    ----------
    size : int or (int, int)
        Height and width of the part; one number for both.
    pad : int, optional
        So many rows and columns of zeros are put around the image first.

    Raises
    ------
    ValueError
        If `pad` is negative. When called, if the image, zeros included, is smaller than
        the part.
    """

    def __init__(self, size: int | tuple[int, int], pad: int = 0) -> None:
        if pad < 0:
            raise ValueError(f"RandomCrop takes a pad of 0 or more, not {pad}")
        self.size = _pair(size)
        self.pad = pad

    def __call__(self, x: Any) -> Any:
        return self.batch(_array_for(self, x)[np.newaxis])[0]

    def batch(self, xs: Any) -> Any:
        """The same for a whole batch; chance decides for each example."""
        _arrays_for(self, xs)
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
        parts = [
            x[..., i : i + height, j : j + width]
            for x, (i, j) in zip(xs, corners, strict=True)
        ]
        return np.stack(parts) if parts else xs[..., :height, :width]


# --- helpers --------------------------------------------------------------------------


def _pair(size: int | tuple[int, int]) -> tuple[int, int]:
    try:
        sizes: Any = (size, size) if np.ndim(size) == 0 else size
        a, b = [operator.index(length) for length in sizes]
    except (TypeError, ValueError):
        raise TypeError(
            f"a size is a whole number or a pair of them, such as 32 or (32, 24), not "
            f"{size!r}"
        ) from None
    if a < 1 or b < 1:
        raise ValueError(
            f"an image has at least one pixel each way, so a size of {size} makes none"
        )
    return a, b


def _values_for(transform: object, x: Any) -> Any:
    if hasattr(x, "astype"):
        return x
    if isinstance(x, (int, float, list, tuple)):
        # The index makes a NumPy number of an array without axes, and changes nothing
        # else.
        return np.asarray(x)[()]
    raise TypeError(
        f"{type(transform).__name__} takes an array or a number, not "
        f"{kind_of(x)}: ToArray() makes an array of a Pillow image"
    )


def _array_for(transform: Transform, x: Any) -> Any:
    if not isinstance(x, ndarray) or x.ndim < 2:
        found = f"an array of shape {x.shape}" if isinstance(x, ndarray) else kind_of(x)
        raise TypeError(
            f"{type(transform).__name__} takes an array of shape (C, H, W), not "
            f"{found}: use ToArray()"
        )
    return x


def _arrays_for(transform: Transform, xs: Any) -> None:
    # Of rows, such as Flatten makes, a batch would be taken for one image.
    for x in xs[:1]:
        _array_for(transform, x)


def _pillow_for(transform: Transform, image: Any) -> Any:
    name = type(transform).__name__
    pillow = _pillow(name)
    if not isinstance(image, pillow.Image):
        raise TypeError(
            f"{name} takes a Pillow image, not {kind_of(image)}: ToPIL() "
            "makes one of an array"
        )
    return pillow


def _pillow(name: str) -> Any:
    try:
        return import_module("PIL.Image")
    except ImportError:
        raise ImportError(
            f"{name} works on images of the package Pillow: run `pip install pillow`"
        ) from None
