"""What happens to an example between the data set and the model. Step 51 explains it.

A transform is anything that can be called with one example and returns another. Those
here for arrays can do more: their method ``batch`` takes a whole batch at once,
examples along the first axis, and does to each what a call would. A data set uses it
where it is there; so a transform of your own needs none, and gains speed if it has one.

Images are Pillow's up to :class:`ToArray`, and arrays of shape (C, H, W) from there on.
"""

from .arrays import (
    AsType,
    Flatten,
    Normalize,
    RandomCrop,
    RandomHorizontalFlip,
    ToFloat,
    ToInt,
)
from .batches import Compose
from .batches import Transform as Transform
from .images import CenterCrop, Convert, Resize, ToArray, ToPIL

__all__ = [
    "AsType",
    "CenterCrop",
    "Compose",
    "Convert",
    "Flatten",
    "Normalize",
    "RandomCrop",
    "RandomHorizontalFlip",
    "Resize",
    "ToArray",
    "ToFloat",
    "ToInt",
    "ToPIL",
]
