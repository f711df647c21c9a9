"""The rule between boxes: compute, and record the inputs. Source: steps 2, 11–18, 32.

There are two kinds. `Function` is the class from step 32: forward on arrays, backward
on Variables. `Primitive` is for the framework's own functions: each states its
derivative once, as a vector-Jacobian product `vjp` made of operators that both arrays
and Variables understand. On arrays, `vjp` is plain, fast arithmetic; on Variables, it
records a graph of the gradient.
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

#: The inputs of a call, their data (None inside vmap), and their highest generation.
Unwrapped = tuple[Any, list[Any] | None, int]


class Function:
    """A computation on arrays that knows its derivative. Source: book steps 2, 11–18
    and 32.

    A subclass defines ``forward(self, *xs)``, which takes and returns arrays, and
    ``backward(self, *gys)``. The gradients `gys` of the outputs, ``self.inputs`` and
    the returned gradients are Variables; backward returns one gradient per input, or
    ``None`` for an input without one. Neither method may write into its arguments.

    Attributes
    ----------
    inputs : tuple of Variable
        The arguments of the call. A plain array or number is wrapped in a Variable that
        receives no gradient.
    outputs : tuple of weakref.ref
        The Variables that it made, referenced weakly, so that a graph without other
        references is freed at once (book step 17).
    generation : int
        The highest generation among its inputs (book step 16).
    """

    inputs: tuple[Any, ...] = ()
    generation = 0
    # One weak reference; or a tuple of them, with the outputs' shapes and dtypes.
    _outputs: Any
    _output_specs: tuple[tuple[Shape, np.dtype[Any]], ...]
    # Whether forward broadcasts its inputs, so that backward has to sum the gradients
    # down to the inputs' shapes.
    broadcasts = False
    # Whether it keeps no reference to the gradient arrays that it returns.
    returns_fresh = False

    def __call__(self, *inputs: Operand) -> Variable:
        """Compute the output and record the inputs; return one Variable, or a tuple of
        them where forward returns a tuple.

        Raises
        ------
        TypeError
            If an input is not a Variable, an array or a number.
        ValueError
            If the inputs do not match, for example in shape.
        RuntimeError
            If this function was called before: it can record only one call.
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
        """Compute the inputs' gradients from those of the outputs, as Variables."""
        raise NotImplementedError(messages.no_backward(self))

    @property
    def outputs(self) -> tuple[weakref.ref[Variable], ...]:
        outputs = self._outputs
        return outputs if type(outputs) is tuple else (outputs,)

    # --- care

    def _unwrap_inputs(self, inputs: tuple[Any, ...]) -> Unwrapped:
        # None marks an optional input that is left out, such as a bias.
        _, xs, generation = unwrap_inputs(self, [x for x in inputs if x is not None])
        if xs is None:
            return inputs, xs, generation
        variables = as_variables(inputs)
        return variables, [x.data for x in variables], generation

    def _differentiate(self, gys: Sequence[Value], create_graph: bool) -> Any:
        # One gradient for each input; like gys, Variables with `create_graph`, else
        # arrays.
        variables = gys if create_graph else [new_variable(gy) for gy in gys]
        return self._check_gradients(self.backward(*variables), create_graph)

    def _check_gradients(self, gxs: Any, create_graph: bool) -> tuple[Any, ...]:
        # Validate the return value of backward: one gradient for each input.
        if gxs is None:
            raise TypeError(messages.returned_nothing(self, "backward"))
        gxs = gxs if isinstance(gxs, (tuple, list)) else [gxs]
        if len(gxs) > len(self.inputs):
            raise ValueError(messages.wrong_count(self, gxs))
        # The book's losses return no gradient for their labels; but an input that could
        # have a gradient must not silently go without.
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
        """Explain why forward failed, if the inputs show it."""


