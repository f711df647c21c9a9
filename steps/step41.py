"""Step 41: matrix product."""

import numpy as np

from dezero_lite.functions import matmul

from . import step40
from .step40 import *  # noqa: F403

__all__ = [*step40.__all__, "matmul"]


def products_of_shape(matrices, shape):
    """The names of all products of two of the ``matrices`` that have a shape."""
    return [
        f"{left} · {right}"
        for left, a in matrices.items()
        for right, b in matrices.items()
        if a.shape[1] == b.shape[0] and (a.shape[0], b.shape[1]) == shape
    ]


def with_transposed(**matrices):
    """The matrices by name, and each transposed, as in "W" and "Wᵀ"."""
    transposed = {f"{name}ᵀ": np.transpose(a) for name, a in matrices.items()}
    return matrices | transposed
