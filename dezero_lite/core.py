"""The whole idea on a few screens: numbers that remember where they came from.

A :class:`Variable` holds an array. A :class:`Function` makes new Variables from old
ones and remembers which, so that the result knows the way back;
:meth:`Variable.backward` walks it and leaves a gradient at every leaf. Steps 1–22 grow
this file from nothing, steps 32–36 make gradients differentiable, step 40 explains
`sum_to` and `broadcast_to`.

A built-in function states its derivative once, as a `vjp` made of operators. Arrays
understand these operators and so do Variables: on arrays the rule is plain arithmetic,
and fast; on Variables it records a graph of its own, and the gradient can be
differentiated again.
"""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from typing import Any, Union

import numpy as np
from numpy import ndarray
from numpy.typing import DTypeLike, NDArray

Operand = Union["Variable", NDArray[Any], float]

# What data can be. NumPy's scalars are what it computes from arrays without dimensions;
# a GPU's array type joins when the first one comes along.
ARRAYS: Any = (ndarray, np.generic)
NUMBERS = (float, int)
SCALARS = {np.float64, np.float32, np.float16, np.longdouble}

# NumPy 1 makes float64 of a float32 without dimensions and a Python number; NumPy 2
# keeps float32, and so do we.
NUMPY_1 = np.lib.NumpyVersion(np.__version__) < "2.0.0"


# --- settings -------------------------------------------------------------------------


class _Settings(threading.local):
    # Each thread starts with these values and changes none but its own.
    enable_backprop: bool = True
    train: bool = True


#: The settings of the running thread: `enable_backprop` (is the graph recorded?) and
#: `train` (training, or testing?). Source: book steps 18 and 54.
Config = _Settings()


@contextlib.contextmanager
def using_config(name: str, value: bool) -> Iterator[None]:
    """Change the setting `name` for the length of a ``with`` block, in this thread
    alone. Source: book step 18.

    Raises
    ------
    AttributeError
        If there is no setting of this name.
    """
    if name not in ("enable_backprop", "train"):
        raise AttributeError(
            f"there is no setting {name!r}: the settings are 'enable_backprop' and "
            "'train'"
        )
    old = getattr(Config, name)
    setattr(Config, name, value)
    try:
        yield
    finally:
        setattr(Config, name, old)


def no_grad() -> contextlib.AbstractContextManager[None]:
    """Record no graph in this ``with`` block: results take less memory and have no way
    back. Source: book step 18.
    """
    return using_config("enable_backprop", False)


def test_mode() -> contextlib.AbstractContextManager[None]:
    """Let dropout and batch normalisation behave as in use, not as in training. Source:
    book step 54.
    """
    return using_config("train", False)


# By its name alone, pytest would take it for a test.
test_mode.__test__ = False  # type: ignore[attr-defined]


# --- variables ------------------------------------------------------------------------


