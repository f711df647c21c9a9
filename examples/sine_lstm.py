"""Continue a sine with an LSTM: it learns to predict the next value of a noisy wave,
and then continues a wave by itself.

A single value does not tell whether the wave rises or falls; the LSTM has to remember.
To continue, it takes each of its predictions as the next input, so that errors add up.
The picture shows the loss and the continued wave.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from helpers import Progress, check, options, parse, run

import dezero_lite
import dezero_lite.functions as F
import dezero_lite.layers as L
from dezero_lite import Model, Variable, no_grad
from dezero_lite.optimizers import Adam

PERIOD = 25
GIVEN = 50


class Net(Model):
    def __init__(self) -> None:
        self.rnn = L.LSTM(32)
        self.out = L.Linear(1)

    def forward(self, x: Variable) -> Variable:
        return self.out(self.rnn(x))


def waves(
    random: np.random.Generator, count: int, steps: int, noise: float = 0.0
) -> np.ndarray:
    """Return sine waves with random phases, of shape (steps, count, 1): a batch for
    each step.
    """
    start = random.uniform(0, 2 * np.pi, (count, 1))
    y = np.sin(2 * np.pi / PERIOD * np.arange(steps)[:, np.newaxis, np.newaxis] + start)
    return (y + noise * random.standard_normal(y.shape)).astype(np.float32)


def train(model: Net, updates: int, random: np.random.Generator) -> list[float]:
    """Train the model to predict the next value of new waves; return the losses."""
    optimizer = Adam(0.01).setup(model)
    losses = []
    progress = Progress(updates, "updates")
    for i in range(updates):
        optimizer.alpha = 0.01 * (1 - i / updates)
        y = waves(random, count=32, steps=GIVEN + 1, noise=0.1)
        model.rnn.reset_state()
        loss: Any = (
            sum(
                F.mean_squared_error(model(y[step]), y[step + 1])
                for step in range(GIVEN)
            )
            / GIVEN
        )
        model.cleargrads()
        loss.backward()
        optimizer.update()
        losses.append(loss.item())
        progress.advance(f"loss {losses[-1]:.4f}")
    return losses


def go_on(model: Net, beginning: np.ndarray, steps: int) -> np.ndarray:
    """Feed the beginning of waves to the model, and return its continuation."""
    model.rnn.reset_state()
    with no_grad():
        for x in beginning:
            y = model(x)
        answers = [y]
        while len(answers) < steps:
            answers.append(model(answers[-1]))
    return np.stack([y.data for y in answers])


def draw(
    file: str, losses: list[float], truth: np.ndarray, answers: np.ndarray
) -> None:
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(
        1, 2, figsize=(12, 4), layout="constrained", width_ratios=[1, 2]
    )
    left.plot(losses)
    left.set(title="Loss", xlabel="update", yscale="log")
    right.plot(truth[:, 0, 0], color="0.7", linewidth=4, label="sine")
    right.plot(range(GIVEN, len(truth)), answers[:, 0, 0], label="the LSTM by itself")
    right.axvline(GIVEN, color="0.5", linestyle=":")
    right.set(title="Given up to the dotted line, then on its own", xlabel="step")
    right.legend(loc="lower left")
    figure.savefig(file)


def main() -> None:
    args = parse(options(__doc__))
    dezero_lite.manual_seed(args.seed)
    random = np.random.default_rng(args.seed)
    model = Net()
    losses = train(model, 60 if args.quick else 500, random)
    truth = waves(random, count=20, steps=GIVEN + 4 * PERIOD)
    answers = go_on(model, truth[:GIVEN], steps=4 * PERIOD)
    if args.plot:
        draw(args.plot, losses, truth, answers)
    # A model that always predicts 0 has an error of 0.71.
    error = math.sqrt(np.mean((answers - truth[GIVEN:]) ** 2))
    check(
        "how far off over four periods on its own",
        error,
        below=0.6 if args.quick else 0.1,
    )


if __name__ == "__main__":
    run(main)
