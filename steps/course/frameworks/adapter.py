"""Puts a framework, whatever its modules and names are, into one namespace with the
names that the table of capabilities uses.

A TOML file, given with ``--names``, maps the course's names to the framework's::

    [names]                     # the course's name = the framework's name
    Variable = "Tensor"

    [methods]                   # the same for methods of Variable
    cleargrad = "zero_grad"

    [settings]                  # keyword arguments for every Variable
    requires_grad = true
"""

import importlib
import inspect
import pkgutil
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np

from ..capabilities import get_array
from ..lessons import STEPS, CourseError

# Modules that are not imported: the book's core_simple, and those that need a GPU.
LEFT_OUT = ("simple", "cuda")
# Modules whose classes win over others of the same name, such as the layer Linear over
# the function Linear.
PREFERRED = ("layers", "models")


def load_namespace(path, adapter):
    """Load a framework, a file or a package in the working folder, as a namespace.

    Returns
    -------
    types.SimpleNamespace
        Its attribute ``lent`` lists the names of the helpers that were added.

    Raises
    ------
    CourseError
        If the framework cannot be imported, or lacks Variable or a name in ``adapter``.
    """
    names: dict[str, Any] = {}
    modules = _import_modules(path)
    for module in modules:
        for name, value in _list_public(module):
            names.setdefault(name, value)
    for module in modules:
        if module.__name__.rpartition(".")[2] in PREFERRED:
            own = _list_public(module)
            names |= {
                n: x for n, x in own if getattr(x, "__module__", "") == module.__name__
            }
    for ours, theirs in adapter.get("names", {}).items():
        if theirs not in names:
            raise CourseError(f"The framework has no {theirs} to use as {ours}.")
        names[ours] = names[theirs]
    if "Variable" not in names:
        raise CourseError(
            "The framework has no Variable. If its class has another name, write that "
            'into a file with the lines `[names]` and `Variable = "Tensor"`, and pass '
            "the file with --names."
        )
    if "batch_nrom" in names:  # the book's spelling
        names.setdefault("batch_norm", names["batch_nrom"])
    kind = names["Variable"]
    for ours, theirs in adapter.get("methods", {}).items():
        setattr(kind, ours, getattr(kind, theirs))
    if settings := adapter.get("settings"):
        names["Variable"] = _WithSettings(kind, settings)
    lent = _lend(names)
    return types.SimpleNamespace(**names, lent=lent)


def check_twice(framework):
    """Replace a framework's gradient check with ours, which also checks second
    derivatives, if its backward takes `create_graph`; return the framework.
    """
    kind = framework.Variable
    backward = getattr(kind, "backward", None)
    if not backward or "create_graph" not in inspect.signature(backward).parameters:
        return framework
    ours = {"gradient_check": _import_utils().gradient_check}
    return types.SimpleNamespace(**vars(framework) | ours)


def _import_utils():
    return importlib.import_module(f"{STEPS}.framework.utils")


def _import_modules(path):
    # Restore np.int, np.float and np.object, which NumPy has removed since the book.
    for dropped in (int, float, object):
        setattr(np, dropped.__name__, dropped)
    sys.path.insert(0, "")
    try:
        module = importlib.import_module(Path(path).stem)
    except Exception as error:
        kind = type(error).__name__
        raise CourseError(f"It cannot be imported ({kind}: {error}).") from None
    modules = [module]
    for info in pkgutil.walk_packages(
        getattr(module, "__path__", ()), f"{module.__name__}."
    ):
        if not any(word in info.name for word in LEFT_OUT):
            try:
                modules.append(importlib.import_module(info.name))
            except Exception:  # an example, or a missing dependency
                continue
    return modules


def _list_public(module):
    """List a module's public names and values, except other modules."""
    return [
        (name, value)
        for name, value in vars(module).items()
        if name[0] != "_" and not isinstance(value, types.ModuleType)
    ]


class _WithSettings:
    """A wrapper of a Variable class that passes the same settings to every variable."""

    def __init__(self, kind, settings):
        self._kind, self._settings = kind, settings

    def __call__(self, *values):
        return self._kind(*values, **self._settings)

    def __instancecheck__(self, value):
        return isinstance(value, self._kind)


# --- Functions that the table needs and a framework may lack --------------------------


def _lend(names):
    """Add the helper functions that a framework lacks; return their names."""
    make = names["Variable"]

    def square(x):
        return names["Square"]()(x) if "Square" in names else x**2

    def exp(x):
        return x.exp() if hasattr(x, "exp") else names["Exp"]()(x)

    def add(a, b):
        return a + b

    def numerical_diff(f, x, eps=1e-4):
        """Return the slope between two points on either side of x."""
        after, before = (f(make(np.array(x.data + e))) for e in (eps, -eps))
        return (after.data - before.data) / (2 * eps)

    def gradient_check(f, *values, **_):
        """Return whether the gradients of f agree with central differences."""
        arrays = [np.array(getattr(x, "data", x), float) for x in values]
        variables = [make(array.copy()) for array in arrays]
        y = f(*variables)
        weights = np.random.default_rng(1).normal(size=np.shape(y.data))
        y.grad = weights
        y.backward()

        def measure(*moved):
            y = f(*(make(array.copy()) for array in moved))
            return np.sum(np.asarray(y.data) * weights)

        wanted = _import_utils().slopes(measure, *arrays, eps=1e-5)
        pairs = zip(variables, wanted, strict=True)
        return all(np.allclose(get_array(x.grad), w, 1e-4, 1e-4) for x, w in pairs)

    given = [square, exp, add, numerical_diff, gradient_check]
    if "Function" in names:
        given += _make_functions(names["Function"])
    missing = {f.__name__: f for f in given if f.__name__ not in names}
    names |= missing
    return sorted(missing)


def _make_functions(function: Any):
    class Square(function):  # type: ignore[misc]
        def forward(self, x):
            return x**2

        def backward(self, gy):
            inputs = getattr(self, "inputs", None)
            x = self.input if inputs is None else inputs[0]
            return 2 * (x if hasattr(gy, "creator") else x.data) * gy

    class Exp(function):  # type: ignore[misc]
        def forward(self, x):
            self.y = np.exp(x)
            return self.y

        def backward(self, gy):
            return self.y * gy

    return Square, Exp
