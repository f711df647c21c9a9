"""Step 97: out of the noise."""

from functools import cache
from itertools import pairwise

import numpy as np

from dezero_lite import manual_seed, no_grad
from dezero_lite.datasets import Digits

from .step93 import TimedNet, as_points, judge_file, save_float16, train

__all__ = ["ANY", "TARGETS", "add_noise", "centred", "denoise", "diffusion"]
__all__ += ["diffusion_file", "draw", "draw_diffusion", "find_scan", "guesser"]
__all__ += ["levels", "make_diffusion", "make_small", "shaded", "target_of"]
__all__ += ["train_diffusion", "twenty_scans"]

# The label that stands for any of the ten digits.
ANY = 10
# What a network can learn to guess.
TARGETS = "scan", "noise", "v"


def levels(t):
    """Return the shares of scan and noise at time t, from 0 (all scan) to 1 (all
    noise). The squares of the two sum to 1.
    """
    angle = np.pi / 2 * np.asarray(t)
    return np.cos(angle), np.sin(angle)


def add_noise(x, noise, t):
    """Jump to time t, or to a different time in each row if t has shape (N, 1)."""
    signal, spread = levels(t)
    return signal * x + spread * noise


def centred(images):
    """Return images from 0 to 1 as rows of 64 numbers from -1 to 1."""
    return 2 * as_points(images) - 1


def shaded(x):
    """Return rows from -1 to 1 as images from 0 to 1, in the 17 shades of a scan."""
    return np.round(16 * as_points((x + 1) / 2)) / 16


def target_of(x, noise, t, target="scan"):
    """Return what a network should guess for a scan x with this noise at time t."""
    signal, spread = levels(t)
    v = signal * noise - spread * x
    return {"scan": x, "noise": noise, "v": v}[target]


def find_scan(answer, x, t, target="scan"):
    """Work out the scan from a network's answer for x at time t."""
    signal, spread = levels(t)
    if target == "noise":
        answer = (x - spread * answer) / signal
    elif target == "v":
        answer = signal * x - spread * answer
    return np.clip(answer, -1, 1)


def train_diffusion(
    model, images, labels, updates, batch=64, target="scan", seed=0, watch=iter
):
    """Train a network to guess the target at random times, and return the losses. In
    one case in seven, the network is told the label ANY.
    """
    rng = np.random.default_rng(seed)
    scans = centred(images)

    def loss():
        chosen = rng.integers(len(scans), size=batch)
        noise, t = rng.normal(size=(batch, 64)), rng.random((batch, 1))
        told = np.where(rng.random(batch) < 1 / 7, ANY, labels[chosen])
        x = add_noise(scans[chosen], noise, t).astype(np.float32)
        wanted = target_of(scans[chosen], noise, t, target).astype(np.float32)
        return ((model(x, t[:, 0], told) - wanted) ** 2).mean()

    return train(model, loss, updates, watch=watch)


def guesser(model, labels, guidance=1.0, target="scan"):
    """Make a function that guesses the scans behind x at time t. A guidance of 0
    ignores the labels, 1 follows them, and more than 1 exaggerates them.
    """
    labels = np.asarray(labels)

    def guess(x, t):
        x, times = x.astype(np.float32), np.full(len(x), t)
        with no_grad():
            answer = model(x, times, labels).data
            if guidance != 1:
                free = model(x, times, np.full_like(labels, ANY)).data
                answer = free + guidance * (answer - free)
        return find_scan(answer, x, t, target)

    return guess


def denoise(guess, x, times):
    """Turn noise x into scans, along falling times: guess the scans, work out the
    noise, and mix both for the next time. Return x at every time.
    """
    moments = [x]
    for t, following in pairwise(times):
        signal, spread = levels(t)
        scan = guess(x, t)
        noise = (x - signal * scan) / spread
        x = add_noise(scan, noise, following)
        moments.append(x)
    return moments


def draw(model, labels, rng, steps=20, guidance=1.0, target="scan"):
    """Draw a digit for each label in the given number of steps."""
    noise = rng.normal(size=(len(labels), 64))
    guess = guesser(model, labels, guidance, target)
    return shaded(denoise(guess, noise, np.linspace(1, 0, steps + 1))[-1])


def twenty_scans():
    """Return the first two training scans of each class, and their labels."""
    scans, labels = Digits()[:]
    chosen = np.concatenate([np.flatnonzero(labels == c)[:2] for c in range(10)])
    return scans[chosen], labels[chosen]


def diffusion_file(name="large"):
    """Return where a trained network is kept."""
    return judge_file().with_name(f"diffusion_{name}.npz")


@cache
def diffusion(name="large"):
    """Load the "large" network of `make_diffusion`, or a small one of `make_small`,
    which guesses the "scan", the "noise" or "v", or was trained on "twenty" scans.
    """
    model = TimedNet(64, 192 if name == "large" else 96, labels=11)
    model.load_weights(diffusion_file(name))
    return model


def make_diffusion(name="large", updates=7000):
    """Train the network that draws, or a small one, and keep it as float16:
    `python -c "from steps.step97 import make_diffusion; make_diffusion()"`.
    """
    manual_seed(0)
    width, batch = (192, 128) if name == "large" else (96, 64)
    model = TimedNet(64, width, labels=11)
    images, labels = twenty_scans() if name == "twenty" else Digits()[:]
    target = name if name in TARGETS else "scan"
    train_diffusion(model, images, labels, updates, batch, target)
    save_float16(model, diffusion_file(name))


def make_small(updates=2000):
    """Train the four small networks that comparisons need, and keep them:
    `python -c "from steps.step97 import make_small; make_small()"`.
    """
    for name in (*TARGETS, "twenty"):
        make_diffusion(name, updates)


def draw_diffusion(labels, rng, steps=20, guidance=1.0):
    """Draw a digit for each label with the network of `make_diffusion`."""
    return draw(diffusion(), labels, rng, steps, guidance)
