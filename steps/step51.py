"""Step 51: handwritten digits."""

import numpy as np

from . import step50
from .framework.datasets import Digits, as_row
from .framework.functions import LeakyReLU, ReLU, leaky_relu, relu
from .step50 import *  # noqa: F403

__all__ = [
    *step50.__all__,
    "Digits",
    "as_row",
    "LeakyReLU",
    "ReLU",
    "leaky_relu",
    "relu",
]


def confusion(answers, labels, classes=10):
    """Count how often class i (row) was read as class j (column)."""
    table = np.zeros((classes, classes), dtype=int)
    np.add.at(table, (labels, answers), 1)
    return table


def draw_images(images, titles, title, rows=1, **look):
    """Draw images in rows, each with a title."""
    import matplotlib.pyplot as plt

    columns = len(images) // rows
    size = (1.25 * columns, 1.55 * rows + 0.4)
    figure, axes = plt.subplots(rows, columns, figsize=size, squeeze=False)
    for ax, image, text in zip(axes.flat, images, titles, strict=True):
        ax.imshow(image, **look)
        ax.set_title(text, fontsize=10, weight="normal", loc="center")
        ax.set_axis_off()
    figure.suptitle(title, weight="bold")
    plt.show()
