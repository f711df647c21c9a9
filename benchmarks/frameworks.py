"""The frameworks to compare, behind a common interface.

``variable(x)`` makes an input from a float or an array. ``forward(f, *inputs)`` runs a
program and returns the argument that ``backward`` takes. ``derivative(f, x, order)``
and ``newton_step(f, x)`` compute higher derivatives. A framework lacks the functions
that it cannot support: autograd has no networks.
"""

import importlib
from types import SimpleNamespace

import numpy as np

from . import gpt, networks
from .bare import bare
from .programs import COMPILED, SMALL


def package_that_grows():
    """Return the small package of lessons 33 to 60, with the book's module names."""
    step60 = importlib.import_module(SMALL)
    names = {name: getattr(step60, name) for name in step60.__all__}
    rooms = [
        "dataloaders",
        "datasets",
        "functions",
        "layers",
        "models",
        "optimizers",
        "utils",
    ]
    return SimpleNamespace(**names, **dict.fromkeys(rooms, step60))


def of_the_book(name):
    """Import and return the book's framework, or ours."""
    if name == "dezero":
        np.int = (
            int  # the book's framework was written for a NumPy that still had this name
        )
    importlib.import_module(f"{name}.functions")
    return importlib.import_module(name)


def with_compiled_loops():
    """Return ours, after `compiled.use()`."""
    importlib.import_module("dezero_lite.compiled").use()
    return of_the_book("dezero_lite")


def like_dezero(module, held_in_float32=False):
    """Wrap the book's framework, or one of ours: the same code runs on all."""

    def derivative(f, x0, order):
        x = module.Variable(np.array(x0))
        y = f(x)
        for _ in range(order):
            x.cleargrad()
            y.backward(create_graph=True)
            y = x.grad
        return float(y.data)

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
        derivative=derivative,
        newton_step=newton_step,
        tanh=module.functions.tanh,
        sum=module.functions.sum,
        networks=networks.LikeDezero(module, held_in_float32),
        gpt=gpt.Ours,
    )


def torch():
    """Wrap PyTorch, with float64 numbers like the others."""
    module = importlib.import_module("torch")

    def derivative(f, x0, order):
        x = module.tensor(x0, dtype=module.float64, requires_grad=True)
        y = f(x)
        for _ in range(order):
            (y,) = module.autograd.grad(y, x, create_graph=True)
        return y.item()

    def newton_step(f, x0):
        x = module.tensor(x0, dtype=module.float64, requires_grad=True)
        (first,) = module.autograd.grad(f(x), x, create_graph=True)
        (second,) = module.autograd.grad(first, x)
        return float(x0 - first.item() / second.item())

    return SimpleNamespace(
        variable=lambda x: module.tensor(np.array(x), requires_grad=True),
        forward=lambda f, *inputs: f(*inputs),
        backward=lambda y: y.backward(),
        derivative=derivative,
        newton_step=newton_step,
        tanh=module.tanh,
        sum=module.sum,
        networks=networks.Torch(module),
        gpt=lambda: gpt.Theirs(module),
    )


def on_cupy():
    """Wrap ours with arrays in a GPU's memory: networks only."""
    module = of_the_book("dezero_lite")
    return SimpleNamespace(networks=networks.OnCupy(module))


def torch_on_a_gpu():
    """Wrap PyTorch with tensors in a GPU's memory: networks only. Products keep all
    digits of float32, as CuPy's do.
    """
    module = importlib.import_module("torch")
    module.backends.cudnn.allow_tf32 = False
    return SimpleNamespace(networks=networks.Torch(module, "cuda"))


def autograd():
    """Wrap HIPS autograd: make_vjp traces a program and returns a function for the
    backward pass.
    """
    core = importlib.import_module("autograd.core")
    wrapper = importlib.import_module("autograd.wrap_util")
    grad = importlib.import_module("autograd").grad
    numpy = importlib.import_module("autograd.numpy")

    def forward(f, *inputs):
        make_vjp = wrapper.unary_to_nary(core.make_vjp)
        return make_vjp(lambda inputs: f(*inputs))(inputs)

    def derivative(f, x0, order):
        for _ in range(order):
            f = grad(f)
        return float(f(x0))

    def newton_step(f, x0):
        return float(x0 - grad(f)(x0) / grad(grad(f))(x0))

    return SimpleNamespace(
        variable=lambda x: np.float64(x) if np.ndim(x) == 0 else x,
        forward=forward,
        backward=lambda traced: traced[0](np.float64(1.0)),
        derivative=derivative,
        newton_step=newton_step,
        tanh=numpy.tanh,
        sum=numpy.sum,
    )


# NumPy's scalars turn the weights of the book's layers into float64, at twice the cost;
# `dezero-float32` holds them in float32.
FRAMEWORKS = {
    "dezero_lite": lambda: like_dezero(of_the_book("dezero_lite")),
    COMPILED: lambda: like_dezero(with_compiled_loops()),
    SMALL: lambda: like_dezero(package_that_grows()),
    "dezero": lambda: like_dezero(of_the_book("dezero")),
    "dezero-float32": lambda: like_dezero(of_the_book("dezero"), held_in_float32=True),
    "autograd": autograd,
    "torch": torch,
    "numpy-bare": bare,
}
# These run in `python -m benchmarks.gpu`.
ON_A_GPU = {"dezero_lite-cupy": on_cupy, "torch-cuda": torch_on_a_gpu}
