"""One program for every example: `vmap`. Step 90 explains it.

Inside ``vmap(f)``, the arguments of `f` look like one example; each stands for a whole
batch, along axis 0 of what is behind it (`Batched`). A function that is called with
them does not compute: its *batching rule* calls functions on the batches that do to all
examples what was meant for one. So the graph is an ordinary one, and gradients pass.
`batching_rules` has the rules.
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
    """A function that does to a batch what `f` does to one example, without a loop.

    Parameters
    ----------
    f : callable
        Takes and returns Variables: one, or a tuple of them. It is made of functions of
        this package.
    in_axes : int or None, or a tuple of them, optional
        For each argument of `f` the axis that counts the examples; ``None`` for what
        all examples share. One number or ``None`` holds for all arguments.

    Returns
    -------
    callable
        In its results, axis 0 counts the examples.

    Raises
    ------
    ValueError
        If there is no batch, or the batches differ in length.
    TypeError
        If `f` looks at the numbers of an example, as ``if x > 0`` does: they are not
        the same for all. If it draws random numbers (draw them before, and hand them
        over as one more argument). If it calls a function that has no batching rule.

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
    """What a function has returned, if it has."""
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


# --- what an example is made of -------------------------------------------------------

# From a function's class to its rule: called with the function, its inputs, and for
# each of these whether it is a batch; one at least is. Returns the batch of results.
RULES: dict[type, Callable[..., Any]] = {}


def rule(*kinds: type) -> Callable[[Any], Any]:
    def note(f: Any) -> Any:
        RULES.update(dict.fromkeys(kinds, f))
        return f

    return note


class Level:
    """One call of vmap. Those inside it have a higher number."""

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
        """The calls of vmap that this code runs in, the outermost first."""
        return getattr(cls._here, "levels", [])

    @classmethod
    def innermost(cls) -> Level | None:
        return cls.active()[-1] if cls.active() else None

    @contextmanager
    def suspend(self) -> Iterator[None]:
        """A ``with`` block that computes with whole batches."""
        self._here.levels = self.active()[:-1]
        try:
            yield
        finally:
            self._here.levels = [*self.active(), self]

    def lift(self, f: Callable[..., Any]) -> Callable[..., Any]:
        """`f`, which is for examples, as a function of whole batches."""

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
        """All examples of `x`; what all share, once for each."""
        if self.owns(x):
            return x.values  # type: ignore[no-any-return]
        x = as_variable(x)
        return F.broadcast_to(x, (self.size, *x.shape))


class ShapeOnlyArray(np.ndarray):
    """Has the shape and the dtype of an example, and no numbers of its own."""

    def __array_ufunc__(self, *_: Any, **__: Any) -> NoReturn:
        raise _no_numbers_error()

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if func in (np.shape, np.ndim, np.size, np.expand_dims, np.squeeze):
            return super().__array_function__(func, types, args, kwargs)
        raise _no_numbers_error()


def _no_numbers_error() -> TypeError:
    return TypeError(
        "inside vmap, a Variable stands for every example at once, so its numbers "
        "cannot be looked at: instead of `if x > 0` use where(x > 0, ...), instead of "
        "x.data use functions of Variables"
    )


class Batched(Variable):
    """What `f` takes for one example: all of them, in `values`, along axis 0."""

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
                f"{type(f).__name__} has no batching rule, so that vmap cannot call it"
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
    """a < b and the like, which no gradient passes."""

    def __init__(self, compare: Any) -> None:
        self.compare = compare

    def forward(self, a: Array, b: Array) -> Array:
        return self.compare(a, b)


def _make_comparison(sign: str) -> Callable[[Any, Any], Any]:
    return lambda a, b: Compare(getattr(operator, sign))(a, b)


for _sign in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"):
    setattr(Batched, _sign, _make_comparison(_sign))
Batched.__hash__ = object.__hash__  # type: ignore[assignment, method-assign]
