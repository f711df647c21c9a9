"""What keeps numbers right at the limits of their dtype. No step explains it: it is the
care behind the functions in the files beside.

A float has room for a few digits, and a sum that has grown large drops those of the
next number. Along the last axis, NumPy adds in pairs, and pairs of pairs; but along the
others it adds row upon row: of 60,000 rows of float32, three digits are right. So
`stable_sum` adds blocks of rows first, and then their sums. A float16 has three digits
to begin with, and nothing above 65,504; what is summed of them is summed as float32.

A gradient that stops somewhere is 0 there, even if it was infinite: `Select`. And what
is too small for its dtype is 0: `underflow_to_zero`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core import AsType, Function, Variable, _describe, _plain

Axis = int | tuple[int, ...] | None

# From so many rows on, `stable_sum` adds them in blocks, each of so many.
BLOCK_SUM_MIN_ROWS = 512
BLOCK_SUM_ROWS = 128


# --- data and dtypes ------------------------------------------------------------------


def require_data(x: Any) -> Any:
    """The data of `x`, of a Variable or as they are, for a function that looks at them
    before it computes.

    Raises
    ------
    ValueError
        If a Variable has no data yet.
    """
    data = _plain(x)
    if data is None and isinstance(x, Variable):
        raise ValueError(f"{_describe(x)} holds no data yet")
    return data


def floats(x: Any) -> Any:
    """An array or a Variable of whole numbers as float64, where −x, x² or e^x would not
    fit; others as they are.
    """
    return x if x.dtype.kind == "f" else AsType(float).on(x)


def is_half(x: Any) -> Any:
    """Whether `x` is float16."""
    return x.dtype.char == "e"


def upcast_half(x: Any) -> Any:
    """A float16 array or Variable as float32, where squares or sums would not fit;
    others as `floats` has them.
    """
    return AsType(np.float32).on(x) if is_half(x) else floats(x)


def downcast_half(y: Any, like: Any) -> Any:
    """The way back from `upcast_half`: `y` as float16 where `like` is."""
    return AsType(np.float16).on(y) if is_half(like) else y


def into(y: Any) -> Any:
    """`y` as the place for a result, as in ``np.exp(y, out=into(y))``; ``None`` for a
    scalar, which is no place.
    """
    return None if isinstance(y, np.generic) else y


# --- sums -----------------------------------------------------------------------------


def stable_sum(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """``x.sum(axis, keepdims=keepdims)`` of an array, also right in the last digits
    where an axis is long, whichever it is.
    """
    if is_half(x):
        return stable_sum(x.astype(np.float32), axis, keepdims).astype(x.dtype)
    axes = axis if isinstance(axis, tuple) else (axis,)
    axes = tuple(range(x.ndim)) if axis is None else axes
    if x.dtype.kind != "f" or not _needs_blocks(x, axes):
        return x.sum(axis=axis, keepdims=keepdims)
    # From the outermost in memory to the innermost.
    order = sorted(range(x.ndim), key=lambda i: -abs(x.strides[i]))
    y = x.transpose(order)
    for run in _runs([order.index(i % x.ndim) for i in axes]):
        y = _sum_run(y, run)
    y = y.transpose([order.index(i) for i in range(x.ndim)])
    return y if keepdims else y.squeeze(axes)


def _needs_blocks(x: Any, axes: tuple[Any, ...]) -> bool:
    # Whether NumPy would add many numbers one upon the other. If there is no such axis,
    # or one is named twice, `x.sum` says so.
    if x.size < BLOCK_SUM_MIN_ROWS or not all([-x.ndim <= i < x.ndim for i in axes]):
        return False
    different = {i % x.ndim for i in axes}
    if len(different) < len(axes):
        return False
    inner = x.ndim - 1
    while x.flags.c_contiguous and inner in different:
        # What lies side by side NumPy adds in pairs.
        different.remove(inner)
        inner -= 1
    rows: int = math.prod([x.shape[i] for i in different])
    return rows >= BLOCK_SUM_MIN_ROWS


def _runs(axes: list[int]) -> list[tuple[int, ...]]:
    # Axes next to each other belong together. The last ones come first.
    runs: list[tuple[int, ...]] = []
    for i in sorted(axes, reverse=True):
        if runs and runs[-1][0] == i + 1:
            runs[-1] = (i, *runs[-1])
        else:
            runs.append((i,))
    return runs


def _sum_run(x: Any, run: tuple[int, ...]) -> Any:
    if run[-1] == x.ndim - 1 and x.flags.c_contiguous:
        # What lies side by side NumPy adds in pairs.
        return x.sum(axis=run, keepdims=True)
    before, after = x.shape[: run[0]], x.shape[run[-1] + 1 :]
    y = _sum_blocks(x.reshape(*before, -1, *after), run[0])
    return y.reshape(*before, *[1] * len(run), *after)


def _sum_blocks(x: Any, axis: int) -> Any:
    n, before, after = x.shape[axis], x.shape[:axis], x.shape[axis + 1 :]
    if n < BLOCK_SUM_MIN_ROWS:
        return x.sum(axis=axis)
    m = BLOCK_SUM_ROWS
    start, rest = np.split(x, [n - n % m], axis)
    blocks = start.reshape(*before, n // m, m, *after)
    return _sum_blocks(blocks.sum(axis=axis + 1), axis) + rest.sum(axis=axis)


# --- infinite, and too small ----------------------------------------------------------


class Select(Function):
    """Numbers where `mask` holds, else 0, as gradients need it."""

    __slots__ = ("mask",)

    def __init__(self, mask: Any) -> None:
        self.mask = mask

    def forward(self, x: Any) -> Any:
        return picker(x)(self.mask, x)

    def vjp(self, xs: Sequence[Any], gy: Any) -> Any:
        return Select(self.mask).on(gy)


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
