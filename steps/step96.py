"""Step 96: a landscape with valleys."""

from functools import cache

import numpy as np

from dezero_lite import Model, Variable, manual_seed
from dezero_lite.datasets import get_spiral
from dezero_lite.functions import concat, gelu
from dezero_lite.models import MLP

from .step93 import distances, judge_file, save_float16, train

__all__ = ["LEVELS", "Arrows", "Landscape", "denoising_loss", "energy_distance"]
__all__ += ["landscape", "landscape_file", "make_landscape", "off_arms", "roll"]
__all__ += ["SCALE", "spiral_dots", "train_slopes"]

# The sizes of the noise, from wider than the spiral to narrower than its arms.
LEVELS = np.geomspace(2.5, 0.12, 10)


# How many times as wide as the spiral of step 48.
SCALE = 3


def spiral_dots(rng, count):
    """Draw from the 600 dots of step 48's spiral, SCALE times as wide. Each dot is
    moved by about 0.03, so that no two are the same.
    """
    dots = SCALE * np.concatenate([get_spiral()[0], get_spiral(train=False)[0]])
    chosen = dots[rng.integers(len(dots), size=count)]
    return (chosen + 0.03 * rng.normal(size=chosen.shape)).astype(np.float32)


def energy_distance(a, b):
    """Return how much further apart dots of two clouds are, on average, than dots of
    the same cloud: 0 if the clouds are equal (Székely, 2002).
    """
    between, in_a, in_b = distances(a, b), distances(a, a), distances(b, b)
    return 2 * between.mean() - in_a.mean() - in_b.mean()


def off_arms(x):
    """Return the share of dots between the arms: at least 0.4 radians from the middle
    of each arm, which is two standard deviations of the spiral's own dots.
    """
    radius = np.sqrt((x * x).sum(axis=1)) / SCALE
    angle = np.arctan2(x[:, 0], x[:, 1]) - 4 * radius
    off = angle[:, None] - 4 * np.arange(3)
    return 1 - np.mean((np.cos(off) >= np.cos(0.4)).any(axis=1))


class Landscape(Model):
    """The energy at points x, of shape (N, 2), for data with noise of size sigma, which
    is a number or has shape (N, 1).
    """

    def __init__(self, width=64, out_size=1):
        super().__init__()
        self.net = MLP((width, width, width, out_size), activation=gelu)

    def forward(self, x, sigma):
        sigma = np.broadcast_to(np.float32(sigma), (len(x), 1))
        # Valleys are steep if there is little noise. After dividing by sigma, the
        # network itself needs slopes of about the same size at all levels.
        return self.net(concat([x, np.log(sigma)], axis=1)) / sigma

    def slope(self, x, sigma, create_graph=False):
        """Return how the energy changes with x, in shape (N, 2)."""
        x = Variable(x)
        self(x, sigma).sum().backward(create_graph=create_graph)
        return x.grad


class Arrows(Landscape):
    """The slope itself, two numbers for each point, without a landscape."""

    def __init__(self, width=64):
        super().__init__(width, out_size=2)

    def slope(self, x, sigma, create_graph=False):
        return self(x, sigma)


def denoising_loss(model, x, noise, sigma):
    """Return how badly sigma times the slope at x + sigma · noise predicts noise."""
    slope = model.slope(x + sigma * noise, sigma, create_graph=True)
    return ((sigma * slope - noise) ** 2).sum(axis=1).mean()


def train_slopes(model, updates, seed=0, batch=256, rate=0.02, watch=iter):
    """Train a landscape, or arrows, on the spiral. Return the losses."""
    rng = np.random.default_rng(seed)

    def loss():
        x = spiral_dots(rng, batch)
        noise = rng.normal(size=x.shape).astype(np.float32)
        sigma = rng.choice(LEVELS, size=(batch, 1)).astype(np.float32)
        return denoising_loss(model, x, noise, sigma)

    return train(model, loss, updates, rate, watch)


def roll(model, x, rng, rate=0.5, noise=1.0, levels=LEVELS, steps=10):
    """Let dots roll downhill, with a push in a random direction at each step, in one
    landscape after the other. Return their places at the start, after each level, and
    after the last noise is removed.
    """
    x = np.asarray(x, np.float32)
    path = [x]
    for sigma in levels:
        for _ in range(steps):
            push = np.sqrt(2 * rate) * noise * rng.normal(size=x.shape)
            downhill = -rate * sigma**2 * model.slope(x, sigma).data
            x = (x + downhill + sigma * push).astype(np.float32)
        path.append(x)
    return [*path, (x - sigma**2 * model.slope(x, sigma).data).astype(np.float32)]


def landscape_file():
    """Return the path of the landscape's weights."""
    return judge_file().with_name("landscape.npz")


@cache
def landscape():
    """Load the landscape of the spiral that `make_landscape` trained."""
    model = Landscape()
    model.load_weights(landscape_file())
    return model


def make_landscape():
    """Train a landscape for longer than the lesson does, and save its weights:
    `python -c "from steps.step96 import make_landscape; make_landscape()"`.
    """
    manual_seed(0)
    model = Landscape()
    train_slopes(model, 4000)
    save_float16(model, landscape_file())
