"""The way back: from a result to the leaves. Source: steps 7, 8, 13–18 and 32."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from itertools import count
from typing import Any

import numpy as np

from . import messages
from .arrays import FLOAT_SCALARS, as_scalar, ones_like, owner
from .function import Function
from .operators import SumTo
from .settings import Config
from .variable import Variable, as_variable, new_variable, unwrap

__all__ = ["walk"]


def backward(
    self: Variable, retain_grad: bool = False, create_graph: bool = False
) -> None:
    """Add to every leaf's `grad` the gradient of this Variable. Source: book steps 7,
    14–18 and 32.

    Parameters
    ----------
    retain_grad : bool, optional
        Keep the gradients of the Variables on the way, too, this one's included.
    create_graph : bool, optional
        Record how gradients are computed, so that they can be differentiated. A
        Variable and such a gradient refer to each other; :meth:`cleargrad` lets both go
        without the garbage collector.

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
    fails, no gradient has changed. Derivatives are taken at the data that the Variables
    hold when backward runs: assign no other `data` between forward and backward, and
    change none in place.

    Threads that run backward on the same parameters at the same time lose gradients:
    give each a copy of the model, and add up.
    """
    if self.creator is None:
        raise RuntimeError(messages.no_way_back(self))
    # As `using_config`, which takes longer than a small graph.
    enabled = Config.enable_backprop
    Config.enable_backprop = create_graph
    try:
        gy = first_gradient(self, create_graph)
        grads = walk(self, gy, retain_grad, create_graph)
        sums = {x: with_earlier(x, gx, x is self) for x, gx in grads.items()}
    finally:
        Config.enable_backprop = enabled
    self.grad = None
    for x, gx in sums.items():
        x.grad = gx


def walk(
    y: Variable,
    gy: Any,
    retain_grad: bool = False,
    create_graph: bool = False,
    mark: Callable[..., Any] | None = None,
) -> dict[Variable, Any]:
    """Walk from `y` to the leaves, and return their gradients; no Variable is changed.

    The gradients are like `gy`, that of `y`: Variables with `create_graph`, else
    arrays. A function's turn comes when the gradients of its outputs are complete. So
    the highest generation goes first, and a heap finds it in log n (book step 16).
    `mark(f, gys, gxs)` may replace what a function returns: see `detached.py`.
    """
    first: Any = y.creator
    grads: dict[Variable, Any] = {y: gy}
    kept: dict[Variable, Any] = {}
    queue = [(-first.generation, 0, first)]
    # What waits in the queue. No gradient comes for a function that was taken out,
    # because all that hand one on have a higher generation.
    queued = {first}
    serial = count(1)
    while queue:
        _, _, f = heappop(queue)
        queued.remove(f)
        if retain_grad:
            kept |= copies_of_gradients(f, grads)
        gys = gradients_of_outputs(f, grads)
        gxs = f._differentiate(gys, create_graph)
        if type(gxs) is not tuple or len(gxs) != len(f.inputs):
            gxs = one_for_each_input(f, gxs)
        if mark:
            gxs = mark(f, gys, gxs)
        memory = None
        for x, gx in zip(f.inputs, gxs):  # noqa: B905 (counted; strict takes longer)
            if gx is None or not isinstance(x, Variable):
                continue
            # Two numbers of one type fit each other; anything else is looked at.
            if type(gx) is not type(x._data) or type(gx) not in FLOAT_SCALARS:
                gx = fitted(gx, x, f, create_graph)
            creator = x.creator
            if x in grads and creator is None:
                # A leaf, which no function made, has a gradient of its own, and that
                # may grow in place.
                grads[x] += gx
            elif x in grads:
                grads[x] = grads[x] + gx
            elif creator is None:
                # What the leaf keeps must be nobody else's memory.
                if type(gx) not in FLOAT_SCALARS:
                    memory = memory or uses_of_memory([*gys, *f.inputs, *gxs])
                    gx = gx if is_fresh(gx, f, memory) else copied(gx)
                grads[x] = gx
            else:
                grads[x] = gx
                if creator not in queued:
                    queued.add(creator)
                    heappush(queue, (-creator.generation, next(serial), creator))
    return grads | kept if kept else grads


# --- what the walk begins and ends with -----------------------------------------------


def first_gradient(y: Variable, create_graph: bool) -> Any:
    """What stands in `y.grad`, else ones; an array without `create_graph`."""
    gy = new_variable(ones_like(y._data)) if y.grad is None else as_variable(y.grad)
    gy = fitted(gy, y, "the gradient to begin with")
    return gy if create_graph else as_scalar(gy._data)


def with_earlier(x: Variable, gradient: Any, is_start: bool) -> Variable:
    """A gradient, and what earlier calls of backward have left there."""
    gx = gradient if isinstance(gradient, Variable) else new_variable(gradient)
    # The gradient that the walk began with is used up.
    if x.grad is None or is_start:
        return gx
    earlier: Variable = fitted(as_variable(x.grad), x, "the earlier gradient")
    return earlier + gx


# --- into a function and out of it ----------------------------------------------------


def gradients_of_outputs(f: Function, grads: dict[Variable, Any]) -> Sequence[Any]:
    """Take the gradients of the outputs of `f` out of `grads`."""
    outputs = f._outputs
    if type(outputs) is not tuple:
        return (grads.pop(outputs()),)
    ys: list[Any] = [ref() for ref in outputs]
    return zeros_for_missing(f, [grads.pop(y, None) for y in ys])


def copies_of_gradients(f: Function, grads: dict[Variable, Any]) -> dict[Variable, Any]:
    """Copies of the gradients of the outputs of `f`."""
    ys = [ref() for ref in f.outputs]
    return {y: copied(grads[y]) for y in ys if y in grads}


def zeros_for_missing(f: Function, gys: list[Any]) -> list[Any]:
    """An output that nothing was made of, or that was dropped, has no influence."""
    known = next(gy for gy in gys if gy is not None)
    data = unwrap(known)
    zeros: list[Any] = [
        np.zeros_like(data, dtype, shape=shape) for shape, dtype in f._forms
    ]
    if isinstance(known, Variable):
        zeros = [new_variable(zero) for zero in zeros]
    return [zero if gy is None else gy for gy, zero in zip(gys, zeros, strict=True)]


def one_for_each_input(f: Function, gxs: Any) -> Any:
    """What a function's rule returned, as a tuple of as many as it has inputs."""
    if type(gxs) is not tuple:
        gxs = tuple(gxs) if isinstance(gxs, list) else (gxs,)
    if len(gxs) != len(f.inputs):
        raise ValueError(messages.wrong_count(f, gxs))
    return gxs