class Variable:
    """An array, its gradient, and the function that made it. Source: book steps 1–22.

    Parameters
    ----------
    data : ndarray or None
        Of any shape and dtype; floating-point data alone can receive a gradient.
        ``None`` leaves the Variable empty, for a parameter whose shape is not known
        yet.
    name : str, optional
        For pictures and error messages.

    Attributes
    ----------
    grad : Variable or None
        The gradient, of the shape and dtype of `data`. :meth:`backward` adds to it;
        :meth:`cleargrad` empties it.
    creator : Function or None
        The function that made this Variable; ``None`` for a leaf, which the user made.
    generation : int
        The number of functions between the leaves and this Variable, counted along the
        longest way.

    Raises
    ------
    TypeError
        If `data` is a number, a list or anything else that is no array.

    Notes
    -----
    ``==``, ``<`` and the like compare data and return arrays; in a set or a dict, a
    Variable equals only itself.
    """

    __slots__ = (
        "__weakref__",
        "_data",
        "_index",
        "_why_a_leaf",
        "creator",
        "generation",
        "grad",
        "name",
    )
    _data: Any

    # Attached by the files that define what they do: functions/shape, reduce and
    # linear, and cuda.
    T: Variable
    reshape: Callable[..., Variable]
    transpose: Callable[..., Variable]
    sum: Callable[..., Variable]
    mean: Callable[..., Variable]
    max: Callable[..., Variable]
    min: Callable[..., Variable]
    matmul: Callable[..., Variable]
    dot: Callable[..., Variable]
    __matmul__: Callable[..., Variable]
    __rmatmul__: Callable[..., Variable]
    __getitem__: Callable[..., Variable]
    to_cpu: Callable[..., None]
    to_gpu: Callable[..., None]

    # With these, an array on the left of an operator leaves the work to the Variable on
    # the right.
    __array_priority__ = 200
    __array_ufunc__ = None

    def __init__(self, data: NDArray[Any] | None, name: str | None = None) -> None:
        self.data = data
        self.grad: Variable | None = None
        self.creator: Function | None = None
        self.generation = 0
        self.name = name
        self._index = 0

    # NumPy computes several times faster on its scalars than on arrays without
    # dimensions. So functions pass scalars on to each other, and one turns into an
    # array when somebody looks.
    @property
    def data(self) -> Any:
        """The array: an ndarray, also where it has no dimensions, or ``None``."""
        if isinstance(self._data, np.generic):
            self._data = np.array(self._data)
        return self._data

    @data.setter
    def data(self, data: NDArray[Any] | None) -> None:
        if data is not None and not _is_array(data):
            raise TypeError(
                f"a Variable holds an array, not a {type(data).__name__}: use "
                "np.array(...)"
            )
        self._data = data

    @property
    def shape(self) -> tuple[int, ...]:
        return self._data.shape  # type: ignore[no-any-return]

    @property
    def ndim(self) -> int:
        return self._data.ndim  # type: ignore[no-any-return]

    @property
    def size(self) -> int:
        return self._data.size  # type: ignore[no-any-return]

    @property
    def dtype(self) -> np.dtype[Any]:
        return self._data.dtype  # type: ignore[no-any-return]

    def __len__(self) -> int:
        return len(self.data)

    def __repr__(self) -> str:
        text = str(self.data).replace("\n", "\n" + " " * len("variable("))
        return f"variable({text})"

    def __array__(self, *_: Any, **__: Any) -> NDArray[Any]:
        raise TypeError(
            "NumPy's functions take arrays, not Variables: use x.data, or one of "
            "dezero_lite.functions"
        )

    def __bool__(self) -> bool:
        return bool(self.data)

    def __float__(self) -> float:
        return float(self.data)

    def __int__(self) -> int:
        return int(self.data)

    def item(self) -> Any:
        """The only element, as a Python number."""
        return self._data.item()

    def detach(self) -> Variable:
        """The same data in a Variable without a past."""
        return _leaf(self._data, "was detached from its graph")

    def astype(self, dtype: DTypeLike) -> Variable:
        """A copy of another dtype, which gradients pass; whole numbers have no slope,
        so there they do not.
        """
        y = AsType(dtype)(self)
        return y if y.dtype.kind == self.dtype.kind == "f" else y.detach()

    def set_creator(self, func: Function) -> None:
        """Note that `func` made this Variable. Source: book steps 7 and 16."""
        self.creator = func
        self.generation = func.generation + 1

    def unchain(self) -> None:
        """Forget the function that made this Variable. Source: book step 59."""
        self.creator = None
        self._why_a_leaf = "was unchained from its graph"

    def unchain_backward(self) -> None:
        """Unchain all that this Variable was computed from. Source: book step 59."""
        functions = [self.creator] if self.creator else []
        while functions:
            for x in functions.pop().inputs:
                if isinstance(x, Variable) and x.creator:
                    functions.append(x.creator)
                    x.unchain()

    def cleargrad(self) -> None:
        """Forget the gradient, so that the next backward adds to nothing. Source: book
        step 14.
        """
        self.grad = None

    def backward(self, retain_grad: bool = False, create_graph: bool = False) -> None:
        """Add to every leaf's `grad` the gradient of this Variable. Source: book steps
        7, 14–18 and 32.

        Parameters
        ----------
        retain_grad : bool, optional
            Keep the gradients of the Variables on the way, too, this one's included.
        create_graph : bool, optional
            Record how gradients are computed, so that they can be differentiated. A
            Variable and such a gradient refer to each other; :meth:`cleargrad` lets
            both go without the garbage collector.

        Raises
        ------
        RuntimeError
            If no function made this Variable, or none that was recorded.
        TypeError
            If a gradient would go to integer data.
        ValueError
            If a function's backward returns too few gradients, or too many, or one of a
            wrong shape.

        Notes
        -----
        Where `grad` was set beforehand, the walk begins with it; else with ones. If it
        fails, no gradient has changed. Assign no other `data` to a Variable between
        forward and backward: it depends on `create_graph` which are used.
        """
        if self.creator is None:
            raise RuntimeError(_no_way_back(self))
        seed = (
            _variable(_ones(self._data))
            if self.grad is None
            else as_variable(self.grad)
        )
        seed = _admit(self, seed, "the gradient to begin with")
        enabled = Config.enable_backprop
        Config.enable_backprop = create_graph
        try:
            found = backpropagate(
                self,
                seed if create_graph else _fast(seed._data),
                retain_grad,
                create_graph,
            )
            sums = {
                x: _with_earlier(x, gx if create_graph else _variable(gx), x is self)
                for x, gx in found.items()
            }
        finally:
            Config.enable_backprop = enabled
        self.grad = None
        for x, gx in sums.items():
            x.grad = gx

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> Any:
        return self.data == _plain(other)

    def __ne__(self, other: object) -> Any:
        return self.data != _plain(other)

    def __lt__(self, other: Operand) -> Any:
        return self.data < _plain(other)

    def __le__(self, other: Operand) -> Any:
        return self.data <= _plain(other)

    def __gt__(self, other: Operand) -> Any:
        return self.data > _plain(other)

    def __ge__(self, other: Operand) -> Any:
        return self.data >= _plain(other)

    def __neg__(self) -> Variable:
        return Neg()(self)

    def __add__(self, other: Operand) -> Variable:
        return Add()(self, other)

    def __radd__(self, other: Operand) -> Variable:
        return Add()(other, self)

    def __sub__(self, other: Operand) -> Variable:
        return Sub()(self, other)

    def __rsub__(self, other: Operand) -> Variable:
        return Sub()(other, self)

    def __mul__(self, other: Operand) -> Variable:
        return Mul()(self, other)

    def __rmul__(self, other: Operand) -> Variable:
        return Mul()(other, self)

    def __truediv__(self, other: Operand) -> Variable:
        return Div()(self, other)

    def __rtruediv__(self, other: Operand) -> Variable:
        return Div()(other, self)

    def __pow__(self, other: Operand) -> Variable:
        return Pow()(self, other)

    def __rpow__(self, other: Operand) -> Variable:
        return Pow()(other, self)


