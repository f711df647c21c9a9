"""A small deep-learning framework: the one that the course in ``steps/`` arrives at.

Importing it needs NumPy alone. So far it holds Variables, functions and their gradients (:mod:`dezero_lite.core`), the
check of gradients (:mod:`dezero_lite.gradcheck`) and the drawing of graphs (:mod:`dezero_lite.graph`).
"""

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

__version__ = "0.1.0"

__all__ = [
    "Config",
    "Function",
    "Parameter",
    "Variable",
    "as_array",
    "as_variable",
    "no_grad",
    "test_mode",
    "using_config",
]
