"""The programs to measure: the rows of the tables."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from .limits import Work, conv_flops

# The growing package, as of its last step.
SMALL = "steps.step60"
# dezero_lite with its compiled loops.
COMPILED = "dezero_lite-compiled"


@dataclass(frozen=True, eq=False)
class Row:
    """A row of a table.

    ``program`` takes a framework. In the table of times, it returns seconds. In the
    table of memory, it prepares some work and returns it as a function; the peak while
    that runs is measured, minus the memory used before. A row without a program is
    measured separately.
    """

    title: str
    program: Callable[[Any], Any] | None
    #: The work that no framework can avoid, where that is the limit.
    work: Work | None = None
    #: Whether it takes seconds, so that it gets fewer rounds.
    slow: bool = False
    #: Whether it needs a framework that has layers.
    needs_networks: bool = False
    #: Whether bare NumPy has a program for it.
    bare: bool = False
    #: Whether it needs a framework that has a GPT.
    gpt: bool = False
    #: Whether the small package lacks the model.
    large: bool = False

    def fits(self, framework):
        """Return whether the row applies to a framework, given by its name."""
        if self.gpt:
            return framework in ("dezero_lite", COMPILED, "torch")
        if framework == SMALL:
            return not self.large
        if framework == "numpy-bare":
            return self.bare
        # autograd has no networks, and dezero-float32 differs from dezero only in
        # networks.
        return framework != ("autograd" if self.needs_networks else "dezero-float32")


def clock(work):
    """Run ``work()``; return its result and its seconds."""
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


# --- the core -------------------------------------------------------------------------


def chain(x, length):
    y = x
    for _ in range(length // 2):
        y = y * 1.0001
        y = y + 0.0001
    return y


def chain_of(framework, length):
    """Return the seconds for each operation, forward and backward."""
    x = framework.variable(1.0)
    y, forward = clock(lambda: framework.forward(lambda x: chain(x, length), x))
    _, backward = clock(lambda: framework.backward(y))
    return forward / length, backward / length


def wide_graph(framework):
    """Sum 8,000 branches of one input pairwise; return the backward pass's seconds."""

    def branches(x):
        level = [x * (1.0 + i * 1e-6) for i in range(8_000)]
        while len(level) > 1:
            level = [
                a + b for a, b in zip(level[::2], level[1::2], strict=False)
            ] + level[len(level) & ~1 :]
        return level[0]

    y = framework.forward(branches, framework.variable(1.0))
    return clock(lambda: framework.backward(y))[1]


def goldstein_price(framework):
    """Time Goldstein and Price's function of two numbers, and its gradient."""
    from steps.step24 import goldstein

    x, y = framework.variable(1.0), framework.variable(1.0)
    return clock(lambda: framework.backward(framework.forward(goldstein, x, y)))[1]


def newton(framework):
    """Time ten Newton steps on x⁴ − 2x², with second derivatives by double backprop."""

    def ten_steps():
        x = 2.0
        for _ in range(10):
            x = framework.newton_step(lambda x: x**4 - 2 * x**2, x)
        return x

    x, seconds = clock(ten_steps)
    if abs(x - 1) > 1e-9:
        raise AssertionError(f"Newton's method ended at {x}, not at 1")
    return seconds


def tanh_to_order_6(framework):
    """Time the sixth derivative of tanh at one number."""
    value, seconds = clock(lambda: framework.derivative(framework.tanh, 1.0, 6))
    if abs(value - 13.6241) > 1e-6 * 100:
        raise AssertionError(f"the sixth derivative of tanh at 1 came out as {value}")
    return seconds


