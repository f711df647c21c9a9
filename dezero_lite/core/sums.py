"""Sums that stay accurate, for `sum_to` and others. No step explains them.

A float holds only a few digits, and a sum that has grown large drops the last digits of
the next number. Along the last axis, NumPy sums pairwise; along the others it adds row
after row, so that a sum of 60,000 rows of float32 is right to three digits. So
`stable_sum` first adds blocks of rows, and then their sums. A float16 has only three
digits to begin with, and cannot exceed 65,504, so float16 data are summed as float32.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .types import Array, Axis, Shape

__all__ = ["stable_sum"]


# `stable_sum` adds this many rows or more in blocks of BLOCK_SUM_ROWS.
BLOCK_SUM_MIN_ROWS = 512
BLOCK_SUM_ROWS = 128


def is_half(x: Any) -> Any:
    """Return whether `x` is float16."""
    return x.dtype.char == "e"


def stable_sum(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """Compute ``x.sum(axis, keepdims=keepdims)`` of an array, accurate to the last
    digits even along long axes.
    """
    if is_half(x):
        return stable_sum(x.astype(np.float32), axis, keepdims).astype(x.dtype)
    axes = axis if isinstance(axis, tuple) else (axis,)
    axes = tuple(range(x.ndim)) if axis is None else axes
    if x.dtype.kind != "f" or not _needs_blocks(x, axes):
        return x.sum(axis=axis, keepdims=keepdims)
    # The axes, from the outermost in memory to the innermost.
    order = sorted(range(x.ndim), key=lambda i: -abs(x.strides[i]))
    y = x.transpose(order)
    for run in _runs([order.index(i % x.ndim) for i in axes]):
        y = _sum_run(y, run)
    y = y.transpose([order.index(i) for i in range(x.ndim)])
    return y if keepdims else y.squeeze(axes)


def _needs_blocks(x: Array, axes: tuple[Any, ...]) -> bool:
    # Whether NumPy would add many rows one after another, not pairwise. For an axis
    # that is missing or named twice, `x.sum` raises the error.
    if x.size < BLOCK_SUM_MIN_ROWS or not all([-x.ndim <= i < x.ndim for i in axes]):
        return False
    different = {i % x.ndim for i in axes}
    if len(different) < len(axes):
        return False
    inner = x.ndim - 1
    while x.flags.c_contiguous and inner in different:
        # NumPy sums contiguous numbers pairwise.
        different.remove(inner)
        inner -= 1
    rows: int = math.prod([x.shape[i] for i in different])
    return rows >= BLOCK_SUM_MIN_ROWS


def _runs(axes: list[int]) -> list[Shape]:
    # Group adjacent axes, the last group first.
    runs: list[Shape] = []
    for i in sorted(axes, reverse=True):
        if runs and runs[-1][0] == i + 1:
            runs[-1] = (i, *runs[-1])
        else:
            runs.append((i,))
    return runs


def _sum_run(x: Array, run: Shape) -> Array:
    if run[-1] == x.ndim - 1 and x.flags.c_contiguous:
        # NumPy sums contiguous numbers pairwise.
        return x.sum(axis=run, keepdims=True)
    before, after = x.shape[: run[0]], x.shape[run[-1] + 1 :]
    y = _sum_blocks(x.reshape(*before, -1, *after), run[0])
    return y.reshape(*before, *[1] * len(run), *after)


def _sum_blocks(x: Array, axis: int) -> Array:
    n, before, after = x.shape[axis], x.shape[:axis], x.shape[axis + 1 :]
    if n < BLOCK_SUM_MIN_ROWS:
        return x.sum(axis=axis)
    m = BLOCK_SUM_ROWS
    start, rest = np.split(x, [n - n % m], axis)
    blocks = start.reshape(*before, n // m, m, *after)
    return _sum_blocks(blocks.sum(axis=axis + 1), axis) + rest.sum(axis=axis)
