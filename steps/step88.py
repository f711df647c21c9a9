"""Step 88: few bits."""

from dataclasses import dataclass

import numpy as np

from dezero_lite import manual_seed, no_grad
from dezero_lite.datasets import Digits
from dezero_lite.functions import flatten, pooling, relu, softmax_cross_entropy
from dezero_lite.layers import Conv2d, Linear
from dezero_lite.models import Sequential
from dezero_lite.optimizers import Adam

from .library import moved as __getattr__  # noqa: F401

__all__ = ["Quantised", "digit_images", "halved", "prune", "quantise", "share_read"]
__all__ += ["small_cnn", "weights_of"]


# --- Numbers of few bits --------------------------------------------------------------


@dataclass(frozen=True)
class Quantised:
    """Whole numbers, with the scale and zero point that turn them into floats."""

    numbers: np.ndarray
    scale: np.ndarray
    zero: np.ndarray

    def floats(self):
        """Return the floats that the whole numbers represent."""
        whole = self.numbers.astype(np.int32) - self.zero
        return (whole * self.scale).astype(np.float32)


def quantise(x, bits=8, axis=None):
    """Quantise x to whole numbers of 1 to 16 bits, with one scale and zero point for
    the whole array, or for each index of an axis.
    """
    if not 1 <= bits <= 16:
        raise ValueError(f"bits should be from 1 to 16, not {bits}")
    others = None if axis is None else tuple(i for i in range(x.ndim) if i != axis)
    low = np.minimum(x.min(others, keepdims=True), 0)
    high = np.maximum(x.max(others, keepdims=True), 0)
    most = 2**bits - 1
    scale = np.where(high > low, (high - low) / most, 1)
    zero = np.round(-low / scale).astype(np.int32)
    numbers = np.clip(np.round(x / scale) + zero, 0, most)
    return Quantised(numbers.astype(np.min_scalar_type(most)), scale, zero)


def prune(arrays, share):
    """Set this share of all numbers in the arrays, the smallest ones, to 0."""
    sizes = np.concatenate([np.abs(array).ravel() for array in arrays])
    least = np.quantile(sizes, share)
    return [np.where(np.abs(array) < least, 0, array) for array in arrays]


# --- A network to try it on -----------------------------------------------------------


def digit_images(train=True):
    """Return images of shape (N, 1, 8, 8), from 0 to 1, and their labels."""
    digits = Digits(train)
    return digits.data.astype(np.float32) / 16, digits.label


def small_cnn(seed=0, epochs=12):
    """Train two convolutions and a linear layer to read digits."""
    manual_seed(seed)
    first, second = Conv2d(8, 3, pad=1), Conv2d(16, 3, pad=1)
    model = Sequential(first, relu, halved, second, relu, halved, flatten, Linear(10))
    optimizer = Adam().setup(model)
    x, t = digit_images()
    rng = np.random.default_rng(seed)
    for epoch in range(epochs):
        optimizer.alpha = 0.01 * (1 - epoch / epochs)
        for batch in np.array_split(rng.permutation(len(x)), 30):
            model.cleargrads()
            softmax_cross_entropy(model(x[batch]), t[batch]).backward()
            optimizer.update()
    return model


def halved(x):
    """Take the largest number in each 2×2 window."""
    return pooling(x, 2, 2)


def weights_of(model):
    """Return the kernels and matrices of a model, without its biases."""
    return [p.data for p in model.params() if p.ndim > 1]


def share_read(model, digits, weights=None):
    """Return the share of digits that the model reads right, with these weights."""
    parameters = [p for p in model.params() if p.ndim > 1]
    kept = weights_of(model)
    x, t = digits
    for p, data in zip(parameters, kept if weights is None else weights, strict=True):
        p.data = data
    with no_grad():
        right = model(x).data.argmax(axis=1) == t
    for p, data in zip(parameters, kept, strict=True):
        p.data = data
    return right.mean()