class Parameter(Variable):
    """A Variable that a layer learns. Source: book step 44."""

    __slots__ = ()


class _Constant(Variable):
    # A plain array or number, dressed up for a backward that expects Variables only. It
    # receives no gradient.
    __slots__ = ()


def as_array(x: Any) -> Any:
    """A number as an array without dimensions; anything else as it is. Source: book
    step 9.
    """
    return np.array(x) if isinstance(x, (*NUMBERS, np.generic)) else x


def as_variable(obj: Operand) -> Variable:
    """An array or a number as a Variable; a Variable as it is. Source: book step 21."""
    return obj if isinstance(obj, Variable) else Variable(as_array(obj))


def _variable(
    data: Any, creator: Function | None = None, generation: int = 0, index: int = 0
) -> Variable:
    # Variable(data) for what a function has computed, its output number `index`.
    y = Variable.__new__(Variable)
    y._data = data if isinstance(data, ARRAYS) else _as_data(data)
    y.grad = None
    y.creator = creator
    y.generation = generation
    y.name = None
    y._index = index
    return y


def _as_data(data: Any) -> Any:
    # Functions may compute Python's numbers; anything else is an error.
    return Variable(as_array(data)).data


def _leaf(data: Any, why: str) -> Variable:
    y = _variable(data)
    y._why_a_leaf = why
    return y


def _is_array(x: Any) -> bool:
    global ARRAYS
    if not isinstance(x, ARRAYS) and hasattr(x, "__cuda_array_interface__"):
        ARRAYS += (type(x),)
    return isinstance(x, ARRAYS)


