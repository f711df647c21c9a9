"""What other processes can be asked to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def check_importable(function: Callable[..., Any]) -> None:
    """Refuse what another process cannot import by its name.

    Raises
    ------
    ValueError
        For a function of a notebook, of the program itself, or of another function.
    """
    module = getattr(function, "__module__", None)
    name = getattr(function, "__qualname__", repr(function))
    if module in (None, "__main__") or "<" in name:
        raise ValueError(
            f"other processes cannot import {name} from {module}: write it in a file "
            "of its own, and import it from there"
        )
