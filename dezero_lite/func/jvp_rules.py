"""Tangents, from the inputs of a function to its outputs. Step 89 explains them.

Most functions have a rule. The others need none: a gradient that backward computes is
linear in the gradient of the output, so another backward, through this computation,
maps tangents forward.
"""

from __future__ import annotations

import copy
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from .. import functions as F
from ..core import (
    Function,
    Primitive,
    Variable,
    as_variable,
    describe,
    using_config,
    walk,
)
from ..core.backward import match_shape_and_dtype
from ..core.operators import (
    Add,
    AsType,
    BroadcastTo,
    Div,
    Log,
    Mul,
    Neg,
    Pow,
    Sub,
    SumTo,
)
from ..core.types import Array, Value
from ..deprecated import old_names_of
from ..detached import mark_detached, warn_of_detached
from ..functions.activation import (
    Gelu,
    LeakyReLU,
    ReLU,
    Sigmoid,
    Softmax,
    Softplus,
)
from ..functions.conv import Conv2d, Conv2DGradW, Deconv2d
from ..functions.elementwise import (
    Abs,
    Clip,
    Cos,
    Exp,
    Maximum,
    Minimum,
    Sin,
    Sqrt,
    Tanh,
    TanhSlope,
    Where,
)
from ..functions.indexing import GetItem, GetItemGrad
from ..functions.joining import Concat, Split, Stack, Unstack
from ..functions.linear import Linear, MatMul
from ..functions.norm import Dropout
from ..functions.pool import (
    AveragePooling,
    AveragePoolingGrad,
    Pooling2DGrad,
    Pooling2DWithIndexes,
)
from ..functions.precision import Select
from ..functions.reduce import Mean, Sum
from ..functions.shape import Pad, Reshape, Transpose
from ..functions.window import Col2im, Im2col

# --- new Variables --------------------------------------------------------------------


class Identity(Primitive):
    """y = x, as a new Variable with the same data"""

    def forward(self, x: Array) -> Array:
        return x

    def vjp(self, xs: Sequence[Value], gy: Value) -> Value:
        return gy


def make_leaves(xs: Sequence[Any]) -> list[Variable]:
    """Make new Variables with the data of `xs`, computed from them by `Identity`."""
    for x in xs:
        if as_variable(x).dtype.kind != "f":
            raise TypeError(
                f"whole numbers have no derivative, but an input is {describe(x)}: use "
                "x.astype(float)"
            )
    return [Identity()(x) for x in xs]


@contextmanager
def end_graphs_at(xs: Iterable[Variable]) -> Iterator[None]:
    """End graphs at the `xs` inside a ``with`` block."""
    creators = [(x, x.creator) for x in xs]
    for x, _ in creators:
        x.creator = None
    try:
        yield
    finally:
        for x, creator in creators:
            x.creator = creator


def compute_gradients(
    pairs: Iterable[tuple[Variable, Variable]],
) -> dict[Variable, Variable]:
    """Compute the gradients of the leaves from pairs (Variable, its gradient)."""
    totals: dict[Variable, Variable] = {}
    for y, gy in pairs:
        found = {y: gy}
        if y.creator:
            found = walk(y, gy, create_graph=True, mark=mark_detached)
        for x, gx in found.items():
            totals[x] = totals[x] + gx if x in totals else gx
    return totals


def zeros_like(x: Variable) -> Variable:
    return Variable(np.zeros_like(x.data))


def as_tuple(xs: Any) -> tuple[Any, ...]:
    return tuple(xs) if isinstance(xs, (tuple, list)) else (xs,)


def match_tuple(given: Any, found: Sequence[Any]) -> Any:
    """Return `found` as a tuple if `given` is one, else its only element."""
    return tuple(found) if isinstance(given, (tuple, list)) else found[0]


# --- forward through one function -----------------------------------------------------

# From a function's class to its rule, which is called with the function and the
# tangents of its inputs, and returns those of its outputs. Subclasses do not inherit
# rules.
RULES: dict[type, Callable[[Any, Sequence[Any]], Any]] = {}


def rule(*kinds: type) -> Callable[[Any], Any]:
    def note(push: Any) -> Any:
        RULES.update(dict.fromkeys(kinds, push))
        return push

    return note


def apply_jvp_rule(f: Function, ts: Sequence[Any]) -> dict[Variable, Variable]:
    """Compute the tangents of the outputs of `f` from those of its inputs; ``None`` is
    0.
    """
    tys = RULES.get(type(f), jvp_by_two_vjps)(f, ts)
    ys = [ref() for ref in f.outputs]
    pairs = zip(ys, as_tuple(tys), strict=True)
    return {
        y: match_shape_and_dtype(F.broadcast_to(ty, y.shape), y, f)
        for y, ty in pairs
        if y is not None
    }


