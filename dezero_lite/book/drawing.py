"""The two helpers for pictures that the book defines separately in its step 26."""

from __future__ import annotations

from typing import Any

from ..core import Variable
from ..graph import quote

__all__ = ["_dot_func", "_dot_var"]


def _dot_var(v: Variable, verbose: bool = False) -> str:
    """Return the line of DOT that draws a Variable. Source: book step 26."""
    parts = [v.name or ""]
    if verbose and v.data is not None:
        parts.append(f"{v.shape} {v.dtype}")
    label = quote(": ".join(part for part in parts if part))
    return f"{id(v)} [label={label}, color=orange, style=filled]\n"


def _dot_func(f: Any) -> str:
    """Return the lines of DOT for a function and its edges. Source: book step 26."""
    label = quote(type(f).__name__)
    lines = [f"{id(f)} [label={label}, color=lightblue, style=filled, shape=box]"]
    lines += [f"{id(x)} -> {id(f)}" for x in f.inputs]
    lines += [f"{id(f)} -> {id(y())}" for y in f.outputs]
    return "\n".join(lines) + "\n"
