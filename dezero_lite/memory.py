"""What importing the package asks of the C library."""

import numpy as np

__all__ = ["keep_memory"]


def keep_memory() -> None:
    """Let the process keep the memory of freed arrays for new ones, on Linux.

    Importing the package calls this, unless the environment variable
    ``DEZERO_LITE_KEEP_MEMORY`` is 0. By default, glibc returns the memory of a large
    array to the system as soon as the array is freed, and getting it back, page by
    page, takes longer than computing with it. glibc adapts to the largest array that
    it has freed, so one of 31 MB, which is never written to, makes it keep the rest.
    There is no limit on what is kept: memory is returned from the end only, so one
    small object at the end holds everything before it.

    Raises
    ------
    MemoryError
        If there is no room for 31 MB.
    """
    np.empty(31 * 2**20, np.uint8)
