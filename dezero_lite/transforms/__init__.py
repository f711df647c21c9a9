"""Transforms, applied to examples between the data set and the model. Step 51 explains
them.

A transform is any callable that takes one example and returns another. The array
transforms here can do more: their method ``batch`` transforms a whole batch at once,
with examples along the first axis, as calls would one by one. A data set uses this
method if it exists; so a transform of your own works without one, but is faster with
one.

Images are Pillow images up to :class:`ToArray`, and arrays of shape (C, H, W) from
there on.
"""

# ruff: noqa: F403 (each file lists its names)

from . import arrays, images
from .arrays import *
from .batches import Compose
from .batches import Transform as Transform
from .images import *

__all__ = ["Compose", *arrays.__all__, *images.__all__]