def _ones(data: Any) -> Any:
    return type(data)(1) if isinstance(data, np.generic) else np.ones_like(data)


def _leaves(ys: Any, why: str) -> Any:
    return (
        tuple([_leaf(y, why) for y in ys]) if isinstance(ys, tuple) else _leaf(ys, why)
    )


def _with_earlier(x: Variable, gx: Variable, is_start: bool) -> Variable:
    # The gradient that the walk began with is used up.
    if x.grad is None or is_start:
        return gx
    earlier: Variable = _admit(x, as_variable(x.grad), "the earlier gradient")
    return earlier + gx


def _plain(x: Any) -> Any:
    return x._data if isinstance(x, Variable) else x


def _fast(data: Any) -> Any:
    return data[()] if type(data) is ndarray and data.ndim == 0 else data


# --- functions ------------------------------------------------------------------------


class Function:
    """A computation on arrays that knows its derivative. Source: book steps 2, 11–18
    and 32.

    Derive from it, write ``forward(self, *xs)``, which takes and returns arrays, and
    one of these two:

    - ``backward(self, *gys)``, the book's way: the gradients of the outputs are
      Variables, so are ``self.inputs``, and so are the gradients to return, one per
      input;
    - ``vjp(self, xs, *gys)``, the fast way: inputs and gradients come all as arrays or
      all as Variables, except that plain arrays and numbers stay what they are. It uses
      what both understand: operators, methods that both have, and :meth:`on`. It
      returns one gradient per input, ``None`` for none.

    None of them writes into what it is given, and a rule returns no array that the
    function keeps. In a function with a `vjp`, an array without dimensions may come to
    `forward` and `vjp` as a NumPy scalar.

    Attributes
    ----------
    inputs : tuple
        What the function was called with. Plain arrays and numbers are no part of the
        graph and receive no gradient.
    outputs : tuple of weakref.ref
        The Variables that it made, held weakly: a graph that nobody needs is gone at
        once (book step 17).
    generation : int
        The highest generation among its inputs (book step 16).
    """

    __slots__ = ("__weakref__", "_forms", "_xs", "generation", "inputs", "outputs")

    inputs: tuple[Any, ...]
    outputs: tuple[weakref.ref[Variable], ...]
    generation: int
    _forms: tuple[tuple[tuple[int, ...], np.dtype[Any]], ...]
    _xs: list[Any]
    # Whether forward broadcasts its inputs, so that backward has to sum the gradients
    # that rule returns.
    broadcasts = False
    _has_vjp = False

    def __init_subclass__(cls) -> None:
        cls._has_vjp = cls.backward is Function.backward

    def __call__(self, *inputs: Operand) -> Variable:
        """Compute, and remember from what: one Variable, or a tuple of them where
        forward returns a tuple.

        Raises
        ------
        TypeError
            If an input is neither a Variable nor an array nor a number.
        ValueError
            If the inputs do not go together.
        """
        if not self._has_vjp:
            inputs = _all_variables(inputs)
        xs: list[Any] = []
        generation = -1
        for x in inputs:
            if isinstance(x, Variable):
                data = x._data
                xs.append(
                    data[()] if type(data) is ndarray and data.ndim == 0 else data
                )
                if x.generation > generation:
                    generation = x.generation
            elif isinstance(x, NUMBERS) or _is_array(x):
                xs.append(x)
            else:
                raise TypeError(_not_a_number(self, x))
        if not self._has_vjp:
            # Who writes functions the book's way expects arrays in forward, also where
            # they have no dimensions.
            xs = [x.data for x in inputs]  # type: ignore[union-attr]
        elif NUMPY_1:
            xs = _fitted(xs)
        try:
            ys = self.forward(*xs)
        except (AttributeError, TypeError, ValueError):
            self._explain(inputs)
            raise

        if generation < 0 or not Config.enable_backprop:
            why = (
                "was computed from plain arrays only"
                if generation < 0
                else "was computed under no_grad"
            )
            return _leaves(ys, why)  # type: ignore[no-any-return]
        self.inputs = inputs
        self._xs = xs
        self.generation = generation
        if type(ys) is not tuple:
            output = _variable(ys, self, generation + 1)
            self.outputs = (weakref.ref(output),)
            return output
        outputs = tuple(
            [_variable(y, self, generation + 1, i) for i, y in enumerate(ys)]
        )
        self.outputs = tuple([weakref.ref(y) for y in outputs])
        self._forms = tuple([(y.shape, y.dtype) for y in outputs])
        # Annotated as one Variable, because that is what almost every function returns.
        return outputs  # type: ignore[return-value]

    def forward(self, *xs: Any, **_: Any) -> Any:
        """Compute the output array, or a tuple of them, from the input arrays."""
        raise NotImplementedError(
            f"{type(self).__name__} needs a forward(self, x, ...)"
        )

    def backward(self, *gys: Any, **_: Any) -> Any:
        """Compute the gradients of the inputs from those of the outputs: Variables."""
        return self.vjp(self.inputs, *gys)

    def vjp(self, xs: Sequence[Any], *gys: Any, **_: Any) -> Any:
        """Compute the gradients of the inputs `xs` from those of the outputs, on arrays
        or on Variables.
        """
        raise NotImplementedError(
            f"{type(self).__name__} needs a backward(self, gy, ...)"
        )

    def on(self, *inputs: Any) -> Any:
        """Apply this function inside a rule: to arrays without a graph, to Variables
        with one.
        """
        return (
            self(*inputs)
            if any([isinstance(x, Variable) for x in inputs])
            else self.forward(*inputs)
        )

    def needs_input_grad(self, i: int) -> bool:
        """Whether input `i` takes part in the graph, so that its gradient is worth
        computing.
        """
        return isinstance(self.inputs[i], Variable)

    def output(self, i: int, like: Any) -> Any:
        """Output `i`, for a rule that can use it: a Variable where `like` is one, else
        an array.

        Raises
        ------
        RuntimeError
            If nobody has kept that output.
        """
        y = self.outputs[i]()
        if y is None:
            raise RuntimeError(
                f"{type(self).__name__} needs its output {i} in backward, but that "
                "was dropped: keep all its outputs in variables until backward has "
                "run"
            )
        return y if isinstance(like, Variable) else y._data

    def _explain(self, inputs: Sequence[Any]) -> None:
        # Why forward failed, where its inputs tell.
        for i, x in enumerate(inputs):
            if isinstance(x, Variable) and x._data is None:
                raise ValueError(
                    f"input {i} of {type(self).__name__}, {_describe(x)}, holds no "
                    "data yet"
                ) from None


