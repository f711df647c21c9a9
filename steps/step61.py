"""Step 61: build first, run later.

A formula makes nodes and computes nothing. If you ask a node for its value, it computes
the missing values and keeps them. It loses its value when something upstream of it
changes.
"""

import threading
import weakref

import numpy as np

__all__ = [
    "Constant",
    "Node",
    "Operation",
    "Placeholder",
    "Variable",
    "add",
    "divide",
    "exp",
    "gradients",
    "log",
    "logsumexp",
    "matmul",
    "mean",
    "multiply",
    "negate",
    "power",
    "sigmoid",
    "subtract",
    "tanh",
    "total",
    "transpose",
]


# --- Nodes ----------------------------------------------------------------------------


# No thread may clear a value while another thread computes with it.
ONE_AT_A_TIME = threading.RLock()


class Node:
    """Something that has a value, now or later. Operators on nodes make new nodes."""

    # With this, NumPy leaves array + node to Node.__radd__.
    __array_ufunc__ = None

    parent = None

    def __init__(self, name=None):
        self.name = name
        self._value = None
        self._users = set()

    @property
    def value(self):
        """The stored value, or None."""
        return self._value

    @property
    def label(self):
        """A short name for messages and pictures."""
        return self.name or type(self).__name__.lower()

    def users(self):
        """List the nodes that are computed directly from this one."""
        return [reference() for reference in self._users.copy()]

    def used_by(self, user):
        # A weak reference does not keep the user alive, and discards itself when the
        # user is gone.
        self._users.add(weakref.ref(user, self._users.discard))

    def eval(self):
        """Return the value of this node; compute and keep all missing values."""
        with ONE_AT_A_TIME:
            missing = upstream(self, lambda node: node.value is None)
            check_filled(self, missing)
            for node in missing:
                node._value = computed(node)
            return self.value

    def _set(self, value):
        with ONE_AT_A_TIME:
            self._value = value
            for node in downstream(self):
                node._value = None


class Variable(Node):
    """A node that always has a value, which you can update, such as a weight."""

    def __init__(self, value, name=None):
        super().__init__(name)
        self._set(as_value(value, self.label))

    def update(self, value):
        """Set a new value of the same shape, and clear everything downstream."""
        value = as_value(value, self.label, self.value.dtype)
        if value.shape != self.value.shape:
            old, new = self.value.shape, value.shape
            raise ValueError(f"{self.label} has the shape {old} and cannot take {new}")
        self._set(value)


class Constant(Node):
    """A number or an array in a formula, which never changes."""

    def __init__(self, value):
        super().__init__()
        # A bare number stays a float, so that it does not change the dtype of arrays.
        bare = isinstance(value, int | float)
        self._value = float(value) if bare else as_value(value, "a formula")

    @property
    def label(self):
        return "an array" if isinstance(self.value, np.ndarray) else f"{self.value:g}"


class Placeholder(Node):
    """A node whose value comes later.

    An input placeholder gets it from you, an inner one from its parent, an operation.
    With ``ndim`` it accepts only arrays with that number of dimensions.
    """

    def __init__(self, name=None, parent=None, ndim=None):
        if name is None and parent is None:
            raise TypeError('an input placeholder needs a name, as in Placeholder("x")')
        super().__init__(name)
        self.parent = parent
        self.ndim = ndim
        for node in set(parent.inputs) if parent else ():
            node.used_by(self)

    @property
    def label(self):
        return self.name or type(self.parent).__name__.lower()

    def fill(self, value, short_circuit=False):
        """Give the placeholder a value, and clear everything downstream.

        Filling an inner placeholder needs ``short_circuit=True``. It replaces the
        formula until you clear the placeholder, or until something upstream changes.
        """
        if self.parent is not None and not short_circuit:
            raise ValueError(
                f"{self.label} is computed: {formula(self)}. A value filled in would "
                "no longer agree with its inputs; if you want to cut the graph here, "
                "call fill(value, short_circuit=True)"
            )
        value = as_value(value, self.label)
        if self.ndim not in (None, value.ndim):
            shape = value.shape
            raise ValueError(f"{self.label} takes {self.ndim} dimensions, not {shape}")
        self._set(value)

    def clear(self):
        """Remove the value, and clear everything downstream."""
        self._set(None)


