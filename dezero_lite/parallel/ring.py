"""A ring of processes that sum arrays, over pipes of the standard library. Step 78
explains it.

Each worker sends to its right neighbour and receives from its left one. The array is
cut into as many parts as there are workers. In the first round, each part travels once
around the ring, and every worker adds its own part; in the second round, the sums
travel around. So a worker sends 2 (n − 1) / n times the size of the array, where n is
the number of workers.
"""

from __future__ import annotations

import itertools
import time
import traceback
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.types import Array
from .importable import check_importable
from .shards import shards

if TYPE_CHECKING:  # multiprocessing is imported late: most users start no process
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

# Seconds that a process gets to end by itself.
GRACE = 1.0


class Ring:
    """One worker's place in a ring.

    Attributes
    ----------
    rank : int
        The worker's number, from 0 on.
    size : int
        The number of workers.
    sent : int
        The number of bytes of array data sent so far.
    """

    def __init__(
        self, rank: int, size: int, left: Connection | None, right: Connection | None
    ) -> None:
        self.rank, self.size = rank, size
        self.sent = 0
        self._left, self._right = left, right

    def __repr__(self) -> str:
        return f"Ring({self.rank} of {self.size})"

    def all_reduce(self, array: Array) -> Array:
        """Return the sum of all workers' arrays, which must have the same shape and
        dtype. Every worker gets the same bits.

        Raises
        ------
        TypeError
            For a bool array, whose sum could mean a count or a logical or.
        """
        total = summable(array)
        flat = total.reshape(-1)
        parts = [flat[part] for part in shards(flat.size, self.size)]
        for step in range(self.size - 1):
            out, into = self._turn(step)
            parts[into] += self.exchange(parts[out])
        for step in range(self.size - 1):
            out, into = self._turn(step - 1)
            parts[into][...] = self.exchange(parts[out])
        return total

    def _turn(self, step: int) -> tuple[int, int]:
        # The parts to send and to receive: a part received in one step is sent in the
        # next.
        return (self.rank - step) % self.size, (self.rank - step - 1) % self.size

    def exchange(self, array: Array) -> Array:
        """Send an array to the right, and receive one from the left.

        A pipe has a small buffer. If all workers sent first, all would wait for a
        receiver; so every second worker receives first.
        """
        if self.rank % 2:
            received = self.receive()
            self.send(array)
            return received
        self.send(array)
        return self.receive()

    def send(self, array: Array) -> None:
        """Send an array to the right."""
        assert self._right is not None
        self._right.send_bytes(np.ascontiguousarray(array).tobytes())
        self._right.send(array.dtype.str)
        self.sent += array.nbytes

    def receive(self) -> Array:
        """Receive the next array from the left."""
        assert self._left is not None
        content = self._left.recv_bytes()
        return np.frombuffer(content, self._left.recv())


def summable(array: Array) -> Array:
    """Copy an array into contiguous memory, or raise a TypeError for bools."""
    if np.asarray(array).dtype == bool:
        raise TypeError(
            "a sum of bools over workers is not defined: all_reduce(a.astype(int)) "
            "counts the workers that have True"
        )
    return np.array(array, order="C")


def run_ring(
    work: Callable[..., Any], size: int, *arguments: Any, timeout: float = 60.0
) -> list[Any]:
    """Call ``work(ring, *arguments)`` in new processes that form a ring.

    Parameters
    ----------
    work : callable
        A function that the processes can import, so not one that is defined in a
        notebook. A program must call `run_ring` under ``if __name__ == "__main__":``,
        because the processes also import the program.
    size : int
        The number of processes.
    *arguments
        Passed to every process.
    timeout : float, optional
        In seconds; processes that are still running then are stopped.

    Returns
    -------
    list
        The results of the processes, in the order of their ranks.

    Raises
    ------
    ValueError
        If other processes cannot import `work`, or `size` is less than 1.
    RuntimeError
        If a process failed; its traceback is in the message.
    TimeoutError
        If they take too long, for example because every worker waits for another.
    """
    import multiprocessing as mp

    check_importable(work)
    if size < 1:
        raise ValueError(f"a ring needs at least one worker, not {size}")
    context = mp.get_context("spawn")
    links = [context.Pipe(duplex=False) for _ in range(size)]
    results = [context.Pipe(duplex=False) for _ in range(size)]
    places = [(i, size, links[i - 1][0], links[i][1]) for i in range(size)]
    processes = [
        context.Process(
            target=_worker, args=(work, place, result, arguments), daemon=True
        )
        for place, (_, result) in zip(places, results, strict=True)
    ]
    try:
        for process in processes:
            process.start()
        # The children have their own ends; we close ours so that a pipe ends with its
        # worker.
        for end in [*itertools.chain(*links), *(writer for _, writer in results)]:
            end.close()
        return _collect([reader for reader, _ in results], processes, timeout)
    finally:
        started = [process for process in processes if process.pid is not None]
        for process in started:
            process.terminate()
        for process in started:
            process.join(GRACE)
            process.kill()  # in case it ignored terminate
            process.join()


def _worker(
    work: Callable[..., Any], place: Any, result: Connection, arguments: Any
) -> None:
    try:
        result.send((True, work(Ring(*place), *arguments)))
    except Exception:
        result.send((False, traceback.format_exc()))


def _collect(
    readers: list[Connection], processes: Sequence[BaseProcess], timeout: float
) -> list[Any]:
    from multiprocessing.connection import wait

    results: dict[int, Any] = {}
    end = time.monotonic() + timeout
    while waiting := [rank for rank in range(len(readers)) if rank not in results]:
        ready = wait([readers[rank] for rank in waiting], end - time.monotonic())
        if not ready:
            raise TimeoutError(
                f"after {timeout:g} seconds, workers {waiting} of {len(readers)} are "
                "still at work: does each of them wait for another?"
            )
        for rank in waiting:
            if readers[rank] in ready:
                results[rank] = _result(rank, readers[rank], processes[rank])
    return [results[rank] for rank in range(len(readers))]


def _result(rank: int, reader: Connection, process: BaseProcess) -> Any:
    try:
        fine, value = reader.recv()
    except EOFError:
        process.join(GRACE)
        raise RuntimeError(
            f"worker {rank} has died (exit code {process.exitcode}). If it never "
            'began: call run_ring under `if __name__ == "__main__":`, because each '
            "worker also imports the program"
        ) from None
    if not fine:
        raise RuntimeError(f"worker {rank} failed:\n{value}")
    return value