def _all_variables(inputs: Sequence[Any]) -> tuple[Operand, ...]:
    return tuple(
        [x if isinstance(x, Variable) else _Constant(x) for x in _fitted(inputs)]
    )


def _fitted(inputs: Sequence[Any]) -> list[Any]:
    # A number takes the dtype that it would have in an operation with the arrays, so
    # that it widens nothing.
    dtypes = [
        x.dtype
        for x in inputs
        if isinstance(x, (ARRAYS, Variable)) and _plain(x) is not None
    ]
    return [
        np.array(x, np.result_type(x, *dtypes))[()] if _is_number(x) else x
        for x in inputs
    ]


def _is_number(x: Any) -> bool:
    # np.float64 is a float to Python, and has a dtype of its own.
    return isinstance(x, NUMBERS) and not isinstance(x, np.generic)


# --- backward -------------------------------------------------------------------------


def backpropagate(
    y: Variable, gy: Any, retain_grad: bool = False, create_graph: bool = False
) -> dict[Variable, Any]:
    """Walk from `y` back to the leaves and return their gradients; no Variable is
    changed.

    The walk begins with the gradient `gy` and yields gradients like it: Variables with
    `create_graph`, else arrays, none of which shares memory with another. A function's
    turn comes when the gradients of its outputs are complete, so later generations go
    first (book step 16); a heap finds the next one in log n.
    """
    assert y.creator is not None
    arrived: dict[Variable, Any] = {}
    # The functions whose turn will come, each with the gradients of its outputs so far.
    waiting: dict[Function, list[Any]] = {y.creator: [None] * len(y.creator.outputs)}
    waiting[y.creator][y._index] = gy
    heap = [(-y.creator.generation, 0, y.creator)]
    serial = 0
    while heap:
        f = heappop(heap)[2]
        gys = waiting.pop(f)
        if retain_grad:
            arrived.update(_retained(f, gys))
        if len(gys) > 1:
            gys = _zeros_for_missing(f, gys)
        inputs = f.inputs
        if not f._has_vjp:
            gxs = _by_variables(f, gys, create_graph)
        elif create_graph:
            gxs = f.vjp(inputs, *gys)
        else:
            gxs = f.vjp(f._xs, *gys)
        if type(gxs) is not tuple:
            gxs = tuple(gxs) if isinstance(gxs, list) else (gxs,)
        if len(gxs) != len(inputs):
            raise ValueError(_wrong_count(f, gxs))

        owners: dict[int, int] | None = None
        for x, gx in zip(inputs, gxs):  # noqa: B905 (counted above; to have zip count takes backward a fifth longer)
            if gx is None or not isinstance(x, Variable) or type(x) is _Constant:
                continue
            if create_graph and not isinstance(gx, Variable):
                gx = as_variable(gx)
            # Two scalars of one type fit each other; anything else has to be looked at.
            kind = type(gx._data if create_graph else gx)
            if kind is not type(x._data) or kind not in SCALARS:
                gx = _admit(x, gx, f)
            creator = x.creator
            if creator is None:
                if x in arrived:
                    # By now an array of our own, which may grow in place.
                    arrived[x] += gx
                elif kind in SCALARS and not create_graph:
                    arrived[x] = gx
                else:
                    owners = (
                        _owners([*gys, *inputs, *gxs]) if owners is None else owners
                    )
                    arrived[x] = _own(gx, owners, f)
                continue
            so_far = waiting.get(creator)
            if so_far is None:
                waiting[creator] = so_far = [None] * len(creator.outputs)
                serial += 1
                heappush(heap, (-creator.generation, serial, creator))
            k = x._index
            so_far[k] = gx if so_far[k] is None else so_far[k] + gx
    return arrived


