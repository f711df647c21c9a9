"""Functions of Variables. Each file is a lesson's worth, or a few on one topic; here
all names come together.
"""

# ruff: noqa: F403 (each file lists its names)

from .. import from_pytorch
from . import methods as methods  # which Variable gets
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

# What the files list; the files themselves cannot be called.
__all__ = [name for name, value in globals().items() if callable(value)]

__getattr__ = from_pytorch.missing_names_of(__name__)
