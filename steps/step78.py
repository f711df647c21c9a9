"""Step 78: a ring."""

import threading
from dataclasses import dataclass
from multiprocessing import Pipe

import numpy as np

from dezero_lite.parallel import Ring, average_gradients, run_ring

from . import step77
from .step77 import *  # noqa: F403

__all__ = [*step77.__all__, "Ring", "average_gradients", "run_ring"]


def in_threads(work, size, timeout=10.0):
    """What `work(ring)` returns for each place of a ring whose workers are threads of
    this process. So `work` may stand in a notebook.
    """
    links = [Pipe(duplex=False) for _ in range(size)]
    results = {}

    def worker(rank):
        ring = Ring(rank, size, links[rank - 1][0], links[rank][1])
        try:
            results[rank] = work(ring)
        except Exception as error:
            results[rank] = error

    threads = [
        threading.Thread(target=worker, args=(rank,), daemon=True)
        for rank in range(size)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout / size)
    waiting = [rank for rank in range(size) if rank not in results]
    for ends in links:
        for end in ends:
            end.close()  # who still waits for it, ends with an error
    for result in results.values():
        if isinstance(result, Exception):
            raise result
    if waiting:
        raise TimeoutError(f"workers {waiting} of {size} still wait for each other")
    return [results[rank] for rank in range(size)]


@dataclass(frozen=True)
class Link:
    """What it costs to hand something over: the latency in seconds for each message,
    and the bandwidth in bytes a second.
    """

    latency: float
    bandwidth: float

    def turn(self, size):
        """Seconds for so many bytes, handed over at once."""
        return self.latency + size / self.bandwidth

    def ring(self, size, workers):
        """Seconds of an all-reduce of so many bytes on a ring."""
        return 2 * (workers - 1) * self.turn(size / workers)

    def star(self, size, workers):
        """Seconds of the same where one worker adds for all."""
        return 2 * (workers - 1) * self.turn(size)


def fit_link(sizes, seconds):
    """The link that predicts these times best, each by its own measure: a microsecond
    counts as much for a short message as a millisecond for a long one.
    """
    sizes, seconds = np.asarray(sizes, float), np.asarray(seconds, float)
    rows = np.stack([1 / seconds, sizes / seconds], axis=1)
    (latency, per_byte), *_ = np.linalg.lstsq(rows, np.ones(len(sizes)), rcond=None)
    return Link(latency, 1 / per_byte)
