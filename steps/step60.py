"""Step 60: lSTM."""

from dezero_lite import SeqDataLoader
from dezero_lite.datasets import Shakespear
from dezero_lite.functions import embed_id
from dezero_lite.layers import GRU, LSTM, EmbedID

from . import step59
from .step59 import *  # noqa: F403

__all__ = [
    *step59.__all__,
    "LSTM",
    "GRU",
    "SeqDataLoader",
    "EmbedID",
    "embed_id",
    "Shakespear",
]


def double(x):
    """Twice `x`; TODO: put the step's own functions here."""
    return 2 * x
