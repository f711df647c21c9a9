"""Step 59: memory in time: RNN."""

import numpy as np

from . import step58
from .framework.core import unchain, unchain_backward
from .framework.datasets import SinCurve
from .framework.layers import RNN, check_batch
from .step58 import *  # noqa: F403
from .step58 import Linear, Model, Variable, mean_squared_error, no_grad

__all__ = [
    *step58.__all__,
    "unchain",
    "unchain_backward",
    "SinCurve",
    "RNN",
    "check_batch",
]

Variable.unchain = unchain
Variable.unchain_backward = unchain_backward


def long_wave(periods):
    """Return noisy heights of a sine, 25 in each period, of shape (25 * periods, 1)."""
    return np.concatenate([SinCurve().data[::40] for _ in range(periods)])


class Predictor(Model):
    """Predicts the next heights from heights, both of shape (N, 1)."""

    def __init__(self, hidden=32):
        self.rnn = RNN(hidden, in_size=1, dtype=np.float64)
        self.out = Linear(1, in_size=hidden, dtype=np.float64)

    def forward(self, x):
        return self.out(self.rnn(x))


def train_in_pieces(model, series, optimizer, rounds, span=25):
    """Learn to predict the next height of a series of shape (steps, N, 1); each
    backward pass covers `span` steps. Returns the mean loss before each update.
    """
    if len(series) <= span:
        raise ValueError(f"{len(series)} steps give no update: more than {span} do")
    losses = []
    for _ in rounds:
        model.rnn.reset_state()
        loss = 0.0
        for k in range(len(series) - 1):
            loss = loss + mean_squared_error(model(series[k]), series[k + 1])
            if (k + 1) % span == 0:
                model.cleargrads()
                loss.backward()
                loss.unchain_backward()
                optimizer.update()
                losses.append(loss.data.item() / span)
                loss = 0.0
    return losses


def run_freely(model, beginning, steps):
    """Show the model a beginning of shape (n, 1), then let it continue from its own
    answers alone. Returns the answers.
    """
    if not len(beginning):
        raise ValueError("the beginning is empty: show the model at least one height")
    with no_grad():
        for height in beginning:
            y = model(height.reshape(1, 1))
        heights = [y.data.item()]
        while len(heights) < steps:
            y = model(y)
            heights.append(y.data.item())
    return np.array(heights)


def graph_size(y):
    """Count the functions in the graph behind y."""
    seen, waiting = set(), [y.creator]
    while waiting:
        f = waiting.pop()
        if f is not None and f not in seen:
            seen.add(f)
            waiting += [x.creator for x in f.inputs if isinstance(x, Variable)]
    return len(seen)
