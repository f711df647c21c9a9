"""One program for all examples: `vmap`. Step 90 explains it.

Inside ``vmap(f)``, each argument of `f` looks like one example, but represents a whole
batch, along axis 0 of its `values` (`Batched`). A function called with such arguments
does not compute directly. Instead, its *batching rule* calls functions on the batches
that do to all examples what the call would do to one. So the graph is an ordinary one,
and gradients pass. The rules are in `batching_rules`.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any, NoReturn

import numpy as np

from .. import functions as F
from ..core import (
    Function,
    Primitive,
    Variable,
    as_variable,
    describe,
)
from ..core.types import Array

__all__ = ["vmap"]


def vmap(f: Callable[..., Any], in_axes: Any = 0) -> Callable[..., Any]:
    """Return a function that does to a batch what `f` does to one example, without a
    loop.

    Parameters
    ----------
    f : callable
        Takes and returns Variables: one, or a tuple of them. It must consist of
        functions of this package.
    in_axes : int or None, or a tuple of them, optional
        For each argument of `f`, the axis that counts the examples, or ``None`` if all
        examples share it. A single number or ``None`` applies to all arguments.

    Returns
    -------
    callable
        Axis 0 of its results counts the examples.

    Raises
    ------
    ValueError
        If there is no batch, or the batches differ in length.
    TypeError
        If `f` uses the numbers of an example, as ``if x > 0`` does: they differ between
        examples. If it draws random numbers (draw them before, and pass them as another
        argument). If it calls a function without a batching rule.

    Examples
    --------
    >>> rows = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> vmap(lambda x: (x * x).sum())(rows)
    variable([ 5. 25. 61.])
    """

    def mapped(*args: Any) -> Any:
        axes = in_axes if isinstance(in_axes, (tuple, list)) else [in_axes] * len(args)
        size = _batch_length(args, axes)
        with Level(size) as level:
            xs = [
                as_variable(x) if i is None else level.wrap(_move_to_front(x, i))
                for x, i in zip(args, axes, strict=True)
            ]
            return level.unwrap(require_result(f(*xs)))

    return mapped


def require_result(ys: Any) -> Any:
    """Return the result of a function, or raise a TypeError if it is ``None``."""
    if ys is None:
        raise TypeError("the function returned nothing: a `return` is missing")
    return ys


def _move_to_front(x: Any, axis: int) -> Variable:
    x = as_variable(x)
    others = [i for i in range(x.ndim) if i != axis % x.ndim]
    return F.transpose(x, (axis, *others)) if axis % x.ndim else x


def _batch_length(args: Sequence[Any], axes: Sequence[Any]) -> int:
    if len(args) != len(axes):
        raise ValueError(
            f"in_axes has {len(axes)} entries for {len(args)} arguments: it needs one "
            "for each"
        )
    lengths = set()
    for x, i in zip(args, axes, strict=True):
        dims = np.shape(x)
        if not isinstance(i, (int, np.integer, type(None))):
            raise TypeError(
                f"in_axes is a whole number or None, or a tuple of these, not {i!r}"
            )
        if i is not None and not -len(dims) <= i < len(dims):
            raise ValueError(f"there is no axis {i} of examples in {describe(x)}")
        if i is not None:
            lengths.add(dims[i])
    if len(lengths) != 1:
        found = f"they have {sorted(lengths)}" if lengths else "there is no batch"
        raise ValueError(f"vmap needs batches of one length, but {found}")
    return int(lengths.pop())


# --- examples and their batches -------------------------------------------------------

# From a function's class to its rule. A rule is called with the function, its inputs,
# and for each input whether it is a batch; at least one is. It returns the batch of
# results.
RULES: dict[type, Callable[..., Any]] = {}


def rule(*kinds: type) -> Callable[[Any], Any]:
    def note(f: Any) -> Any:
        RULES.update(dict.fromkeys(kinds, f))
        return f

    return note


class Level:
    """One call of vmap. Calls inside it have higher numbers."""

    _serial = count(1)
    _here = threading.local()

    def __init__(self, size: int) -> None:
        self.size, self.number = size, next(self._serial)

    def __enter__(self) -> Level:
        self._here.levels = [*self.active(), self]
        return self

    def __exit__(self, *_: object) -> None:
        self._here.levels = self.active()[:-1]

    @classmethod
    def active(cls) -> list[Level]:
        """Return the calls of vmap around the running code, the outermost first."""
        return getattr(cls._here, "levels", [])

    @classmethod
    def innermost(cls) -> Level | None:
        return cls.active()[-1] if cls.active() else None

    @contextmanager
    def suspend(self) -> Iterator[None]:
        """Suspend this call in a ``with`` block, to compute with whole batches."""
        self._here.levels = self.active()[:-1]
        try:
            yield
        finally:
            self._here.levels = [*self.active(), self]

    def lift(self, f: Callable[..., Any]) -> Callable[..., Any]:
        """Turn `f`, a function of examples, into a function of whole batches."""

        def on_batches(*xs: Any) -> Any:
            with self:
                return self.unwrap(require_result(f(*[Batched(x, self) for x in xs])))

        return on_batches

    def wrap(self, xs: Any) -> Any:
        if isinstance(xs, (tuple, list)):
            return tuple([self.wrap(x) for x in xs])
        return Batched(xs, self)

    def unwrap(self, ys: Any) -> Any:
        if isinstance(ys, (tuple, list)):
            return tuple([self.unwrap(y) for y in ys])
        return self.whole_batch(ys)

    def owns(self, x: Any) -> bool:
        return isinstance(x, Batched) and x.level == self.number

    def whole_batch(self, x: Any) -> Variable:
        """Return all examples of `x`; if they share it, repeat it for each."""
        if self.owns(x):
            return x.values  # type: ignore[no-any-return]
        x = as_variable(x)
        return F.broadcast_to(x, (self.size, *x.shape))


class ShapeOnlyArray(np.ndarray):
    """An array with the shape and dtype of an example, but without its numbers."""

    def __array_ufunc__(self, *_: Any, **__: Any) -> NoReturn:
        raise _no_numbers_error()

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if func in (np.shape, np.ndim, np.size, np.expand_dims, np.squeeze):
            return super().__array_function__(func, types, args, kwargs)
        raise _no_numbers_error()


def _no_numbers_error() -> TypeError:
    return TypeError(
        "inside vmap, a Variable represents every example at once, so you cannot look "
        "at its numbers: use where(x > 0, ...) instead of `if x > 0`, and functions of "
        "Variables instead of x.data"
    )


class Batched(Variable):
    """Looks like one example to `f`, but holds all in `values`, along axis 0."""

    __slots__ = ("_level", "values")
    _is_batched = True

    def __init__(self, values: Any, level: Level) -> None:
        self.values, self._level = values, level
        nothing = np.zeros((), values.dtype)
        self._data = np.broadcast_to(nothing, values.shape[1:]).view(ShapeOnlyArray)
        self.name = self.grad = self.creator = None
        self.generation = 0

    @property
    def level(self) -> int:
        return self._level.number

    def apply(self, f: Function, inputs: Sequence[Any]) -> Any:
        """Call `f` on all examples at once."""
        rule = next((RULES[c] for c in type(f).__mro__ if c in RULES), None)
        if rule is None:
            raise TypeError(
                f"{type(f).__name__} has no batching rule, so vmap cannot call it"
            )
        batched = [self._level.owns(x) for x in inputs]
        xs = [
            x.values if is_batch else x
            for x, is_batch in zip(inputs, batched, strict=True)
        ]
        ys = rule(f, xs, batched)
        if isinstance(ys, tuple):
            return tuple([Batched(y, self._level) for y in ys])
        return Batched(ys, self._level)

    def __repr__(self) -> str:
        return f"one of {self._level.size} examples, of shape {self.shape}"

    def __len__(self) -> int:
        return self.shape[0]

    def detach(self) -> Variable:
        return Batched(self.values.detach(), self._level)

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise _no_numbers_error()

    data = property(_refuse, _refuse)
    item = __bool__ = _refuse

    def backward(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("inside vmap, use grad or vjp of dezero_lite.func")


class Compare(Primitive):
    """A comparison such as a < b, which gradients do not pass."""

    def __init__(self, compare: Any) -> None:
        self.compare = compare

    def forward(self, a: Array, b: Array) -> Array:
        return self.compare(a, b)


def _make_comparison(sign: str) -> Callable[[Any, Any], Any]:
    return lambda a, b: Compare(getattr(operator, sign))(a, b)


for _sign in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"):
    setattr(Batched, _sign, _make_comparison(_sign))
Batched.__hash__ = object.__hash__  # type: ignore[assignment, method-assign]
