"""Step 11: several inputs and outputs, first try."""

import numpy as np

__all__ = [
    "Add",
    "Exp",
    "Function",
    "Square",
    "Variable",
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

    def backward(self):
        if self.grad is None:
            self.grad = np.ones_like(self.data)

        funcs = [self.creator] if self.creator is not None else []
        while funcs:
            f = funcs.pop()
            x, y = f.input, f.output
            x.grad = as_array(f.backward(y.grad))
            if x.creator is not None:
                funcs.append(x.creator)


class Function:
    """A rule between boxes: ``forward`` for arrays, ``backward`` for gradients."""

    def __init__(self, *inputs):
        if inputs:
            name = type(self).__name__
            raise TypeError(f"make the function first, then call it: {name}()(x)")

    def __call__(self, inputs):
        xs = [x.data for x in inputs]
        ys = self.forward(xs)
        outputs = [Variable(as_array(y)) for y in ys]
        for output in outputs:
            output.set_creator(self)
        self.inputs = inputs
        self.outputs = outputs
        return outputs

    def forward(self, xs):
        raise NotImplementedError(f"{type(self).__name__} needs a forward(self, xs)")

    def backward(self, gy):
        raise NotImplementedError(f"{type(self).__name__} needs a backward(self, gy)")


class Square(Function):
    """y = x²"""

    def forward(self, xs):
        (x,) = xs
        return [x**2]

    def backward(self, gy):
        x = self.input.data
        return 2 * x * gy


class Exp(Function):
    """y = exp(x)"""

    def forward(self, xs):
        (x,) = xs
        return [np.exp(x)]

    def backward(self, gy):
        x = self.input.data
        return np.exp(x) * gy


class Add(Function):
    """y = x0 + x1"""

    def forward(self, xs):
        x0, x1 = xs
        return [x0 + x1]


def as_array(x):
    """Return ``x`` as an array: a single number becomes an array of zero dimensions."""
    if np.isscalar(x):
        return np.array(x)
    return x


def square(x):
    return Square()([x])[0]


def exp(x):
    return Exp()([x])[0]


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
