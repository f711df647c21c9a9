"""Layers: functions that keep the parameters they learn. Steps 44, 45, 53 and 57–60
explain them.

A layer is an object with parameters and other layers in its attributes, or in lists,
tuples and dicts there. What it does with all of them, such as clearing gradients or
saving, is a walk over its attributes in the order of definition.
"""

from __future__ import annotations

import math
import reprlib
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from . import functions as F
from .core import Function, Operand, Parameter, Variable, _describe
from .cuda import as_numpy, get_array_module
from .files import StrPath, check_fit, load_arrays, save_arrays
from .functions.linear import linear
from .functions.parts import Concat
from .functions.window import Pair, pair
from .random import generator

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

# A shape, with None where the first input will tell, and a dtype.
Form = tuple[tuple[int | None, ...], DTypeLike]


class LazyParameter(Parameter):
    """A parameter whose data come with the first input or from a file; so far only its
    form is known.
    """

    __slots__ = ("form",)

    def __init__(self, name: str, form: Form) -> None:
        super().__init__(None, name)
        self.form = form


class Statistic(Variable):
    """What a layer counts but does not learn: saved and moved with its parameters,
    unknown to optimizers.
    """

    __slots__ = ("form",)

    def __init__(self, name: str, form: Form) -> None:
        super().__init__(None, name)
        self.form = form


# --- the base -------------------------------------------------------------------------


class _LastCall:
    # An attribute of Layer that gives what the last call left behind. It is no
    # property, so that an attribute that the user names the same simply takes its
    # place.
    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, layer: Layer | None, _: type[Layer]) -> Any:
        if layer is None:
            return self
        try:
            return vars(layer)[f"_last_{self.name}"]
        except KeyError:
            raise AttributeError(
                f"{type(layer).__name__} has no {self.name} before its first call"
            ) from None


