"""Models: layers combined for a purpose. Step 45 explains them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import functions as F
from .. import layers as L
from ..array_files import StrPath
from ..core import Operand, Variable, kind_of
from ..downloads import get_file
from ..graph import plot_dot_graph

# The book's weights.
RELEASE = "https://github.com/koki0702/dezero-models/releases/download/v0.1/"


class Model(L.Layer):
    """A layer that can draw itself. Source: book step 45."""

    def plot(
        self, *inputs: Any, to_file: str | os.PathLike[str] | None = "model.png"
    ) -> Any:
        """Draw the graph of ``forward(*inputs)``, in a notebook and as an image file.

        Parameters
        ----------
        *inputs : Variable or ndarray
            The arguments of the model.
        to_file : path, optional
            The path of the image; its suffix determines the format. ``None`` writes no
            file.
        """
        return plot_dot_graph(self.forward(*inputs), verbose=True, to_file=to_file)


class Chain(Model):
    """Layers that run one after another, each in an attribute of its own."""

    _order: tuple[str, ...] = ()

    def hold(self, layers: Mapping[str, Callable[[Any], Any]]) -> None:
        """Assign each layer to an attribute, in this order."""
        for name, layer in layers.items():
            setattr(self, name, layer)
        self._order = tuple(layers)

    @property
    def layers(self) -> tuple[Any, ...]:
        """The layers that the attributes hold now, in order. To replace a layer, assign
        to its attribute: ``model.l1 = ...``.
        """
        return tuple([getattr(self, name) for name in self._order])

    def forward(self, x: Operand) -> Any:
        """Pass `x` through all layers, in order."""
        for layer in self.layers:
            x = layer(x)
        return x


class Sequential(Chain):
    """Layers and functions that run one after another. Source: book step 45.

    Parameters
    ----------
    *layers : Layer or callable
        Each takes the result of the one before it.

    Attributes
    ----------
    l0, l1, ... : Layer or callable
    layers : tuple
        The same layers as a tuple.

    Raises
    ------
    TypeError
        If one of them is not callable.

    Examples
    --------
    >>> model = Sequential(L.Linear(10), F.relu, L.Linear(1))
    >>> model(np.ones((5, 3), dtype=np.float32)).shape
    (5, 1)
    """

    def __init__(self, *layers: Callable[[Any], Any]) -> None:
        for i, layer in enumerate(layers):
            if not callable(layer):
                raise TypeError(
                    "Sequential takes layers and functions, one by one, but number "
                    f"{i} is {kind_of(layer)}: for a list, write Sequential(*layers)"
                )
            if isinstance(layer, type):
                name = layer.__name__
                raise TypeError(
                    f"Sequential takes layers and functions, but number {i} is the "
                    f"class {name}: pass an object, as in {name}(...)"
                )
        self.hold({f"l{i}": layer for i, layer in enumerate(layers)})


class MLP(Chain):
    """A multi-layer perceptron: linear layers, with an activation function between
    them. Source: book step 45.

    Parameters
    ----------
    fc_output_sizes : sequence of int
        The sizes of the layers' outputs; at least one.
    activation : callable, optional
        The activation function.

    Attributes
    ----------
    l0, l1, ... : Linear
    layers : tuple of Linear
        The same layers as a tuple.

    Raises
    ------
    ValueError
        If there is no layer, or a size is not a whole number.
    TypeError
        If `activation` is not callable.

    Examples
    --------
    >>> model = MLP((10, 3))
    >>> model(np.ones((5, 4), dtype=np.float32)).shape
    (5, 3)
    """

    def __init__(
        self,
        fc_output_sizes: Sequence[int],
        activation: Callable[[Any], Variable] = F.sigmoid,
    ) -> None:
        if not np.ndim(fc_output_sizes) or not len(fc_output_sizes):
            raise ValueError(
                "MLP takes the output size of each layer, at least one: MLP((100, "
                f"10)), not MLP({fc_output_sizes})"
            )
        if not callable(activation):
            raise TypeError(
                "the activation of MLP is a function such as F.relu, not "
                f"{activation!r}; sizes come in one tuple, as in MLP((100, 10))"
            )
        self.activation = activation
        self.hold({f"l{i}": L.Linear(size) for i, size in enumerate(fc_output_sizes)})

    def forward(self, x: Operand) -> Variable:
        """Map shape (N, I) to (N, fc_output_sizes[-1])."""
        *inner, last = self.layers
        for layer in inner:
            x = self.activation(layer(x))
        return last(x)  # type: ignore[no-any-return]


class Pretrained(Model):
    """A model whose weights, trained on ImageNet, can be downloaded."""

    def load_pretrained(self, pretrained: bool | StrPath, url: str) -> None:
        """Load the weights from `url` if `pretrained` is ``True``, or from the file
        that it names; do nothing if it is false.
        """
        if pretrained:
            self.load_weights(get_file(url) if pretrained is True else pretrained)
