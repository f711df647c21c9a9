"""Places that look at each other: functions, then layers. Steps 69 to 73.

Steps 33 to 60 do without this room. In the workshop the lessons of stage 7 use it.
"""

import numpy as np

from .core import Function, Parameter, Variable, as_variable, operands
from .functions import (
    broadcast_to,
    get_item,
    matmul,
    mean,
    reshape,
    softmax,
    sqrt,
    swap_last_axes,
    tanh,
    transpose,
)
from .layers import Dropout, Layer, Linear

# --- Step 69 --------------------------------------------------------------------------


def item(x):
    """The one number in x, as a number of Python's."""
    return x.data.item()


Variable.item = item


# --- Step 71: attention ---------------------------------------------------------------


class Concat(Function):
    """y = x0, x1, … one after the other along an axis"""

    def __init__(self, axis):
        self.axis = axis

    def forward(self, *xs):
        return np.concatenate(xs, self.axis)

    def backward(self, gy):
        ends = np.cumsum([x.shape[self.axis] for x in self.inputs]).tolist()
        spans = zip([0, *ends], ends, strict=False)
        return tuple([part(gy, start, end, self.axis) for start, end in spans])


def concat(xs, axis=0):
    return Concat(axis)(*xs)


def part(x, start, end, axis):
    """y = x from one place to another along an axis"""
    before = (slice(None),) * (axis % x.ndim)
    return get_item(x, (*before, slice(start, end)))


class Where(Function):
    """y = x0 where the condition holds, else x1"""

    def __init__(self, condition):
        self.condition = condition

    def forward(self, x0, x1):
        return np.where(self.condition, x0, x1)

    def backward(self, gy):
        return gy * self.condition, gy * ~self.condition


def where(condition, x0, x1):
    x0, x1 = operands(x0, x1)
    shape = np.broadcast_shapes(condition.shape, x0.shape, x1.shape)
    return Where(condition)(broadcast_to(x0, shape), broadcast_to(x1, shape))


def causal_mask(queries, keys=None):
    """Whether a place may look: at itself and what is before it; an array of bool."""
    keys = queries if keys is None else keys
    return np.tri(queries, keys, keys - queries, dtype=bool)


def attention_weights(q, k, mask=None):
    """y = softmax(q · kᵀ / √D): how much each query looks at each place"""
    q, k = as_variable(q), as_variable(k)
    scores = matmul(q, swap_last_axes(k)) * q.shape[-1] ** -0.5
    if mask is None:
        return softmax(scores, axis=-1)
    weights = softmax(where(mask, scores, np.finfo(scores.dtype).min), axis=-1)
    return weights * mask  # a query that may look nowhere would look everywhere


def attention(q, k, v, mask=None):
    """y = softmax(q · kᵀ / √D) · v: for each query, a mean of the values"""
    return matmul(attention_weights(q, k, mask), v)


# --- Step 72: many heads --------------------------------------------------------------


def split(x, parts, axis=0):
    """y0, y1, … = x, cut into so many equal parts along an axis"""
    x = as_variable(x)
    n, rest = divmod(x.shape[axis], parts)
    if rest:
        raise ValueError(f"{x.shape[axis]} places cannot make {parts} equal parts")
    return tuple([part(x, i * n, (i + 1) * n, axis) for i in range(parts)])


class MultiHeadAttention(Layer):
    """y = [h0, h1, …] · W + b: attentions side by side, each on numbers of its own"""

    def __init__(self, size, heads, causal=True, dtype=np.float32):
        if size % heads:
            raise ValueError(f"{size} numbers cannot be shared out to {heads} heads")
        self.size, self.heads, self.causal = size, heads, causal
        self.qkv = Linear(3 * size, in_size=size, dtype=dtype)
        self.out = Linear(size, in_size=size, dtype=dtype)

    def forward(self, x, mask=None):
        q, k, v = self._heads_of(x)
        found = attention(q, k, v, self._allowed(x.shape[1], mask))
        return self.out(reshape(transpose(found, (0, 2, 1, 3)), x.shape))

    def weights(self, x, mask=None):
        """How much each place looks at each other one, (N, heads, T, T)."""
        q, k, _ = self._heads_of(x)
        return attention_weights(q, k, self._allowed(x.shape[1], mask))

    def _heads_of(self, x):
        """Queries, keys and values of all heads, each (N, heads, T, size / heads)."""
        n, t, _ = x.shape
        form = (n, t, self.heads, self.size // self.heads)
        parts = split(self.qkv(x), 3, axis=2)
        return [transpose(reshape(part, form), (0, 2, 1, 3)) for part in parts]

    def _allowed(self, places, mask):
        """The mask, and what `causal` adds to it."""
        if not self.causal:
            return mask
        before = causal_mask(places)
        return before if mask is None else before & mask


# --- Step 73: a block -----------------------------------------------------------------


def gelu(x):
    """y = x · (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2: x, weighed by its chance"""
    x = as_variable(x)
    a = (2 / np.pi) ** 0.5
    return x * (1 + tanh(x * (a + 0.044715 * a * x * x))) * 0.5


def layer_norm(x, gamma, beta, eps=1e-5):
    """y = γ (x − μ) / √(σ² + ε) + β, with μ and σ² of each row of the last axis"""
    x = as_variable(x)
    x = x - mean(x, -1, keepdims=True)
    var = mean(x * x, -1, keepdims=True)
    return gamma * (x / sqrt(var + eps)) + beta


class LayerNorm(Layer):
    """y = layer_norm(x, γ, β); without in_size, the first x tells how long a row is"""

    def __init__(self, dtype=np.float32, in_size=None):
        self.dtype = dtype
        self.gamma = Parameter(None, name="gamma")
        self.beta = Parameter(None, name="beta")
        if in_size is not None:
            self.init(in_size)

    def init(self, in_size):
        self.gamma.data = np.ones(in_size, self.dtype)
        self.beta.data = np.zeros(in_size, self.dtype)

    def forward(self, x):
        if self.gamma.data is None:
            self.init(x.shape[-1])
        return layer_norm(x, self.gamma, self.beta)


class TransformerBlock(Layer):
    """y = x + attention(norm1(x)), z = y + down(gelu(up(norm2(y))))"""

    def __init__(self, size, heads, dropout_ratio=0.0, causal=True, dtype=np.float32):
        self.norm1 = LayerNorm(dtype, in_size=size)
        self.attention = MultiHeadAttention(size, heads, causal, dtype)
        self.norm2 = LayerNorm(dtype, in_size=size)
        self.up = Linear(4 * size, in_size=size, dtype=dtype)
        self.down = Linear(size, in_size=4 * size, dtype=dtype)
        self.dropout = Dropout(dropout_ratio)

    def forward(self, x, mask=None):
        y = x + self.dropout(self.attention(self.norm1(x), mask))
        return y + self.dropout(self.down(gelu(self.up(self.norm2(y)))))