def _by_variables(f: Function, gys: list[Any], create_graph: bool) -> tuple[Any, ...]:
    gxs = f.backward(*(gys if create_graph else [_variable(gy) for gy in gys]))
    gxs = [
        gx if gx is None else as_variable(gx)
        for gx in (gxs if isinstance(gxs, (tuple, list)) else [gxs])
    ]
    return tuple(gxs if create_graph else [_plain(gx) for gx in gxs])


def _retained(f: Function, gys: list[Any]) -> dict[Variable, Any]:
    outputs = [ref() for ref in f.outputs]
    return {
        y: _copy(gy)
        for y, gy in zip(outputs, gys, strict=True)
        if y is not None and gy is not None
    }


def _zeros_for_missing(f: Function, gys: list[Any]) -> list[Any]:
    # An output that nothing was made of, or that was dropped, has no influence on the
    # result.
    known = next(gy for gy in gys if gy is not None)
    zeros = [
        np.zeros_like(_plain(known), dtype, shape=shape) for shape, dtype in f._forms
    ]
    wrapped = [
        _variable(zero) if isinstance(known, Variable) else zero for zero in zeros
    ]
    return [zero if gy is None else gy for gy, zero in zip(gys, wrapped, strict=True)]


def _admit(x: Variable, gx: Any, source: Function | str) -> Any:
    # A gradient has the shape and the dtype of its Variable.
    data = x._data
    if gx.shape != data.shape:
        if isinstance(source, str) or not source.broadcasts:
            raise ValueError(_wrong_shape(x, gx, source))
        gx = SumTo(data.shape).on(gx)
    if data.dtype.kind != "f":
        raise TypeError(
            f"{_describe(x)} cannot receive a gradient, since its data are no "
            "floating-point numbers: make them so, as in np.array(..., dtype=float), "
            "or use the plain array in place of the Variable"
        )
    return gx if gx.dtype == data.dtype else gx.astype(data.dtype)


def _owners(values: list[Any]) -> dict[int, int]:
    # How many of the values have their memory from the same array, by the id of that
    # array.
    counts: dict[int, int] = {}
    for value in values:
        owner = _owner(_plain(value))
        counts[id(owner)] = counts.get(id(owner), 0) + 1
    return counts


