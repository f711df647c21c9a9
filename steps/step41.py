"""Step 41: matrix product."""

import numpy as np

from . import step40
from .framework.functions import MatMul, matmul, swap_last_axes
from .step40 import *  # noqa: F403
from .step40 import Variable

__all__ = [*step40.__all__, "MatMul", "matmul", "swap_last_axes"]

Variable.matmul = matmul
Variable.dot = matmul
Variable.__matmul__ = matmul
Variable.__rmatmul__ = lambda W, x: matmul(x, W)


def products_of_shape(matrices, shape):
    """Name all products of two of the ``matrices`` that have this shape."""
    return [
        f"{left} · {right}"
        for left, a in matrices.items()
        for right, b in matrices.items()
        if a.shape[1] == b.shape[0] and (a.shape[0], b.shape[1]) == shape
    ]


def with_transposed(**matrices):
    """Return the matrices by name, and each transposed, as in "W" and "Wᵀ"."""
    transposed = {f"{name}ᵀ": np.transpose(a) for name, a in matrices.items()}
    return matrices | transposed
