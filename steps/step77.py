"""Step 77: one gradient from many."""

import numpy as np

from dezero_lite import manual_seed
from dezero_lite.functions import relu, softmax_cross_entropy
from dezero_lite.models import MLP
from dezero_lite.optimizers import SGD
from dezero_lite.parallel import mean_gradients, own_gradients, set_gradients, shards

from .library import moved as __getattr__  # noqa: F401

__all__ = ["digit_reader", "farthest", "in_shards", "loss_after", "loss_and_gradients"]
__all__ += ["mean_gradients", "off", "own_gradients", "set_gradients", "shards"]
__all__ += ["train_in_shards", "train_replicas"]


def digit_reader(seed=0, dtype=np.float32):
    """Make a small network for digits of 8×8 pixels, with random weights."""
    manual_seed(seed)
    model = MLP((100, 10), relu)
    model(np.zeros((1, 64), np.float32))  # this creates its weights
    for parameter in model.params():
        parameter.data = parameter.data.astype(dtype)
    return model


def loss_and_gradients(model, x, t):
    """Return the mean loss over these examples, and its gradients."""
    loss = softmax_cross_entropy(model(x), t)
    model.cleargrads()
    loss.backward()
    return loss.item(), own_gradients(model)


def in_shards(model, x, t, workers):
    """Return the loss and gradients of the whole batch, one shard at a time."""
    parts = [part for part in shards(len(x), workers) if part.start < part.stop]
    found = [loss_and_gradients(model, x[part], t[part]) for part in parts]
    losses, gradients = zip(*found, strict=True)
    counts = [part.stop - part.start for part in parts]
    return np.average(losses, weights=counts), mean_gradients(gradients, counts)


def off(found, right):
    """Return the distance from the right gradients, relative to their length."""
    errors = [np.sum((a - b) ** 2) for a, b in zip(found, right, strict=True)]
    return np.sqrt(np.sum(errors) / np.sum([np.sum(b**2) for b in right]))


def train_in_shards(model, x, t, workers, rounds, batch=100, rate=0.2):
    """Train on one random batch per round, cut into shards; return the losses."""
    optimizer, rng = SGD(rate).setup(model), np.random.default_rng(0)
    losses = []
    for _ in rounds:
        rows = rng.integers(len(x), size=batch)
        loss, gradients = in_shards(model, x[rows], t[rows], workers)
        set_gradients(model, gradients)
        optimizer.update()
        losses.append(loss)
    return losses


def loss_after(x, t, batch, rate, seed, epochs=4):
    """Return the loss of a new network after some epochs."""
    model, rng = digit_reader(seed), np.random.default_rng(seed)
    optimizer = SGD(rate).setup(model)
    for _ in range(epochs):
        order = rng.permutation(len(x))
        for rows in np.split(order, range(batch, len(x), batch)):
            loss = softmax_cross_entropy(model(x[rows]), t[rows])
            model.cleargrads()
            loss.backward()
            optimizer.update()
    return softmax_cross_entropy(model(x), t).item()


def train_replicas(replicas, x, t, rounds, own_first=False, size=32, rate=0.2):
    """Update each worker's model by the mean of all gradients; return how far apart
    their weights are after each update.
    """
    workers, rng = len(replicas), np.random.default_rng(0)
    optimizers = [SGD(rate).setup(model) for model in replicas]
    apart = []
    for _ in rounds:
        rows = rng.integers(len(x), size=(workers, size))
        parts = zip(replicas, rows, strict=True)
        gradients = [loss_and_gradients(model, x[i], t[i])[1] for model, i in parts]
        for worker, optimizer in enumerate(optimizers):
            first = worker if own_first else 0
            in_order = gradients[first:] + gradients[:first]
            set_gradients(replicas[worker], mean_gradients(in_order, [size] * workers))
            optimizer.update()
        apart.append(farthest(replicas))
    return apart


def farthest(replicas):
    """Return the largest difference between a weight and the first model's."""
    first, *others = [[p.data for p in model.params()] for model in replicas]
    pairs = [pair for other in others for pair in zip(first, other, strict=True)]
    return np.max([np.abs(a - b).max() for a, b in pairs], initial=0.0)
