"""Functions of Variables. Each file is a lesson's worth, or a few on one topic; here
all names come together.
"""

# ruff: noqa: F403 (each file lists its names)

from . import (
    activation,
    conv,
    elementwise,
    indexing,
    joining,
    loss,
    norm,
    pool,
    reduce,
    shape,
    window,
)
from . import attention as attention_
from . import linear as linear_
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

__all__ = [
    *activation.__all__,
    *attention_.__all__,
    *conv.__all__,
    *elementwise.__all__,
    *indexing.__all__,
    *joining.__all__,
    *linear_.__all__,
    *loss.__all__,
    *norm.__all__,
    *pool.__all__,
    *reduce.__all__,
    *shape.__all__,
    *window.__all__,
]
