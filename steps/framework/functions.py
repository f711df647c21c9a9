"""Functions of variables, in the order in which the lessons derive them."""

import numpy as np

from . import core
from .core import Config, Function, Variable, as_variable, exp, operands
from .utils import generator, max_backward_shape, reshape_sum_backward

# --- Step 34: functions of one number -------------------------------------------------


class Sin(Function):
    """y = sin x"""

    def forward(self, x):
        return np.sin(x)

    def backward(self, gy):
        (x,) = self.inputs
        return cos(x) * gy


def sin(x):
    return Sin()(x)


class Cos(Function):
    """y = cos x"""

    def forward(self, x):
        return np.cos(x)

    def backward(self, gy):
        (x,) = self.inputs
        return -sin(x) * gy


def cos(x):
    return Cos()(x)


# --- Step 35 --------------------------------------------------------------------------


class Tanh(Function):
    """y = tanh x"""

    def forward(self, x):
        return np.tanh(x)

    def backward(self, gy):
        y = self.outputs[0]()
        return (1 - y * y) * gy


def tanh(x):
    return Tanh()(x)


# --- Step 36 --------------------------------------------------------------------------


class Log(Function):
    """y = log x"""

    def forward(self, x):
        return np.log(x)

    def backward(self, gy):
        (x,) = self.inputs
        return gy / x


def log(x):
    return Log()(x)


def sqrt(x):
    """y = √x"""
    return core.pow(x, 0.5)


class Abs(Function):
    """y = |x|"""

    def forward(self, x):
        return np.abs(x)

    def backward(self, gy):
        (x,) = self.inputs
        return np.sign(x.data) * gy


def abs(x):
    return Abs()(x)


# --- Step 38: the same numbers in another shape ---------------------------------------


class Reshape(Function):
    """y = x in a new shape"""

    def __init__(self, shape):
        self.shape = shape

    def forward(self, x):
        return x.reshape(self.shape)

    def backward(self, gy):
        (x,) = self.inputs
        return reshape(gy, x.shape)


def reshape(x, shape):
    return Reshape(shape)(x)


class Transpose(Function):
    """y = x with its axes in a new order"""

    def __init__(self, axes=None):
        self.axes = axes

    def forward(self, x):
        return x.transpose(self.axes)

    def backward(self, gy):
        if self.axes is None:
            return transpose(gy)
        ndim = len(self.axes)
        back = np.argsort([axis % ndim for axis in self.axes])
        return transpose(gy, tuple(back.tolist()))


def transpose(x, axes=None):
    return Transpose(axes)(x)


def expand_dims(x, axis):
    """y = x with a new axis of length 1"""
    x = as_variable(x)
    return reshape(x, np.expand_dims(x.data, axis).shape)


def squeeze(x, axis=None):
    """y = x without axes of length 1"""
    x = as_variable(x)
    return reshape(x, np.squeeze(x.data, axis).shape)


def flatten(x):
    """y = x as a matrix: a row for each example"""
    x = as_variable(x)
    return reshape(x, (len(x), -1))


# --- Step 39: many numbers to one -----------------------------------------------------


class Sum(Function):
    """y = Σ x"""

    def __init__(self, axis=None, keepdims=False):
        self.axis, self.keepdims = axis, keepdims

    def forward(self, x):
        return x.sum(axis=self.axis, keepdims=self.keepdims)

    def backward(self, gy):
        (x,) = self.inputs
        return Spread(x.shape, self.axis, self.keepdims)(gy)


class Spread(Function):
    """y = x, copied to the places that a sum of this shape adds up"""

    def __init__(self, shape, axis, keepdims):
        self.shape, self.axis, self.keepdims = shape, axis, keepdims

    def forward(self, x):
        x = reshape_sum_backward(x, self.shape, self.axis, self.keepdims)
        return np.broadcast_to(x, self.shape)

    def backward(self, gy):
        return sum(gy, self.axis, self.keepdims)


def sum(x, axis=None, keepdims=False):
    return Sum(axis, keepdims)(x)


def mean(x, axis=None, keepdims=False):
    """y = Σ x / n"""
    x = as_variable(x)
    y = sum(x, axis, keepdims)
    return y * (y.size / x.size)


average = mean


