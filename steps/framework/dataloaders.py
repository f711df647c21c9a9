"""Batches of a data set. Steps 50 and 60."""

import numpy as np

from .datasets import as_batch
from .utils import generator

# --- Step 50 --------------------------------------------------------------------------


class DataLoader:
    """Batches of ``batch_size`` examples; each ``for`` goes over the ``dataset`` once,
    in a new order unless ``shuffle`` is False.
    """

    def __init__(self, dataset, batch_size, shuffle=True, seed=None):
        self.dataset, self.batch_size, self.shuffle = dataset, batch_size, shuffle
        seed = int(generator().integers(2**63)) if seed is None else seed
        self.random = np.random.default_rng(seed)

    def __len__(self):
        return -(-len(self.dataset) // self.batch_size)  # rounded up

    def __iter__(self):
        order = np.arange(len(self.dataset))
        if self.shuffle:
            order = self.random.permutation(len(order))
        for start in range(0, len(order), self.batch_size):
            batch = order[start : start + self.batch_size]
            yield as_batch([self.dataset[i] for i in batch])


# --- Step 60 --------------------------------------------------------------------------


class SeqDataLoader(DataLoader):
    """Cuts a sequence into batch_size pieces; each batch has one step of each piece."""

    def __init__(self, dataset, batch_size):
        super().__init__(dataset, batch_size, shuffle=False)
        if batch_size > len(dataset):
            raise ValueError(f"{len(dataset)} steps do not make {batch_size} pieces")

    def __iter__(self):
        jump = len(self.dataset) // self.batch_size
        starts = jump * np.arange(self.batch_size)
        for step in range(len(self)):
            yield as_batch([self.dataset[i] for i in starts + step])
