"""Layers of kernels that slide over images: Conv2d and its transpose, Deconv2d. Step 57
explains them.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from .. import functions as F
from ..core import Operand, Parameter, Variable
from ..cuda import get_array_module
from ..functions.window import Pair, pair
from .layer import Layer, LazyParameter
from .lazy import LazyLayer, check_counts, check_nobias, input_length, random_weights


class Conv2d(LazyLayer):
    """Kernels that slide over images, and a bias. Source: book step 57.

    Parameters
    ----------
    out_channels : int
        The number of kernels.
    kernel_size : int or (int, int)
        Their height and width.
    stride, pad : int or (int, int), optional
        The distance by which a kernel moves, and the width of the border of zeros
        around the image.
    nobias : bool, optional
        Omit `b`.
    dtype : dtype, optional
        The dtype of `W` and `b`.
    in_channels : int, optional
        The number of input channels. Default: that of the first input.
    dilation : int or (int, int), optional
        The distance between the pixels that a kernel sees.
    groups : int, optional
        The channels are divided into this many independent groups.

    Attributes
    ----------
    W : Parameter, shape (out_channels, in_channels / groups, KH, KW)
    b : Parameter, shape (out_channels,), or None
    """

    repr_names: tuple[str, ...] = ("out_channels", "kernel_size", "stride", "pad")
    repr_names += ("nobias", "in_channels")

    def __init__(
        self,
        out_channels: int,
        kernel_size: Pair,
        stride: Pair = 1,
        pad: Pair = 0,
        nobias: bool = False,
        dtype: DTypeLike = np.float32,
        in_channels: int | None = None,
        *,
        dilation: Pair = 1,
        groups: int = 1,
    ) -> None:
        check_counts(self, out_channels=out_channels, groups=groups)
        check_nobias(self, nobias, "Conv2d(16, kernel_size=3, in_channels=3)")
        check_order(self, kernel_size, stride)
        if out_channels < 1 or groups < 1 or out_channels % groups:
            raise ValueError(
                f"{out_channels} output channels do not divide into {groups} groups"
            )
        self.out_channels, self.kernel_size = out_channels, kernel_size
        self.stride, self.pad, self.dilation = stride, pad, dilation
        self.nobias, self.dtype, self.groups = nobias, dtype, groups
        self.W = LazyParameter("W", (self._shape(None), dtype))
        if in_channels is not None:
            self._init_W(in_channels)
        self.b = None if nobias else Parameter(np.zeros(out_channels, dtype), "b")

    @property
    def in_channels(self) -> int | None:
        """The number of input channels, or ``None`` until the first input."""
        return None if self.W.data is None else self.W.shape[1] * self.groups

    def _shape(self, in_channels: int | None) -> tuple[int | None, ...]:
        per_group = None if in_channels is None else in_channels // self.groups
        return (self.out_channels, per_group, *pair(self.kernel_size))

    def _init_W(self, in_channels: int, xp: ModuleType = np) -> None:
        check_counts(self, in_channels=in_channels)
        if in_channels < 1 or in_channels % self.groups:
            raise ValueError(
                f"{in_channels} input channels do not divide into {self.groups} groups"
            )
        kh, kw = pair(self.kernel_size)
        shape: Any = self._shape(in_channels)
        fan_in = in_channels // self.groups * kh * kw
        self.W.data = random_weights(shape, fan_in, self.dtype, xp)

    def learn_sizes(self, x: Operand) -> None:
        self._init_W(input_length(self, x, 1), get_array_module(x))

    def forward(self, x: Operand) -> Variable:
        """Map shape (N, C, H, W) to (N, out_channels, OH, OW)."""
        if self.W.data is None:
            return self.first_call(Conv2d.forward, x)
        return F.conv2d(
            x, self.W, self.b, self.stride, self.pad, self.dilation, self.groups
        )


class Deconv2d(Conv2d):
    """A transposed :class:`Conv2d`, which turns small images into large ones. Source:
    book step 57.

    The parameters are those of :class:`Conv2d`; `out_channels` is the number of
    channels of the larger image.

    Attributes
    ----------
    W : Parameter, shape (in_channels, out_channels / groups, KH, KW)
    b : Parameter, shape (out_channels,), or None
    """

    @property
    def in_channels(self) -> int | None:
        """The number of input channels, or ``None`` until the first input."""
        return None if self.W.data is None else self.W.shape[0]

    def _shape(self, in_channels: int | None) -> tuple[int | None, ...]:
        return (in_channels, self.out_channels // self.groups, *pair(self.kernel_size))

    def forward(self, x: Operand) -> Variable:
        """Map shape (N, C, H, W) to (N, out_channels, OH, OW)."""
        if self.W.data is None:
            return self.first_call(Deconv2d.forward, x)
        return F.deconv2d(
            x, self.W, self.b, self.stride, self.pad, None, self.dilation, self.groups
        )


def check_order(layer: Layer, kernel_size: Pair, stride: Pair) -> None:
    """Raise a TypeError for what looks like PyTorch's (in, out, kernel) order."""
    match kernel_size, stride:
        case int(), 3 | 5 | 7 if kernel_size % 2 == 0 and kernel_size > max(5, stride):
            kind = type(layer).__name__
            raise TypeError(
                f"{kind} takes out_channels, kernel_size, stride, so the kernels would "
                f"be {kernel_size}×{kernel_size}: if {kernel_size} is the number of "
                f"output channels, write {kind}({kernel_size}, {stride}), and if not, "
                f"kernel_size=({kernel_size}, {kernel_size})"
            )
