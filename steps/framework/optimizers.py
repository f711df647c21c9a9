"""Optimizers: from gradients to better parameters. Step 46."""

import numpy as np

from .core import Parameter, Variable

# --- Step 46 --------------------------------------------------------------------------


class Optimizer:
    """A rule that changes the parameters of a layer in place by their gradients."""

    def __init__(self):
        self.target, self.hooks = None, []

    def setup(self, target):
        """Choose the layer or model whose parameters should change."""
        self.target = target
        self.states = {}
        return self

    def add_hook(self, hook):
        """Call ``hook`` before each update with the parameters that have a gradient."""
        self.hooks.append(hook)

    def update(self):
        """Change every parameter that has a gradient."""
        if self.target is None:
            raise RuntimeError(f"call {type(self).__name__}(...).setup(model) first")
        for hook in self.hooks:
            hook([p for p in self.target.params() if p.grad is not None])
        for param in self.target.params():
            if param.grad is not None:
                self.update_one(param)

    def update_one(self, param):
        raise NotImplementedError(f"{type(self).__name__} needs update_one(self, p)")

    def state(self, param, *names):
        """Return a parameter's stored arrays: one for each name, zeros at first."""
        if param not in self.states:
            self.states[param] = [np.zeros_like(param.data) for _ in names]
        return self.states[param]


# --- what happens to gradients before they are used -----------------------------------


class WeightDecay:
    """g ← g + rate · w"""

    def __init__(self, rate):
        self.rate = rate

    def __call__(self, params):
        for param in params:
            param.grad = Variable(param.grad.data + self.rate * param.data)


class ClipGrad:
    """g ← g · max_norm / ‖g‖ if ‖g‖, the norm of all gradients, exceeds max_norm"""

    def __init__(self, max_norm):
        self.max_norm = max_norm

    def __call__(self, params):
        norm = np.sqrt(sum(float(np.sum(p.grad.data**2)) for p in params))
        if not np.isfinite(norm):
            raise FloatingPointError(f"the norm of the gradients is {norm}")
        rate = float(self.max_norm / (norm + 1e-6))
        if rate < 1:
            for param in params:
                param.grad = Variable(param.grad.data * rate)


class FreezeParam:
    """g ← nothing, for the parameters of these layers"""

    def __init__(self, *layers):
        self.freeze_params = []
        for layer in layers:
            own = [layer] if isinstance(layer, Parameter) else layer.params()
            self.freeze_params += own

    def __call__(self, params):
        for param in self.freeze_params:
            param.cleargrad()


# --- the rules ------------------------------------------------------------------------


class SGD(Optimizer):
    """w ← w − lr · g"""

    def __init__(self, lr=0.01):
        super().__init__()
        self.lr = lr

    def update_one(self, param):
        param.data -= self.lr * param.grad.data


class MomentumSGD(Optimizer):
    """v ← momentum · v − lr · g, w ← w + v"""

    def __init__(self, lr=0.01, momentum=0.9):
        super().__init__()
        self.lr, self.momentum = lr, momentum

    def update_one(self, param):
        (v,) = self.state(param, "v")
        v *= self.momentum
        v -= self.lr * param.grad.data
        param.data += v


class AdaGrad(Optimizer):
    """h ← h + g², w ← w − lr · g / (√h + ε)"""

    def __init__(self, lr=0.001, eps=1e-8):
        super().__init__()
        self.lr, self.eps = lr, eps

    def update_one(self, param):
        (h,) = self.state(param, "h")
        grad = param.grad.data
        h += grad**2
        eps = max(self.eps, np.finfo(h.dtype).tiny)  # in float16, 1e-8 would be 0
        param.data -= self.lr * grad / (np.sqrt(h) + eps)


class AdaDelta(Optimizer):
    """Δ = g · √((mean of Δ² + ε) / (mean of g² + ε)), w ← w − Δ, with fading means"""

    def __init__(self, rho=0.95, eps=1e-6):
        super().__init__()
        self.rho, self.eps = rho, eps

    def update_one(self, param):
        msg, msdx = self.state(param, "msg", "msdx")
        grad = param.grad.data
        msg *= self.rho
        msg += (1 - self.rho) * grad**2
        dx = np.sqrt((msdx + self.eps) / (msg + self.eps)) * grad
        msdx *= self.rho
        msdx += (1 - self.rho) * dx**2
        param.data -= dx


class Adam(Optimizer):
    """m ← β₁m + (1 − β₁)g, v ← β₂v + (1 − β₂)g², w ← w − lr · m / (√v + ε)"""

    def __init__(self, alpha=0.001, beta1=0.9, beta2=0.999, eps=1e-8):
        super().__init__()
        self.t = 0
        self.alpha, self.beta1, self.beta2, self.eps = alpha, beta1, beta2, eps

    def setup(self, target):
        self.t = 0
        return super().setup(target)

    def update(self):
        self.t += 1
        super().update()

    @property
    def lr(self):
        """α √(1 − β₂ᵗ) / (1 − β₁ᵗ), since the means start at 0 and are too small"""
        t = self.t or 1
        return self.alpha * (1 - self.beta2**t) ** 0.5 / (1 - self.beta1**t)

    def update_one(self, param):
        m, v = self.state(param, "m", "v")
        grad = param.grad.data
        m += (1 - self.beta1) * (grad - m)
        v += (1 - self.beta2) * (grad**2 - v)
        eps = max(self.eps, np.finfo(v.dtype).tiny)  # in float16, 1e-8 would be 0
        param.data -= self.lr * m / (np.sqrt(v) + eps)
