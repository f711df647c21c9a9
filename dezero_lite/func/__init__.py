"""Function transforms: from a function to its derivatives, or to a function of whole
batches. Steps 89 and 90 explain them.

A transform takes a function of Variables and returns another one, so transforms can be
combined: `hvp` is the forward derivative of a gradient, and ``vmap(grad(f))`` computes
one gradient for each example. No Variable is changed. A transform warns if a derivative
is missing because the backward of a user's function computes with arrays.
"""

from . import batching_rules as batching_rules
from .batching import vmap
from .derivatives import grad, hvp, jacobian, jvp, vjp

__all__ = ["grad", "hvp", "jacobian", "jvp", "vjp", "vmap"]
