"""Models: layers put together for a purpose. Step 45."""

from .functions import sigmoid
from .layers import Layer, Linear

# --- Step 45 --------------------------------------------------------------------------


class Model(Layer):
    """A layer that is a whole network. Step 45 adds ``plot``, which draws its graph."""


class Sequential(Model):
    """y = …(l1(l0(x)))"""

    def __init__(self, *layers):
        for i, layer in enumerate(layers):
            if not callable(layer):
                raise TypeError(f"Sequential takes layers, one by one, not {layer!r}")
            setattr(self, f"l{i}", layer)
        self.layers = layers

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class MLP(Model):
    """y = l2(a(l1(a(l0(x))))): linear ``layers`` with activations between them"""

    def __init__(self, fc_output_sizes, activation=sigmoid):
        self.activation = activation
        layers = [Linear(size) for size in fc_output_sizes]
        for i, layer in enumerate(layers):
            setattr(self, f"l{i}", layer)
        self.layers = layers

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = self.activation(layer(x))
        return self.layers[-1](x)
