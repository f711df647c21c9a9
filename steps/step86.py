"""Step 86: one kernel out of many."""

import math

import numpy as np

from dezero_lite import Function, Variable, using_config

from .library import moved as __getattr__  # noqa: F401
from .step82 import calls
from .step83 import njit

__all__ = ["TEMPLATES", "Chain", "Fused", "fit_tanh", "layer_norm_loop", "name_of"]
__all__ += ["rational_tanh", "source_of", "ulps"]

#: How to write each call. `number` makes a constant of the arrays' type.
TEMPLATES = {
    "Add": "{} + {}",
    "Sub": "{} - {}",
    "Mul": "{} * {}",
    "Div": "{} / {}",
    "Neg": "-{}",
    "Exp": "exp({})",
    "Tanh": "tanh({})",
    "TanhSlope": "number(1) - {0} * {0}",
    "AsType": "{}",  # all numbers of a chain have one type
}


def source_of(y, inputs):
    """Write the text of a loop that computes y from inputs, one line for each call."""
    names = {id(x): f"x{k}[i]" for k, x in enumerate(inputs)}
    lines = []
    for call in sorted(calls(y), key=lambda call: call.generation):
        kind = type(call).__name__
        if kind not in TEMPLATES:
            raise ValueError(f"{kind} has no template: is it done number by number?")
        arguments = [name_of(x, names) for x in call.inputs]
        names[id(call.outputs[0]())] = f"t{len(lines)}"
        lines.append(f"t{len(lines)} = {TEMPLATES[kind].format(*arguments)}")
    head = [f"def kernel({', '.join(f'x{k}' for k in range(len(inputs)))}, y):"]
    head += ["    number = y.dtype.type", "    for i in range(y.size):"]
    body = [f"        {line}" for line in (*lines, f"y[i] = {name_of(y, names)}")]
    return "\n".join(head + body)


def name_of(x, names):
    """Return the name of x in the text."""
    if not isinstance(x, Variable):
        return f"number({float(x)!r})"
    if id(x) not in names:
        raise ValueError("a Variable is not an input of the chain: pass it as one")
    return names[id(x)]


class Chain:
    """Element-wise functions fused into one loop; its gradient is a chain as well."""

    def __init__(self, f, count=1, tanh=math.tanh, exp=math.exp):
        self.f, self.count, self.backs = f, count, {}
        self.functions = {"tanh": tanh, "exp": exp}
        inputs = [Variable(np.ones(1)) for _ in range(count)]
        with using_config("enable_backprop", True):  # off in a plain backward
            self.source = source_of(f(*inputs), inputs)
        room = dict(self.functions)
        exec(self.source, room)
        self.loop = njit(room["kernel"], error_model="numpy")

    def __call__(self, *xs):
        return Fused(self)(*xs)

    def back(self, k):
        """Return the gradient of input k, as a chain of the inputs and gy."""

        def slope(*xs):
            *xs, gy = xs
            y = self.f(*xs)
            y.grad = gy
            y.backward(create_graph=True)
            gradient = xs[k].grad
            for x in xs:  # the next order needs empty gradients
                x.cleargrad()
            return xs[0] * 0 if gradient is None else gradient

        if k not in self.backs:
            self.backs[k] = Chain(slope, self.count + 1, **self.functions)
        return self.backs[k]


class Fused(Function):
    """One call of a chain."""

    def __init__(self, chain):
        self.chain = chain

    def forward(self, *xs):
        shape, dtype = xs[0].shape, xs[0].dtype
        if any((x.shape, x.dtype) != (shape, dtype) for x in xs):
            raise ValueError("a chain takes arrays of one shape and one dtype")
        y = np.empty(shape, dtype)
        self.chain.loop(*[x.reshape(-1) for x in xs], y.reshape(-1))
        return y

    def backward(self, gy):
        xs = self.inputs
        return tuple(self.chain.back(k)(*xs, gy) for k in range(len(xs)))


def fit_tanh(terms, limit=9.02, rounds=6):
    """Find the coefficients of P and Q such that x · P(x²) / Q(x²) is close to
    tanh(x), for x from −limit to limit.
    """
    x = limit * (1 + np.cos(np.pi * (np.arange(2000) + 0.5) / 2000)) / 2
    powers = (x[:, None] / limit) ** (2 * np.arange(terms))
    t, bottom = np.tanh(x), 1
    for _ in range(rounds):
        # x · P − t · Q = 0, relative to t · Q; Q's first coefficient is 1.
        table = np.hstack([x[:, None] * powers, -t[:, None] * powers[:, 1:]])
        shares = table / (t * bottom)[:, None]
        found = np.linalg.lstsq(shares, t / (t * bottom), rcond=None)[0]
        top, below = found[:terms], np.append(1, found[terms:])
        bottom = powers @ below
    return [list(c / limit ** (2 * np.arange(terms))) for c in (top, below)]


def rational_tanh(top, bottom, limit=9.02):
    """Return tanh as a quotient of polynomials, in float32, for numbers and arrays."""
    pairs = tuple(zip(*np.float32([top, bottom])[:, ::-1], strict=True))
    limit, zero = np.float32(limit), np.float32(0)

    def tanh(x):
        x = np.minimum(np.maximum(x, -limit), limit)
        square = x * x
        p = q = zero
        for a, b in pairs:
            p, q = p * square + a, q * square + b
        return x * p / q

    return tanh


def ulps(found, exact):
    """Return the error of float32 numbers, in distances to the next such number."""
    exact = np.asarray(exact, np.float64)
    return np.abs(found - exact) / np.abs(np.spacing(exact.astype(np.float32)))


def layer_norm_loop(x, gamma, beta, eps, y):
    """Write the layer norm of the rows of x (N, D) into y."""
    n = x.shape[1]
    for i in range(x.shape[0]):
        mean = variance = 0.0
        for j in range(n):
            mean += x[i, j]
        mean /= n
        for j in range(n):
            variance += (x[i, j] - mean) ** 2
        scale = 1 / math.sqrt(variance / n + eps)
        for j in range(n):
            y[i, j] = (x[i, j] - mean) * scale * gamma[j] + beta[j]
