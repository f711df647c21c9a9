"""The book's names for things defined elsewhere, and small helpers on plain arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from .core import SumTo, unwrap
from .core import Variable as Variable
from .core import as_variable as as_variable
from .core.types import Axis, Shape
from .downloads import cache_dir, get_file, show_progress
from .functions.reduce import Sum
from .functions.window import get_conv_outsize, get_deconv_outsize, pair
from .gradcheck import gradient_check, numerical_grad
from .graph import get_dot_graph, plot_dot_graph

# `Variable` and `as_variable` are imported only for the book's readers.
__all__ = ["array_allclose", "array_equal", "gradient_check", "numerical_grad"]
__all__ += ["get_dot_graph", "plot_dot_graph"]
__all__ += ["cache_dir", "get_file", "show_progress"]
__all__ += ["get_conv_outsize", "get_deconv_outsize", "pair"]
__all__ += ["logsumexp", "max_backward_shape", "reshape_sum_backward", "sum_to"]


def array_equal(a: Any, b: Any) -> bool:
    """Return whether two Variables or arrays have the same shape and the same elements.
    Source: book step 53.
    """
    return bool(np.array_equal(unwrap(a), unwrap(b)))


def array_allclose(a: Any, b: Any, rtol: float = 1e-4, atol: float = 1e-5) -> bool:
    """Return whether two Variables or arrays differ by at most ``atol + rtol *
    abs(b)``, element by element.
    """
    return bool(np.allclose(unwrap(a), unwrap(b), rtol=rtol, atol=atol))


def sum_to(x: Any, shape: Shape) -> Any:
    """Sum an array down to `shape`, the reverse of a broadcast. Source: book step 40.

    Raises
    ------
    ValueError
        If `shape` does not broadcast to the shape of `x`.
    """
    return SumTo(shape).forward(x)


def reshape_sum_backward(gy: Any, x_shape: Shape, axis: Axis, keepdims: bool) -> Any:
    """Return the gradient of a sum over `axis`, with the summed axes restored at length
    1. Source: book step 39.
    """
    return gy if keepdims else gy.reshape(Sum(axis).keepdims_shape(x_shape))


def max_backward_shape(x: Any, axis: Axis) -> Shape:
    """Return the shape of a maximum of `x` over `axis`, with those axes at length 1."""
    return Sum(axis).keepdims_shape(x.shape)


def logsumexp(x: Any, axis: int | tuple[int, ...] = 1) -> Any:
    """Compute the logarithm of the sum of ``exp(x)`` over `axis`, which is kept at
    length 1, without overflow for large `x`.

    For arrays; :func:`dezero_lite.functions.logsumexp` is for Variables.
    """
    m = x.max(axis=axis, keepdims=True)
    return m + np.log(np.exp(x - m).sum(axis=axis, keepdims=True))