class Layer:
    """Parameters, and a function of Variables that uses them. Source: book step 44.

    Derive from it, give it parameters and layers as attributes, and write
    ``forward(self, x)``.

    Attributes
    ----------
    inputs, outputs : list of weakref.ref
        What the last call was given and what it returned; unless a layer has attributes
        of its own with these names.

    Examples
    --------
    >>> class Net(Layer):
    ...     def __init__(self):
    ...         self.l1 = Linear(10)
    ...         self.l2 = Linear(1)
    ...
    ...     def forward(self, x):
    ...         return self.l2(F.sigmoid(self.l1(x)))
    >>> net = Net()
    >>> net(np.ones((5, 3), dtype=np.float32)).shape
    (5, 1)
    >>> [name for name, _ in net.named_params()]
    ['l1/W', 'l1/b', 'l2/W', 'l2/b']
    >>> net
    Net(
      l1: Linear(out_size=10, in_size=3)
      l2: Linear(out_size=1, in_size=10)
    )
    """

    inputs: Any = _LastCall("inputs")
    outputs: Any = _LastCall("outputs")
    #: Names of the attributes that the repr shows.
    _shown: tuple[str, ...] = ()

    def __call__(self, *inputs: Any) -> Any:
        """Call forward.

        Raises
        ------
        TypeError
            If forward returns nothing.
        """
        outputs = self.forward(*inputs)
        if outputs is None:
            raise TypeError(
                f"{type(self).__name__}.forward returned None: it must end in a return"
            )
        if not isinstance(outputs, tuple):
            outputs = (outputs,)
        self._last_inputs = [_weakly(x) for x in inputs]
        self._last_outputs = [_weakly(y) for y in outputs]
        return outputs if len(outputs) > 1 else outputs[0]

    def forward(self, *xs: Any, **_: Any) -> Any:
        """Compute the output."""
        raise NotImplementedError(
            f"{type(self).__name__} needs a forward(self, x), which computes its output"
        )

    def __getstate__(self) -> dict[str, Any]:
        # What goes into a copy or a pickle: not the last call, and of a state of the
        # sequence so far only its data.
        return {
            name: value.detach()
            if isinstance(value, Variable) and value.creator is not None
            else value
            for name, value in vars(self).items()
            if name not in ("_last_inputs", "_last_outputs")
        }

    def params(self) -> Iterator[Parameter]:
        """All parameters in the order of definition, each of them once."""
        return (param for _, param in self.named_params())

    def named_params(self) -> Iterator[tuple[str, Parameter]]:
        """All parameters with their names in files, such as ``'l1/W'``."""
        for name, variable in _walk(self, "", {id(self)}):
            if isinstance(variable, Parameter):
                yield name, variable

    @property
    def _params(self) -> list[str]:
        # The names that the book's step 44 prints.
        return [
            name
            for name, value in vars(self).items()
            if isinstance(value, (Parameter, Layer))
        ]

    def cleargrads(self) -> None:
        """Clear the gradients of all parameters."""
        for param in self.params():
            param.cleargrad()

    def to_cpu(self) -> None:
        """Move all data to main memory. Source: book step 52."""
        for _, variable in _walk(self, "", {id(self)}):
            variable.to_cpu()

    def to_gpu(self) -> None:
        """Move all data to the GPU. Source: book step 52."""
        for _, variable in _walk(self, "", {id(self)}):
            variable.to_gpu()

    def save_weights(self, path: StrPath) -> None:
        """Save all parameters as an ``.npz`` file. Source: book step 53.

        The file is written beside its place and then moved there, so that it is never
        half there.

        Parameters
        ----------
        path : str or os.PathLike
            ``.npz`` is added if it does not end so.

        Raises
        ------
        FileNotFoundError
            If the folder is not there.
        ValueError
            If a parameter holds no data yet, or no real numbers.
        """
        variables = self._named()
        empty = [name for name, variable in variables.items() if variable.data is None]
        if empty:
            raise ValueError(
                f"{type(self).__name__} cannot be saved, since {', '.join(empty)} "
                "hold no data yet: call it once on an input, so that its layers "
                "learn their sizes, or give each its input size when it is made"
            )
        odd = [
            f"{name} ({v.dtype})"
            for name, v in variables.items()
            if v.dtype.kind not in "fiu"
        ]
        if odd:
            raise ValueError(
                f"{type(self).__name__} cannot be saved, since load_weights takes "
                f"real numbers only: {', '.join(odd)} hold others"
            )
        save_arrays(
            path, {name: as_numpy(variable) for name, variable in variables.items()}
        )

    def load_weights(self, path: StrPath) -> None:
        """Load what :meth:`save_weights` saved; sizes that no input has told yet come
        from the file.

        Data of another precision are converted to that of the layer.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        ValueError
            If the file is damaged, or of another architecture, or holds pickles;
            nothing has changed then.
        """
        self._take(load_arrays(path), path)

    def _take(self, arrays: Mapping[str, Any], path: StrPath) -> None:
        variables = self._named()
        forms = {name: _form(variable) for name, variable in variables.items()}
        check_fit(
            path,
            type(self).__name__,
            arrays,
            {name: shape for name, (shape, _) in forms.items()},
        )
        data = {
            name: get_array_module(variable).asarray(
                arrays[name].astype(forms[name][1] or arrays[name].dtype, copy=False)
            )
            for name, variable in variables.items()
        }
        for name, variable in variables.items():
            variable.data = data[name]

    def _named(self) -> dict[str, Variable]:
        variables: dict[str, Variable] = {}
        for name, variable in _walk(self, "", {id(self)}):
            if name in variables:
                raise ValueError(
                    f"two parameters of {type(self).__name__} go by the name {name!r} "
                    "in files: rename one"
                )
            variables[name] = variable
        return variables

    @reprlib.recursive_repr()
    def __repr__(self) -> str:
        values = [(name, getattr(self, name)) for name in self._shown]
        settings = ", ".join(
            [
                f"{name}={value!r}"
                for name, value in values
                if value not in (None, False)
            ]
        )
        layers = [
            (name, repr(member))
            for name, member in _members(self)
            if isinstance(member, Layer)
        ]
        lines = "".join([f"\n{name}: {text}" for name, text in layers]).replace(
            "\n", "\n  "
        )
        return f"{type(self).__name__}({settings}{lines and lines + chr(10)})"


def _members(holder: Any, path: str = "") -> list[tuple[str, Any]]:
    # The parameters and layers of a layer, with their names, those in lists, tuples and
    # dicts included.
    items = vars(holder) if isinstance(holder, Layer) else holder
    members = []
    for key, value in items.items() if isinstance(items, dict) else enumerate(items):
        if isinstance(value, (Parameter, Statistic, Layer)):
            members.append((f"{path}{key}", value))
        elif isinstance(value, (list, tuple, dict)) and value:
            members += _members(value, f"{path}{key}/")
    return members


