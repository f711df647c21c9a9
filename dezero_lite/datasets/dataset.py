"""The base of all data sets: examples and labels that are reached by an index. Step 49
explains it.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy import ndarray
from numpy.typing import NDArray

from ..transforms.batches import Compose, Transform, apply_to_batch, as_batch


class Dataset:
    """Examples, and labels if there are any. Source: book step 49.

    A subclass puts arrays, or lists, into `data` and `label` in its method `prepare`.
    Where the data do not fit into memory, it brings `__getitem__` and `__len__` of its
    own.

    Parameters
    ----------
    train : bool, optional
        Whether the data for training, or those for testing.
    transform, target_transform : callable, optional
        Applied to an example, and to a label, on the way out; nothing by default.

    Attributes
    ----------
    data : ndarray or list
        The examples, along the first axis.
    label : ndarray or list or None
        As many labels; ``None`` where there are none.

    Raises
    ------
    ValueError
        If there are not as many labels as examples.

    Examples
    --------
    >>> from dezero_lite.transforms import ToFloat
    >>> class Squares(Dataset):
    ...     def prepare(self):
    ...         self.data = np.arange(10)
    ...         self.label = self.data**2
    >>> from dezero_lite.transforms import ToFloat
    >>> squares = Squares(target_transform=ToFloat())
    >>> len(squares)
    10
    >>> squares[[2, 3, 5]]
    (array([2, 3, 5]), array([ 4.,  9., 25.], dtype=float32))
    """

    def __init__(
        self,
        train: bool = True,
        transform: Transform | None = None,
        target_transform: Transform | None = None,
    ) -> None:
        self.train = train
        self.transform = transform or Compose()
        self.target_transform = target_transform or Compose()
        self.data: Any = None
        self.label: Any = None
        self.prepare()
        if self.takes_batches:
            self._check_labels()

    def prepare(self) -> None:
        """Fill `data` and `label`; for subclasses."""

    def __len__(self) -> int:
        if self.data is None:
            name = type(self).__name__
            raise RuntimeError(
                f"{name} has no data: {name}.prepare sets self.data, and self.label "
                "if there are labels"
            )
        self._check_labels()
        return len(self.data)

    def _check_labels(self) -> None:
        counts = [len(x) for x in (self.data, self.label) if x is not None]
        if len(set(counts)) > 1:
            raise ValueError(
                f"{type(self).__name__} has {counts[0]} examples, but {counts[1]} "
                "labels: there must be one for each"
            )

    def __getitem__(self, index: Any) -> tuple[Any, Any]:
        """The example and its label for an integer; for a slice, a list or an array of
        integers, a batch of both.

        A transform with a method ``batch`` gets the batch as a whole, any other each
        example for itself.
        """
        if isinstance(index, (slice, list)) or np.ndim(index) > 0:
            if not (isinstance(index, ndarray) and index.dtype.kind == "i"):
                index = np.arange(len(self))[index]
            label = _batch(self.target_transform, self.label, index)
            return _batch(self.transform, self.data, index), label
        index = operator.index(index)
        label = None if self.label is None else self.target_transform(self.label[index])
        return self.transform(self.data[index]), label

    @property
    def takes_batches(self) -> bool:
        """Whether `__getitem__` understands an array of integers; where a subclass has
        its own, nobody knows.
        """
        return type(self).__getitem__ is Dataset.__getitem__


def _batch(transform: Transform, values: Any, indices: NDArray[np.int64]) -> Any:
    if values is None:
        return None
    if isinstance(values, ndarray):
        # It does the same as values[indices], in less time.
        return apply_to_batch(transform, values.take(indices, axis=0))
    return as_batch([transform(values[i]) for i in indices])
