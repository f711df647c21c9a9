"""Step 93: who judges a drawing?"""

from functools import cache
from pathlib import Path

import numpy as np

from dezero_lite import Model, manual_seed, no_grad
from dezero_lite.datasets import Digits
from dezero_lite.functions import sigmoid, softmax, softmax_cross_entropy
from dezero_lite.layers import EmbedID, Layer, LayerNorm, Linear
from dezero_lite.optimizers import Adam
from dezero_lite.schedules import WarmupCosine

from . import library

__all__ = ["Block", "ResidualNet", "TimedNet", "as_points", "confidence", "distances"]
__all__ += ["frechet", "judge", "judge_file", "make_judge", "measure", "nearest"]
__all__ += ["recall", "save_float16", "show_digits", "silu", "sines", "sure", "tell"]
__all__ += ["ten_gaussians", "train", "train_judge"]


def silu(x):
    """Compute x · sigmoid(x): a relu without a corner (Elfwing and others, 2017)."""
    return x * sigmoid(x)


class Block(Layer):
    """Two layers that add something to x; `told` is anything else they should know."""

    def __init__(self, width):
        super().__init__()
        self.norm, self.up, self.out = LayerNorm(), Linear(width), Linear(width)

    def forward(self, x, told=0):
        return x + self.out(silu(self.up(self.norm(x + told))))


class ResidualNet(Model):
    def __init__(self, out_size, width=192, blocks=2):
        super().__init__()
        self.first, self.last = Linear(width), Linear(out_size)
        self.blocks = [Block(width) for _ in range(blocks)]

    def forward(self, x, told=0):
        x = self.first(x)
        for block in self.blocks:
            x = block(x, told)
        return self.last(silu(x))


def sines(time, count=16):
    """Turn times from 0 to 1, of shape (N,), into (N, 2 · count) sines and cosines,
    from slow to fast, so that a network can distinguish times that are close.
    """
    angles = np.asarray(time)[:, None] * np.geomspace(1, 100, count)
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1).astype(np.float32)


class TimedNet(ResidualNet):
    """A network that is also told a time from 0 to 1 and, if there are any labels, a
    label from 0 to labels - 1.
    """

    def __init__(self, out_size, width=192, blocks=2, labels=0):
        super().__init__(out_size, width, blocks)
        self.time = Linear(width)
        self.label = EmbedID(labels, width) if labels else None

    def forward(self, x, time, label=None):
        told = self.time(sines(time))
        if self.label is not None:
            told = told + self.label(label)
        return super().forward(x, told)


