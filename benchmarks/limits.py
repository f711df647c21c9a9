"""Compare the time of a program with the best that this machine can do."""

import time
import weakref
from typing import NamedTuple

import numpy as np

KINDS = {
    "products": "matrix products, GFLOP/s",
    "fresh": "fresh memory filled, GB/s",
    "nodes": "scalar products with an object and a weak reference, million/s",
}


def conv_flops(n, c, h, w, out, k, passes=3):
    """Count the operations of a convolution with an output of h × w: forward, and
    backward to the kernel and the input.
    """
    return 2 * n * h * w * out * c * k * k * passes


class Work(NamedTuple):
    """The unavoidable work of a program: floating-point operations, bytes or nodes."""

    kind: str
    amount: float


def measure():
    """Return the rate per second for each kind of Work: the best of several tries."""
    a = np.ones((1024, 1024), np.float32)
    flops = 2 * 1024**3 / best(lambda: a @ a)
    bytes_filled = 64e6 / best(lambda: np.full(16_000_000, 1.0, np.float32))
    return {
        "products": flops,
        "fresh": bytes_filled,
        "nodes": 10_000 / best(lambda: nodes(10_000)),
    }


class Node:
    __slots__ = ("__weakref__", "data", "inputs", "made_by")


def nodes(n):
    x = Node()
    x.data = np.float64(1.0)
    for _ in range(n):
        y = Node()
        y.data = x.data * 1.0001
        y.inputs = (x, 1.0001)
        y.made_by = weakref.ref(x)
        x = y
        x.inputs = None


def best(work, tries=7):
    seconds = []
    for _ in range(tries):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def distance(work, seconds, rates):
    """Format a time as a multiple of the work's limit; a dash if there is no limit."""
    if work is None:
        return "–"
    return f"{seconds / (work.amount / rates[work.kind]):.1f} × {work.kind}"
