"""Batches from a data set. Step 50 explains :class:`DataLoader`, step 60
:class:`SeqDataLoader`.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Iterator
from typing import Any, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .core import kind_of
from .cuda import as_cupy
from .from_pytorch import unknown_argument
from .random import generator
from .transforms.batches import as_batch

__all__ = ["DataLoader", "SeqDataLoader"]

# A batch of examples and labels; t is None if there are no labels.
Batch: TypeAlias = tuple[NDArray[Any], NDArray[Any]]


class DataLoader:
    """The batches of a data set, shuffled anew in each epoch. Source: book step 50.

    Each ``for`` over a loader is a new epoch, also after a ``break``.

    Parameters
    ----------
    dataset : Dataset
        Or anything that has a length, and a pair (example, label) for each integer from
        0 on.
    batch_size : int
        The number of examples in a batch; the last one of an epoch may have fewer.
    shuffle : bool, optional
        Shuffle the data in each epoch, instead of keeping their order.
    gpu : bool, optional
        Copy batches to the GPU.
    seed : int, optional
        The same seed gives the same orders. By default, the framework's generator draws
        one, so calling :func:`dezero_lite.manual_seed` before creating the loader has
        the same effect.
    drop_last : bool, optional
        Leave out a last batch with fewer examples.

    Yields
    ------
    x, t : ndarray
        Examples and labels, stacked along a new first axis; t is ``None`` if there are
        no labels.

    Raises
    ------
    TypeError
        If `batch_size` is not an integer. During iteration, if the data set returns
        anything but pairs, that is, tuples or lists of two.
    RuntimeError
        During iteration, if the data set or a transform raises StopIteration.
    ValueError
        If `batch_size` is less than 1, or the data do not fill a single batch. During
        iteration, if the examples of a batch differ in shape.

    Notes
    -----
    A :class:`~dezero_lite.datasets.Dataset` is indexed once for each batch, with an
    array of integers, which is much faster than once for each example. A data set with
    its own ``__getitem__`` can allow this by setting an attribute ``takes_batches`` to
    true.

    Examples
    --------
    >>> pairs = [(10, 1), (20, 2), (30, 3)]
    >>> for x, t in DataLoader(pairs, batch_size=2, shuffle=False):
    ...     print(x, t)
    [10 20] [1 2]
    [30] [3]
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int,
        shuffle: bool = True,
        gpu: bool = False,
        *,
        seed: int | None = None,
        drop_last: bool = False,
        **unknown: NoReturn,
    ) -> None:
        if unknown:
            raise unknown_argument("DataLoader", unknown)
        if not hasattr(dataset, "__len__") or not hasattr(dataset, "__getitem__"):
            raise TypeError(
                f"a loader needs a data set with len(data) and data[i], not "
                f"{kind_of(dataset)}"
            )
        self.dataset = dataset
        self.data_size = len(dataset)
        self.batch_size = _at_least_1(batch_size)
        self.shuffle = shuffle
        self.gpu = gpu
        #: The number of batches in an epoch.
        count = self.data_size / self.batch_size
        self.max_iter = math.floor(count) if drop_last else math.ceil(count)
        if self.max_iter == 0:
            nothing = "drop_last=True leaves nothing" if count else "there is nothing"
            raise ValueError(
                f"{type(dataset).__name__} has {self.data_size} examples, too few for "
                f"a batch of {self.batch_size}: {nothing} to load"
            )
        seed = int(generator().integers(2**63)) if seed is None else seed
        self._random = np.random.default_rng(seed)
        self.reset()

    def reset(self) -> None:
        """Let ``next(loader)`` begin a new epoch; ``for`` always does."""
        self._running: Iterator[Batch] | None = None
        # A `__next__` written as in the book uses this counter and this order.
        self.iteration = 0
        self.index = self._order() if self._has_its_own_next() else None

    def __len__(self) -> int:
        return self.max_iter

    def __iter__(self) -> Iterator[Batch]:
        return self if self._has_its_own_next() else self._epoch()

    def __next__(self) -> Batch:
        """Return the next batch, for callers that keep their own count; independent of
        ``for``.
        """
        if self._running is None:
            self._running = self._epoch()
        try:
            return next(self._running)
        except StopIteration:
            self.reset()
            raise

    def next(self) -> Batch:
        """Return ``next(loader)``."""
        return next(self)

    def to_cpu(self) -> None:
        """Return batches as NumPy arrays from now on."""
        self.gpu = False

    def to_gpu(self) -> None:
        """Return batches on the GPU from now on."""
        self.gpu = True

    def _has_its_own_next(self) -> bool:
        return type(self).__next__ is not DataLoader.__next__

    def _order(self) -> NDArray[np.int64]:
        if self.shuffle:
            return self._random.permutation(self.data_size)
        return np.arange(self.data_size)

    def _batches(self) -> Iterator[NDArray[np.int64]]:
        # The indices of each batch of an epoch.
        order = self._order()
        for start in range(0, self.max_iter * self.batch_size, self.batch_size):
            yield order[start : start + self.batch_size]

    def _epoch(self) -> Iterator[Batch]:
        return map(self._load_safely, self._batches())

    def _load_safely(self, indices: NDArray[np.int64]) -> Batch:
        try:
            return self._load(indices)
        except StopIteration as error:
            # Otherwise it would silently end the epoch.
            raise RuntimeError(
                f"{type(self.dataset).__name__}, or a transform of it, raised "
                "StopIteration, which would have ended the epoch early"
            ) from error

    def _load(self, indices: NDArray[np.int64]) -> Batch:
        if getattr(self.dataset, "takes_batches", False):
            x, t = self._pair(self.dataset[indices], "a batch")
        else:
            found = [(self.dataset[i], f"example {i}") for i in indices.tolist()]
            xs, ts = zip(*itertools.starmap(self._pair, found), strict=True)
            x, t = as_batch(xs), None if ts[0] is None else as_batch(ts)
        if self.gpu:
            x, t = as_cupy(x), None if t is None else as_cupy(t)
        return x, t

    def _pair(self, found: Any, which: str) -> tuple[Any, Any]:
        # An array of two rows could also be unpacked, but is not a pair.
        is_sequence = isinstance(found, (tuple, list))
        if is_sequence and len(found) == 2:
            return found[0], found[1]
        kind = type(found).__name__
        if is_sequence:
            kind += f" of length {len(found)}"
        raise TypeError(
            "a data set must return pairs (example, label), with None for a missing "
            f"label, but {which} of this {type(self.dataset).__name__} is of type "
            f"{kind}"
        )


