"""The frameworks that are compared, each behind the same four functions.

``variable(x)`` makes an input of a float. ``forward(f, *inputs)`` runs a program and returns what ``backward`` needs to
do its work. ``newton_step(f, x)`` goes from ``x`` to x − f'(x) / f''(x), with the second derivative by double backprop.
"""

import importlib
from types import SimpleNamespace

import numpy as np


def like_dezero(name):
    """The book's framework, and ours: one program runs on both."""
    if name == "dezero":
        np.int = int  # the book's framework was written for a NumPy that still had this name
    module = importlib.import_module(name)

    def newton_step(f, x0):
        x = module.Variable(np.array(x0))
        f(x).backward(create_graph=True)
        first = x.grad
        x.cleargrad()
        first.backward()
        return float(x0 - first.data / x.grad.data)

    return SimpleNamespace(
        variable=lambda x: module.Variable(np.array(x)),
        forward=lambda f, *inputs: f(*inputs),
        backward=lambda y: y.backward(),
        newton_step=newton_step,
    )


def torch():
    """PyTorch, with float64 numbers as the others have."""
    module = importlib.import_module("torch")

    def newton_step(f, x0):
        x = module.tensor(x0, dtype=module.float64, requires_grad=True)
        (first,) = module.autograd.grad(f(x), x, create_graph=True)
        (second,) = module.autograd.grad(first, x)
        return float(x0 - first.item() / second.item())

    return SimpleNamespace(
        variable=lambda x: module.tensor(x, dtype=module.float64, requires_grad=True),
        forward=lambda f, *inputs: f(*inputs),
        backward=lambda y: y.backward(),
        newton_step=newton_step,
    )


def autograd():
    """HIPS autograd: make_vjp traces a program, and the function that it returns runs backward."""
    core = importlib.import_module("autograd.core")
    wrapper = importlib.import_module("autograd.wrap_util")
    grad = importlib.import_module("autograd").grad

    def forward(f, *inputs):
        make_vjp = wrapper.unary_to_nary(core.make_vjp)
        return make_vjp(lambda inputs: f(*inputs))(inputs)

    def newton_step(f, x0):
        return float(x0 - grad(f)(x0) / grad(grad(f))(x0))

    return SimpleNamespace(
        variable=lambda x: np.float64(x),
        forward=forward,
        backward=lambda traced: traced[0](np.float64(1.0)),
        newton_step=newton_step,
    )


FRAMEWORKS = {
    "dezero_lite": lambda: like_dezero("dezero_lite"),
    "dezero": lambda: like_dezero("dezero"),
    "autograd": autograd,
    "torch": torch,
}
