"""A small deep-learning framework: the one that the course in ``steps/`` arrives at.

Importing it needs NumPy alone. :mod:`dezero_lite.core` holds the whole idea: Variables,
functions and backward. On it stand, in this order, functions, layers and models; beside
them optimizers, datasets, dataloaders and transforms.
"""

import contextlib
import os

import numpy as np

from . import (
    cuda,
    dataloaders,
    datasets,
    functions,
    functions_conv,
    layers,
    models,
    optimizers,
    transforms,
    utils,
)
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
from .core import setup_variable as setup_variable
from .dataloaders import DataLoader, SeqDataLoader
from .datasets import Dataset
from .layers import Layer
from .models import Model
from .random import manual_seed

__version__ = "1.0.0"

# For the book's reader: its steps 28 and 29 ask whether its simple core is in use.
is_simple_core = False

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

# The C library gives the memory of large arrays back to the system when they are gone,
# and to get it again, cleared, takes longer than to compute with it. Once an array of
# this size has come and gone, glibc keeps what it has for the next arrays. How much
# that is has no bound: memory is given back from the end only, and one small thing that
# lives there holds all before it. The README says what a training run keeps.
if os.environ.get("DEZERO_LITE_KEEP_MEMORY") != "0":
    with contextlib.suppress(MemoryError):
        np.empty(31 * 2**20, np.uint8)


def __dir__() -> list[str]:
    """What a user types, without what these lines import."""
    return sorted([*__all__, "__doc__", "__version__"])
