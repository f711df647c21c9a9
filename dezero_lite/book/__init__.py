"""What exists for the book's reader alone: names that no step introduces, put where the
book has them, and a door: ``python -m dezero_lite.book step37.py`` runs a script of the
book as it is.
"""

from typing import Any

from .. import core, datasets, functions
from ..core import (
    BroadcastTo,
    Function,
    Log,
    SumTo,
    Variable,
    add,
    as_array,
    as_variable,
    div,
    mul,
    neg,
    pow,
    rsub,
    sub,
)
from ..functions.activation import LeakyReLU, LogSoftmax, ReLU, Sigmoid, Softmax
from ..functions.elementwise import Clip, Cos, Exp, Sin, Tanh
from ..functions.indexing import GetItem, GetItemGrad
from ..functions.linear import Linear, MatMul
from ..functions.loss import MeanSquaredError, SoftmaxCrossEntropy
from ..functions.norm import BatchNorm
from ..functions.reduce import Max, Min, Sum
from ..functions.shape import Reshape, Transpose
from .cache import load_cache_npz, save_cache_npz
from .names import Pow, setup_variable


def hand_on(module: Any, *values: Any) -> None:
    for value in values:
        setattr(module, value.__name__, value)


# fmt: off
hand_on(core, Pow, setup_variable)
hand_on(datasets, load_cache_npz, save_cache_npz)
hand_on(
    functions,
    Function, Variable, as_array, as_variable, add, div, mul, neg, pow, rsub, sub,
    BatchNorm, BroadcastTo, Clip, Cos, Exp, GetItem, GetItemGrad, LeakyReLU, Linear,
    Log, LogSoftmax, MatMul, Max, MeanSquaredError, Min, ReLU, Reshape, Sigmoid, Sin,
    Softmax, SoftmaxCrossEntropy, Sum, SumTo, Tanh, Transpose,
)
# fmt: on
