"""A setting of the C library that importing the package changes."""

import numpy as np

__all__ = ["keep_memory"]


def keep_memory() -> None:
    """Let the process keep the memory of freed arrays for new ones, on Linux.

    Importing the package calls this, unless the environment variable
    ``DEZERO_LITE_KEEP_MEMORY`` is 0. By default, glibc returns the memory of a large
    array to the system as soon as the array is freed, and getting it back, page by
    page, takes longer than computing with it. But glibc keeps the memory of arrays
    that are no larger than the largest one freed so far, so one of 31 MB is made here;
    it takes no memory, because nothing is written to it. There is no limit on what is
    kept: memory is returned from the end only, so one small object at the end holds
    everything before it.

    Raises
    ------
    MemoryError
        If there is no room for 31 MB.
    """
    np.empty(31 * 2**20, np.uint8)
