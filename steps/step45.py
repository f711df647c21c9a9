"""Step 45: models hold layers."""

from dezero_lite import Model
from dezero_lite.models import MLP, Sequential

from . import step44
from .step44 import *  # noqa: F403

__all__ = [*step44.__all__, "Model", "Sequential", "MLP"]
