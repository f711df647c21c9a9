"""Checks that every function of the framework has to pass."""

import numpy as np

from dezero_lite import Variable, as_variable, functions
from dezero_lite.gradcheck import gradient_check
from tests.support.arrays import assert_close, uniform
from tests.support.gpu import cupy


def var(*shape, **kwargs):
    """Return a Variable of numbers around 1."""
    return Variable(uniform(*shape, **kwargs))


def check_function(f, *inputs, rtol=1e-4, atol=1e-5):
    """Check `f` on float64 arrays: its gradient by a plain backward, by one with
    `create_graph`, and to second order; that float32 is kept; and a second array
    module.

    Arrays of other dtypes and other arguments are passed on unchanged, arrays as arrays
    of the module in use.
    """
    xs = [Variable(x.copy()) if _is_float(x) else x for x in inputs]
    assert gradient_check(f, *xs, rtol=rtol, atol=atol)
    expected = run(f, [Variable(x) if _is_float(x) else x for x in inputs])
    _stays_float32(f, inputs, expected)
    _follows_the_array_module(f, inputs, expected)


def check_as_numpy(code, make=uniform, **numpys):
    """Check that functions compute the same as NumPy's of the same name, and check
    their squares with `check_function`. The code makes its arrays with ``x(2, 3)``.
    """
    code, made = compile(code, code, "eval"), []

    def x(*shape):
        made.append(make(*shape, seed=len(made)))
        return made[-1]

    expected = eval(code, vars(np) | {"np": np, "x": x} | numpys)

    def f(*xs):
        given = iter(xs)
        names = {"np": np, "x": lambda *shape: next(given)}
        return listed(eval(code, vars(functions) | names))

    for y, like in zip(f(*map(Variable, made)), listed(expected), strict=True):
        assert_close(y.data, like, rtol=1e-12)
    check_function(lambda *xs: tuple([y**2 for y in f(*xs)]), *made)


def derivatives(f, at, orders):
    """Return the derivatives of f at a point, each by backward through the previous
    one.
    """
    x = Variable(np.array(at))
    y = f(x)
    found = []
    for _ in range(orders):
        x.cleargrad()
        y.backward(create_graph=True)
        y = x.grad
        found.append(y.item())
    x.cleargrad()
    return found


def listed(ys):
    return ys if isinstance(ys, (tuple, list)) else [ys]


def _stays_float32(f, inputs, expected):
    xs = [Variable(x.astype(np.float32)) if _is_float(x) else x for x in inputs]
    found = run(f, xs)
    for result, like in zip(found, expected, strict=True):
        assert isinstance(result, np.ndarray)
        assert result.dtype == np.float32
        assert result.shape == like.shape
        assert_close(result, like, rtol=1e-3, atol=1e-3)


def _follows_the_array_module(f, inputs, expected):
    def there(x):
        return cupy.array(x) if isinstance(x, np.ndarray) else x

    found = run(f, [Variable(there(x)) if _is_float(x) else there(x) for x in inputs])
    for result, like in zip(found, expected, strict=True):
        assert isinstance(result, cupy.ndarray)
        assert_close(cupy.asnumpy(result), like)


def run(f, inputs):
    """Return the outputs of `f` and the gradients of its Variables, for the sum of all
    outputs weighted by position.
    """
    ys = listed(f(*inputs))
    for y in ys:
        weights = np.arange(1, y.size + 1, dtype=y.dtype).reshape(y.shape)
        weights = weights / max(y.size, 1)
        here = isinstance(y.data, np.ndarray)
        y.grad = Variable(weights if here else cupy.array(weights))
        y.backward()
    xs = [x for x in inputs if isinstance(x, Variable)]
    gradients = [x.grad.data for x in xs if x.grad is not None]
    return [as_variable(y).data for y in ys] + gradients


def _is_float(x):
    return isinstance(x, np.ndarray) and x.dtype.kind == "f"