def _walk(layer: Layer, prefix: str, seen: set[int]) -> list[tuple[str, Any]]:
    # All parameters and statistics, each once, by the first name that leads to it.
    found = []
    for name, member in _members(layer, prefix):
        if id(member) in seen:
            continue
        seen.add(id(member))
        if isinstance(member, Layer):
            found += _walk(member, f"{name}/", seen)
        else:
            found.append((name, member))
    return found


def _form(variable: Variable) -> tuple[tuple[int | None, ...] | None, DTypeLike | None]:
    if variable.data is not None:
        return variable.shape, variable.dtype
    if isinstance(variable, (LazyParameter, Statistic)):
        return variable.form
    return None, None


def _weakly(x: Any) -> Callable[[], Any]:
    try:
        return weakref.ref(x)
    except TypeError:  # numbers and lists cannot be referred to so
        return lambda: None


class _Lazy(Layer):
    # A layer that learns sizes from its first input. Where that fails, it has learned
    # nothing.
    def _learn(self, x: Operand) -> None:
        raise NotImplementedError

    def _first(
        self, forward: Callable[[Any, Operand], Variable], x: Operand
    ) -> Variable:
        variables = [
            v
            for v in vars(self).values()
            if isinstance(v, (LazyParameter, Statistic)) and v.data is None
        ]
        self._learn(x)
        try:
            return forward(self, x)
        except Exception:
            for variable in variables:
                variable.data = None
            raise


def _check_count(layer: Layer, name: str, count: object) -> None:
    if not isinstance(count, (int, np.integer)) or count < 0:
        raise ValueError(
            f"{name} of {type(layer).__name__} must be a whole number and not "
            f"negative, but is {count!r}"
        )


def _random_weights(
    shape: tuple[int, ...], fan_in: int, dtype: DTypeLike, xp: ModuleType
) -> Any:
    # Of such a size that sums over fan_in products have about the size of one input.
    drawn = np.float64 if dtype == np.float64 else np.float32
    weights = generator().standard_normal(shape, dtype=drawn)
    weights *= 1 / math.sqrt(max(fan_in, 1))
    return xp.asarray(weights.astype(dtype, copy=False))


def _length(layer: Layer, x: Any, axis: int) -> int:
    try:
        return int(x.shape[axis])
    except (AttributeError, IndexError):
        where = "the last axis" if axis == -1 else f"axis {axis}"
        raise ValueError(
            f"{type(layer).__name__} learns a size from {where} of its first input, "
            f"but {_describe(x)} has none"
        ) from None


# --- linear and convolution -----------------------------------------------------------


class Linear(_Lazy):
    """A matrix product and a bias: ``x @ W + b``. Source: book step 44.

    Parameters
    ----------
    out_size : int
        How many numbers come out for each input.
    nobias : bool, optional
        Leave `b` away.
    dtype : dtype, optional
        Of `W` and `b`.
    in_size : int, optional
        How many numbers go in. Default: as many as the first input has.

    Attributes
    ----------
    W : Parameter, shape (in_size, out_size)
    b : Parameter, shape (out_size,), or None
    """

    _shown = ("out_size", "nobias", "in_size")

    def __init__(
        self,
        out_size: int,
        nobias: bool = False,
        dtype: DTypeLike = np.float32,
        in_size: int | None = None,
    ) -> None:
        _check_count(self, "out_size", out_size)
        self.out_size = out_size
        self.nobias = nobias
        self.dtype = dtype
        self.W = LazyParameter("W", ((None, out_size), dtype))
        if in_size is not None:
            self._init_W(in_size)
        self.b = None if nobias else Parameter(np.zeros(out_size, dtype), "b")

    @property
    def in_size(self) -> int | None:
        """The length of an input, or ``None`` as long as nobody has told."""
        return None if self.W.data is None else self.W.shape[0]

    def _init_W(self, in_size: int, xp: ModuleType = np) -> None:
        _check_count(self, "in_size", in_size)
        self.W.data = _random_weights((in_size, self.out_size), in_size, self.dtype, xp)

    def _learn(self, x: Operand) -> None:
        self._init_W(_length(self, x, -1), get_array_module(x))

    def forward(self, x: Operand) -> Variable:
        """Shapes (N, in_size) to (N, out_size)."""
        if self.W.data is None:
            return self._first(Linear.forward, x)
        return linear(x, self.W, self.b)


