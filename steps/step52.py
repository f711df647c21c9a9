"""Step 52: GPU, and ``far``, a stand-in for CuPy on machines without a GPU.

Behind the scenes, NumPy computes, but far arrays have their own type, and do not
mix with NumPy's. ``sys.modules["far"]`` is the module.
"""

import contextlib
import inspect
import sys
import textwrap
import time
from collections import Counter
from types import FunctionType, ModuleType

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from . import step51
from .framework import core
from .step51 import *  # noqa: F403

__all__ = [*step51.__all__]


class Far(ModuleType):
    """A module like CuPy: ``far.zeros`` is ``np.zeros``, but returns a far array."""

    def __init__(self):
        super().__init__("far")
        self.__file__ = __file__
        self.crossings: Counter[str] = Counter()

    def asarray(self, x):
        if isinstance(x, FarArray):
            return x
        self.crossings["there"] += 1
        return FarArray(np.array(x))

    def asnumpy(self, x):
        self.crossings["back"] += 1
        return x.hidden.copy()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        function = getattr(np, name)
        if isinstance(function, type) or not callable(function):
            return function
        return lambda *args, **kwargs: compute_there(function, args, kwargs)


class FarArray(NDArrayOperatorsMixin):
    """An array in the far memory; results computed from it remain there."""

    __module__ = "far"
    __cuda_array_interface__ = None  # the mark of arrays in a GPU's memory

    def __init__(self, hidden):
        self.hidden = hidden

    def __array__(self, *args, **kwargs):
        raise TypeError(
            "a far array is not converted to a NumPy array automatically: use "
            "far.asnumpy(x)"
        )

    def __array_ufunc__(self, ufunc, method, *args, **kwargs):
        return compute_there(getattr(ufunc, method), args, kwargs)

    def __array_function__(self, function, types, args, kwargs):
        return compute_there(function, args, kwargs)

    def __getattr__(self, name):  # x.shape, x.sum() and the like
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self.hidden, name)
        if callable(found):
            return lambda *args, **kwargs: compute_there(found, args, kwargs)
        return wrapped(found)

    def __getitem__(self, key):
        return wrapped(self.hidden[unwrapped(key)])

    def __len__(self):
        return len(self.hidden)

    def item(self):  # a Python number is in main memory
        sys.modules["far"].crossings["back"] += 1
        return self.hidden.item()

    def __bool__(self):
        return bool(self.item())

    def __float__(self):
        return float(self.item())


def wrapped(x):
    return FarArray(np.asarray(x)) if isinstance(x, (np.ndarray, np.generic)) else x


def unwrapped(x):
    if isinstance(x, np.ndarray):
        raise TypeError("Unsupported type <class 'numpy.ndarray'>")  # CuPy's words
    if isinstance(x, (tuple, list)):
        return type(x)(unwrapped(item) for item in x)
    return x.hidden if isinstance(x, FarArray) else x


def compute_there(function, args, kwargs):
    kwargs = {name: unwrapped(value) for name, value in kwargs.items()}
    return wrapped(function(*unwrapped(args), **kwargs))


sys.modules["far"] = Far()


# --- The price of a crossing ----------------------------------------------------------


def time_products(sizes, cupy, tries=20):
    """Return the best seconds of a product of n × n matrices on the CPU, and on a GPU
    with and without crossings: a dictionary of arrays with a number for each size.
    """
    wait = cupy.cuda.Device().synchronize
    names = "CPU", "GPU, with crossings", "GPU"
    best = {name: np.full(len(sizes), np.inf) for name in names}
    for i, n in enumerate(sizes):
        a = np.random.default_rng(0).normal(size=(n, n)).astype(np.float32)
        there = cupy.asarray(a)
        ways = [
            lambda a=a: a @ a,
            lambda a=a: cupy.asnumpy(cupy.asarray(a) @ cupy.asarray(a)),
            lambda a=there: [a @ a, wait()],
        ]
        for _ in range(tries):
            for name, product in zip(names, ways, strict=True):  # take turns
                start = time.perf_counter()
                product()
                seconds = time.perf_counter() - start
                best[name][i] = np.fmin(best[name][i], seconds)
    return best


# --- A framework that moves -----------------------------------------------------------


def is_array(x):
    """Return whether x is an array, either of NumPy or in a GPU's memory."""
    return isinstance(x, np.ndarray) or hasattr(x, "__cuda_array_interface__")


@contextlib.contextmanager
def changed_core(changes, **names):
    """Replace pieces of core.py in a ``with`` block; the new text may use ``names``.

    Raises
    ------
    ValueError
        If core.py does not contain a piece, or is no longer valid Python.
    """
    for piece in changes:
        if piece not in inspect.getsource(core):
            raise ValueError(f"core.py has no “{piece}”")
    restored = []
    vars(core).update(names)
    try:
        for place, name, text in list(_functions_of_core()):
            new = text
            for piece, other in changes.items():
                new = new.replace(piece, other)
            if new != text:
                made: dict[str, FunctionType] = {}
                try:
                    exec(new, vars(core), made)
                except SyntaxError as error:
                    raise ValueError(
                        f"after the changes, {name} is not valid Python: {error}"
                    ) from None
                restored.append((place, name, vars(place)[name]))
                setattr(place, name, *made.values())
        yield
    finally:
        for place, name, function in restored:
            setattr(place, name, function)
        for name in names:
            delattr(core, name)


def _functions_of_core():
    """Yield (class or module, name, source) for each function in core.py."""
    classes = [c for c in vars(core).values() if isinstance(c, type)]
    for place in (core, *(c for c in classes if c.__module__ == core.__name__)):
        for name, f in vars(place).items():
            own = isinstance(f, FunctionType) and f.__module__ == core.__name__
            if own and f.__name__ == name:
                yield place, name, textwrap.dedent(inspect.getsource(f))
