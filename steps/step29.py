"""Step 29."""

from . import step28
from .step28 import *  # noqa: F403

__all__ = [*step28.__all__]
