"""Layers: parameters, and a function that uses them. Steps 44, 54 and 57 to 60."""

import numpy as np

from .core import Parameter
from .functions import batch_norm, dropout, embed_id, linear, sigmoid, tanh
from .functions_conv import conv2d, deconv2d
from .utils import generator, pair

# --- Step 44 --------------------------------------------------------------------------


class Layer:
    """A holder of parameters and other layers, with a forward that uses them."""

    def __call__(self, *inputs):
        return self.forward(*inputs)

    def forward(self, *inputs):
        raise NotImplementedError(f"{type(self).__name__} needs a forward(self, x)")

    def named_params(self):
        """Iterate over (name, parameter), each once, with names such as l1/W."""
        return parameters_in(vars(self), "", {id(self)})

    def params(self):
        for _, parameter in self.named_params():
            yield parameter

    def cleargrads(self):
        for parameter in self.params():
            parameter.cleargrad()


def parameters_in(things, path, seen):
    """Yield names and parameters in a dict and in its layers, lists, tuples, dicts."""
    for name, thing in things.items():
        if id(thing) in seen or not isinstance(thing, HOLDERS):
            continue
        seen.add(id(thing))
        if isinstance(thing, Parameter):
            yield f"{path}{name}", thing
        elif isinstance(thing, (list, tuple)):
            yield from parameters_in(dict(enumerate(thing)), f"{path}{name}/", seen)
        else:
            inner = vars(thing) if isinstance(thing, Layer) else thing
            yield from parameters_in(inner, f"{path}{name}/", seen)


HOLDERS = (Parameter, Layer, list, tuple, dict)


def random_weights(shape, inputs, dtype):
    """Draw weights at random, scaled so that a sum over the inputs is about ±1."""
    kind = np.float64 if dtype == np.float64 else np.float32
    weights = generator().standard_normal(shape, kind) * (1 / np.sqrt(inputs))
    return weights.astype(dtype)


class Linear(Layer):
    """y = x · W + b; without in_size, the first x sets the number of inputs"""

    def __init__(self, out_size, nobias=False, dtype=np.float32, in_size=None):
        self.out_size, self.dtype = out_size, dtype
        self.W = Parameter(None, name="W")
        if in_size is not None:
            self.init_W(in_size)
        self.b = None if nobias else Parameter(np.zeros(out_size, dtype), name="b")

    def init_W(self, in_size):
        shape = (in_size, self.out_size)
        self.W.data = random_weights(shape, in_size, self.dtype)

    def forward(self, x):
        if self.W.data is None:
            self.init_W(x.shape[-1])
        return linear(x, self.W, self.b)


# --- Step 53: files -------------------------------------------------------------------


def save_weights(layer, path):
    """Save all parameters in an ``.npz`` file, under their names."""
    arrays = {name: p.data for name, p in layer.named_params()}
    if any(array is None for array in arrays.values()):
        raise ValueError("nothing is saved: call the model once, which makes its W")
    np.savez(path, **arrays)


def load_weights(layer, path):
    """Load what `save_weights` saved, or nothing if any name or shape differs."""
    with np.load(path) as file:
        arrays = dict(file)
    params = dict(layer.named_params())
    wrong = [f"{name} is missing from the file" for name in params.keys() - arrays]
    wrong += [f"{name} is not in the model" for name in arrays.keys() - params]
    wrong += [
        f"{name} has shape {p.shape}, but {arrays[name].shape} in the file"
        for name, p in params.items()
        if name in arrays and p.data is not None and p.shape != arrays[name].shape
    ]
    if wrong:
        raise ValueError("\n  ".join(["nothing is loaded:", *sorted(wrong)]))
    for name, p in params.items():
        p.data = arrays[name] if p.data is None else arrays[name].astype(p.dtype)


# --- Step 54 --------------------------------------------------------------------------


class Dropout(Layer):
    """`dropout` as a layer."""

    def __init__(self, ratio=0.5):
        self.ratio = ratio

    def forward(self, x):
        return dropout(x, self.ratio)


# --- Step 57 --------------------------------------------------------------------------


