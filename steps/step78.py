"""Step 78: a ring."""

import threading
import time
from dataclasses import dataclass

import numpy as np

from dezero_lite import manual_seed
from dezero_lite.datasets import Digits
from dezero_lite.functions import relu, softmax_cross_entropy
from dezero_lite.models import MLP
from dezero_lite.optimizers import MomentumSGD
from dezero_lite.parallel import Ring, average_gradients, run_ring, shards

from .library import moved as __getattr__  # noqa: F401

__all__ = ["Link", "Ring", "average_gradients", "fit_link", "in_threads", "run_ring"]
__all__ += ["sends_first", "sum_of", "train", "turn_times"]


def in_threads(work, size, timeout=10.0):
    """Run `work(ring)` in a ring of threads, and return the results by rank. Unlike
    for processes, `work` may be a function defined in a notebook.
    """
    from multiprocessing import Pipe

    links = [Pipe(duplex=False) for _ in range(size)]
    ends = [(links[rank - 1][0], links[rank][1]) for rank in range(size)]
    results, errors = {}, []

    def close(rank):  # so that neighbours waiting for it stop with an error
        for end in ends[rank]:
            end.close()

    def worker(rank):
        try:
            results[rank] = work(Ring(rank, size, *ends[rank]))
        except Exception as error:
            errors.append(error)
            close(rank)

    threads = [
        threading.Thread(target=worker, args=(rank,), daemon=True)
        for rank in range(size)
    ]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + timeout
    for thread in threads:
        thread.join(deadline - time.monotonic())
    if errors:
        raise errors[0]  # the others may have failed because of this one
    waiting = [rank for rank in range(size) if threads[rank].is_alive()]
    for rank in set(range(size)) - set(waiting):
        close(rank)
    if waiting:
        raise TimeoutError(f"workers {waiting} of {size} still wait for each other")
    return [results[rank] for rank in range(size)]


def sum_of(ring, count):
    """Return the sum of all workers' random numbers, and the bytes this one sent."""
    mine = np.random.default_rng(ring.rank).normal(size=count)
    return ring.all_reduce(mine), ring.sent


def train(ring, updates):
    """Train as one worker of a ring; return its share of each loss, and the weights."""
    data, rng = Digits(), np.random.default_rng(0)
    manual_seed(0)
    model = MLP((32, 10), relu)
    optimizer = MomentumSGD(0.1).setup(model)
    losses = []
    for _ in range(updates):
        batch = rng.integers(len(data), size=100)
        mine = batch[shards(len(batch), ring.size)[ring.rank]]
        x, t = data[mine]
        loss = softmax_cross_entropy(model(x), t)
        model.cleargrads()
        loss.backward()
        average_gradients(model, len(mine), ring)
        optimizer.update()
        losses.append(loss.item() * len(mine) / len(batch))
    return losses, [p.data for p in model.params()]


def turn_times(ring, sizes, tries):
    """Return for each size in bytes the seconds of an exchange and of an all-reduce,
    the best of several tries.
    """
    best = np.full((len(sizes), 2), np.inf)
    for _ in range(tries):
        for row, size in enumerate(sizes):
            array = np.ones(size // 4, np.float32)
            for column, job in enumerate((ring.exchange, ring.all_reduce)):
                start = time.perf_counter()
                job(array)
                seconds = time.perf_counter() - start
                best[row, column] = np.minimum(best[row, column], seconds)
    return best


@dataclass(frozen=True)
class Link:
    """The cost of a turn: latency in seconds, and bandwidth in bytes per second."""

    latency: float
    bandwidth: float

    def turn(self, size):
        """Return the seconds for a turn in which `size` bytes are sent."""
        return self.latency + size / self.bandwidth

    def ring(self, size, workers):
        """Return the seconds for an all-reduce of `size` bytes on a ring."""
        return 2 * (workers - 1) * self.turn(size / workers)

    def star(self, size, workers):
        """Return the seconds if worker 0 adds everything: one turn per message."""
        return 2 * (workers - 1) * self.turn(size)


def fit_link(sizes, seconds):
    """Fit a link to measured times by their relative errors, so that a microsecond can
    count as much for a short message as a millisecond for a long one.
    """
    sizes, seconds = np.asarray(sizes, float), np.asarray(seconds, float)
    rows = np.stack([1 / seconds, sizes / seconds], axis=1)
    (latency, per_byte), *_ = np.linalg.lstsq(rows, np.ones(len(sizes)), rcond=None)
    return Link(latency, 1 / per_byte)


def sends_first(ring, count):
    """Send `count` numbers to the right, then receive from the left."""
    ring.send(np.ones(count))
    return float(ring.receive().sum())
