"""Step 35: the jungle of tanh."""

import numpy as np

from dezero_lite import Function, Variable
from dezero_lite.functions import exp, tanh

from . import step34
from .step26 import graph_of
from .step34 import *  # noqa: F403
from .step34 import derivatives

__all__ = [*step34.__all__, "exp", "tanh"]


class Tanh(Function):
    """y = tanh x; its slope comes from y"""

    def forward(self, x):
        return np.tanh(x)

    def backward(self, gy):
        y = self.outputs[0]()
        return (1 - y * y) * gy


def graph_sizes(f, value, order):
    """Nodes in the graph of f(x), and in that of each derivative up to ``order``."""
    x = Variable(np.array(float(value)))
    return [len(graph_of(y)[0]) for y in derivatives(f, x, order)]
