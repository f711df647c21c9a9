"""Measures how much memory a piece of work takes."""

import contextlib
import tracemalloc


@contextlib.contextmanager
def at_most(size):
    """Fail if the work in this ``with`` block takes more than `size` bytes at once."""
    tracemalloc.start()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= size, f"{peak} bytes"
