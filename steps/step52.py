"""Step 52: GPU."""

from . import step51
from .step51 import *  # noqa: F403

__all__ = [*step51.__all__]
