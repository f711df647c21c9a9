"""What happens to an example between the data set and the model. Step 51 explains it.

A transform is anything that can be called with one example and returns another. Those
here for arrays can do more: their method ``batch`` takes a whole batch at once,
examples along the first axis, and does to each what a call would. A data set uses it
where it is there; so a transform of your own needs none, and gains speed if it has one.

Images are Pillow's up to :class:`ToArray`, and arrays of shape (C, H, W) from there on.
"""

# ruff: noqa: F403 (each file lists its names)

from . import arrays, images
from .arrays import *
from .batches import Compose
from .batches import Transform as Transform
from .images import *

__all__ = ["Compose", *arrays.__all__, *images.__all__]
