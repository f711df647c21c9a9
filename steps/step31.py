"""Step 31: the gradient is a computation too."""

import numpy as np

from . import step30
from .step27 import Sin, sin
from .step30 import *  # noqa: F403
from .step30 import Div, Exp, Mul, Pow, Square, Variable, exp

__all__ = [*step30.__all__]


# The rules of step 22 and of the sine, with variables instead of arrays. Add, Sub and
# Neg compute with gy alone, so theirs will do.
RULES = {
    Square: lambda f, gy: 2 * f.inputs[0] * gy,
    Exp: lambda f, gy: exp(f.inputs[0]) * gy,
    Sin: lambda f, gy: sin(f.inputs[0] + np.pi / 2) * gy,
    Mul: lambda f, gy: (f.inputs[1] * gy, f.inputs[0] * gy),
    Div: lambda f, gy: (
        gy / f.inputs[1],
        -gy * f.inputs[0] / f.inputs[1] ** 2,
    ),
    Pow: lambda f, gy: f.c * f.inputs[0] ** (f.c - 1) * gy,
}


def latest_first(y):
    """List the functions behind ``y``, later generations first."""
    found, waiting = {}, [y]
    while waiting:
        f = waiting.pop().creator
        if f is not None and id(f) not in found:
            found[id(f)] = f
            waiting += f.inputs
    return sorted(found.values(), key=lambda f: -f.generation)


def backward_as_graph(y, x):
    """Return the slope of ``y`` along ``x`` as a variable with a graph.

    It is None if ``y`` does not depend on ``x``. No ``grad`` is read or written.
    """
    gradients = {id(y): Variable(np.ones_like(y.data))}
    for f in latest_first(y):
        gys = [gradients[id(output())] for output in f.outputs]
        rule = RULES.get(type(f), type(f).backward)
        gxs = rule(f, *gys)
        if not isinstance(gxs, tuple):
            gxs = (gxs,)
        for v, gx in zip(f.inputs, gxs, strict=True):
            before = gradients.get(id(v))
            gradients[id(v)] = gx if before is None else before + gx
    return gradients.get(id(x))
