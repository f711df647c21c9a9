"""Step 74: a small GPT."""

from pathlib import Path

import numpy as np

from dezero_lite import manual_seed
from dezero_lite.functions import softmax_cross_entropy
from dezero_lite.models import GPT, generate
from dezero_lite.optimizers import Adam
from dezero_lite.schedules import WarmupCosine, WarmupLinear

from .library import moved as __getattr__  # noqa: F401

__all__ = ["GPT", "SIGNS", "WarmupCosine", "WarmupLinear", "adder", "adder_file"]
__all__ += ["answers", "asked", "exact", "generate", "loss_of", "make_adder"]
__all__ += ["reversals", "sums", "train_gpt"]

SIGNS = "0123456789+="


def asked(rows, start):
    """What the model reads, and what it is asked for: at each place the token that
    follows, or −1 as long as fewer than `start` tokens of a row have been read.
    """
    x, t = rows[:, :-1], rows[:, 1:].copy()
    t[:, : start - 1] = -1
    return x, t


def reversals(count, rng):
    """Eight letters, a full stop (0), and the letters backwards: (count, 17)."""
    letters = rng.integers(1, 27, size=(count, 8))
    stop = np.zeros((count, 1), int)
    return np.concatenate([letters, stop, letters[:, ::-1]], axis=1)


def sums(rng):
    """All sums of two numbers below 100, as rows of nine signs such as 12+34=046. In
    random order, but a + b and b + a are neighbours.
    """
    a, b = np.divmod(np.arange(10_000), 100)
    plus, equals = np.full_like(a, 10), np.full_like(a, 11)
    digits = [a // 10, a % 10, plus, b // 10, b % 10, equals]
    total = a + b
    rows = np.stack([*digits, total // 100, total // 10 % 10, total % 10], axis=1)
    pair = np.minimum(a, b) * 100 + np.maximum(a, b)
    return rows[np.argsort(rng.permutation(10_000)[pair], kind="stable")]


def loss_of(model, x, t):
    """The mean loss in nats over all places where something is asked."""
    wanted = t >= 0
    return softmax_cross_entropy(model(x)[wanted], t[wanted])


def train_gpt(model, x, t, rate, rounds, batch=64, watch=None):
    """A random batch in each round; returns the losses. `watch(round)`, if there is
    one, is called after each.
    """
    rng = np.random.default_rng(0)
    optimizer = Adam().setup(model)
    losses = []
    for i in rounds:
        rows = rng.integers(len(x), size=batch)
        loss = loss_of(model, x[rows], t[rows])
        model.cleargrads()
        loss.backward()
        optimizer.alpha = rate(i)
        optimizer.update()
        losses.append(loss.item())
        if watch:
            watch(i)
    return losses


def answers(model, rows, start):
    """What the model writes after the first `start` tokens of each row, taking the
    likeliest token each time.
    """
    count = rows.shape[1] - start
    return generate(model, rows[:, :start], count, temperature=0)[:, start:]


def exact(model, rows, start):
    """The share of rows whose answer has no wrong token."""
    return np.mean((answers(model, rows, start) == rows[:, start:]).all(axis=1))


def adder_file():
    """Where a trained adder is kept."""
    return Path(__file__).parent / "data" / "adder.npz"


def adder(trained=True):
    """A GPT that adds, as the lesson trains it."""
    manual_seed(0)
    model = GPT(len(SIGNS), context=8)
    if trained:
        model.load_weights(adder_file())
    return model


def make_adder():
    """Train an adder for longer than the lesson does, and keep it as float16. To do so:
    `python -c "from steps.step74 import make_adder; make_adder()"`.
    """
    # From 1,000 on there is none of the 999 that are held back, in either order.
    model, rows = adder(trained=False), sums(np.random.default_rng(0))[1000:]
    rate = WarmupCosine(0.006, warmup=50, steps=1000)
    train_gpt(model, *asked(rows, 6), rate, range(1000), batch=128)
    for parameter in model.params():
        parameter.data = parameter.data.astype(np.float16)
    model.save_weights(adder_file())
