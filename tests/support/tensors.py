"""Code that the tests of steps 66 and 67 share: every operation on tensors, tested in
the same ways, and random graphs of operations.
"""

import inspect
import weakref

import numpy as np
from hypothesis import strategies as st

from steps.step66 import Tensor, gradient_error
from tests.support.arrays import uniform

SMALL = 1e-6


def leaf(value, dtype=float):
    return Tensor(np.asarray(value, dtype=dtype), requires_grad=True)


def behind(y):
    """Collect a tensor and everything that it was computed from."""
    found, worklist = [], [y]
    while worklist:
        found.append(worklist.pop())
        worklist += [x for x, _ in found[-1].edges]
    return found


def assert_right(f, *arrays, widens=False):
    """Check that an operation's gradients agree with differences, that it keeps float32
    unless it computes with float64, holds no tensors in its rules, and is freed at
    once.

    For tests that run without the garbage collector.
    """
    assert gradient_error(f, *arrays) < SMALL
    leaves = [leaf(array, np.float32) for array in arrays]
    y = f(*leaves)
    assert widens or y.dtype == np.float32
    y.sum().backward()
    assert all(x.grad.dtype == np.float32 and x.grad.shape == x.shape for x in leaves)

    y = (y * 1).sum()
    rules = [rule for tensor in behind(y) for _, rule in tensor.edges]
    held = [value for rule in rules for value in nonlocals(rule)]
    assert held
    assert not any(isinstance(value, Tensor) for value in held)
    inner = [weakref.ref(tensor) for tensor in behind(y) if tensor.edges]
    del y
    assert inner
    assert not any(ref() for ref in inner)


def nonlocals(rule):
    return inspect.getclosurevars(rule).nonlocals.values()


# Each takes two earlier tensors, and keeps values small, so that differences are
# accurate.
STEPS = [
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b / 2,
    lambda a, b: a / (b * b + 1),
    lambda a, b: -a,
    lambda a, b: a.sum(axis=0, keepdims=True) / 2 + b,
    lambda a, b: a @ b / 3,
    lambda a, b: a.T,
    lambda a, b: a[[0, 0, 2]] * b[:, [1, 2, 1]],
    lambda a, b: a.reshape(9).reshape(3, 3),
]


def graphs(steps):
    """Make random graphs: each step with the numbers of the tensors that it takes."""
    number = st.integers(0, 100)
    step = st.tuples(st.sampled_from(steps), number, number)
    return st.lists(step, min_size=1, max_size=12)


def run(graph, *leaves):
    made = list(leaves)
    for f, i, j in graph:
        made.append(f(made[i % len(made)], made[j % len(made)]))
    return made[-1]


def graph_error(graph):
    """Return how far a random graph's gradients are from differences."""
    a, b = uniform(3, 3), uniform(3, 3, seed=1)
    return gradient_error(lambda a, b: run(graph, a, b), a, b)
