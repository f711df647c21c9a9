"""Small training runs, in functions that other processes can import."""

import contextlib
import os
import signal
import time

import numpy as np

import dezero_lite.functions as F
from dezero_lite import manual_seed
from dezero_lite.datasets import Digits
from dezero_lite.models import MLP
from dezero_lite.optimizers import MomentumSGD
from dezero_lite.parallel import average_gradients, shards


def train_step(model, optimizer, loss):
    """Update the parameters once, and return the loss as a number."""
    model.cleargrads()
    loss.backward()
    optimizer.update()
    return loss.item()


def make_model():
    manual_seed(0)
    return MLP((12, 10), F.relu)


def loss(model, x, t):
    return F.softmax_cross_entropy(model(x.astype(np.float64)), t)


def batches(size, batch_size, epochs, seed=0):
    for epoch in range(epochs):
        order = np.random.default_rng([seed, epoch]).permutation(size)
        for start in range(0, size, batch_size):
            yield order[start : start + batch_size]


def alone(optimizer, size=333, batch_size=50, epochs=1):
    """Train in one process; return the losses and the model."""
    data, model = part_of_digits(size), make_model()
    loss(model, *data[np.arange(1)])
    optimizer.setup(model)
    losses = [
        train_step(model, optimizer, loss(model, *data[indices]))
        for indices in batches(size, batch_size, epochs)
    ]
    return losses, model


def part_of_digits(size):
    data = Digits()
    data.data, data.label = data.data[:size], data.label[:size]
    return data


def on_a_ring(ring, size=333, batch_size=50):
    """Run one worker's part of the same training run, with momentum; return the losses
    of its shards, weighted by their share, and the sum of all its weights.
    """
    data, model = part_of_digits(size), make_model()
    loss(model, *data[np.arange(1)])
    optimizer = MomentumSGD(0.1).setup(model)
    losses = []
    for indices in batches(size, batch_size, 1):
        mine = indices[shards(len(indices), ring.size)[ring.rank]]
        model.cleargrads()
        value = 0.0
        if len(mine):
            shard_loss = loss(model, *data[mine])
            shard_loss.backward()
            value = shard_loss.item() * len(mine) / len(indices)
        average_gradients(model, len(mine), ring)
        optimizer.update()
        losses.append(value)
    return losses, [p.data for p in model.params()]


def sum_of(ring, shape, dtype):
    """Return a worker's own random numbers, and how many bytes it sent."""
    array = random_array(ring.rank, shape, dtype)
    before = array.copy()
    total = ring.all_reduce(array)
    assert np.array_equal(array, before)
    return total, ring.sent


def random_array(rank, shape, dtype):
    return np.random.default_rng(rank).normal(size=shape).astype(dtype)


def fails(ring):
    if ring.rank == 1:
        raise ValueError("no luck here")
    return ring.all_reduce(np.ones(4))


def dies(ring):
    if ring.rank == 1:
        os._exit(3)
    return ring.rank


def everyone_sends_first(ring):
    ring.send(np.ones(1_000_000))
    return ring.receive()


# --- on Dask --------------------------------------------------------------------------


def slow_loss(model, x, t):
    time.sleep(0.02)
    return loss(model, x, t)


def times_ten(rate):
    if rate == 2:
        raise ValueError("two is not for me")
    return 10 * rate


def pause(seconds):
    time.sleep(seconds)


def ignores_sigterm(ring):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(600)


def slow_on_one_loss(model, x, t):
    """Ten times slower on one worker."""
    from distributed import get_worker

    with contextlib.suppress(ValueError):  # the client is not a worker
        time.sleep(0.1 if str(get_worker().name) == "0" else 0.01)
    return loss(model, x, t)


class Twins:
    """A replacement for MPI's communicator: two processes that have the same data."""

    def Get_rank(self):
        return 1

    def Get_size(self):
        return 2

    def Allreduce(self, array, total):
        assert array.flags.c_contiguous
        total[...] = array + array
