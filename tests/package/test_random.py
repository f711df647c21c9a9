"""One source of random numbers, independent of NumPy's."""

import numpy as np

import dezero_lite
from dezero_lite.random import generator


def test_without_a_seed_numbers_differ(monkeypatch):
    monkeypatch.setattr("dezero_lite.random._generator", None)
    first = generator().random(3)
    dezero_lite.manual_seed()
    assert not np.array_equal(generator().random(3), first)
