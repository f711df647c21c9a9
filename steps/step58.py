"""Step 58: a famous network."""

from pathlib import Path

import numpy as np

from . import step57
from .framework.functions import batch_norm, batch_nrom, remember
from .framework.layers import BatchNorm
from .step57 import *  # noqa: F403
from .step57 import (
    Adam,
    Conv2d,
    Digits,
    Linear,
    Model,
    Variable,
    fit,
    manual_seed,
    mean,
    no_grad,
    pooling,
    relu,
    sum,
    test_mode,
)

__all__ = [*step57.__all__, "batch_norm", "batch_nrom", "remember", "BatchNorm"]


class Tower(Model):
    """Many convolutions, each with a relu; then the mean of each channel, and scores.

    With `norm`, a BatchNorm follows each convolution; with `shortcut`, the result of
    each floor is added to its input.
    """

    def __init__(self, depth, norm=False, shortcut=False, channels=8):
        self.first = Conv2d(channels, kernel_size=3, stride=2, pad=1)
        self.convs = [Conv2d(channels, kernel_size=3, pad=1) for _ in range(depth)]
        self.norms = [BatchNorm() for _ in range(depth if norm else 0)]
        self.shortcut = shortcut
        self.classifier = Linear(10)

    def floors(self, x):
        """List the images after each convolution, the first one included."""
        h = self.first(x)
        floors = [h]
        for i, conv in enumerate(self.convs):
            z = self.norms[i](conv(h)) if self.norms else conv(h)
            h = h + relu(z) if self.shortcut else relu(z)
            floors.append(h)
        return floors

    def forward(self, x):
        return self.classifier(mean(self.floors(x)[-1], axis=(2, 3)))


class SmallVGG(Model):
    """A network like VGG: four 3×3 convolutions, with a pooling after the first.

    Turns sheets (N, 1, 16, 16) into scores (N, classes).
    """

    def __init__(self, channels=16, classes=10):
        sizes = channels, channels, 2 * channels, 2 * channels
        self.convs = [Conv2d(n, kernel_size=3, pad=1, nobias=True) for n in sizes]
        self.norms = [BatchNorm() for _ in sizes]
        self.classifier = Linear(classes)

    def strokes(self, x):
        """Return the maps of the first convolution, 16×16 pixels each."""
        return relu(self.norms[0](self.convs[0](x)))

    def features(self, x):
        """Return the maps of the last convolution, 8×8 pixels each."""
        x = pooling(self.strokes(x), kernel_size=2, stride=2)
        for conv, norm in zip(self.convs[1:], self.norms[1:], strict=True):
            x = relu(norm(conv(x)))
        return x

    def forward(self, x):
        return self.classifier(mean(self.features(x), axis=(2, 3)))


def on_sheets(images, rng):
    """Put each image of 8×8 pixels somewhere on an empty sheet of 16×16."""
    sheets = np.zeros((len(images), 1, 16, 16), np.float32)
    for sheet, image, (i, j) in zip(
        sheets, images, rng.integers(9, size=(len(images), 2)), strict=True
    ):
        sheet[:, i : i + 8, j : j + 8] = image
    return sheets


class Sheets:
    """Batches of sheets; each pass over them puts the images in new places."""

    def __init__(self, images, labels, batch_size, seed=0):
        self.images, self.labels = images, labels
        self.batch_size, self.rng = batch_size, np.random.default_rng(seed)

    def __iter__(self):
        sheets = on_sheets(self.images, self.rng)
        order = self.rng.permutation(len(sheets))
        for start in range(0, len(order), self.batch_size):
            batch = order[start : start + self.batch_size]
            yield sheets[batch], self.labels[batch]


def small_vgg_file():
    """Return the path of the trained SmallVGG."""
    return Path(__file__).parent / "data" / "small_vgg.npz"


def small_vgg(trained=True):
    """Return a SmallVGG that reads digits on sheets, or an untrained one."""
    manual_seed(0)
    model = SmallVGG()
    with no_grad(), test_mode():  # the first call gives the parameters their shapes
        model(np.zeros((1, 1, 16, 16), np.float32))
    if trained:
        model.load_weights(small_vgg_file())
    return model


def make_small_vgg():
    """Train a SmallVGG on the training digits, and save its weights. To run it:
    `python -c "from steps.step58 import make_small_vgg; make_small_vgg()"`.
    """
    model, digits = small_vgg(trained=False), Digits()
    sheets = Sheets(digits.data.astype(np.float32) / 16, digits.label, batch_size=32)
    fit(model, sheets, Adam(0.005).setup(model), range(4), decay=0.5)
    model.save_weights(small_vgg_file())


def grad_cam(model, sheets, classes):
    """Map where the model sees the class of each sheet: heat of shape (N, 8, 8)."""
    with no_grad():
        maps = Variable(model.features(sheets).data)
    scores = model.classifier(mean(maps, axis=(2, 3)))
    sum(scores[np.arange(len(sheets)), classes]).backward()
    weights = maps.grad.data.mean(axis=(2, 3), keepdims=True)
    return np.maximum((weights * maps.data).sum(axis=1), 0)
