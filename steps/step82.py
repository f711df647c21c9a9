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
    """Return the processor time of each function's best run, in seconds. The functions
    take turns until the second half of the rounds makes none faster, or the time is up.
    While another program has the processor, the clock does not run.
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
            if span < 0.98 * best[name]:  # less than 2 % is chance
                gained = count
            best[name] = min(best[name], span)
    return best


@dataclass(frozen=True)
class Work:
    """The least work possible: operations on numbers, and bytes read and written."""

    operations: float
    bytes: float

    def __add__(self, other):
        return Work(self.operations + other.operations, self.bytes + other.bytes)

    @property
    def intensity(self):
        """Return the operations per byte."""
        return self.operations / self.bytes


@dataclass(frozen=True)
class Machine:
    """The highest speeds of a machine: operations and bytes a second."""

    peak: float
    bandwidth: float

    def floor(self, work):
        """Return the least number of seconds that this work takes."""
        return np.maximum(work.operations / self.peak, work.bytes / self.bandwidth)


def measure(megabytes=64, seconds=4):
    """Measure this machine with a matrix product, and with -x in place."""
    a = np.ones((640, 640), np.float32)
    x = np.ones(int(megabytes * 1e6 / 4), np.float32)
    ways = {"product": lambda: a @ a, "negative": lambda: np.negative(x, out=x)}
    times = best_times(ways, seconds)
    return Machine(2 * len(a) ** 3 / times["product"], 2 * x.nbytes / times["negative"])


def calls(y):
    """List the calls of functions that made y, each once."""
    found, waiting = [], [y.creator]
    while waiting:
        call = waiting.pop()
        if call is not None and call not in found:
            found.append(call)
            waiting += [x.creator for x in call.inputs if isinstance(x, Variable)]
    return found


def work_of(call):
    """Return the least work of one call: read each input once, write the output."""
    inputs = [x.data for x in call.inputs if isinstance(x, Variable)]
    output = call.outputs[0]().data
    if np.may_share_memory(output, inputs[0]):  # a view
        return Work(0, 0)
    arrays = {id(array): array for array in (*inputs, output)}.values()  # two for x * x
    moved = np.sum([array.nbytes for array in arrays])
    match type(call).__name__:
        case "MatMul" | "Linear":
            operations = 2 * output.size * inputs[0].shape[-1]
        case "Conv2d":
            operations = 2 * output.size * inputs[1][0].size
        case _:  # at least one for each number
            operations = np.max([array.size for array in arrays])
    return Work(operations, moved)


def total_work(y):
    """Add up the work of all calls that made y."""
    total = Work(0, 0)
    for call in calls(y):
        total += work_of(call)
    return total


def floor(f, machine):
    """Return the least number of seconds for f(), which returns a Variable, if this
    machine runs its function calls one after the other.
    """
    y = f()  # without this name, the last call's output would be deleted
    return np.sum([machine.floor(work_of(call)) for call in calls(y)])
