"""Step 66: edges that carry the rule.

A computed :class:`Tensor` has one :class:`Edge` to each of its inputs. The edge holds a
closure, the rule that turns the gradient of the result into the gradient of that input.
There are no function objects and no table of operations.
"""

import threading
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

__all__ = ["Edge", "Tensor", "computed", "gradient_error"]


class Edge(NamedTuple):
    """An input, and the rule that computes its gradient from the result's gradient."""

    tensor: "Tensor"
    rule: Callable


class Tensor:
    """An array that knows which tensors it was computed from.

    ``data`` cannot be changed in place, because rules use it: assign a new array.
    ``grad`` is an array or None. A tensor that you make yourself has no ``edges``.
    """

    __slots__ = ("__weakref__", "_data", "_needed", "edges", "grad")
    __array_ufunc__ = None  # np.ones(3) + tensor calls the tensor's __radd__

    def __init__(self, data, requires_grad=False, dtype=None):
        self.edges = ()
        self.grad = None
        self._data = numbers(data, dtype)
        self.requires_grad = requires_grad

    @property
    def requires_grad(self):
        return self._needed

    @requires_grad.setter
    def requires_grad(self, needed):
        if needed and self.dtype.kind != "f":
            raise TypeError(f"only floats have a gradient, not {self.dtype}: write 1.0")
        self._needed = needed

    @property
    def data(self):
        return self._data

    @data.setter
    def data(self, new):
        if self.edges:
            raise ValueError(
                "this tensor was computed: assign to the ones it came from"
            )
        # Existing rules keep the old array. The old gradient belongs to it, so drop it.
        self._data = frozen(numbers(new).astype(self.dtype, casting="same_kind"))
        self.grad = None

    def zero_grad(self):
        """Forget the gradient, so that the next backward pass starts from zero."""
        self.grad = None

    @property
    def shape(self):
        return self._data.shape

    @property
    def ndim(self):
        return self._data.ndim

    @property
    def size(self):
        return self._data.size

    @property
    def dtype(self):
        return self._data.dtype

    def __deepcopy__(self, memo):
        if self.edges:
            raise TypeError("this tensor was computed: copy the ones it came from")
        copy = Tensor(self._data, self.requires_grad)
        copy.grad = None if self.grad is None else self.grad.copy()
        return copy

    def __array__(self, *args, **options):
        raise TypeError("NumPy's functions take arrays, not tensors: use x.data")

    __array_function__ = __array__  # also for np.sum(x)

    def __len__(self):
        if self.ndim == 0:
            raise TypeError("a tensor of shape () is one number and has no length")
        return len(self._data)

    def __bool__(self):
        return bool(self._data)

    def __repr__(self):
        text = str(self._data).replace("\n", "\n" + " " * len("Tensor("))
        return f"Tensor({text}{', requires_grad=True' * self.requires_grad})"


# --- Helpers --------------------------------------------------------------------------


def frozen(array):
    """Return a read-only view of an array."""
    array = np.asarray(array).view()
    array.flags.writeable = False
    return array


def numbers(data, dtype=None):
    """Copy the data into a new read-only array, or reject what is not numeric."""
    if isinstance(data, Tensor):
        raise TypeError(
            "this is a tensor already; Tensor(x.data) makes a new one from it"
        )
    array = np.array(data)
    if dtype is not None and array.dtype.kind in "biuf":
        array = array.astype(dtype)
    if array.dtype.kind not in "biuf":
        raise TypeError(
            f"a tensor holds numbers, not {type(data).__name__} {data!r:.40}"
        )
    return frozen(array)


