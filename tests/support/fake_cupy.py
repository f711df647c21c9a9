"""An array module in place of CuPy: code that works with its arrays works without any
NumPy arrays.

Its arrays behave like CuPy's. NumPy's functions compute on them and return the same
kind; an ndarray among the operands is rejected, and so is every implicit conversion to
one.
"""

import sys

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

# The package finds an array's functions in the top-level module of its type. CuPy is a
# top-level module, so this one must look like one.
sys.modules["fake_cupy"] = sys.modules[__name__]


class ndarray(NDArrayOperatorsMixin):
    __module__ = "fake_cupy"
    __array_priority__ = 100
    __cuda_array_interface__ = None

    def __init__(self, data):
        self._data = np.asarray(data)

    def __array__(self, *args, **kwargs):
        raise TypeError("Implicit conversion to a NumPy array is not allowed")

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if method == "at" and isinstance(inputs[1], tuple):
            return NotImplemented
        return _call(getattr(ufunc, method), inputs, kwargs)

    def __array_function__(self, func, types, args, kwargs):
        return _call(func, args, kwargs)

    def __getitem__(self, key):
        return _wrap(self._data[_unwrap(key)])

    def __setitem__(self, key, value):
        self._data[_unwrap(key)] = _unwrap(value)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        value = getattr(self._data, name)
        if callable(value):
            return lambda *args, **kwargs: _call(value, args, kwargs)
        return _wrap(value)

    def __len__(self):
        return len(self._data)

    def __iter__(self):
        return (_wrap(item) for item in self._data)

    def __bool__(self):
        return bool(self._data)

    def __int__(self):
        return int(self._data)

    def __float__(self):
        return float(self._data)

    def __repr__(self):
        return repr(self._data)

    def any(self, axis=None, keepdims=False):
        if axis is not None and not self._data.ndim:
            raise np.exceptions.AxisError(axis, 0)
        return _wrap(self._data.any(axis, keepdims=keepdims))

    def item(self):
        return self._data.item()

    def tolist(self):
        return self._data.tolist()


def __getattr__(name):
    """Every other function of the module is NumPy's, on this kind of array."""
    value = getattr(np, name)
    if isinstance(value, type) or not callable(value):
        return value
    return _there(value)


def _there(function):
    def call(*args, **kwargs):
        return _call(function, args, kwargs)

    if isinstance(function, np.ufunc):
        call.at = _there(function.at)
    return call


def array(data, dtype=None):
    return ndarray(np.array(_as_ndarray(data), dtype))


def asarray(data, dtype=None):
    as_it_is = isinstance(data, ndarray) and dtype is None
    return data if as_it_is else array(data, dtype)


def asnumpy(data):
    """CuPy's also accepts NumPy's arrays, but then a test could not tell where arrays
    are.
    """
    if not isinstance(data, ndarray):
        raise TypeError(f"{type(data)} does not lie here")
    return data._data.copy()


def _call(function, args, kwargs):
    return _wrap(function(*_unwrap(args), **_unwrap(kwargs)))


def _as_ndarray(x):
    return x._data if isinstance(x, ndarray) else x


def _wrap(x):
    if isinstance(x, (np.ndarray, np.generic)):
        return ndarray(x)
    if type(x) in (tuple, list) and any(isinstance(item, np.ndarray) for item in x):
        return type(x)(_wrap(item) for item in x)
    return x


def _unwrap(x):
    if isinstance(x, np.ndarray):
        raise TypeError("Unsupported type <class 'numpy.ndarray'>")
    if type(x) in (tuple, list):
        return type(x)(_unwrap(item) for item in x)
    if type(x) is dict:
        return {key: _unwrap(item) for key, item in x.items()}
    return _as_ndarray(x)


def _leaving_it_to_the_other(name):
    # As in CuPy: an operand of higher priority is asked first.
    own = getattr(ndarray, name)

    def method(self, other):
        if getattr(other, "__array_priority__", 0) > self.__array_priority__:
            return NotImplemented
        return own(self, other)

    return method


for _sign in "add sub mul truediv pow matmul lt le gt ge eq ne".split():  # noqa: SIM905
    setattr(ndarray, f"__{_sign}__", _leaving_it_to_the_other(f"__{_sign}__"))
