"""Layers with a state that one call leaves for the next. Steps 59 and 60."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from .. import functions as F
from ..core import Operand, Primitive, Variable, as_variable, describe
from ..core.types import Array, Value
from ..cuda import get_array_module
from ..functions.joining import Concat
from .layer import Layer
from .linear import Linear


class Recurrent(Layer):
    """Base class of layers with a state `h`, which one call leaves for the next, and
    two linear layers: `x2h` maps the input and `h2h` the state to ``width *
    hidden_size`` numbers.
    """

    h: Variable | None
    width = 1

    def __init__(
        self,
        hidden_size: int,
        in_size: int | None = None,
        *,
        dtype: DTypeLike = np.float32,
    ) -> None:
        size = self.width * hidden_size
        self.x2h = Linear(size, dtype=dtype, in_size=in_size)
        self.h2h = Linear(size, nobias=True, dtype=dtype, in_size=hidden_size)
        self.reset_state()

    def reset_state(self) -> None:
        """Forget the state: the next input begins a new sequence."""
        self.h = None

    def set_state(self, h: Operand) -> None:
        """Continue from the state `h`, of shape (N, hidden_size)."""
        self.h = as_variable(h)

    def _check_batch(self, x: Any) -> None:
        if getattr(x, "ndim", None) != 2:
            raise ValueError(
                f"{type(self).__name__} takes one step of a batch of sequences, of "
                f"shape (N, in_size), at a time, but was given {describe(x)}"
            )
        if self.h is not None and len(self.h) != len(x):
            raise ValueError(
                f"{type(self).__name__} holds the state of {len(self.h)} sequences, "
                f"but the input has {len(x)}: call reset_state() to start new sequences"
            )


class RNN(Recurrent):
    """The simplest recurrent layer: ``h = tanh(x @ W_x + b + h @ W_h)``. Source: book
    step 59.

    Parameters
    ----------
    hidden_size : int
        The length of the state, which is also the output.
    in_size : int, optional
        The length of an input. Default: that of the first one.

    Attributes
    ----------
    x2h, h2h : Linear
    h : Variable or None
        The state, of shape (N, hidden_size).
    """

    def forward(self, x: Operand) -> Variable:
        """Compute one step: shape (N, in_size) to (N, hidden_size)."""
        self._check_batch(x)
        z = self.x2h(x)
        self.h = F.tanh(z if self.h is None else z + self.h2h(self.h))
        return self.h


class GRU(Recurrent):
    """A recurrent layer that decides what to overwrite: two gates, one state.

    Parameters
    ----------
    hidden_size : int
        The length of the state, which is also the output.
    in_size : int, optional
        The length of an input. Default: that of the first one.

    Notes
    -----
    The gates r (how much of the old state to look at) and z (how much of it to keep)
    come from one product::

        r, z = sigmoid(x @ W_x + b + h @ W_h)
        h = z * h + (1 - z) * tanh(x @ V_x + c + (r * h) @ V_h)

    Source: K. Cho et al., "Learning phrase representations using RNN encoder–decoder
    for statistical machine translation", 2014.
    """

    def __init__(
        self,
        hidden_size: int,
        in_size: int | None = None,
        *,
        dtype: DTypeLike = np.float32,
    ) -> None:
        size = 2 * hidden_size
        self.x2gates = Linear(size, dtype=dtype, in_size=in_size)
        self.h2gates = Linear(size, nobias=True, dtype=dtype, in_size=hidden_size)
        super().__init__(hidden_size, in_size, dtype=dtype)

    def forward(self, x: Operand) -> Variable:
        """Compute one step: shape (N, in_size) to (N, hidden_size)."""
        self._check_batch(x)
        gates = self.x2gates(x)
        if self.h is not None:
            gates = gates + self.h2gates(self.h)
        r, z = F.split(F.sigmoid(gates), 2, axis=1)
        if self.h is None:
            self.h = (1 - z) * F.tanh(self.x2h(x))
        else:
            self.h = z * self.h + (1 - z) * F.tanh(self.x2h(x) + self.h2h(r * self.h))
        return self.h


class LSTM(Recurrent):
    """A recurrent layer with a memory: four gates, two states. Source: book step 60.

    Parameters
    ----------
    hidden_size : int
        The length of the states, of which `h` is also the output.
    in_size : int, optional
        The length of an input. Default: that of the first one.

    Attributes
    ----------
    x2h, h2h : Linear
        Compute the gates f (what to keep in memory), i (how much to add), o (what to
        show) and u (what to add), side by side in this order.
    h, c : Variable or None
        The output and the memory, of shape (N, hidden_size).
    """

    width = 4

    def reset_state(self) -> None:
        """Forget both states: the next input begins a new sequence."""
        self.h = None
        self.c: Variable | None = None

    def set_state(self, h: Operand, c: Operand | None = None) -> None:
        """Continue from the states `h` and `c`, of shape (N, hidden_size); without `c`,
        from an empty memory.
        """
        self.h = as_variable(h)
        self.c = None if c is None else as_variable(c)

    def forward(self, x: Operand) -> Variable:
        """Compute one step: shape (N, in_size) to (N, hidden_size)."""
        self._check_batch(x)
        if self.x2h.W.data is None:
            self.x2h.learn_sizes(x)
        h, c = self._states(x)
        assert self.x2h.b is not None
        self.h, self.c = h, c = LSTMStep()(x, h, c, self.x2h.W, self.h2h.W, self.x2h.b)  # type: ignore[misc]
        return h  # type: ignore[no-any-return]

    def adapt(self, stored: dict[str, Array], prefix: str) -> None:
        """Concatenate the book's weights, which have one layer for each gate."""
        for ours, gates in (("x2h", "x2f x2i x2o x2u"), ("h2h", "h2f h2i h2o h2u")):
            for kind in ("W", "b"):
                names = [f"{prefix}{gate}/{kind}" for gate in gates.split()]
                parts = [stored[name] for name in names if name in stored]
                if len(parts) == 4 and len({(p.shape, p.dtype) for p in parts}) == 1:
                    for name in names:
                        del stored[name]
                    stored[f"{prefix}{ours}/{kind}"] = np.concatenate(parts, -1)

    def _states(self, x: Any) -> tuple[Any, Any]:
        h, c = self.h, self.c
        if h is None or c is None:
            W = self.h2h.W
            zeros = get_array_module(x).zeros((len(x), W.shape[0]), dtype=W.dtype)
            return (zeros if h is None else h), zeros
        # unchain_backward reaches h from a loss, but not c, which was computed beside
        # h; so unchain c here, if h was unchained.
        if h.creator is None and c.creator is not None and c.creator.outputs[0]() is h:
            c.unchain()
        return h, c


