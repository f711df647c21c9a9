"""Makes ``import dezero`` import this package, with the behaviour that the book's
scripts expect of whole numbers and of older NumPy versions. It changes the whole
process, which belongs to the script.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

import dezero_lite

# The class of results; modules export the other Variable, defined below.
from ..core import Variable as Result

MODULES = """
    core core_simple cuda dataloaders datasets functions functions_conv layers models
    optimizers transforms utils
"""


def install_alias() -> None:
    """Make ``import dezero`` and its submodules import this package."""
    sys.modules["dezero"] = _replace_variable(dezero_lite)
    for name in MODULES.split():
        module = import_module(f"dezero_lite.{name}")
        sys.modules[f"dezero.{name}"] = _replace_variable(module)
    plain: Any = Result.data

    def set_data(self: Result, data: Any) -> None:
        if isinstance(data, Result):
            raise TypeError(
                "a Variable holds an array, not a Variable: use x.data -= lr * "
                "x.grad.data. Or was the script written before the book's step 32? "
                "Then import dezero.core_simple, where x.grad is an array"
            )
        plain.fset(self, data)

    Result.data = property(  # type: ignore[assignment]
        lambda self: _as_one_number(plain.fget(self)), set_data
    )


def _replace_variable(module: ModuleType) -> ModuleType:
    if vars(module).get("Variable") is Result:
        module.Variable = Variable  # type: ignore[attr-defined]
    # The names for `from dezero.functions import *`; the book's modules have no
    # __all__.
    names = [name for name, value in vars(module).items() if _is_ours(value)]
    module.__all__ = [*names, "np"]  # type: ignore[attr-defined]
    module.np = np  # type: ignore[attr-defined]
    return module


def _is_ours(value: Any) -> bool:
    home = str(getattr(value, "__module__", ""))
    return home.startswith("dezero_lite") and not isinstance(value, ModuleType)


# --- whole numbers --------------------------------------------------------------------


class _Kind(type):
    def __instancecheck__(cls, x: Any) -> bool:
        return isinstance(x, Result)


class Variable(Result, metaclass=_Kind):
    """The Variable that a script creates: it converts whole numbers to floats. Results
    of functions also count as instances.
    """

    __slots__ = ()
    _has_warned = False

    def __init__(self, data: Any, name: str | None = None) -> None:
        if isinstance(data, (np.ndarray, np.generic)) and data.dtype.kind in "iub":
            data = np.asarray(data, dtype=float)
            if not Variable._has_warned:
                Variable._has_warned = True
                print(
                    "dezero_lite: whole numbers in a Variable were converted to "
                    "floats, because only floats have gradients.",
                    file=sys.stderr,
                )
        super().__init__(data, name)


# --- float(y.data) --------------------------------------------------------------------


class OneNumber(np.ndarray):
    """An array of one element, which ``float`` accepts, as in older NumPy versions."""

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())


def _as_one_number(data: Any) -> Any:
    if type(data) is np.ndarray and data.size == 1 and data.ndim:
        return data.view(OneNumber)
    return data
