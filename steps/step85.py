"""Step 85: cache and threads."""

import os
import subprocess
import sys
from collections import OrderedDict
from itertools import pairwise
from pathlib import Path

from .library import moved as __getattr__  # noqa: F401

__all__ = ["POOLS", "Watched", "caches", "column_by_column", "in_blocks", "on_threads"]
__all__ += ["pools", "row_by_row", "row_times_column"]


def row_times_column(a, b, c):
    """Compute c += a @ b, one number of c after the other."""
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(b.shape[0]):
                c[i, j] += a[i, k] * b[k, j]


def row_by_row(a, b, c):
    """Compute c += a @ b, adding one row of b after the other to a row of c."""
    for i in range(a.shape[0]):
        for k in range(b.shape[0]):
            for j in range(b.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


def column_by_column(a, b, c):
    """Compute c += a @ b, adding one column of a after the other to a column of c."""
    for j in range(b.shape[1]):
        for k in range(b.shape[0]):
            for i in range(a.shape[0]):
                c[i, j] += a[i, k] * b[k, j]


class Watched:
    """A buffer of ones with a small cache, which keeps the most recently used lines. It
    counts how often a line has to be fetched.
    """

    def __init__(self, size, lines, line=4):
        self.numbers, self.lines, self.line = [1.0] * size, lines, line
        self.kept, self.fetched = OrderedDict(), 0

    def use(self, place):
        line = place // self.line
        if line not in self.kept:
            self.fetched += 1
        self.kept[line] = True
        self.kept.move_to_end(line)
        if len(self.kept) > self.lines:
            self.kept.popitem(last=False)

    def __getitem__(self, place):
        self.use(place)
        return self.numbers[place]

    def __setitem__(self, place, value):
        self.use(place)
        self.numbers[place] = value


def in_blocks(product):
    """Return a function for the same product in blocks of at most size × size."""

    def blocked(a, b, c, size):
        for i in range(0, a.shape[0], size):
            for k in range(0, b.shape[0], size):
                for j in range(0, b.shape[1], size):
                    rows, terms = slice(i, i + size), slice(k, k + size)
                    columns = slice(j, j + size)
                    product(a[rows, terms], b[terms, columns], c[rows, columns])

    return blocked


def caches():
    """Return the bytes of this processor's data caches, nearest first, or common sizes
    if the system does not say.
    """
    found = {}
    for index in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        facts = [(index / name).read_text() for name in ("level", "type", "size")]
        level, kind, size = (fact.strip() for fact in facts)
        if kind != "Instruction" and size.endswith("K"):
            found[f"L{level}"] = 1024 * int(size[:-1])
    return found or {"L1": 32 * 1024, "L2": 1024**2}


def on_threads(product, pool, threads, a, b, c):
    """Compute the same product on several threads, each with some of the rows."""
    cuts = [len(a) * t // threads for t in range(threads + 1)]
    parts = [slice(*cut) for cut in pairwise(cuts)]
    list(pool.map(lambda part: product(a[part], b, c[part]), parts))


POOLS = """
import sys, time
from concurrent.futures import ThreadPoolExecutor
import numpy as np

threads = int(sys.argv[1])
x = np.ones((256, 256), np.float32)
end = time.perf_counter() + 0.2

def rounds(_):
    y, done = np.ones(100_000, np.float32), 0
    while time.perf_counter() < end:
        np.tanh(y, out=y)
        done += 1
    return done

with ThreadPoolExecutor(threads or 1) as pool:
    mine, products = pool.map(rounds, range(threads)), 0
    while time.perf_counter() < end:
        x @ x
        products += 1
    print(products, sum(mine))
"""


def pools(threads, blas_threads):
    """Run a process that computes products on `blas_threads` threads and tanh on
    `threads` others; return how many products and how many rounds of tanh it does.
    """
    setting = os.environ | {"OPENBLAS_NUM_THREADS": str(blas_threads)}
    command = [sys.executable, "-c", POOLS, str(threads)]
    child = subprocess.run(command, env=setting, stdout=subprocess.PIPE, check=True)
    products, rounds = child.stdout.split()
    return int(products), int(rounds)