class LSTMStep(Primitive):
    """One step of an LSTM as one function, from the input, the states and the weights
    to the new states.

    Notes
    -----
    On arrays, backward uses the gates that forward has kept. For higher derivatives, it
    recomputes them from the inputs, as Variables.
    """

    def forward(
        self, x: Array, h: Array, c: Array, Wx: Array, Wh: Array, b: Array
    ) -> Array:
        n = c.shape[1]
        z = x @ Wx
        z += h @ Wh
        z += b
        # sigmoid(z) = (1 + tanh(z / 2)) / 2, so one call of tanh computes all four
        # gates.
        z[:, : 3 * n] *= 0.5
        z = np.tanh(z)
        z[:, : 3 * n] += 1
        z[:, : 3 * n] *= 0.5
        c = z[:, :n] * c + z[:, n : 2 * n] * z[:, 3 * n :]
        t = np.tanh(c)
        self.gates = (z[:, : 3 * n], z[:, 3 * n :], t)
        return z[:, 2 * n : 3 * n] * t, c

    def vjp(self, xs: Sequence[Value], gh: Value, gc: Value) -> Value:
        x, h, c, Wx, Wh, b = xs
        n = c.shape[1]
        fio, u, t = self.gates
        if isinstance(gh, Variable):
            z = F.matmul(x, Wx) + F.matmul(h, Wh) + b
            fio, u = F.sigmoid(z[:, : 3 * n]), F.tanh(z[:, 3 * n :])
            t = F.tanh(fio[:, :n] * c + fio[:, n : 2 * n] * u)
        f, i, o = fio[:, :n], fio[:, n : 2 * n], fio[:, 2 * n :]
        gc = gc + gh * o * (1 - t * t)
        gfio = Concat(1).apply(gc * c, gc * u, gh * t) * fio * (1 - fio)
        gz = Concat(1).apply(gfio, gc * i * (1 - u * u))
        return (
            gz @ Wx.T if self.needs_input_grad(0) else None,
            gz @ Wh.T if self.needs_input_grad(1) else None,
            gc * f if self.needs_input_grad(2) else None,
            x.T @ gz if self.needs_input_grad(3) else None,
            h.T @ gz if self.needs_input_grad(4) else None,
            gz.sum(axis=0) if self.needs_input_grad(5) else None,
        )

    def _raise_input_error(self, inputs: Sequence[Any]) -> None:
        x, h, c, Wx, Wh, _ = [value.shape for value in inputs]
        raise ValueError(
            f"the shapes in an LSTM step do not match: the input is {x} with "
            f"weights {Wx}, the states are h {h} and c {c} with weights {Wh}"
        ) from None
