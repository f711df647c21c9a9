"""Transforms of Pillow images, up to the conversion to an array."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy import ndarray
from numpy.typing import DTypeLike

from ..core import kind_of
from .arrays import pair
from .batches import Transform

__all__ = ["CenterCrop", "Convert", "Resize", "ToArray", "ToPIL"]

# Pillow's constant, written out so that a Resize can be made without Pillow.
BILINEAR = 2


class Convert:
    """Convert a Pillow image to a mode such as ``'RGB'``, ``'L'`` (grey) or ``'BGR'``.

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
    """Resize a Pillow image. Source: book, `dezero.transforms`.

    Parameters
    ----------
    size : int or (int, int)
        Width and height in pixels; a single number for both.
    mode : int, optional
        Pillow's interpolation mode; bilinear by default.
    """

    def __init__(self, size: int | tuple[int, int], mode: int = BILINEAR) -> None:
        self.size = pair(size)
        self.mode = mode

    def __call__(self, image: Any) -> Any:
        _pillow_for(self, image)
        return image.resize(self.size, self.mode)


class CenterCrop:
    """Cut out the middle of a Pillow image. Source: book, `dezero.transforms`.

    Parameters
    ----------
    size : int or (int, int)
        Width and height in pixels; a single number for both.

    Raises
    ------
    ValueError
        When called, if the image is smaller.
    """

    def __init__(self, size: int | tuple[int, int]) -> None:
        self.size = pair(size)

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
    """Convert a Pillow image to an array of shape (C, H, W), where a grey one has C =
    1; an array stays unchanged.

    Source: book, `dezero.transforms`.

    Parameters
    ----------
    dtype : dtype, optional
        The dtype of the array; float32 by default. Values stay as in the image, usually
        0 to 255.
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
    """Convert an array to a Pillow image. Source: book, `dezero.transforms`.

    The array has shape (C, H, W) and dtype uint8. C is 1 (grey), 3 (RGB) or 4 (RGBA).

    Raises
    ------
    TypeError
        When called, if the array has another dtype.
    ValueError
        When called, if the array has another shape.
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


def _pillow_for(transform: Transform, image: Any) -> Any:
    name = type(transform).__name__
    pillow = _pillow(name)
    if isinstance(image, pillow.Image):
        return pillow
    raise TypeError(
        f"{name} takes a Pillow image, not {kind_of(image)}: ToPIL() makes one from an "
        "array"
    )


def _pillow(name: str) -> Any:
    try:
        return import_module("PIL.Image")
    except ImportError:
        raise ImportError(
            f"{name} requires the package Pillow: run `pip install pillow`"
        ) from None
