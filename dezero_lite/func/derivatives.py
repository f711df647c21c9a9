"""Derivatives of functions: `jvp` in forward mode, `vjp` in reverse mode, and their
combinations. Step 89 explains them.

Each transform gives `f` new Variables that nothing else refers to, so nested
derivatives do not mistake each other's inputs for their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .. import functions as F
from ..core import (
    Variable,
    as_variable,
    describe,
    using_config,
)
from ..core.backward import match_shape_and_dtype
from ..core.types import Array
from ..detached import warn_of_detached
from ..graph import functions_behind
from .batching import Level, require_result
from .jvp_rules import (
    apply_jvp_rule,
    as_tuple,
    compute_gradients,
    end_graphs_at,
    make_leaves,
    match_tuple,
    zeros_like,
)


def jvp(f: Callable[..., Any], xs: Any, vs: Any) -> tuple[Any, Any]:
    """Compute ``f(*xs)`` and its derivative along `vs`: the Jacobian times a vector, in
    forward mode.

    Parameters
    ----------
    f : callable
        Takes one Variable for each of the `xs`; returns one, or a tuple of them.
    xs : tuple of Variable or ndarray
        The point, of floating-point numbers.
    vs : tuple of Variable or ndarray
        The direction, with the shapes of the `xs`.

    Returns
    -------
    y : Variable, or a tuple of them
        ``f(*xs)``.
    ty : Variable, or a tuple of them
        The derivative along `vs`, of the shape of `y`.

    Raises
    ------
    TypeError
        If `xs` are whole numbers.
    ValueError
        If the number or the shapes of the `vs` do not match the `xs`.

    Notes
    -----
    The graph of `f` is recorded first, and the tangents then follow it; so it takes as
    much memory as backward.

    Examples
    --------
    >>> x, v = np.array([1.0, 2.0]), np.array([1.0, 0.0])
    >>> jvp(lambda x: x * x, (x,), (v,))
    (variable([1. 4.]), variable([2. 0.]))
    """
    xs, vs = as_tuple(xs), as_tuple(vs)
    if len(xs) != len(vs):
        raise ValueError(f"there are {len(xs)} inputs, but {len(vs)} directions")
    if level := Level.innermost():
        batches = [level.whole_batch(x) for x in xs], [level.whole_batch(v) for v in vs]
        with level.suspend():
            ys, tys = jvp(level.lift(f), *batches)
        return level.wrap(ys), level.wrap(tys)
    leaves = make_leaves(xs)
    tangents = {}
    for x, v in zip(leaves, vs, strict=True):
        if np.shape(v) != x.shape:
            raise ValueError(
                f"a direction has the shape of its input, but the input is "
                f"{describe(x)}, the direction {describe(v)}"
            )
        tangents[x] = as_variable(v).astype(x.dtype)
    with using_config("enable_backprop", True):
        ys = require_result(f(*leaves))
    outputs = [as_variable(y) for y in as_tuple(ys)]
    warn_of_detached(outputs, leaves)
    with end_graphs_at(leaves):
        functions = {g for y in outputs for g in functions_behind(y)}
    for g in sorted(functions, key=lambda g: g.generation):
        ts = [tangents.get(x) if isinstance(x, Variable) else None for x in g.inputs]
        if any([t is not None for t in ts]):
            tangents.update(apply_jvp_rule(g, ts))
    tys = [tangents[y] if y in tangents else zeros_like(y) for y in outputs]
    return match_tuple(ys, outputs), match_tuple(ys, tys)


def vjp(f: Callable[..., Any], *xs: Any) -> tuple[Any, Callable[[Any], Any]]:
    """Compute ``f(*xs)``, and return a function that maps gradients of the results to
    those of the `xs`: a vector times the Jacobian, in reverse mode.

    Parameters
    ----------
    f : callable
        Takes one Variable for each of the `xs`; returns one, or a tuple of them.
    *xs : Variable or ndarray
        The point, of floating-point numbers.

    Returns
    -------
    y : Variable, or a tuple of them
        ``f(*xs)``.
    pull : callable
        Maps the gradient of `y` (a tuple if `y` is one) to the gradients of the `xs`,
        always a tuple. It can be called repeatedly.

    Raises
    ------
    TypeError
        If `xs` are whole numbers.

    Examples
    --------
    >>> y, pull = vjp(lambda a, b: a * b, np.array(3.0), np.array(5.0))
    >>> pull(np.array(1.0))
    (variable(5.0), variable(3.0))
    """
    if level := Level.innermost():
        with level.suspend():
            ys, back = vjp(level.lift(f), *[level.whole_batch(x) for x in xs])
        return level.wrap(ys), lambda gys: level.wrap(back(level.unwrap(gys)))
    leaves = make_leaves(xs)
    with using_config("enable_backprop", True):
        ys = require_result(f(*leaves))
    outputs = [as_variable(y) for y in as_tuple(ys)]
    warn_of_detached(outputs, leaves)

    def pull(gys: Any) -> tuple[Variable, ...]:
        if len(as_tuple(gys)) != len(outputs):
            raise ValueError(
                f"pull takes a gradient for each of {len(outputs)} results, but was "
                f"given {len(as_tuple(gys))}"
            )
        seeds = zip(outputs, as_tuple(gys), strict=True)
        given = "the initial gradient"
        pairs = [
            (y, match_shape_and_dtype(as_variable(gy), y, given)) for y, gy in seeds
        ]
        with end_graphs_at(leaves):
            grads = compute_gradients(pairs)
        return tuple([grads[x] if x in grads else zeros_like(x) for x in leaves])

    return match_tuple(ys, outputs), pull


def grad(f: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., Any]:
    """Return a function that computes the gradient of `f`.

    Parameters
    ----------
    f : callable
        Takes Variables and returns one number, a Variable.
    argnums : int or tuple of int, optional
        The arguments with respect to which to differentiate; negative numbers count
        from the last.

    Returns
    -------
    callable
        Takes the arguments of `f`, and returns the gradient: a Variable, or a tuple of
        them if `argnums` is a tuple.

    Raises
    ------
    TypeError
        When called, if `argnums` holds anything but whole numbers.
    ValueError
        When called, if `f` does not return one number, or if `argnums` names a missing
        argument, or the same one twice.

    Examples
    --------
    >>> cube = lambda x: x**3
    >>> grad(cube)(np.array(2.0)), grad(grad(cube))(np.array(2.0))
    (variable(12.0), variable(12.0))
    """

    def gradient(*args: Any) -> Any:
        places = places_of(argnums, len(args))

        def of(*xs: Any) -> Any:
            replaced = dict(zip(places, xs, strict=True))
            return f(*[replaced.get(i, arg) for i, arg in enumerate(args)])

        y, pull = vjp(of, *[args[i] for i in places])
        if getattr(y, "size", 0) != 1:
            raise ValueError(f"grad is for functions of one result, not {describe(y)}")
        return match_tuple(argnums, pull(np.ones(y.shape, y.dtype)))

    return gradient


def places_of(argnums: Any, n: int) -> list[int]:
    """Return the positions, from 0, that `argnums` selects among `n` arguments."""
    for i in as_tuple(argnums):
        if not isinstance(i, (int, np.integer)):
            raise TypeError(
                f"argnums is a whole number or a tuple of them, not {argnums!r}"
            )
        if not -n <= i < n:
            raise ValueError(
                f"argnums is {argnums}, but the function was called with {n} arguments,"
                f" so there is no argument {i}"
            )
    places = [int(i) % n for i in as_tuple(argnums)]
    if len(set(places)) < len(places):
        raise ValueError(
            f"argnums is {argnums}, which names one of {n} arguments twice: name each "
            "once"
        )
    return places


def hvp(f: Callable[..., Any], xs: Any, vs: Any) -> Any:
    """Compute the Hessian of `f` times a vector, without the Hessian: as the forward
    derivative of the gradient.

    Parameters
    ----------
    f : callable
        Takes Variables and returns one number, a Variable.
    xs, vs : Variable or ndarray, or a tuple of them
        The point and the direction.

    Returns
    -------
    Variable, or a tuple of them
        Of the shapes of `xs`.

    Examples
    --------
    >>> x, v = np.array([1.0, 2.0]), np.array([1.0, 0.0])
    >>> hvp(lambda x: (x**3).sum(), x, v)
    variable([6. 0.])
    """
    gradient = grad(f, tuple(range(len(as_tuple(xs)))))
    return match_tuple(xs, jvp(gradient, xs, vs)[1])


def jacobian(f: Callable[..., Any], x: Any, mode: str | None = None) -> Variable:
    """Compute all derivatives of ``f(x)`` with respect to `x`.

    Parameters
    ----------
    f : callable
        Takes a Variable and returns one.
    x : Variable or ndarray
        The point.
    mode : {"forward", "reverse"}, optional
        Column by column, with a call of `jvp` for each number of `x`, or row by row,
        with a backward pass for each number of ``f(x)``. Default: whichever needs
        fewer.

    Returns
    -------
    Variable
        Its shape is that of ``f(x)`` followed by that of `x`.

    Raises
    ------
    ValueError
        If `f` returns a tuple, `x` or ``f(x)`` has no elements, or `mode` is not one of
        these.

    Examples
    --------
    >>> jacobian(lambda x: x * x, np.array([1.0, 2.0]))
    variable([[2. 0.]
              [0. 4.]])
    """
    if mode not in (None, "forward", "reverse"):
        raise ValueError(f"mode is 'forward' or 'reverse', not {mode!r}")
    x = as_variable(x)
    y, pull = vjp(f, x)
    if not isinstance(y, Variable):
        raise ValueError(
            f"jacobian is for functions that return one Variable, not {describe(y)}: "
            "take one of its elements, as in lambda x: f(x)[0]"
        )
    if not x.size or not y.size:
        raise ValueError(
            f"a Jacobian has an element for each of x and of f(x), but x is "
            f"{describe(x)}, f(x) is {describe(y)}"
        )
    if mode == "forward" or (mode is None and x.size < y.size):
        columns = [jvp(f, x, v)[1].reshape(-1) for v in directions(x)]
        return F.stack(columns, axis=1).reshape(*y.shape, *x.shape)
    rows = [pull(gy)[0].reshape(-1) for gy in directions(y)]
    return F.stack(rows).reshape(*y.shape, *x.shape)


def directions(x: Variable) -> Iterator[Array]:
    """Yield, for each number of `x`, an array with a 1 there and 0 elsewhere."""
    for i in range(x.size):
        v = np.zeros(x.shape, x.dtype)
        v.flat[i] = 1
        yield v
