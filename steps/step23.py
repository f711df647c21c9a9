"""Step 23: from file to package."""

from . import step22
from .step22 import *  # noqa: F403

__all__ = [*step22.__all__]
