"""The book's module of convolution and pooling; see :mod:`dezero_lite.functions`.

Steps introduce the names in ``__all__``; the others are for readers of the book.
"""

# ruff: noqa: F403 (each file lists its names)

from .core import Function as Function
from .core import as_variable as as_variable
from .core import broadcast_to as broadcast_to
from .functions import conv, pool, window
from .functions.conv import *
from .functions.conv import Conv2d as Conv2d
from .functions.conv import Conv2DGradW as Conv2DGradW
from .functions.conv import Deconv2d as Deconv2d
from .functions.linear import linear as linear
from .functions.pool import *
from .functions.pool import AveragePooling as AveragePooling
from .functions.pool import Pooling as Pooling
from .functions.pool import Pooling2DGrad as Pooling2DGrad
from .functions.pool import Pooling2DWithIndexes as Pooling2DWithIndexes
from .functions.window import *
from .functions.window import Col2im as Col2im
from .functions.window import Im2col as Im2col
from .functions.window import get_conv_outsize as get_conv_outsize
from .functions.window import get_deconv_outsize as get_deconv_outsize
from .functions.window import pair as pair

__all__ = [*conv.__all__, *pool.__all__, *window.__all__]
