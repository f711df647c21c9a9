"""One source of random numbers, isolated from NumPy's."""

import numpy as np

import dezero_lite
from dezero_lite.random import generator
from tests.support.arrays import assert_equal


def test_the_same_seed_gives_the_same_numbers():
    dezero_lite.manual_seed(0)
    first = generator().random(3)
    dezero_lite.manual_seed(0)
    assert_equal(generator().random(3), first)
    dezero_lite.manual_seed(1)
    assert not np.array_equal(generator().random(3), first)


def test_without_a_seed_numbers_differ(monkeypatch):
    monkeypatch.setattr("dezero_lite.random._generator", None)
    first = generator().random(3)
    dezero_lite.manual_seed()
    assert not np.array_equal(generator().random(3), first)


def test_numpys_state_has_no_part_in_it():
    dezero_lite.manual_seed(0)
    first = generator().random(3)
    np.random.seed(5)
    dezero_lite.manual_seed(0)
    assert_equal(generator().random(3), first)
    np.random.seed(5)
    state = np.random.get_state()[1].copy()
    generator().random(3)
    assert_equal(np.random.get_state()[1], state)
