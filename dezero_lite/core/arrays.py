"""Helpers for what a Variable's data can be: arrays, numbers and NumPy scalars.

NumPy computes several times faster with its scalars than with zero-dimensional arrays.
So functions pass scalars on to each other, and `Variable.data` turns a scalar into an
array when it is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import ndarray

__all__ = ["as_array"]

# `is_array` adds a GPU's array type when it first sees such an array.
ARRAYS: Any = (ndarray, np.generic)
NUMBERS = (float, int)
SCALARS = (*NUMBERS, np.generic)
# From this size on, filling an array with ones is slower than making a view.
LARGE = 10_000
FLOAT_SCALARS = {np.float64, np.float32, np.float16, np.longdouble}


def as_array(x: Any, array_module: Any = np) -> Any:
    """Return a number as a zero-dimensional array, and anything else unchanged. Source:
    book step 9.
    """
    return array_module.array(x) if isinstance(x, SCALARS) else x


def is_array(x: Any) -> bool:
    """Return whether `x` is an array or a NumPy scalar."""
    global ARRAYS
    if not isinstance(x, ARRAYS) and hasattr(x, "__cuda_array_interface__"):
        ARRAYS += (type(x),)
    return isinstance(x, ARRAYS)


def is_number(x: Any) -> bool:
    """Return whether `x` is a Python number; np.float64 is not, as it has a dtype."""
    return isinstance(x, NUMBERS) and not isinstance(x, np.generic)


def as_scalar(data: Any) -> Any:
    """Return the NumPy scalar in a zero-dimensional array, else `data` itself."""
    return data[()] if type(data) is ndarray and data.ndim == 0 else data


def ones_like(data: Any) -> Any:
    """Return ones of the shape and dtype of `data`, an array or a NumPy scalar; for a
    large array, as a read-only view of a single 1.
    """
    if isinstance(data, np.generic):
        return type(data)(1)
    if data.size < LARGE:
        return np.ones_like(data)
    return np.broadcast_to(np.ones_like(data, shape=()), data.shape)


def cast_numbers(values: Sequence[Any], dtypes: Sequence[Any]) -> list[Any]:
    """Give the Python numbers among `values` the dtype they would have in an operation
    with arrays of `dtypes`, so that they widen nothing.
    """
    return [
        np.array(x, np.result_type(x, *dtypes))[()] if is_number(x) else x
        for x in values
    ]


def owner(array: Any) -> Any:
    """Return the array that owns the memory of `array`: itself, or a view's base."""
    base = getattr(array, "base", None)
    return array if base is None else base
