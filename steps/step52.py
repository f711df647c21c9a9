"""Step 52: GPU."""

from dezero_lite.cuda import as_cupy, as_numpy, get_array_module

from . import step51
from .step51 import *  # noqa: F403

__all__ = [*step51.__all__, "get_array_module", "as_numpy", "as_cupy"]