def as_value(value, owner, dtype=None):
    """Copy a number or array, as floats that cannot be changed in place."""
    if not isinstance(value, np.ndarray | np.generic | int | float):
        kind = type(value).__name__
        raise TypeError(f"{owner} needs a number or an np.array(...), not type {kind}")
    value = np.array(value)
    if value.dtype.kind not in "biuf":
        raise TypeError(f"{owner} needs real numbers, not dtype {value.dtype}")
    return frozen(
        value.astype(dtype or (value.dtype if value.dtype.kind == "f" else float))
    )


def frozen(array):
    """Return a read-only view of an array."""
    array = array.view()
    array.flags.writeable = False
    return array


def as_node(x):
    """Return a node unchanged, and anything else as a constant."""
    return x if isinstance(x, Node) else Constant(x)


def formula(node):
    """Describe how a node is computed, one level deep, as in ``multiply(w, x)``."""
    if node.parent is None:
        return node.label
    inputs = ", ".join(x.label for x in node.parent.inputs)
    return f"{type(node.parent).__name__.lower()}({inputs})"


def text(node):
    state = "empty" if node.value is None else "filled"
    return f"{type(node).__name__}({formula(node)}, {state})"


def no_value(node, *others, **options):
    raise TypeError(f"{node.label} is a node, not a value: call {node.label}.eval()")


def no_copy(node, protocol):
    raise TypeError(
        f"{node.label} is part of a graph and cannot be copied: build it once more"
    )


Node.__repr__ = text
Node.__reduce_ex__ = no_copy
Node.__array__ = Node.__bool__ = no_value
Node.__eq__ = Node.__ne__ = no_value
Node.__lt__ = Node.__le__ = Node.__gt__ = Node.__ge__ = no_value


# --- Traversal ------------------------------------------------------------------------


def upstream(node, wanted):
    """List the wanted nodes that a node depends on, inputs first and itself last."""
    order, seen, stack = [], set(), [(node, False)]
    while stack:
        node, inputs_done = stack.pop()
        if inputs_done:
            order.append(node)
        elif node not in seen and wanted(node):
            seen.add(node)
            stack.append((node, True))
            if node.parent:
                stack += [(x, False) for x in reversed(node.parent.inputs)]
    return order


def downstream(node):
    """Collect all nodes that depend on a node, directly or indirectly."""
    found, stack = set(), node.users()
    while stack:
        node = stack.pop()
        if node not in found:
            found.add(node)
            stack += node.users()
    return found


def check_filled(asked, missing):
    """Raise an error, before anything is computed, if inputs are not filled."""
    empty = [node for node in missing if node.parent is None]
    if not empty:
        return
    complaints = []
    for node in empty:
        users = [user for user in missing if takes(user, node)]
        needed_by = five(formula(user) for user in users)
        complaints.append(
            f"{node.label} (needed by {needed_by})" if users else node.label
        )
    raise ValueError(
        f"{asked.label} cannot be evaluated, because inputs are not filled: "
        f"{five(complaints)}. "
        f"Fill them first, as in {empty[0].label}.fill(np.array(...))"
    )


def five(words):
    """Join the first five words, for a message."""
    words = list(words)
    return ", ".join(words[:5]) + ", …" * (len(words) > 5)


def takes(node, x):
    """Return whether x is an input of a node."""
    return node.parent is not None and any(x is given for given in node.parent.inputs)


def computed(node):
    """Compute a node's value with its parent; all inputs must have values."""
    values = [x.value for x in node.parent.inputs]
    try:
        value = node.parent.compute(*values)
    except ValueError as error:
        raise ValueError(why_not(node, error)) from None
    node.parent.runs += 1
    return frozen(np.asarray(value))


def why_not(node, error):
    if "read-only" in str(error):
        return f"{formula(node)} writes into its input: let it make a new array"
    shapes = ", ".join(f"{x.label} {np.shape(x.value)}" for x in node.parent.inputs)
    return f"{formula(node)} cannot be computed from the shapes {shapes}: {error}"


# --- Operations -----------------------------------------------------------------------


