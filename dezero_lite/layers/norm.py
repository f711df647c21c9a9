"""Layers that normalise, and one that drops numbers at random. Steps 54 and 58 explain
them.
"""

from __future__ import annotations

from types import ModuleType
from typing import NoReturn

import numpy as np
from numpy.typing import DTypeLike

from .. import functions as F
from ..core import Operand, Variable
from ..cuda import get_array_module
from .layer import Buffer, Form, Layer, LazyParameter
from .lazy import LazyLayer, check_counts, check_no_size, input_length


class BatchNorm(LazyLayer):
    """Normalise each channel over the batch, then scale and shift it.

    Training normalises each batch by its own mean and variance, and keeps running
    averages of them; test mode normalises by those averages.

    Attributes
    ----------
    gamma, beta : Parameter, shape (C,)
        The learned scale and shift.
    avg_mean, avg_var : Variable, shape (C,)
        The running averages, which are saved but not learned.

    Notes
    -----
    Source: S. Ioffe and C. Szegedy, "Batch normalization: accelerating deep network
    training by reducing internal covariate shift", 2015.
    """

    def __init__(self, *size: NoReturn, dtype: DTypeLike = np.float32) -> None:
        check_no_size(self, size)
        self.dtype = dtype
        form: Form = ((None,), dtype)
        self.avg_mean = Buffer("avg_mean", form)
        self.avg_var = Buffer("avg_var", form)
        self.gamma = LazyParameter("gamma", form)
        self.beta = LazyParameter("beta", form)

    def learn_sizes(self, x: Operand) -> None:
        channels, xp = input_length(self, x, 1), get_array_module(x)
        for variable in (self.avg_mean, self.beta):
            variable.data = xp.zeros(channels, dtype=self.dtype)
        for variable in (self.avg_var, self.gamma):
            variable.data = xp.ones(channels, dtype=self.dtype)

    def forward(self, x: Operand) -> Variable:
        """Map shape (N, C) or (N, C, H, W) to itself."""
        if self.gamma.data is None:
            return self.first_call(BatchNorm.forward, x)
        return F.batch_norm(
            x, self.gamma, self.beta, self.avg_mean.data, self.avg_var.data
        )


class LayerNorm(LazyLayer):
    """Normalise each example over its last axis, then scale and shift it.

    Parameters
    ----------
    in_size : int, optional
        The length D of an example. Default: that of the first input.

    Attributes
    ----------
    gamma, beta : Parameter, shape (D,)
        The learned scale and shift.

    Notes
    -----
    Source: J. L. Ba, J. R. Kiros and G. E. Hinton, "Layer normalization", 2016.
    """

    def __init__(
        self,
        *size: NoReturn,
        dtype: DTypeLike = np.float32,
        in_size: int | None = None,
    ) -> None:
        check_no_size(self, size)
        self.dtype = dtype
        self.gamma = LazyParameter("gamma", ((None,), dtype))
        self.beta = LazyParameter("beta", ((None,), dtype))
        if in_size is not None:
            check_counts(self, in_size=in_size)
            self._init(in_size)

    def _init(self, length: int, xp: ModuleType = np) -> None:
        self.gamma.data = xp.ones(length, dtype=self.dtype)
        self.beta.data = xp.zeros(length, dtype=self.dtype)

    def learn_sizes(self, x: Operand) -> None:
        self._init(input_length(self, x, -1), get_array_module(x))

    def forward(self, x: Operand) -> Variable:
        """Map shape (..., D) to itself."""
        if self.gamma.data is None:
            return self.first_call(LayerNorm.forward, x)
        return F.layer_norm(x, self.gamma, self.beta)


class Dropout(Layer):
    """In training, set numbers to 0 at random, each with probability `ratio`. Source:
    book step 54.
    """

    repr_names = ("ratio",)

    def __init__(self, ratio: float = 0.5) -> None:
        self.ratio = ratio

    def forward(self, x: Operand) -> Variable:
        """Map any shape to itself."""
        return F.dropout(x, self.ratio)
