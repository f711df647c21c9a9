"""Step 33."""

from . import step31
from .step31 import *  # noqa: F403

__all__ = [*step31.__all__]
