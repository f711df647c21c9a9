"""Rules that turn gradients into better parameters. Steps 46 and 50 explain them.

An optimizer walks over a model's parameters and changes each in place, a little against
its gradient. What one needs to remember about a parameter, such as the velocity of
momentum, it keeps in arrays beside it.
"""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .core import Parameter, Variable, kind_of
from .cuda import as_numpy, get_array_module
from .npz import StrPath, check_fit, load_arrays, save_arrays

__all__ = [
    "SGD",
    "AdaDelta",
    "AdaGrad",
    "Adam",
    "AdamW",
    "ClipGrad",
    "FreezeParam",
    "MomentumSGD",
    "Optimizer",
    "WeightDecay",
]

# So many numbers, with what is computed from them on the way, stay in a cache. In
# single precision these are 256 kB, from where on NumPy writes a result over an operand
# that nobody else needs.
CHUNK_SIZE = 65_536

NUMBERS = (int, float, np.integer, np.floating)


class Optimizer:
    """What all optimizers share. Source: book step 46.

    Derive from it and write ``update_one(self, param)``, which changes ``param.data``
    in place. An optimizer that remembers something about each parameter names it in
    `state_names` and asks :meth:`chunks` for it.

    The numbers among its attributes are its settings: its repr shows them, and
    :meth:`save_state` saves them.

    Attributes
    ----------
    target : Layer or None
        What :meth:`setup` was given.
    hooks : list of callable
        Each is called before an update with the list of parameters that have a
        gradient.
    """

    #: Names of what is remembered about each parameter: arrays of its shape, zeros at
    #: first.
    state_names: tuple[str, ...] = ()

    def __init__(self) -> None:
        self.target: Any = None
        self.hooks: list[Callable[[list[Parameter]], None]] = []
        self._states: dict[Parameter, dict[str, Any]] = {}
        self._has_warned = False

    def __repr__(self) -> str:
        settings = [f"{name}={value}" for name, value in self._settings().items()]
        return f"{type(self).__name__}({', '.join(settings)})"

    def setup(self, target: Any) -> Any:
        """Choose the layer or model to optimize, and forget what was remembered about
        another.

        Returns
        -------
        Optimizer
            Itself, so that ``optimizer = SGD(0.1).setup(model)`` can be written.

        Raises
        ------
        TypeError
            If `target` cannot be asked for parameters.
        ValueError
            If it has none.
        """
        kind = type(target).__name__
        if not hasattr(target, "params"):
            raise TypeError(
                f"setup takes a Layer or a Model, but was given {kind_of(target)}"
            )
        if next(iter(target.params()), None) is None:
            raise ValueError(
                f"{kind} has no parameters to learn: what is to be learned is a "
                "Parameter or a layer, in an attribute or in a list, tuple or dict "
                "there; plain Variables and arrays are not (if it makes its layers in "
                "its first call, call it once before setup)"
            )
        self.target = target
        self._states = {}
        return self

    def add_hook(self, hook: Callable[[list[Parameter]], None]) -> None:
        """Have `hook` called with the list of parameters that have a gradient, before
        each update.

        Raises
        ------
        TypeError
            If `hook` is none, or a class that nothing was made of.
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
            If a plain Variable in the model has received a gradient as a Parameter
            would.
        ValueError
            If a gradient is no Variable of its parameter's shape; no parameter has
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
        """What is remembered about `param`, by name."""
        if param not in self._states:
            self._states[param] = {
                name: np.zeros_like(param.data) for name in self.state_names
            }
        return self._states[param]

    def chunks(self, param: Parameter) -> Iterator[tuple[Any, ...]]:
        """The data, the gradient and all that is remembered, in pieces small enough for
        the cache.

        All but the gradient are there to be changed in place.
        """
        data, state = param.data, self.state(param)
        arrays = (data, _grad(param), *[state[name] for name in self.state_names])
        # A GPU works best on everything at once.
        if data.size <= CHUNK_SIZE or not isinstance(data, np.ndarray):
            yield arrays
            return
        rows = max(1, CHUNK_SIZE * len(data) // data.size)
        for i in range(0, len(data), rows):
            yield tuple([array[i : i + rows] for array in arrays])

    def save_state(self, path: StrPath) -> None:
        """Save the settings and all that is remembered, so that training can stop and
        go on as if it had not.

        The model's own weights are no part of it: see :meth:`Layer.save_weights`.

        Parameters
        ----------
        path : str, bytes or os.PathLike
            ``.npz`` is added if it does not end so.

        Raises
        ------
        RuntimeError
            If :meth:`setup` has not been called.
        ValueError
            If a parameter of the target holds no data yet.
        """
        # The + makes a number of True and False, too.
        settings = {
            f"settings/{name}": np.array(+value)
            for name, value in self._settings().items()
        }
        state = {name: as_numpy(array) for name, array in self._named_state().items()}
        save_arrays(
            path, {"optimizer": np.array(type(self).__name__), **settings, **state}
        )

    def load_state(self, path: StrPath) -> None:
        """Load what :meth:`save_state` saved, settings included. Load the model's
        weights first.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        ValueError
            If the file is damaged, or of another optimizer or another model; nothing
            has changed then.
        """
        state = self._named_state()
        settings = {
            f"settings/{name}": value for name, value in self._settings().items()
        }
        shapes = {name: array.shape for name, array in state.items()}
        found = load_arrays(path)
        kind = str(found.pop("optimizer", "no optimizer"))[:100]
        if kind != type(self).__name__:
            raise ValueError(
                f"{os.fsdecode(path)} holds the state of {kind}, not of "
                f"{type(self).__name__}"
            )
        check_fit(path, kind, found, {**dict.fromkeys(settings, ()), **shapes})
        for name, old in settings.items():
            value = found[name].item()
            setattr(
                self,
                name.partition("/")[2],
                bool(value) if isinstance(old, bool) else value,
            )
        for name, array in state.items():
            array[...] = get_array_module(array).asarray(found[name])

    def _target(self) -> Any:
        if self.target is None:
            name = type(self).__name__
            raise RuntimeError(
                f"{name} has no model to optimize yet: say optimizer = "
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
        named = (
            target.named_params()
            if hasattr(target, "named_params")
            else enumerate(target.params())
        )
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


def _with_gradient(params: list[Parameter]) -> list[Parameter]:
    params = [param for param in params if param.grad is not None]
    for param in params:
        grad: Any = param.grad
        if not isinstance(grad, Variable) or grad.shape != param.shape:
            what = (
                f"has shape {grad.shape}"
                if isinstance(grad, Variable)
                else f"is {kind_of(grad)}"
            )
            raise ValueError(
                f"the gradient of parameter {param.name!r} {what}: it must be a "
                f"Variable like {param.shape}"
            )
    return params


def _check_numbers(owner: object, **settings: object) -> None:
    for name, value in settings.items():
        if not isinstance(value, NUMBERS):
            raise TypeError(
                f"{type(owner).__name__} takes a number for {name}, not {value!r}"
            )


# --- hooks ----------------------------------------------------------------------------


class WeightDecay:
    """A hook that adds `rate` times the data to each gradient, which pulls the data
    towards 0.
    """

    def __init__(self, rate: float) -> None:
        _check_numbers(self, rate=rate)
        self.rate = rate

    def __call__(self, params: list[Parameter]) -> None:
        for param in params:
            # A new gradient: the old one may be somebody else's, too.
            param.grad = Variable(_grad(param) + float(self.rate) * param.data)


class ClipGrad:
    """A hook that shortens the gradients, taken as one long vector, to `max_norm`.

    Raises
    ------
    FloatingPointError
        When called, if a gradient holds nan or infinity; no parameter has changed then.

    Notes
    -----
    Source: R. Pascanu, T. Mikolov and Y. Bengio, "On the difficulty of training
    recurrent neural networks", 2013.
    """

    def __init__(self, max_norm: float) -> None:
        _check_numbers(self, max_norm=max_norm)
        self.max_norm = max_norm

    def __call__(self, params: list[Parameter]) -> None:
        # In double precision, where squares do not overflow.
        squares = [
            float(np.square(_grad(param), dtype=np.float64).sum()) for param in params
        ]
        norm = math.sqrt(sum(squares))
        if not math.isfinite(norm):
            names = [
                repr(p.name)
                for p, square in zip(params, squares, strict=True)
                if not math.isfinite(square)
            ]
            raise FloatingPointError(
                f"the norm of the gradients is {norm}, so they cannot be clipped "
                f"(parameters: {', '.join(names)}): a smaller learning rate may help, "
                "or a look at the loss before this step"
            )
        rate = self.max_norm / (norm + 1e-6)
        if rate < 1:
            for param in params:
                param.grad = Variable(_grad(param) * rate)


class FreezeParam:
    """A hook that takes the gradients away from layers and parameters, so that they
    stay as they are.

    Parameters
    ----------
    *layers : Layer or Parameter
        What to freeze.
    """

    def __init__(self, *layers: Any) -> None:
        self.freeze_params: list[Parameter] = []
        for layer in layers:
            self.freeze_params += (
                [layer] if isinstance(layer, Parameter) else layer.params()
            )

    def __call__(self, params: list[Parameter]) -> None:
        for param in self.freeze_params:
            param.cleargrad()


def _grad(param: Parameter) -> Any:
    assert param.grad is not None
    return param.grad.data


# --- optimizers -----------------------------------------------------------------------


class SGD(Optimizer):
    """Stochastic gradient descent: a step of `lr` times the gradient, downhill. Source:
    book step 46.
    """

    def __init__(self, lr: float = 0.01) -> None:
        super().__init__()
        _check_numbers(self, lr=lr)
        self.lr = lr

    def update_one(self, param: Parameter) -> None:
        lr = float(self.lr)
        for data, grad in self.chunks(param):
            data -= lr * grad


class MomentumSGD(Optimizer):
    """Gradient descent that keeps part of its velocity, like a ball that rolls
    downhill. Source: book step 46.
    """

    state_names = ("v",)

    def __init__(self, lr: float = 0.01, momentum: float = 0.9) -> None:
        super().__init__()
        _check_numbers(self, lr=lr, momentum=momentum)
        self.lr = lr
        self.momentum = momentum

    def update_one(self, param: Parameter) -> None:
        lr, momentum = float(self.lr), float(self.momentum)
        for data, grad, v in self.chunks(param):
            v *= momentum
            v -= lr * grad
            data += v


class AdaGrad(Optimizer):
    """Gradient descent whose steps shrink in each direction by the gradients seen
    there.

    Notes
    -----
    Source: J. Duchi, E. Hazan and Y. Singer, "Adaptive subgradient methods for online
    learning and stochastic optimization", 2011.
    """

    state_names = ("h",)

    def __init__(self, lr: float = 0.001, eps: float = 1e-8) -> None:
        super().__init__()
        _check_numbers(self, lr=lr, eps=eps)
        self.lr = lr
        self.eps = eps

    def update_one(self, param: Parameter) -> None:
        lr, eps = float(self.lr), float(self.eps)
        for data, grad, h in self.chunks(param):
            h += grad * grad
            data -= lr * grad / (np.sqrt(h) + eps)


class AdaDelta(Optimizer):
    """Gradient descent that sets its own step size from the steps and the gradients of
    late.

    Notes
    -----
    Source: M. D. Zeiler, "ADADELTA: an adaptive learning rate method", 2012.
    """

    state_names = ("msg", "msdx")

    def __init__(self, rho: float = 0.95, eps: float = 1e-6) -> None:
        super().__init__()
        _check_numbers(self, rho=rho, eps=eps)
        self.rho = rho
        self.eps = eps

    def update_one(self, param: Parameter) -> None:
        rho, eps = float(self.rho), float(self.eps)
        for data, grad, msg, msdx in self.chunks(param):
            msg *= rho
            msg += (1 - rho) * grad * grad
            dx = np.sqrt((msdx + eps) / (msg + eps)) * grad
            msdx *= rho
            msdx += (1 - rho) * dx * dx
            data -= dx


class Adam(Optimizer):
    """Momentum, with steps scaled in each direction by the gradients of late.

    Attributes
    ----------
    t : int
        The number of updates so far.

    Notes
    -----
    Averages begin at 0, and so are too small at first; the step size makes up for it.
    That depends on how often a parameter has been updated, which is counted for each,
    since one without a gradient is skipped.

    Source: D. P. Kingma and J. Ba, "Adam: a method for stochastic optimization", 2015,
    in the efficient order of computation at the end of its section 2.
    """

    state_names = ("m", "v")

    def __init__(
        self,
        alpha: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        **others: Any,
    ) -> None:
        super().__init__()
        if others:
            raise TypeError(
                f"{type(self).__name__} has no setting {', '.join(others)}: its "
                "learning rate is alpha"
            )
        _check_numbers(self, alpha=alpha, beta1=beta1, beta2=beta2, eps=eps)
        self.t = 0
        self.alpha = alpha
        self.beta1 = beta1
        self.beta2 = beta2
        self.eps = eps

    def setup(self, target: Any) -> Any:
        self.t = 0
        return super().setup(target)

    def update(self) -> None:
        super().update()
        self.t += 1

    @property
    def lr(self) -> float:
        """The step size of a parameter that has been in every update."""
        return self._step_size(max(self.t, 1))

    def state(self, param: Parameter) -> dict[str, Any]:
        state = super().state(param)
        state.setdefault("t", np.zeros((), dtype=np.int64))
        return state

    def update_one(self, param: Parameter) -> None:
        beta1, beta2, eps = float(self.beta1), float(self.beta2), float(self.eps)
        t = self.state(param)["t"]
        t += 1
        step = self._step_size(int(t))
        decay = self._decay()
        for data, grad, m, v in self.chunks(param):
            # In place where it can be, since what is new in memory takes time. First, m
            # += (1 - beta1) * (grad - m),
            change = grad - m
            change *= 1 - beta1
            m += change
            # then, v += (1 - beta2) * (grad * grad - v),
            change = grad * grad
            change -= v
            change *= 1 - beta2
            v += change
            # and last, data -= step * m / (np.sqrt(v) + eps).
            change = np.sqrt(v)
            change += eps
            change = m / change
            change *= step
            if decay:
                data *= 1 - decay
            data -= change

    def _step_size(self, t: int) -> float:
        return float(self.alpha * math.sqrt(1 - self.beta2**t) / (1 - self.beta1**t))

    def _decay(self) -> float:
        return 0.0


class AdamW(Adam):
    """Adam that pulls the data towards 0 by itself, not by way of the gradient.

    Notes
    -----
    Source: I. Loshchilov and F. Hutter, "Decoupled weight decay regularization", 2019.
    """

    def __init__(
        self,
        alpha: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        weight_decay: float = 0.01,
        **others: Any,
    ) -> None:
        super().__init__(alpha, beta1, beta2, eps, **others)
        _check_numbers(self, weight_decay=weight_decay)
        self.weight_decay = weight_decay

    def _decay(self) -> float:
        return float(self.alpha) * float(self.weight_decay)
