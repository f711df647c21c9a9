"""The box: an array, its gradient, and the function that made it. Source: steps 1–22.

Operators, `backward`, `reshape`, `sum` and the like are functions of other files:
functions/methods.py attaches them all to Variable.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, Union

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..from_pytorch import Size, answer_names_of, unknown_argument
from . import messages
from .arrays import ARRAYS, as_array, is_array
from .types import Shape

if TYPE_CHECKING:
    from .function import Function

    # What functions/methods.py attaches.
    _method: Callable[..., Variable] = NotImplemented
    _command: Callable[..., None] = NotImplemented

__all__ = ["Parameter", "Variable", "as_variable"]

Operand = Union["Variable", NDArray[Any], float]


class Variable:
    """An array, its gradient, and the function that made it. Source: book steps 1–22.

    Parameters
    ----------
    data : ndarray or None
        Of any shape and dtype; floating-point data alone can receive a gradient.
        ``None`` leaves the Variable empty, for a parameter whose shape is not known
        yet.
    name : str, optional
        For pictures and error messages.

    Attributes
    ----------
    grad : Variable or None
        The gradient, of the shape and dtype of `data`. :meth:`backward` adds to it;
        :meth:`cleargrad` empties it.
    creator : Function or None
        The function that made this Variable; ``None`` for a leaf, which the user made.
    generation : int
        The number of functions between the leaves and this Variable, counted along the
        longest way.

    Raises
    ------
    TypeError
        If `data` is a number, a list or anything else but an array.

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
    # Whether it stands for one example of a batch, inside `vmap`.
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
        """The array: an ndarray, also where it has no dimensions, or ``None``."""
        if isinstance(self._data, np.generic):
            self._data = np.array(self._data)
        # Its type is that of a Variable in use, which holds an array.
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
        return Size(self._data.size)

    @property
    def dtype(self) -> np.dtype[Any]:
        return self._data.dtype  # type: ignore[no-any-return]

    def __len__(self) -> int:
        return len(self.data)

    def __repr__(self) -> str:
        text = str(self.data).replace("\n", "\n" + " " * len("variable("))
        return f"variable({text})"

    def set_creator(self, func: Function) -> None:
        """Note that `func` made this Variable. Source: book steps 7 and 16."""
        self.creator = func
        self.generation = func.generation + 1

    def cleargrad(self) -> None:
        """Forget the gradient, so that the next backward adds to nothing. Source: book
        step 14.
        """
        self.grad = None

    # --- leaving the graph

    def detach(self) -> Variable:
        """The same data in a Variable without a past."""
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
        # For copies and pickles. A graph would come along by halves: functions know
        # their outputs by weak references only.
        if self.creator is not None:
            raise TypeError(messages.part_of_a_graph(self))
        plain: Any = super().__reduce_ex__(2)
        make, kind, (extra, slots), *_ = plain
        grad = None if self.grad is None else as_variable(self.grad).detach()
        return make, kind, (extra, slots | {"grad": grad})

    # --- as a number

    def item(self) -> Any:
        """The only element, as a Python number."""
        if self._data.size != 1:
            raise ValueError(messages.not_one_number(self))
        return self._data.item()

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __bool__(self) -> bool:
        if self._data.size != 1:
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

    # Beside an array, the operator is ours: array + x asks x first.
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
    """A plain array or number, dressed up for a `backward` in the book's way, which
    expects Variables only. It receives no gradient.
    """

    __slots__ = ()


def as_variable(obj: Operand) -> Variable:
    """An array or a number as a Variable; a Variable as it is. Source: book step 21."""
    if isinstance(obj, Variable):
        return obj
    if hasattr(obj, "creator"):
        raise TypeError(messages.another_framework(obj))
    return Variable(as_array(obj))


def unwrap(x: Any) -> Any:
    """The array in a Variable, as it is kept; anything else as it is."""
    return x._data if isinstance(x, Variable) else x


def new_variable(data: Any, creator: Any = None, generation: int = 0) -> Variable:
    """``Variable(data)`` for what a function has computed."""
    y = Variable.__new__(Variable)
    # Functions may compute Python's numbers; anything else is an error.
    y._data = data if isinstance(data, ARRAYS) else as_variable(data)._data
    y.grad = None
    y.creator = creator
    y.generation = generation
    y.name = None
    return y


def make_leaf(data: Any, why: str) -> Variable:
    """A result without a past, and why it has none, for an error message."""
    y = new_variable(data)
    y._why_a_leaf = why
    return y
