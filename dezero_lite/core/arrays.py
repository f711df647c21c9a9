"""What data can be: arrays, numbers, and NumPy's scalars. No Variables here.

NumPy computes several times faster on its scalars than on arrays without dimensions. So
functions pass scalars on to each other, and a scalar turns into an array when somebody
looks at it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import ndarray

__all__ = ["as_array"]

# A GPU's array type joins when the first such array comes along.
ARRAYS: Any = (ndarray, np.generic)
NUMBERS = (float, int)
SCALARS = (*NUMBERS, np.generic)
# From this size on, filling an array with ones takes longer than making a view.
LARGE = 10_000
FLOAT_SCALARS = {np.float64, np.float32, np.float16, np.longdouble}


def as_array(x: Any, array_module: Any = np) -> Any:
    """A number as an array without dimensions; anything else as it is. Source: book
    step 9.
    """
    return array_module.array(x) if isinstance(x, SCALARS) else x


def is_array(x: Any) -> bool:
    """Whether `x` is an array, or one of NumPy's scalars."""
    global ARRAYS
    if not isinstance(x, ARRAYS) and hasattr(x, "__cuda_array_interface__"):
        ARRAYS += (type(x),)
    return isinstance(x, ARRAYS)


def is_number(x: Any) -> bool:
    """Whether `x` is a number of Python's own; np.float64 has a dtype already."""
    return isinstance(x, NUMBERS) and not isinstance(x, np.generic)


def as_scalar(data: Any) -> Any:
    """The number in an array without dimensions, a NumPy scalar; else `data`."""
    return data[()] if type(data) is ndarray and data.ndim == 0 else data


def ones_like(data: Any) -> Any:
    """Ones of the form of `data`, an array or a NumPy scalar; those of a large array
    are a read-only view of a single one.
    """
    if isinstance(data, np.generic):
        return type(data)(1)
    if data.size < LARGE:
        return np.ones_like(data)
    return np.broadcast_to(np.ones_like(data, shape=()), data.shape)


def cast_numbers(values: Sequence[Any], dtypes: Sequence[Any]) -> list[Any]:
    """The values, numbers with the dtype that they would have in an operation with
    arrays of the dtypes, so that they widen nothing.
    """
    return [
        np.array(x, np.result_type(x, *dtypes))[()] if is_number(x) else x
        for x in values
    ]


def owner(array: Any) -> Any:
    """The array whose memory `array` has: itself, or the one that it is a view of."""
    base = getattr(array, "base", None)
    return array if base is None else base
