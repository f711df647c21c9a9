"""A check that other processes can import a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def check_importable(function: Callable[..., Any]) -> None:
    """Raise an error unless other processes can import `function` by its name.

    Raises
    ------
    ValueError
        If it is defined in a notebook, in the main program, or inside another function.
    """
    module = getattr(function, "__module__", None)
    name = getattr(function, "__qualname__", repr(function))
    if module in (None, "__main__") or "<" in name:
        raise ValueError(
            f"other processes cannot import {name} from {module}: write it in a file "
            "of its own, and import it from there"
        )
