"""The base class of all layers: their parameters and contents, saving and loading.
Steps 44 and 53 explain it.

A layer is an object that holds parameters and other layers in its attributes, or in
lists, tuples and dicts there. Whatever it does with all of them, such as clearing
gradients or saving, it does by walking over its attributes in the order of definition.
"""

from __future__ import annotations

import reprlib
from collections import deque
from collections.abc import Iterator, Mapping
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from numpy.typing import DTypeLike

from ..array_files import Array, StrPath, check_fit, first_few, load_arrays, save_arrays
from ..core import Parameter, Variable, kind_of
from ..core.messages import needs, returned_nothing
from ..cuda import as_numpy, get_array_module
from ..from_pytorch import answer_names_of, refuse_arguments

# A shape and a dtype; a length that the first input determines is None.
Form = tuple[tuple[int | None, ...], DTypeLike]


class LazyVariable(Variable):
    """A Variable whose data come from the first input or from a file; until then, only
    its shape, in part, and its dtype are known.
    """

    __slots__ = ("form",)

    def __init__(self, name: str, form: Form) -> None:
        super().__init__(None, name)
        self.form = form


class LazyParameter(LazyVariable, Parameter):
    """A parameter whose shape is not fully known yet."""

    __slots__ = ()


class Buffer(LazyVariable):
    """Data that a layer updates but does not learn: saved and moved with its
    parameters, ignored by optimizers.
    """

    __slots__ = ()


# The types that are saved and moved with a layer.
KEPT = Parameter, Buffer