def _owner(array: Any) -> Any:
    base = getattr(array, "base", None)
    return array if base is None else base


def _own(gx: Any, owners: dict[int, int], f: Function) -> Any:
    # Functions may return what they were given, or a view, or one thing twice; a leaf's
    # gradient is nobody else's.
    array = _plain(gx)
    return (
        gx
        if f._has_vjp and array.base is None and owners.get(id(array), 1) == 1
        else _copy(gx)
    )


def _copy(gx: Any) -> Any:
    return gx.astype(gx.dtype) if isinstance(gx, Variable) else gx.copy()


# --- errors ---------------------------------------------------------------------------


def _describe(x: Any) -> str:
    named = isinstance(x, Variable) and x.name
    kind = (
        f"Variable {x.name!r}"
        if named
        else "an array"
        if isinstance(x, ndarray)
        else f"a {type(x).__name__}"
    )
    data = _plain(x)
    return (
        f"{kind} of shape {data.shape} and dtype {data.dtype}"
        if isinstance(data, ARRAYS)
        else kind
    )


def _not_a_number(f: Function, x: Any) -> str:
    name = type(x).__name__
    return (
        f"{type(f).__name__} takes Variables, arrays and numbers, but was given a "
        f"{name}: use np.array(...)"
    )


def _no_way_back(y: Variable) -> str:
    why = getattr(y, "_why_a_leaf", "")
    if why:
        return (
            f"backward has no way to go: {_describe(y)} {why}, so that no function is "
            "recorded as its creator"
        )
    return (
        f"backward begins at a result, but no function made {_describe(y)}: compute "
        "something from it first"
    )


def _wrong_count(f: Function, gxs: Sequence[Any]) -> str:
    name = type(f).__name__
    return (
        f"{name}.backward returned {len(gxs)} gradients, but {name} has "
        f"{len(f.inputs)} inputs: return one for each"
    )


def _wrong_shape(x: Variable, gx: Any, source: Function | str) -> str:
    name = (
        source
        if isinstance(source, str)
        else f"a gradient that {type(source).__name__}.backward returned"
    )
    hint = (
        ""
        if isinstance(source, str)
        else " (where forward broadcasts, sum_to(gx, x.shape) in backward undoes it)"
    )
    return (
        f"{name} has shape {gx.shape}, but belongs to {_describe(x)}: a gradient has "
        f"the shape of its Variable{hint}"
    )


# --- shapes ---------------------------------------------------------------------------


def sum_to(x: Operand, shape: tuple[int, ...]) -> Variable:
    """Sum `x` down to `shape`, the reverse of a broadcast; `x` itself if it has that
    shape. Source: book steps 39–40.

    Raises
    ------
    ValueError
        If `shape` does not broadcast to the shape of `x`.
    """
    x = as_variable(x)
    return x if x.shape == shape else SumTo(shape)(x)


def broadcast_to(x: Operand, shape: tuple[int, ...]) -> Variable:
    """Repeat `x` until it has `shape`; `x` itself if it has that shape. Source: book
    step 40.

    The data are a read-only view, as ``np.broadcast_to`` makes it.

    Raises
    ------
    ValueError
        If `x` does not broadcast to `shape`.
    """
    x = as_variable(x)
    return x if x.shape == shape else BroadcastTo(shape)(x)


class _ToShape(Function):
    __slots__ = ("shape",)

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape


class SumTo(_ToShape):
    __slots__ = ()

    def forward(self, x: Any) -> Any:
        lead = x.ndim - len(self.shape)
        if lead < 0 or any(
            [to not in (1, n) for n, to in zip(x.shape[lead:], self.shape, strict=True)]
        ):
            raise ValueError(
                f"cannot sum shape {x.shape} to shape {self.shape}: that does not "
                "broadcast back to it"
            )
        repeated = tuple([lead + i for i, to in enumerate(self.shape) if to == 1])
        y = x.sum(axis=repeated, keepdims=True) if repeated else x
        return y.sum(axis=tuple(range(lead))) if lead else y

    def vjp(self, xs: Sequence[Any], gy: Any) -> Any:
        return BroadcastTo(xs[0].shape).on(gy)


