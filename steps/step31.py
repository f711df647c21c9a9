"""Step 31."""

from . import step30
from .step30 import *  # noqa: F403

__all__ = [*step30.__all__]
