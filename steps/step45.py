"""Step 45: models hold layers."""

from . import step44
from .framework.models import MLP, Model, Sequential
from .step44 import *  # noqa: F403
from .step44 import plot_dot_graph

__all__ = [*step44.__all__, "MLP", "Model", "Sequential"]


def plot(model, *inputs, to_file="model.png"):
    """Draw the graph of ``forward(*inputs)``, and write the picture to a file."""
    return plot_dot_graph(model.forward(*inputs), verbose=True, to_file=to_file)


Model.plot = plot
