"""The array module follows the data; without a GPU, a stand-in replaces CuPy."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from dezero_lite import Variable, cuda
from dezero_lite import functions as F
from tests.support.arrays import assert_equal
from tests.support.gpu import cupy


@pytest.fixture
def gpu(monkeypatch):
    if not cuda.gpu_enable:
        runtime = SimpleNamespace(getDeviceCount=lambda: 1)
        stand_in = SimpleNamespace(runtime=runtime)
        monkeypatch.setattr(cupy, "cuda", stand_in, raising=False)
    monkeypatch.setitem(sys.modules, "cupy", cupy)


def test_the_module_follows_the_data(gpu):
    there = cupy.array([1.0])
    assert cuda.get_array_module(there) is cupy
    assert cuda.get_array_module(Variable(there)) is cupy
    for here in [np.ones(2), Variable(np.ones(2)), np.float64(1), 1.0]:
        assert cuda.get_array_module(here) is np


def test_data_go_there_and_back(gpu):
    x = Variable(np.array([1.0, 2.0]))
    x.to_gpu()
    assert isinstance(x.data, cupy.ndarray)
    y = F.sum(F.exp(x) * 2)
    y.backward()
    assert isinstance(x.grad.data, cupy.ndarray)
    x.to_cpu()
    assert type(x.data) is np.ndarray
    assert_equal(x.data, [1.0, 2.0])
    assert type(cuda.as_numpy(y)) is np.ndarray
    assert_equal(cuda.as_numpy(x), x.data)


def test_a_number_becomes_an_array(gpu):
    assert type(cuda.as_numpy(2.0)) is np.ndarray
    assert isinstance(cuda.as_cupy(np.ones(2)), cupy.ndarray)


def test_an_empty_variable_moves_without_complaint(gpu):
    x = Variable(None)
    x.to_gpu()
    x.to_cpu()
    assert x.data is None


def test_the_book_asks_what_there_is(gpu):
    assert cuda.gpu_enable is True
    assert cuda.cupy is cupy


def test_without_a_gpu_the_error_says_what_it_takes(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    assert cuda.gpu_enable is False
    assert cuda.cupy is None
    with pytest.raises(RuntimeError, match="pip install cupy"):
        Variable(np.ones(2)).to_gpu()


def test_a_driver_that_fails_counts_as_no_gpu(monkeypatch):
    def fail():
        raise OSError("no driver")

    broken = SimpleNamespace(
        cuda=SimpleNamespace(runtime=SimpleNamespace(getDeviceCount=fail))
    )
    monkeypatch.setitem(sys.modules, "cupy", broken)
    assert cuda.gpu_enable is False


def test_arrays_of_both_places_do_not_mix(gpu):
    with pytest.raises(TypeError, match="Unsupported type"):
        Variable(cupy.array([1.0])) * Variable(np.ones(1))


def test_other_names_are_missing():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        cuda.nothing  # noqa: B018