class SeqDataLoader(DataLoader):
    """A sequence in batches, for models with a memory: row i of each batch continues
    row i of the previous one.

    The sequence is cut into `batch_size` pieces of equal length, and each batch takes
    one step from each piece. If the division leaves a remainder, each row continues one
    step into the next piece, and the last examples may be left over. Source: book step
    60.

    Parameters
    ----------
    dataset : Dataset
        In chronological order.
    batch_size : int
        The number of pieces.
    gpu : bool, optional
        Copy batches to the GPU.

    Raises
    ------
    TypeError, ValueError
        As for :class:`DataLoader`; also if `batch_size` is larger than the number of
        examples.

    Examples
    --------
    >>> sequence = [(i, i + 1) for i in range(6)]
    >>> for x, t in SeqDataLoader(sequence, batch_size=2):
    ...     print(x, t)
    [0 3] [1 4]
    [1 4] [2 5]
    [2 5] [3 6]
    """

    def __init__(self, dataset: Any, batch_size: int, gpu: bool = False) -> None:
        super().__init__(dataset, batch_size, shuffle=False, gpu=gpu)
        if self.batch_size > self.data_size:
            raise ValueError(
                f"a sequence of {self.data_size} examples cannot be cut into "
                f"{self.batch_size} pieces: use a smaller batch_size"
            )

    def _batches(self) -> Iterator[NDArray[np.int64]]:
        jump = self.data_size // self.batch_size
        for step in range(self.max_iter):
            yield np.arange(self.batch_size) * jump + step


def _at_least_1(batch_size: int) -> int:
    try:
        size = operator.index(batch_size)
    except TypeError:
        raise TypeError(f"batch_size is a whole number, not {batch_size!r}") from None
    if size < 1:
        raise ValueError(
            f"a batch has at least one example, so batch_size={size} is too small"
        )
    return size
