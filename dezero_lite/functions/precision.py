"""Helpers that keep results right at the limits of a dtype. No step explains them; the
other files in this folder use them.

A gradient that a function stops is 0, even if it was infinite: `Select`. A number too
small for its dtype becomes 0: `underflow_to_zero`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core import AsType, Primitive, Variable, as_variable, describe, unwrap
from ..core.sums import is_half
from ..core.types import Array, Value

# --- data and dtypes ------------------------------------------------------------------


def require_data(x: Any) -> Any:
    """Return the data of `x` (a Variable's, or `x` itself), for a function that
    inspects them before it computes.

    Raises
    ------
    ValueError
        If a Variable has no data yet.
    """
    data = unwrap(x)
    if data is x and hasattr(x, "creator"):
        as_variable(x)  # raises: `x` comes from another framework
    if data is None and isinstance(x, Variable):
        raise ValueError(f"{describe(x)} holds no data yet")
    return data


def as_floats(x: Any) -> Any:
    """Convert whole numbers, in an array or a Variable, to float64, because −x, x² or
    e^x may not fit their dtype; return others unchanged.
    """
    return x if x.dtype.kind == "f" else AsType(float).apply(x)


def upcast_half(x: Any) -> Any:
    """Convert a float16 array or Variable to float32, because squares or sums may not
    fit float16; treat others like `as_floats`.
    """
    return AsType(np.float32).apply(x) if is_half(x) else as_floats(x)


def downcast_half(y: Any, like: Any) -> Any:
    """Undo `upcast_half`: convert `y` to float16 if `like` is float16."""
    return AsType(np.float16).apply(y) if is_half(like) else y


def into(y: Any) -> Any:
    """Return `y` as the target for a result, as in ``np.exp(y, out=into(y))``, or
    ``None`` for a scalar, which cannot be a target.
    """
    return None if isinstance(y, np.generic) else y


# --- infinite, and too small ----------------------------------------------------------


class Select(Primitive):
    """y = x where `mask` holds, else 0, even where x is infinite"""

    broadcasts = True

    def __init__(self, mask: Any) -> None:
        self.mask = mask

    def forward(self, x: Array) -> Array:
        return picker(x)(self.mask, x)

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        return Select(self.mask).apply(gy)


def picker(x: Any) -> Any:
    """Return a function of ``(mask, x)`` that keeps the elements of the array `x` where
    `mask` holds, and sets the rest to 0.

    Multiplying is many times faster than ``np.where``, but right only for finite
    numbers: 0 · ∞ is NaN.
    """
    return np.multiply if np.isfinite(x).all() else _pick


def _pick(mask: Any, x: Any, out: Any = None) -> Any:
    y = np.where(mask, x, x.dtype.type(0))
    if out is None:
        return y
    out[...] = y
    return out


def underflow_to_zero() -> Any:
    """Return a ``with`` block in which a number too small for its dtype silently
    becomes 0, even under ``np.seterr(all="raise")``: for functions in which underflow
    is normal, such as the exponentials of low scores in softmax.
    """
    return np.errstate(under="ignore")
