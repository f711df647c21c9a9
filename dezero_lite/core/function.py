"""The rule between boxes: compute, and remember from what. Source: steps 2, 11–18, 32.

Two kinds of it, side by side. `Function` is the one of step 32: forward on arrays,
backward on Variables. `Primitive` is for what the framework brings along: its
derivative is stated once, as a vector-Jacobian product `vjp` made of operators. Arrays
understand these operators and so do Variables: on arrays it is plain arithmetic, and
fast; on Variables it records a graph of its own.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy import ndarray

from ..deprecated import old_method
from . import messages
from .arrays import ARRAYS, NUMBERS, as_scalar, cast_numbers, is_array
from .settings import Config
from .types import Array, Shape, Value
from .variable import (
    Constant,
    Operand,
    Variable,
    as_variable,
    make_leaf,
    new_variable,
    unwrap,
)

__all__ = ["Function", "Primitive"]

#: The inputs of a call, the data in them, and the highest generation among them.
Unwrapped = tuple[Any, list[Any] | None, int]


class Function:
    """A computation on arrays that knows its derivative. Source: book steps 2, 11–18
    and 32.

    Derive from it, and write ``forward(self, *xs)``, which takes and returns arrays,
    and ``backward(self, *gys)``: the gradients of the outputs are Variables, so are
    ``self.inputs``, and so are the gradients to return, one per input, ``None`` for
    none. Neither writes into what it is given.

    Attributes
    ----------
    inputs : tuple of Variable
        What the function was called with. A plain array or number is in a Variable,
        too, which receives no gradient.
    outputs : tuple of weakref.ref
        The Variables that it made, held weakly: a graph that no name refers to is gone
        at once (book step 17).
    generation : int
        The highest generation among its inputs (book step 16).
    """

    inputs: tuple[Any, ...] = ()
    generation = 0
    # One weak reference, or a tuple of them and then the outputs' shapes and dtypes.
    _outputs: Any
    _output_specs: tuple[tuple[Shape, np.dtype[Any]], ...]
    # Whether forward broadcasts its inputs, so that backward has to sum the gradients
    # that vjp returns.
    broadcasts = False
    # Whether it keeps none of the arrays that it returns as gradients.
    returns_fresh = False

    def __call__(self, *inputs: Operand) -> Variable:
        """Compute, and remember from what: one Variable, or a tuple of them where
        forward returns a tuple.

        Raises
        ------
        TypeError
            If an input is neither a Variable nor an array nor a number.
        ValueError
            If the inputs do not go together.
        RuntimeError
            If this function was called before: it can remember one call only.
        """
        inputs, xs, generation = self._unwrap_inputs(inputs)
        if xs is None:
            return apply_batching_rule(self, inputs)  # type: ignore[no-any-return]
        try:
            ys = self.forward(*xs)
        except (AttributeError, TypeError, ValueError):
            self._raise_input_error(inputs)
            raise
        if ys is None:
            raise TypeError(messages.returned_nothing(self, "forward"))
        if generation < 0 or not Config.enable_backprop:
            return as_untracked(ys, generation)  # type: ignore[no-any-return]
        if self.inputs:
            raise RuntimeError(messages.called_twice(self))
        self.inputs = inputs
        self.generation = generation
        if type(ys) is tuple:
            # Annotated as one Variable, because that is what most functions return.
            return record_outputs(self, ys)  # type: ignore[no-any-return]
        output = new_variable(ys, self, generation + 1)
        self._outputs = weakref.ref(output)
        return output

    def forward(self, *xs: Array, **_: Any) -> Array:
        """Compute the output array, or a tuple of them, from the input arrays."""
        raise NotImplementedError(messages.needs(self, "forward(self, x, ...)"))

    def backward(self, *gys: Any, **_: Any) -> Any:
        """Compute the gradients of the inputs from those of the outputs: Variables."""
        raise NotImplementedError(messages.no_backward(self))

    @property
    def outputs(self) -> tuple[weakref.ref[Variable], ...]:
        outputs = self._outputs
        return outputs if type(outputs) is tuple else (outputs,)

    # --- care

    def _unwrap_inputs(self, inputs: tuple[Any, ...]) -> Unwrapped:
        # None stands for an input that is left out, as a bias is.
        _, xs, generation = unwrap_inputs(self, [x for x in inputs if x is not None])
        if xs is None:
            return inputs, xs, generation
        variables = as_variables(inputs)
        return variables, [x.data for x in variables], generation

    def _differentiate(self, gys: Sequence[Value], create_graph: bool) -> Any:
        # A gradient for each input, like gys: Variables with `create_graph`, else
        # arrays.
        variables = gys if create_graph else [new_variable(gy) for gy in gys]
        return self._check_gradients(self.backward(*variables), create_graph)

    def _check_gradients(self, gxs: Any, create_graph: bool) -> tuple[Any, ...]:
        # What backward has returned, one for each input.
        if gxs is None:
            raise TypeError(messages.returned_nothing(self, "backward"))
        gxs = gxs if isinstance(gxs, (tuple, list)) else [gxs]
        if len(gxs) > len(self.inputs):
            raise ValueError(messages.wrong_count(self, gxs))
        # The book's losses return nothing for their labels; what could have a gradient
        # must not go without one in silence.
        if any([wants_gradient(x) for x in self.inputs[len(gxs) :]]):
            raise ValueError(messages.wrong_count(self, gxs))
        convert = as_variable if create_graph else as_data
        return tuple(
            [
                None if gx is None or type(x) is Constant else convert(gx)
                for gx, x in zip_longest(gxs, self.inputs)
            ]
        )

    def _raise_input_error(self, inputs: Sequence[Any]) -> None:
        """Say why forward failed, where the inputs show it."""


def unwrap_inputs(f: Function, inputs: Any) -> Unwrapped:
    """The inputs, what is in them, and the highest generation; -1 without a Variable.

    Arrays without dimensions come out as NumPy's scalars. Where an input stands for one
    example of a batch, ``None`` comes out: `vmap` takes the call over.
    """
    xs: list[Any] = []
    generation = -1
    has_batch = False
    for x in inputs:
        if isinstance(x, Variable):
            data = x._data
            if type(data) is ndarray:
                xs.append(data if data.ndim else data[()])
            elif data is None:  # which NumPy would take for an object, in silence
                raise ValueError(messages.no_data_yet(f, len(xs), x))
            else:
                xs.append(data)
                if type(x) is not Variable and x._is_batched:
                    has_batch = True
            if x.generation > generation:
                generation = x.generation
        elif isinstance(x, NUMBERS) or is_array(x):
            xs.append(x)
        else:
            raise TypeError(messages.not_an_operand(f, x))
    return inputs, None if has_batch else xs, generation


class Primitive(Function):
    """A function of the framework's own: one rule for arrays and for Variables.

    Derive from it for speed. Beside `forward`, write ``vjp(self, xs, *gys)``: inputs
    and gradients come all as arrays or all as Variables, except that plain arrays and
    numbers stay what they are. It uses what both understand: operators, methods that
    both have, and :meth:`apply`. It returns one gradient per input, ``None`` for none,
    and no array that the function keeps. An array without dimensions may come to
    `forward` and `vjp` as a NumPy scalar.
    """

    returns_fresh = True

    def backward(self, *gys: Any, **_: Any) -> Any:
        return self.vjp(self.inputs, *gys)

    def vjp(self, xs: Sequence[Value], *gys: Value, **_: Any) -> Value:
        """Compute the gradients of the inputs `xs` from those of the outputs, on arrays
        or on Variables.
        """
        raise NotImplementedError(messages.needs(self, "vjp(self, xs, gy, ...)"))

    def apply(self, *inputs: Any) -> Any:
        """Apply this function inside a `vjp`: to arrays without a graph, to Variables
        with one.
        """
        if any([isinstance(x, Variable) for x in inputs]):
            return self(*inputs)
        return self.forward(*inputs)

    on = old_method("dezero_lite.core.Primitive.on")

    def needs_input_grad(self, i: int) -> bool:
        """Whether input `i` takes part in the graph, so that its gradient is worth
        computing.
        """
        return isinstance(self.inputs[i], Variable)

    def output(self, i: int, like: Any) -> Any:
        """Output `i`, for a `vjp` that can use it: a Variable where `like` is one, else
        an array.

        Raises
        ------
        RuntimeError
            If that output was dropped.
        """
        y = self.outputs[i]()
        if y is None:
            raise RuntimeError(messages.dropped_output(self, i))
        return y if isinstance(like, Variable) else y._data

    # --- care

    _unwrap_inputs = unwrap_inputs

    def _differentiate(self, gys: Sequence[Value], create_graph: bool) -> Any:
        if type(self).backward is not Primitive.backward:
            # Someone's own backward, which expects Variables.
            self.inputs = as_variables(self.inputs)
            return super()._differentiate(gys, create_graph)
        if create_graph:
            return as_gradient_tuple(self, self.vjp(self.inputs, *gys))
        xs = [as_scalar(x._data) if isinstance(x, Variable) else x for x in self.inputs]
        return as_gradient_tuple(self, self.vjp(xs, *gys))


def as_gradient_tuple(f: Function, gxs: Any) -> tuple[Any, ...]:
    """What `vjp` returned, as a tuple of as many as `f` has inputs."""
    if type(gxs) is not tuple:
        gxs = tuple(gxs) if isinstance(gxs, list) else (gxs,)
    if len(gxs) != len(f.inputs):
        raise ValueError(messages.wrong_count(f, gxs))
    gradients: tuple[Any, ...] = gxs
    return gradients


def as_variables(inputs: tuple[Any, ...]) -> tuple[Variable, ...]:
    """The inputs, all as Variables. A number takes the dtype that the arrays beside it
    would give it.
    """
    data = [unwrap(x) for x in inputs]
    dtypes = [x.dtype for x in data if isinstance(x, ARRAYS)]
    values = cast_numbers(inputs, dtypes)
    return tuple([x if isinstance(x, Variable) else Constant(x) for x in values])


def is_batched(x: Any) -> bool:
    """Whether `x` stands for one example of a batch."""
    return isinstance(x, Variable) and x._is_batched


def apply_batching_rule(f: Function, inputs: tuple[Any, ...]) -> Any:
    """What `f` makes of every example at once."""
    innermost: Any = max(filter(is_batched, inputs), key=lambda x: x.level)
    return innermost.apply(f, inputs)


def as_data(gx: Any) -> Any:
    return unwrap(as_variable(gx))


def wants_gradient(x: Variable) -> bool:
    return type(x) is not Constant and x.dtype.kind == "f"


def as_untracked(ys: Any, generation: int) -> Any:
    """The results of a call that is not recorded, and why it is not."""
    if generation < 0:
        why = "was computed from plain arrays only"
    else:
        why = "was computed under no_grad"
    if type(ys) is tuple:
        return tuple([make_leaf(y, why) for y in ys])
    return make_leaf(ys, why)


def record_outputs(f: Function, ys: tuple[Any, ...]) -> Any:
    """The Variables of a function with several outputs; some may be dropped."""
    outputs = tuple([new_variable(y, f, f.generation + 1) for y in ys])
    f._outputs = tuple([weakref.ref(output) for output in outputs])
    f._output_specs = tuple([(output.shape, output.dtype) for output in outputs])
    return outputs
