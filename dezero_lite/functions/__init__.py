"""Functions of Variables. Each file holds what one lesson adds, or a few functions on
one topic; this module collects all names.
"""

# ruff: noqa: F403 (each file lists its names)

from ..deprecated import old_names_of
from . import methods as methods  # attaches functions to Variable
from .activation import *
from .attention import *
from .conv import *
from .elementwise import *
from .indexing import *
from .joining import *
from .linear import *
from .loss import *
from .norm import *
from .pool import *
from .reduce import *
from .shape import *
from .window import *

# The functions that the modules export; the modules themselves are not callable.
__all__ = [name for name, value in globals().items() if callable(value)]
__all__.remove("old_names_of")

__getattr__ = old_names_of(__name__)