class BroadcastTo(_ToShape):
    __slots__ = ()

    def forward(self, x: Any) -> Any:
        return np.broadcast_to(x, self.shape)

    def vjp(self, xs: Sequence[Any], gy: Any) -> Any:
        return SumTo(xs[0].shape).on(gy)


# --- operators ------------------------------------------------------------------------


class AsType(Function):
    __slots__ = ("dtype",)

    def __init__(self, dtype: DTypeLike) -> None:
        self.dtype = dtype

    def forward(self, x: Any) -> Any:
        return x.astype(self.dtype)

    def vjp(self, xs: Sequence[Any], gy: Any) -> Any:
        return gy.astype(xs[0].dtype)


class Log(Function):
    __slots__ = ()

    def forward(self, x: Any) -> Any:
        return np.log(x)

    def vjp(self, xs: Sequence[Any], gy: Any) -> Any:
        return gy / xs[0]


class Neg(Function):
    __slots__ = ()

    def forward(self, x: Any) -> Any:
        return -x

    def vjp(self, xs: Sequence[Any], gy: Any) -> Any:
        return -gy


class _Operator(Function):
    # Two operands, which broadcast; `left` and `right` are the gradients of the one and
    # the other before the sum.
    __slots__ = ()
    sign = ""
    broadcasts = True

    def left(self, gy: Any, a: Any, b: Any) -> Any:
        raise NotImplementedError

    def right(self, gy: Any, a: Any, b: Any) -> Any:
        raise NotImplementedError

    def vjp(self, xs: Sequence[Any], gy: Any) -> Any:
        a, b = xs
        x, y = self.inputs
        ga = self.left(gy, a, b) if isinstance(x, Variable) else None
        gb = self.right(gy, a, b) if isinstance(y, Variable) else None
        return ga, gb

    def _explain(self, inputs: Sequence[Any]) -> None:
        super()._explain(inputs)
        try:
            np.broadcast_shapes(*[np.shape(_plain(x)) for x in inputs])
        except ValueError:
            a, b = [_describe(x) for x in inputs]
            raise ValueError(
                f"the shapes of a {self.sign} b do not broadcast: a is {a}, b is {b}. "
                "Counted from the last axis, two lengths must be equal, or one of "
                "them 1"
            ) from None


class Add(_Operator):
    __slots__ = ()
    sign = "+"

    def forward(self, a: Any, b: Any) -> Any:
        return a + b

    def left(self, gy: Any, a: Any, b: Any) -> Any:
        return gy

    def right(self, gy: Any, a: Any, b: Any) -> Any:
        return gy


class Sub(_Operator):
    __slots__ = ()
    sign = "-"

    def forward(self, a: Any, b: Any) -> Any:
        return a - b

    def left(self, gy: Any, a: Any, b: Any) -> Any:
        return gy

    def right(self, gy: Any, a: Any, b: Any) -> Any:
        return -gy


class Mul(_Operator):
    __slots__ = ()
    sign = "*"

    def forward(self, a: Any, b: Any) -> Any:
        return a * b

    def left(self, gy: Any, a: Any, b: Any) -> Any:
        return gy * b

    def right(self, gy: Any, a: Any, b: Any) -> Any:
        return gy * a


class Div(_Operator):
    __slots__ = ()
    sign = "/"

    def forward(self, a: Any, b: Any) -> Any:
        return a / b

    def left(self, gy: Any, a: Any, b: Any) -> Any:
        return gy / b

    def right(self, gy: Any, a: Any, b: Any) -> Any:
        return -gy * (a / b) / b


class Pow(_Operator):
    __slots__ = ()
    sign = "**"

    def forward(self, a: Any, b: Any) -> Any:
        return a**b

    def left(self, gy: Any, a: Any, b: Any) -> Any:
        # a⁰ is flat, but at a = 0 the usual b · a**(b - 1) says 0 · ∞; there the
        # exponent stays at 0.
        flat = (b == 0) & (a == 0) if self.needs_input_grad(1) else b == 0
        return gy * b * a ** (b - 1 + flat)

    def right(self, gy: Any, a: Any, b: Any) -> Any:
        # a**b · log(a) tends to 0 as a does.
        return gy * a**b * Log().on(a + (a == 0))