class Max(Function):
    """y = max x; numbers that tie for the largest share the gradient"""

    def __init__(self, axis=None, keepdims=False):
        self.axis, self.keepdims = axis, keepdims

    def forward(self, x):
        return x.max(axis=self.axis, keepdims=self.keepdims)

    def backward(self, gy):
        x, y = self.inputs[0], self.outputs[0]()
        shape = max_backward_shape(x, self.axis)
        chosen = x.data == y.data.reshape(shape)
        share = chosen / chosen.sum(axis=self.axis, keepdims=True)
        return Spread(x.shape, self.axis, self.keepdims)(gy) * share.astype(x.dtype)


def max(x, axis=None, keepdims=False):
    return Max(axis, keepdims)(x)


class Min(Max):
    """y = min x"""

    def forward(self, x):
        return x.min(axis=self.axis, keepdims=self.keepdims)


def min(x, axis=None, keepdims=False):
    return Min(axis, keepdims)(x)


# --- Step 40: broadcasting ------------------------------------------------------------


class BroadcastTo(Function):
    """y = x, repeated along new axes and along axes of length 1"""

    def __init__(self, shape):
        self.shape = shape

    def forward(self, x):
        return np.broadcast_to(x, self.shape)

    def backward(self, gy):
        (x,) = self.inputs
        return sum_to(gy, x.shape)


def broadcast_to(x, shape):
    x = as_variable(x)
    return x if x.shape == shape else BroadcastTo(shape)(x)


class SumTo(Function):
    """y = Σ x over the axes along which a broadcast would repeat y"""

    def __init__(self, shape):
        self.shape = shape

    def forward(self, x):
        lead = x.ndim - len(self.shape)
        ones = [lead + i for i, n in enumerate(self.shape) if n == 1]
        y = x.sum(axis=(*range(lead), *ones), keepdims=True)
        return y.reshape(self.shape)

    def backward(self, gy):
        (x,) = self.inputs
        return broadcast_to(gy, x.shape)


def sum_to(x, shape):
    x = as_variable(x)
    return x if x.shape == shape else SumTo(shape)(x)


def broadcasting(operator):
    """Return a function that stretches its operands for ``operator``, such as Add."""

    def stretched(x0, x1):
        x0, x1 = operands(x0, x1)
        if x0.shape != x1.shape:
            shape = np.broadcast_shapes(x0.shape, x1.shape)
            x0, x1 = broadcast_to(x0, shape), broadcast_to(x1, shape)
        return operator()(x0, x1)

    return stretched


add = broadcasting(core.Add)
mul = broadcasting(core.Mul)
sub = broadcasting(core.Sub)
div = broadcasting(core.Div)


def rsub(x0, x1):
    return sub(x1, x0)


def rdiv(x0, x1):
    return div(x1, x0)


class Clip(Function):
    """y = x, but not below low and not above high"""

    def __init__(self, low, high):
        self.low, self.high = low, high

    def forward(self, x):
        return np.clip(x, self.low, self.high)

    def backward(self, gy):
        (x,) = self.inputs
        inside = x.data == self.forward(x.data)
        return gy * inside


def clip(x, x_min, x_max):
    return Clip(x_min, x_max)(x)


# --- Step 41: the matrix product ------------------------------------------------------


class MatMul(Function):
    """y = x · W, for matrices and for stacks of matrices"""

    def forward(self, x, W):
        if x.shape[-1] != W.shape[-2]:
            raise ValueError(
                f"x of shape {x.shape} and W of shape {W.shape} cannot be multiplied: "
                f"{x.shape[-1]} columns, but {W.shape[-2]} rows"
            )
        return x @ W

    def backward(self, gy):
        x, W = self.inputs
        gx = matmul(gy, swap_last_axes(W))
        gW = matmul(swap_last_axes(x), gy)
        return sum_to(gx, x.shape), sum_to(gW, W.shape)


def swap_last_axes(x):
    """Transpose each matrix of a stack."""
    *stack, row, column = range(x.ndim)
    return transpose(x, (*stack, column, row))


def matmul(x, W):
    """y = x · W; a vector x counts as a row, a vector W as a column"""
    x, W = as_variable(x), as_variable(W)
    if x.ndim == 1:
        y = matmul(reshape(x, (1, x.size)), W)
        return reshape(y, y.shape[1:] if W.ndim == 1 else (*y.shape[:-2], y.shape[-1]))
    if W.ndim == 1:
        y = matmul(x, reshape(W, (W.size, 1)))
        return reshape(y, y.shape[:-1])
    return MatMul()(x, W)


