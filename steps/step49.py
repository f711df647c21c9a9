"""Step 49: datasets."""

from dezero_lite import Dataset
from dezero_lite.datasets import Spiral
from dezero_lite.transforms import (
    AsType,
    CenterCrop,
    Compose,
    Convert,
    Flatten,
    Normalize,
    RandomCrop,
    RandomHorizontalFlip,
    Resize,
    ToArray,
    ToFloat,
    ToInt,
    ToPIL,
)

from . import step48
from .step48 import *  # noqa: F403

__all__ = [
    *step48.__all__,
    "Dataset",
    "Spiral",
    "Compose",
    "Convert",
    "Resize",
    "CenterCrop",
    "ToArray",
    "ToPIL",
    "Normalize",
    "Flatten",
    "AsType",
    "ToFloat",
    "ToInt",
    "RandomHorizontalFlip",
    "RandomCrop",
]


def double(x):
    """Twice `x`; TODO: put the step's own functions here."""
    return 2 * x