def train(model, loss, updates, rate=0.003, watch=iter):
    """Train with Adam at a rate that falls to 0, and return the losses. `loss()` draws
    a batch and returns its loss.
    """
    optimizer = Adam().setup(model)
    schedule = WarmupCosine(rate, min(20, updates // 2), max(updates, 1))
    losses = []
    for i in watch(range(updates)):
        value = loss()
        model.cleargrads()
        value.backward()
        optimizer.alpha = schedule(i)
        optimizer.update()
        losses.append(value.item())
    return losses


def train_judge(others=None, updates=1200, seed=0, watch=iter):
    """Train a network to read the training scans, each with a little noise. If you pass
    `others(count, rng)`, which returns images that are not digits, the network learns
    an eleventh class for them.
    """
    manual_seed(seed)
    rng = np.random.default_rng(seed)
    scans, labels = Digits()[:]
    model = ResidualNet(10 if others is None else 11, width=64, blocks=1)

    def loss():
        chosen = rng.choice(len(scans), 64, replace=False)
        x, t = scans[chosen], labels[chosen]
        if others is not None:
            x, t = np.concatenate([x, others(32, rng)]), np.append(t, [10] * 32)
        x = x + rng.normal(scale=0.1, size=x.shape)
        return softmax_cross_entropy(model(x.astype(np.float32)), t)

    train(model, loss, updates, watch=watch)
    return model


def save_float16(model, path):
    """Round the model's weights to float16, and save them in half the space."""
    for parameter in model.params():
        parameter.data = parameter.data.astype(np.float16)
    model.save_weights(path)


def judge_file():
    """Return the path of the file with the judge's weights."""
    return Path(library.__file__).parent / "data" / "judge.npz"


@cache
def judge():
    """Load the judge of this stage, trained by `make_judge`."""
    model = ResidualNet(10, width=64, blocks=1)
    model.load_weights(judge_file())
    return model


def make_judge():
    """Train the judge, and save its weights:
    `python -c "from steps.step93 import make_judge; make_judge()"`.
    """
    model = train_judge()
    save_float16(model, judge_file())


def as_points(x):
    """Return images as points: one row of 64 numbers from 0 to 1 for each."""
    return np.clip(np.asarray(x, np.float32).reshape(-1, 64), 0, 1)


def confidence(x, model=None):
    """Compute the probabilities that the judge, or another model, gives to an image."""
    with no_grad():
        return softmax((model or judge())(as_points(x))).data


def sure(x):
    """Compute the share of drawings that the judge reads with over 90 % confidence."""
    return np.mean(confidence(x).max(axis=1) > 0.9)


def distances(a, b):
    """Compute the distance of each row of a from each row of b, (len(a), len(b))."""
    a, b = a.astype(np.float64), b.astype(np.float64)
    squares = (a * a).sum(axis=1)[:, None] + (b * b).sum(axis=1) - 2 * a @ b.T
    return np.sqrt(np.maximum(squares, 0))


def recall(x, k=3):
    """Compute the share of the test scans within the reach of a drawing: the distance
    to its k-th nearest of 355 drawings (Kynkäänniemi and others, 2019).
    """
    scans, drawn = Digits(train=False)[:][0], as_points(x)[:355]
    if len(drawn) <= k:
        raise ValueError(f"recall needs more than {k} drawings, not {len(drawn)}")
    reach = np.sort(distances(drawn, drawn), axis=1)[:, k]
    return np.mean((distances(scans, drawn) <= reach).any(axis=1))


def frechet(x):
    """Compute the squared distance of two Gaussians, one with the mean and covariance
    of the drawings, and one with those of the test scans (Fréchet, 1957).
    """
    a, b = as_points(x).astype(np.float64), Digits(train=False)[:][0]
    cov_a, cov_b = np.cov(a.T), np.cov(b.T)
    values, vectors = np.linalg.eigh(cov_a)
    root = vectors * np.sqrt(np.maximum(values, 0)) @ vectors.T
    shared = np.linalg.eigvalsh(root @ cov_b @ root)
    spread = np.trace(cov_a + cov_b) - 2 * np.sqrt(np.maximum(shared, 0)).sum()
    # For equal sets, the result is 0, give or take the last digit.
    return max(np.sum((a.mean(axis=0) - b.mean(axis=0)) ** 2) + spread, 0.0)


def tell(x, seed=0, updates=400):
    """Train a new network to tell drawings from scans, and return how often it is right
    about drawings and scans that it has not seen. 0.5 is guessing.
    """
    manual_seed(seed)
    rng = np.random.default_rng(seed)
    drawn = rng.permutation(as_points(x))
    seen, unseen = np.array_split(drawn, 2)
    scans, model = Digits()[:][0], ResidualNet(2, width=64, blocks=1)
    targets = np.repeat([0, 1], 32)

    def loss():
        parts = [part[rng.integers(len(part), size=32)] for part in (scans, seen)]
        return softmax_cross_entropy(model(np.concatenate(parts)), targets)

    train(model, loss, updates)
    found = [
        confidence(part, model)[:, 1] for part in (Digits(train=False)[:][0], unseen)
    ]
    return (np.mean(found[0] < 0.5) + np.mean(found[1] > 0.5)) / 2


def nearest(x):
    """Compute the distance of each drawing from the nearest training scan."""
    return distances(as_points(x), Digits()[:][0]).min(axis=1)


def measure(drawings):
    """Print the five numbers of each set of drawings, with the median of nearest, and
    return them: {name: (sure, recall, frechet, tell, nearest)}.
    """
    print(f"{'':24}sure  recall  frechet  tell  nearest")
    results = {}
    for name, x in drawings.items():
        numbers = sure(x), recall(x), frechet(x), tell(x), np.median(nearest(x))
        results[name] = numbers
        print("{:24}{:4.2f}  {:6.2f}  {:7.2f}  {:4.2f}  {:7.2f}".format(name, *numbers))
    return results


def ten_gaussians(labels, rng, spread=1.0):
    """Draw a digit for each label from a Gaussian with the mean and covariance of the
    training scans of its class; `spread` scales the distance from the mean.
    """
    scans, classes = Digits()[:]
    x = rng.normal(scale=spread, size=(len(labels), 64))
    for c in np.unique(labels):
        own, places = scans[classes == c], np.flatnonzero(labels == c)
        # Some pixels never vary: the square root needs a little more than 0.
        root = np.linalg.cholesky(np.cov(own.T) + 1e-6 * np.eye(64))
        x[places] = own.mean(axis=0) + x[places] @ root.T
    return as_points(x)


def show_digits(ax, x, columns=10):
    """Draw images side by side, `columns` in a row."""
    images = as_points(x).reshape(-1, 8, 8)
    blank = np.zeros((-len(images) % columns, 8, 8))
    tiles = np.pad(np.concatenate([images, blank]), ((0, 0), (1, 1), (1, 1)))
    rows = tiles.reshape(-1, columns, 10, 10).transpose(0, 2, 1, 3)
    ax.imshow(rows.reshape(-1, 10 * columns), cmap="gray_r", vmin=0, vmax=1)
    ax.axis("off")
