"""Where the book's scripts run: ``dezero`` is dezero_lite, and the data are small.

Every test in this folder is a script as a reader of the book would have it: it imports
``dezero`` and parts of it, and knows nothing of dezero_lite. Numbers that it compares
with are the book's framework's own (``tests/support/book_numbers.py`` makes them), or
derived on paper.
"""

import gzip
import sys

import numpy as np
import pytest

import dezero_lite
from tests.support.digits_like import digits_like

MODULES = (
    "core",
    "cuda",
    "dataloaders",
    "datasets",
    "functions",
    "functions_conv",
    "layers",
    "models",
)
MODULES += ("optimizers", "transforms", "utils")


@pytest.fixture(autouse=True)
def dezero_is_dezero_lite(monkeypatch):
    """Let ``import dezero`` find dezero_lite, and the same random numbers come in every
    run.
    """
    monkeypatch.setitem(sys.modules, "dezero", dezero_lite)
    for name in MODULES:
        monkeypatch.setitem(sys.modules, f"dezero.{name}", getattr(dezero_lite, name))
    dezero_lite.manual_seed(0)
    np.random.seed(0)


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """The folder in which the reader works."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def mnist(desk, monkeypatch):
    """A folder with small files in the form of MNIST."""
    rng = np.random.RandomState(0)
    folder = desk / "data" / "mnist"
    folder.mkdir(parents=True)
    for part, count in (("train", 400), ("t10k", 100)):
        images, labels = digits_like(count, rng)
        for name, kind, array in (
            ("images-idx3", 3, images),
            ("labels-idx1", 1, labels),
        ):
            header = bytes([0, 0, 8, kind]) + np.array(array.shape, ">u4").tobytes()
            (folder / f"{part}-{name}-ubyte.gz").write_bytes(
                gzip.compress(header + array.tobytes())
            )
    monkeypatch.setenv("DEZERO_LITE_DATA", str(desk / "data"))
