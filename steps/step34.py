"""Step 34."""

from . import step33
from .step33 import *  # noqa: F403

__all__ = [*step33.__all__]
