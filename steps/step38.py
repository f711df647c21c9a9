"""Step 38."""

from dezero_lite.functions import expand_dims, flatten, reshape, squeeze, transpose  # noqa: A004

from . import step37
from .step37 import *  # noqa: F403

__all__ = [*step37.__all__, "expand_dims", "flatten", "reshape", "squeeze", "transpose"]
