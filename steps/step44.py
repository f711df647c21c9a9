"""Step 44: layers hold parameters."""

from . import step43
from .framework.core import Parameter
from .framework.layers import Layer, Linear, parameters_in, random_weights
from .framework.utils import Random, generator, manual_seed
from .step25 import show
from .step43 import *  # noqa: F403
from .step43 import mean_squared_error

__all__ = [
    *step43.__all__,
    "Parameter",
    "Layer",
    "Linear",
    "parameters_in",
    "random_weights",
    "Random",
    "generator",
    "manual_seed",
]


def fit(net, x, t, lr, rounds):
    """Train a layer in place by gradient descent; return the loss of each round."""
    losses = []
    for _ in rounds:
        loss = mean_squared_error(net(x), t)
        net.cleargrads()
        loss.backward()
        for parameter in net.params():
            parameter.data -= lr * parameter.grad.data
        losses.append(loss.data.item())
    return losses


def tree(layer):
    """Draw what a layer holds: boxes are layers, circles are parameters."""
    box = 'shape=box, style=filled, fillcolor="#fdf0d0", color="#b07d00"'
    circle = 'shape=ellipse, style=filled, fillcolor="#d6eaf8", color="#0072b2"'
    look = 'rankdir=LR; ranksep=0.3; node [fontname="sans-serif"]'
    lines = [f'"" [label="{type(layer).__name__}", {box}]']
    for path, parameter in layer.named_params():
        *holders, name = path.split("/")
        above = ""
        for holder in holders:
            lines.append(f'"{above}/{holder}" [label="{holder}", {box}]')
            lines.append(f'"{above}" -> "{above}/{holder}"')
            above += f"/{holder}"
        shape = "" if parameter.data is None else f" {parameter.shape}"
        lines.append(f'"/{path}" [label="{name}{shape}", {circle}]')
        lines.append(f'"{above}" -> "/{path}"')
    once = "\n    ".join(dict.fromkeys([look, *lines]))
    return show(f"digraph {{\n    {once}\n}}")