def jvp_by_two_vjps(f: Any, ts: Sequence[Any]) -> Any:
    """Compute tangents from the vjp of `f`. The vjp is linear in the gradient of the
    output: a product with the transposed Jacobian. So the vjp of the vjp is a product
    with the Jacobian.
    """
    twin = copy.copy(f)
    twin.inputs = tuple([Identity()(x) if type(x) is Variable else x for x in f.inputs])
    # Some of several outputs may have been dropped.
    ys: list[Any] = [None if ref() is None else Identity()(ref()) for ref in f.outputs]
    if type(f._outputs) is tuple:
        twin._outputs = tuple(
            [
                old if y is None else weakref.ref(y)
                for old, y in zip(f._outputs, ys, strict=True)
            ]
        )
        gys = [Variable(np.zeros(shape, dtype)) for shape, dtype in f._output_specs]
    else:
        twin._outputs, gys = weakref.ref(ys[0]), [zeros_like(ys[0])]
    with using_config("enable_backprop", True):
        gxs = mark_detached(f, gys, twin._differentiate(gys, create_graph=True))
        pairs = [
            (match_shape_and_dtype(as_variable(gx), x, f), t)
            for gx, x, t in zip(gxs, f.inputs, ts, strict=True)
            if gx is not None and t is not None
        ]
    # End the graphs here, so that nothing computed before is differentiated.
    ends = (*f.inputs, *twin.inputs, *ys)
    with end_graphs_at([x for x in ends if isinstance(x, Variable)]):
        warn_of_detached([gx for gx, _ in pairs], gys, "forward derivative")
        grads = compute_gradients(pairs)
    return tuple([grads[gy] if gy in grads else zeros_like(gy) for gy in gys])


@rule(Log, Sin, Cos, Tanh, TanhSlope, Exp, Sqrt, Abs, Clip)
@rule(Sigmoid, ReLU, LeakyReLU, Gelu, Softplus, Softmax)
def jvp_elementwise(f: Any, ts: Sequence[Any]) -> Any:
    # Elementwise functions and softmax: the Jacobian is its own transpose.
    return f._differentiate(ts, create_graph=True)


@rule(Add, Sub, Mul, Div, Pow, Maximum, Minimum, Where)
def jvp_binary(f: Any, ts: Sequence[Any]) -> Any:
    (a, b), (ta, tb) = f.inputs, ts
    left = None if ta is None else f.vjp_left(ta, a, b)
    right = None if tb is None else f.vjp_right(tb, a, b)
    return add_present(left, right)


@rule(Identity, Neg, AsType, SumTo, BroadcastTo, Sum, Mean, Reshape, Transpose)
@rule(Select, Dropout, GetItem, GetItemGrad, Concat, Stack, Unstack, Split)
@rule(Im2col, Col2im, AveragePooling, AveragePoolingGrad)
@rule(Pooling2DGrad, Pooling2DWithIndexes)
def jvp_linear(f: Any, ts: Sequence[Any]) -> Any:
    # A linear function is its own derivative.
    pairs = zip(f.inputs, ts, strict=True)
    return call_again(
        f, *[zeros_like(as_variable(x)) if t is None else t for x, t in pairs]
    )


@rule(Pad)
def jvp_pad(f: Any, ts: Sequence[Any]) -> Any:
    return Pad(f.widths)(*ts)


@rule(MatMul, Conv2DGradW)
def jvp_product(f: Any, ts: Sequence[Any]) -> Any:
    # By the product rule: one term for each factor.
    (x, W), (tx, tW) = f.inputs[:2], ts[:2]
    left = None if tx is None else call_again(f, tx, W)
    right = None if tW is None else call_again(f, x, tW)
    return add_present(left, right)


@rule(Linear, Conv2d, Deconv2d)
def jvp_product_and_bias(f: Any, ts: Sequence[Any]) -> Any:
    tb = ts[2] if len(ts) == 3 else None
    if tb is not None and not isinstance(f, Linear):
        tb = tb.reshape(-1, 1, 1)
    return add_present(jvp_product(f, ts), tb)


def add_present(*terms: Any) -> Any:
    """Add the terms that are not ``None``."""
    total = None
    for term in terms:
        if term is not None:
            total = term if total is None else total + term
    return total


def call_again(f: Any, *xs: Any) -> Any:
    f = copy.copy(f)
    f.inputs = ()
    return f(*xs)


__getattr__ = old_names_of(__name__)
