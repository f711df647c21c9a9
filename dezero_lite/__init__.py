"""A small deep-learning framework: the one that the course in ``steps/`` arrives at.

Importing it needs NumPy alone. :mod:`dezero_lite.core` holds the whole idea: Variables, functions and backward. On it
stand, in this order, functions, layers and models; beside them optimizers, datasets, dataloaders and transforms.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import cuda, functions, functions_conv, layers
from .core import (
    Config,
    Function,
    Parameter,
    Variable,
    as_array,
    as_variable,
    no_grad,
    test_mode,
    using_config,
)
from .layers import Layer
from .random import manual_seed

if TYPE_CHECKING:
    from . import dataloaders, datasets, models, optimizers, transforms, utils
    from .dataloaders import DataLoader, SeqDataLoader
    from .datasets import Dataset
    from .models import Model

__version__ = "0.1.0"

__all__ = [
    "Config",
    "DataLoader",
    "Dataset",
    "Function",
    "Layer",
    "Model",
    "Parameter",
    "SeqDataLoader",
    "Variable",
    "as_array",
    "as_variable",
    "cuda",
    "dataloaders",
    "datasets",
    "functions",
    "functions_conv",
    "layers",
    "manual_seed",
    "models",
    "no_grad",
    "optimizers",
    "test_mode",
    "transforms",
    "using_config",
    "utils",
]

# These wait until somebody asks, so that importing the framework takes little longer than importing NumPy.
_MODULES = {"dataloaders", "datasets", "models", "optimizers", "transforms", "utils"}
_HOMES = {"DataLoader": "dataloaders", "Dataset": "datasets", "Model": "models", "SeqDataLoader": "dataloaders"}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_MODULES, *_HOMES])
