"""Loaders: every example once per epoch, in a reproducible order."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dezero_lite import cuda
from dezero_lite.dataloaders import DataLoader, SeqDataLoader
from dezero_lite.datasets import Dataset
from dezero_lite.transforms import AsType
from tests.support.arrays import assert_equal
from tests.support.gpu import cupy


class Numbers(Dataset):
    def __init__(self, n, **transforms):
        self.n = n
        super().__init__(**transforms)

    def prepare(self):
        self.data = np.arange(self.n)
        self.label = self.data * 10


def examples(loader):
    return [x.tolist() for x, _ in loader]


@given(
    n=st.integers(1, 30),
    size=st.integers(1, 40),
    shuffle=st.booleans(),
    drop_last=st.booleans(),
)
@settings(derandomize=True, deadline=None, max_examples=100)
def test_an_epoch_has_every_example_once(n, size, shuffle, drop_last):
    if drop_last and size > n:
        return
    loader = DataLoader(Numbers(n), size, shuffle, drop_last=drop_last)
    batches = list(loader)
    sizes = [len(x) for x, _ in batches]
    whole, rest = divmod(n, size)
    assert sizes == [size] * whole + ([rest] if rest and not drop_last else [])
    assert len(loader) == loader.max_iter == len(batches)
    seen = np.concatenate([x for x, _ in batches])
    assert len(set(seen.tolist())) == len(seen)
    for x, t in batches:
        assert_equal(t, x * 10)
    if not shuffle:
        assert_equal(seen, np.arange(len(seen)))


def test_a_data_set_is_asked_once_for_a_batch(monkeypatch):
    asked = []
    getitem = Dataset.__getitem__

    def counted(self, index):
        asked.append(np.shape(index))
        return getitem(self, index)

    monkeypatch.setattr(Dataset, "__getitem__", counted)
    examples(DataLoader(Numbers(7, transform=AsType()), 4))
    assert asked == [(4,), (3,)]


@pytest.mark.parametrize("whole", [True, False])
def test_without_labels_the_labels_are_none(whole):
    numbers = Numbers(3)
    numbers.label = None
    data = numbers if whole else [numbers[i] for i in range(3)]
    assert [t for _, t in DataLoader(data, 2)] == [None, None]


@pytest.mark.parametrize("error", [TypeError, ValueError])
def test_an_error_of_the_data_set_itself_is_left_as_it_is(error):
    class Broken(Numbers):
        def __getitem__(self, index):
            raise error("broken")

    with pytest.raises(error, match=r"^broken$"):
        next(DataLoader(Broken(3), 2))


class OneByOne(Numbers):
    def __getitem__(self, index):
        return super().__getitem__(index)


@pytest.mark.parametrize("kind", [Numbers, OneByOne])
@pytest.mark.parametrize("ask", [list, next])
def test_the_end_of_something_else_does_not_end_an_epoch(kind, ask):
    data = kind(4, transform=lambda _: next(iter([])))
    with pytest.raises(RuntimeError, match="StopIteration, which would") as told:
        ask(DataLoader(data, 2))
    assert isinstance(told.value.__cause__, StopIteration)


# --- the GPU --------------------------------------------------------------------------


def test_batches_go_to_the_gpu_and_come_back(monkeypatch):
    monkeypatch.setattr(cuda, "_cupy_or_none", lambda: cupy)
    numbers = Numbers(4)
    loader = DataLoader(numbers, 2, shuffle=False, gpu=True)
    for x, t in loader:
        assert isinstance(x, cupy.ndarray)
        assert isinstance(t, cupy.ndarray)
    loader.to_cpu()
    assert isinstance(next(loader)[0], np.ndarray)
    loader.to_gpu()
    x, t = next(loader)
    assert cupy.asnumpy(x).tolist() == [2, 3]
    assert cupy.asnumpy(t).tolist() == [20, 30]
    loader.reset()
    numbers.label = None
    assert next(loader)[1] is None


def test_without_a_gpu_the_error_says_so(monkeypatch):
    monkeypatch.setattr(cuda, "_cupy_or_none", lambda: None)
    with pytest.raises(RuntimeError, match="no GPU available"):
        next(DataLoader(Numbers(4), 2, gpu=True))


# --- sequences ------------------------------------------------------------------------


@given(n=st.integers(1, 40), size=st.integers(1, 40))
@settings(derandomize=True, deadline=None, max_examples=100)
def test_each_row_goes_on_where_it_was(n, size):
    if size > n:
        message = f"a sequence of {n} examples cannot be cut into {size} pieces"
        with pytest.raises(ValueError, match=message):
            SeqDataLoader(Numbers(n), size)
        return
    loader = SeqDataLoader(Numbers(n), size)
    steps = [x for x, _ in loader]
    assert len(steps) == len(loader) == -(-n // size)
    assert steps[0].tolist() == [i * (n // size) for i in range(size)]
    for before, after in pairwise(steps):
        assert_equal(after, before + 1)
    assert max(steps[-1]) < n
    for x, t in loader:
        assert_equal(t, x * 10)


def test_a_sequence_can_lie_on_the_gpu(monkeypatch):
    monkeypatch.setattr(cuda, "_cupy_or_none", lambda: cupy)
    x, _ = next(SeqDataLoader(Numbers(6), 2, gpu=True))
    assert isinstance(x, cupy.ndarray)
