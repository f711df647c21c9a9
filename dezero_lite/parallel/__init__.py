"""Training on more than one processor or machine. Steps 77–80 explain it.

A batch is cut into shards, and every worker computes the gradient of its shard. Their
mean, weighted by the numbers of examples, is the gradient of the whole batch.
:class:`Ring` sums over processes of one machine with only the standard library,
:mod:`.mpi` replaces it on a cluster, and :mod:`.dask` trains on the workers of Dask.
"""

from .gradients import average_gradients, mean_gradients, own_gradients, set_gradients
from .ring import Ring, run_ring
from .shards import shards

__all__ = ["average_gradients", "mean_gradients", "own_gradients", "set_gradients"]
__all__ += ["Ring", "run_ring", "shards"]
