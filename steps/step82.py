"""Step 82: the floor."""

import sys
import time
from dataclasses import dataclass

import numpy as np

from dezero_lite import Variable

from .library import moved as __getattr__  # noqa: F401

__all__ = ["Machine", "Work", "best_times", "calls", "floor", "measure", "total_work"]
__all__ += ["work_of"]


def best_times(ways, seconds=4):
    """The processor's seconds that each function of a dict takes, in its best run. They
    take turns, until the second half of the rounds has made none faster, or the time is
    up. While another program has the processor, the clock stands still.
    """
    # Windows counts a processor's time in steps of 16 milliseconds.
    clock = time.perf_counter if sys.platform == "win32" else time.process_time
    best, gained, count = dict.fromkeys(ways, np.inf), 0, 0
    end = time.perf_counter() + seconds
    while count < max(6, 2 * gained) and (count < 4 or time.perf_counter() < end):
        count += 1
        for name, way in ways.items():
            start = clock()
            way()
            span = clock() - start
            if span < 0.98 * best[name]:  # 2 % and more: the rest is chance
                gained = count
            best[name] = min(best[name], span)
    return best


@dataclass(frozen=True)
class Work:
    """What has to be done at least: operations on numbers, bytes read and written."""

    operations: float
    bytes: float

    def __add__(self, other):
        return Work(self.operations + other.operations, self.bytes + other.bytes)

    @property
    def intensity(self):
        """Operations for each byte that is moved."""
        return self.operations / self.bytes


@dataclass(frozen=True)
class Machine:
    """What a machine can do at most: operations and bytes a second."""

    peak: float
    bandwidth: float

    def floor(self, work):
        """The least number of seconds that this work takes."""
        return np.maximum(work.operations / self.peak, work.bytes / self.bandwidth)


def measure(megabytes=64, seconds=4):
    """This machine: a product of two matrices, and -x in place for x of this size."""
    a = np.ones((640, 640), np.float32)
    x = np.ones(int(megabytes * 1e6 / 4), np.float32)
    ways = {"product": lambda: a @ a, "negative": lambda: np.negative(x, out=x)}
    times = best_times(ways, seconds)
    return Machine(2 * 640**3 / times["product"], 2 * x.nbytes / times["negative"])


def calls(y):
    """The calls of functions that made y, each once."""
    found, waiting = [], [y.creator]
    while waiting:
        call = waiting.pop()
        if call is not None and call not in found:
            found.append(call)
            waiting += [x.creator for x in call.inputs if isinstance(x, Variable)]
    return found


def work_of(call):
    """The least work of one call: each input is read once, the output written once."""
    inputs = [x.data for x in call.inputs if isinstance(x, Variable)]
    output = call.outputs[0]().data
    if np.may_share_memory(output, inputs[0]):  # a view
        return Work(0, 0)
    arrays = {id(array): array for array in (*inputs, output)}.values()  # x * x has two
    moved = np.sum([array.nbytes for array in arrays])
    match type(call).__name__:
        case "MatMul" | "Linear":
            operations = 2 * output.size * inputs[0].shape[-1]
        case "Conv2d":
            operations = 2 * output.size * inputs[1][0].size
        case _:  # one for each number, at least
            operations = np.max([array.size for array in arrays])
    return Work(operations, moved)


def total_work(y):
    """The work of all calls that made y, each for itself."""
    total = Work(0, 0)
    for call in calls(y):
        total += work_of(call)
    return total


def floor(f, machine):
    """The least number of seconds that f(), which returns a Variable, takes on this
    machine if each call of a function is for itself.
    """
    y = f()  # without this name, the output of the last call would be gone
    return np.sum([machine.floor(work_of(call)) for call in calls(y)])
