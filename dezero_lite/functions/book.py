"""The functions as classes, and what else the book's ``functions`` offers, for its
reader: no step introduces them.
"""

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
from .activation import LeakyReLU, LogSoftmax, ReLU, Sigmoid, Softmax
from .elementwise import Clip, Cos, Exp, Sin, Tanh
from .linear import Linear, MatMul
from .loss import MeanSquaredError, SoftmaxCrossEntropy
from .norm import BatchNorm
from .parts import GetItem, GetItemGrad
from .reduce import Max, Min, Sum
from .shape import Reshape, Transpose

__all__ = [
    "BatchNorm",
    "BroadcastTo",
    "Clip",
    "Cos",
    "Exp",
    "Function",
    "GetItem",
    "GetItemGrad",
    "LeakyReLU",
    "Linear",
    "Log",
    "LogSoftmax",
    "MatMul",
    "Max",
    "MeanSquaredError",
    "Min",
    "ReLU",
    "Reshape",
    "Sigmoid",
    "Sin",
    "Softmax",
    "SoftmaxCrossEntropy",
    "Sum",
    "SumTo",
    "Tanh",
    "Transpose",
    "Variable",
    "add",
    "as_array",
    "as_variable",
    "div",
    "mul",
    "neg",
    "pow",
    "rsub",
    "sub",
]
