"""Step 95: a game of two."""

import numpy as np

from dezero_lite import Model, Parameter, Variable, manual_seed, no_grad
from dezero_lite.datasets import Digits
from dezero_lite.functions import leaky_relu, relu, sigmoid, softplus
from dezero_lite.models import MLP
from dezero_lite.optimizers import Adam

from .step93 import confidence, judge_file, save_float16

__all__ = ["CALM", "FAST", "dot_game", "draw", "draw_gan", "effective_classes"]
__all__ += ["gan_file", "gans", "gans_file", "make_gan", "make_gans", "networks"]
__all__ += ["play", "slope_penalty"]

# Settings of Adam: a fast one with which the plain game collapses, and a calm one.
FAST = {"alpha": 0.002, "beta1": 0.9}
CALM = {"alpha": 0.001, "beta1": 0.5}


def dot_game(penalty, rounds=400, rate=0.1):
    """Play the game with one dot: the scan is at 0, the drawing at `dot`, and the score
    of a place is slope · place. The slope goes down the loss, and the dot goes up.
    Return (dot, slope) before every round.
    """
    dot, slope = Parameter(np.array(1.0)), Parameter(np.array(0.0))
    path = []
    for _ in range(rounds):
        path.append((dot.item(), slope.item()))
        # The scan at 0 has the score 0, whatever the slope: only the dot counts.
        loss = softplus(slope * dot.data) + penalty / 2 * slope**2
        slope.cleargrad()
        loss.backward()
        slope.data = slope.data - rate * slope.grad.data
        loss = softplus(slope.data * dot)
        dot.cleargrad()
        loss.backward()
        dot.data = dot.data + rate * dot.grad.data
    return np.array(path)


def networks(seed=0):
    """Make a generator and a discriminator, both untrained."""
    manual_seed(seed)
    return MLP((96, 96, 64), relu), MLP((96, 96, 1), leaky_relu)


def draw(generator, count, rng):
    """Turn rows of 16 random numbers into drawings of 64 pixels, from 0 to 1."""
    noise = rng.normal(size=(count, 16)).astype(np.float32)
    return sigmoid(generator(noise))


def slope_penalty(score, x):
    """Compute the mean squared length of the slope of `score` at the rows of x."""
    x = Variable(x)
    score(x).sum().backward(create_graph=True)
    return (x.grad**2).sum(axis=1).mean()


def play(
    generator, discriminator, penalty, updates, turns=1, seed=0, adam=FAST, watch=iter
):
    """Train both in turns, with `turns` updates of the generator in each round. Return
    the losses of the discriminator and the generator, in shape (updates, 2).
    """
    if turns < 1:
        raise ValueError(f"the generator needs at least one turn, not {turns}")
    rng, scans, losses = np.random.default_rng(seed), Digits()[:][0], []
    d_optimizer = Adam(**adam).setup(discriminator)
    g_optimizer = Adam(**adam).setup(generator)
    for _ in watch(range(updates)):
        x = scans[rng.integers(len(scans), size=64)]
        with no_grad():
            drawn = draw(generator, len(x), rng)
        d_loss = softplus(-discriminator(x)).mean()
        d_loss += softplus(discriminator(drawn)).mean()
        loss = d_loss
        if penalty:
            loss = d_loss + penalty / 2 * slope_penalty(discriminator, x)
        discriminator.cleargrads()
        loss.backward()
        d_optimizer.update()
        for _ in range(turns):
            g_loss = softplus(-discriminator(draw(generator, 64, rng))).mean()
            generator.cleargrads()
            g_loss.backward()
            g_optimizer.update()
        losses.append((d_loss.item(), g_loss.item()))
    return np.array(losses).reshape(-1, 2)


def effective_classes(x):
    """Compute exp(entropy) of the classes that the judge of step 93 reads with more
    than 90 % confidence: n for n equally frequent classes, and 0 if it reads none.
    """
    chances = confidence(x)
    read = chances.argmax(axis=1)[chances.max(axis=1) > 0.9]
    if len(read) == 0:
        return 0.0
    counts = np.bincount(read)
    shares = counts[counts > 0] / len(read)
    return np.exp(-np.sum(shares * np.log(shares)))


def gans_file():
    """Return where the six generators are kept."""
    return judge_file().with_name("gans.npz")


def gans():
    """Load the six generators of `make_gans`: {(penalty, seed): generator}."""
    kept = Model()
    kept.generators = [networks()[0] for _ in range(6)]
    kept.load_weights(gans_file())
    keys = [(penalty, seed) for penalty in (0.0, 1.0) for seed in range(3)]
    return dict(zip(keys, kept.generators, strict=True))


def make_gans():
    """Train six generators as the lesson does, but for longer, and save them:
    `python -c "from steps.step95 import make_gans; make_gans()"`.
    """
    kept = Model()
    kept.generators = []
    for penalty in (0.0, 1.0):
        for seed in range(3):
            generator, discriminator = networks(seed)
            play(generator, discriminator, penalty, updates=2000, seed=seed)
            kept.generators = [*kept.generators, generator]
    save_float16(kept, gans_file())


def gan_file():
    """Return where the best generator is kept."""
    return judge_file().with_name("gan.npz")


def draw_gan(count, rng):
    """Draw with the best generator, trained by `make_gan`, in shape (count, 64)."""
    generator = networks()[0]
    generator.load_weights(gan_file())
    with no_grad():
        return draw(generator, count, rng).data


def make_gan():
    """Train the best generator, and save a running average of its weights as float16:
    `python -c "from steps.step95 import make_gan; make_gan()"`.
    """
    generator, discriminator = networks()
    averages = None

    def average(rounds):
        nonlocal averages
        for i in rounds:
            yield i
            weights = [parameter.data for parameter in generator.params()]
            averages = averages or [0 * w for w in weights]
            for mean, w in zip(averages, weights, strict=True):
                mean += (w - mean) * max(0.002, 1 / (i + 1))

    play(generator, discriminator, 1.0, updates=6000, adam=CALM, watch=average)
    for parameter, mean in zip(generator.params(), averages, strict=True):
        parameter.data = mean
    save_float16(generator, gan_file())