def unwrap_inputs(f: Function, inputs: Any) -> Unwrapped:
    """Return the inputs, their data and the highest generation; -1 without a Variable.

    Zero-dimensional arrays become NumPy scalars. If an input represents one example of
    a batch, the data are ``None``: `vmap` takes over the call.
    """
    xs: list[Any] = []
    generation = -1
    has_batch = False
    for x in inputs:
        if isinstance(x, Variable):
            data = x._data
            if type(data) is ndarray:
                xs.append(data if data.ndim else data[()])
            elif data is None:  # NumPy would silently treat it as an object
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

    Derive from it for speed. In addition to `forward`, define ``vjp(self, xs, *gys)``.
    The inputs `xs` and the gradients `gys` are either all arrays or all Variables,
    except that plain arrays and numbers stay as they are. `vjp` uses what both
    understand: operators, common methods, and :meth:`apply`. It returns one gradient
    per input (or ``None``), and no array that the function keeps. `forward` and `vjp`
    may receive a NumPy scalar for a zero-dimensional array.
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
        """Return whether input `i` is part of the graph, so that its gradient is
        needed.
        """
        return isinstance(self.inputs[i], Variable)

    def output(self, i: int, like: Any) -> Any:
        """Return output `i`, for a `vjp` that can use it: a Variable if `like` is one,
        else an array.

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
            # A user's backward, which expects Variables.
            self.inputs = as_variables(self.inputs)
            return super()._differentiate(gys, create_graph)
        if create_graph:
            return as_gradient_tuple(self, self.vjp(self.inputs, *gys))
        xs = [as_scalar(x._data) if isinstance(x, Variable) else x for x in self.inputs]
        return as_gradient_tuple(self, self.vjp(xs, *gys))


def as_gradient_tuple(f: Function, gxs: Any) -> tuple[Any, ...]:
    """Return the result of `vjp` as a tuple, after checking that it has a gradient for
    each input of `f`.
    """
    if type(gxs) is not tuple:
        gxs = tuple(gxs) if isinstance(gxs, list) else (gxs,)
    if len(gxs) != len(f.inputs):
        raise ValueError(messages.wrong_count(f, gxs))
    gradients: tuple[Any, ...] = gxs
    return gradients


def as_variables(inputs: tuple[Any, ...]) -> tuple[Variable, ...]:
    """Wrap all inputs in Variables. A number takes the dtype that it would have in an
    operation with the arrays among them.
    """
    data = [unwrap(x) for x in inputs]
    dtypes = [x.dtype for x in data if isinstance(x, ARRAYS)]
    values = cast_numbers(inputs, dtypes)
    return tuple([x if isinstance(x, Variable) else Constant(x) for x in values])


def is_batched(x: Any) -> bool:
    """Return whether `x` represents one example of a batch."""
    return isinstance(x, Variable) and x._is_batched


def apply_batching_rule(f: Function, inputs: tuple[Any, ...]) -> Any:
    """Apply the batching rule of `f`, which computes all examples at once."""
    innermost: Any = max(filter(is_batched, inputs), key=lambda x: x.level)
    return innermost.apply(f, inputs)


def as_data(gx: Any) -> Any:
    return unwrap(as_variable(gx))


def wants_gradient(x: Variable) -> bool:
    return type(x) is not Constant and x.dtype.kind == "f"


def as_untracked(ys: Any, generation: int) -> Any:
    """Wrap the results of a call that is not recorded, with the reason."""
    if generation < 0:
        why = "was computed from plain arrays only"
    else:
        why = "was computed under no_grad"
    if type(ys) is tuple:
        return tuple([make_leaf(y, why) for y in ys])
    return make_leaf(ys, why)


def record_outputs(f: Function, ys: tuple[Any, ...]) -> Any:
    """Wrap several outputs in Variables, and keep their shapes for backward."""
    outputs = tuple([new_variable(y, f, f.generation + 1) for y in ys])
    f._outputs = tuple([weakref.ref(output) for output in outputs])
    f._output_specs = tuple([(output.shape, output.dtype) for output in outputs])
    return outputs
