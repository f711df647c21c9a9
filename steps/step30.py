"""Step 30."""

from . import step29
from .step29 import *  # noqa: F403

__all__ = [*step29.__all__]
