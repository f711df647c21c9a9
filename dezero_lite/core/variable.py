"""The box: an array, its gradient, and the function that made it. Source: steps 1–22.

Operators, `backward`, `reshape`, `sum` and other methods are defined in other files;
functions/methods.py attaches them to Variable.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, Union

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..from_pytorch import answer_names_of, unknown_argument
from . import messages
from .arrays import ARRAYS, as_array, is_array
from .types import Shape

if TYPE_CHECKING:
    from .function import Function

    # Placeholders for what functions/methods.py attaches.
    _method: Callable[..., Variable] = NotImplemented
    _command: Callable[..., None] = NotImplemented

__all__ = ["Parameter", "Variable", "as_variable"]

Operand = Union["Variable", NDArray[Any], float]


class Variable:
    """An array, its gradient, and the function that made it. Source: book steps 1–22.

    Parameters
    ----------
    data : ndarray or None
        Of any shape and dtype; only floating-point data can receive a gradient.
        ``None`` leaves the Variable empty, for a parameter whose shape is not known
        yet.
    name : str, optional
        Shown in graphs and error messages.

    Attributes
    ----------
    grad : Variable or None
        The gradient, with the shape and dtype of `data`. :meth:`backward` adds to it;
        :meth:`cleargrad` resets it.
    creator : Function or None
        The function that made this Variable; ``None`` for a leaf, which the user made.
    generation : int
        The length of the longest chain of functions from a leaf to this Variable.

    Raises
    ------
    TypeError
        If `data` is neither an array nor ``None``.

    Notes
    -----
    ``==``, ``<`` and the like compare data and return arrays; in a set or a dict, a
    Variable equals only itself.
    """

    __slots__ = (
        "__weakref__",
        "_data",
        "_why_a_leaf",
        "creator",
        "generation",
        "grad",
        "name",
    )
    _data: Any
    _why_a_leaf: str
    # Whether it represents one example of a batch, inside `vmap`.
    _is_batched = False

    def __init__(
        self, data: NDArray[Any] | None, name: str | None = None, **unknown: NoReturn
    ) -> None:
        if unknown:
            raise unknown_argument("Variable", unknown)
        self.data = data
        self.name = name
        self.grad: Variable | None = None
        self.creator: Function | None = None
        self.generation = 0

    @property
    def data(self) -> NDArray[Any]:
        """The data as an ndarray, even if zero-dimensional, or ``None``."""
        if isinstance(self._data, np.generic):
            self._data = np.array(self._data)
        # Annotated without None: a Variable in use holds an array.
        return self._data  # type: ignore[no-any-return]

    @data.setter
    def data(self, data: NDArray[Any] | None) -> None:
        if data is not None and not is_array(data):
            raise TypeError(messages.not_an_array(data))
        self._data = np.asarray(data) if isinstance(data, np.matrix) else data

    @property
    def shape(self) -> Shape:
        return self._data.shape  # type: ignore[no-any-return]

    @property
    def ndim(self) -> int:
        return self._data.ndim  # type: ignore[no-any-return]

    @property
    def size(self) -> int:
        return self._data.size  # type: ignore[no-any-return]

    @property
    def dtype(self) -> np.dtype[Any]:
        return self._data.dtype  # type: ignore[no-any-return]

    def __len__(self) -> int:
        return len(self.data)

    def __repr__(self) -> str:
        text = str(self.data).replace("\n", "\n" + " " * len("variable("))
        return f"variable({text})"

    def set_creator(self, func: Function) -> None:
        """Record that `func` made this Variable. Source: book steps 7 and 16."""
        self.creator = func
        self.generation = func.generation + 1

    def cleargrad(self) -> None:
        """Reset the gradient, so that the next backward starts from zero. Source: book
        step 14.
        """
        self.grad = None

    # --- leaving the graph

    def detach(self) -> Variable:
        """Return a Variable with the same data but without a creator."""
        return make_leaf(self._data, "was detached from its graph")

    def unchain(self) -> None:
        """Forget the function that made this Variable. Source: book step 59."""
        self.creator = None
        self._why_a_leaf = "was unchained from its graph"

    def unchain_backward(self) -> None:
        """Unchain all that this Variable was computed from. Source: book step 59."""
        functions = [self.creator] if self.creator else []
        while functions:
            for x in functions.pop().inputs:
                if isinstance(x, Variable) and x.creator:
                    functions.append(x.creator)
                    x.unchain()

    def __reduce_ex__(self, _: Any) -> Any:
        # For copies and pickles. A copied graph would be incomplete, because functions
        # refer to their outputs only weakly.
        if self.creator is not None:
            raise TypeError(messages.part_of_a_graph(self))
        plain: Any = super().__reduce_ex__(2)
        make, kind, (extra, slots), *_ = plain
        grad = None if self.grad is None else as_variable(self.grad).detach()
        return make, kind, (extra, slots | {"grad": grad})

    # --- as a number

    def item(self) -> Any:
        """Return the only element as a Python number."""
        if self.size != 1:
            raise ValueError(messages.not_one_number(self))
        return self._data.item()

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError(messages.not_a_truth_value(self))
        return bool(self.item())

    def __format__(self, form: str) -> str:
        return format(self.item(), form) if form else str(self)

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> Any:
        return self.data == unwrap(other)

    def __ne__(self, other: object) -> Any:
        return self.data != unwrap(other)

    def __lt__(self, other: Operand) -> Any:
        return self.data < unwrap(other)

    def __le__(self, other: Operand) -> Any:
        return self.data <= unwrap(other)

    def __gt__(self, other: Operand) -> Any:
        return self.data > unwrap(other)

    def __ge__(self, other: Operand) -> Any:
        return self.data >= unwrap(other)

    def __setitem__(self, *_: Any) -> NoReturn:
        raise TypeError(messages.no_assignment())

    # --- with NumPy on the other side

    # With an array on the left, the operator is ours: array + x asks x first.
    __array_priority__ = 200

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError(messages.numpy_takes_arrays())

    def __array_function__(self, func: Any, _: Any, args: Any, kwargs: Any) -> Any:
        if func in (np.shape, np.ndim, np.size):
            return func(*[unwrap(x) for x in args], **kwargs)
        raise TypeError(messages.numpy_takes_arrays(func.__name__))

    # Attached in functions/methods.py.
    if TYPE_CHECKING:
        T: Variable
        astype: Callable[[DTypeLike], Variable]
        backward = to_cpu = to_gpu = _command
        reshape = transpose = sum = mean = max = min = matmul = dot = _method
        __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _method
        __truediv__ = __rtruediv__ = __pow__ = __rpow__ = __neg__ = __abs__ = _method
        __matmul__ = __rmatmul__ = __getitem__ = _method


answer_names_of("Variable", Variable)


class Parameter(Variable):
    """A Variable that a layer learns. Source: book step 44."""

    __slots__ = ()


class Constant(Variable):
    """A plain array or number, wrapped because a book-style `backward` expects
    Variables. It receives no gradient.
    """

    __slots__ = ()


def as_variable(obj: Operand) -> Variable:
    """Convert an array or a number to a Variable. Source: book step 21."""
    if isinstance(obj, Variable):
        return obj
    if hasattr(obj, "creator"):
        raise TypeError(messages.another_framework(obj))
    return Variable(as_array(obj))


def unwrap(x: Any) -> Any:
    """Return a Variable's data as stored, maybe a scalar; anything else unchanged."""
    return x._data if isinstance(x, Variable) else x


def new_variable(data: Any, creator: Any = None, generation: int = 0) -> Variable:
    """Create ``Variable(data)`` for the result of a function, skipping its checks."""
    y = Variable.__new__(Variable)
    # Functions may return Python numbers; anything else is an error.
    y._data = data if isinstance(data, ARRAYS) else as_variable(data)._data
    y.grad = None
    y.creator = creator
    y.generation = generation
    y.name = None
    return y


def make_leaf(data: Any, why: str) -> Variable:
    """Create a result without a creator; `why` explains it in error messages."""
    y = new_variable(data)
    y._why_a_leaf = why
    return y