# --- Step 42: a network ---------------------------------------------------------------


def mean_squared_error(x0, x1):
    """y = Σ (x0 − x1)² / N"""
    x0, x1 = as_variable(x0), as_variable(x1)
    if x0.shape != x1.shape:
        raise ValueError(
            f"mean_squared_error compares number by number, but the shapes are "
            f"{x0.shape} and {x1.shape}"
        )
    n = len(x0) if x0.ndim else 1
    return sum((x0 - x1) ** 2) * (1 / n)


mean_squared_error_simple = mean_squared_error  # the book's two forms are one here


# --- Step 43 --------------------------------------------------------------------------


def linear(x, W, b=None):
    """y = x · W + b"""
    y = matmul(x, W)
    if b is None:
        return y
    if b.shape != y.shape[-1:]:
        raise ValueError(f"b has shape {b.shape}, but x · W ends in {y.shape[-1:]}")
    return y + b


linear_simple = linear


class Sigmoid(Function):
    """y = 1 / (1 + exp(−x)), which is (1 + tanh(x / 2)) / 2"""

    def forward(self, x):
        return np.tanh(x * 0.5) * 0.5 + 0.5

    def backward(self, gy):
        y = self.outputs[0]()
        return y * (1 - y) * gy


def sigmoid(x):
    return Sigmoid()(x)


sigmoid_simple = sigmoid


# --- Step 47: parts of an array, and classes ------------------------------------------


class GetItem(Function):
    """y = x[slices]"""

    def __init__(self, slices):
        self.slices = slices

    def forward(self, x):
        return x[self.slices]

    def backward(self, gy):
        (x,) = self.inputs
        return GetItemGrad(self.slices, x.shape)(gy)


class GetItemGrad(Function):
    """y = zeros, plus each number of x at its place in [slices]"""

    def __init__(self, slices, shape):
        self.slices, self.shape = slices, shape

    def forward(self, x):
        y = np.zeros(self.shape, x.dtype)
        np.add.at(y, self.slices, x)
        return y

    def backward(self, gy):
        return get_item(gy, self.slices)


def get_item(x, slices):
    return GetItem(slices)(x)


def logsumexp(x, axis=None, keepdims=False):
    """y = log Σ exp(x), which is m + log Σ exp(x − m) for any m"""
    x = as_variable(x)
    m = x.data.max(axis=axis, keepdims=True)
    y = log(sum(exp(x - m), axis, keepdims=True)) + m
    return y if keepdims else squeeze(y, axis)


def log_softmax(x, axis=1):
    """y = x − log Σ exp(x)"""
    x = as_variable(x)
    return x - logsumexp(x, axis, keepdims=True)


def softmax(x, axis=1):
    """y = exp(x) / Σ exp(x)"""
    x = as_variable(x)
    y = exp(x - x.data.max(axis=axis, keepdims=True))
    return y / sum(y, axis, keepdims=True)


softmax_simple = softmax


def labels_of(x, t):
    """Return the labels t as an array (N,), after a check against the scores x."""
    t = t.data if isinstance(t, Variable) else np.asarray(t)
    if x.ndim != 2 or t.shape not in (x.shape[:1], (len(x), 1)):
        raise ValueError(
            f"scores of shape (N, C) need labels of shape (N,), but they are "
            f"{x.shape} and {t.shape}"
        )
    if t.dtype.kind not in "iu" or t.min() < 0 or t.max() >= x.shape[1]:
        raise ValueError(
            f"labels are whole numbers from 0 to {x.shape[1] - 1}, but t goes from "
            f"{t.min()} to {t.max()} in {t.dtype}"
        )
    return t.flatten()


def softmax_cross_entropy(x, t):
    """y = −Σ log softmax(x)[t] / N"""
    x = as_variable(x)
    t = labels_of(x, t)
    log_p = get_item(log_softmax(x), (np.arange(len(t)), t))
    return sum(log_p) * (-1 / len(t))


softmax_cross_entropy_simple = softmax_cross_entropy


