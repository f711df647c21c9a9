"""Arrays on a GPU: the array module follows the data. Step 52 explains it.

CuPy's arrays work with NumPy's functions (``np.exp(x)`` computes where `x` is stored),
so almost all of the framework needs no code for GPUs. Code that creates arrays asks
:func:`get_array_module` which module to use.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

from .core import Variable, as_array, unwrap
from .from_pytorch import missing_attribute

__all__ = ["as_cupy", "as_numpy", "get_array_module"]


def __getattr__(name: str) -> Any:
    # The book's `cuda.gpu_enable` and `cuda.cupy`, evaluated on access because
    # importing CuPy takes long.
    if name == "gpu_enable":
        return _cupy_or_none() is not None
    if name == "cupy":
        return _cupy_or_none()
    raise missing_attribute(__name__, name, f"module {__name__!r}")


def get_array_module(x: Any) -> ModuleType:
    """Return the module of the array `x`: CuPy for a GPU array, else NumPy, also for a
    number. Source: book step 52.
    """
    data = unwrap(x)
    if hasattr(data, "__cuda_array_interface__"):
        return sys.modules[type(data).__module__.partition(".")[0]]
    return np


def as_numpy(x: Any) -> Any:
    """Return the data of `x`, a Variable, an array or a number, as an ndarray in main
    memory. Source: book step 52.
    """
    data = x.data if isinstance(x, Variable) else x
    xp = get_array_module(data)
    return as_array(data) if xp is np else xp.asnumpy(data)


def as_cupy(x: Any) -> Any:
    """Return the data of `x`, a Variable or an array, as an array on the GPU. Source:
    book step 52.

    Raises
    ------
    RuntimeError
        If CuPy, or a GPU that it can use, is missing.
    """
    cupy = _cupy_or_none()
    if cupy is None:
        raise RuntimeError(
            "no GPU available: you need an NVIDIA GPU and CuPy; run `pip install "
            "cupy-cuda12x`"
        )
    return cupy.asarray(x.data if isinstance(x, Variable) else x)


def _cupy_or_none() -> Any:
    try:
        cupy = import_module("cupy")
        return cupy if cupy.cuda.runtime.getDeviceCount() else None
    except Exception:  # CuPy raises errors of its own where there is no driver
        return None
