"""The book's framework as of its step 23: its steps 28 and 29 import it.

It is :mod:`dezero_lite.core`, with one difference. Before the book's step 32, a
gradient is an array: a step of gradient descent reads ``x.data -= lr * x.grad``, and a
function's `backward` computes with NumPy. Variables and functions made from these two
classes follow that. Results are core's Variables, so a retained intermediate gradient
is a Variable.

Examples
--------
>>> import numpy as np
>>> x = Variable(np.array(3.0))
>>> y = x**2
>>> y.backward()
>>> x.data -= 0.1 * x.grad
>>> x
variable(2.4)
"""

# ruff: noqa: F403, F405 (operators lists its names)

from collections.abc import Sequence
from typing import Any

from . import core
from .book.names import Pow, setup_variable
from .core import Config, as_array, as_variable, no_grad, using_config
from .core.operators import *

__all__ = ["Config", "no_grad", "using_config"]
__all__ += ["Function", "Variable", "as_array", "as_variable"]
__all__ += ["Add", "Div", "Mul", "Neg", "Pow", "Sub"]
__all__ += ["add", "div", "mul", "neg", "pow", "rdiv", "rsub", "sub"]
__all__ += ["setup_variable"]


class Variable(core.Variable):
    """A Variable whose gradient is an array, so that it cannot be differentiated again.
    Source: book steps 1-22.
    """

    __slots__ = ("_gradient",)

    @property
    def grad(self) -> Any:
        """The gradient, an array of the shape and dtype of `data`, or ``None``."""
        return self._gradient

    @grad.setter
    def grad(self, gradient: Any) -> None:
        self._gradient: Any = array_in(gradient)


class Function(core.Function):
    """A function whose `backward` takes and returns arrays, so that the gradient cannot
    be differentiated again. Source: book steps 2-22.
    """

    def _differentiate(self, gys: Sequence[Any], create_graph: bool) -> Any:
        return self._check_gradients(
            self.backward(*[array_in(gy) for gy in gys]), create_graph
        )


def array_in(gradient: Any) -> Any:
    return gradient.data if isinstance(gradient, core.Variable) else gradient
