"""What is measured. Each row is a function from a framework to seconds, or to several seconds by name."""

import time


def clock(work):
    """Run ``work()``; return its result and its seconds."""
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


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
    """A chain of 200,000 scalar operations: seconds for each operation, forward and backward together."""
    seconds = chain_of(framework, 200_000)
    return {"": seconds["forward"] + seconds["backward"]}


def wide_graph(framework):
    """8,000 branches from one input, summed pairwise: seconds for the backward pass."""

    def branches(x):
        level = [x * (1.0 + i * 1e-6) for i in range(8_000)]
        while len(level) > 1:
            level = [a + b for a, b in zip(level[::2], level[1::2], strict=False)] + level[len(level) & ~1 :]
        return level[0]

    y = framework.forward(branches, framework.variable(1.0))
    return {"": clock(lambda: framework.backward(y))[1]}


def goldstein_price(framework):
    """Goldstein and Price's function of two numbers, and its gradient."""
    from steps.step24 import goldstein

    x, y = framework.variable(1.0), framework.variable(1.0)
    return {"": clock(lambda: framework.backward(framework.forward(goldstein, x, y)))[1]}


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


PROGRAMS = {
    "one scalar operation (chain of 2,000)": short_chain,
    "one scalar operation (chain of 200,000)": long_chain,
    "8,000 branches, backward": wide_graph,
    "Goldstein-Price with gradient": goldstein_price,
    "ten Newton steps": newton,
}
