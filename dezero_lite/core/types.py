"""What goes through the framework, by the names that signatures have for it.

To mypy an array is Any: it may be NumPy's or a GPU's, or one of NumPy's scalars. The
names tell a reader what mypy cannot.
"""

from __future__ import annotations

from typing import Any, TypeAlias

#: An array, of NumPy or of a GPU, or one of NumPy's scalars; several are a tuple.
Array: TypeAlias = Any
#: An array or a Variable, or a tuple: a rule for gradients computes with either.
Value: TypeAlias = Any
#: NumPy, or what a GPU has in its place.
ArrayModule: TypeAlias = Any

Shape: TypeAlias = tuple[int, ...]
Axis: TypeAlias = int | tuple[int, ...] | None
