"""Variables, functions, and the walk back: the file of step 32, in reading order.

What differs says so: `operands`, and what backward checks.
"""

import contextlib
import heapq
import weakref
from itertools import count

import numpy as np


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


def as_array(x):
    """Return ``x`` as an array: a single number becomes an array of zero dimensions."""
    if np.isscalar(x):
        return np.array(x)
    return x


class Variable:
    """A box that holds an array in ``data`` and its gradient in ``grad``."""

    __array_priority__ = 200

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

    def __array__(self, dtype=None, copy=None):
        raise TypeError(
            "NumPy's functions take arrays: pass x.data, or call the framework's own "
            "function, such as exp(x)"
        )

    def set_creator(self, func):
        self.creator = func
        self.generation = func.generation + 1

    def cleargrad(self):
        self.grad = None

    def backward(self, retain_grad=False, create_graph=False):
        if self.grad is None:
            self.grad = Variable(np.ones_like(self.data))

        queue, seen, serial = [], set(), count()

        def put(x):
            f = x.creator
            if f is not None and f not in seen:
                seen.add(f)
                heapq.heappush(queue, (-f.generation, next(serial), f))

        put(self)
        while queue:
            _, _, f = heapq.heappop(queue)
            with using_config("enable_backprop", create_graph):
                gxs = f.backward(*[y().grad for y in f.outputs])
                gxs = gxs if isinstance(gxs, tuple) else (gxs,)
                for x, gx in zip(f.inputs, map(as_variable, gxs), strict=True):
                    check_gradient(f, x, gx)
                    if x.creator is not None and x.creator not in seen:
                        for y in x.creator.outputs:
                            y().grad = None  # left from an earlier pass
                    x.grad = gx if x.grad is None else x.grad + gx
                    put(x)

            if not retain_grad:
                for y in f.outputs:
                    y().grad = None


def as_variable(x):
    """Return ``x`` as a variable: an array or a number is put into a new one."""
    if isinstance(x, Variable):
        if isinstance(x.data, Variable):
            raise TypeError("x.data is a variable: write x.data -= lr * x.grad.data")
        return x
    if hasattr(x, "creator"):
        theirs = type(x).__module__
        raise TypeError(
            f"this variable is of {theirs}, the function of {__name__}: the two "
            "frameworks do not mix; hand on its array, x.data"
        )
    return Variable(as_array(x))


def check_gradient(f, x, gx):
    """Reject a gradient of the wrong shape, and any gradient for integers."""
    name = type(f).__name__
    if gx.data is None:
        raise TypeError(f"{name}.backward returned None: it must return a gradient")
    if gx.shape != x.shape:
        raise ValueError(
            f"{name}.backward gave a gradient of shape {gx.shape} to a variable of "
            f"shape {x.shape}: the two must be the same"
        )
    if x.dtype.kind != "f":
        raise TypeError(
            f"{name}.backward has a gradient for a variable of dtype {x.dtype}, whose "
            "values cannot change by a small amount: make the array float first"
        )


class Function:
    """A rule between boxes: ``forward`` for arrays, ``backward`` for gradients."""

    def __init__(self, *inputs):
        if inputs:
            name = type(self).__name__
            raise TypeError(f"make the function first, then call it: {name}()(x)")

    def __call__(self, *inputs):
        inputs = [as_variable(x) for x in inputs]
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
        x = self.inputs[0]
        return 2 * x * gy


def square(x):
    return Square()(x)


class Exp(Function):
    """y = exp(x)"""

    def forward(self, x):
        return np.exp(x)

    def backward(self, gy):
        x = self.inputs[0]
        return exp(x) * gy


def exp(x):
    return Exp()(x)


def operands(x0, x1):
    """Return both as variables; a plain number takes the other's dtype and shape."""
    return fitted(x0, as_variable(x1)), fitted(x1, as_variable(x0))


def fitted(x, other):
    """Return ``x`` as a variable that does not widen the other operand's dtype."""
    if isinstance(x, Variable):
        return x
    if np.isscalar(x):
        number = np.array(x, np.result_type(x, other.dtype))
        x = np.broadcast_to(number, other.shape)  # stretched, without extra memory
    elif isinstance(x, np.ndarray):
        x = x.astype(np.result_type(x, other.dtype), copy=False)
    return as_variable(x)


class Add(Function):
    """y = x0 + x1"""

    def forward(self, x0, x1):
        return x0 + x1

    def backward(self, gy):
        return gy, gy


def add(x0, x1):
    return Add()(*operands(x0, x1))


Variable.__add__ = add
Variable.__radd__ = add


class Mul(Function):
    """y = x0 · x1"""

    def forward(self, x0, x1):
        return x0 * x1

    def backward(self, gy):
        x0, x1 = self.inputs
        return x1 * gy, x0 * gy


def mul(x0, x1):
    return Mul()(*operands(x0, x1))


Variable.__mul__ = mul
Variable.__rmul__ = mul


class Neg(Function):
    """y = −x"""

    def forward(self, x):
        return -x

    def backward(self, gy):
        return -gy


def neg(x):
    return Neg()(x)


Variable.__neg__ = neg


class Sub(Function):
    """y = x0 − x1"""

    def forward(self, x0, x1):
        return x0 - x1

    def backward(self, gy):
        return gy, -gy


def sub(x0, x1):
    return Sub()(*operands(x0, x1))


def rsub(x0, x1):
    return Sub()(*operands(x1, x0))


Variable.__sub__ = sub
Variable.__rsub__ = rsub


class Div(Function):
    """y = x0 / x1"""

    def forward(self, x0, x1):
        return x0 / x1

    def backward(self, gy):
        x0, x1 = self.inputs
        return gy / x1, -gy * x0 / x1**2


def div(x0, x1):
    return Div()(*operands(x0, x1))


def rdiv(x0, x1):
    return Div()(*operands(x1, x0))


Variable.__truediv__ = div
Variable.__rtruediv__ = rdiv


class Pow(Function):
    """y = x to the power of c, a number"""

    def __init__(self, c):
        self.c = c

    def forward(self, x):
        return x**self.c

    def backward(self, gy):
        x = self.inputs[0]
        n = self.c - (self.c != 0)  # 0 · x⁻¹ would be NaN at x = 0
        return self.c * x**n * gy


def pow(x, c):
    if isinstance(c, Variable):
        raise TypeError("x ** c needs a number for c, not a Variable")
    return Pow(c)(x)


Variable.__pow__ = pow


# --- Step 44: what a layer learns -----------------------------------------------------


class Parameter(Variable):
    """A variable that an optimizer changes."""


# --- Step 54: in training, or in use? -------------------------------------------------

Config.train = True


def test_mode():
    """Run a ``with`` block in which layers work as they do after training."""
    return using_config("train", False)


# --- Step 59: let go of the past ------------------------------------------------------


def unchain(x):
    """Forget which function made ``x``: the backward pass ends here."""
    x.creator = None


def unchain_backward(y):
    """Unchain all variables that ``y`` was computed from."""
    functions = [y.creator] if y.creator else []
    while functions:
        for x in functions.pop().inputs:
            if x.creator:
                functions.append(x.creator)
                unchain(x)
