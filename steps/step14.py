"""Step 14: the same variable twice."""

import numpy as np

__all__ = [
    "Add",
    "Exp",
    "Function",
    "Square",
    "Variable",
    "add",
    "as_array",
    "exp",
    "gradient_check",
    "numerical_diff",
    "square",
]


class Variable:
    """A box that holds an array in ``data`` and its gradient in ``grad``."""

    def __init__(self, data):
        if data is not None and not isinstance(data, np.ndarray):
            kind = type(data).__name__
            raise TypeError(f"Variable needs an array, np.array(...), not type {kind}")
        self.data = data
        self.grad = None
        self.creator = None

    def set_creator(self, func):
        self.creator = func

    def cleargrad(self):
        self.grad = None

    def backward(self):
        if self.grad is None:
            self.grad = np.ones_like(self.data)

        funcs = [self.creator] if self.creator is not None else []
        while funcs:
            f = funcs.pop()
            gxs = f.backward(*[y.grad for y in f.outputs])
            if not isinstance(gxs, tuple):
                gxs = (gxs,)
            for x, gx in zip(f.inputs, gxs, strict=True):
                x.grad = as_array(gx if x.grad is None else x.grad + gx)
                if x.creator is not None:
                    funcs.append(x.creator)


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
        for output in outputs:
            output.set_creator(self)
        self.inputs = inputs
        self.outputs = outputs
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
