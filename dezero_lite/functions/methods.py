"""Attach to Variable the operators and methods that other modules define, as step 22
does with operators.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .. import cuda
from ..core import Variable, describe, operators
from ..core.backward import backward
from . import elementwise, indexing, joining, linear, reduce, shape
from .precision import require_data


def _iterate(self: Variable) -> Iterator[Variable]:
    # Without it, Python evaluates x[0], x[1], … until an error, and takes a number for
    # an empty sequence; and for each element, backward fills an array as large as x.
    if not require_data(self).ndim:
        raise TypeError(f"{describe(self)} has no axis to iterate over")
    return iter(joining.Unstack()(self))


def _reshape(self: Variable, *lengths: Any) -> Variable:
    return shape.reshape(self, lengths[0] if len(lengths) == 1 else lengths)


def _transpose(self: Variable, *axes: Any) -> Variable:
    if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], (tuple, list))):
        return shape.transpose(self, axes[0])
    return shape.transpose(self, axes or None)


def _to_cpu(self: Variable) -> None:
    if self.data is not None:
        self.data = cuda.as_numpy(self)


def _to_gpu(self: Variable) -> None:
    if self.data is not None:
        self.data = cuda.as_cupy(self)


Variable.backward = backward

Variable.__add__ = operators.add
Variable.__radd__ = operators.add
Variable.__mul__ = operators.mul
Variable.__rmul__ = operators.mul
Variable.__neg__ = operators.neg
Variable.__sub__ = operators.sub
Variable.__rsub__ = operators.rsub
Variable.__truediv__ = operators.div
Variable.__rtruediv__ = operators.rdiv
Variable.__pow__ = operators.pow
Variable.__rpow__ = lambda x, c: operators.pow(c, x)
Variable.__abs__ = elementwise.abs
Variable.__matmul__ = linear.matmul
Variable.__rmatmul__ = lambda x, other: linear.matmul(other, x)
Variable.__getitem__ = indexing.get_item
Variable.__iter__ = _iterate  # type: ignore[attr-defined]

Variable.sum = reduce.sum
Variable.mean = reduce.mean
Variable.max = reduce.max
Variable.min = reduce.min
Variable.matmul = linear.matmul
Variable.dot = linear.matmul
Variable.reshape = _reshape
Variable.transpose = _transpose
Variable.T = property(shape.transpose)  # type: ignore[assignment]
Variable.astype = operators.astype  # type: ignore[assignment]
Variable.to_cpu = _to_cpu
Variable.to_gpu = _to_gpu
