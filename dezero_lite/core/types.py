"""Type aliases used in signatures.

To mypy, an array is Any, because it may be a NumPy array, a GPU array or a NumPy
scalar. The aliases tell a reader what mypy cannot.
"""

from __future__ import annotations

from typing import Any, TypeAlias

#: A NumPy array, a GPU array or a NumPy scalar, or a tuple of them.
Array: TypeAlias = Any
#: An array, a Variable, or a tuple of either: gradient rules accept them all.
Value: TypeAlias = Any
#: NumPy, or a GPU library with the same interface.
ArrayModule: TypeAlias = Any

Shape: TypeAlias = tuple[int, ...]
Axis: TypeAlias = int | tuple[int, ...] | None
