"""Names and tools for readers of the book. No step introduces them. The names are where
the book has them, and ``python -m dezero_lite.book step37.py`` runs a script of the
book unchanged.
"""

from importlib import import_module
from importlib.util import find_spec

from .. import core, dataloaders, datasets, functions, utils
from ..core.arrays import ARRAYS
from .cache import load_cache_npz, save_cache_npz
from .drawing import _dot_func, _dot_var
from .names import Pow, setup_variable

# The book keeps these in its functions module; here, each is in the file of its topic.
IN_FUNCTIONS = {
    "core": """
        BroadcastTo Function Log SumTo Variable add as_array as_variable div mul neg pow
        rsub sub
        """,
    "functions.activation": "LeakyReLU LogSoftmax ReLU Sigmoid Softmax",
    "functions.elementwise": "Clip Cos Exp Sin Tanh",
    "functions.indexing": "GetItem GetItemGrad",
    "functions.linear": "Linear MatMul",
    "functions.loss": "MeanSquaredError SoftmaxCrossEntropy",
    "functions.norm": "BatchNorm",
    "functions.reduce": "Max Min Sum",
    "functions.shape": "Reshape Transpose",
}


def _export_names() -> None:
    for file, names in IN_FUNCTIONS.items():
        home = import_module(f"dezero_lite.{file}")
        for name in names.split():
            setattr(functions, name, getattr(home, name))
    vars(core).update(Pow=Pow, setup_variable=setup_variable, array_types=ARRAYS)
    vars(dataloaders).update(pil_available=find_spec("PIL") is not None)
    vars(utils).update(_dot_func=_dot_func, _dot_var=_dot_var)
    vars(datasets).update(load_cache_npz=load_cache_npz, save_cache_npz=save_cache_npz)


_export_names()
