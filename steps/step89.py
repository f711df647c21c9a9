"""Step 89: forward mode."""

import numpy as np

from dezero_lite.func import grad, hvp, jacobian, jvp, vjp

from .library import moved as __getattr__  # noqa: F401

__all__ = ["Dual", "as_dual", "derivative", "grad", "hvp", "jacobian", "jvp"]
__all__ += ["sharpest", "vjp"]


class Dual:
    """A number, and its tangent, which says how fast the number changes."""

    def __init__(self, value, tangent):
        self.value, self.tangent = value, tangent

    def __add__(self, other):
        other = as_dual(other)
        return Dual(self.value + other.value, self.tangent + other.tangent)

    def __mul__(self, other):
        other = as_dual(other)
        tangent = self.tangent * other.value + self.value * other.tangent
        return Dual(self.value * other.value, tangent)

    __radd__, __rmul__ = __add__, __mul__


def as_dual(x):
    """Return a number as a Dual that does not change, and a Dual as it is."""
    return x if isinstance(x, Dual) else Dual(x, 0.0)


def derivative(f):
    """Return the derivative of a function of one number."""

    def slope(x):
        return as_dual(f(Dual(x, 1.0))).tangent

    return slope


def sharpest(f, x, rounds=30):
    """Compute the curvature of `f` at `x` that is largest in absolute value.

    For a convex loss, it is the largest. This takes only products with the Hessian.
    """
    v = np.random.default_rng(0).normal(size=x.shape)
    for _ in range(rounds):
        v = v / np.sqrt(np.sum(v**2))
        product = hvp(f, x, v).data
        curvature, v = np.sum(v * product), product
    return curvature
