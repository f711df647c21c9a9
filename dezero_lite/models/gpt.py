"""GPT: attention blocks that predict the next token. Steps 74, 76 and 92 explain it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from .. import functions as F
from .. import layers as L
from ..array_files import StrPath
from ..core import Operand, Variable, describe, no_grad, test_mode, unwrap
from ..cuda import as_numpy, get_array_module
from ..gpt2 import read_config, read_weights
from ..layers.layer import fill
from ..layers.lazy import unset_weights
from ..random import generator
from .model import Model


class GPT(Model):
    """A model that scores the next token at each position of a sequence.

    Parameters
    ----------
    vocabulary : int
        The number of tokens.
    context : int
        The maximum number of positions that it sees, including the current one.
    layers : int, optional
        The number of blocks.
    size : int, optional
        The length of each position's vector.
    heads : int, optional
        The number of heads of each block's attention; must divide `size`.
    dropout_ratio : float, optional
        The share of each added result that is dropped in training.
    tied : bool, optional
        Also use the token vectors to compute the scores, so that `out` is ``None``.

    Attributes
    ----------
    tokens, positions : EmbedID
        One vector for each token, and one for each position.
    blocks : list of TransformerBlock
    norm : LayerNorm
    out : Linear or None
        Computes one score for each token.

    Notes
    -----
    Source: A. Radford et al., "Language models are unsupervised multitask learners",
    2019.

    Examples
    --------
    >>> model = GPT(vocabulary=27, context=16)
    >>> model(np.zeros((8, 10), int)).shape
    (8, 10, 27)
    """

    repr_names = ("vocabulary", "context")

    def __init__(
        self,
        vocabulary: int,
        context: int,
        layers: int = 2,
        size: int = 48,
        heads: int = 4,
        dropout_ratio: float = 0.0,
        *,
        tied: bool = False,
        dtype: DTypeLike = np.float32,
    ) -> None:
        self.vocabulary, self.context = vocabulary, context
        self.tokens = L.EmbedID(vocabulary, size, dtype=dtype)
        self.positions = L.EmbedID(context, size, dtype=dtype)
        self.blocks = [
            L.TransformerBlock(size, heads, dropout_ratio, dtype=dtype)
            for _ in range(layers)
        ]
        self.norm = L.LayerNorm(dtype=dtype, in_size=size)
        self.out = None if tied else L.Linear(vocabulary, dtype=dtype, in_size=size)

    @classmethod
    def from_gpt2(
        cls, folder: StrPath | None = None, dropout_ratio: float = 0.0
    ) -> GPT:
        """Load the published GPT-2, or a model with its structure that PyTorch has
        saved. Requires the package ``safetensors``.

        Parameters
        ----------
        folder : str or os.PathLike, optional
            A folder with ``config.json`` and ``model.safetensors``. Default: the
            smallest published GPT-2, with 124 million weights, which is downloaded
            once; see :func:`dezero_lite.downloads.get_file`.
        dropout_ratio : float, optional
            For further training.

        Raises
        ------
        FileNotFoundError
            If a file does not exist.
        ValueError
            If a file is damaged, or belongs to a model with another structure.
        """
        with unset_weights():
            model = cls(**read_config(folder), dropout_ratio=dropout_ratio, tied=True)
        fill(model, read_weights(folder), "model.safetensors")
        return model

    def forward(
        self, ids: Operand, caches: list[L.KeyValueCache] | None = None
    ) -> Variable:
        """Map tokens (N, T) to scores (N, T, vocabulary); with `caches`, continue after
        the cached tokens.
        """
        x = self.embed(ids, caches[0].used if caches else 0)
        for i, block in enumerate(self.blocks):
            x = block(x, None, caches[i] if caches else None)
        x = self.norm(x)
        return F.linear(x, self.tokens.W.T) if self.out is None else self.out(x)

    def embed(self, ids: Any, start: int = 0) -> Variable:
        """Add the vectors of tokens and positions: (N, T) to (N, T, size). The first
        token is at position `start`.
        """
        if getattr(ids, "ndim", None) != 2:
            raise ValueError(
                f"GPT takes tokens of shape (N, T), but was given {describe(ids)}"
            )
        end = start + ids.shape[1]
        if end > self.context:
            raise ValueError(
                f"this GPT has a context of {self.context} tokens, but got {end}: drop "
                "the oldest"
            )
        xp = get_array_module(ids)
        return self.tokens(ids) + self.positions(xp.arange(start, end))

    def caches(self) -> list[L.KeyValueCache]:
        """Create an empty cache for each block."""
        return [L.KeyValueCache(self.context) for _ in self.blocks]


def generate(
    model: Any,
    ids: ArrayLike | Variable,
    count: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    *,
    rng: np.random.Generator | None = None,
    cache: bool = True,
) -> NDArray[np.int64]:
    """Let a model write: draw the next token by its probability, append it, and repeat.

    Parameters
    ----------
    model : GPT
        Or any callable that has a `context` and maps tokens (N, T) to scores (N, T,
        vocabulary).
    ids : array_like of int, shape (N, T) or (T,)
        The beginning, with at least one token.
    count : int
        The number of tokens to write.
    temperature : float, optional
        Divides the scores: below 1, likely tokens become even likelier; at 0, the
        likeliest is always taken.
    top_k : int, optional
        Draw only from this many of the likeliest tokens; at equal scores, from the
        first.
    rng : numpy.random.Generator, optional
        Default: the framework's, see :func:`dezero_lite.manual_seed`.
    cache : bool, optional
        Cache keys and values, so that each token is computed only once, if the model
        has `caches` and while all tokens fit into its context. Beyond that, the model
        sees the last `context` tokens.

    Returns
    -------
    ndarray of int64, shape (N, T + count) or (T + count,)

    Raises
    ------
    TypeError
        If `ids` are not integers.
    ValueError
        If there is no token to begin with, an argument is out of range, or the model's
        scores are not finite.
    """
    tokens = np.asarray(as_numpy(unwrap(ids)))
    rows = np.atleast_2d(tokens)
    if rows.ndim != 2 or not rows.size:
        raise ValueError(
            "generate takes a beginning of shape (N, T) or (T,) with at least one row "
            f"and one token, not one of shape {rows.shape}"
        )
    if rows.dtype.kind not in "iu":
        raise TypeError(
            f"generate takes whole numbers as tokens, but ids is {describe(tokens)}: "
            "use ids.astype(int)"
        )
    rows = rows.astype(np.int64)
    if count < 0 or not temperature >= 0 or (top_k is not None and top_k < 1):
        raise ValueError(
            "count and temperature must be at least 0, and top_k at least 1, not "
            f"count={count}, temperature={temperature}, top_k={top_k}"
        )
    rng = generator() if rng is None else rng
    caches = model.caches() if cache and hasattr(model, "caches") else None
    with no_grad(), test_mode():
        for _ in range(count):
            scores = _last_scores(model, rows, caches)
            chosen = _draw(scores, temperature, top_k, rng)
            rows = np.concatenate([rows, chosen[:, None]], axis=1)
    return rows if tokens.ndim == 2 else rows[0]


def _last_scores(
    model: Any, rows: NDArray[np.int64], caches: list[L.KeyValueCache] | None
) -> NDArray[Any]:
    # The scores of the token after each row, of shape (N, vocabulary).
    if caches and rows.shape[1] <= model.context:
        scores = model(rows[:, caches[0].used :], caches)
    else:
        scores = model(rows[:, -model.context :])
    return as_numpy(unwrap(scores))[:, -1]  # type: ignore[no-any-return]


def _draw(
    scores: NDArray[Any],
    temperature: float,
    top_k: int | None,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    # Draw one token for each row of scores.
    if not np.isfinite(scores.max(axis=1)).all():
        raise ValueError(
            "the model's scores for the next token are nan or infinite, so none can be "
            "chosen: inspect its weights, and the loss during training"
        )
    if temperature == 0:
        return np.array(scores.argmax(axis=1))
    scores = scores.astype(np.float64) / temperature
    if top_k is not None:
        kept = _likeliest(scores, min(top_k, scores.shape[1]))
        scores = np.where(kept, scores, -np.inf)
    shares = F.softmax(scores, axis=1).data
    # `rng.choice` would draw the same tokens, but is slower.
    ends = shares.cumsum(axis=1)
    ends /= ends[:, -1:]
    return (ends <= rng.random((len(ends), 1))).sum(axis=1)  # type: ignore[no-any-return]


def _likeliest(scores: NDArray[Any], count: int) -> Any:
    # A mask of the `count` largest scores of each row; among equal ones, the first.
    least = np.partition(scores, -count, axis=1)[:, -count, None]
    above, equal = scores > least, scores == least
    room = count - above.sum(axis=1, keepdims=True)
    return above | equal & (equal.cumsum(axis=1) <= room)