class Layer:
    """Parameters, and a function of Variables that uses them. Source: book step 44.

    To define a layer, derive from this class, assign parameters and layers to
    attributes, and write ``forward(self, x)``.

    Examples
    --------
    >>> import numpy as np
    >>> from dezero_lite import functions as F
    >>> from dezero_lite.layers import Linear
    >>> class Net(Layer):
    ...     def __init__(self):
    ...         self.l1 = Linear(10)
    ...         self.l2 = Linear(1)
    ...
    ...     def forward(self, x):
    ...         return self.l2(F.sigmoid(self.l1(x)))
    >>> net = Net()
    >>> net(np.ones((5, 3), dtype=np.float32)).shape
    (5, 1)
    >>> [name for name, _ in net.named_params()]
    ['l1/W', 'l1/b', 'l2/W', 'l2/b']
    >>> net
    Net(
      l1: Linear(out_size=10, in_size=3)
      l2: Linear(out_size=1, in_size=10)
    )
    """

    #: Names of the attributes shown by repr.
    repr_names: tuple[str, ...] = ()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if names := _buffer_names(_walk(dict(vars(cls)), "", set(), [])):
            attribute = names[0].partition("/")[0]
            raise TypeError(
                f"{first_few(names)} of the class {cls.__name__} would be neither "
                f"learned nor saved: make {attribute} in __init__, as self.{attribute}"
            )

    if not TYPE_CHECKING:  # otherwise mypy would accept any attribute of any layer

        def __new__(cls, *sizes, **settings):
            refuse_arguments("Layer", cls, settings)
            if (sizes or settings) and cls.__init__ is object.__init__:
                raise TypeError(f"{cls.__name__} has no __init__ that takes arguments")
            return super().__new__(cls)

    def __call__(self, *inputs: Any) -> Variable:
        """Call forward; return one Variable, or a tuple of them where forward does.

        Raises
        ------
        TypeError
            If forward returns ``None``.
        """
        outputs = self.forward(*inputs)
        if outputs is None:
            raise TypeError(returned_nothing(self, "forward"))
        # Annotated as one Variable, because that is what almost every layer returns.
        is_one = isinstance(outputs, tuple) and len(outputs) == 1
        return outputs[0] if is_one else outputs  # type: ignore[no-any-return]

    def forward(self, *xs: Any, **_: Any) -> Any:
        """Compute the output."""
        method = "forward(self, x), which computes its output"
        raise NotImplementedError(needs(self, method))

    def params(self) -> Iterator[Parameter]:
        """Iterate over all parameters, each once, in the order of definition."""
        return (param for _, param in self.named_params())

    def named_params(self) -> Iterator[tuple[str, Parameter]]:
        """Iterate over all parameters and their names in files, such as ``'l1/W'``.

        Raises
        ------
        TypeError
            If a plain Variable has received a gradient as if it were a parameter.
        """
        for name, found in contents(self):
            if isinstance(found, Parameter):
                yield name, found
            elif isinstance(found, Variable) and not isinstance(found, Buffer):
                if found.grad is None or found.creator is not None:
                    continue
                raise TypeError(
                    f"{name} of {type(self).__name__} has received a gradient, but is "
                    "a plain Variable, which no optimizer changes: make it a "
                    "Parameter, or a plain array if it is not to be learned"
                )

    @property
    def _params(self) -> list[str]:
        # The names that the book's step 44 prints.
        items = vars(self).items()
        return [name for name, value in items if isinstance(value, (Parameter, Layer))]

    def cleargrads(self) -> None:
        """Clear the gradients of all parameters."""
        for param in self.params():
            param.cleargrad()

    def to_cpu(self) -> None:
        """Move all data to main memory. Source: book step 52."""
        for _, variable in named_variables(self):
            variable.to_cpu()

    def to_gpu(self) -> None:
        """Move all data to the GPU. Source: book step 52."""
        for _, variable in named_variables(self):
            variable.to_gpu()

    def save_weights(self, path: StrPath) -> None:
        """Save all parameters as an ``.npz`` file. Source: book step 53.

        The file is first written under another name and then renamed, so that it is
        never incomplete.

        Parameters
        ----------
        path : str or os.PathLike
            ``.npz`` is added if it is missing.

        Raises
        ------
        FileNotFoundError
            If the folder does not exist.
        PermissionError
            If the file exists and is read-only.
        ValueError
            If a parameter holds no data yet, or data that are not real numbers.
        """
        variables = variables_by_name(self)
        check_savable(type(self).__name__, variables)
        save_arrays(path, {name: as_numpy(found) for name, found in variables.items()})

    def load_weights(self, path: StrPath) -> None:
        """Load what :meth:`save_weights` or the book's framework has saved; sizes that
        no input has determined yet come from the file.

        Data of another precision are converted to the layer's.

        Raises
        ------
        FileNotFoundError
            If the file does not exist.
        ValueError
            If the file is damaged, belongs to another architecture, or holds pickles;
            in that case, nothing has changed.
        """
        stored = load_arrays(path)
        for name, layer in [("", self), *contents(self)]:
            if isinstance(layer, Layer):
                layer.adapt(stored, f"{name}/" if name else "")
        fill(self, stored, path)

    def adapt(self, stored: dict[str, Array], prefix: str) -> None:
        """Convert the arrays that a file stores for this layer, under names that begin
        with `prefix`, to the layer's current format. For layers whose weights used to
        be saved in another format.
        """

    def __getstate__(self) -> dict[str, Any]:
        # The state for copies and pickles.
        return {name: detach_all(value) for name, value in vars(self).items()}

    @reprlib.recursive_repr()
    def __repr__(self) -> str:
        values = [(name, getattr(self, name)) for name in self.repr_names]
        shown = [(name, value) for name, value in values if value not in (None, False)]
        settings = ", ".join([f"{name}={value!r}" for name, value in shown])
        # A layer with two names is shown under the first.
        layers: dict[int, str] = {}
        for name, member in members(self):
            if isinstance(member, Layer) and id(member) not in layers:
                layers[id(member)] = f"\n{name}: {member!r}"
        lines = "".join(layers.values()).replace("\n", "\n  ")
        return f"{type(self).__name__}({settings}{lines and lines + chr(10)})"


answer_names_of("Layer", Layer)


# --- what is in a layer ---------------------------------------------------------------


def contents(layer: Layer) -> list[tuple[str, Any]]:
    """Return all Variables and layers in a layer, each once, under the first name that
    leads to it.

    Raises
    ------
    TypeError
        If an attribute is an object of another class that holds some of them.
    """
    seen: set[int] = {id(layer)}
    others: list[tuple[str, Any]] = []
    found = _walk(layer, "", seen, others)
    for name, other in others:
        if names := _buffer_names(_walk(vars(other), f"{name}/", seen, [])):
            raise TypeError(
                f"{name} is of type {type(other).__name__}, where {first_few(names)} "
                "would be neither learned nor saved: keep layers and parameters in "
                "attributes of the layer itself, or in lists, tuples and dicts there"
            )
    return found


def _walk(
    holder: Any, prefix: str, seen: set[int], others: list[tuple[str, Any]]
) -> list[tuple[str, Any]]:
    found = []
    for name, member in members(holder, prefix, others):
        if id(member) in seen:
            continue
        seen.add(id(member))
        found.append((name, member))
        if isinstance(member, Layer):
            found += _walk(member, f"{name}/", seen, others)
    return found


