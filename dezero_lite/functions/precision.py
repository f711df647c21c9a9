"""What keeps numbers right at the limits of their dtype. No step explains it: it is the
care behind the functions in the files beside.

A gradient that stops somewhere is 0 there, even if it was infinite: `Select`. And what
is too small for its dtype is 0: `underflow_to_zero`.
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
    """The data of `x`, of a Variable or as they are, for a function that looks at them
    before it computes.

    Raises
    ------
    ValueError
        If a Variable has no data yet.
    """
    data = unwrap(x)
    if data is x and hasattr(x, "creator"):
        as_variable(x)  # it is of another framework, and this says so
    if data is None and isinstance(x, Variable):
        raise ValueError(f"{describe(x)} holds no data yet")
    return data


def as_floats(x: Any) -> Any:
    """An array or a Variable of whole numbers as float64, where −x, x² or e^x would not
    fit; others as they are.
    """
    return x if x.dtype.kind == "f" else AsType(float).apply(x)


def upcast_half(x: Any) -> Any:
    """A float16 array or Variable as float32, where squares or sums would not fit;
    others as `as_floats` has them.
    """
    return AsType(np.float32).apply(x) if is_half(x) else as_floats(x)


def downcast_half(y: Any, like: Any) -> Any:
    """The way back from `upcast_half`: `y` as float16 where `like` is."""
    return AsType(np.float16).apply(y) if is_half(like) else y


def into(y: Any) -> Any:
    """`y` as the place for a result, as in ``np.exp(y, out=into(y))``; ``None`` for a
    scalar, which is no place.
    """
    return None if isinstance(y, np.generic) else y


# --- infinite, and too small ----------------------------------------------------------


class Select(Primitive):
    """Numbers where `mask` holds, else 0, as gradients need it."""

    broadcasts = True

    def __init__(self, mask: Any) -> None:
        self.mask = mask

    def forward(self, x: Array) -> Array:
        return picker(x)(self.mask, x)

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        return Select(self.mask).apply(gy)


def picker(x: Any) -> Any:
    """The function of ``(mask, x)`` that leaves of an array `x` what `mask` holds on
    to, and makes the rest 0.

    To multiply is many times faster than ``np.where``, but right for finite numbers
    alone: 0 · ∞ is NaN.
    """
    return np.multiply if np.isfinite(x).all() else _pick


def _pick(mask: Any, x: Any, out: Any = None) -> Any:
    y = np.where(mask, x, x.dtype.type(0))
    if out is None:
        return y
    out[...] = y
    return out


def underflow_to_zero() -> Any:
    """A ``with`` block in which a number too small for its dtype becomes 0 without a
    word, even under ``np.seterr(all="raise")``: for functions of which that is part, as
    the exponentials of low scores are of softmax.
    """
    return np.errstate(under="ignore")
