"""Step 35."""

from . import step34
from .step34 import *  # noqa: F403

__all__ = [*step34.__all__]
