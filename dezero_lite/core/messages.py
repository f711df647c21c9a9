"""Error messages of core, and how they find the cause."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from .arrays import is_array

__all__ = ["describe", "kind_of"]

SPOKEN_WITH_AN = (*"aeiouAEIOU", "ndarray")


def describe(x: Any) -> str:
    """Describe `x`: its type, its name if it has one, its shape and its dtype."""
    is_variable = hasattr(x, "creator")
    if is_variable and x.name:
        kind = f"Variable {x.name!r}"
    else:
        kind = "an array" if isinstance(x, ndarray) else kind_of(x)
    data = x
    if is_variable:
        # `_data`, because reading `data` raises an error inside vmap.
        data = x._data if hasattr(x, "_data") else x.data
    if not is_array(data):
        return kind
    return f"{kind} of shape {data.shape} and dtype {data.dtype}"


def kind_of(x: Any) -> str:
    """Return the type of `x` with its article, as in "a list" or "an int"."""
    name = type(x).__name__
    return f"{'an' if name.startswith(SPOKEN_WITH_AN) else 'a'} {name}"


# --- data -----------------------------------------------------------------------------


def another_framework(x: Any) -> str:
    return (
        f"this {type(x).__name__} comes from {type(x).__module__}, not from "
        "dezero_lite, and the two frameworks do not mix: pass its array, x.data"
    )


def not_an_array(data: Any) -> str:
    is_variable = hasattr(data, "creator")
    its_array = "its .data, as in x.data -= lr * x.grad.data"
    hint = its_array if is_variable else "np.array(...)"
    return f"a Variable holds an array, not {kind_of(data)}: use {hint}"


def not_a_truth_value(x: Any) -> str:
    return (
        f"{describe(x)} is neither true nor false: compare it to get truth values, and "
        f"ask whether .all() or .any() of them are true, as in (x > 0).all()"
    )


def not_one_number(x: Any) -> str:
    return (
        f"{describe(x)} is not one number: take one of its elements, as in x[0], or "
        "their sum() or mean()"
    )


def no_assignment() -> str:
    return (
        "an element of a Variable cannot be changed, because backward would not know: "
        "change x.data before you compute with x, or combine results with "
        "functions.where or functions.concat"
    )


# NumPy's functions that this package also has under another name.
OUR_NAMES = {"amax": "max", "amin": "min", "concatenate": "concat"}
SAME_NAMES = (
    "average broadcast_to clip expand_dims max mean min pad reshape split squeeze "
    "stack sum transpose where"
)


def numpy_takes_arrays(name: str = "") -> str:
    if not name:
        return (
            "NumPy's functions take arrays, not Variables: use x.data for the array, "
            "or a function of dezero_lite.functions, such as functions.sin for np.sin"
        )
    ours = name if name in SAME_NAMES.split() else OUR_NAMES.get(name)
    hint = "x.data for the array"
    if ours is not None:
        hint = f"dezero_lite.functions.{ours}, or x.data for the array alone"
    return f"np.{name} takes arrays, not Variables: use {hint}"


def part_of_a_graph(x: Any) -> str:
    return (
        f"{describe(x)} is a result, and a copy would need everything that it was "
        "computed from: use its array, x.data, or x.detach() for a Variable"
    )


# --- forward --------------------------------------------------------------------------


def not_an_operand(f: Any, x: Any) -> str:
    if hasattr(x, "creator"):
        return another_framework(x)
    found = f"{kind_of(x)}: use np.array(...)"
    if x is None:
        found = "None: a gradient is None until backward has run"
    takes = "takes Variables, arrays and numbers"
    return f"{type(f).__name__} {takes}, but was given {found}"


def no_data_yet(f: Any, i: int, x: Any) -> str:
    return f"input {i} of {type(f).__name__}, {describe(x)}, holds no data yet"


TO_BROADCAST = "Counted from the last axis, two lengths must be equal, or one of them 1"


def does_not_broadcast(symbol: str, a: Any, b: Any) -> str:
    return (
        f"the shapes of a {symbol} b do not broadcast: a is {describe(a)}, b is "
        f"{describe(b)}. {TO_BROADCAST}"
    )


def cannot_broadcast(x: Any, shape: Any) -> str:
    return (
        f"cannot broadcast {describe(x)} to shape {shape}: counted from the last axis, "
        "its lengths must be those of the shape, or 1"
    )


def returned_nothing(f: Any, method: str) -> str:
    return f"{type(f).__name__}.{method} returned None: it must end in a return"


def needs(f: Any, method: str) -> str:
    return f"{type(f).__name__} needs a {method}"


def no_backward(f: Any) -> str:
    hint = "; to define a vjp, derive from dezero_lite.core.Primitive"
    return needs(f, "backward(self, gy, ...)") + (hint if hasattr(f, "vjp") else "")


def called_twice(f: Any) -> str:
    name = type(f).__name__
    return (
        f"this {name} was called before, and remembers the inputs of that call for "
        f"backward: make a new one for each call, as in {name}(...)(x)"
    )


# --- backward -------------------------------------------------------------------------


def no_way_back(y: Any) -> str:
    why = getattr(y, "_why_a_leaf", "")
    if why:
        return (
            f"backward cannot start from {describe(y)}: it {why}, so it has no creator"
        )
    return (
        f"backward begins at a result, but no function made {describe(y)}: compute "
        "something from it first"
    )


def wrong_count(f: Any, gxs: Sequence[Any]) -> str:
    name = type(f).__name__
    return (
        f"{name}.backward returned {len(gxs)} gradients, but {name} has "
        f"{len(f.inputs)} inputs: return one for each"
    )


def wrong_shape(x: Any, gx: Any, source: Any) -> str:
    if isinstance(source, str):
        name, hint = source, ""
    else:
        name = f"a gradient that {type(source).__name__}.backward returned"
        hint = " (where forward broadcasts, sum_to(gx, x.shape) in backward undoes it)"
    return (
        f"{name} has shape {gx.shape}, but belongs to {describe(x)}: a gradient has "
        f"the shape of its Variable{hint}"
    )


def whole_numbers(x: Any) -> str:
    return (
        f"{describe(x)} cannot receive a gradient, because its data are not "
        "floating-point numbers: convert them, as in np.array(..., dtype=float), or "
        "use the plain array instead of the Variable"
    )


def dropped_output(f: Any, i: int) -> str:
    return (
        f"{type(f).__name__} needs its output {i} in backward, but that was dropped: "
        "keep all its outputs in variables until backward has run"
    )


def broadcasts(*shapes: Any, to: Any = None) -> bool:
    """Return whether arrays of these shapes broadcast, to shape `to` if it is given."""
    try:
        return to in (None, np.broadcast_shapes(*shapes))
    except ValueError:
        return False