# --- the form of a gradient, and whose memory it is -----------------------------------


def fitted(gx: Any, x: Variable, source: Function | str, as_box: bool = False) -> Any:
    """A gradient for `x`, of its shape and dtype; in a Variable if `as_box`."""
    if as_box and not isinstance(gx, Variable):
        gx = as_variable(gx)
    data = x._data
    if as_box and type(gx._data) is type(data) in FLOAT_SCALARS:
        return gx
    if gx.shape != data.shape:
        if isinstance(source, str) or not source.broadcasts:
            raise ValueError(messages.wrong_shape(x, gx, source))
        gx = SumTo(data.shape).on(gx)
    if data.dtype.kind != "f":
        raise TypeError(messages.whole_numbers(x))
    return gx if gx.dtype == data.dtype else gx.astype(data.dtype)


def uses_of_memory(values: Sequence[Any]) -> dict[int, int]:
    """How many of the values have their memory from one array, by that array's id."""
    uses: dict[int, int] = {}
    for value in values:
        key = id(owner(unwrap(value)))
        uses[key] = uses.get(key, 0) + 1
    return uses


def is_fresh(gx: Any, f: Function, memory: dict[int, int]) -> bool:
    """Whether nobody else uses the memory of a gradient that `f` has returned.

    Functions may return what they were given, or a view of it, or one thing twice.
    """
    array = unwrap(gx)
    alone = array.base is None and memory.get(id(array), 1) == 1
    return f.returns_fresh and alone


def copied(gx: Any) -> Any:
    """The same numbers in memory of their own."""
    return gx.astype(gx.dtype) if isinstance(gx, Variable) else gx.copy()


Variable.backward = backward
