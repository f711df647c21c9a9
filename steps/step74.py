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
    """Return the tokens that the model reads, and the label at each position: the next
    token, or −1 before `start` tokens have been read.
    """
    x, t = rows[:, :-1], rows[:, 1:].copy()
    t[:, : start - 1] = -1
    return x, t


def reversals(count, rng):
    """Make rows of eight letters, a full stop (0), and the letters reversed."""
    letters = rng.integers(1, 27, size=(count, 8))
    stop = np.zeros((count, 1), int)
    return np.concatenate([letters, stop, letters[:, ::-1]], axis=1)


def sums(rng):
    """Make all sums of two numbers below 100, as rows of nine signs such as 12+34=046,
    in random order, but with a + b and b + a as neighbours.
    """
    a, b = np.divmod(np.arange(10_000), 100)
    plus, equals = np.full_like(a, 10), np.full_like(a, 11)
    digits = [a // 10, a % 10, plus, b // 10, b % 10, equals]
    total = a + b
    rows = np.stack([*digits, total // 100, total // 10 % 10, total % 10], axis=1)
    pair = np.minimum(a, b) * 100 + np.maximum(a, b)
    return rows[np.argsort(rng.permutation(10_000)[pair], kind="stable")]


def loss_of(model, x, t):
    """Return the mean loss in nats over all positions with a label."""
    wanted = t >= 0
    return softmax_cross_entropy(model(x)[wanted], t[wanted])


def train_gpt(model, x, t, rate, rounds, batch=64, watch=None):
    """Train on a random batch in each step, then call `watch(step)` if given. Return
    the losses.
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
    """Let the model continue the first `start` tokens of each row, always with the
    likeliest token.
    """
    count = rows.shape[1] - start
    return generate(model, rows[:, :start], count, temperature=0)[:, start:]


def exact(model, rows, start):
    """Return the share of rows whose answer has no wrong token."""
    return np.mean((answers(model, rows, start) == rows[:, start:]).all(axis=1))


def adder_file():
    """Return the path of the trained adder's weights."""
    return Path(__file__).parent / "data" / "adder.npz"


def adder(trained=True):
    """Make the GPT that adds; if `trained`, with the weights from the file."""
    manual_seed(0)
    model = GPT(len(SIGNS), context=8)
    if trained:
        model.load_weights(adder_file())
    return model


def make_adder():
    """Train an adder for longer than the lesson does, and save it as float16. Run it as
    `python -c "from steps.step74 import make_adder; make_adder()"`.
    """
    # The rows from 1,000 on contain none of the 999 held-back sums, in either order.
    model, rows = adder(trained=False), sums(np.random.default_rng(0))[1000:]
    rate = WarmupCosine(0.006, warmup=50, steps=1000)
    train_gpt(model, *asked(rows, 6), rate, range(1000), batch=128)
    for parameter in model.params():
        parameter.data = parameter.data.astype(np.float16)
    model.save_weights(adder_file())
