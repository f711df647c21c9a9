"""Step 36."""

from dezero_lite.functions import abs, cos, exp, log, sin, sqrt, tanh  # noqa: A004

from . import step35
from .step35 import *  # noqa: F403

__all__ = [*step35.__all__, "abs", "cos", "exp", "log", "sin", "sqrt", "tanh"]