class Conv2d(Layer):
    """y = conv2d(x, W, b); without in_channels, the first x decides it"""

    def __init__(
        self,
        out_channels,
        kernel_size,
        stride=1,
        pad=0,
        nobias=False,
        dtype=np.float32,
        in_channels=None,
    ):
        self.out_channels, self.kernel_size = out_channels, kernel_size
        self.stride, self.pad, self.nobias, self.dtype = stride, pad, nobias, dtype
        self.W = Parameter(None, name="W")
        if in_channels is not None:
            self.init_W(in_channels)
        self.b = None if nobias else Parameter(np.zeros(out_channels, dtype), name="b")

    def init_W(self, in_channels):
        kh, kw = pair(self.kernel_size)
        shape = self.shape_of_W(in_channels)
        self.W.data = random_weights(shape, in_channels * kh * kw, self.dtype)

    def shape_of_W(self, in_channels):
        return (self.out_channels, in_channels, *pair(self.kernel_size))

    def forward(self, x):
        if self.W.data is None:
            self.init_W(x.shape[1])
        return conv2d(x, self.W, self.b, self.stride, self.pad)


class Deconv2d(Conv2d):
    """y = deconv2d(x, W, b): the backward pass of a `Conv2d`"""

    def shape_of_W(self, in_channels):
        return (in_channels, self.out_channels, *pair(self.kernel_size))

    def forward(self, x):
        if self.W.data is None:
            self.init_W(x.shape[1])
        return deconv2d(x, self.W, self.b, self.stride, self.pad)


# --- Step 58 --------------------------------------------------------------------------


class BatchNorm(Layer):
    """y = batch_norm(x, γ, β), with running averages of each channel's mean and σ²"""

    def __init__(self, dtype=np.float32):
        self.dtype = dtype
        # The averages are parameters, so that they are saved; no gradient changes them.
        for name in ("avg_mean", "avg_var", "gamma", "beta"):
            setattr(self, name, Parameter(None, name=name))

    def forward(self, x):
        if self.gamma.data is None:
            zeros = np.zeros(x.shape[1], self.dtype)
            self.avg_mean.data, self.beta.data = zeros, zeros.copy()
            self.avg_var.data, self.gamma.data = zeros + 1, zeros + 1
        mean, var = self.avg_mean.data, self.avg_var.data
        return batch_norm(x, self.gamma, self.beta, mean, var)


# --- Step 59 --------------------------------------------------------------------------


class RNN(Layer):
    """h = tanh(x2h(x) + h2h(h)), where x2h and h2h are linear, h2h without b"""

    def __init__(self, hidden_size, in_size=None, dtype=np.float32):
        self.x2h = Linear(hidden_size, in_size=in_size, dtype=dtype)
        self.h2h = Linear(hidden_size, True, in_size=hidden_size, dtype=dtype)
        self.reset_state()

    def reset_state(self):
        """Forget the state: the next input begins a new sequence."""
        self.h = None

    def forward(self, x):
        z = self.x2h(x)
        if self.h is not None:
            check_batch(self.h, z)
            z = z + self.h2h(self.h)
        self.h = tanh(z)
        return self.h


def check_batch(h, z):
    """Reject a batch whose size differs from the states'."""
    if len(h) != len(z):
        raise ValueError(
            f"the state is for {len(h)} sequences but the input has {len(z)}: call "
            "reset_state() to start new sequences"
        )


# --- Step 60 --------------------------------------------------------------------------


class EmbedID(Layer):
    """y = W[x]: a learned vector for each number in x"""

    def __init__(self, in_size, out_size, dtype=np.float32):
        self.W = Parameter(random_weights((in_size, out_size), 1, dtype), name="W")

    def forward(self, x):
        return embed_id(x, self.W)


class LSTM(Layer):
    """c = f · c + i · u, h = o · tanh c: a memory c, and gates f, i, o that guard it"""

    def __init__(self, hidden_size, in_size=None, dtype=np.float32):
        self.hidden_size = hidden_size
        # All gates and u side by side: one product instead of four.
        self.x2h = Linear(4 * hidden_size, in_size=in_size, dtype=dtype)
        self.h2h = Linear(4 * hidden_size, True, in_size=hidden_size, dtype=dtype)
        self.reset_state()

    def reset_state(self):
        """Forget both states: the next input begins a new sequence."""
        self.h = self.c = None

    def set_state(self, h, c=None):
        """Continue from given states, such as those of a different layer."""
        self.h, self.c = h, c

    def forward(self, x):
        n = self.hidden_size
        z = self.x2h(x)
        if self.h is not None:
            check_batch(self.h, z)
            z = z + self.h2h(self.h)
        gates, u = sigmoid(z[:, : 3 * n]), tanh(z[:, 3 * n :])
        f, i, o = gates[:, :n], gates[:, n : 2 * n], gates[:, 2 * n :]
        self.c = i * u if self.c is None else f * self.c + i * u
        self.h = o * tanh(self.c)
        return self.h
