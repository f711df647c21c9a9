"""Attention: each query takes a weighted mean of the values, where the weights say how
well each key matches it. Step 71 explains it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core import AsType, Operand, Variable, as_array, describe
from ..core.messages import broadcasts
from ..core.sums import is_half
from ..cuda import get_array_module
from .activation import softmax
from .elementwise import where
from .linear import matmul, swap_last_axes
from .precision import require_data

__all__ = ["attention", "attention_weights", "causal_mask"]


def attention(q: Operand, k: Operand, v: Operand, mask: Any | None = None) -> Variable:
    """Compute ``softmax(q @ k.T / √D) @ v``: for each query, a mean of the values.

    Parameters
    ----------
    q : Variable or ndarray, shape (..., T, D)
        Queries: what each of T positions looks for.
    k : Variable or ndarray, shape (..., S, D)
        Keys: what each of S positions has to offer.
    v : Variable or ndarray, shape (..., S, E)
        Values: what a position gives to the positions that look at it.
    mask : array_like of bool, optional
        Whether a query may look at a position; must broadcast to shape (..., T, S). A
        query that may look nowhere receives zeros.

    Returns
    -------
    Variable
        Of shape (..., T, E).

    Raises
    ------
    TypeError
        If `mask` is not boolean.
    ValueError
        If the shapes do not match.

    Notes
    -----
    Source: A. Vaswani et al., "Attention is all you need", 2017, arXiv:1706.03762.
    """
    weights = attention_weights(q, k, mask)
    values: Any = as_array(v)
    if require_data(values).ndim < 2 or values.shape[-2] != weights.shape[-1]:
        raise ValueError(
            f"attention takes one value for each key, but k is {describe(k)}, v is "
            f"{describe(v)}"
        )
    return matmul(weights, values)


def attention_weights(q: Operand, k: Operand, mask: Any | None = None) -> Variable:
    """Compute ``softmax(q @ k.T / √D)``: how much each query looks at each position.

    Takes `q`, `k` and `mask` as :func:`attention` does.

    Returns
    -------
    Variable
        Of shape (..., T, S); each row sums to 1, or is 0 where a query may look
        nowhere.

    Raises
    ------
    TypeError, ValueError
        As :func:`attention` does.
    """
    queries, keys = as_array(q), as_array(k)
    require_data(queries)
    require_data(keys)
    _check(queries, keys)
    scale = 1 / math.sqrt(queries.shape[-1])
    if is_half(queries) and is_half(keys):  # large scores overflow in float16
        wider = AsType(np.float32)(queries), AsType(np.float32)(keys)
        return AsType(np.float16)(attention_weights(*wider, mask))
    scores = matmul(queries * scale, swap_last_axes(keys))
    if mask is None:
        return softmax(scores, axis=-1)
    allowed = _as_mask(mask, scores)
    # Not −∞: the softmax of a row of −∞ is undefined.
    lowest = np.finfo(scores.dtype).min
    weights = softmax(where(allowed, scores, lowest), axis=-1)
    # CuPy has no axis −1 for a mask that is a single number.
    sees = np.atleast_1d(allowed).any(axis=-1, keepdims=True)
    return weights if sees.all() else where(sees, weights, 0.0)


def causal_mask(queries: int, keys: int | None = None) -> Any:
    """Build the mask of a text that is being written: each position may look at itself
    and at those before it.

    Parameters
    ----------
    queries : int
        The number of positions that look.
    keys : int, optional
        The number of positions to look at; the queries are the last of them. Default:
        `queries`.

    Returns
    -------
    ndarray of bool, shape (queries, keys)

    Examples
    --------
    >>> causal_mask(3).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [1, 1, 1]])
    """
    keys = queries if keys is None else keys
    return np.tri(queries, keys, keys - queries, dtype=bool)


def _as_mask(mask: Any, scores: Variable) -> Any:
    allowed = get_array_module(scores).asarray(getattr(mask, "data", mask))
    if allowed.dtype != bool:
        raise TypeError(
            "a mask must be boolean, and True where a query may look, but it is "
            f"{describe(allowed)}"
        )
    if not broadcasts(allowed.shape, scores.shape, to=scores.shape):
        raise ValueError(
            f"a mask must broadcast to {scores.shape}, one row for each query and one "
            f"column for each key, but it has shape {allowed.shape}"
        )
    return allowed


def _check(q: Any, k: Any) -> None:
    if q.ndim < 2 or k.ndim < 2 or q.shape[-1] != k.shape[-1] or not q.shape[-1]:
        raise ValueError(
            "attention compares queries (..., T, D) with keys (..., S, D) of the same "
            f"length D, but q is {describe(q)}, k is {describe(k)}"
        )
    if not k.shape[-2]:
        raise ValueError(f"attention needs at least one key, but k is {describe(k)}")
