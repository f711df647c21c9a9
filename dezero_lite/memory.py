"""What a training run may ask of the C library."""

import numpy as np

__all__ = ["keep_memory"]


def keep_memory() -> None:
    """Let the process keep the memory of large arrays for the next ones, on Linux.

    There, the C library gives it back to the system when an array is gone, and to get
    it again, cleared, takes longer than to compute with it. Once an array of 31 MB has
    come and gone, glibc keeps what it has. How much that is has no bound: memory is
    given back from the end only, and one small thing that lives there holds all before
    it.

    Raises
    ------
    MemoryError
        If there is no room for 31 MB.
    """
    np.empty(31 * 2**20, np.uint8)