class Conv2d(_Lazy):
    """Kernels that slide over images, and a bias. Source: book step 57.

    Parameters
    ----------
    out_channels : int
        How many kernels there are.
    kernel_size : int or (int, int)
        Their height and width.
    stride, pad : int or (int, int), optional
        How far a kernel moves on, and how wide a border of zeros is put around the
        image.
    nobias : bool, optional
        Leave `b` away.
    dtype : dtype, optional
        Of `W` and `b`.
    in_channels : int, optional
        How many channels go in. Default: as many as the first input has.
    dilation : int or (int, int), optional
        The distance between the pixels that a kernel looks at.
    groups : int, optional
        The channels fall into so many groups that have nothing to do with each other.

    Attributes
    ----------
    W : Parameter, shape (out_channels, in_channels / groups, KH, KW)
    b : Parameter, shape (out_channels,), or None
    """

    _shown = ("out_channels", "kernel_size", "stride", "pad", "nobias", "in_channels")

    def __init__(
        self,
        out_channels: int,
        kernel_size: Pair,
        stride: Pair = 1,
        pad: Pair = 0,
        nobias: bool = False,
        dtype: DTypeLike = np.float32,
        in_channels: int | None = None,
        *,
        dilation: Pair = 1,
        groups: int = 1,
    ) -> None:
        _check_count(self, "out_channels", out_channels)
        _check_count(self, "groups", groups)
        if out_channels < 1 or groups < 1 or out_channels % groups:
            raise ValueError(
                f"{out_channels} output channels do not divide into {groups} groups"
            )
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.pad = pad
        self.nobias = nobias
        self.dtype = dtype
        self.dilation = dilation
        self.groups = groups
        self.W = LazyParameter("W", (self._shape(None), dtype))
        if in_channels is not None:
            self._init_W(in_channels)
        self.b = None if nobias else Parameter(np.zeros(out_channels, dtype), "b")

    @property
    def in_channels(self) -> int | None:
        """The number of input channels, or ``None`` as long as nobody has told."""
        return None if self.W.data is None else self.W.shape[1] * self.groups

    def _shape(self, in_channels: int | None) -> tuple[int | None, ...]:
        per_group = None if in_channels is None else in_channels // self.groups
        return (self.out_channels, per_group, *pair(self.kernel_size))

    def _init_W(self, in_channels: int, xp: ModuleType = np) -> None:
        _check_count(self, "in_channels", in_channels)
        if in_channels < 1 or in_channels % self.groups:
            raise ValueError(
                f"{in_channels} input channels do not divide into {self.groups} groups"
            )
        kh, kw = pair(self.kernel_size)
        shape: Any = self._shape(in_channels)
        self.W.data = _random_weights(
            shape, in_channels // self.groups * kh * kw, self.dtype, xp
        )

    def _learn(self, x: Operand) -> None:
        self._init_W(_length(self, x, 1), get_array_module(x))

    def forward(self, x: Operand) -> Variable:
        """Shapes (N, C, H, W) to (N, out_channels, OH, OW)."""
        if self.W.data is None:
            return self._first(Conv2d.forward, x)
        return F.conv2d(
            x, self.W, self.b, self.stride, self.pad, self.dilation, self.groups
        )


