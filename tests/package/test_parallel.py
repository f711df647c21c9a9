"""Shards, gradients of shards, and a ring of real processes."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dezero_lite import parallel
from dezero_lite.checkpoint import Checkpoint
from dezero_lite.functions import dropout
from dezero_lite.optimizers import Adam, MomentumSGD
from dezero_lite.parallel.dask import DataParallel
from dezero_lite.parallel.mpi import MPIRing
from tests.support import training
from tests.support.arrays import assert_close, assert_equal

PATIENCE = 300  # seconds, on a busy machine


@given(st.integers(0, 100), st.integers(1, 20))
@settings(deadline=None)
def test_shards_are_all_of_it_and_about_equal(count, workers):
    places = np.arange(count)
    parts = [places[part] for part in parallel.shards(count, workers)]
    assert len(parts) == workers
    assert_equal(np.concatenate(parts), places)
    lengths = [len(part) for part in parts]
    assert max(lengths) - min(lengths) <= 1
    assert lengths == sorted(lengths, reverse=True)


# --- gradients ------------------------------------------------------------------------


def gradients_of(model, x, t):
    model.cleargrads()
    training.loss(model, x, t).backward()
    return [gradient.copy() for gradient in parallel.own_gradients(model)]


def a_model_and_its_gradients():
    model = training.make_model()
    return model, gradients_of(model, *training.part_of_digits(4)[np.arange(4)])


def assert_gradients(model, expected, **tolerance):
    for now, then in zip(parallel.own_gradients(model), expected, strict=True):
        assert_close(now, then, **tolerance)
        assert now.dtype == then.dtype


@pytest.mark.parametrize("cuts", [[20], [1], [5, 6, 30], [0, 7]])
def test_the_mean_over_unequal_shards_is_the_gradient_of_the_batch(cuts):
    x, t = training.part_of_digits(40)[np.arange(40)]
    model = training.make_model()
    whole = gradients_of(model, x, t)
    parts = list(zip(np.split(x, cuts), np.split(t, cuts), strict=True))
    counts = [len(t_part) for _, t_part in parts]
    found = parallel.mean_gradients(
        [gradients_of(model, *p) if len(p[1]) else whole for p in parts], counts
    )
    for mean, gradient in zip(found, whole, strict=True):
        assert_close(mean, gradient, rtol=1e-5, atol=1e-7)
        assert mean.dtype == gradient.dtype
    if len(set(counts)) > 1 and 0 not in counts:
        naive = parallel.mean_gradients(
            [gradients_of(model, *p) for p in parts], [1] * len(parts)
        )
        assert not np.allclose(naive[0], whole[0], rtol=1e-3, atol=1e-6)


def test_gradients_that_do_not_fit_change_nothing():
    model, before = a_model_and_its_gradients()
    with pytest.raises(ValueError, match="have the shapes"):
        parallel.set_gradients(model, [np.zeros(1)] * len(before))
    assert_gradients(model, before)
    ones = [np.ones_like(gradient) for gradient in before]
    parallel.set_gradients(model, ones)
    assert_gradients(model, ones)


def test_a_parameter_without_a_gradient_counts_as_zeros():
    model, _ = a_model_and_its_gradients()
    model.cleargrads()
    assert not any(gradient.any() for gradient in parallel.own_gradients(model))


# --- a ring ---------------------------------------------------------------------------


def test_a_ring_of_one_needs_nobody():
    ring = parallel.Ring(0, 1, None, None)
    assert_close(ring.all_reduce(np.arange(3.0)), np.arange(3.0))
    assert repr(ring) == "Ring(0 of 1)"
    model, before = a_model_and_its_gradients()
    parallel.average_gradients(model, 4, ring)
    assert_gradients(model, before, rtol=1e-6, atol=0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "shape", "dtype"),
    [(2, (3, 4), np.float64), (3, (300, 1001), np.float32), (5, (3,), np.float64)],
)
def test_all_workers_get_the_sum(size, shape, dtype):
    results = parallel.run_ring(training.sum_of, size, shape, dtype, timeout=PATIENCE)
    expected = sum(training.random_array(r, shape, dtype) for r in range(size))
    for total, _ in results:
        assert_close(total, expected, rtol=1e-5, atol=1e-5)
        assert total.dtype == dtype
        assert np.array_equal(total, results[0][0]), "all have the same bits"
    sent = sum(count for _, count in results)
    assert sent == 2 * (size - 1) * expected.nbytes


@pytest.mark.slow
def test_a_training_on_a_ring_is_that_of_one_process():
    results = parallel.run_ring(training.on_a_ring, 3, timeout=PATIENCE)
    losses, model = training.alone(MomentumSGD(0.1))
    assert_close(np.sum([r[0] for r in results], axis=0), losses, rtol=1e-5, atol=0)
    for _, weights in results:
        for weight, ours in zip(weights, model.params(), strict=True):
            assert_close(weight, ours.data, rtol=1e-3, atol=1e-5)


@pytest.mark.slow
def test_failures_are_told():
    with pytest.raises(RuntimeError, match=r"worker \d failed(.|\n)*"):
        parallel.run_ring(training.fails, 2, timeout=PATIENCE)
    with pytest.raises(RuntimeError, match="worker 1 has died"):
        parallel.run_ring(training.dies, 2, timeout=PATIENCE)
    with pytest.raises(TimeoutError, match="does each of them wait for another"):
        parallel.run_ring(training.everyone_sends_first, 2, timeout=5)


# --- replicas -------------------------------------------------------------------------


class Here:
    """A replacement for Dask's client: this process does the work, and draws after each
    call.
    """

    def __init__(self):
        self.drawn = []

    def run(self, f):
        return {"here": f()}

    def submit(self, f, *args, **_):
        made = f(*args)
        self.drawn.append(dropout(np.ones(64)).data)
        return made


def test_each_replica_draws_dropout_masks_of_its_own():
    # The model's seed is 0 on every worker.
    data, again = training.part_of_digits(9), []
    for _ in range(2):
        client = Here()
        DataParallel(client, training.make_model, training.loss, data, 3)
        again.append(client.drawn)
    assert_equal(*map(np.array, again))
    assert len({mask.tobytes() for mask in client.drawn}) == 3


# --- checkpoints ----------------------------------------------------------------------


def test_a_checkpoint_holds_the_last_state(tmp_path):
    losses, model = training.alone(optimizer := Adam(), size=50)
    place = Checkpoint(tmp_path / "run")
    assert place.state() is place.load(model, optimizer) is None
    place.save(3, model, optimizer)
    place.save(7, model, optimizer, losses=losses)
    files = sorted(p.name for p in (tmp_path / "run").iterdir())
    assert [name.partition("-")[0] for name in files] == ["state.json", "step00000007"]
    expected = [p.data.copy() for p in model.params()]
    for p in model.params():
        p.data += 1.0
    # A program can ask before it has a model.
    assert place.state() == {"step": 7, "losses": losses}
    assert place.load(model, optimizer) == {"step": 7, "losses": losses}
    for p, data in zip(model.params(), expected, strict=True):
        assert_close(p.data, data)


def test_a_checkpoint_that_is_interrupted_leaves_the_one_before(tmp_path, monkeypatch):
    _, model = training.alone(optimizer := Adam(), size=50)
    place = Checkpoint(tmp_path)
    place.save(3, model, optimizer)

    def full_disk(*_):
        raise OSError("no space left")

    monkeypatch.setattr(optimizer, "save_state", full_disk)
    with pytest.raises(OSError, match="no space"):
        place.save(4, model, optimizer)
    monkeypatch.undo()
    assert place.load(model, optimizer) == {"step": 3}


# --- MPI ------------------------------------------------------------------------------


def test_mpi_takes_the_place_of_a_ring():
    ring = MPIRing(training.Twins())
    assert (ring.rank, ring.size, repr(ring)) == (1, 2, "MPIRing(1 of 2)")
    array = np.arange(6, dtype=np.float32).reshape(2, 3).T
    total = ring.all_reduce(array)
    assert_close(total, 2 * array)
    assert total.dtype == np.float32
    model, before = a_model_and_its_gradients()
    parallel.average_gradients(model, 4, ring)  # of two times the same examples
    assert_gradients(model, before, rtol=1e-5, atol=1e-7)


def test_without_mpi_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    with pytest.raises(ImportError, match="pip install mpi4py, and an MPI"):
        MPIRing()
