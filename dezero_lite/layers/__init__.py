"""Layers: functions that keep the parameters they learn. Steps 44, 45, 53, 57–60
and 71–76 explain them.
"""

from ..core import Parameter as Parameter
from ..deprecated import old_names_of
from ..functions.window import pair as pair
from .attention import KeyValueCache, MultiHeadAttention, TransformerBlock
from .conv import Conv2d, Deconv2d
from .layer import Layer
from .linear import EmbedID, Linear
from .norm import BatchNorm, Dropout, LayerNorm
from .recurrent import GRU, LSTM, RNN

# `Parameter` and `pair` are imported only for the book's readers.
__all__ = ["Conv2d", "Deconv2d", "EmbedID", "Layer", "Linear"]
__all__ += ["BatchNorm", "Dropout", "LayerNorm"]
__all__ += ["GRU", "LSTM", "RNN"]
__all__ += ["KeyValueCache", "MultiHeadAttention", "TransformerBlock"]

__getattr__ = old_names_of(__name__)
