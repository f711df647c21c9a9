"""Hooks that change gradients before an update."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core import Parameter
from .optimizer import check_numbers, gradient_of, replace_gradient

__all__ = ["ClipGrad", "FreezeParam", "WeightDecay"]


class WeightDecay:
    """A hook that adds ``rate * data`` to each gradient, which pulls the data towards
    0.
    """

    def __init__(self, rate: float) -> None:
        check_numbers(self, rate=rate)
        self.rate = rate

    def __call__(self, params: list[Parameter]) -> None:
        for param in params:
            decay = float(self.rate) * param.data
            replace_gradient(param, gradient_of(param) + decay)


class ClipGrad:
    """A hook that scales all gradients, taken as one long vector, to a norm of at most
    `max_norm`.

    Raises
    ------
    FloatingPointError
        When called, if a gradient contains nan or infinity; no parameter has changed
        then.

    Notes
    -----
    Source: R. Pascanu, T. Mikolov and Y. Bengio, "On the difficulty of training
    recurrent neural networks", 2013.
    """

    def __init__(self, max_norm: float) -> None:
        check_numbers(self, max_norm=max_norm)
        self.max_norm = max_norm

    def __call__(self, params: list[Parameter]) -> None:
        # In float64, because squares may overflow in the gradients' own dtype.
        grads = [gradient_of(param) for param in params]
        squares = [float(np.square(grad, dtype=np.float64).sum()) for grad in grads]
        norm = math.sqrt(sum(squares))
        if not math.isfinite(norm):
            pairs = zip(params, squares, strict=True)
            names = [repr(p.name) for p, square in pairs if not math.isfinite(square)]
            raise FloatingPointError(
                f"the norm of the gradients is {norm}, so they cannot be clipped "
                f"(parameters: {', '.join(names)}): try a smaller learning rate, or "
                "inspect the loss before this step"
            )
        rate = self.max_norm / (norm + 1e-6)
        if rate < 1:
            for param in params:
                replace_gradient(param, gradient_of(param) * rate)


class FreezeParam:
    """A hook that clears the gradients of layers and parameters, so that updates skip
    them.

    Parameters
    ----------
    *layers : Layer or Parameter
        The layers and parameters to freeze.
    """

    def __init__(self, *layers: Any) -> None:
        self.freeze_params: list[Parameter] = []
        for layer in layers:
            params = [layer] if isinstance(layer, Parameter) else layer.params()
            self.freeze_params += params

    def __call__(self, params: list[Parameter]) -> None:
        for param in self.freeze_params:
            param.cleargrad()
