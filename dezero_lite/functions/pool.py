"""Pooling: the largest number in each window, or their mean. Step 57 explains it.

The simple form comes first: collect what the window sees in columns, and take the
maximum of each (`pooling_simple`). The functions below it need no columns: the maximum
of a window is the maximum over its columns of the maxima over its rows, so KH + KW
steps do the work of KH · KW. The same holds for sums, and so for means.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core import Operand, Primitive, Variable, as_array, unwrap
from ..core.types import Array, Shape, Value
from .precision import downcast_half, picker, require_data, upcast_half
from .shape import pad as add_border
from .window import Pair, Window, im2col

__all__ = ["average_pooling", "pooling", "pooling_simple"]


# --- the simple form ------------------------------------------------------------------


def pooling_simple(
    x: Operand, kernel_size: Pair, stride: Pair = 1, pad: Pair = 0
) -> Variable:
    """Compute max pooling by composing existing functions: columns, then their maxima.
    Source: book step 57.

    It takes the arguments of :func:`pooling` and gives the same result. At ties, the
    gradient is shared as in :func:`max`; where a window sees only −∞, part of it goes
    to the border.
    """
    window = Window(kernel_size, stride, pad)
    data = require_data(as_array(x))
    _check(data, window)
    (ph, pw), least = window.pad, _least(data.dtype)
    bordered = add_border(x, ((0, 0), (0, 0), (ph, ph), (pw, pw)), least)
    columns = im2col(bordered, kernel_size, stride, to_matrix=False)
    return columns.max(axis=(2, 3))


# --- the largest in each window -------------------------------------------------------


def pooling(x: Operand, kernel_size: Pair, stride: Pair = 1, pad: Pair = 0) -> Variable:
    """Take the largest number in each window: max pooling. Source: book step 57.

    Parameters
    ----------
    x : Variable or ndarray
        Images (N, C, H, W).
    kernel_size, stride, pad : int or (int, int)
        The size of the window, its step, and the width of the border. The border holds
        −∞, or the smallest number of the dtype, so it never wins.

    Returns
    -------
    Variable
        (N, C, OH, OW), of the dtype of `x`.

    Raises
    ------
    ValueError
        If `x` is not an array of images, if the window does not fit into them, if `pad`
        is so large that a window could see only border, or if a size is negative or a
        step zero.

    Notes
    -----
    If several numbers of a window are the largest, the first of them, row by row,
    receives the gradient: after a relu, windows full of zeros are common.
    """
    return Pooling(kernel_size, stride, pad)(as_array(x))


class Pooling(Primitive):
    def __init__(self, kernel_size: Pair, stride: Pair = 1, pad: Pair = 0) -> None:
        self.window = Window(kernel_size, stride, pad)

    def forward(self, x: Array) -> Array:
        _check(x, self.window)
        self._y = _maxima(x, self.window)
        return self._y

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        x, y = unwrap(xs[0]), self._y
        if isinstance(gy, Variable) or x.nbytes <= PIECE:
            return self._to_winners(x, y, gy)
        gx = np.empty_like(gy, shape=x.shape, order="C")
        planes = [a.reshape(-1, 1, *a.shape[2:]) for a in (gx, x, y, gy)]
        count = max(1, PIECE // x[0, 0].nbytes)
        for i in range(0, len(planes[0]), count):
            part, *given = [a[i : i + count] for a in planes]
            part[...] = self._to_winners(*given)
        return gx

    def _to_winners(self, x: Any, y: Any, gy: Any) -> Any:
        # Small changes of x do not change the winners. So the winners are constants for
        # derivatives of any order.
        window = self.window
        if window.area > LARGE:
            return self._in_two_steps(x, y, gy)
        return Pooling2DGrad(window, x.shape, _winners(x, y, window)).apply(gy)

    def _in_two_steps(self, x: Any, y: Any, gy: Any) -> Any:
        # Find the winner of each row, then the first winner among those.
        (kh, kw), (sh, sw) = self.window.kernel, self.window.stride
        ph, pw = self.window.pad
        row = Window((1, kw), (1, sw), (0, pw))
        column = Window((kh, 1), (sh, 1), (ph, 0))
        best = _maxima(x, row)
        winners = _winners(best, y, column)
        gbest = Pooling2DGrad(column, best.shape, winners).apply(gy)
        return Pooling2DGrad(row, x.shape, _winners(x, best, row)).apply(gbest)


# With more taps than this, the winner of a window is found in two steps.
LARGE = 16
# In backward, images are processed this many bytes at a time, to stay in the cache.
PIECE = 2**20


class Pooling2DGrad(Primitive):
    """Send each number to the winner of its window."""

    def __init__(self, window: Window, shape: Shape, winners: list[Any]) -> None:
        self.window, self.shape, self.winners = window, shape, winners

    def forward(self, gy: Array) -> Array:
        bordered = np.zeros_like(
            gy, shape=self.window.bordered_shape(self.shape), order="C"
        )
        views = self.window.tap_views(bordered, gy.shape[2:])
        pick = picker(gy)
        for won, pixels in zip(self.winners, views.values(), strict=True):
            if _overlap(self.window):
                pixels += pick(won, gy)
            else:
                pick(won, gy, out=pixels)
        return self.window.remove_border(bordered)

    def vjp(self, xs: Sequence[Value], ggx: Value) -> Value:
        return Pooling2DWithIndexes(self.window, self.shape, self.winners).apply(ggx)


class Pooling2DWithIndexes(Pooling2DGrad):
    """Take, for each window, the number where its winner was."""

    def forward(self, x: Array) -> Array:
        y = np.zeros_like(x, shape=self.winners[0].shape, order="C")
        views = self.window.tap_views(self.window.add_border(x), y.shape[2:])
        pick = picker(x)
        for won, pixels in zip(self.winners, views.values(), strict=True):
            y += pick(won, pixels)
        return y

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        return Pooling2DGrad(self.window, self.shape, self.winners).apply(gy)


def _maxima(x: Array, window: Window) -> Array:
    bordered = window.add_border(x, _least(x.dtype))
    return _over_rows_then_columns(
        np.maximum, bordered, window, window.output_size(x.shape)
    )


def _winners(x: Array, y: Array, window: Window) -> list[Array]:
    # For each tap of the window: where does it hold the first maximum of its window?
    winners = []
    undecided = np.ones_like(y, dtype=bool)
    # A border of NaN never wins, even where the image itself holds −∞.
    views = window.tap_views(window.add_border(x, np.nan), y.shape[2:])
    for pixels in views.values():
        won = (pixels == y) & undecided
        undecided ^= won
        winners.append(won)
    return winners


def _overlap(window: Window) -> bool:
    (kh, kw), (sh, sw) = window.kernel, window.stride
    return sh < kh or sw < kw


def _least(dtype: np.dtype[Any]) -> float:
    if dtype.kind == "f":
        return -np.inf
    return np.iinfo(dtype).min if dtype.kind in "iu" else 0


def _check(x: Array, window: Window) -> None:
    window.output_size(x.shape)
    (kh, kw), (ph, pw) = window.kernel, window.pad
    if ph >= kh or pw >= kw:
        raise ValueError(
            f"in images of shape {x.shape}, some positions of {window} see only "
            "the border: the pad must be smaller than the window"
        )


# --- the mean of each window ----------------------------------------------------------


def average_pooling(
    x: Operand, kernel_size: Pair, stride: Pair = 1, pad: Pair = 0
) -> Variable:
    """Average the numbers in each window. Source: book step 57.

    Parameters
    ----------
    x : Variable or ndarray
        Images (N, C, H, W).
    kernel_size, stride, pad : int or (int, int)
        The size of the window, its step, and the width of the border. The border's
        zeros count in the average.

    Returns
    -------
    Variable
        (N, C, OH, OW), of the dtype of `x`; for whole numbers, float64.

    Raises
    ------
    ValueError
        If `x` is not an array of images, if the window does not fit into them, or if a
        size is negative or a step zero.
    """
    return AveragePooling(kernel_size, stride, pad)(as_array(x))


class AveragePooling(Primitive):
    def __init__(self, kernel_size: Pair, stride: Pair = 1, pad: Pair = 0) -> None:
        self.window = Window(kernel_size, stride, pad)

    def forward(self, x: Array) -> Array:
        output_size = self.window.output_size(x.shape)
        # Sums soon overflow float16, though means do not.
        bordered = self.window.add_border(upcast_half(x))
        sums = _over_rows_then_columns(np.add, bordered, self.window, output_size)
        return downcast_half(sums / self.window.area, x)

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        return AveragePoolingGrad(self.window, xs[0].shape).apply(gy)


class AveragePoolingGrad(Primitive):
    """Distribute each number equally over its window."""

    def __init__(self, window: Window, shape: Shape) -> None:
        self.window, self.shape = window, shape

    def forward(self, gy: Array) -> Array:
        (n, c, oh, ow), (h, w) = gy.shape, self.window.bordered_shape(self.shape)[2:]
        share = upcast_half(gy) / self.window.area
        rows = np.zeros_like(share, shape=(n, c, oh, w), order="C")
        for column in self.window.slices(1, ow):
            rows[:, :, :, column] += share
        bordered = np.zeros_like(share, shape=(n, c, h, w), order="C")
        for row in self.window.slices(0, oh):
            bordered[:, :, row] += rows
        return downcast_half(self.window.remove_border(bordered), gy)

    def vjp(self, xs: Sequence[Value], ggx: Value) -> Value:
        window = self.window
        return AveragePooling(window.kernel, window.stride, window.pad).apply(ggx)


# --- rows, then columns ---------------------------------------------------------------


def _over_rows_then_columns(
    operation: Any, bordered: Any, window: Window, output_size: tuple[int, int]
) -> Any:
    # Maxima of maxima, or sums of sums. Rows come first because neighbours in a row are
    # adjacent in memory.
    rows, columns = window.slices(0, output_size[0]), window.slices(1, output_size[1])
    y = _fold(operation, [bordered[:, :, row] for row in rows])
    return _fold(operation, [y[:, :, :, column] for column in columns])


def _fold(operation: Any, arrays: list[Array]) -> Array:
    if len(arrays) == 1:
        return arrays[0].copy()
    y = operation(*arrays[:2])
    for array in arrays[2:]:
        operation(y, array, out=y)
    return y
