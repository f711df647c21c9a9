"""Models as ONNX files, which other programs run. Step 91 explains it.

:func:`export` calls the model on two batches, a small one and one more example, and
walks both graphs side by side. What is equal in both belongs to the model; a length
that differs is the batch; anything else that differs was computed from the input where
the graph does not see it, and is refused.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from itertools import zip_longest
from traceback import extract_stack
from typing import Any

import numpy as np

from .array_files import Array, StrPath
from .atomic import open_atomic
from .core import Function, Parameter, Variable, test_mode, unwrap, using_config
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
from .layers.layer import Layer, contents
from .layers.recurrent import LSTMStep

__all__ = ["RULES", "export"]

OPSET, FORMAT = 20, 10
BATCH = "N"
HERE = os.path.dirname(os.path.abspath(__file__))


def export(model: Callable[[Any], Any], example: Any, path: StrPath) -> None:
    """Write a model, in test mode, as an ONNX file of standard operators (opset 20).
    Takes the package ``onnx``.

    The first axis of the input, and of what comes out, is free: other programs may call
    the model with any number of examples. A layer with a state, as `LSTM`, begins
    without one.

    Parameters
    ----------
    model : Layer or callable
        From one Variable to a Variable, or to a tuple of them.
    example : Variable or ndarray, shape (N, ...)
        A batch that it takes.
    path : str or os.PathLike
        Usually ends in ``.onnx``.

    Raises
    ------
    ImportError
        If ``onnx`` is not installed.
    NotImplementedError
        If a function has no operator; the message names it, and the line that called
        it.
    ValueError
        If the file would be wrong for another input, since the model looks at the
        numbers of the example outside of the graph.
    """
    onnx = _library()
    first = np.asarray(unwrap(example))
    if not first.ndim or not len(first):
        raise ValueError("an example is a batch with one input at least")
    batches = [first, _another(first)]
    outputs = [_outputs(model, batch) for batch in batches]
    graph = Graph(onnx, model, batches)
    for f, g in zip_longest(*map(_functions, outputs)):
        graph.add(f, g)
    made = graph.finish(*outputs)
    onnx.checker.check_model(made, full_check=True)
    with open_atomic(path) as file:
        file.write(made.SerializeToString())


def _library() -> Any:
    try:
        import onnx
    except ImportError as error:
        raise ImportError(
            f"ONNX files take a package that is not here ({error}): run `pip install "
            "onnx`"
        ) from None
    return onnx


def _another(batch: Array) -> Any:
    # With one more, and with other numbers that the model takes as well.
    longer = np.concatenate([batch, batch[:1]])
    if longer.dtype.kind != "f":
        return (longer.max() + longer.min() - longer).astype(batch.dtype)
    factors = np.random.default_rng(0).uniform(0.5, 1.5, longer.shape)
    return np.asarray(longer * factors + 0.1, batch.dtype)


def _outputs(model: Any, batch: Array) -> list[Variable]:
    for layer in _parts(model):
        if hasattr(layer, "reset_state"):
            layer.reset_state()
    with test_mode(), using_config("enable_backprop", True):
        found = model(Variable(batch))
    return list(found) if isinstance(found, tuple) else [found]


def _parts(model: Any) -> list[Any]:
    if not isinstance(model, Layer):
        return []
    return [model, *[found for _, found in contents(model)]]


def _functions(outputs: Sequence[Variable]) -> list[Any]:
    """The functions behind some outputs, each after those that it builds on."""
    found: dict[Any, None] = {}
    waiting = [y.creator for y in outputs]
    while waiting:
        f = waiting.pop()
        if f is None or f in found:
            continue
        found[f] = None
        waiting += [getattr(x, "creator", None) for x in f.inputs]
    return sorted(found, key=lambda f: f.generation)


class Graph:
    """What the file will hold: operators, arrays, and the name of everything."""

    def __init__(self, onnx: Any, model: Any, batches: Sequence[Array]) -> None:
        self.onnx, self.model, self.batches = onnx, model, batches
        self.nodes: list[Any] = []
        self.arrays: dict[str, Array] = {}
        self.names: dict[Any, str] = {}
        named = model.named_params() if isinstance(model, Layer) else []
        self.parameters = {id(param): name for name, param in named}

    def add(self, f: Function, g: Function) -> None:
        """The operators for a function, which is `f` in the first graph and `g` in the
        second.
        """
        if type(f) is not type(g):
            raise self.depends(f or g)
        rule = RULES.get(type(f))
        if rule is None:
            raise NotImplementedError(
                f"{type(f).__name__} has no operator in ONNX that is known here, so "
                f"the model was not exported. {self._find_call(type(f))}"
            )
        names = rule(Node(self, f, g))
        names = names if isinstance(names, list) else [names]
        for number, name in enumerate(names):
            self.names[f, number] = name

    def operator(self, kind: str, inputs: Sequence[str], count: int, **how: Any) -> Any:
        """Add an operator, and name what comes out."""
        outputs = [f"{kind}{len(self.nodes)}_{i}" for i in range(count)]
        node = self.onnx.helper.make_node(kind, inputs, outputs, **how)
        self.nodes.append(node)
        return outputs if count > 1 else outputs[0]

    def array(self, array: Any, name: str = "") -> str:
        """Store an array, and name it."""
        name = name or f"array{len(self.arrays)}"
        self.arrays[name] = np.asarray(array)
        return name

    def value(self, a: Any, b: Any, f: Any, dtype: Any = None) -> str:
        """The name of what is `a` in the first graph and `b` in the second."""
        if getattr(a, "creator", None) is not None:
            f, outputs = a.creator, a.creator.outputs
            return self.names[f, [ref() is a for ref in outputs].index(True)]
        if isinstance(a, Parameter):
            name = self.parameters.get(id(a), f"parameter{id(a)}")
            self.arrays[name] = a.data
            return name
        first, other = np.asarray(unwrap(a)), np.asarray(unwrap(b))
        if self.is_input(first, other):
            return "x"
        return self.array(self.constant(first, other, f).astype(dtype or first.dtype))

    def is_input(self, a: Array, b: Array) -> bool:
        """Whether two arrays are what the model was called with."""
        return all(map(np.array_equal, self.batches, (a, b)))

    def constant(self, a: Array, b: Array, f: Function) -> Any:
        """An array that is the same for every input; if it has a row for each example,
        one of them, which broadcasts.
        """
        for axis in range(a.ndim if a.ndim == b.ndim else 0):
            if (a.shape[axis], b.shape[axis]) == tuple(map(len, self.batches)):
                one, other = a.take([0], axis), b.take([0], axis)
                if (one == a).all() and (other == b).all():
                    a, b = one, other
        if not np.array_equal(a, b):
            raise self.depends(f)
        return a

    def lengths(self, a: Sequence[int], b: Sequence[int], f: Function) -> list[int]:
        """A shape, with −1 for the length that depends on the batch."""
        if len(a) != len(b):
            raise self.depends(f)
        found = [n if n == m else -1 for n, m in zip(a, b, strict=True)]
        if found.count(-1) > 1:
            raise self.depends(f)
        return found

    def depends(self, f: Any) -> ValueError:
        """What to say where the two graphs differ."""
        return ValueError(
            f"{type(f).__name__} takes something that was computed from the numbers "
            "of the example, or from how many there are, outside of the graph; the "
            f"file would be wrong for others. {self._find_call(type(f))}"
        )

    def _find_call(self, kind: type[Function]) -> str:
        # By calling the model once more, and listening.
        stacks: list[Any] = []
        forward = kind.forward

        def listening(self: Any, *xs: Any, **how: Any) -> Any:
            stacks.append(extract_stack())
            return forward(self, *xs, **how)

        kind.forward = listening  # type: ignore[method-assign]
        try:
            _outputs(self.model, self.batches[0])
        finally:
            kind.forward = forward  # type: ignore[method-assign]
        lines = [s for s in stacks[0] if not s.filename.startswith(HERE)]
        where = lines[-1]
        return f"It is called in {where.filename}, line {where.lineno}: {where.line}"

    def finish(self, first: Sequence[Variable], second: Sequence[Variable]) -> Any:
        """The model as ONNX has it."""
        helper = self.onnx.helper
        results = []
        for number, (a, b) in enumerate(zip(first, second, strict=True)):
            name = self.value(a, b, a.creator)
            results.append("y" if len(first) == 1 else f"y{number}")
            self.nodes.append(helper.make_node("Identity", [name], [results[-1]]))
        say = helper.make_tensor_value_info
        kind = helper.np_dtype_to_tensor_dtype
        x = self.batches[0]
        inputs = [say("x", kind(x.dtype), [BATCH, *x.shape[1:]])]
        outputs = []
        for name, a, b in zip(results, first, second, strict=True):
            free = [
                n if n == m else None for n, m in zip(a.shape, b.shape, strict=True)
            ]
            outputs.append(say(name, kind(a.dtype), free))
        arrays = [
            self.onnx.numpy_helper.from_array(np.asarray(a, order="C"), name)
            for name, a in self.arrays.items()
        ]
        graph = helper.make_graph(
            self.nodes, type(self.model).__name__, inputs, outputs, arrays
        )
        opset = [helper.make_opsetid("", OPSET)]
        return helper.make_model(graph, opset_imports=opset, ir_version=FORMAT)


# --- a rule for each function ---------------------------------------------------------


class Node:
    """A function in both graphs, and how it is said in operators."""

    def __init__(self, graph: Graph, f: Any, g: Any) -> None:
        self.graph, self.f, self.g = graph, f, g
        results = [ref() for ref in f.outputs]
        self.dtype = next((y.dtype for y in results if y is not None), None)

    @property
    def x(self) -> str:
        """The name of the first input."""
        return self.inputs()[0]

    def inputs(self) -> list[str]:
        """The names of the inputs, all of the dtype that comes out."""
        return [self.input(i) for i in range(len(self.f.inputs))]

    def input(self, i: int) -> Any:
        a, b = self.f.inputs[i], self.g.inputs[i]
        name = self.graph.value(a, b, self.f, self.dtype)
        dtype = np.asarray(unwrap(a)).dtype
        is_constant = name in self.graph.arrays and not isinstance(a, Parameter)
        return name if is_constant or dtype == self.dtype else self.cast(name)

    def cast(self, name: str) -> Any:
        kind = self.graph.onnx.helper.np_dtype_to_tensor_dtype(np.dtype(self.dtype))
        return self.op("Cast", name, to=kind)

    def op(self, kind: str, *inputs: str, count: int = 1, **how: Any) -> Any:
        """One operator: the name of what comes out, or a list of them."""
        return self.graph.operator(kind, inputs, count, **how)

    def number(self, value: Any) -> str:
        """A number, or an array, of the dtype that comes out."""
        return self.graph.array(np.asarray(value, self.dtype))

    def integers(self, values: Any) -> str:
        """Whole numbers: axes, or a shape."""
        return self.graph.array(np.asarray(values, np.int64))

    def require_equal(self, a: Any, b: Any) -> Any:
        """A setting that has to be equal in both graphs."""
        if a != b:
            raise self.graph.depends(self.f)
        return a


Rule = Callable[[Node], Any]


def _named(kind: str, **how: Any) -> Rule:
    return lambda n: n.op(kind, *n.inputs(), **how)


def _linear(n: Node) -> Any:
    x, W, *b = n.inputs()
    y = n.op("MatMul", x, W)
    return n.op("Add", y, *b) if b else y


def _reshape(n: Node) -> Any:
    return n.op("Reshape", n.x, n.integers(n.graph.lengths(n.f.shape, n.g.shape, n.f)))


def _broadcast(n: Node) -> Any:
    # 1 leaves a length as it is.
    lengths = n.graph.lengths(n.f.shape, n.g.shape, n.f)
    return n.op(
        "Expand", n.x, n.integers([1 if size < 0 else size for size in lengths])
    )


def _transpose(n: Node) -> Any:
    ndim = n.f.inputs[0].ndim
    axes = range(ndim)[::-1] if n.f.axes is None else n.f.axes
    return n.op("Transpose", n.x, perm=[axis % ndim for axis in axes])


def _reduction(kind: str) -> Rule:
    def rule(n: Node) -> Any:
        axis = n.f.axis
        axes = range(n.f.inputs[0].ndim) if axis is None else np.atleast_1d(axis)
        return n.op(kind, n.x, n.integers([*axes]), keepdims=int(n.f.keepdims))

    return rule


def _window(window: Any) -> dict[str, Any]:
    sizes = {"kernel_shape": window.kernel, "strides": window.stride}
    return sizes | {"pads": window.pad * 2, "dilations": window.dilation}


def _conv(n: Node) -> Any:
    how = _window(n.f.window(n.f.inputs[1]))
    return n.op("Conv", *n.inputs(), group=n.f.groups, **how)


def _deconv(n: Node) -> Any:
    window, y = n.f.window(n.f.inputs[1]), n.f.inputs[0]
    natural = [
        get_deconv_outsize(size, reach, s, p)
        for size, reach, s, p in zip(
            y.shape[2:], window.effective_size, window.stride, window.pad, strict=True
        )
    ]
    size = n.f.outputs[0]().shape[2:]
    more = [a - b for a, b in zip(size, natural, strict=True)]
    how = _window(window) | {"output_padding": more, "group": n.f.groups}
    return n.op("ConvTranspose", *n.inputs(), **how)


def _average(n: Node) -> Any:
    return n.op("AveragePool", n.x, count_include_pad=1, **_window(n.f.window))


def _batch_norm(n: Node) -> Any:
    averages = n.number(n.f.avg_mean), n.number(n.f.avg_var)
    return n.op("BatchNormalization", *n.inputs(), *averages, epsilon=n.f.eps)


def _layer_norm(n: Node) -> Any:
    x, gamma, beta = n.inputs()
    axis = -len(n.f.form)
    return n.op("LayerNormalization", x, gamma, beta, axis=axis, epsilon=n.f.eps)


def _where(n: Node) -> Any:
    condition = n.graph.constant(n.f.condition, n.g.condition, n.f)
    return n.op("Where", n.graph.array(condition), *n.inputs())


def _get_item(n: Node) -> Any:
    part, other = n.f.slices, n.g.slices
    if isinstance(part, np.ndarray):
        if part.dtype.kind not in "iu":
            raise n.graph.depends(n.f)
        return n.op("Gather", n.x, n.graph.value(part, other, n.f), axis=0)
    parts = part if isinstance(part, tuple) else (part,)
    if any(not isinstance(p, (int, slice, np.integer)) for p in parts):
        raise NotImplementedError(
            f"an index such as {parts} has no operator in ONNX that is known here: "
            f"{n.graph._find_call(type(n.f))}"
        )
    n.require_equal(repr(part), repr(other))
    name, numbers = n.x, [i for i, p in enumerate(parts) if not isinstance(p, slice)]
    for axis, p in enumerate(parts):
        if p != slice(None):
            name = _slice(n, name, axis, p)
    return n.op("Squeeze", name, n.integers(numbers)) if numbers else name


def _slice(n: Node, name: str, axis: int, part: Any) -> Any:
    if not isinstance(part, slice):
        part = slice(part, part + 1 or None)
    step = 1 if part.step is None else part.step
    far = 2**31 - 1
    start = part.start if part.start is not None else (0 if step > 0 else far)
    stop = part.stop if part.stop is not None else (far if step > 0 else -far)
    ends = [n.integers([number]) for number in (start, stop, axis, step)]
    return n.op("Slice", name, *ends)


def _split(n: Node) -> Any:
    lengths = [form[0][n.f.axis] for form in n.f._output_specs]
    n.require_equal(lengths, [form[0][n.g.axis] for form in n.g._output_specs])
    return n.op("Split", n.x, n.integers(lengths), count=len(lengths), axis=n.f.axis)


def _stack(n: Node) -> Any:
    axis = n.integers([n.f.axis])
    parts = [n.op("Unsqueeze", name, axis) for name in n.inputs()]
    return n.op("Concat", *parts, axis=n.f.axis)


def _unstack(n: Node) -> list[str]:
    count = n.require_equal(len(n.f.outputs), len(n.g.outputs))
    parts = [_slice(n, n.x, n.f.axis, i) for i in range(count)]
    return [n.op("Squeeze", part, n.integers([n.f.axis])) for part in parts]


def _pad(n: Node) -> Any:
    before, after = zip(*n.f.widths, strict=True)
    return n.op("Pad", n.x, n.integers(before + after), n.number(n.f.value))


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


# Functions whose names are ONNX's, too.
SAME = [Add, Sub, Mul, Div, Pow, Neg, Log, MatMul, activation.Sigmoid]
SAME += [elementwise.Sin, elementwise.Cos, elementwise.Tanh]
SAME += [elementwise.Exp, elementwise.Sqrt, elementwise.Abs]
#: What makes operators of a function, by its class; one's own can be added.
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
    Pooling: lambda n: n.op("MaxPool", n.x, **_window(n.f.window)),
    AveragePooling: _average,
    BatchNorm: _batch_norm,
    LayerNorm: _layer_norm,
    LSTMStep: _lstm_step,
}
