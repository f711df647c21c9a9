"""Step 38: change the shape."""

import numpy as np

from . import step37
from .framework.functions import (
    Reshape,
    Transpose,
    expand_dims,
    flatten,
    reshape,
    squeeze,
    transpose,
)
from .step37 import *  # noqa: F403
from .step37 import Variable

__all__ = [
    *step37.__all__,
    "Reshape",
    "Transpose",
    "expand_dims",
    "flatten",
    "reshape",
    "squeeze",
    "transpose",
]

Variable.reshape = lambda x, *shape: reshape(x, unpacked(shape))
Variable.transpose = lambda x, *axes: transpose(x, unpacked(axes) or None)
Variable.T = property(transpose)


def unpacked(numbers):
    """Return the same numbers for x.reshape(2, 3) and x.reshape((2, 3))."""
    return numbers[0] if len(numbers) == 1 else numbers


def shapes_both_ways(y):
    """Return a row for each function of a chain: its name, the shapes before and after
    it, and the shapes of the gradients that go into it and come out of it.
    """
    y.backward(retain_grad=True)
    rows = []
    while y.creator is not None:
        f = y.creator
        x = next(x for x in f.inputs if isinstance(x, Variable))
        rows.append((type(f).__name__, x.shape, y.shape, y.grad.shape, x.grad.shape))
        y = x
    return rows[::-1]


def draw_array(ax, array, title="", shades=None, cmap="Blues"):
    """Draw a vector or a matrix as squares with its numbers in them."""
    table = np.atleast_2d(array)
    shades = table if shades is None else np.atleast_2d(shades)
    ax.imshow(shades, cmap=cmap, vmin=0, vmax=1.8 * shades.max(initial=0))
    for (i, j), number in np.ndenumerate(table):
        ax.text(j, i, f"{number:g}", ha="center", va="center")
    ax.set(title=title, xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    ax.grid(False)
