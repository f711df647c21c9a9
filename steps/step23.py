"""Step 23: from file to package."""

from dezero_lite import Function, Variable, as_array, as_variable, no_grad, using_config

__all__ = ["Function", "Variable", "as_array", "as_variable", "no_grad", "using_config"]