class Operation:
    """A computation that waits until somebody asks.

    ``compute`` turns values into a value when you ask; ``gradient`` makes nodes when
    you build.
    """

    # Whether compute stretches its inputs to a common shape, as NumPy does for + − × ÷.
    broadcasts = False

    def __init__(self, *inputs):
        self.inputs = tuple(as_node(x) for x in inputs)
        self.runs = 0

    def compute(self, *values):
        raise NotImplementedError(
            f"{type(self).__name__} needs a compute(self, a, ...)"
        )

    def gradient(self, g, y):
        """Return the inputs' gradients (nodes or None) from g, the gradient of y."""
        raise NotImplementedError(f"{type(self).__name__} needs a gradient(self, g, y)")


class Add(Operation):
    """a + b"""

    broadcasts = True

    def compute(self, a, b):
        return a + b

    def gradient(self, g, y):
        return g, g


class Subtract(Operation):
    """a − b"""

    broadcasts = True

    def compute(self, a, b):
        return a - b

    def gradient(self, g, y):
        return g, -g


class Multiply(Operation):
    """a · b"""

    broadcasts = True

    def compute(self, a, b):
        return a * b

    def gradient(self, g, y):
        a, b = self.inputs
        return g * b, g * a


class Divide(Operation):
    """a / b"""

    broadcasts = True

    def compute(self, a, b):
        return a / b

    def gradient(self, g, y):
        _, b = self.inputs
        return g / b, -g * y / b


class Negate(Operation):
    """−a"""

    def compute(self, a):
        return -a

    def gradient(self, g, y):
        return (-g,)


class Power(Operation):
    """a to the power of c, a number"""

    def __init__(self, a, c):
        super().__init__(a)
        self.c = c

    def compute(self, a):
        return a**self.c

    def gradient(self, g, y):
        # For c = 0, the formula below would compute 0 · a ** −1, which is nan at a = 0.
        return (g * self.c * self.inputs[0] ** (self.c - 1),) if self.c else (None,)


class MatMul(Operation):
    """The product of two matrices"""

    def compute(self, a, b):
        if np.ndim(a) != 2 or np.ndim(b) != 2:
            raise ValueError("matmul needs two matrices")
        return a @ b

    def gradient(self, g, y):
        a, b = self.inputs
        return g @ transpose(b), transpose(a) @ g


class Transpose(Operation):
    """Rows become columns"""

    def compute(self, a):
        return np.transpose(a)

    def gradient(self, g, y):
        return (transpose(g),)


class Exp(Operation):
    """e to the power of a"""

    def compute(self, a):
        return np.exp(a)

    def gradient(self, g, y):
        return (g * y,)


class Log(Operation):
    """The natural logarithm"""

    def compute(self, a):
        return np.log(a)

    def gradient(self, g, y):
        return (g / self.inputs[0],)


class Tanh(Operation):
    """The hyperbolic tangent"""

    def compute(self, a):
        return np.tanh(a)

    def gradient(self, g, y):
        return (g * (1 - y * y),)


class Sigmoid(Operation):
    """1 / (1 + e⁻ᵃ), precise even for small results"""

    def compute(self, a):
        small = np.exp(-np.abs(a))  # never overflows
        return np.where(a >= 0, 1, small) / (1 + small)

    def gradient(self, g, y):
        return (g * y * (1 - y),)


class LogSumExp(Operation):
    """log(Σ exp a) along the last axis, which keeps length 1; never overflows"""

    def compute(self, a):
        largest = np.max(a, axis=-1, keepdims=True)
        return largest + np.log(np.exp(a - largest).sum(axis=-1, keepdims=True))

    def gradient(self, g, y):
        return (g * exp(self.inputs[0] - y),)


class Total(Operation):
    """The sum of all elements, or along one axis, which keeps length 1"""

    def __init__(self, a, axis):
        super().__init__(a)
        self.axis = axis

    def compute(self, a):
        return np.sum(a, axis=self.axis, keepdims=self.axis is not None)

    def gradient(self, g, y):
        return (Placeholder(parent=Stretch(g, self.inputs[0])),)


class Stretch(Operation):
    """a, repeated to the shape of b"""

    def compute(self, a, b):
        return np.broadcast_to(a, np.shape(b))

    def gradient(self, g, y):
        return Placeholder(parent=Shrink(g, self.inputs[0])), None


