"""The backward pass: from a result to the leaves. Source: steps 7, 8, 13–18 and 32."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from typing import Any, NoReturn

import numpy as np

from ..deprecated import old_names_of
from ..from_pytorch import unknown_argument
from . import messages
from .arrays import FLOAT_SCALARS, as_scalar, ones_like, owner
from .function import Function
from .operators import SumTo
from .settings import Config
from .variable import Variable, as_variable, new_variable, unwrap

__all__ = ["walk"]


def backward(
    self: Variable,
    retain_grad: bool = False,
    create_graph: bool = False,
    **unknown: NoReturn,
) -> None:
    """Add to every leaf's `grad` the gradient of this Variable. Source: book steps 7,
    14–18 and 32.

    Parameters
    ----------
    retain_grad : bool, optional
        Also keep the gradients of intermediate Variables, including this one's.
    create_graph : bool, optional
        Record the graph of the gradients, so that they can be differentiated. A
        Variable and such a gradient refer to each other; :meth:`cleargrad` frees both
        without the garbage collector.

    Raises
    ------
    RuntimeError
        If no function made this Variable, or its creator was not recorded.
    TypeError
        If integer data would receive a gradient.
    ValueError
        If a function's backward returns too few or too many gradients, or one of the
        wrong shape.

    Notes
    -----
    The pass starts from `grad` if it was set beforehand, else from ones. If it fails,
    no gradient changes. Derivatives are taken at the data that the Variables hold when
    backward runs: between forward and backward, do not assign `data` or change it in
    place.

    Threads that run backward on the same parameters at the same time lose gradients:
    give each thread its own copy of the model, and add up the gradients.
    """
    if unknown:
        raise unknown_argument("backward", unknown)
    if self.creator is None:
        raise RuntimeError(messages.no_way_back(self))
    # Written out, because `using_config` takes longer than a small graph.
    enabled = Config.enable_backprop
    Config.enable_backprop = create_graph
    try:
        gy = choose_first_gradient(self, create_graph)
        grads = walk(self, gy, retain_grad, create_graph)
        sums = {x: add_earlier_gradient(x, gx, x is self) for x, gx in grads.items()}
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
    """Walk from `y` to the leaves, and return their gradients, without changing a
    Variable.

    The gradients are like `gy`, the gradient of `y`: Variables with `create_graph`,
    else arrays. A function is processed once the gradients of its outputs are complete.
    So the highest generation goes first, and a heap finds it in O(log n) (book step
    16). `mark(f, gys, gxs)` may replace what a function returns: see `detached.py`.
    """
    grads: dict[Variable, Any] = {y: gy}
    take = grads.get if retain_grad else grads.pop
    first: Any = y.creator
    queue = [(-first.generation, 0, first)]
    queued = {first}  # so far: each function is queued once
    uses: dict[Function, dict[int, int]] = {}
    while queue:
        _, _, f = heappop(queue)
        gys = take_output_gradients(f, take)
        gxs = f._differentiate(gys, create_graph)
        if mark:
            gxs = mark(f, gys, gxs)
        for x, gx in zip(f.inputs, gxs):  # noqa: B905 (counted; strict is slower)
            if gx is not None and isinstance(x, Variable):
                accumulate(grads, x, gx, f, gys, gxs, uses)
                creator = x.creator
                if creator is not None and creator not in queued:
                    heappush(queue, (-creator.generation, len(queued), creator))
                    queued.add(creator)
    return copy_retained(grads) if retain_grad else grads


def accumulate(
    grads: dict[Variable, Any],
    x: Variable,
    gx: Any,
    f: Function,
    gys: Sequence[Any],
    gxs: Sequence[Any],
    uses: dict[Function, dict[int, int]],
) -> None:
    """Add `gx`, one of the `gxs` that `f` returned for `gys`, to the gradient of `x`.
    `uses` caches how often `f` uses each array's memory, for its next input.
    """
    # Two scalars of the same type match; anything else is checked.
    if type(gx) is not type(x._data) or type(gx) not in FLOAT_SCALARS:
        gx = as_variable(gx) if isinstance(gys[0], Variable) else gx
        gx = match_shape_and_dtype(gx, x, f)
    if x.creator is not None:
        grads[x] = grads[x] + gx if x in grads else gx
    elif x in grads:
        # The gradient of a leaf has memory of its own, so it can be added to in place.
        grads[x] += gx
    elif type(gx) in FLOAT_SCALARS:
        grads[x] = gx
    else:
        # A leaf's gradient must not share memory.
        if f not in uses:
            uses.clear()
            uses[f] = count_by_owner([*gys, *f.inputs, *gxs])
        grads[x] = gx if is_fresh(gx, f, uses[f]) else copy_gradient(gx)


# --- where the walk begins and ends ---------------------------------------------------


def choose_first_gradient(y: Variable, create_graph: bool) -> Any:
    """Return `y.grad` if it is set, else ones; as an array without `create_graph`."""
    gy = new_variable(ones_like(y._data)) if y.grad is None else as_variable(y.grad)
    gy = match_shape_and_dtype(gy, y, "the initial gradient")
    return gy if create_graph else as_scalar(gy._data)


def add_earlier_gradient(x: Variable, gradient: Any, is_start: bool) -> Variable:
    """Add to a gradient what earlier calls of backward left in `x.grad`."""
    gx = gradient if isinstance(gradient, Variable) else new_variable(gradient)
    # The gradient that backward started from has been used.
    if x.grad is None or is_start:
        return gx
    earlier: Variable = match_shape_and_dtype(
        as_variable(x.grad), x, "the earlier gradient"
    )
    return earlier + gx


# --- into a function ------------------------------------------------------------------


def take_output_gradients(f: Function, take: Callable[..., Any]) -> Sequence[Any]:
    """Return the gradients of the outputs of `f`, each obtained with `take`."""
    outputs = f._outputs
    if type(outputs) is not tuple:
        return (take(outputs()),)
    ys: list[Any] = [ref() for ref in outputs]
    return replace_missing_by_zeros(f, [take(y, None) for y in ys])


def replace_missing_by_zeros(f: Function, gys: list[Any]) -> list[Any]:
    """Return zeros for outputs without a gradient: those unused or dropped."""
    known = next(gy for gy in gys if gy is not None)
    data = unwrap(known)
    zeros: list[Any] = [
        np.zeros_like(data, dtype, shape=shape) for shape, dtype in f._output_specs
    ]
    if isinstance(known, Variable):
        zeros = [new_variable(zero) for zero in zeros]
    return [zero if gy is None else gy for gy, zero in zip(gys, zeros, strict=True)]


# --- the shape and the dtype of a gradient, and whose memory it is --------------------


def match_shape_and_dtype(gx: Any, x: Variable, source: Function | str) -> Any:
    """Convert a gradient to the shape and dtype of `x`; `source` says where the
    gradient comes from, for error messages.
    """
    data = x._data
    if isinstance(gx, Variable) and type(gx._data) is type(data) in FLOAT_SCALARS:
        return gx
    if gx.shape != data.shape:
        if isinstance(source, str) or not source.broadcasts:
            raise ValueError(messages.wrong_shape(x, gx, source))
        gx = SumTo(data.shape).apply(gx)
    if data.dtype.kind != "f":
        raise TypeError(messages.whole_numbers(x))
    return gx if gx.dtype == data.dtype else gx.astype(data.dtype)


def count_by_owner(values: Sequence[Any]) -> dict[int, int]:
    """Count the values that share memory, by the id of the array that owns it."""
    counts: dict[int, int] = {}
    for value in values:
        key = id(owner(unwrap(value)))
        counts[key] = counts.get(key, 0) + 1
    return counts


def is_fresh(gx: Any, f: Function, uses: dict[int, int]) -> bool:
    """Return whether nothing else uses the memory of a gradient that `f` returned.

    Functions may return their arguments, views of them, or the same array twice.
    """
    array = unwrap(gx)
    is_alone = array.base is None and uses.get(id(array), 1) == 1
    return f.returns_fresh and is_alone


def copy_retained(grads: dict[Variable, Any]) -> dict[Variable, Any]:
    """Give intermediate gradients their own memory; those of leaves already have it."""
    return {
        x: gx if x.creator is None else copy_gradient(gx) for x, gx in grads.items()
    }


def copy_gradient(gx: Any) -> Any:
    """Copy a gradient's numbers to new memory."""
    return gx.astype(gx.dtype) if isinstance(gx, Variable) else gx.copy()


__getattr__ = old_names_of(__name__)
