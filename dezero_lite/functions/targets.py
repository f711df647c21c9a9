"""Checks that targets fit predictions, which losses and `accuracy` run first.

Shapes that would broadcast are rejected, because every prediction would be compared
with every target. An empty batch is rejected because its average is undefined.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core import Operand, Variable, as_variable, describe, is_batched, unwrap
from ..core.types import Shape
from .precision import require_data
from .shape import reshape


def match_targets(name: str, x0: Operand, x1: Operand) -> Operand:
    """Return `x1`, which must have the shape of `x0`; two single numbers pair up in any
    shape.
    """
    shape, other = np.shape(require_data(x0)), np.shape(require_data(x1))
    _check_count(name, shape)
    if shape == other:
        return x1
    if math.prod(shape) == math.prod(other) == 1:
        return reshape(x1, shape)
    raise ValueError(
        f"{name} compares number by number, but {_unequal('x0', x0, 'x1', x1)}"
    )


def labels_of(name: str, x: Operand, t: Operand) -> Any:
    """Check the labels `t` for the scores `x`; return them in shape (N,)."""
    labels, shape = data_or_example(t), np.shape(require_data(x))
    if len(shape) != 2:
        raise ValueError(
            f"{name} takes scores of shape (N, C), one row for each example, but was "
            f"given {describe(x)}"
        )
    _check_count(name, shape)
    n, classes = shape
    if labels.shape != (n,) and labels.shape != (n, 1):
        hint = "one label for each row of scores"
        if labels.shape == shape:
            hint = "for one-hot rows use t.argmax(axis=1)"
        raise ValueError(
            f"{name} takes labels of shape ({n},) or ({n}, 1), but t is "
            f"{describe(t)}: {hint}"
        )
    if labels.dtype.kind not in "iu":
        raise TypeError(
            f"{name} takes whole numbers as labels, but t is {describe(t)}: use "
            "t.astype(int)"
        )
    low, high = _limits(t)
    if low < 0 or high >= classes:
        raise ValueError(
            f"{name} was given scores for {classes} classes, so labels go from 0 to "
            f"{classes - 1}, but t holds labels from {low} to {high}"
        )
    # A copy, because they may change before backward needs them.
    return reshape(t, n) if is_batched(t) else labels.flatten()


def answers_of(name: str, x: Operand, t: Operand) -> Any:
    """Check the answers `t`; return them in the shape of `x`, and integers or booleans
    also in its dtype.
    """
    data, answers = data_or_example(x), data_or_example(t)
    if answers.shape != data.shape:
        if {answers.shape, data.shape} != {data.shape[:1], (*data.shape[:1], 1)}:
            raise ValueError(
                f"{name} compares number by number, but "
                f"{_unequal('the first argument', x, 't', t)}"
            )
        t = (t if isinstance(t, Variable) else answers).reshape(data.shape)
    _check_count(name, data.shape)
    check_range(name, "t", t, "1 means yes and 0 means no")
    if answers.dtype.kind == "f":
        return t
    return data_or_example(t).astype(data.dtype if data.dtype.kind == "f" else float)


def check_range(name: str, argument: str, x: Operand, hint: str) -> None:
    """Raise a ValueError unless all numbers in `x` are from 0 to 1."""
    low, high = _limits(x)
    if low < 0 or high > 1:
        raise ValueError(
            f"{name} takes {argument} from 0 to 1, but it holds {low} to {high}: {hint}"
        )


def _check_count(name: str, shape: Shape) -> None:
    if shape and shape[0] == 0:
        raise ValueError(
            f"{name} averages over the examples, but the batch of shape {shape} has "
            "none"
        )


def _unequal(name: str, x: Operand, other_name: str, other: Operand) -> str:
    data, other_data = unwrap(x), unwrap(other)
    message = f"{name} is {describe(x)}, {other_name} is {describe(other)}"
    if np.size(data) == np.size(other_data):
        return f"{message}: use {other_name}.reshape{np.shape(data)}"
    return f"{message}: they need the same shape"


def _limits(x: Any) -> tuple[Any, Any]:
    """Return the minimum and maximum, inside vmap over all examples; 0 if empty."""
    while is_batched(x):
        x = x.values
    data = data_of(x)
    return (data.min(), data.max()) if data.size else (0, 0)


def data_or_example(x: Operand) -> Any:
    """Return the data, to inspect shape and dtype; inside vmap, `x` itself."""
    return x if is_batched(x) else data_of(x)


def data_of(x: Operand) -> Any:
    """Return the data of a Variable, an array or a number as an array."""
    data = as_variable(x).data
    return require_data(x) if data is None else data
