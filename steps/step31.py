"""Step 31: the gradient is a computation too."""

import numpy as np

from dezero_lite import Variable

from . import step30
from .step30 import *  # noqa: F403

__all__ = [*step30.__all__]


def latest_first(y):
    """The functions behind ``y``, those of a later generation first."""
    found, waiting = {}, [y]
    while waiting:
        f = waiting.pop().creator
        if f is not None and id(f) not in found:
            found[id(f)] = f
            waiting += [x for x in f.inputs if isinstance(x, Variable)]
    return sorted(found.values(), key=lambda f: -f.generation)


def backward_as_graph(y, x):
    """The slope of ``y`` along ``x``, a variable that knows how it was computed.

    None if ``y`` does not depend on ``x``. No ``grad`` is read or written.
    """
    gradients = {id(y): Variable(np.ones_like(y.data))}
    for f in latest_first(y):
        gys = [gradients[id(output())] for output in f.outputs]
        gxs = f.backward(*gys)
        if not isinstance(gxs, tuple):
            gxs = (gxs,)
        for v, gx in zip(f.inputs, gxs, strict=True):
            if isinstance(v, Variable):
                before = gradients.get(id(v))
                gradients[id(v)] = gx if before is None else before + gx
    return gradients.get(id(x))
