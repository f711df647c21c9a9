"""Step 94: a map of all digits."""

import numpy as np

from dezero_lite import Model, manual_seed, no_grad
from dezero_lite.datasets import Digits
from dezero_lite.functions import exp, relu, sigmoid
from dezero_lite.models import MLP

from .step93 import judge_file, save_float16, train

__all__ = ["BETAS", "VAE", "Autoencoder", "Coders", "coders", "coders_file"]
__all__ += ["draw_code", "draw_vae", "kl", "make_coders", "train_coder"]

# The weights of the KL term that the saved VAEs were trained with.
BETAS = 0.05, 0.2, 2.0


class Autoencoder(Model):
    """Squeeze images through a few numbers, their code, and draw them from it again."""

    def __init__(self, numbers=2):
        super().__init__()
        self.numbers = numbers
        self.encoder = MLP((128, 64, numbers), activation=relu)
        self.decoder = MLP((64, 128, 64), activation=relu)

    def encode(self, x):
        return self.encoder(x)

    def decode(self, code):
        return sigmoid(self.decoder(code))

    def loss(self, x, rng):
        """Compute the squared error of an image, on average over a batch."""
        return ((self.decode(self.encode(x)) - x) ** 2).sum() / len(x)


def draw_code(mean, log_var, rng):
    """Draw a code from each cloud, so that gradients reach the mean and log_var."""
    noise = rng.normal(size=mean.shape).astype(mean.dtype)
    return mean + exp(log_var / 2) * noise


def kl(mean, log_var):
    """Compute the KL divergence of each cloud from the standard normal distribution:
    for each row, the sum over its numbers (Kullback and Leibler, 1951).
    """
    return ((mean**2 + exp(log_var) - log_var - 1) / 2).sum(axis=1)


class VAE(Autoencoder):
    """An autoencoder whose encoder returns a cloud of codes for each image."""

    def __init__(self, numbers=2, beta=0.1):
        super().__init__(numbers)
        self.beta = beta
        self.encoder = MLP((128, 64, 2 * numbers), activation=relu)

    def encode(self, x):
        """Return the means of the clouds, and the logarithms of their variances."""
        both = self.encoder(x)
        return both[:, : self.numbers], both[:, self.numbers :]

    def loss(self, x, rng):
        mean, log_var = self.encode(x)
        drawn = self.decode(draw_code(mean, log_var, rng))
        return (((drawn - x) ** 2).sum() + self.beta * kl(mean, log_var).sum()) / len(x)


def train_coder(model, updates, rate=0.006, seed=0, watch=iter):
    """Train an autoencoder or a VAE on the training scans. Return the losses."""
    rng = np.random.default_rng(seed)
    scans = Digits()[:][0]

    def loss():
        return model.loss(scans[rng.choice(len(scans), 64, replace=False)], rng)

    return train(model, loss, updates, rate, watch)


class Coders(Model):
    """The trained networks: autoencoders with codes of two and of eight numbers, and a
    VAE with codes of eight numbers for each of BETAS.
    """

    def __init__(self):
        super().__init__()
        self.small, self.large = Autoencoder(2), Autoencoder(8)
        self.vaes = [VAE(8, beta) for beta in BETAS]


def coders_file():
    """Return the file with the weights of these networks."""
    return judge_file().with_name("coders.npz")


def coders():
    """Load the autoencoders and VAEs that `make_coders` trained."""
    models = Coders()
    models.load_weights(coders_file())
    return models


def make_coders():
    """Train the networks, and save their weights as float16:
    `python -c "from steps.step94 import make_coders; make_coders()"`.
    """
    manual_seed(0)
    models = Coders()
    for model in (models.small, models.large, *models.vaes):
        train_coder(model, updates=3000, rate=0.003)
    save_float16(models, coders_file())


def draw_vae(count, rng):
    """Draw digits without labels, in shape (count, 64): decode codes from the standard
    normal distribution with the VAE that has the smallest beta.
    """
    model = coders().vaes[0]
    with no_grad():
        codes = rng.normal(size=(count, model.numbers)).astype(np.float32)
        return model.decode(codes).data
