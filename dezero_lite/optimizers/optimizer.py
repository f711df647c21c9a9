"""The base class of all optimizers."""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..array_files import StrPath, check_fit, load_arrays, save_arrays
from ..core import Parameter, Variable, describe, kind_of
from ..core.sums import is_half
from ..cuda import as_numpy, get_array_module
from ..from_pytorch import answer_names_of, refuse_arguments

__all__ = ["Optimizer"]

# This many numbers, with intermediate results, fit into a cache. In float32 they take
# 256 kB, the size from which NumPy reuses the memory of temporary operands.
CHUNK_SIZE = 65_536

NUMBERS = (int, float, np.integer, np.floating)
# The settings of this package's optimizers; each has some of them.
SETTINGS = {"lr", "alpha", "momentum", "beta1", "beta2", "eps", "rho", "weight_decay"}


class Optimizer:
    """Base class of all optimizers. Source: book step 46.

    A subclass defines ``update_one(self, param)``, which changes ``param.data`` in
    place. If it remembers something about each parameter, it lists the names in
    `state_names` and gets the arrays from :meth:`chunks`.

    The numbers among its attributes are its settings: repr shows them, and
    :meth:`save_state` saves them.

    Attributes
    ----------
    target : Layer or None
        The argument of :meth:`setup`.
    hooks : list of callable
        Each is called before an update, with the list of parameters that have a
        gradient.
    """

    #: Names of the arrays remembered for each parameter. They have its shape and dtype
    #: (float32 for a float16 parameter), and are 0 at first.
    state_names: tuple[str, ...] = ()

    if not TYPE_CHECKING:  # otherwise mypy would accept any attribute

        def __new__(cls, *values, **settings):
            if values and cls.__init__.__module__.startswith(__package__):
                refuse_model(cls, values[0])
            refuse_arguments("Optimizer", cls, settings)
            return super().__new__(cls)

    def __setattr__(self, name: str, value: Any) -> None:
        # A user's subclass may have any settings.
        if name in SETTINGS and type(self).__module__.startswith(__package__):
            settings = inspect.signature(type(self)).parameters
            if name not in settings:
                kind, names = type(self).__name__, ", ".join(settings)
                raise AttributeError(f"{kind} has no setting {name}: it has {names}")
        super().__setattr__(name, value)

    def __init__(self) -> None:
        self.target: Any = None
        self.hooks: list[Callable[[list[Parameter]], None]] = []
        self._states: dict[Parameter, dict[str, Any]] = {}
        self._has_warned = False

    def __repr__(self) -> str:
        settings = [f"{name}={value}" for name, value in self._settings().items()]
        return f"{type(self).__name__}({', '.join(settings)})"

    def setup(self, target: Any) -> Any:
        """Choose the layer or model to optimize, and forget everything about the last
        one.

        Returns
        -------
        Optimizer
            The optimizer itself, to allow ``optimizer = SGD(0.1).setup(model)``.

        Raises
        ------
        TypeError
            If `target` has no method `params`.
        ValueError
            If `target` has no parameters.
        """
        kind = type(target).__name__
        if not hasattr(target, "params"):
            raise TypeError(
                f"setup takes a Layer or a Model, but was given {kind_of(target)}"
            )
        if next(iter(target.params()), None) is None:
            raise ValueError(
                f"{kind} has no parameters to learn: make them Parameters or layers, "
                "not plain Variables or arrays, in attributes or in lists, tuples or "
                "dicts there (if it makes its layers in its first call, call it once "
                "before setup)"
            )
        self.target = target
        self._states = {}
        return self

    def add_hook(self, hook: Callable[[list[Parameter]], None]) -> None:
        """Register `hook`, which is called before each update with the list of
        parameters that have a gradient.

        Raises
        ------
        TypeError
            If `hook` is not callable, or is a class instead of an instance.
        """
        if not callable(hook) or isinstance(hook, type):
            found = hook.__name__ if isinstance(hook, type) else repr(hook)
            raise TypeError(
                "a hook is called with the list of parameters, as WeightDecay(1e-4) "
                f"is, so it cannot be {found}"
            )
        self.hooks.append(hook)

    def update(self) -> None:
        """Change every parameter that has a gradient; skip the others.

        Raises
        ------
        RuntimeError
            If :meth:`setup` has not been called.
        TypeError
            If a plain Variable in the model has received a gradient as if it were a
            Parameter.
        ValueError
            If a gradient is not a Variable of its parameter's shape; no parameter has
            changed then.
        """
        params = list(self._target().params())
        for hook in self.hooks:
            hook(_with_gradient(params))
        ready = _with_gradient(params)
        if not ready and not self._has_warned:
            self._has_warned = True
            warnings.warn(
                "update() changed nothing, because no parameter has a gradient: call "
                "backward() on the loss first",
                stacklevel=2,
            )
        for param in ready:
            self.update_one(param)

    def update_one(self, param: Parameter) -> None:
        """Change ``param.data`` in place."""
        raise NotImplementedError(
            f"{type(self).__name__} needs an update_one(self, param)"
        )

    def state(self, param: Parameter) -> dict[str, Any]:
        """Return the arrays remembered for `param`, by name."""
        if param not in self._states:
            # In float16, eps and the square of a small gradient underflow to 0.
            dtype = np.float32 if is_half(param) else param.dtype
            zeros = {
                name: np.zeros_like(param.data, dtype) for name in self.state_names
            }
            self._states[param] = zeros
        return self._states[param]

    def chunks(self, param: Parameter) -> Iterator[tuple[Any, ...]]:
        """Yield the data, the gradient and the remembered arrays, in chunks that fit
        into the cache.

        All but the gradient may be changed in place. A float16 gradient is converted to
        float32.
        """
        data, state = param.data, self.state(param)
        arrays = (data, gradient_of(param), *[state[name] for name in self.state_names])
        # A GPU is fastest with the whole array.
        if data.size <= CHUNK_SIZE or not isinstance(data, np.ndarray):
            yield arrays
            return
        rows = max(1, CHUNK_SIZE * len(data) // data.size)
        for i in range(0, len(data), rows):
            yield tuple([array[i : i + rows] for array in arrays])

    def save_state(self, path: StrPath) -> None:
        """Save the settings and all remembered arrays, so that training can stop and
        continue as if it had not been interrupted.

        The model's weights are not included: see :meth:`Layer.save_weights`.

        Parameters
        ----------
        path : str, bytes or os.PathLike
            ``.npz`` is added if it is missing.

        Raises
        ------
        RuntimeError
            If :meth:`setup` has not been called.
        ValueError
            If a parameter of the target holds no data yet.
        """
        # The + turns True and False into numbers.
        arrays = {"optimizer": np.array(type(self).__name__)}
        for name, value in self._settings().items():
            arrays[f"settings/{name}"] = np.array(+value)
        for name, array in self._named_state().items():
            arrays[name] = as_numpy(array)
        save_arrays(path, arrays)

    def load_state(self, path: StrPath) -> None:
        """Load what :meth:`save_state` has saved, settings included. Load the model's
        weights first.

        Raises
        ------
        FileNotFoundError
            If the file does not exist.
        ValueError
            If the file is damaged, or belongs to another optimizer or model; nothing
            has changed then.
        """
        state, settings = self._named_state(), self._settings()
        shapes = {f"settings/{name}": () for name in settings}
        shapes |= {name: array.shape for name, array in state.items()}
        found = load_arrays(path)
        kind = str(found.pop("optimizer", "no optimizer"))[:100]
        if kind != type(self).__name__:
            raise ValueError(
                f"{os.fsdecode(path)} holds the state of {kind}, not of "
                f"{type(self).__name__}"
            )
        check_fit(path, kind, found, shapes)
        for name, old in settings.items():
            value = found[f"settings/{name}"].item()
            setattr(self, name, bool(value) if isinstance(old, bool) else value)
        for name, array in state.items():
            array[...] = get_array_module(array).asarray(found[name])

    def _target(self) -> Any:
        if self.target is None:
            name = type(self).__name__
            raise RuntimeError(
                f"{name} has no model to optimize yet: write optimizer = "
                f"{name}(...).setup(model)"
            )
        return self.target

    def _settings(self) -> dict[str, Any]:
        return {
            name: value
            for name, value in vars(self).items()
            if isinstance(value, NUMBERS) and not name.startswith("_")
        }

    def _named_state(self) -> dict[str, Any]:
        target = self._target()
        named = enumerate(target.params())
        if hasattr(target, "named_params"):
            named = target.named_params()
        state = {}
        for name, param in named:
            if param.data is None:
                raise ValueError(
                    f"the parameter {name!r} holds no data yet: load the model's "
                    "weights, or call the model once"
                )
            for kind, array in self.state(param).items():
                state[f"{kind}/{name}"] = array
        return state


answer_names_of("Optimizer", Optimizer)


def _with_gradient(params: list[Parameter]) -> list[Parameter]:
    params = [param for param in params if param.grad is not None]
    for param in params:
        grad: Any = param.grad
        if not isinstance(grad, Variable) or grad.shape != param.shape:
            raise ValueError(
                f"the gradient of parameter {param.name!r} is {describe(grad)}: it "
                f"must be a Variable like {param.shape}"
            )
    return params


def refuse_model(rule: type, value: object) -> None:
    if hasattr(value, "params") or isinstance(value, (Iterator, list)):
        kind = rule.__name__
        raise TypeError(f"{kind} takes its model in setup: {kind}().setup(model)")


def check_numbers(owner: object, **settings: object) -> None:
    kind = type(owner).__name__
    for name, value in settings.items():
        if not isinstance(value, NUMBERS) or np.isnan(value):
            raise TypeError(f"{kind} takes a number for {name}, not {value!r}")


def gradient_of(param: Parameter) -> Any:
    """Return the gradient as an array; a float16 one as float32, so that results
    computed from it neither overflow nor underflow.
    """
    assert param.grad is not None
    grad = param.grad.data
    return grad.astype(np.float32) if is_half(grad) else grad


def replace_gradient(param: Parameter, grad: Any) -> None:
    """Give `param` a new gradient; the old one, which may be shared, is unchanged."""
    param.grad = Variable(grad.astype(param.dtype, copy=False))
