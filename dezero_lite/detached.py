"""Gradients that are correct, but whose graph is incomplete. No step explains it.

A user's backward may compute with arrays, as every backward does in the book before
step 32. Derivatives of its gradients would then silently miss a part. So the function
transforms and `gradient_check` let `walk` mark such gradients, and warn if they
differentiate them.
"""

from __future__ import annotations

import copy
import sys
import traceback
import warnings
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np

from .core import Config, Function, Primitive, Variable, as_variable, using_config
from .core.function import is_batched, wants_gradient
from .core.types import Array, Value

STEP = 1e-4


class IncompleteGradient(Primitive):
    """Gradient `i` of `f`. Its graph does not include the Variables `unseen`, which are
    inputs of `f` or gradients of its outputs, `gys`.
    """

    def __init__(self, f: Function, gys: Any, i: int, unseen: Any) -> None:
        self.f, self.gys, self.i, self.unseen = f, gys, i, unseen

    def forward(self, gx: Array) -> Array:
        return gx

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        return IncompleteGradient(self.f, self.gys, self.i, self.unseen).apply(gy)

    def changes_with(self, moving: Collection[Variable]) -> bool:
        """Return whether the gradient changes when the Variables in `moving` do."""
        # The gradient of a linear function rightly ignores its inputs, so only a
        # numerical test shows whether detaching was wrong.
        rng = np.random.default_rng(0)

        def draw(v: Variable) -> Any:
            return np.asarray(rng.normal(size=v.shape), like=v.data)

        variables, n = (*self.f.inputs, *self.gys), len(self.f.inputs)
        points = [_as_double(x) for x in self.f.inputs] + [draw(gy) for gy in self.gys]
        ways = [draw(v) if v in moving else None for v in variables]

        def gradient(step: float) -> Any:
            pairs = zip(points, ways, strict=True)
            moved = [p if way is None else p + step * way for p, way in pairs]
            f = copy.copy(self.f)
            f.inputs = ()
            ys = f(*[Variable(x) for x in moved[:n]])
            gxs = f._differentiate(moved[n:], create_graph=False)
            del ys  # kept until here, because backward may refer to them
            return gxs[self.i]

        def slope(step: float) -> Any:
            return (gradient(step) - gradient(-step)) / (2 * step)

        with using_config("enable_backprop", True), np.errstate(all="ignore"):
            far, near, size = slope(STEP), slope(STEP / 2), np.abs(gradient(0))
        # A jump, as at the corner of a relu or between two draws of dropout, is not a
        # slope: the difference quotient doubles when the step is halved.
        steady = np.isclose(far, near, rtol=0.1, atol=0)
        return bool(np.any(steady & (np.abs(near) > 1e-8 * np.max(size, initial=0))))


def mark_detached(
    f: Function, gys: Sequence[Any], gxs: tuple[Any, ...]
) -> tuple[Any, ...]:
    """Mark the gradients that `f` has returned for `gys`, if `f` is a user's function
    and their graph is incomplete.
    """
    # Inside vmap, the graph is that of whole batches, which cannot be seen from here.
    is_unseen = any(map(is_batched, gys)) or not Config.enable_backprop
    if isinstance(f, Primitive) or is_unseen:
        return gxs
    sources = {v for v in (*f.inputs, *gys) if wants_gradient(v)}

    def mark(i: int, gx: Variable) -> Variable:
        inputs = [x for g in _functions_behind([gx], sources) for x in g.inputs]
        unseen = sources.difference([gx], _variables(inputs))
        return IncompleteGradient(f, gys, i, unseen)(gx) if unseen else gx

    return tuple(
        [gx if gx is None else mark(i, as_variable(gx)) for i, gx in enumerate(gxs)]
    )


def warn_of_detached(
    ys: Iterable[Variable],
    xs: Iterable[Variable],
    what: str = "second-order gradient",
) -> bool:
    """Warn if derivatives of the `ys` with respect to the `xs`, named `what` in the
    warning, miss a part; return whether they do.
    """
    moving = set(xs)
    functions = _functions_behind(ys, moving)
    marks = [g for g in functions if isinstance(g, IncompleteGradient)]
    if not marks:
        return False
    for g in sorted(functions, key=lambda g: g.generation):
        if not moving.isdisjoint(_variables(g.inputs)):
            moving.update([y for ref in g.outputs if (y := ref()) is not None])
    missing = [
        _message(mark.f, what)
        for mark in marks
        if mark.unseen & moving and mark.changes_with(mark.unseen & moving)
    ]
    for message in sorted(set(missing)):
        warnings.warn(message, stacklevel=_find_user_frame())
    return bool(missing)


def _message(f: Function, what: str) -> str:
    name = type(f).__name__
    return (
        f"the gradient of {name} is right, but has no graph, so the {what} is missing: "
        f"{name}.backward computes with arrays; compute with self.inputs and the "
        "gradients that it receives, which are Variables"
    )


def _functions_behind(ys: Iterable[Variable], ends: Any) -> set[Function]:
    # Follow the graph back to the Variables in `ends`, and from a marked gradient also
    # to the Variables that its graph leaves out.
    found: set[Function] = set()
    waiting: list[Any] = list(ys)
    while waiting:
        x = waiting.pop()
        g = x.creator if x not in ends else None
        if g is not None and g not in found:
            found.add(g)
            waiting += _variables(g.inputs)
            waiting += g.unseen if isinstance(g, IncompleteGradient) else ()
    return found


def _variables(values: Iterable[Any]) -> list[Variable]:
    return [x for x in values if isinstance(x, Variable)]


def _as_double(x: Variable) -> Any:
    return x.data.astype(float) if wants_gradient(x) else x.data


def _find_user_frame() -> int:
    # The stacklevel, for our caller, of the code that called the package.
    package = __name__.partition(".")[0] + "."
    frames = traceback.walk_stack(sys._getframe(1))
    names = [frame.f_globals.get("__name__", "") for frame, _ in frames]
    return next((i for i, n in enumerate(names, 1) if not n.startswith(package)), 1)
