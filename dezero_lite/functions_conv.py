"""The book's name for :mod:`dezero_lite.functions.conv`."""

from .functions.conv import *  # noqa: F403
from .functions.conv import __all__ as __all__
