"""The base class of all data sets: examples and labels that are accessed by an index.
Step 49 explains it.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy import ndarray
from numpy.typing import NDArray

from ..transforms.batches import Compose, Transform, apply_to_batch, as_batch


class Dataset:
    """Examples, with labels if there are any. Source: book step 49.

    A subclass assigns arrays or lists to `data` and `label` in its method `prepare`. If
    the data do not fit into memory, it defines `__getitem__` and `__len__` itself.

    Parameters
    ----------
    train : bool, optional
        Whether to use the data for training or those for testing.
    transform, target_transform : callable, optional
        Applied to each example, and to each label, when it is accessed. Default: none.

    Attributes
    ----------
    data : ndarray or list
        The examples, along the first axis.
    label : ndarray or list or None
        One label for each example; ``None`` if there are none.

    Raises
    ------
    ValueError
        If the numbers of labels and examples differ.

    Examples
    --------
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
        """Assign `data` and `label`; a subclass overrides this."""

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
        """Return an example and its label for an integer; for a slice, or a list or
        array of integers, a batch of both.

        A transform with a method ``batch`` receives the whole batch; any other receives
        each example separately.
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
        """Whether `__getitem__` accepts an array of integers; unknown, and so false, if
        a subclass defines its own.
        """
        return type(self).__getitem__ is Dataset.__getitem__


def _batch(transform: Transform, values: Any, indices: NDArray[np.int64]) -> Any:
    if values is None:
        return None
    if isinstance(values, ndarray):
        # Equal to values[indices], but faster.
        return apply_to_batch(transform, values.take(indices, axis=0))
    return as_batch([transform(values[i]) for i in indices])
