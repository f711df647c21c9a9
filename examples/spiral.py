"""Classify the points of a spiral with three arms by a small network, and draw what it
learned.

No straight line separates the arms, so hidden layers are needed. The picture shows the
falling loss, and in colour the network's decision for every point of the plane.
"""

from __future__ import annotations

import numpy as np
from helpers import Progress, check, options, parse, run

import dezero_lite
import dezero_lite.functions as F
from dezero_lite import DataLoader, no_grad
from dezero_lite.datasets import Spiral, get_spiral
from dezero_lite.models import MLP
from dezero_lite.optimizers import Adam


def train(model: MLP, epochs: int) -> list[float]:
    """Fit the model to the training points; return the mean loss of each epoch."""
    optimizer = Adam(0.01).setup(model)
    loader = DataLoader(Spiral(), batch_size=30)
    losses = []
    progress = Progress(epochs, "epochs")
    for _ in range(epochs):
        total = 0.0
        for x, t in loader:
            loss = F.softmax_cross_entropy(model(x), t)
            model.cleargrads()
            loss.backward()
            optimizer.update()
            total += loss.item()
        losses.append(total / len(loader))
        progress.advance(f"loss {losses[-1]:.3f}")
    return losses


def draw(file: str, model: MLP, losses: list[float]) -> None:
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.5), layout="constrained")
    left.plot(losses)
    left.set(title="Loss", xlabel="epoch", yscale="log")

    side = np.linspace(-1.1, 1.1, 300, dtype=np.float32)
    plane = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    with no_grad():
        arm = model(plane).data.argmax(axis=1).reshape(300, 300)
    right.contourf(
        side,
        side,
        arm,
        levels=[-0.5, 0.5, 1.5, 2.5],
        colors=["C0", "C1", "C2"],
        alpha=0.3,
    )
    x, t = get_spiral(train=False)
    for i, marker in enumerate("ox^"):
        right.plot(*x[t == i].T, marker, color=f"C{i}", markersize=4)
    right.set(title="Decisions, and the test points", aspect="equal")
    figure.savefig(file)


def main() -> None:
    args = parse(options(__doc__))
    dezero_lite.manual_seed(args.seed)
    model = MLP((30, 30, 3), activation=F.relu)
    losses = train(model, epochs=30 if args.quick else 100)
    if args.plot:
        draw(args.plot, model, losses)
    with no_grad():
        x, t = get_spiral(train=False)
        accuracy = F.accuracy(model(x), t).item()
    check("test accuracy", 100 * accuracy, above=90 if args.quick else 95, unit=" %")


if __name__ == "__main__":
    run(main)