class Deconv2d(Conv2d):
    """The way back through a :class:`Conv2d`, which makes small images large. Source:
    book step 57.

    Parameters are those of :class:`Conv2d`; here, `out_channels` is the number of
    channels of the large image.

    Attributes
    ----------
    W : Parameter, shape (in_channels, out_channels / groups, KH, KW)
    b : Parameter, shape (out_channels,), or None
    """

    @property
    def in_channels(self) -> int | None:
        """The number of input channels, or ``None`` as long as nobody has told."""
        return None if self.W.data is None else self.W.shape[0]

    def _shape(self, in_channels: int | None) -> tuple[int | None, ...]:
        return (in_channels, self.out_channels // self.groups, *pair(self.kernel_size))

    def forward(self, x: Operand) -> Variable:
        """Shapes (N, C, H, W) to (N, out_channels, OH, OW)."""
        if self.W.data is None:
            return self._first(Deconv2d.forward, x)
        return F.deconv2d(
            x,
            self.W,
            self.b,
            self.stride,
            self.pad,
            dilation=self.dilation,
            groups=self.groups,
        )


# --- recurrence -----------------------------------------------------------------------


class _Recurrent(Layer):
    # What has a state `h`, which one call leaves for the next.
    h: Variable | None

    def reset_state(self) -> None:
        """Forget the state: the next input begins a new sequence."""
        self.h = None

    def set_state(self, h: Operand) -> None:
        """Go on from the state `h`, of shape (N, hidden_size)."""
        self.h = _state(h)

    def _check_batch(self, x: Any) -> None:
        if getattr(x, "ndim", None) != 2:
            raise ValueError(
                f"{type(self).__name__} takes one step of a batch of sequences, of "
                f"shape (N, in_size), at a time, but was given {_describe(x)}"
            )
        if self.h is not None and len(self.h) != len(x):
            raise ValueError(
                f"{type(self).__name__} holds the state of {len(self.h)} sequences, "
                f"but the input has {len(x)}: reset_state() begins new ones"
            )


def _state(h: Operand) -> Variable:
    return h if isinstance(h, Variable) else Variable(h)  # type: ignore[arg-type]


class RNN(_Recurrent):
    """The simplest recurrent layer: ``h = tanh(x @ W_x + b + h @ W_h)``. Source: book
    step 59.

    Parameters
    ----------
    hidden_size : int
        The length of the state, which is the output, too.
    in_size : int, optional
        How many numbers go in. Default: as many as the first input has.

    Attributes
    ----------
    x2h, h2h : Linear
    h : Variable or None
        The state, of shape (N, hidden_size).
    """

    def __init__(
        self,
        hidden_size: int,
        in_size: int | None = None,
        *,
        dtype: DTypeLike = np.float32,
    ) -> None:
        self.x2h = Linear(hidden_size, dtype=dtype, in_size=in_size)
        self.h2h = Linear(hidden_size, nobias=True, dtype=dtype, in_size=hidden_size)
        self.reset_state()

    def forward(self, x: Operand) -> Variable:
        """One step: shapes (N, in_size) to (N, hidden_size)."""
        self._check_batch(x)
        z = self.x2h(x)
        self.h = F.tanh(z if self.h is None else z + self.h2h(self.h))
        return self.h


class GRU(_Recurrent):
    """A recurrent layer that decides what to overwrite: two gates, one state.

    Parameters
    ----------
    hidden_size : int
        The length of the state, which is the output, too.
    in_size : int, optional
        How many numbers go in. Default: as many as the first input has.

    Notes
    -----
    The gates r (how much of the old state to look at) and z (how much of it to keep)
    come from one product::

        r, z = sigmoid(x @ W_x + b + h @ W_h)
        h = z * h + (1 - z) * tanh(x @ V_x + c + (r * h) @ V_h)

    Source: K. Cho et al., "Learning phrase representations using RNN encoder–decoder
    for statistical machine translation", 2014.
    """

    def __init__(
        self,
        hidden_size: int,
        in_size: int | None = None,
        *,
        dtype: DTypeLike = np.float32,
    ) -> None:
        self.x2gates = Linear(2 * hidden_size, dtype=dtype, in_size=in_size)
        self.h2gates = Linear(
            2 * hidden_size, nobias=True, dtype=dtype, in_size=hidden_size
        )
        self.x2h = Linear(hidden_size, dtype=dtype, in_size=in_size)
        self.h2h = Linear(hidden_size, nobias=True, dtype=dtype, in_size=hidden_size)
        self.reset_state()

    def forward(self, x: Operand) -> Variable:
        """One step: shapes (N, in_size) to (N, hidden_size)."""
        self._check_batch(x)
        gates = self.x2gates(x)
        if self.h is not None:
            gates = gates + self.h2gates(self.h)
        r, z = F.split(F.sigmoid(gates), 2, axis=1)
        if self.h is None:
            self.h = (1 - z) * F.tanh(self.x2h(x))
        else:
            self.h = z * self.h + (1 - z) * F.tanh(self.x2h(x) + self.h2h(r * self.h))
        return self.h


class LSTM(_Recurrent):
    """A recurrent layer with a memory: four gates, two states. Source: book step 60.

    Parameters
    ----------
    hidden_size : int
        The length of the states; `h` is the output, too.
    in_size : int, optional
        How many numbers go in. Default: as many as the first input has.

    Attributes
    ----------
    x2h, h2h : Linear
        To the gates f (what to keep in memory), i (how much to add), o (what to show)
        and u (what to add), in this order side by side.
    h, c : Variable or None
        The output and the memory, of shape (N, hidden_size).
    """

    def __init__(
        self,
        hidden_size: int,
        in_size: int | None = None,
        *,
        dtype: DTypeLike = np.float32,
    ) -> None:
        self.x2h = Linear(4 * hidden_size, dtype=dtype, in_size=in_size)
        self.h2h = Linear(
            4 * hidden_size, nobias=True, dtype=dtype, in_size=hidden_size
        )
        self.reset_state()

    def reset_state(self) -> None:
        """Forget both states: the next input begins a new sequence."""
        self.h = None
        self.c: Variable | None = None

    def set_state(self, h: Operand, c: Operand | None = None) -> None:
        """Go on from the states `h` and `c`, of shape (N, hidden_size); without `c`,
        from an empty memory.
        """
        self.h = _state(h)
        self.c = None if c is None else _state(c)

    def forward(self, x: Operand) -> Variable:
        """One step: shapes (N, in_size) to (N, hidden_size)."""
        self._check_batch(x)
        if self.x2h.W.data is None:
            self.x2h._learn(x)
        h, c = self._states(x)
        assert self.x2h.b is not None
        self.h, self.c = h, c = LSTMStep()(x, h, c, self.x2h.W, self.h2h.W, self.x2h.b)  # type: ignore[misc]
        return h  # type: ignore[no-any-return]

    def _states(self, x: Any) -> tuple[Any, Any]:
        h, c = self.h, self.c
        if h is None or c is None:
            W = self.h2h.W
            zeros = get_array_module(x).zeros((len(x), W.shape[0]), dtype=W.dtype)
            return (zeros if h is None else h), zeros
        # unchain_backward gets from a loss to h, but not to c, which was made beside it
        # and ends where h does.
        if h.creator is None and c.creator is not None and c.creator.outputs[0]() is h:
            c.unchain()
        return h, c


class LSTMStep(Function):
    """One step of an LSTM as one function, from the input, the states and the weights
    to the new states.

    Notes
    -----
    On arrays, backward uses the gates that forward has kept. For higher derivatives it
    computes them again from the inputs, as Variables.
    """

    __slots__ = ("gates",)

    def forward(self, x: Any, h: Any, c: Any, Wx: Any, Wh: Any, b: Any) -> Any:
        n = c.shape[1]
        z = x @ Wx
        z += h @ Wh
        z += b
        # A sigmoid is a tanh: (1 + tanh(z / 2)) / 2. So one call computes all four
        # gates.
        z[:, : 3 * n] *= 0.5
        z = np.tanh(z)
        z[:, : 3 * n] += 1
        z[:, : 3 * n] *= 0.5
        c = z[:, :n] * c + z[:, n : 2 * n] * z[:, 3 * n :]
        t = np.tanh(c)
        self.gates = (z[:, : 3 * n], z[:, 3 * n :], t)
        return z[:, 2 * n : 3 * n] * t, c

    def vjp(self, xs: Sequence[Any], gh: Any, gc: Any) -> Any:
        x, h, c, Wx, Wh, _ = xs
        n = c.shape[1]
        fio, u, t = _lstm_gates(*xs) if isinstance(gh, Variable) else self.gates
        f, i, o = fio[:, :n], fio[:, n : 2 * n], fio[:, 2 * n :]
        gc = gc + gh * o * (1 - t * t)
        gfio = Concat(1).on(gc * c, gc * u, gh * t) * fio * (1 - fio)
        gz = Concat(1).on(gfio, gc * i * (1 - u * u))
        return (
            gz @ Wx.T if self.needs_input_grad(0) else None,
            gz @ Wh.T if self.needs_input_grad(1) else None,
            gc * f if self.needs_input_grad(2) else None,
            x.T @ gz if self.needs_input_grad(3) else None,
            h.T @ gz if self.needs_input_grad(4) else None,
            gz.sum(axis=0) if self.needs_input_grad(5) else None,
        )

    def _explain(self, inputs: Sequence[Any]) -> None:
        super()._explain(inputs)
        x, h, c, Wx, Wh, _ = [value.shape for value in inputs]
        raise ValueError(
            f"the shapes of a step of LSTM do not go together: the input is {x} with "
            f"weights {Wx}, the states are h {h} and c {c} with weights {Wh}"
        ) from None


def _lstm_gates(
    x: Any, h: Any, c: Any, Wx: Any, Wh: Any, b: Any
) -> tuple[Variable, Variable, Variable]:
    n = c.shape[1]
    z = F.matmul(x, Wx) + F.matmul(h, Wh) + b
    fio, u = F.sigmoid(z[:, : 3 * n]), F.tanh(z[:, 3 * n :])
    return fio, u, F.tanh(fio[:, :n] * c + fio[:, n : 2 * n] * u)


# --- words, normalisation, dropout ----------------------------------------------------


class EmbedID(Layer):
    """A vector for each word: row ``x[i]`` of `W` for the word number ``x[i]``.

    Parameters
    ----------
    in_size : int
        How many words there are.
    out_size : int
        The length of a vector.

    Attributes
    ----------
    W : Parameter, shape (in_size, out_size)
    """

    _shown = ("in_size", "out_size")

    def __init__(
        self, in_size: int, out_size: int, *, dtype: DTypeLike = np.float32
    ) -> None:
        _check_count(self, "in_size", in_size)
        _check_count(self, "out_size", out_size)
        self.in_size = in_size
        self.out_size = out_size
        self.W = Parameter(_random_weights((in_size, out_size), 1, dtype, np), "W")

    def forward(self, x: Any) -> Variable:
        """Whole numbers of any shape to vectors: one axis more."""
        return F.embed_id(x, self.W)


class BatchNorm(_Lazy):
    """Normalise each channel over the batch, then scale and shift it.

    In training, batches are normalised by their own mean and variance, of which the
    layer keeps a running average; in test mode, by that average.

    Attributes
    ----------
    gamma, beta : Parameter, shape (C,)
        The scale and the shift, which are learned.
    avg_mean, avg_var : Variable, shape (C,)
        The running averages, which are saved but not learned.

    Notes
    -----
    Source: S. Ioffe and C. Szegedy, "Batch normalization: accelerating deep network
    training by reducing internal covariate shift", 2015.
    """

    def __init__(self, *, dtype: DTypeLike = np.float32) -> None:
        self.dtype = dtype
        form: Form = ((None,), dtype)
        self.avg_mean = Statistic("avg_mean", form)
        self.avg_var = Statistic("avg_var", form)
        self.gamma = LazyParameter("gamma", form)
        self.beta = LazyParameter("beta", form)

    def _learn(self, x: Operand) -> None:
        channels, xp = _length(self, x, 1), get_array_module(x)
        for variable in (self.avg_mean, self.beta):
            variable.data = xp.zeros(channels, dtype=self.dtype)
        for variable in (self.avg_var, self.gamma):
            variable.data = xp.ones(channels, dtype=self.dtype)

    def forward(self, x: Operand) -> Variable:
        """Shape (N, C) or (N, C, H, W), which stays."""
        if self.gamma.data is None:
            return self._first(BatchNorm.forward, x)
        return F.batch_norm(
            x, self.gamma, self.beta, self.avg_mean.data, self.avg_var.data
        )


class LayerNorm(_Lazy):
    """Normalise each example over its last axis, then scale and shift.

    Attributes
    ----------
    gamma, beta : Parameter, shape (D,)
        The scale and the shift.

    Notes
    -----
    Source: J. L. Ba, J. R. Kiros and G. E. Hinton, "Layer normalization", 2016.
    """

    def __init__(self, *, dtype: DTypeLike = np.float32) -> None:
        self.dtype = dtype
        self.gamma = LazyParameter("gamma", ((None,), dtype))
        self.beta = LazyParameter("beta", ((None,), dtype))

    def _learn(self, x: Operand) -> None:
        length, xp = _length(self, x, -1), get_array_module(x)
        self.gamma.data = xp.ones(length, dtype=self.dtype)
        self.beta.data = xp.zeros(length, dtype=self.dtype)

    def forward(self, x: Operand) -> Variable:
        """Shape (..., D), which stays."""
        if self.gamma.data is None:
            return self._first(LayerNorm.forward, x)
        return F.layer_norm(x, self.gamma, self.beta)


class Dropout(Layer):
    """In training, put numbers to 0 at random, each with the probability `ratio`.
    Source: book step 54.
    """

    _shown = ("ratio",)

    def __init__(self, ratio: float = 0.5) -> None:
        self.ratio = ratio

    def forward(self, x: Operand) -> Variable:
        """Any shape, which stays."""
        return F.dropout(x, self.ratio)
