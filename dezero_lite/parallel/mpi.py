"""All-reduce with MPI. Requires mpi4py (``pip install mpi4py``) and an MPI library.
Step 79 explains when it pays::

    mpiexec -n 4 python train.py
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.types import Array
from .ring import summable

__all__ = ["MPIRing"]


class MPIRing:
    """Replaces a :class:`~dezero_lite.parallel.Ring`: one of the processes that mpiexec
    has started.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm, optional
        Default: all processes.

    Attributes
    ----------
    rank, size : int
        The number of this process, and the number of all processes.

    Raises
    ------
    ImportError
        If mpi4py is not installed.
    """

    def __init__(self, comm: Any | None = None) -> None:
        self.comm = _all_processes() if comm is None else comm
        self.rank, self.size = self.comm.Get_rank(), self.comm.Get_size()

    def __repr__(self) -> str:
        return f"MPIRing({self.rank} of {self.size})"

    def all_reduce(self, array: Array) -> Array:
        """Return the sum of all processes' arrays, which must have the same shape and
        dtype; as in a ring, bool arrays are rejected.
        """
        array = summable(array)
        total = np.empty_like(array)
        self.comm.Allreduce(array, total)
        return total


def _all_processes() -> Any:
    try:
        from mpi4py import MPI
    except ImportError:
        raise ImportError(
            "MPIRing needs mpi4py: pip install mpi4py, and an MPI such as OpenMPI"
        ) from None
    return MPI.COMM_WORLD