def as_tensor(value, other=None):
    """Turn ``value`` into a tensor; a number takes the dtype of ``other``."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, int | float | np.number) and isinstance(other, Tensor):
        number = np.asarray(value).item()
        value = np.asarray(number, dtype=np.result_type(other.dtype, number))
    return Tensor(value)


def computed(data, *edges):
    """Make the tensor that an operation returns, with pairs (input, rule) as its edges.

    Edges to constants are left out, because constants need no gradient.
    """
    edges = tuple(Edge(x, rule) for x, rule in edges if x.requires_grad)
    tensor = Tensor.__new__(Tensor)
    tensor.edges = edges
    tensor.grad = None
    tensor._data = frozen(np.asarray(data))
    tensor.requires_grad = bool(edges)
    return tensor


# --- The backward pass ----------------------------------------------------------------


def edges_into(root):
    """Count the edges into each tensor of the graph behind ``root``."""
    counts, worklist = {root: 0}, [root]
    while worklist:
        for x, _ in worklist.pop().edges:
            if x not in counts:
                counts[x] = 0
                worklist.append(x)
            counts[x] += 1
    return counts


def first_gradient(y, grad):
    """Return the gradient with which the backward pass begins."""
    if not y.requires_grad:
        raise RuntimeError("nothing that led to this tensor has requires_grad=True")
    if grad is None and y.size != 1:
        raise ValueError(
            f"backward begins at one number, not at {y.shape}: sum() it first"
        )
    grad = np.ones(y.shape) if grad is None else np.asarray(grad)
    if grad.shape != y.shape:
        raise ValueError(f"a gradient {grad.shape} does not fit a tensor {y.shape}")
    return grad.astype(y.dtype, casting="same_kind")


def gradient_by(rule, g, x):
    """Apply a rule to g, and check the shape and dtype of the gradient of x."""
    try:
        gx = rule(g)
    except ValueError as error:
        if "read-only" not in str(error):
            raise
        raise ValueError(
            "a rule writes into an array that others use: let it make a new one"
        ) from None
    if gx is None:
        raise TypeError(
            f"a rule returned nothing for a tensor {x.shape}: return a gradient"
        )
    if np.shape(gx) != x.shape:
        raise ValueError(
            f"a rule returned a gradient {np.shape(gx)} for a tensor {x.shape}"
        )
    return np.asarray(gx).astype(x.dtype, casting="same_kind", copy=False)


def backward(y, grad=None):
    """Add to the ``grad`` of every tensor with ``requires_grad`` that y was made from.

    ``grad`` is the gradient of y. If y has one element, it is 1 by default.
    """
    # A tensor passes its gradient on when every edge into it has delivered.
    waits = edges_into(y)
    pending = {y: first_gradient(y, grad)}
    ready = [y]
    while ready:
        tensor = ready.pop()
        g = frozen(pending.pop(tensor))
        if not tensor.edges:
            tensor.grad = np.array(g) if tensor.grad is None else tensor.grad + g
        for x, rule in tensor.edges:
            gx = gradient_by(rule, g, x)
            pending[x] = pending[x] + gx if x in pending else gx
            waits[x] -= 1
            if waits[x] == 0:
                ready.append(x)


Tensor.backward = backward


class Loose(threading.local):
    """The edges of tensors that are being freed, and whether a loop is running."""

    def __init__(self):
        self.edges = []
        self.busy = False


def let_go(tensor):
    """Free the tensors behind this one, without recursion."""
    # Freeing an input frees its own inputs, and so on: a recursion inside Python. So
    # each tensor puts its edges into a list, which the first one empties in a loop.
    if getattr(tensor, "edges", ()):  # missing if making it failed
        tensor.loose.edges.append(tensor.edges)
        if not tensor.loose.busy:
            tensor.loose.busy = True
            while tensor.loose.edges:
                tensor.loose.edges.pop()
            tensor.loose.busy = False


Tensor.loose = Loose()
Tensor.__del__ = let_go


# --- Arithmetic -----------------------------------------------------------------------


def both(sign, a, b):
    """Turn both operands into tensors, or reject shapes that cannot be broadcast."""
    a, b = as_tensor(a, b), as_tensor(b, a)
    try:
        np.broadcast_shapes(a.shape, b.shape)
    except ValueError:
        raise ValueError(f"a {sign} b: {a.shape} and {b.shape} do not fit") from None
    return a, b


def sum_to(g, shape):
    """Reduce ``g`` to ``shape`` by summing over every axis that was stretched."""
    if g.shape == shape:
        return g
    new = g.ndim - len(shape)
    stretched = tuple(i for i in range(g.ndim) if i < new or shape[i - new] == 1)
    return g.sum(axis=stretched, keepdims=True).reshape(shape)


def add(a, b):
    a, b = both("+", a, b)
    a_shape, b_shape = a.shape, b.shape
    return computed(
        a.data + b.data,
        (a, lambda g: sum_to(g, a_shape)),
        (b, lambda g: sum_to(g, b_shape)),
    )


def sub(a, b):
    a, b = both("-", a, b)
    a_shape, b_shape = a.shape, b.shape
    return computed(
        a.data - b.data,
        (a, lambda g: sum_to(g, a_shape)),
        (b, lambda g: sum_to(-g, b_shape)),
    )


def mul(a, b):
    a, b = both("*", a, b)
    a_data, b_data = a.data, b.data
    return computed(
        a_data * b_data,
        (a, lambda g: sum_to(g * b_data, a_data.shape)),
        (b, lambda g: sum_to(g * a_data, b_data.shape)),
    )


def div(a, b):
    a, b = both("/", a, b)
    a_shape, b_data = a.shape, b.data
    y = a.data / b_data
    return computed(
        y,
        (a, lambda g: sum_to(g / b_data, a_shape)),
        (b, lambda g: sum_to(-g * y / b_data, b_data.shape)),
    )


def neg(x):
    return computed(-x.data, (x, lambda g: -g))


def power(x, c):
    if not isinstance(c, int | float):
        raise TypeError(f"x ** c needs a number for c, not type {type(c).__name__}")
    x_data = x.data
    # For c = 0 the slope is 0, even where 0 ** (c − 1) is not a number.
    return computed(
        x_data**c, (x, lambda g: g * (c * x_data ** (c - 1) if c else 0.0 * x_data))
    )


def compare(ufunc):
    """Make a comparison that returns an array: it has no useful gradient."""
    return lambda a, b: ufunc(a.data, b.data if isinstance(b, Tensor) else b)


Tensor.__add__ = Tensor.__radd__ = add
Tensor.__mul__ = Tensor.__rmul__ = mul
Tensor.__sub__ = sub
Tensor.__rsub__ = lambda a, b: sub(b, a)
Tensor.__truediv__ = div
Tensor.__rtruediv__ = lambda a, b: div(b, a)
Tensor.__neg__ = neg
Tensor.__pow__ = power
Tensor.__lt__ = compare(np.less)
Tensor.__le__ = compare(np.less_equal)
Tensor.__gt__ = compare(np.greater)
Tensor.__ge__ = compare(np.greater_equal)
Tensor.__eq__ = compare(np.equal)
Tensor.__ne__ = compare(np.not_equal)


# --- Shapes, sums, products -----------------------------------------------------------


def reshape(x, *shape):
    old = x.shape
    return computed(x.data.reshape(*shape), (x, lambda g: g.reshape(old)))


def transpose(x, *axes):
    axes = axes[0] if axes and isinstance(axes[0], tuple | list) else axes
    order = np.arange(x.ndim)[list(axes)] if axes else np.arange(x.ndim)[::-1]
    return computed(
        x.data.transpose(order), (x, lambda g: g.transpose(np.argsort(order)))
    )


def sum_over(x, axis=None, keepdims=False):
    shape = x.shape

    def rule(g):
        g = g if keepdims or axis is None else np.expand_dims(g, axis)
        return np.broadcast_to(g, shape)

    return computed(x.data.sum(axis=axis, keepdims=keepdims), (x, rule))


def mean(x, axis=None, keepdims=False):
    y = sum_over(x, axis, keepdims)
    return y / (x.size / max(y.size, 1))


def largest(x, axis=None, keepdims=False):
    y = x.data.max(axis=axis, keepdims=True)
    # Where several elements are the largest, they share the gradient.
    chosen = x.data == y
    share = chosen / chosen.sum(axis=axis, keepdims=True)

    def rule(g):
        g = g if keepdims or axis is None else np.expand_dims(g, axis)
        return g * share

    y = y if keepdims else x.data.max(axis=axis)
    return computed(y, (x, rule))


def get_item(x, index):
    index, shape = unchanging(index), x.shape

    def rule(g):
        # Start with zeros, and add: an element that was taken twice gets two gradients.
        gx = np.zeros(shape, g.dtype)
        np.add.at(gx, index, g)
        return gx

    return computed(np.array(x.data[index]), (x, rule))


def unchanging(index):
    """Copy the lists and arrays of an index, so that later changes do not matter."""
    if isinstance(index, tuple):
        return tuple(unchanging(part) for part in index)
    if isinstance(index, Tensor):
        return index.data
    return np.array(index) if isinstance(index, list | np.ndarray) else index


def matmul(a, b):
    a, b = as_tensor(a, b), as_tensor(b, a)
    if a.ndim == 0 or b.ndim == 0 or a.shape[-1] != b.shape[-2:][0]:
        raise ValueError(f"a @ b: {a.shape} and {b.shape} cannot be multiplied")
    # A vector is a column on the right of @, and a row on the left.
    if b.ndim == 1:
        return matmul(a, b.reshape(-1, 1))[..., 0]
    if a.ndim == 1:
        return matmul(a.reshape(1, -1), b)[..., 0, :]
    a_data, b_data = a.data, b.data
    return computed(
        a_data @ b_data,
        (a, lambda g: sum_to(g @ np.swapaxes(b_data, -1, -2), a_data.shape)),
        (b, lambda g: sum_to(np.swapaxes(a_data, -1, -2) @ g, b_data.shape)),
    )


Tensor.reshape = reshape
Tensor.transpose = transpose
Tensor.T = property(transpose)
Tensor.sum = sum_over
Tensor.mean = mean
Tensor.max = largest
Tensor.__getitem__ = get_item
Tensor.__iter__ = lambda x: (x[i] for i in range(len(x)))
Tensor.__matmul__ = matmul
Tensor.__rmatmul__ = lambda a, b: matmul(b, a)


# --- Checking -------------------------------------------------------------------------


def gradient_error(f, *arrays, eps=1e-6):
    """Return the largest error of the gradients of ``f`` against central differences.

    Where a slope is larger than 1, the error is relative to it.
    """
    arrays = [np.array(array, dtype=float) for array in arrays]
    tensors = [Tensor(array, requires_grad=True) for array in arrays]
    y = f(*tensors)
    # Begin with random numbers: with ones, errors that add up to zero would cancel.
    weights = np.random.default_rng(0).normal(size=y.shape)
    y.backward(weights)
    errors = [0.0]
    for array, tensor in zip(arrays, tensors, strict=True):
        gradient = np.zeros(array.shape) if tensor.grad is None else tensor.grad
        for index in np.ndindex(array.shape):
            value, ys = array[index], []
            for moved in (value + eps, value - eps):
                array[index] = moved
                ys.append(f(*map(Tensor, arrays)).data)
            array[index] = value
            slope = np.sum((ys[0] - ys[1]) * weights) / (2 * eps)
            errors.append(abs(slope - gradient[index]) / max(1.0, abs(slope)))
    return float(np.max(errors))
