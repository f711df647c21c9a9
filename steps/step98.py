"""Step 98: straight ahead."""

from functools import cache

import numpy as np

from dezero_lite import manual_seed, no_grad
from dezero_lite.datasets import Digits

from .step93 import TimedNet, judge_file, save_float16, train
from .step96 import spiral_dots
from .step97 import centred, shaded

__all__ = ["by_angle", "detour", "draw_flow", "flow", "flow_file", "flow_loss"]
__all__ += ["load_flow", "make_both", "make_flow", "make_spiral_flow"]
__all__ += ["pair_by_angle", "pair_digits", "pair_dots", "pairs_of", "train_flow"]


def flow_loss(model, start, end, time, label=None):
    """Return the mean squared error of a model's velocities between start and end."""
    t = time[:, None]
    x = (1 - t) * start + t * end
    error = model(x.astype(np.float32), time, label) - (end - start)
    return (error * error).mean()


def flow(model, x, steps, label=None):
    """Carry points from time 0 to time 1 in equal steps along the velocities, and
    return every place along the way, in an array of shape (steps + 1, N, size).
    """
    places = [x]
    with no_grad():
        for i in range(steps):
            time = np.full(len(x), i / steps)
            x = x + model(x.astype(np.float32), time, label).data / steps
            places.append(x)
    return np.array(places)


def detour(path):
    """Divide the length of paths by the straight distance between their ends."""
    length = np.linalg.norm(np.diff(path, axis=0), axis=-1).sum()
    return length / np.linalg.norm(path[-1] - path[0], axis=-1).sum()


def train_flow(model, pairs, updates, rate=0.003, batch=256, seed=0, watch=iter):
    """Train a network on pairs: `pairs(rng, count)` returns starts, ends and labels."""
    rng = np.random.default_rng(seed)

    def loss():
        start, end, label = pairs(rng, batch)
        return flow_loss(model, start, end, rng.uniform(size=batch), label)

    return train(model, loss, updates, rate, watch)


def pair_dots(rng, count):
    """Pair noise with dots of the spiral, at random."""
    return rng.normal(size=(count, 2)), spiral_dots(rng, count), None


def by_angle(x):
    """Sort points of the plane by their direction."""
    return x[np.argsort(np.arctan2(x[:, 0], x[:, 1]))]


def pair_by_angle(rng, count):
    """Pair noise with dots of the spiral that lie in about the same direction."""
    start, end, _ = pair_dots(rng, count)
    return by_angle(start), by_angle(end), None


def pair_digits(rng, count):
    """Pair noise with training scans, from -1 to 1, at random."""
    scans, labels = Digits()[:]
    chosen = rng.integers(len(scans), size=count)
    return rng.normal(size=(count, 64)), centred(scans[chosen]), labels[chosen]


def pairs_of(model, start, steps, label=None):
    """Return a function that pairs starts with the ends that a model reaches."""
    end = flow(model, start, steps, label)[-1]

    def pairs(rng, count):
        chosen = rng.integers(len(start), size=count)
        return start[chosen], end[chosen], None if label is None else label[chosen]

    return pairs


def flow_file(name):
    """Return where a trained network is kept."""
    return judge_file().with_name(f"flow_{name}.npz")


@cache
def load_flow(name):
    """Load a network that `make_flow` or `make_spiral_flow` trained: digits,
    digits_straight, spiral or spiral_straight.
    """
    digits = name.startswith("digits")
    model = TimedNet(64, labels=10) if digits else TimedNet(2, width=64)
    model.load_weights(flow_file(name))
    return model


def make_both(name, model, straight, pairs, start, label, *training):
    train_flow(model, pairs, *training)
    train_flow(straight, pairs_of(model, start, 30, label), *training, seed=1)
    for kept, trained in ((name, model), (f"{name}_straight", straight)):
        save_float16(trained, flow_file(kept))


def make_flow(updates=6000):
    """Train the two flows that draw digits, and keep them:
    `python -c "from steps.step98 import make_flow; make_flow()"`.
    """
    rng = np.random.default_rng(2)
    start, label = rng.normal(size=(8000, 64)), rng.integers(10, size=8000)
    manual_seed(0)
    models = TimedNet(64, labels=10), TimedNet(64, labels=10)
    make_both("digits", *models, pair_digits, start, label, updates, 0.003, 128)


def make_spiral_flow(updates=8000):
    """Train the two flows of the spiral, and keep them:
    `python -c "from steps.step98 import make_spiral_flow; make_spiral_flow()"`.
    """
    start = np.random.default_rng(2).normal(size=(8000, 2))
    manual_seed(0)
    models = TimedNet(2, width=64), TimedNet(2, width=64)
    make_both("spiral", *models, pair_dots, start, None, updates, 0.01)


def draw_flow(labels, rng, steps=1, name="digits_straight"):
    """Draw a digit for each label in the given number of steps."""
    end = flow(load_flow(name), rng.normal(size=(len(labels), 64)), steps, labels)[-1]
    return shaded(end)
