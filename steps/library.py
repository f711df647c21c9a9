"""All that dezero_lite has, in one place: `library.LSTM`, `library.Adam`."""

from importlib import import_module
from warnings import warn

# Where two modules have a name, the first one counts: functions.sum_to, not the helper
# for arrays.
MODULES = ["", "functions", "layers", "models", "optimizers"]
MODULES += ["datasets", "dataloaders", "transforms"]
MODULES += ["cuda", "utils", "player", "schedules", "tokenizer"]
MODULES += ["parallel", "parallel.dask", "parallel.mpi", "checkpoint"]
MODULES += ["func", "compiled", "pytorch", "onnx"]


def home(name):
    """The module of dezero_lite that has a public name."""
    for place in MODULES if name[0] != "_" else ():
        module = import_module(f"dezero_lite.{place}".rstrip("."))
        if name in module.__all__:
            return module
    raise AttributeError(f"dezero_lite has no public name {name}")


def __getattr__(name):
    return getattr(home(name), name)


def moved(name):
    """Find a name that steps from 69 on had from dezero_lite, and no longer export:
    learners' copies of the lessons import it from there.
    """
    value = __getattr__(name)
    advice = f"import {name} from {home(name).__name__}, not from a step"
    warn(advice, DeprecationWarning, stacklevel=2)
    return value
