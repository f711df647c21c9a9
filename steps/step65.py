"""Step 65: what does not need a gradient: scalars, and a graph of the others."""

import math
import operator
import weakref
from functools import partial
from itertools import count
from numbers import Real

__all__ = [
    "BINARY",
    "UNARY",
    "Node",
    "Scalar",
    "abs",
    "add",
    "cos",
    "div",
    "exp",
    "find",
    "gradient_descent",
    "jacobian",
    "live_nodes",
    "log",
    "mul",
    "neg",
    "pow",
    "relu",
    "sigmoid",
    "sin",
    "sqrt",
    "sub",
    "tan",
    "tanh",
]


# --- The graph ------------------------------------------------------------------------

_ids = count(1)
_live = weakref.WeakValueDictionary()  # from id to node; holds no node alive


class Node:
    """The node of a scalar that needs a gradient.

    ``edges`` contains pairs (node, slope), one for each operand that needs a gradient.
    A leaf has no edges. In a node that backward has freed, ``edges`` is None.
    """

    __slots__ = ("__weakref__", "edges", "grad", "id", "kind")

    def __init__(self, kind, edges=()):
        self.id = next(_ids)  # larger than the ids of its operands
        self.kind = kind
        self.edges = edges
        self.grad = None
        _live[self.id] = self

    def free(self):
        self.edges = None
        del _live[self.id]


def live_nodes():
    """Count the living nodes, including the leaves."""
    return len(_live)


def find(number):
    """Return the living node with this id."""
    if number not in _live:
        raise KeyError(
            f"no living node has the id {number}: it was freed, or never existed"
        )
    return _live[number]


# --- The scalar -----------------------------------------------------------------------


class Scalar:
    """One number, with a node in the graph only if it needs a gradient."""

    __slots__ = ("data", "node")
    __array_ufunc__ = None  # so that NumPy leaves np.float64(2) * x to us

    def __init__(self, data, requires_grad=False):
        if not isinstance(data, Real) and getattr(data, "shape", None) != ():
            raise TypeError(f"a Scalar holds one real number, not {data!r}")
        self.data = float(data)
        self.node = Node("leaf") if requires_grad else None

    @property
    def requires_grad(self):
        return self.node is not None

    @property
    def grad(self):
        return self.node.grad if self.node else None

    def zero_grad(self):
        if self.node:
            self.node.grad = None

    def __float__(self):
        return self.data

    def __format__(self, form):
        return format(self.data, form) if form else str(self)

    def __repr__(self):
        needs = ", requires_grad=True" if self.requires_grad else ""
        return f"Scalar({self.data:g}{needs})"


def backward(scalar, retain_graph=False):
    """Add the derivative of a scalar to each leaf's ``grad``; free the other nodes."""
    if scalar.node is None:
        raise RuntimeError(
            f"{scalar!r} does not depend on a scalar with requires_grad=True"
        )
    for node, gradient in gradients(scalar.node):
        if not node.edges:
            node.grad = gradient if node.grad is None else node.grad + gradient
        elif not retain_graph:
            node.free()


Scalar.backward = backward

REUSED = "reused"


def gradients(start):
    """Go back from `start`; yield pairs (node, gradient), youngest first."""
    if start.kind == REUSED:
        raise RuntimeError(AGAIN)
    arrived = {start.id: 1.0}
    for node in nodes_behind(start):
        gradient = arrived.pop(node.id)
        for operand, slope in node.edges:
            arrived[operand.id] = arrived.get(operand.id, 0.0) + gradient * slope
        yield node, gradient


def nodes_behind(start):
    """List the nodes that a gradient reaches, each before its operands."""
    found, worklist = {start}, [start]
    while worklist:
        node = worklist.pop()
        if node.edges is None:
            raise RuntimeError(AGAIN)
        new = {operand for operand, _ in node.edges} - found
        found |= new
        worklist += new
    return sorted(found, key=lambda node: node.id, reverse=True)


AGAIN = (
    "backward has been here before and has freed this part of the graph: "
    "call backward(retain_graph=True) the first time, or compute the scalar again"
)


# --- The tables -----------------------------------------------------------------------


def logistic(x):
    small = math.exp(-math.fabs(x))  # never overflows
    return (1.0 if x >= 0 else small) / (1 + small)


def slope_of_base(a, b, y):
    return b * math.pow(a, b - 1) if b else 0.0


def slope_of_exponent(a, b, y):
    return 0.0 if a == 0 < b else y * math.log(a)


# Each name: the value y, and the slope of y in x.
UNARY = {
    "neg": (lambda x: -x, lambda x, y: -1.0),
    "abs": (math.fabs, lambda x, y: float((x > 0) - (x < 0))),
    "exp": (math.exp, lambda x, y: y),
    "log": (math.log, lambda x, y: 1 / x),
    "sin": (math.sin, lambda x, y: math.cos(x)),
    "cos": (math.cos, lambda x, y: -math.sin(x)),
    "tan": (math.tan, lambda x, y: 1 + y * y),
    "sqrt": (math.sqrt, lambda x, y: 0.5 / y),
    "tanh": (math.tanh, lambda x, y: 1 - y * y),
    "sigmoid": (logistic, lambda x, y: y * (1 - y)),
    "relu": (lambda x: max(x, 0.0), lambda x, y: float(x > 0)),
}

