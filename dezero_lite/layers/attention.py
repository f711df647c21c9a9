"""Layers that let the positions of a sequence look at each other. Steps 72, 73 and 76
explain them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from .. import functions as F
from ..core import Config, Operand, Variable, describe, unwrap
from ..core.types import Array
from .layer import Layer
from .lazy import check_counts
from .linear import Linear
from .norm import Dropout, LayerNorm


class MultiHeadAttention(Layer):
    """Several attentions side by side, each with its own queries, keys and values.

    Parameters
    ----------
    size : int
        The length of each position's vector, in and out.
    heads : int
        The number of attentions; each works on ``size / heads`` numbers.
    causal : bool, optional
        Whether a position may look only at itself and at those before it.

    Attributes
    ----------
    qkv : Linear
        Computes queries, keys and values, side by side in this order.
    out : Linear
        Mixes the results of the heads.

    Raises
    ------
    ValueError
        If `size` cannot be divided by `heads`.

    Notes
    -----
    Source: A. Vaswani et al., "Attention is all you need", 2017, arXiv:1706.03762.
    """

    repr_names = ("size", "heads", "causal")

    def __init__(
        self,
        size: int,
        heads: int,
        causal: bool = True,
        *,
        dtype: DTypeLike = np.float32,
    ) -> None:
        check_counts(self, size=size, heads=heads)
        if heads < 1 or size % heads:
            raise ValueError(
                f"{size} numbers per position cannot be divided into {heads} heads"
            )
        self.size, self.heads, self.causal = size, heads, causal
        self.qkv = Linear(3 * size, dtype=dtype, in_size=size)
        self.out = Linear(size, dtype=dtype, in_size=size)

    def forward(
        self, x: Operand, mask: Any | None = None, cache: KeyValueCache | None = None
    ) -> Variable:
        """Map shape (N, T, size) to itself.

        `mask` broadcasts to (N, heads, T, T) and says where a position may look;
        `causal` applies in addition. With a `cache`, `x` continues the cached
        sequences, and a mask needs a column for each position, cached ones included.
        """
        q, k, v = self._heads_of(x)
        if cache is not None:
            k, v = cache.extend(k, v)
        found = F.attention(q, k, v, self._combine_masks(q, k, mask))
        n, _, t, _ = found.shape
        return self.out(found.transpose((0, 2, 1, 3)).reshape((n, t, self.size)))

    def weights(self, x: Operand, mask: Any | None = None) -> Variable:
        """Compute how much each position looks at each: shape (N, heads, T, T)."""
        q, k, _ = self._heads_of(x)
        return F.attention_weights(q, k, self._combine_masks(q, k, mask))

    def _heads_of(self, x: Any) -> list[Any]:
        # Queries, keys and values of shape (N, heads, T, size / heads).
        if getattr(x, "ndim", None) != 3 or x.shape[2] != self.size:
            raise ValueError(
                f"MultiHeadAttention takes sequences of shape (N, T, {self.size}), but "
                f"was given {describe(x)}"
            )
        n, t, _ = x.shape
        form = (n, t, self.heads, self.size // self.heads)
        parts = F.split(self.qkv(x), 3, axis=2)
        return [part.reshape(form).transpose((0, 2, 1, 3)) for part in parts]

    def _combine_masks(self, q: Any, k: Any, mask: Any | None) -> Any:
        queries, keys = q.shape[2], k.shape[2]
        if not self.causal or queries == 1:
            return mask
        before = F.causal_mask(queries, keys)
        return before if mask is None else before & np.asarray(mask, bool)


class TransformerBlock(Layer):
    """Attention, which looks at other positions, followed by a small MLP. Each takes a
    normalised input, and its result is added to the unnormalised one.

    Parameters
    ----------
    size : int
        The length of each position's vector, in and out.
    heads : int
        The number of heads of the attention.
    dropout_ratio : float, optional
        The share of each added result that is dropped in training.
    causal : bool, optional
        See :class:`MultiHeadAttention`.

    Attributes
    ----------
    norm1, norm2 : LayerNorm
    attention : MultiHeadAttention
    up, down : Linear
        The MLP, ``down(gelu(up(x)))``, with a hidden size of ``4 * size``.
    dropout : Dropout

    Notes
    -----
    Sources: A. Vaswani et al., "Attention is all you need", 2017; with normalisation
    first, as in R. Xiong et al., "On layer normalization in the Transformer
    architecture", 2020.
    """

    def __init__(
        self,
        size: int,
        heads: int,
        dropout_ratio: float = 0.0,
        causal: bool = True,
        *,
        dtype: DTypeLike = np.float32,
    ) -> None:
        self.norm1 = LayerNorm(dtype=dtype, in_size=size)
        self.attention = MultiHeadAttention(size, heads, causal, dtype=dtype)
        self.norm2 = LayerNorm(dtype=dtype, in_size=size)
        self.up = Linear(4 * size, dtype=dtype, in_size=size)
        self.down = Linear(size, dtype=dtype, in_size=4 * size)
        self.dropout = Dropout(dropout_ratio)

    def forward(
        self, x: Operand, mask: Any | None = None, cache: KeyValueCache | None = None
    ) -> Variable:
        """Map shape (N, T, size) to itself; `mask` and `cache` as in
        :class:`MultiHeadAttention`.
        """
        y = self.dropout(self.attention(self.norm1(x), mask, cache)) + x
        return self.dropout(self.down(F.gelu(self.up(self.norm2(y))))) + y


class KeyValueCache:
    """The keys and values of the positions seen so far, so that the next position need
    not compute them again. For one attention, and for generation only: no gradient
    flows through it.

    Parameters
    ----------
    length : int
        The maximum number of positions.

    Attributes
    ----------
    used : int
        The number of positions cached so far.
    """

    def __init__(self, length: int) -> None:
        self.length, self.used = length, 0
        self._k: Array = None
        self._v: Array = None

    def __repr__(self) -> str:
        return f"KeyValueCache({self.used} of {self.length})"

    def extend(self, k: Operand, v: Operand) -> tuple[Array, Array]:
        """Add the keys and values of new positions, of shape (N, heads, T, D), and
        return those of all positions.

        Raises
        ------
        RuntimeError
            If a graph is recorded, because its gradients would be lost here.
        ValueError
            If they do not fit, or come from another batch.
        """
        if Config.enable_backprop:
            raise RuntimeError(
                "no gradient flows through a cache: use it inside `with no_grad():`"
            )
        new_k, new_v = unwrap(k), unwrap(v)
        if self._k is None:
            self._k, self._v = self._allocate(new_k), self._allocate(new_v)
        self._check(new_k)
        end = self.used + new_k.shape[2]
        self._k[:, :, self.used : end] = new_k
        self._v[:, :, self.used : end] = new_v
        self.used = end
        return self._k[:, :, :end], self._v[:, :, :end]

    def _allocate(self, new: Array) -> Array:
        return np.empty_like(new, shape=(*new.shape[:2], self.length, new.shape[3]))

    def _check(self, new: Array) -> None:
        if len(new) != len(self._k):
            raise ValueError(
                f"the cache holds {len(self._k)} sequences, but got {len(new)}: make a "
                "new cache for a new batch"
            )
        if self.used + new.shape[2] > self.length:
            raise ValueError(
                f"the cache has room for {self.length} positions and holds "
                f"{self.used}: {new.shape[2]} more do not fit"
            )
