"""Step 46: optimizers."""

import numpy as np

from . import step45
from .framework.optimizers import (
    SGD,
    AdaDelta,
    AdaGrad,
    Adam,
    ClipGrad,
    FreezeParam,
    MomentumSGD,
    Optimizer,
    WeightDecay,
)
from .step45 import *  # noqa: F403
from .step45 import Layer, Parameter, mean_squared_error

__all__ = [
    *step45.__all__,
    "SGD",
    "AdaDelta",
    "AdaGrad",
    "Adam",
    "ClipGrad",
    "FreezeParam",
    "MomentumSGD",
    "Optimizer",
    "WeightDecay",
]


def ravine(x0, x1):
    """Return the height of a valley, 30 times more curved across than along."""
    return x0**2 + 30 * x1**2


class Place(Layer):
    """A place with two parameters; call it with a surface to get the height there."""

    def __init__(self, start):
        self.x0 = Parameter(np.array(float(start[0])))
        self.x1 = Parameter(np.array(float(start[1])))

    def forward(self, surface):
        return surface(self.x0, self.x1)


def race(optimizer, surface=ravine, start=(-4.0, 1.0), steps=40):
    """Return the places on an optimizer's path: an array (steps + 1, 2)."""
    place = Place(start)
    optimizer.setup(place)
    path = [start]
    for _ in range(steps):
        height = place(surface)
        place.cleargrads()
        height.backward()
        optimizer.update()
        path.append((place.x0.data.item(), place.x1.data.item()))
    return np.array(path)


def train_with(optimizer, model, x, t, steps=400):
    """Train a model on the targets t with an optimizer; return the losses."""
    if steps < 1:
        raise ValueError(f"{steps} steps train nothing: take at least one")
    optimizer.setup(model)
    losses = []
    for _ in range(steps):
        loss = mean_squared_error(model(x), t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        losses.append(loss.data.item())
    return losses
