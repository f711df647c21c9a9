"""Data sets: examples and labels that are reached by an index. Steps 48 to 59."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np

from .utils import generator

# --- Step 48 --------------------------------------------------------------------------


def get_spiral(train=True):
    """Return points on three spiral arms, (300, 2), and their arms, (300,)."""
    random = np.random.RandomState(1984 if train else 2020)
    arm = np.repeat(np.arange(3), 100)
    radius = np.tile(np.arange(100) / 100, 3)
    angle = 4.0 * arm + 4.0 * radius + 0.2 * random.randn(300)
    x = np.stack([radius * np.sin(angle), radius * np.cos(angle)], axis=1)
    order = random.permutation(300)
    return x.astype(np.float32)[order], arm[order]


# --- Step 49 --------------------------------------------------------------------------


class Dataset:
    """Examples and labels, which ``prepare`` stores and an index returns in pairs."""

    def __init__(self, train=True, transform=None, target_transform=None):
        self.train = train
        self.transform = transform or unchanged
        self.target_transform = target_transform or unchanged
        self.data = self.label = None
        self.prepare()
        if self.label is not None and len(self.label) != len(self.data):
            raise ValueError(f"{len(self.data)} examples, but {len(self.label)} labels")

    def prepare(self):
        """Fill ``data`` and ``label``; subclasses override this."""

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        if isinstance(index, slice) or np.ndim(index):
            return as_batch([self[i] for i in np.arange(len(self))[index]])
        x = self.transform(self.data[index])
        t = None if self.label is None else self.target_transform(self.label[index])
        return x, t


def unchanged(x):
    return x


def as_batch(pairs):
    """Turn pairs (x, t) into an array of all x and an array of all t."""
    xs, ts = zip(*pairs, strict=True)
    return np.array(xs), None if ts[0] is None else np.array(ts)


class Spiral(Dataset):
    """The points of `get_spiral`."""

    def prepare(self):
        self.data, self.label = get_spiral(self.train)


# --- Step 51 --------------------------------------------------------------------------


def as_row(image):
    """Turn a scan with numbers from 0 to 16 into a row of numbers from 0 to 1."""
    return image.reshape(-1).astype(np.float32) / 16


class Digits(Dataset):
    """Real handwritten digits of 8 × 8 pixels: 1,442 for training, 355 for testing."""

    def __init__(self, train=True, transform=as_row, target_transform=None):
        super().__init__(train, transform, target_transform)

    def prepare(self):
        # Use dezero_lite's file, without importing the package.
        (folder,) = find_spec("dezero_lite").submodule_search_locations
        with np.load(Path(folder) / "data" / "digits.npz") as file:
            data, label = file["data"], file["label"]
        for_testing = np.zeros(len(label), bool)
        for digit in range(10):
            for_testing[np.flatnonzero(label == digit)[4::5]] = True
        part = ~for_testing if self.train else for_testing
        self.data, self.label = data[part], label[part]


# --- Step 59 --------------------------------------------------------------------------


class SinCurve(Dataset):
    """A noisy sine, or a cosine for testing; each label is the next height."""

    def prepare(self):
        x = np.linspace(0, 2 * np.pi, 1000)
        if self.train:
            y = np.sin(x) + generator().uniform(-0.05, 0.05, x.shape)
        else:
            y = np.cos(x)
        self.data, self.label = y[:-1, np.newaxis], y[1:, np.newaxis]
