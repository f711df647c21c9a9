"""Names in the book's core that ours expresses differently, for readers of the book. No
step introduces them.
"""

from __future__ import annotations

from ..core import Operand, Variable, operators

__all__ = ["Pow", "setup_variable"]


class Pow(operators.Pow):
    """A power with a fixed exponent: ``Pow(c)(x)`` is ``x ** c``."""

    def __init__(self, c: float) -> None:
        self.c = c

    def __call__(self, *inputs: Operand) -> Variable:
        (x,) = inputs
        return operators.pow(x, self.c)


def setup_variable() -> None:
    """Do nothing: a Variable already has its operators. Source: book step 23.

    In the book, this attaches ``+``, ``-`` and so on to Variable, and scripts may call
    it.
    """
