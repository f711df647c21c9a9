"""The update rules, one class each, from gradient descent to Adam."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core import Parameter
from .optimizer import Optimizer, check_numbers

__all__ = ["SGD", "AdaDelta", "AdaGrad", "Adam", "AdamW", "MomentumSGD"]


class SGD(Optimizer):
    """Stochastic gradient descent: x ← x − lr · g. Source: book step 46."""

    def __init__(self, lr: float = 0.01) -> None:
        super().__init__()
        check_numbers(self, lr=lr)
        self.lr = lr

    def update_one(self, param: Parameter) -> None:
        lr = float(self.lr)
        for data, grad in self.chunks(param):
            data -= lr * grad


class MomentumSGD(Optimizer):
    """Gradient descent that keeps part of its velocity, like a ball rolling downhill: v
    ← momentum · v − lr · g, and x ← x + v. Source: book step 46.
    """

    state_names = ("v",)

    def __init__(self, lr: float = 0.01, momentum: float = 0.9) -> None:
        super().__init__()
        check_numbers(self, lr=lr, momentum=momentum)
        self.lr, self.momentum = lr, momentum

    def update_one(self, param: Parameter) -> None:
        lr, momentum = float(self.lr), float(self.momentum)
        for data, grad, v in self.chunks(param):
            v *= momentum
            v -= lr * grad
            data += v


class AdaGrad(Optimizer):
    """Gradient descent whose step in each direction shrinks with the gradients seen
    there: h ← h + g², and x ← x − lr · g / (√h + eps).

    Notes
    -----
    Source: J. Duchi, E. Hazan and Y. Singer, "Adaptive subgradient methods for online
    learning and stochastic optimization", 2011.
    """

    state_names = ("h",)

    def __init__(self, lr: float = 0.001, eps: float = 1e-8) -> None:
        super().__init__()
        check_numbers(self, lr=lr, eps=eps)
        self.lr, self.eps = lr, eps

    def update_one(self, param: Parameter) -> None:
        lr, eps = float(self.lr), float(self.eps)
        for data, grad, h in self.chunks(param):
            h += grad * grad
            data -= lr * grad / (np.sqrt(h) + eps)


class AdaDelta(Optimizer):
    """Gradient descent that derives its step size from recent steps and gradients.

    First h ← rho · h + (1 − rho) · g²; then d = g · √((s + eps) / (h + eps)) and x ← x
    − d; finally s ← rho · s + (1 − rho) · d².

    Notes
    -----
    Source: M. D. Zeiler, "ADADELTA: an adaptive learning rate method", 2012.
    """

    state_names = ("msg", "msdx")

    def __init__(self, rho: float = 0.95, eps: float = 1e-6) -> None:
        super().__init__()
        check_numbers(self, rho=rho, eps=eps)
        self.rho, self.eps = rho, eps

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
    """Momentum, with steps scaled in each direction by recent gradients.

    With m ← beta1 · m + (1 − beta1) · g and v ← beta2 · v + (1 − beta2) · g², in update
    t: x ← x − alpha · √(1 − beta2ᵗ) / (1 − beta1ᵗ) · m / (√v + eps).

    Attributes
    ----------
    t : int
        The number of updates so far.

    Notes
    -----
    The averages begin at 0, so they are too small at first; the step size corrects
    this. The correction depends on the number of updates, which is counted separately
    for each parameter, because an update skips a parameter without a gradient.

    Source: D. P. Kingma and J. Ba, "Adam: a method for stochastic optimization", 2015,
    with the efficient order of computation from the end of its section 2.
    """

    state_names = ("m", "v")

    def __init__(
        self,
        alpha: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
    ) -> None:
        super().__init__()
        check_numbers(self, alpha=alpha, beta1=beta1, beta2=beta2, eps=eps)
        self.t = 0
        self.alpha, self.beta1 = alpha, beta1
        self.beta2, self.eps = beta2, eps

    def setup(self, target: Any) -> Any:
        self.t = 0
        return super().setup(target)

    def update(self) -> None:
        super().update()
        self.t += 1

    @property
    def lr(self) -> float:
        """The step size of a parameter that was part of every update."""
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
            # In place where possible, because allocating arrays is slow. First,
            # m += (1 - beta1) * (grad - m),
            change = grad - m
            change *= 1 - beta1
            m += change
            # then, v += (1 - beta2) * (grad * grad - v),
            change = grad * grad
            change -= v
            change *= 1 - beta2
            v += change
            # and finally, data -= step * m / (np.sqrt(v) + eps).
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
    """Adam that pulls the data towards 0 directly, not through the gradient: before
    Adam's step, x ← (1 − alpha · weight_decay) · x.

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
    ) -> None:
        super().__init__(alpha, beta1, beta2, eps)
        check_numbers(self, weight_decay=weight_decay)
        self.weight_decay = weight_decay

    def _decay(self) -> float:
        return float(self.alpha) * float(self.weight_decay)
