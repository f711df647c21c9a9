"""A small deep-learning framework: the one that the course in ``steps/`` arrives at.

Importing it requires only NumPy. :mod:`dezero_lite.core` holds the whole idea:
Variables, functions and backward. Functions, layers and models build on it, in this
order; optimizers, datasets, dataloaders and transforms complete the package.
"""

import os
from contextlib import suppress

from . import book as book
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
from .book.names import setup_variable as setup_variable
from .core import Function, Parameter, Variable, as_array, as_variable
from .core.settings import Config, no_grad, test_mode, using_config
from .dataloaders import DataLoader, SeqDataLoader
from .datasets import Dataset
from .deprecated import old_names_of
from .layers import Layer
from .memory import keep_memory
from .models import Model
from .random import manual_seed

__version__ = "1.0.0"

# For readers of the book, whose steps 28 and 29 check which core is in use.
is_simple_core = False

__all__ = ["Function", "Parameter", "Variable", "as_array", "as_variable"]
__all__ += ["Config", "no_grad", "test_mode", "using_config"]
__all__ += ["DataLoader", "Dataset", "Layer", "Model", "SeqDataLoader"]
__all__ += ["keep_memory", "manual_seed"]
__all__ += ["cuda", "dataloaders", "datasets", "functions", "functions_conv", "layers"]
__all__ += ["models", "optimizers", "transforms", "utils"]

if os.environ.get("DEZERO_LITE_KEEP_MEMORY") != "0":
    with suppress(MemoryError):  # importing still works where memory is short
        keep_memory()


def __dir__() -> list[str]:
    """List the public names, without what this module imports for its own use."""
    return sorted([*__all__, "__doc__", "__version__"])


__getattr__ = old_names_of(__name__)
