"""Calls of a model on several batches, to reveal what depends on them: for
`onnx.export`.
"""

from __future__ import annotations

import linecache
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from inspect import getclosurevars, isfunction, ismethod
from traceback import walk_stack, walk_tb
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

from .array_files import Array
from .core import Function, Parameter, Variable, as_variable, test_mode, using_config
from .layers.layer import Layer, contents, members

HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep


class Why(NamedTuple):
    """How the second of two batches differs from the first, and advice to a user whose
    model uses the difference outside of the graph.
    """

    cause: str
    advice: str


NUMBERS = Why(
    "the numbers of the example",
    "compute and decide by functions on Variables (F.where takes one as its condition, "
    "such as F.relu(x) for x > 0)",
)
ROWS = Why(
    "the number of rows",
    "apply functions to all rows at once, such as F.mean or F.broadcast_to",
)
Outputs = list[Variable]


def call_on_batches(model: Any, example: Array) -> Iterator[tuple[Array, Outputs, Why]]:
    """Yield batches and the model's outputs: first the example, then batches with other
    numbers, if the model accepts them, then one with an additional row.
    """
    call = _outputs
    if len(example) == 1:
        # Broadcasting to a single row changes nothing, and is not recorded.
        example, call = np.concatenate([example, example]), _outputs_for_more
    outputs = call(model, example)
    yield example, outputs, NUMBERS
    finite = _are_finite(outputs)
    for batch in _probes(example):
        try:
            others = _outputs(model, batch)
        except Exception:
            continue
        if _are_finite(others) or not finite:
            yield batch, others, NUMBERS
            # A constant that equals the example must not be taken for the input.
            example = batch
    longer = np.concatenate([example, example[:1]])
    yield longer, _outputs_for_more(model, longer), ROWS


@np.errstate(all="ignore")
def _probes(batch: Array) -> list[Array]:
    """Make batches with other numbers, to change whatever a model may decide by."""
    low, high, shape, dtype = batch.min(), batch.max(), batch.shape, batch.dtype
    if dtype.kind == "f":
        rng = np.random.default_rng(0)
        near = [
            scale * (batch * rng.uniform(0.5, 1.5, shape) + rng.uniform(0, 0.2, shape))
            for scale in (1, -1, 1000, -1000)
        ]
        gaps = np.where(np.arange(batch.size).reshape(shape) % 2, batch, np.nan)
        probes = [low + high - np.flip(batch), *near, gaps]
        return [probe.astype(dtype) for probe in probes]
    least, low, high, size = min(int(low), 0), int(low), int(high), batch.size
    probes = [low + high - np.flip(batch).astype(int)]
    # Special tokens have small numbers: count up from there, in at most four batches.
    count = high - least + 1
    for start in range(0, min(count, 4 * size), size):
        probes.append((least + np.arange(start, start + size) % count).reshape(shape))
    extremes = {0, low, high}
    for step in (1, 10, 100, 1000):
        extremes |= {low - step, high + step}
    limits = np.iinfo(np.uint8 if dtype.kind == "b" else dtype)
    if dtype.itemsize == 1:
        extremes |= {limits.min, limits.max}
    extremes = {n for n in extremes if limits.min <= n <= limits.max}
    probes += [np.full(shape, n) for n in sorted(extremes)]
    return [probe.astype(dtype) for probe in probes]


def _are_finite(outputs: Outputs) -> bool:
    return all(np.isfinite(y.data).all() for y in outputs)


def _outputs(model: Any, batch: Array) -> Outputs:
    quiet, recorded = np.errstate(all="ignore"), using_config("enable_backprop", True)
    with _state_kept(model), test_mode(), recorded, quiet:
        found = model(Variable(batch))
    return [as_variable(y) for y in (found if isinstance(found, tuple) else [found])]


def _outputs_for_more(model: Any, batch: Array) -> Outputs:
    try:
        return _outputs(model, batch)
    except Exception as error:
        frames = [*walk_tb(error.__traceback__)][::-1]
        frames += walk_stack(sys._getframe())
        raise ValueError(
            f"a file takes any number of rows, but for {len(batch)} rows like those of "
            f"the example the model raises “{error}”: change {_place(frames)}"
        ) from error


def parts_of(model: Any) -> list[tuple[str, Any]]:
    """Return the layers and Variables in a model, or in the models that a function
    uses.
    """
    if isinstance(model, Layer):
        return [("", model), *contents(model)]
    if not isfunction(model) and not ismethod(model):
        return []
    used = getclosurevars(model)
    owner = getattr(model, "__self__", None)
    found = members({"self": owner, **used.globals, **used.nonlocals})
    layers = [(name, part) for name, part in found if isinstance(part, Layer)]
    inner = [(f"{name}/{n}", p) for name, layer in layers for n, p in contents(layer)]
    return found + inner


@contextmanager
def _state_kept(model: Any) -> Iterator[None]:
    """Let the layers of a model start without a state, and restore their state at the
    end. Layers and weights that they create for a first input are kept.
    """
    layers = [part for _, part in parts_of(model) if isinstance(part, Layer)]
    states = [dict(vars(layer)) for layer in layers]
    for layer in layers:
        if hasattr(layer, "reset_state"):
            layer.reset_state()
    try:
        yield
    finally:
        for layer, state in zip(layers, states, strict=True):
            now = vars(layer)
            made = {k: v for k, v in now.items() if isinstance(v, (Layer, Parameter))}
            now.clear()
            now.update(state | made)


@contextmanager
def lines_noted() -> Iterator[None]:
    """Record in each function which line of the user's code called it."""
    call = Function.__call__

    def noting(self: Any, *inputs: Any) -> Variable:
        self.called_in = _place(walk_stack(sys._getframe()))
        return call(self, *inputs)

    Function.__call__ = noting  # type: ignore[method-assign]
    try:
        yield
    finally:
        Function.__call__ = call  # type: ignore[method-assign]


def _place(frames: Iterable[tuple[FrameType, int]]) -> str:
    """Describe the innermost line outside of this package."""
    places = ((frame.f_code.co_filename, line) for frame, line in frames)
    file, line = next(p for p in places if not p[0].startswith(HERE))
    return f"{file}, line {line}: {linecache.getline(file, line).strip()}"
