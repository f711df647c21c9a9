"""Layers with one weight matrix: Linear (steps 43 and 44) and EmbedID (step 60)."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from .. import functions as F
from ..core import Operand, Parameter, Variable
from ..cuda import get_array_module
from ..functions.linear import linear
from .layer import Layer, LazyParameter
from .lazy import LazyLayer, check_counts, check_nobias, input_length, random_weights


class Linear(LazyLayer):
    """A matrix product and a bias: ``x @ W + b``. Source: book step 44.

    Parameters
    ----------
    out_size : int
        The length of an output.
    nobias : bool, optional
        Omit `b`.
    dtype : dtype, optional
        The dtype of `W` and `b`.
    in_size : int, optional
        The length of an input. Default: that of the first one.

    Attributes
    ----------
    W : Parameter, shape (in_size, out_size)
    b : Parameter, shape (out_size,), or None
    """

    repr_names = ("out_size", "nobias", "in_size")

    def __init__(
        self,
        out_size: int,
        nobias: bool = False,
        dtype: DTypeLike = np.float32,
        in_size: int | None = None,
    ) -> None:
        check_counts(self, out_size=out_size)
        check_nobias(self, nobias, "Linear(10, in_size=784)")
        self.out_size, self.nobias, self.dtype = out_size, nobias, dtype
        self.W = LazyParameter("W", ((None, out_size), dtype))
        if in_size is not None:
            self._init_W(in_size)
        self.b = None if nobias else Parameter(np.zeros(out_size, dtype), "b")

    @property
    def in_size(self) -> int | None:
        """The length of an input, or ``None`` until the first one."""
        return None if self.W.data is None else self.W.shape[0]

    def _init_W(self, in_size: int, xp: ModuleType = np) -> None:
        check_counts(self, in_size=in_size)
        self.W.data = random_weights((in_size, self.out_size), in_size, self.dtype, xp)

    def learn_sizes(self, x: Operand) -> None:
        self._init_W(input_length(self, x, -1), get_array_module(x))

    def forward(self, x: Operand) -> Variable:
        """Map shape (N, in_size) to (N, out_size)."""
        if self.W.data is None:
            return self.first_call(Linear.forward, x)
        return linear(x, self.W, self.b)


class EmbedID(Layer):
    """A vector for each word: row ``x[i]`` of `W` for word number ``x[i]``.

    Parameters
    ----------
    in_size : int
        The number of words.
    out_size : int
        The length of a vector.

    Attributes
    ----------
    W : Parameter, shape (in_size, out_size)
    """

    repr_names = ("in_size", "out_size")

    def __init__(
        self, in_size: int, out_size: int, *, dtype: DTypeLike = np.float32
    ) -> None:
        check_counts(self, in_size=in_size, out_size=out_size)
        self.in_size, self.out_size = in_size, out_size
        self.W = Parameter(random_weights((in_size, out_size), 1, dtype, np), "W")

    def forward(self, x: Any) -> Variable:
        """Map integers of any shape to vectors, with one more axis."""
        return F.embed_id(x, self.W)
