"""Step 42: linear regression."""

import numpy as np

from . import step41
from .framework.functions import mean_squared_error, mean_squared_error_simple
from .step41 import *  # noqa: F403
from .step41 import Variable, matmul

__all__ = [*step41.__all__, "mean_squared_error", "mean_squared_error_simple"]


def noisy_line(n=100, seed=0):
    """Return points around the line t = 2x + 5: x and t, each of shape (n, 1)."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 1, size=(n, 1))
    return x, 5 + 2 * x + rng.normal(scale=0.3, size=(n, 1))


def predict(x, W, b):
    """Compute the line: x of shape (N, 1) gives y of shape (N, 1)."""
    return matmul(x, W) + b


def train(x, t, lr=0.1, steps=100):
    """Fit W and b by gradient descent; return (W, b) before each step, and losses."""
    if steps < 1:
        raise ValueError(f"{steps} steps train nothing: take at least one")
    W, b = Variable(np.zeros((1, 1))), Variable(np.zeros(1))
    path, losses = [], []
    for _ in range(steps):
        loss = mean_squared_error(predict(x, W, b), t)
        W.cleargrad()
        b.cleargrad()
        loss.backward()
        path.append([W.data.item(), b.data.item()])
        losses.append(loss.data.item())
        W.data -= lr * W.grad.data
        b.data -= lr * b.grad.data
    return np.array(path), losses


def learning_curve(title, **curves):
    """Draw losses against steps, with a list of numbers for each name."""
    import matplotlib.pyplot as plt

    _, ax = plt.subplots(figsize=(7, 3.4))
    for name, losses in curves.items():
        ax.semilogy(np.minimum(losses, 1e100), label=name)  # no axis holds much more
    ax.set(xlabel="step", ylabel="loss")
    ax.set_title(title, pad=6 if len(curves) == 1 else 28)
    if len(curves) > 1:
        ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=len(curves))
    with plt.rc_context({"axes.formatter.min_exponent": 4}):  # 2 instead of 2 × 10⁰
        plt.show()
