"""Classify the digits of digits_mlp.py with a convolutional network, which knows that
pixels have neighbours and makes fewer errors.

The data and the training loop are those of digits_mlp.py. The picture shows test scans
that it misclassifies; some of them are hard even for people.
"""

from __future__ import annotations

from digits_mlp import train
from helpers import check, options, parse, run

import dezero_lite
import dezero_lite.functions as F
import dezero_lite.layers as L
from dezero_lite import Model, Variable, no_grad, test_mode
from dezero_lite.datasets import Digits, FashionMNIST
from dezero_lite.transforms import Compose, Normalize, ToFloat


class CNN(Model):
    """Two convolutions, each followed by pooling, then two linear layers. Images (N, C,
    H, W) may be of any size.

    Parameters
    ----------
    channels : int
        The output channels of the first convolution; the second has twice as many.
    ratio : float
        The dropout ratio of the hidden layer.
    """

    def __init__(self, channels: int, ratio: float) -> None:
        self.conv1 = L.Conv2d(channels, kernel_size=3, pad=1)
        self.conv2 = L.Conv2d(2 * channels, kernel_size=3, pad=1)
        self.hidden = L.Linear(128)
        self.out = L.Linear(10)
        self.ratio = ratio

    def forward(self, x: Variable) -> Variable:
        x = F.pooling(F.relu(self.conv1(x)), kernel_size=2, stride=2)
        x = F.pooling(F.relu(self.conv2(x)), kernel_size=2, stride=2)
        x = F.relu(self.hidden(F.flatten(x)))
        return self.out(F.dropout(x, self.ratio))


def draw_mistakes(file: str, model: Model, test: Digits | FashionMNIST) -> None:
    """Draw up to eight images that the model misclassifies."""
    import matplotlib.pyplot as plt

    x, t = test[:2000]
    with no_grad(), test_mode():
        answer = model(x).data.argmax(axis=1)
    names = test.labels()
    figure, places = plt.subplots(2, 4, figsize=(9, 5), layout="constrained")
    for place in places.flat:
        place.axis("off")
    for i, place in zip((answer != t).nonzero()[0], places.flat, strict=False):
        place.imshow(x[i, 0], cmap="gray_r")
        place.set_title(
            f"{names[int(answer[i])]}? No, {names[int(t[i])]}", fontsize="medium"
        )
    figure.savefig(file)


def main() -> None:
    args = parse(options(__doc__))
    dezero_lite.manual_seed(args.seed)
    image = Compose([ToFloat(), Normalize(0.0, 16.0)])
    test = Digits(train=False, transform=image)
    model = CNN(channels=48, ratio=0.5)
    epochs = 2 if args.quick else 30
    _, accuracies = train(
        model,
        Digits(transform=image),
        test,
        epochs,
        batch_size=16,
        rate=0.001,
        decay=0.95,
    )
    if args.plot:
        draw_mistakes(args.plot, model, test)
    check("test accuracy", accuracies[-1], above=90 if args.quick else 98.5, unit=" %")


if __name__ == "__main__":
    run(main)
