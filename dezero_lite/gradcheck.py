"""Checks of backward's gradients against numerical ones. Steps 4 and 10 explain the
idea.

Numerical gradients are differences of function values, which need no calculus. The
outputs are weighted at random, because with equal weights, wrong gradients may cancel:
the outputs of softmax always sum to 1, so their plain sum looks constant.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .core import (
    Function,
    Variable,
    as_array,
    no_grad,
    unwrap,
    using_config,
    walk,
)
from .detached import mark_detached, warn_of_detached

Array = NDArray[Any]
EPS = 1e-4


def numerical_grad(
    f: Callable[..., Any], x: Variable | Array, *args: Any, **kwargs: Any
) -> Array:
    """Compute the gradient, with respect to `x`, of the sum of ``f(x, *args,
    **kwargs)`` from differences of function values.

    Parameters
    ----------
    f : callable
        Takes Variables; returns a Variable, an array, or a tuple of them.
    x : Variable or ndarray
        The point at which to differentiate. It is not changed; `f` gets float64 copies.
    *args, **kwargs : Any
        Passed to `f`.

    Returns
    -------
    ndarray
        Of the shape of `x`, and float64.

    Notes
    -----
    Source: book steps 4 and 10. `f` is called twice for each element of `x`.
    """

    def value(moved: Array) -> float:
        ys = _several(_call(f, Variable(moved), *args, **kwargs))
        return sum(float(np.sum(unwrap(y))) for y in ys)

    with no_grad():
        (slopes,) = _slopes(value, [np.array(unwrap(x), dtype=float)])
    return slopes


def gradient_check(
    f: Callable[..., Any],
    x: Variable | Array,
    *args: Any,
    rtol: float = 1e-4,
    atol: float = 1e-5,
    **kwargs: Any,
) -> bool:
    """Check backward through `f`: values, shapes, dtypes, memory, and second
    derivatives.

    Parameters
    ----------
    f : callable
        Takes Variables; returns a Variable or a tuple of them, and must be
        deterministic.
    x : Variable or ndarray
        The first input; whole numbers are converted to float64.
    *args : Any
        Further inputs. The floating-point Variables among them are also checked;
        anything else is a constant.
    rtol, atol : float, optional
        The relative and absolute tolerances for the difference between backward and the
        numerical gradients.
    **kwargs : Any
        Passed to `f`.

    Returns
    -------
    bool
        False if something is wrong; a message has then been printed. A gradient without
        a graph, as in the book's step 27, is judged only by the first derivative, with
        a warning.

    Notes
    -----
    Source: book step 10. No Variable is changed, neither the inputs nor others that `f`
    uses.
    """
    first = x if isinstance(x, Variable) else Variable(as_array(x))
    if first.dtype.kind != "f":
        first = first.astype(float)
    outputs = lambda *xs: _several(_call(f, *xs, **kwargs))
    try:
        _Check(outputs, [first, *args], rtol, atol).run()
    except _Wrong as wrong:
        print(f"gradient_check failed: {wrong}")
        return False
    return True


def _call(f: Callable[..., Any], *xs: Any, **kwargs: Any) -> Any:
    # A Function records only one call, so each call uses a copy.
    return (copy.copy(f) if isinstance(f, Function) else f)(*xs, **kwargs)


class _Wrong(Exception):
    pass


class _Check:
    def __init__(
        self, f: Callable[..., Any], inputs: list[Any], rtol: float, atol: float
    ) -> None:
        self.f, self.inputs, self.rtol, self.atol = f, inputs, rtol, atol
        self.checked = [
            i
            for i, x in enumerate(inputs)
            if isinstance(x, Variable) and x.dtype.kind == "f"
        ]
        self.points = [inputs[i].data.copy() for i in self.checked]
        # The same seed in every check, so that a failure can be reproduced.
        self.rng = np.random.default_rng(0)

    def run(self) -> None:
        with no_grad():
            ys = self.call(self.variables(self.points))
        weights = [self.random(y) for y in ys]
        vectors = [self.random(x) for x in self.points]
        # In float64, so that small differences are not lost.
        points = [x.astype(float) for x in self.points]

        def value(*arrays: Array) -> float:
            with no_grad():
                ys = self.call(self.variables(arrays))
            return _dot(weights, [y.data for y in ys])

        def slope(*arrays: Array) -> float:
            xs = self.variables(arrays)
            return _dot(vectors, _gradients(self.call(xs), weights, xs))

        xs = self.variables(self.points)
        ys = self.call(xs)
        gxs = _gradients(ys, weights, xs)
        self.check_form(gxs, xs)
        self.check_values("gradient", gxs, list(_slopes(value, points)))
        self.check_memory(gxs, _gradients(ys, weights, xs), xs, ys)

        graph = _gradients(ys, weights, xs, create_graph=True)
        self.check_values("gradient with create_graph", [g.data for g in graph], gxs)
        second = _gradients(graph, vectors, xs)
        slopes = list(_slopes(slope, points))
        try:
            self.check_values("second-order gradient", second, slopes)
        except _Wrong:
            if not warn_of_detached(graph, xs):
                raise

    def variables(self, arrays: Sequence[Array]) -> list[Variable]:
        return [Variable(array.copy()) for array in arrays]

    def call(self, xs: list[Variable]) -> Any:
        inputs = list(self.inputs)
        for i, x in zip(self.checked, xs, strict=True):
            inputs[i] = x
        return self.f(*inputs)

    def random(self, like: Any) -> Array:
        sign = self.rng.choice([-1.0, 1.0], like.shape)
        return np.asarray(sign * self.rng.uniform(0.5, 1.5, like.shape))

    def name(self, k: int) -> str:
        x = self.inputs[self.checked[k]]
        return f"input {self.checked[k]}" + (f" ({x.name})" if x.name else "")

    def check_form(self, gxs: list[Array], xs: list[Variable]) -> None:
        for k, (gx, x) in enumerate(zip(gxs, xs, strict=True)):
            if gx.shape != x.shape or gx.dtype != x.dtype:
                raise _Wrong(
                    f"{self.name(k)} is {x.dtype} {x.shape}, but its gradient is "
                    f"{gx.dtype} {gx.shape}"
                )

    def check_values(self, what: str, found: list[Array], right: list[Array]) -> None:
        for k, (gx, numbers) in enumerate(zip(found, right, strict=True)):
            wrong = ~np.isclose(gx, numbers, rtol=self.rtol, atol=self.atol)
            if wrong.any():
                far = np.where(wrong, np.abs(gx - numbers), -1)
                worst = np.unravel_index(np.argmax(far), wrong.shape)
                at = f" at {tuple(int(i) for i in worst)}" if worst else ""
                raise _Wrong(
                    f"the {what} of {self.name(k)} is wrong in {wrong.sum()} of "
                    f"{wrong.size} elements: backward returned {gx[worst]:.6g}{at}, "
                    f"but the slope is {numbers[worst]:.6g}"
                )

    def check_memory(
        self, gxs: list[Array], again: list[Array], xs: list[Variable], ys: Any
    ) -> None:
        for k, (x, point) in enumerate(zip(xs, self.points, strict=True)):
            if not np.array_equal(x.data, point, equal_nan=True):
                raise _Wrong(f"{self.name(k)} was modified in place")
        self.check_values("gradient by a second backward", again, gxs)
        others = [v.data for v in (*xs, *ys)] + again
        for k, gx in enumerate(gxs):
            shared = any(np.shares_memory(gx, other) for other in others + gxs[:k])
            if shared or not gx.flags.writeable:
                gradient = f"the gradient of {self.name(k)}"
                raise _Wrong(f"{gradient} shares its memory with another array")


def _gradients(
    ys: Any, weights: list[Array], xs: list[Variable], create_graph: bool = False
) -> list[Any]:
    # The gradients of the weighted sum of all ys with respect to each of the xs,
    # without storing them in the xs.
    kind: Any = Variable if create_graph else np.asarray
    totals: list[Any] = [None] * len(xs)
    for y, weight in zip(ys, weights, strict=True):
        given = weight.astype(y.dtype)
        seed = kind(given.copy())
        found = {y: seed}
        try:
            with using_config("enable_backprop", create_graph):  # as `backward` does
                if y.creator:
                    mark = mark_detached if create_graph else None
                    found = walk(y, seed, create_graph=create_graph, mark=mark)
        except (TypeError, ValueError) as error:
            raise _Wrong(str(error)) from error
        if not np.array_equal(unwrap(seed), given):
            raise _Wrong("the gradient received from the output was modified in place")
        for k, x in enumerate(xs):
            if x in found:
                totals[k] = found[x] if totals[k] is None else totals[k] + found[x]
    return [
        kind(np.zeros_like(x.data)) if g is None else g if create_graph else kind(g)
        for g, x in zip(totals, xs, strict=True)
    ]


def _slopes(value: Callable[..., float], points: list[Array]) -> Iterator[Array]:
    for x in points:
        slopes = np.zeros_like(x)
        for i in np.ndindex(x.shape):
            middle = x[i]
            x[i] = middle + EPS
            high = value(*points)
            x[i] = middle - EPS
            low = value(*points)
            x[i] = middle
            slopes[i] = (high - low) / (2 * EPS)
        yield slopes


def _dot(weights: list[Array], arrays: Sequence[Array]) -> float:
    return float(sum(np.sum(w * a) for w, a in zip(weights, arrays, strict=True)))


def _several(ys: Any) -> tuple[Any, ...]:
    return tuple(ys) if isinstance(ys, (tuple, list)) else (ys,)