# Each name: the value y, the slope of y in a, and the slope of y in b.
BINARY = {
    "add": (lambda a, b: a + b, lambda a, b, y: 1.0, lambda a, b, y: 1.0),
    "sub": (lambda a, b: a - b, lambda a, b, y: 1.0, lambda a, b, y: -1.0),
    "mul": (lambda a, b: a * b, lambda a, b, y: b, lambda a, b, y: a),
    "div": (lambda a, b: a / b, lambda a, b, y: 1 / b, lambda a, b, y: -y / b),
    "pow": (math.pow, slope_of_base, slope_of_exponent),
}

RULES = UNARY | BINARY


def apply(name, *operands):
    """Compute a result; if an operand needs a gradient, give the result a node."""
    operands = [x if isinstance(x, Scalar) else Scalar(x) for x in operands]
    numbers = [x.data for x in operands]
    rule, *slopes = RULES[name]
    sought = "value"
    try:
        result = Scalar(rule(*numbers))
        sought = "slope"
        edges = tuple(
            (enter(x), slope(*numbers, result.data))
            for x, slope in zip(operands, slopes, strict=True)
            if x.requires_grad
        )
    except (ArithmeticError, ValueError):
        place = ", ".join(map(str, numbers))
        raise ValueError(f"{name} has no {sought} that is a float at {place}") from None
    if edges:
        result.node = Node(name, edges)
    return result


def enter(x):
    """Return the node of an operand; if it was freed, make it a leaf."""
    if x.node.edges is None:
        x.node = Node(REUSED)
    return x.node


neg = partial(apply, "neg")
abs = partial(apply, "abs")
exp = partial(apply, "exp")
log = partial(apply, "log")
sin = partial(apply, "sin")
cos = partial(apply, "cos")
tan = partial(apply, "tan")
sqrt = partial(apply, "sqrt")
tanh = partial(apply, "tanh")
sigmoid = partial(apply, "sigmoid")
relu = partial(apply, "relu")
add = partial(apply, "add")
sub = partial(apply, "sub")
mul = partial(apply, "mul")
div = partial(apply, "div")
pow = partial(apply, "pow")

# The operators are lambdas, because Python does not bind a partial as a method.

Scalar.__neg__ = lambda x: neg(x)
Scalar.__abs__ = lambda x: abs(x)
Scalar.__add__ = lambda a, b: add(a, b)
Scalar.__sub__ = lambda a, b: sub(a, b)
Scalar.__mul__ = lambda a, b: mul(a, b)
Scalar.__truediv__ = lambda a, b: div(a, b)
Scalar.__pow__ = lambda a, b: pow(a, b)
Scalar.__radd__ = lambda b, a: add(a, b)
Scalar.__rsub__ = lambda b, a: sub(a, b)
Scalar.__rmul__ = lambda b, a: mul(a, b)
Scalar.__rtruediv__ = lambda b, a: div(a, b)
Scalar.__rpow__ = lambda b, a: pow(a, b)


def compare(sign):
    """Make a comparison, which has no slope: its result is True or False."""
    return lambda a, b: sign(a.data, b.data if isinstance(b, Scalar) else b)


Scalar.__lt__ = compare(operator.lt)
Scalar.__le__ = compare(operator.le)
Scalar.__gt__ = compare(operator.gt)
Scalar.__ge__ = compare(operator.ge)
Scalar.__eq__ = compare(operator.eq)
Scalar.__ne__ = compare(operator.ne)
Scalar.__bool__ = lambda x: x.data != 0


def copied(scalar, memo):
    # A copied node would share its id.
    if scalar.node and scalar.node.edges:
        raise TypeError(f"{scalar!r} was computed: copy the ones it came from")
    copy = Scalar(scalar.data, scalar.requires_grad)
    if scalar.node:
        copy.node.grad = scalar.node.grad
    return copy


Scalar.__deepcopy__ = copied


# --- Using the graph ------------------------------------------------------------------


def jacobian(outputs, inputs):
    """Compute all derivatives: a row for each output, a column for each input."""
    for x in (*outputs, *inputs):
        if not isinstance(x, Scalar):
            raise TypeError(f"jacobian takes lists of Scalars, but got {x!r} in one")
    for x in inputs:
        if not x.requires_grad:
            raise ValueError(
                f"{x!r} needs no gradient: make it with requires_grad=True"
            )
    rows = []
    for y in outputs:
        pairs = gradients(y.node) if y.requires_grad else ()
        found = {node.id: gradient for node, gradient in pairs}
        rows.append([found.get(x.node.id, 0.0) for x in inputs])
    return rows


def gradient_descent(compute_loss, parameters, learning_rate, steps):
    """Step against the gradient of ``compute_loss()``; return the losses."""
    losses = []
    for _ in range(steps):
        for parameter in parameters:
            parameter.zero_grad()
        loss = compute_loss()
        loss.backward()
        for position, parameter in enumerate(parameters):
            if parameter.grad is None:
                raise ValueError(f"the loss does not depend on parameter {position}")
        for parameter in parameters:
            parameter.data -= learning_rate * parameter.grad
        losses.append(loss.data)
    return losses
