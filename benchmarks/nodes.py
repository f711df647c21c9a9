"""Measure the cost of a node in a long graph, apart from its computation.

``python -m benchmarks.nodes`` builds chains of bare nodes, which hold the same as a
Variable and a Function but compute nothing, and then chains of ours. While a graph
grows, Python's cyclic collector visits every object that refers to others again and
again, so the cost depends on the number of such objects in a node.
"""

import gc
import time
import weakref

import numpy as np

from dezero_lite import Variable

SHORT, LONG = 1_000, 100_000


class Box:
    """A stand-in for a Variable."""

    __slots__ = ("__weakref__", "creator", "data", "generation")


class Rule:
    """A stand-in for a Function."""


def bare_chain(length, objects):
    """Build a chain; each node has 2 objects, or 3 with a tuple of inputs, or 4 if it
    also has a weak reference to its output.
    """
    y = Box()
    for _ in range(length):
        f = Rule()
        f.inputs = (y, 1.0) if objects >= 3 else y
        z = Box()
        z.data, z.creator, z.generation = 1.5, f, 0
        if objects >= 4:
            f.output = weakref.ref(z)
        y = z
    return y


def our_chain(length):
    """Build a chain of additions and multiplications by numbers."""
    y = Variable(np.array(1.0))
    for _ in range(length // 2):
        y = y * 1.0001 + 0.0001
    return y


def microseconds(build, length, tries):
    """Return the processor time per node, the best of several tries."""
    best = float("inf")
    for _ in range(tries):
        start = time.process_time()
        build(length)
        best = min(best, time.process_time() - start)
    return best / length * 1e6


def main():
    gc.collect()
    gc.freeze()
    rows = {
        f"bare, {n} objects": lambda length, n=n: bare_chain(length, n)
        for n in (2, 3, 4)
    }
    rows["ours, forward"] = our_chain
    print(f"microseconds a node      {SHORT:>9,} {LONG:>9,}   more")
    for name, build in rows.items():
        short = microseconds(build, SHORT, 200)
        long = microseconds(build, LONG, 4)
        print(f"{name:<24} {short:>9.2f} {long:>9.2f} {long - short:>6.2f}")
    gc.disable()
    long = microseconds(our_chain, LONG, 4)
    print(f"{'without the collector':<24} {'':>9} {long:>9.2f}")


if __name__ == "__main__":
    main()
