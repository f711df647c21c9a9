"""Step 80: to the scale of the internet, on paper."""

from . import step79
from .step79 import *  # noqa: F403

__all__ = [*step79.__all__]
