"""Generated data sets: spirals, which steps 48 and 49 explain, and the sine curve of
step 59.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..random import generator
from .dataset import Dataset


def get_spiral(train: bool = True) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Generate points on three spiral arms, and the arm of each. Source: book step 48.

    The random numbers have their own seed, so that the points are always the same, and
    equal to the book's.

    Parameters
    ----------
    train : bool, optional
        Whether to generate the points for training or those for testing.

    Returns
    -------
    x : ndarray of float32, shape (300, 2)
        Coordinates between about −1 and 1.
    t : ndarray of int64, shape (300,)
        The arm, from 0 to 2, with 100 points each.

    Examples
    --------
    >>> x, t = get_spiral()
    >>> x.shape, t.shape, np.bincount(t)
    ((300, 2), (300,), array([100, 100, 100]))
    """
    random = np.random.RandomState(1984 if train else 2020)
    arm = np.repeat(np.arange(3), 100)
    radius = np.tile(np.arange(100) / 100, 3)
    angle = 4.0 * arm + 4.0 * radius + 0.2 * random.randn(300)
    x = np.stack([radius * np.sin(angle), radius * np.cos(angle)], axis=1)
    order = random.permutation(300)
    return x[order].astype(np.float32), arm[order].astype(np.int64)


class Spiral(Dataset):
    """The points of :func:`get_spiral`: x has shape (2,) and dtype float32, t is an
    integer. Source: book step 49.
    """

    def prepare(self) -> None:
        self.data, self.label = get_spiral(self.train)


class SinCurve(Dataset):
    """A curve to continue: each example is a height, and its label the next height.
    Source: book step 59.

    For training, one period of the sine with noise of up to ±0.05 from the framework's
    generator; for testing, one period of the cosine. It has 999 examples; x and t have
    shape (1,) and dtype float64.
    """

    def prepare(self) -> None:
        x = np.linspace(0, 2 * np.pi, 1000)
        noise = generator().uniform(-0.05, 0.05, x.shape) if self.train else 0
        y = (np.sin(x) if self.train else np.cos(x)) + noise
        self.data = y[:-1, np.newaxis]
        self.label = y[1:, np.newaxis]
