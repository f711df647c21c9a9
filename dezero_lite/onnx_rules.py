"""Rules that convert functions to ONNX operators: for `onnx.export`."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from .core import Function
from .core.operators import Add, AsType, BroadcastTo, Div, Log, Mul, Neg, Pow, Sub
from .functions import activation, elementwise, reduce
from .functions.conv import Conv2d, Deconv2d
from .functions.indexing import GetItem
from .functions.joining import Concat, Split, Stack, Unstack
from .functions.linear import Linear, MatMul
from .functions.norm import BatchNorm, LayerNorm
from .functions.pool import AveragePooling, Pooling
from .functions.shape import Pad, Reshape, Transpose
from .functions.window import get_deconv_outsize
from .layers.recurrent import LSTMStep

if TYPE_CHECKING:
    from .onnx import Graph


class Node:
    """A function in both graphs, with methods to write its operators."""

    def __init__(self, graph: Graph, first: Any, other: Any) -> None:
        self.graph, self.first, self.other = graph, first, other
        self.f = Settings(self)
        results = [ref() for ref in first.outputs]
        self.dtype = next((y.dtype for y in results if y is not None), None)

    @property
    def x(self) -> str:
        """The name of the first input."""
        return self.inputs()[0]

    def inputs(self) -> list[str]:
        """Return the names of the inputs, all converted to the dtype of the output."""
        pairs = zip(self.first.inputs, self.other.inputs, strict=True)
        return [self.graph.value(a, b, self.first, self.dtype) for a, b in pairs]

    def choice(self, name: str, dtype: Any) -> str:
        """Return the name of a condition or an index: a Variable, or the attribute
        `name`.
        """
        a, b = [
            getattr(f, name) if f.chosen_by is None else f.chosen_by
            for f in (self.first, self.other)
        ]
        return self.graph.value(a, b, self.first, dtype)

    def op(self, kind: str, *inputs: str, count: int = 1, **how: Any) -> Any:
        """Add one operator; return the name of its output, or a list of names."""
        return self.graph.operator(kind, inputs, count, **how)

    def number(self, value: Any) -> str:
        """Store a number or an array in the dtype of the output; return its name."""
        return self.graph.array(np.asarray(value, self.dtype))

    def whole(self, values: Any) -> str:
        """Store integers, such as axes or a shape; return their name."""
        return self.graph.array(np.asarray(values, np.int64))

    def both(self, read: Callable[[Any], Any]) -> Any:
        """Read a setting of the function, and require it to be equal in both graphs."""
        a, b = read(self.first), read(self.other)
        if not equal(a, b):
            raise self.graph.depends(self.first)
        return a

    def lengths(self, read: Callable[[Any], Any]) -> list[tuple[int, int]]:
        """Pair the lengths of a shape in the first graph with those in the second."""
        self.both(lambda f: len(read(f)))
        return [*zip(read(self.first), read(self.other), strict=True)]

    @property
    def ndim(self) -> int:
        """The number of axes of the first input."""
        return self.both(lambda f: f.inputs[0].ndim)  # type: ignore[no-any-return]


class Settings:
    """The attributes of a function; each must be the same in both graphs."""

    def __init__(self, node: Node) -> None:
        self._node = node

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._node.first, name)
        if name in ("inputs", "outputs") or callable(found):
            return found
        return self._node.both(attrgetter(name))


def equal(a: Any, b: Any) -> bool:
    """Compare arrays, numbers and tuples of them; NaN equals NaN."""
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, np.ndarray):
        return np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    return bool(a == b)


Rule = Callable[[Node], Any]
INDICES = int, np.integer, slice, type(None), type(...)


def _named(kind: str, **how: Any) -> Rule:
    return lambda n: n.op(kind, *n.inputs(), **how)


def _linear(n: Node) -> Any:
    x, W, *b = n.inputs()
    y = n.op("MatMul", x, W)
    return n.op("Add", y, *b) if b else y


def _reshape(n: Node) -> Any:
    lengths = _with_one_open(n.lengths(_shape), n.graph.rows)
    return n.op("Reshape", n.x, n.graph.shape(lengths, n.first))


def _with_one_open(lengths: list[Any], rows: Any) -> list[Any]:
    # Of the lengths that differ, one may be −1, because it follows from the others:
    # preferably not the number of rows, which is known.
    varying = [pair for pair in lengths if pair[0] != pair[1]]
    if varying:
        one = min(varying, key=lambda pair: pair == rows)
        lengths[lengths.index(one)] = (-1, -1)
    return lengths


def _shape(f: Any) -> Any:
    return f.outputs[0]().shape


def _broadcast(n: Node) -> Any:
    lengths, given = n.lengths(_shape), n.lengths(lambda f: f.inputs[0].shape)
    for axis, pair in enumerate(given, len(lengths) - len(given)):
        if lengths[axis] == pair:
            lengths[axis] = (1, 1)  # keeps the length
    return n.op("Expand", n.x, n.graph.shape(lengths, n.first))


def _transpose(n: Node) -> Any:
    axes = range(n.ndim)[::-1] if n.f.axes is None else n.f.axes
    return n.op("Transpose", n.x, perm=[axis % n.ndim for axis in axes])


def _reduction(kind: str) -> Rule:
    def rule(n: Node) -> Any:
        axis = n.f.axis
        axes = range(n.ndim) if axis is None else np.atleast_1d(axis)
        return n.op(kind, n.x, n.whole([*axes]), keepdims=int(n.f.keepdims))

    return rule


def _window(window: Any) -> dict[str, Any]:
    sizes = {"kernel_shape": window.kernel, "strides": window.stride}
    return sizes | {"pads": window.pad * 2, "dilations": window.dilation}


def _conv(n: Node) -> Any:
    how = n.both(lambda f: _window(f.window(f.inputs[1])))
    return n.op("Conv", *n.inputs(), group=n.f.groups, **how)


def _deconv(n: Node) -> Any:
    how = n.both(lambda f: _window(f.window(f.inputs[1])))
    how |= {"output_padding": n.both(_more_than_least), "group": n.f.groups}
    return n.op("ConvTranspose", *n.inputs(), **how)


def _more_than_least(f: Any) -> list[int]:
    window = f.window(f.inputs[1])
    sizes = zip(
        f.inputs[0].shape[2:],
        window.effective_size,
        window.stride,
        window.pad,
        strict=True,
    )
    least = [get_deconv_outsize(*numbers) for numbers in sizes]
    return [a - b for a, b in zip(_shape(f)[2:], least, strict=True)]


def _pooling(kind: str, **how: Any) -> Rule:
    return lambda n: n.op(kind, n.x, **how, **n.both(lambda f: _window(f.window)))


def _batch_norm(n: Node) -> Any:
    averages = n.number(n.f.avg_mean), n.number(n.f.avg_var)
    return n.op("BatchNormalization", *n.inputs(), *averages, epsilon=n.f.eps)


def _layer_norm(n: Node) -> Any:
    x, gamma, beta = n.inputs()
    axis = -len(n.f.form)
    return n.op("LayerNormalization", x, gamma, beta, axis=axis, epsilon=n.f.eps)


def _where(n: Node) -> Any:
    return n.op("Where", n.choice("condition", bool), *n.inputs())


def _get_item(n: Node) -> Any:
    index = n.first.slices
    if isinstance(index, np.ndarray) and index.dtype.kind in "iu":
        return n.op("Gather", n.x, n.choice("slices", np.int64), axis=0)
    index = n.f.slices
    parts = list(index) if isinstance(index, tuple) else [index]
    if any(isinstance(part, bool) or not isinstance(part, INDICES) for part in parts):
        raise NotImplementedError(
            "GetItem can be exported for an array of whole numbers, or for slices, "
            "whole numbers, None and ..., but not for this index: use those, one after "
            f"the other, in {n.first.called_in}"
        )
    if ... in parts:
        here = parts.index(...)
        missing = n.ndim - sum(part not in (None, ...) for part in parts)
        parts[here : here + 1] = [slice(None)] * missing
    name = n.x
    olds = [part for part in parts if part is not None]
    for axis, part in enumerate(olds):
        if part != slice(None):
            name = _slice(n, name, axis, part)
    dropped = [axis for axis, part in enumerate(olds) if not isinstance(part, slice)]
    kept = [part for part in parts if part is None or isinstance(part, slice)]
    new = [axis for axis, part in enumerate(kept) if part is None]
    name = n.op("Squeeze", name, n.whole(dropped)) if dropped else name
    return n.op("Unsqueeze", name, n.whole(new)) if new else name


def _slice(n: Node, name: str, axis: int, part: Any) -> Any:
    if not isinstance(part, slice):
        part = slice(part, part + 1 or None)
    step = 1 if part.step is None else part.step
    far = 2**31 - 1
    start = part.start if part.start is not None else (0 if step > 0 else far)
    stop = part.stop if part.stop is not None else (far if step > 0 else -far)
    ends = [n.whole([number]) for number in (start, stop, axis, step)]
    return n.op("Slice", name, *ends)


def _split(n: Node) -> Any:
    lengths = n.both(lambda f: [form[0][f.axis] for form in f._output_specs])
    return n.op("Split", n.x, n.whole(lengths), count=len(lengths), axis=n.f.axis)


def _stack(n: Node) -> Any:
    axis = n.whole([n.f.axis])
    parts = [n.op("Unsqueeze", name, axis) for name in n.inputs()]
    return n.op("Concat", *parts, axis=n.f.axis)


def _unstack(n: Node) -> list[str]:
    count = n.both(lambda f: len(f.outputs))
    parts = [_slice(n, n.x, n.f.axis, i) for i in range(count)]
    return [n.op("Squeeze", part, n.whole([n.f.axis])) for part in parts]


def _pad(n: Node) -> Any:
    before, after = zip(*n.f.widths, strict=True)
    return n.op("Pad", n.x, n.whole(before + after), n.number(n.f.value))


def _clip(n: Node) -> Any:
    limits = [n.f.x_min, n.f.x_max]
    return n.op("Clip", n.x, *["" if v is None else n.number(v) for v in limits])


def _lstm_step(n: Node) -> list[str]:
    x, h, c, Wx, Wh, b = n.inputs()
    products = n.op("Add", n.op("MatMul", x, Wx), n.op("MatMul", h, Wh))
    f, i, o, u = n.op("Split", n.op("Add", products, b), count=4, axis=1, num_outputs=4)
    kept = n.op("Mul", n.op("Sigmoid", f), c)
    c = n.op("Add", kept, n.op("Mul", n.op("Sigmoid", i), n.op("Tanh", u)))
    return [n.op("Mul", n.op("Sigmoid", o), n.op("Tanh", c)), c]


# Functions that have the same name in ONNX.
SAME = [Add, Sub, Mul, Div, Pow, Neg, Log, MatMul]
SAME += [activation.Sigmoid, activation.Softplus]
SAME += [elementwise.Sin, elementwise.Cos, elementwise.Tanh]
SAME += [elementwise.Exp, elementwise.Sqrt, elementwise.Abs]
#: The rule for each class of functions; you can add your own.
RULES: dict[type[Function], Rule] = {kind: _named(kind.__name__) for kind in SAME}
RULES |= {
    activation.ReLU: _named("Relu"),
    activation.LeakyReLU: lambda n: n.op("LeakyRelu", n.x, alpha=n.f.slope),
    activation.Gelu: _named("Gelu", approximate="tanh"),
    activation.Softmax: lambda n: n.op("Softmax", n.x, axis=n.f.axis),
    activation.LogSoftmax: lambda n: n.op("LogSoftmax", n.x, axis=n.f.axis),
    elementwise.Maximum: _named("Max"),
    elementwise.Minimum: _named("Min"),
    elementwise.Where: _where,
    elementwise.Clip: _clip,
    reduce.Sum: _reduction("ReduceSum"),
    reduce.Mean: _reduction("ReduceMean"),
    reduce.Max: _reduction("ReduceMax"),
    reduce.Min: _reduction("ReduceMin"),
    reduce.LogSumExp: _reduction("ReduceLogSumExp"),
    AsType: lambda n: n.x,
    BroadcastTo: _broadcast,
    Reshape: _reshape,
    Transpose: _transpose,
    Pad: _pad,
    Concat: lambda n: n.op("Concat", *n.inputs(), axis=n.f.axis),
    Stack: _stack,
    Unstack: _unstack,
    Split: _split,
    GetItem: _get_item,
    Linear: _linear,
    Conv2d: _conv,
    Deconv2d: _deconv,
    Pooling: _pooling("MaxPool"),
    AveragePooling: _pooling("AveragePool", count_include_pad=1),
    BatchNorm: _batch_norm,
    LayerNorm: _layer_norm,
    LSTMStep: _lstm_step,
}
