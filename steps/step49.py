"""Step 49: datasets."""

import tracemalloc

import numpy as np

from . import step48
from .framework.datasets import Dataset, Spiral, as_batch, unchanged
from .step48 import *  # noqa: F403

__all__ = [*step48.__all__, "Dataset", "Spiral", "as_batch", "unchanged"]


def write_pictures(folder, n, seed=0):
    """Write n grey pictures of 48 × 48 pixels, and their labels, into two files.

    Each shows a bright square on noise; the label is the quarter of its middle.
    """
    rng = np.random.default_rng(seed)
    side, square = 48, 12
    shape = (n, 1, side, side)
    file = np.lib.format.open_memmap(folder / "x.npy", "w+", np.uint8, shape)
    corners = rng.integers(0, side - square, size=(n, 2))
    for i, (row, column) in enumerate(corners):
        file[i] = rng.integers(0, 150, size=shape[1:])
        file[i, 0, row : row + square, column : column + square] += 100
    file.flush()
    down, right = (corners >= (side - square) / 2).T
    np.save(folder / "t.npy", 2 * down + right)


class Pictures(Dataset):
    """The pictures of `write_pictures`, read from their file when needed."""

    def __init__(self, folder, transform=None):
        self.folder = folder
        super().__init__(transform=transform)

    def prepare(self):
        self.data = np.load(self.folder / "x.npy", mmap_mode="r")
        self.label = np.load(self.folder / "t.npy")


def peak(program):
    """Run a program; return the most megabytes that it uses at any moment."""
    tracemalloc.start()
    program()
    megabytes = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return megabytes