def scaled_rows(framework):
    """Time a matrix of 1,000 × 1,000 times a row of 1,000: forward and backward."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((1000, 1000), dtype=np.float32)
    row = rng.standard_normal(1000, dtype=np.float32)
    if hasattr(framework, "scaled_rows"):
        return clock(lambda: framework.scaled_rows(x, row))[1]
    x, row = framework.variable(x), framework.variable(row)

    def work():
        framework.backward(
            framework.forward(lambda x, row: framework.sum(x * row), x, row)
        )

    return clock(work)[1]


# --- networks -------------------------------------------------------------------------


def network(title, prepare, work=None, **kinds):
    """Make a row that prepares its work once for each framework, and then times it."""
    prepare = cache(prepare)

    def program(framework):
        networks = framework.networks
        run = prepare(networks)
        return clock(lambda: [run(), networks.wait()])[1]

    return Row(title, program, work, needs_networks=True, **kinds)


def gpt(title, what):
    """Make a row of the small GPT. These rows come last, because they limit the process
    to one thread.
    """
    prepare = cache(lambda make: getattr(make(), what)())
    return Row(title, lambda framework: clock(prepare(framework.gpt))[1], gpt=True)


def products(amount):
    return Work("products", amount)


def fresh_floats(n):
    return Work("fresh", n * 4)


# The first layer counts two passes instead of three, because its input needs no
# gradient.
MLP_STEP = 2 * 100 * (2 * 784_000 + 3 * 10_000)
LENET_STEP = (
    conv_flops(64, 1, 28, 28, 6, 5, passes=2)
    + conv_flops(64, 6, 10, 10, 16, 5)
    + 6 * 64 * 58_920
)

# Also measured on the oldest NumPy.
SUM_OF_PRODUCT = network(
    "sum of x·W, 500×500 each",
    lambda networks: networks.sum_of_product(500),
    work=products(3 * 2 * 500**3),
    bare=True,
)

ROWS = [
    Row(
        "one scalar operation (chain of 2,000), forward",
        lambda framework: chain_of(framework, 2_000)[0],
        Work("nodes", 1),
    ),
    Row(
        "one scalar operation (chain of 2,000), backward",
        lambda framework: chain_of(framework, 2_000)[1],
        Work("nodes", 1),
    ),
    Row(
        "one scalar operation (chain of 200,000)",
        lambda framework: sum(chain_of(framework, 200_000)),
        Work("nodes", 2),
        slow=True,
    ),
    Row("8,000 branches, backward", wide_graph, Work("nodes", 16_000), slow=True),
    Row("Goldstein-Price with gradient", goldstein_price),
    Row("ten Newton steps", newton),
    Row("tanh to order 6", tanh_to_order_6),
    Row("x·row, 1000×1000", scaled_rows, fresh_floats(2 * 1000 * 1000), bare=True),
    SUM_OF_PRODUCT,
    network(
        "MLP 784-1000-10, batch 100, SGD step",
        lambda networks: networks.mlp_step("SGD"),
        work=products(MLP_STEP),
    ),
    network(
        "MLP 784-1000-10, batch 100, Adam step",
        lambda networks: networks.mlp_step("Adam"),
        work=products(MLP_STEP),
    ),
    network(
        "epoch of 60,000 with loader",
        lambda networks: networks.epoch(60_000),
        work=products(600 * MLP_STEP),
        slow=True,
    ),
    network(
        "loader alone",
        lambda networks: networks.loader(60_000),
        work=fresh_floats(60_000 * 784),
        slow=True,
    ),
    network(
        "conv2d 16×1×28² → 16, k5 p2",
        lambda networks: networks.conv2d((16, 1, 28, 28), (16, 1, 5, 5), 1, 2),
        work=products(conv_flops(16, 1, 28, 28, 16, 5)),
        bare=True,
    ),
    network(
        "conv2d 8×64×56² → 64, k1",
        lambda networks: networks.conv2d((8, 64, 56, 56), (64, 64, 1, 1), 1, 0),
        work=products(conv_flops(8, 64, 56, 56, 64, 1)),
        bare=True,
    ),
    network(
        "conv2d 8×64×56² → 64, k3 p1",
        lambda networks: networks.conv2d((8, 64, 56, 56), (64, 64, 3, 3), 1, 1),
        work=products(conv_flops(8, 64, 56, 56, 64, 3)),
        bare=True,
    ),
    network(
        "conv2d 32×16×14² → 32, k3 p1",
        lambda networks: networks.conv2d((32, 16, 14, 14), (32, 16, 3, 3), 1, 1),
        work=products(conv_flops(32, 16, 14, 14, 32, 3)),
        bare=True,
    ),
    network(
        "conv2d 8×64×56² → 64, k3 s2 p1",
        lambda networks: networks.conv2d((8, 64, 56, 56), (64, 64, 3, 3), 2, 1),
        work=products(conv_flops(8, 64, 28, 28, 64, 3)),
        bare=True,
    ),
    network(
        "max pooling 2×2/2, 8×64×56²",
        lambda networks: networks.pooling("max", 2, 2),
        work=fresh_floats(8 * 64 * (56 * 56 + 28 * 28)),
        bare=True,
    ),
    network(
        "average pooling 2×2/2, 8×64×56²",
        lambda networks: networks.pooling("average", 2, 2),
        work=fresh_floats(8 * 64 * (56 * 56 + 28 * 28)),
    ),
    network(
        "max pooling 3×3/2, 8×64×56²",
        lambda networks: networks.pooling("max", 3, 2),
        work=fresh_floats(8 * 64 * (56 * 56 + 27 * 27)),
        bare=True,
    ),
    network(
        "LeNet step, batch 64, SGD",
        lambda networks: networks.lenet_step(),
        work=products(LENET_STEP),
        bare=True,
    ),
    network(
        "VGG16 forward, one 224² image",
        lambda networks: networks.vgg16(),
        work=products(2 * 15.47e9),
        slow=True,
        large=True,
    ),
    network("LSTM(100), 30 steps, batch 30", lambda networks: networks.lstm()),
    gpt("GPT step, 2 blocks of 48, 17 letters, batch 64, one thread", "step"),
    gpt("GPT writes 256 letters with its cache, one thread", "write"),
]


# --- memory ---------------------------------------------------------------------------


def chain_to_keep(framework):
    x = framework.variable(1.0)
    return lambda: framework.backward(framework.forward(lambda x: chain(x, 200_000), x))


MEMORY = [
    Row(
        "conv2d 8×64×56² → 64, k3 p1",
        lambda framework: framework.networks.conv2d(
            (8, 64, 56, 56), (64, 64, 3, 3), 1, 1
        ),
        needs_networks=True,
    ),
    Row(
        "six-layer MLP step, batch 1,000",
        lambda framework: framework.networks.deep_mlp_step(),
        needs_networks=True,
    ),
    Row("chain of 200,000 operations", chain_to_keep),
    Row(
        "VGG16 forward, one 224² image",
        lambda framework: framework.networks.vgg16(),
        needs_networks=True,
        large=True,
    ),
]


def titled(rows, title):
    """Return the row with a title, by which another process asks for it."""
    return next(row for row in rows if row.title == title)