class Shrink(Operation):
    """a, summed to the shape of b: the backward pass of Stretch"""

    def compute(self, a, b):
        shape = np.shape(b)
        front = np.ndim(a) - len(shape)
        repeated = [front + i for i, n in enumerate(shape) if n != a.shape[front + i]]
        axes = (*range(front), *repeated)
        return a.sum(axis=axes).reshape(shape) if axes else a

    def gradient(self, g, y):
        return Placeholder(parent=Stretch(g, self.inputs[0])), None


class FullLike(Operation):
    """An array of the shape of a, filled with one number"""

    def __init__(self, a, number):
        super().__init__(a)
        self.number = number

    def compute(self, a):
        return np.full_like(a, self.number)

    def gradient(self, g, y):
        return (None,)


class Size(Operation):
    """The number of elements of a"""

    def compute(self, a):
        return np.array(np.size(a), dtype=np.asarray(a).dtype)

    def gradient(self, g, y):
        return (None,)


# --- Plain functions to call ----------------------------------------------------------


def add(a, b):
    return Placeholder(parent=Add(a, b))


def subtract(a, b):
    return Placeholder(parent=Subtract(a, b))


def multiply(a, b):
    return Placeholder(parent=Multiply(a, b))


def divide(a, b):
    return Placeholder(parent=Divide(a, b))


def negate(a):
    return Placeholder(parent=Negate(a))


def power(a, c):
    if not isinstance(c, int | float):
        raise TypeError(f"a ** c needs a number for c, not type {type(c).__name__}")
    return Placeholder(parent=Power(a, c))


def matmul(a, b):
    return Placeholder(parent=MatMul(a, b))


def transpose(a):
    return Placeholder(parent=Transpose(a))


def exp(a):
    return Placeholder(parent=Exp(a))


def log(a):
    return Placeholder(parent=Log(a))


def tanh(a):
    return Placeholder(parent=Tanh(a))


def sigmoid(a):
    return Placeholder(parent=Sigmoid(a))


def logsumexp(a):
    return Placeholder(parent=LogSumExp(a))


def total(a, axis=None):
    return Placeholder(parent=Total(a, axis))


def mean(a):
    return total(a) / Placeholder(parent=Size(a))


Node.__add__ = add
Node.__radd__ = lambda a, b: add(b, a)
Node.__sub__ = subtract
Node.__rsub__ = lambda a, b: subtract(b, a)
Node.__mul__ = multiply
Node.__rmul__ = lambda a, b: multiply(b, a)
Node.__truediv__ = divide
Node.__rtruediv__ = lambda a, b: divide(b, a)
Node.__matmul__ = matmul
Node.__rmatmul__ = lambda a, b: matmul(b, a)
Node.__pow__ = power
Node.__neg__ = negate


# --- Gradients ------------------------------------------------------------------------


def gradients(y, variables):
    """Build the gradients of the sum of y: a list with one node for each variable."""
    check_variables(y, variables)
    order = upstream(y, lambda node: True)
    depends = set(variables)
    for node in order:
        if node.parent and depends & set(node.parent.inputs):
            depends.add(node)

    found = {y: full_like(y, 1.0)}
    for node in reversed(order):
        if node.parent is None or node not in depends or node not in found:
            continue
        operation = node.parent
        given = operation.gradient(found[node], node)
        for x, gx in zip(operation.inputs, given, strict=True):
            if x in depends and gx is not None:
                gx = Placeholder(parent=Shrink(gx, x)) if operation.broadcasts else gx
                found[x] = found[x] + gx if x in found else gx
    return [found[x] if x in found else full_like(x, 0.0) for x in variables]


def check_variables(y, variables):
    if isinstance(variables, Node):
        raise TypeError("gradients needs a list of variables, as in gradients(y, [w])")
    for x in (y, *variables):
        if not isinstance(x, Node):
            kind = type(x).__name__
            raise TypeError(f"gradients(y, [w]) is for nodes, not for type {kind}")
    behind_y = set(upstream(y, lambda node: True))
    for x in variables:
        if x not in behind_y:
            raise ValueError(f"{formula(y)} does not depend on {formula(x)}")


def full_like(a, number):
    return Placeholder(parent=FullLike(a, number))
