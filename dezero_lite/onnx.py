"""Models as ONNX files, which other programs run. Step 91 explains it.

:func:`export` calls the model on several batches, and compares the graph of each with
that of the first. Whatever is equal in all of them belongs to the model, and a length
that grows with the batch is the number of rows. Anything else that differs was computed
from the input outside of the graph, and is rejected.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from .array_files import Array, StrPath
from .atomic import open_atomic
from .core import Function, Parameter, Variable, unwrap
from .onnx_probes import Why, call_on_batches, lines_noted, parts_of
from .onnx_rules import RULES, Node, equal

__all__ = ["RULES", "export"]

OPSET, FORMAT = 20, 10
BATCH = "N"


def export(model: Callable[[Any], Any], example: Any, path: StrPath) -> None:
    """Write a model, in test mode, as an ONNX file of standard operators (opset 20).
    Requires the package ``onnx``.

    The first axis of the input and of the outputs is free: other programs may run the
    model with any number of examples. A layer with a state, such as `LSTM`, starts
    without one in the file; the model here keeps its own.

    The model is called on the example and on other batches, with different signs, sizes
    and orders of numbers. A batch is ignored if the model raises an error, or if it
    returns NaN or infinity where the example does not.

    Parameters
    ----------
    model : Layer or callable
        Maps one Variable to a Variable, or to a tuple of them.
    example : Variable or ndarray, shape (N, ...)
        A batch that the model accepts.
    path : str or os.PathLike
        Usually ends in ``.onnx``.

    Raises
    ------
    ImportError
        If ``onnx`` is not installed.
    NotImplementedError
        If a function has no operator; the message names the function and the line that
        called it.
    ValueError
        If the file would be wrong for other inputs, because the model uses the
        example's numbers, or its number of rows, outside of the graph.
    """
    onnx = _library()
    x = np.asarray(unwrap(example))
    if not x.ndim or not x.size:
        raise ValueError("an example must be a batch of at least one input")
    with lines_noted():
        runs = call_on_batches(model, x)
        batch, outputs, _ = next(runs)
        for other, others, why in runs:
            graph = Graph(onnx, model, (batch, other), len(outputs), why)
            for f, g in zip_longest(_functions(outputs), _functions(others)):
                graph.add(f, g)
            graph.end(outputs, others)
    made = graph.model_proto(outputs, others)
    onnx.checker.check_model(made, full_check=True)
    with open_atomic(path) as file:
        file.write(made.SerializeToString())


def _library() -> Any:
    try:
        import onnx
    except ImportError as error:
        raise ImportError(
            f"ONNX files require a package that is missing ({error}): run `pip install "
            "onnx`"
        ) from None
    return onnx


def _functions(outputs: Sequence[Variable]) -> list[Any]:
    """Return the functions behind the outputs, each after those that it depends on."""
    found: dict[Any, None] = {}
    waiting = [y.creator for y in outputs if y.creator is not None][::-1]
    while waiting:
        f: Any = waiting[-1]
        values = (*f.inputs, getattr(f, "chosen_by", None))
        creators = [getattr(x, "creator", None) for x in values]
        missing = [g for g in creators if g is not None and g not in found]
        if missing:
            waiting += missing[::-1]
        else:
            found[waiting.pop()] = None
    return [*found]


class Graph:
    """The file's contents: its operators and arrays, and the names of all values."""

    def __init__(
        self,
        onnx: Any,
        model: Any,
        batches: tuple[Array, Array],
        count: int,
        why: Why,
    ) -> None:
        self.onnx, self.model, self.batches, self.why = onnx, model, batches, why
        self.rows = len(batches[0]), len(batches[1])
        self.nodes: list[Any] = []
        self.arrays: dict[str, Array] = {}
        self.names: dict[Any, str] = {}
        self.pairs: dict[Any, Any] = {}
        self.taken: set[str] = set()
        self.x = self.new_name("x")
        ys = ["y"] if count == 1 else [f"y{i}" for i in range(count)]
        self.ys = [self.new_name(y) for y in ys]
        self.parameters = {
            id(part): self.new_name(name)
            for name, part in parts_of(model)
            if isinstance(part, Parameter)
        }

    def new_name(self, name: str) -> str:
        """Return an unused name: this one if possible."""
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name

    def add(self, f: Function, g: Function) -> None:
        """Add the operators for a function, which is `f` in the first graph and `g` in
        the second.
        """
        if type(f) is not type(g):
            a, b = ["no function" if h is None else type(h).__name__ for h in (f, g)]
            raise self.refusal(
                f or g,
                f"the model looks at {self.why.cause} and calls {a}, or for another "
                f"batch {b}, but a file can only hold one graph",
            )
        rule = RULES.get(type(f))
        if rule is None:
            raise NotImplementedError(
                f"{type(f).__name__} has no rule for ONNX: add one to RULES, or use "
                f"other functions in {f.called_in}"  # type: ignore[attr-defined]
            )
        self.pairs[f] = g
        names = rule(Node(self, f, g))
        names = names if isinstance(names, list) else [names]
        for number, name in enumerate(names):
            self.names[f, number] = name

    def operator(self, kind: str, inputs: Sequence[str], count: int, **how: Any) -> Any:
        """Add an operator, and return the names of its outputs."""
        stem = f"{kind}{len(self.nodes)}"
        outputs = [self.new_name(f"{stem}_{i}") for i in range(count)]
        node = self.onnx.helper.make_node(kind, inputs, outputs, **how)
        self.nodes.append(node)
        return outputs if count > 1 else outputs[0]

    def array(self, array: Any) -> str:
        """Store an array, and return its name."""
        name = self.new_name(f"array{len(self.arrays)}")
        self.arrays[name] = np.asarray(array)
        return name

    def value(self, a: Any, b: Any, f: Any, dtype: Any = None) -> str:
        """Return the name of an input of `f`, as `dtype`; it is `a` in the first graph
        and `b` in the second.
        """
        first, other = np.asarray(unwrap(a)), np.asarray(unwrap(b))
        found = first.dtype
        maker = getattr(a, "creator", None)
        if maker is not None:
            number = [ref() is a for ref in maker.outputs].index(True)
            if b is not self.pairs[maker].outputs[number]():
                raise self.depends(f)
            name = self.names[maker, number]
        elif isinstance(a, Parameter):
            if a is not b:
                raise self.depends(f)
            name = self.parameter(a)
        elif equal(self.batches, (first, other)):
            name, found = self.x, self.batches[0].dtype
        else:
            return self.constant(first, other, f, dtype or found)
        if dtype is None or dtype == found:
            return name
        kind = self.onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        return self.operator("Cast", [name], 1, to=kind)  # type: ignore[no-any-return]

    def parameter(self, parameter: Parameter) -> str:
        """Store a parameter, under its name in files if it has one; return the name."""
        if id(parameter) not in self.parameters:
            self.parameters[id(parameter)] = self.new_name("parameter")
        name = self.parameters[id(parameter)]
        self.arrays[name] = parameter.data
        return name

    def constant(self, a: Array, b: Array, f: Any, dtype: Any) -> str:
        """Store an array that is the same for every input. If it has equal rows, one
        for each example, store one row, which the file repeats.
        """
        lengths, shape = [*zip(a.shape, b.shape, strict=False)], a.shape
        for axis, pair in enumerate(lengths):
            if pair == self.rows:
                one, other = a.take([0], axis), b.take([0], axis)
                if (one == a).all() and (other == b).all():
                    a, b = one, other
        if not equal(a, b):
            raise self.depends(f)
        name = self.array(a.astype(dtype))
        if a.shape == shape:
            return name
        return self.operator("Expand", [name, self.shape(lengths, f)], 1)  # type: ignore[no-any-return]

    def shape(self, lengths: Sequence[tuple[int, int]], f: Any) -> str:
        """Return the name of a shape, given its lengths in both graphs: a length is the
        same in both, or it is the number of rows, which the file takes from the input.
        """
        if all(n == m for n, m in lengths):
            return self.array(np.array([n for n, _ in lengths], np.int64))
        if any(n != m and (n, m) != self.rows for n, m in lengths):
            raise self.depends(f)
        rows = self.operator("Shape", [self.x], 1, start=0, end=1)
        parts = [rows if n != m else self.shape([(n, m)], f) for n, m in lengths]
        return self.operator("Concat", parts, 1, axis=0)  # type: ignore[no-any-return]

    def depends(self, f: Any) -> ValueError:
        """Make the error for an `f` whose input differs in the second graph."""
        name = "The result" if f is None else type(f).__name__
        return self.refusal(
            f,
            f"{name} depends on something that was computed outside of the graph, from "
            f"{self.why.cause}, so the file would be wrong for others",
        )

    def refusal(self, f: Any, what: str) -> ValueError:
        place = "" if f is None else f", in {f.called_in}"
        return ValueError(f"{what}: {self.why.advice}{place}")

    def end(self, first: Sequence[Variable], second: Sequence[Variable]) -> None:
        """Name the outputs."""
        for y, a, b in zip(self.ys, first, second, strict=True):
            name = self.value(a, b, a.creator)
            self.nodes.append(self.onnx.helper.make_node("Identity", [name], [y]))

    def model_proto(self, first: Sequence[Variable], second: Sequence[Variable]) -> Any:
        """Return the model in ONNX's format."""
        helper = self.onnx.helper
        say = helper.make_tensor_value_info
        kind = helper.np_dtype_to_tensor_dtype
        x = self.batches[0]
        inputs = [say(self.x, kind(x.dtype), [BATCH, *x.shape[1:]])]
        outputs = []
        for name, a, b in zip(self.ys, first, second, strict=True):
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
