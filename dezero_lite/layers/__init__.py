"""Layers: functions that keep the parameters they learn. Steps 44, 45, 53 and 57–60
explain them.
"""

from ..core import Parameter as Parameter
from ..functions.window import pair as pair
from .conv import Conv2d, Deconv2d
from .layer import Layer
from .linear import EmbedID, Linear
from .norm import BatchNorm, Dropout, LayerNorm
from .recurrent import GRU, LSTM, RNN

# `Parameter` and `pair` stand above for the book's reader alone.
__all__ = [
    "GRU",
    "LSTM",
    "RNN",
    "BatchNorm",
    "Conv2d",
    "Deconv2d",
    "Dropout",
    "EmbedID",
    "Layer",
    "LayerNorm",
    "Linear",
]