# Common types that hold no layers, to skip them quickly.
PLAIN_TYPES = frozenset([type(None), bool, int, float, str, type])
PLAIN_TYPES |= {FunctionType, ModuleType}


def members(
    holder: Any, path: str = "", others: list[tuple[str, Any]] | None = None
) -> list[tuple[str, Any]]:
    """Return the Variables and layers that a layer holds directly, with their names,
    including those in lists, tuples and dicts. Add objects of other classes to
    `others`.

    Raises
    ------
    TypeError
        If some of them are in a set, which has no order.
    """
    items = vars(holder) if isinstance(holder, Layer) else holder
    found = []
    for key, value in items.items() if isinstance(items, dict) else enumerate(items):
        if type(value) in PLAIN_TYPES:
            continue
        if isinstance(value, (Variable, Layer)):
            found.append((f"{path}{key}", value))
        elif isinstance(value, (list, tuple, dict, deque)) and value:
            found += members(value, f"{path}{key}/", others)
        elif isinstance(value, (set, frozenset)) and members(list(value)):
            raise TypeError(
                f"{path}{key} is {kind_of(value)} of layers or parameters, which has "
                "no order, so they would have no fixed names: use a list"
            )
        elif others is not None and hasattr(value, "__dict__"):
            others.append((f"{path}{key}", value))
    return found


def named_variables(layer: Layer) -> list[tuple[str, Variable]]:
    """Return all that is saved and moved with a layer: its parameters and buffers."""
    return [(name, x) for name, x in contents(layer) if isinstance(x, KEPT)]


def _buffer_names(found: list[tuple[str, Any]]) -> list[str]:
    return [name for name, x in found if isinstance(x, KEPT)]


# --- files and copies -----------------------------------------------------------------


def variables_by_name(layer: Layer) -> dict[str, Variable]:
    """Return all Variables that a file stores for a layer, by name.

    Raises
    ------
    ValueError
        If two have the same name.
    """
    variables: dict[str, Variable] = {}
    for name, variable in named_variables(layer):
        if name in variables:
            raise ValueError(
                f"two parameters of {type(layer).__name__} go by the name {name!r} "
                "in files: rename one"
            )
        variables[name] = variable
    return variables


def check_savable(kind: str, variables: Mapping[str, Variable]) -> None:
    """Raise a ValueError if some variables could not be loaded again."""
    empty = [name for name, variable in variables.items() if variable.data is None]
    if empty:
        raise ValueError(
            f"{kind} cannot be saved: {', '.join(empty)} hold no data yet; call it "
            "once on an input, so that its layers learn their sizes, or pass each its "
            "input size when you create it"
        )
    dtypes = {name: variable.dtype for name, variable in variables.items()}
    odd = [name for name, dtype in dtypes.items() if dtype.kind not in "fiu"]
    if odd:
        raise ValueError(
            f"{kind} cannot be saved: load_weights takes only real numbers, but "
            f"{', '.join([f'{name} ({dtypes[name]})' for name in odd])} hold others"
        )


def fill(layer: Layer, stored: Mapping[str, Array], path: StrPath) -> None:
    """Assign the arrays of a file to a layer's variables: all of them, or none."""
    variables = variables_by_name(layer)
    forms = {name: _form(variable) for name, variable in variables.items()}
    shapes = {name: shape for name, (shape, _) in forms.items()}
    check_fit(path, type(layer).__name__, stored, shapes)
    arrays = {}
    for name, variable in variables.items():
        array, (_, dtype) = stored[name], forms[name]
        array = array.astype(dtype or array.dtype, copy=False)
        arrays[name] = get_array_module(variable).asarray(array)
    for name, variable in variables.items():
        variable.data = arrays[name]


def _form(variable: Variable) -> tuple[tuple[int | None, ...] | None, DTypeLike | None]:
    if variable.data is not None:
        return variable.shape, variable.dtype
    return variable.form if isinstance(variable, LazyVariable) else (None, None)


def detach_all(value: Any) -> Any:
    """Replace Variables made by a function, such as a recurrent state, by detached
    ones: a copy would otherwise depend on the original's graph.
    """
    if isinstance(value, Variable):
        return value if value.creator is None else value.detach()
    kind = type(value)
    if kind not in (list, tuple, dict):
        return value
    items = list(value.values()) if kind is dict else value
    bare = [detach_all(item) for item in items]
    if all(a is b for a, b in zip(items, bare, strict=True)):
        return value
    return dict(zip(value, bare, strict=True)) if kind is dict else kind(bare)
