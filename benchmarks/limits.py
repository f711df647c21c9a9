"""What this machine can do at best, and how much of it each program asks for."""

import time
import weakref

import numpy as np

KINDS = {
    "products": "matrix products, GFLOP/s",
    "fresh": "fresh memory filled, GB/s",
    "nodes": "scalar products with an object and a weak reference, million/s",
}


def conv_flops(n, c, h, w, out, k, passes=3):
    """Of a convolution that leaves height and width h × w: forward, and backward to
    kernel and input.
    """
    return 2 * n * h * w * out * c * k * k * passes


# The limit that a row cannot pass, and how much of it the work takes: floating-point
# operations, bytes, or nodes. The first layer's input needs no gradient, so that it
# counts two passes where others count three.
WORK = {
    "one scalar operation (chain of 2,000), forward": ("nodes", 1),
    "one scalar operation (chain of 2,000), backward": ("nodes", 1),
    "one scalar operation (chain of 200,000)": ("nodes", 2),
    "8,000 branches, backward": ("nodes", 16_000),
    "x·row, 1000×1000": ("fresh", 2 * 4e6),
    "MLP 784-1000-10, batch 100, SGD step": (
        "products",
        2 * 100 * (2 * 784_000 + 3 * 10_000),
    ),
    "MLP 784-1000-10, batch 100, Adam step": (
        "products",
        2 * 100 * (2 * 784_000 + 3 * 10_000),
    ),
    "epoch of 60,000 with loader": (
        "products",
        600 * 2 * 100 * (2 * 784_000 + 3 * 10_000),
    ),
    "loader alone": ("fresh", 60_000 * 784 * 4),
    "conv2d 16×1×28² → 16, k5 p2": ("products", conv_flops(16, 1, 28, 28, 16, 5)),
    "conv2d 8×64×56² → 64, k1": ("products", conv_flops(8, 64, 56, 56, 64, 1)),
    "conv2d 8×64×56² → 64, k3 p1": ("products", conv_flops(8, 64, 56, 56, 64, 3)),
    "conv2d 32×16×14² → 32, k3 p1": ("products", conv_flops(32, 16, 14, 14, 32, 3)),
    "conv2d 8×64×56² → 64, k3 s2 p1": ("products", conv_flops(8, 64, 28, 28, 64, 3)),
    "max pooling 2×2/2, 8×64×56²": ("fresh", 8 * 64 * (56 * 56 + 28 * 28) * 4),
    "average pooling 2×2/2, 8×64×56²": ("fresh", 8 * 64 * (56 * 56 + 28 * 28) * 4),
    "max pooling 3×3/2, 8×64×56²": ("fresh", 8 * 64 * (56 * 56 + 27 * 27) * 4),
    "LeNet step, batch 64, SGD": (
        "products",
        conv_flops(64, 1, 28, 28, 6, 5, passes=2)
        + conv_flops(64, 6, 10, 10, 16, 5)
        + 6 * 64 * 58_920,
    ),
    "VGG16 forward, one 224² image": ("products", 2 * 15.47e9),
}


def measure():
    """The rate of each kind, a second, in the units of WORK: the best of many tries."""
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


def distance(row, seconds, rates):
    """How many times as long as its limit a row took, as text; nothing where no limit
    is near.
    """
    if row not in WORK:
        return "–"
    kind, amount = WORK[row]
    return f"{seconds / (amount / rates[kind]):.1f} × {kind}"
