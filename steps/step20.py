"""Step 20: operators I: * and +."""

import contextlib
import heapq
import weakref
from itertools import count

import numpy as np

__all__ = [
    "Add",
    "Config",
    "Exp",
    "Function",
    "Mul",
    "Square",
    "Variable",
    "add",
    "as_array",
    "exp",
    "gradient_check",
    "mul",
    "no_grad",
    "numerical_diff",
    "square",
    "using_config",
]


class Config:
    """Settings that apply to the whole framework."""

    enable_backprop = True


@contextlib.contextmanager
def using_config(name, value):
    """Set ``Config.<name>`` to ``value`` for the length of a ``with`` block."""
    old_value = getattr(Config, name)
    setattr(Config, name, value)
    try:
        yield
    finally:
        setattr(Config, name, old_value)


def no_grad():
    """Compute without recording: results of this ``with`` block cannot run backward."""
    return using_config("enable_backprop", False)


class Variable:
    """A box that holds an array in ``data`` and its gradient in ``grad``."""

    def __init__(self, data, name=None):
        if data is not None and not isinstance(data, np.ndarray):
            kind = type(data).__name__
            raise TypeError(f"Variable needs an array, np.array(...), not type {kind}")
        self.data = data
        self.name = name
        self.grad = None
        self.creator = None
        self.generation = 0

    @property
    def shape(self):
        return self.data.shape

    @property
    def ndim(self):
        return self.data.ndim

    @property
    def size(self):
        return self.data.size

    @property
    def dtype(self):
        return self.data.dtype

    def __len__(self):
        return len(self.data)

    def __repr__(self):
        text = str(self.data).replace("\n", "\n" + " " * len("variable("))
        return f"variable({text})"

    def set_creator(self, func):
        self.creator = func
        self.generation = func.generation + 1

    def cleargrad(self):
        self.grad = None

    def backward(self, retain_grad=False):
        if self.grad is None:
            self.grad = np.ones_like(self.data)

        queue, seen, serial = [], set(), count()

        def put(x):
            f = x.creator
            if f is not None and f not in seen:
                seen.add(f)
                heapq.heappush(queue, (-f.generation, next(serial), f))

        put(self)
        while queue:
            _, _, f = heapq.heappop(queue)
            gxs = f.backward(*[y().grad for y in f.outputs])
            if not isinstance(gxs, tuple):
                gxs = (gxs,)
            for x, gx in zip(f.inputs, gxs, strict=True):
                if x.creator is not None and x.creator not in seen:
                    for y in x.creator.outputs:
                        y().grad = None  # left from an earlier pass
                x.grad = as_array(gx if x.grad is None else x.grad + gx)
                put(x)

            if not retain_grad:
                for y in f.outputs:
                    y().grad = None


class Function:
    """A rule between boxes: ``forward`` for arrays, ``backward`` for gradients."""

    def __init__(self, *inputs):
        if inputs:
            name = type(self).__name__
            raise TypeError(f"make the function first, then call it: {name}()(x)")

    def __call__(self, *inputs):
        xs = [x.data for x in inputs]
        ys = self.forward(*xs)
        if not isinstance(ys, tuple):
            ys = (ys,)
        ys = [as_array(y) for y in ys]
        if not all(isinstance(y, np.ndarray) for y in ys):
            name = type(self).__name__
            raise TypeError(f"{name}.forward must return an array or a tuple of arrays")
        outputs = [Variable(y) for y in ys]
        if Config.enable_backprop:
            self.generation = max(x.generation for x in inputs)
            for output in outputs:
                output.set_creator(self)
            self.inputs = inputs
            self.outputs = [weakref.ref(output) for output in outputs]
        return outputs if len(outputs) > 1 else outputs[0]

    def forward(self, *xs):
        raise NotImplementedError(
            f"{type(self).__name__} needs a forward(self, x0, ...)"
        )

    def backward(self, *gys):
        raise NotImplementedError(
            f"{type(self).__name__} needs a backward(self, gy0, ...)"
        )


class Square(Function):
    """y = x²"""

    def forward(self, x):
        return x**2

    def backward(self, gy):
        x = self.inputs[0].data
        return 2 * x * gy


class Exp(Function):
    """y = exp(x)"""

    def forward(self, x):
        return np.exp(x)

    def backward(self, gy):
        x = self.inputs[0].data
        return np.exp(x) * gy


class Add(Function):
    """y = x0 + x1"""

    def forward(self, x0, x1):
        return x0 + x1

    def backward(self, gy):
        return gy, gy


def as_array(x):
    """Return ``x`` as an array: a single number becomes an array of zero dimensions."""
    if np.isscalar(x):
        return np.array(x)
    return x


def square(x):
    return Square()(x)


def exp(x):
    return Exp()(x)


def add(x0, x1):
    return Add()(x0, x1)


class Mul(Function):
    """y = x0 · x1"""

    def forward(self, x0, x1):
        return x0 * x1

    def backward(self, gy):
        x0, x1 = self.inputs
        return x1.data * gy, x0.data * gy


def mul(x0, x1):
    return Mul()(x0, x1)


Variable.__add__ = add
Variable.__mul__ = mul


def numerical_diff(f, x, eps=1e-4):
    """Return the slope of ``f`` at ``x``: two values of ``f``, 2 ``eps`` apart."""
    y0 = f(Variable(as_array(x.data - eps)))
    y1 = f(Variable(as_array(x.data + eps)))
    return (y1.data - y0.data) / (2 * eps)


def gradient_check(f, x, rtol=1e-4, atol=1e-5):
    """Tell whether the gradient of ``f`` at ``x`` agrees with ``numerical_diff``."""
    x = Variable(x.data.copy())
    y = f(x)
    y.backward()
    return np.allclose(x.grad, numerical_diff(f, x), rtol=rtol, atol=atol)
