"""What is measured. Each row is a function from a framework to seconds, or to several
seconds by name.
"""

import time
from functools import cache

import numpy as np


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
    x = framework.variable(1.0)
    y, forward = clock(lambda: framework.forward(lambda x: chain(x, length), x))
    _, backward = clock(lambda: framework.backward(y))
    return {"forward": forward / length, "backward": backward / length}


def short_chain(framework):
    """A chain of 2,000 scalar operations: seconds for each operation."""
    return chain_of(framework, 2_000)


def long_chain(framework):
    """A chain of 200,000 scalar operations: seconds for each operation, forward and
    backward together.
    """
    seconds = chain_of(framework, 200_000)
    return {"": seconds["forward"] + seconds["backward"]}


def wide_graph(framework):
    """8,000 branches from one input, summed pairwise: seconds for the backward pass."""

    def branches(x):
        level = [x * (1.0 + i * 1e-6) for i in range(8_000)]
        while len(level) > 1:
            level = [
                a + b for a, b in zip(level[::2], level[1::2], strict=False)
            ] + level[len(level) & ~1 :]
        return level[0]

    y = framework.forward(branches, framework.variable(1.0))
    return {"": clock(lambda: framework.backward(y))[1]}


def goldstein_price(framework):
    """Goldstein and Price's function of two numbers, and its gradient."""
    from steps.step24 import goldstein

    x, y = framework.variable(1.0), framework.variable(1.0)
    return {
        "": clock(lambda: framework.backward(framework.forward(goldstein, x, y)))[1]
    }


def newton(framework):
    """Ten Newton steps on x⁴ − 2x², with the second derivative by double backprop."""

    def ten_steps():
        x = 2.0
        for _ in range(10):
            x = framework.newton_step(lambda x: x**4 - 2 * x**2, x)
        return x

    x, seconds = clock(ten_steps)
    if abs(x - 1) > 1e-9:
        raise AssertionError(f"Newton's method ended at {x}, not at 1")
    return {"": seconds}


def tanh_to_order_6(framework):
    """The sixth derivative of tanh at one number."""
    value, seconds = clock(lambda: framework.derivative(framework.tanh, 1.0, 6))
    if abs(value - 13.6241) > 1e-6 * 100:
        raise AssertionError(f"the sixth derivative of tanh at 1 came out as {value}")
    return {"": seconds}


def scaled_rows(framework):
    """A matrix of 1,000 × 1,000 times a row of 1,000: forward and backward."""
    rng = np.random.default_rng(0)
    x = framework.variable(rng.standard_normal((1000, 1000), dtype=np.float32))
    row = framework.variable(rng.standard_normal(1000, dtype=np.float32))

    def work():
        framework.backward(
            framework.forward(lambda x, row: framework.sum(x * row), x, row)
        )

    return {"": clock(work)[1]}


# --- networks -------------------------------------------------------------------------


def network(name, *arguments):
    """A row that prepares its work once for each framework, and then clocks it."""

    @cache
    def prepared(networks):
        return getattr(networks, name)(*arguments)

    def row(framework):
        return {"": clock(prepared(framework.networks))[1]}

    row.needs_networks = True
    return row


PROGRAMS = {
    "one scalar operation (chain of 2,000)": short_chain,
    "one scalar operation (chain of 200,000)": long_chain,
    "8,000 branches, backward": wide_graph,
    "Goldstein-Price with gradient": goldstein_price,
    "ten Newton steps": newton,
    "tanh to order 6": tanh_to_order_6,
    "x·row, 1000×1000": scaled_rows,
    "MLP 784-1000-10, batch 100, SGD step": network("mlp_step", "SGD"),
    "MLP 784-1000-10, batch 100, Adam step": network("mlp_step", "Adam"),
    "epoch of 60,000 with loader": network("epoch", 60_000),
    "loader alone": network("loader", 60_000),
    "conv2d 16×1×28² → 16, k5 p2": network(
        "conv2d", (16, 1, 28, 28), (16, 1, 5, 5), 1, 2
    ),
    "conv2d 8×64×56² → 64, k1": network(
        "conv2d", (8, 64, 56, 56), (64, 64, 1, 1), 1, 0
    ),
    "conv2d 8×64×56² → 64, k3 p1": network(
        "conv2d", (8, 64, 56, 56), (64, 64, 3, 3), 1, 1
    ),
    "conv2d 32×16×14² → 32, k3 p1": network(
        "conv2d", (32, 16, 14, 14), (32, 16, 3, 3), 1, 1
    ),
    "conv2d 8×64×56² → 64, k3 s2 p1": network(
        "conv2d", (8, 64, 56, 56), (64, 64, 3, 3), 2, 1
    ),
    "max pooling 2×2/2, 8×64×56²": network("pooling", "max", 2, 2),
    "average pooling 2×2/2, 8×64×56²": network("pooling", "average", 2, 2),
    "max pooling 3×3/2, 8×64×56²": network("pooling", "max", 3, 2),
    "LeNet step, batch 64, SGD": network("lenet_step"),
    "VGG16 forward, one 224² image": network("vgg16"),
    "LSTM(100), 30 steps, batch 30": network("lstm"),
}

# These take seconds each; a few rounds are enough, and on a small machine more would
# take an hour.
SLOW = {
    "one scalar operation (chain of 200,000)",
    "8,000 branches, backward",
    "epoch of 60,000 with loader",
    "loader alone",
    "VGG16 forward, one 224² image",
}


# --- memory ---------------------------------------------------------------------------


def chain_to_keep(framework):
    x = framework.variable(1.0)
    return lambda: framework.backward(framework.forward(lambda x: chain(x, 200_000), x))


# Each prepares some work and returns it; measured is the peak while the work runs,
# beyond what was there before.
MEMORY = {
    "conv2d 8×64×56² → 64, k3 p1": lambda framework: framework.networks.conv2d(
        (8, 64, 56, 56), (64, 64, 3, 3), 1, 1
    ),
    "six-layer MLP step, batch 1,000": lambda framework: (
        framework.networks.deep_mlp_step()
    ),
    "chain of 200,000 operations": chain_to_keep,
    "VGG16 forward, one 224² image": lambda framework: framework.networks.vgg16(),
}
