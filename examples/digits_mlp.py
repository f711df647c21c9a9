"""Classify handwritten digits with a multi-layer perceptron: 1,442 scans for training
and 355 for testing, all included in the package.

The network sees 64 numbers in a row and does not know which pixels are neighbours;
digits_cnn.py does. Dropout keeps it from memorising the scans. The picture shows how
the loss falls and the accuracy rises.
"""

from __future__ import annotations

from helpers import Progress, check, options, parse, run

import dezero_lite
import dezero_lite.functions as F
import dezero_lite.layers as L
from dezero_lite import DataLoader, Dataset, Model, no_grad, test_mode
from dezero_lite.datasets import Digits
from dezero_lite.models import Sequential
from dezero_lite.optimizers import Adam


def accuracy(model: Model, data: Dataset) -> float:
    """Return the percentage of the examples that the model classifies correctly."""
    right = 0.0
    with no_grad(), test_mode():
        for x, t in DataLoader(data, batch_size=500, shuffle=False):
            right += F.accuracy(model(x), t).item() * len(t)
    return 100 * right / len(data)


def train(
    model: Model,
    data: Dataset,
    test: Dataset,
    epochs: int,
    batch_size: int,
    rate: float,
    decay: float,
) -> tuple[list[float], list[float]]:
    """Fit the model to the data; return the mean loss and the test accuracy of each
    epoch.

    The learning rate begins at `rate` and is multiplied by `decay` after each epoch.
    """
    optimizer = Adam(rate).setup(model)
    loader = DataLoader(data, batch_size)
    losses: list[float] = []
    accuracies: list[float] = []
    progress = Progress(epochs * len(loader), "batches")
    for _ in range(epochs):
        total, note = (
            0.0,
            f", test accuracy {accuracies[-1]:.2f} %" if accuracies else "",
        )
        for x, t in loader:
            loss = F.softmax_cross_entropy(model(x), t)
            model.cleargrads()
            loss.backward()
            optimizer.update()
            total += loss.item()
            progress.advance(f"loss {loss.item():.3f}{note}")
        losses.append(total / len(loader))
        accuracies.append(accuracy(model, test))
        optimizer.alpha *= decay
    return losses, accuracies


def draw(file: str, losses: list[float], accuracies: list[float]) -> None:
    import matplotlib.pyplot as plt

    epochs = range(1, len(losses) + 1)
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    left.plot(epochs, losses)
    left.set(title="Loss in training", xlabel="epoch", yscale="log")
    right.plot(epochs, accuracies)
    right.set(title="Test accuracy", xlabel="epoch", ylabel="%")
    figure.savefig(file)


def main() -> None:
    args = parse(options(__doc__))
    dezero_lite.manual_seed(args.seed)
    model = Sequential(
        L.Linear(200),
        F.relu,
        L.Dropout(0.3),
        L.Linear(200),
        F.relu,
        L.Dropout(0.3),
        L.Linear(10),
    )
    epochs = 5 if args.quick else 40
    data, test = Digits(), Digits(train=False)
    losses, accuracies = train(
        model, data, test, epochs, batch_size=32, rate=0.002, decay=0.93
    )
    if args.plot:
        draw(args.plot, losses, accuracies)
    check("test accuracy", accuracies[-1], above=88 if args.quick else 97, unit=" %")


if __name__ == "__main__":
    run(main)