class Softplus(Function):
    """y = log(1 + exp(x))"""

    def forward(self, x):
        return np.logaddexp(x, np.zeros_like(x))

    def backward(self, gy):
        (x,) = self.inputs
        return sigmoid(x) * gy


def softplus(x):
    return Softplus()(x)


def answers_of(x, t):
    """Return the answers t, yes (1) or no (0), as an array with the dtype of x."""
    t = t.data if isinstance(t, Variable) else np.asarray(t)
    if t.shape != x.shape:
        raise ValueError(f"answers of shape {t.shape} do not fit scores of {x.shape}")
    return t.astype(x.dtype)


def sigmoid_cross_entropy(x, t):
    """y = −Σ (t log p + (1 − t) log(1 − p)) / N, where p = sigmoid(x)"""
    x = as_variable(x)
    t = answers_of(x, t)
    return sum(softplus(x) - x * t) * (1 / len(x))


def binary_cross_entropy(p, t):
    """y = −Σ (t log p + (1 − t) log(1 − p)) / N"""
    p = as_variable(p)
    t = answers_of(p, t)
    yes = t * log(clip(p, 1e-15, None))
    no = (1 - t) * log(clip(1 - p, 1e-15, None))
    return sum(yes + no) * (-1 / len(p))


# --- Step 50 --------------------------------------------------------------------------


def accuracy(y, t):
    """Return the share of examples whose own class has the highest score."""
    y = as_variable(y)
    right = y.data.argmax(axis=1) == labels_of(y, t)
    return Variable(np.array(right.mean()))


# --- Step 51 --------------------------------------------------------------------------


class ReLU(Function):
    """y = max(x, 0)"""

    def forward(self, x):
        return np.maximum(x, 0)

    def backward(self, gy):
        (x,) = self.inputs
        return gy * (x.data > 0)


def relu(x):
    return ReLU()(x)


class LeakyReLU(Function):
    """y = x where x > 0, else slope · x"""

    def __init__(self, slope):
        self.slope = slope

    def forward(self, x):
        return np.where(x > 0, x, self.slope * x)

    def backward(self, gy):
        (x,) = self.inputs
        return gy * np.where(x.data > 0, 1, self.slope).astype(x.dtype)


def leaky_relu(x, slope=0.2):
    return LeakyReLU(slope)(x)


# --- Step 54 --------------------------------------------------------------------------


def dropout(x, dropout_ratio=0.5):
    """y = x / (1 − ratio) for elements kept at random, else 0; in test mode y = x"""
    x = as_variable(x)
    if not 0 <= dropout_ratio < 1:
        raise ValueError(f"dropout_ratio is from 0 to below 1, not {dropout_ratio}")
    if not Config.train or dropout_ratio == 0:
        return x
    kept = generator().random(x.shape, np.float32) >= dropout_ratio
    return x * kept * (1 / (1 - dropout_ratio))


# --- Step 58 --------------------------------------------------------------------------


def batch_norm(x, gamma, beta, mean, var, decay=0.9, eps=2e-5):
    """y = γ (x − μ) / √(σ² + ε) + β, with μ and σ² of each channel"""
    x = as_variable(x)
    axes = (0, *range(2, x.ndim))
    shape = (1, x.shape[1], *[1] * (x.ndim - 2))
    if Config.train:
        mu = average(x, axes, keepdims=True)
        sigma2 = average((x - mu) ** 2, axes, keepdims=True)
        remember(mean, mu, decay)
        n = x.size // x.shape[1]
        remember(var, sigma2 * (n / np.maximum(n - 1, 1)), decay)
    else:
        dtype = x.dtype if x.dtype.kind == "f" else mean.dtype
        mu, sigma2 = (a.astype(dtype).reshape(shape) for a in (mean, var))
        sigma2 = as_variable(sigma2)
    y = (x - mu) / sqrt(sigma2 + eps)
    return reshape(gamma, shape) * y + reshape(beta, shape)


def remember(average, new, decay):
    """a ← decay · a + (1 − decay) · new, for an array a, in place"""
    average *= decay
    average += (1 - decay) * new.data.reshape(-1)


batch_nrom = batch_norm  # the book spells it so


# --- Step 60 --------------------------------------------------------------------------


def embed_id(x, W):
    """y = W[x]: for each number x[i], row x[i] of W"""
    return get_item(W, as_variable(x).data)
