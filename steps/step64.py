"""Step 64: sessions: a graph that is only drawn, and sessions that run it."""

import contextlib
import threading
from collections import deque

import numpy as np

__all__ = [
    "GradientDescentOptimizer",
    "Graph",
    "Node",
    "Operation",
    "Session",
    "add",
    "assign",
    "compute_gradients",
    "constant",
    "divide",
    "get_default_graph",
    "log",
    "matmul",
    "multiply",
    "negative",
    "placeholder",
    "reduce_sum",
    "sigmoid",
    "square",
    "transpose",
    "variable",
]


# --- The graph ------------------------------------------------------------------------


class Graph:
    """A list of nodes and their connections, without values."""

    def __init__(self):
        self.nodes = []
        # From each name in use to the number that makes the next such name unique.
        self._names = {}
        self._finalized = False

    @contextlib.contextmanager
    def as_default(self):
        """Draw new nodes into this graph within a ``with`` block."""
        _defaults.graphs.append(self)
        try:
            yield self
        finally:
            _defaults.graphs.pop()

    def finalize(self):
        """Accept no more nodes, so that building in a loop raises an error."""
        self._finalized = True

    def enter(self, node, name):
        """Add a node; return its number and a unique name."""
        if self._finalized:
            raise RuntimeError(f"the graph is finalized: build {name!r} before that")
        unique = name
        while unique in self._names:
            unique = f"{name}_{self._names[name]}"
            self._names[name] += 1
        self._names[unique] = 1
        self.nodes.append(node)
        return len(self.nodes) - 1, unique


class Defaults(threading.local):
    """The stack of default graphs of a thread; the last one is current.

    ``threading.local`` gives each thread a separate stack.
    """

    def __init__(self):
        self.graphs = [Graph()]


_defaults = Defaults()


def get_default_graph():
    """Return the graph that gets new constants, variables and placeholders."""
    return _defaults.graphs[-1]


class Node:
    """A node of a graph, which knows its inputs and its consumers."""

    __array_ufunc__ = None  # so that NumPy leaves array * node to Node.__rmul__

    def __init__(self, graph, inputs=(), name=None):
        self.graph = graph
        self.number, self.name = graph.enter(self, name or type(self).__name__.lower())
        self.inputs = inputs
        self.consumers = []
        for node in inputs:
            node.consumers.append(self)

    def __repr__(self):
        return f"<{type(self).__name__} {self.name!r}>"


def no_value(node, *others, **options):
    raise TypeError(
        f"{node!r} has no value, is neither true nor false, and cannot be compared: "
        "run it"
    )


Node.__bool__ = Node.__array__ = Node.__eq__ = Node.__ne__ = no_value
Node.__lt__ = Node.__le__ = Node.__gt__ = Node.__ge__ = no_value


# --- Where values come from -----------------------------------------------------------


def as_array(value):
    """Copy the numbers in ``value`` into a read-only array of floats."""
    try:
        array = np.array(value)
    except ValueError:  # rows of unequal length
        array = np.array(None)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"numbers are needed here, not {value!r}")
    return frozen(array.astype(float))


def frozen(array):
    """Return a read-only view of an array."""
    array = array.view()
    array.flags.writeable = False
    return array


class Constant(Node):
    """A value that never changes."""

    def __init__(self, value, name=None):
        self.value = as_array(value)
        super().__init__(get_default_graph(), name=name)


class Variable(Node):
    """A value that a session keeps from run to run, with its initial value."""

    def __init__(self, initial, name=None):
        self.initial = as_array(initial)
        super().__init__(get_default_graph(), name=name)


class Placeholder(Node):
    """A value that each run gets from its feed. None in the shape means any length."""

    def __init__(self, shape=None, name=None):
        if shape is not None and not isinstance(shape, tuple | list):
            raise TypeError(f"a shape is a tuple such as (None, 3), not {shape!r}")
        self.shape = None if shape is None else tuple(shape)
        super().__init__(get_default_graph(), name=name)

    def fits(self, shape):
        if self.shape is None:
            return True
        if len(shape) != len(self.shape):
            return False
        return all(mine in (None, n) for mine, n in zip(self.shape, shape, strict=True))


def constant(value, name=None):
    return Constant(value, name)


def variable(initial, name=None):
    return Variable(initial, name)


def placeholder(shape=None, name=None):
    return Placeholder(shape, name)


# --- Operations -----------------------------------------------------------------------


class Operation(Node):
    """A node computed from other nodes; numbers and arrays become constants."""

    def __init__(self, *inputs, name=None):
        graph = self._graph_of(inputs)
        with graph.as_default():
            nodes = tuple(x if isinstance(x, Node) else Constant(x) for x in inputs)
        super().__init__(graph, nodes, name)

    def _graph_of(self, inputs):
        nodes = [x for x in inputs if isinstance(x, Node)]
        if not nodes:
            return get_default_graph()
        for node in nodes:
            if isinstance(node, Assign):
                raise TypeError(f"{node!r} writes variables and so has no value")
            if node.graph is not nodes[0].graph:
                raise ValueError(
                    f"{nodes[0]!r} and {node!r} belong to different graphs"
                )
        return nodes[0].graph

    def compute_output(self, *values):
        """Compute an array from arrays."""
        raise NotImplementedError(f"{self!r} needs a compute_output(self, *values)")

    def compute_gradient(self, grad=None):
        """Draw the inputs' gradients from the output's gradient (None: ones)."""
        return self.gradient(Ones(self) if grad is None else grad)

    def gradient(self, grad):
        """Draw the inputs' gradients, a tuple of nodes, from the node ``grad``."""
        raise NotImplementedError(f"{self!r} needs a gradient(self, grad)")


class Add(Operation):
    def compute_output(self, a, b):
        return a + b

    def gradient(self, grad):
        a, b = self.inputs
        return SumLike(grad, a), SumLike(grad, b)


class Multiply(Operation):
    def compute_output(self, a, b):
        return a * b

    def gradient(self, grad):
        a, b = self.inputs
        return SumLike(grad * b, a), SumLike(grad * a, b)


class Divide(Operation):
    def compute_output(self, a, b):
        return a / b

    def gradient(self, grad):
        a, b = self.inputs
        return SumLike(grad / b, a), SumLike(-grad * self / b, b)


class Negative(Operation):
    def compute_output(self, x):
        return -x

    def gradient(self, grad):
        return (-grad,)


class MatMul(Operation):
    """The product of two matrices, or of two stacks of them."""

    def compute_output(self, a, b):
        if min(a.ndim, b.ndim) < 2:
            raise ValueError("a matrix product needs two axes on both sides")
        return a @ b

    def gradient(self, grad):
        a, b = self.inputs
        return SumLike(grad @ transpose(b), a), SumLike(transpose(a) @ grad, b)


class Transpose(Operation):
    """x with its last two axes exchanged."""

    def compute_output(self, x):
        return np.swapaxes(x, -1, -2)

    def gradient(self, grad):
        return (transpose(grad),)


class Square(Operation):
    def compute_output(self, x):
        return x * x

    def gradient(self, grad):
        return (2 * grad * self.inputs[0],)


class Sigmoid(Operation):
    def compute_output(self, x):
        small = np.exp(-np.abs(x))  # never overflows
        return np.where(x >= 0, 1.0, small) / (1 + small)

    def gradient(self, grad):
        return (grad * self * (1 - self),)


class Log(Operation):
    def compute_output(self, x):
        return np.log(x)

    def gradient(self, grad):
        return (grad / self.inputs[0],)


class ReduceSum(Operation):
    def __init__(self, x, axis=None, name=None):
        self.axis = axis
        super().__init__(x, name=name)

    def compute_output(self, x):
        return np.sum(x, axis=self.axis)

    def gradient(self, grad):
        return (SpreadLike(grad, self.inputs[0], self.axis),)


class SumLike(Operation):
    """Undoes broadcasting: sums x over the axes where ``template`` was stretched."""

    def compute_output(self, x, template):
        extra = x.ndim - template.ndim
        lengths = enumerate(template.shape, start=extra)
        stretched = [axis for axis, length in lengths if length != x.shape[axis]]
        return np.sum(x, axis=(*range(extra), *stretched)).reshape(template.shape)

    def gradient(self, grad):
        x, template = self.inputs
        return SpreadLike(grad, x), SpreadLike(0.0, template)


class SpreadLike(Operation):
    """Undoes a sum: repeats x along ``axis``, or broadcasts it, to the shape of
    ``template``.
    """

    def __init__(self, x, template, axis=None):
        self.axis = axis
        super().__init__(x, template)

    def compute_output(self, x, template):
        if self.axis is not None:
            x = np.expand_dims(x, self.axis)
        return np.broadcast_to(x, template.shape)

    def gradient(self, grad):
        x, template = self.inputs
        back = SumLike(grad, x) if self.axis is None else reduce_sum(grad, self.axis)
        return back, SpreadLike(0.0, template)


def add(a, b, name=None):
    return Add(a, b, name=name)


def multiply(a, b, name=None):
    return Multiply(a, b, name=name)


def divide(a, b, name=None):
    return Divide(a, b, name=name)


def negative(x, name=None):
    return Negative(x, name=name)


def matmul(a, b, name=None):
    return MatMul(a, b, name=name)


def transpose(x, name=None):
    return Transpose(x, name=name)


def square(x, name=None):
    return Square(x, name=name)


def sigmoid(x, name=None):
    return Sigmoid(x, name=name)


def log(x, name=None):
    return Log(x, name=name)


def reduce_sum(x, axis=None, name=None):
    return ReduceSum(x, axis, name=name)


def subtract(a, b):
    with a.graph.as_default():  # a number becomes a constant of the same graph
        return add(a, negative(b))


Node.__add__ = add
Node.__radd__ = lambda b, a: add(a, b)
Node.__sub__ = subtract
Node.__rsub__ = lambda b, a: add(a, negative(b))
Node.__mul__ = multiply
Node.__rmul__ = lambda b, a: multiply(a, b)
Node.__truediv__ = divide
Node.__rtruediv__ = lambda b, a: divide(a, b)
Node.__matmul__ = matmul
Node.__rmatmul__ = lambda b, a: matmul(a, b)
Node.__neg__ = negative


# --- The session ----------------------------------------------------------------------


class Session:
    """Runs parts of one graph and keeps the values of its variables in between."""

    def __init__(self, graph=None):
        self.graph = get_default_graph() if graph is None else graph
        self._variables = {}
        self._values = {}  # of the last run
        self._plans = {}
        self._closed = False

    def run(self, fetches, feed_dict=None):
        """Compute a node, or each of a list, and what they need, once each.

        Every computation sees the variables as they were before the run. Assignments
        are written at its end.
        """
        wanted = tuple(fetches) if isinstance(fetches, list | tuple) else (fetches,)
        check_nodes(self, wanted, "fetches")
        self._values = {}
        plan = self._plan(wanted)
        values = fed(self, feed_dict or {}, plan)
        for node in plan:
            if isinstance(node, Variable):
                values[node] = self._variables.setdefault(node, node.initial)
            elif node not in values:
                values[node] = computed(node, values)
        self._variables |= assigned(plan, values)
        self._values = values
        results = [self.value(node) for node in wanted]
        return results if isinstance(fetches, list | tuple) else results[0]

    def value(self, node):
        """Return a copy of the value that the last run computed for a node."""
        check_nodes(self, [node], "value")
        if node not in self._values:
            raise ValueError(f"the last run did not compute {node!r}")
        return None if isinstance(node, Assign) else np.array(self._values[node])

    def _plan(self, wanted):
        # A node is younger than its inputs, so nodes can run in the order of their
        # numbers.
        if wanted not in self._plans:
            plan = sorted(ancestors(wanted), key=lambda node: node.number)
            self._plans[wanted] = plan
        return self._plans[wanted]

    def close(self):
        """Free the values; other sessions can still use the graph."""
        self._variables, self._values, self._plans = {}, {}, {}
        self._closed = True

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


def ancestors(nodes):
    """Collect the nodes and all that they are computed from, in a set."""
    found, worklist = set(nodes), list(nodes)
    while worklist:
        new = set(worklist.pop().inputs) - found
        found |= new
        worklist += new
    return found


def computed(node, values):
    """Compute the value of a constant or an operation."""
    if isinstance(node, Constant):
        return node.value
    taken = [values[given] for given in node.inputs]
    try:
        output = node.compute_output(*taken)
    except ValueError as error:
        raise ValueError(why_not(node, taken, error)) from error
    return output if isinstance(node, Assign) else frozen(np.asarray(output))


def assigned(plan, values):
    """Collect what the assignments write: a dict from variables to values."""
    new = {}
    for node in plan:
        if isinstance(node, Assign):
            for target, value in zip(node.variables, values[node], strict=True):
                if target in new:
                    raise ValueError(
                        f"{target!r} would be written more than once in this run"
                    )
                new[target] = value
    return new


def check_nodes(session, nodes, where):
    if session._closed:
        raise RuntimeError(
            "this session is closed and its values are freed: open another"
        )
    for node in nodes:
        if not isinstance(node, Node):
            raise TypeError(f"{where} holds nodes of the graph, not {node!r}")
        if node.graph is not session.graph:
            raise ValueError(
                f"{node!r} belongs to a different graph from this session's"
            )


def fed(session, feed_dict, plan):
    """Check the feed and return its values; raise an error if one is missing."""
    check_nodes(session, feed_dict, "feed_dict")
    values = {}
    for node, value in feed_dict.items():
        if not isinstance(node, Placeholder):
            raise TypeError(f"{node!r} cannot be fed, because only placeholders can")
        values[node] = as_array(value)
        shape = values[node].shape
        if not node.fits(shape):
            raise ValueError(f"{node!r} has the shape {node.shape} and was fed {shape}")
    for node in plan:
        if isinstance(node, Placeholder) and node not in values:
            users = {repr(user) for user in set(node.consumers) & set(plan)}
            need = f"needed by {five(sorted(users))}" if users else "fetched"
            raise ValueError(f"{node!r} is {need} and was not fed: put it in feed_dict")
    return values


def five(words):
    """Join the first five words, for a message."""
    words = list(words)
    return ", ".join(words[:5]) + ", …" * (len(words) > 5)


def why_not(node, taken, error):
    if "read-only" in str(error):
        return f"{node!r} writes into its input: let it make a new array"
    pairs = zip(node.inputs, taken, strict=True)
    shapes = ", ".join(f"{given!r} {array.shape}" for given, array in pairs)
    return f"{node!r} of {shapes}: {error}"


# --- Training -------------------------------------------------------------------------


class Ones(Operation):
    """The first gradient: the derivative of a sum with respect to each term."""

    def compute_output(self, loss):
        return np.ones_like(loss)

    def gradient(self, grad):
        return (SpreadLike(0.0, self.inputs[0]),)


class Gradients(dict):
    """A dict from nodes to the nodes of their gradients."""

    def __missing__(self, node):
        raise ValueError(f"the loss does not depend on {node!r}")


def compute_gradients(loss):
    """Draw the gradients of ``loss``, or of its sum if it is not a single number.

    Returns a dict from every node behind the loss to the node of its gradient.
    """
    if not isinstance(loss, Node):
        raise TypeError(f"gradients are drawn for a node, not for {loss!r}")
    part = ancestors([loss])
    waiting = {node: sum(user in part for user in node.consumers) for node in part}
    arrived = {node: [] for node in part}
    arrived[loss].append(Ones(loss))
    gradients, queue = Gradients(), deque([loss])
    while queue:
        node = queue.popleft()
        gradients[node] = total(arrived[node])
        if not isinstance(node, Operation):
            continue
        parts = parts_of(node, gradients[node])
        for given, grad in zip(node.inputs, parts, strict=True):
            arrived[given].append(grad)
            waiting[given] -= 1
            if waiting[given] == 0:  # all consumers have been visited
                queue.append(given)
    return gradients


def parts_of(node, grad):
    """Draw the gradients that a node passes on to its inputs."""
    parts = node.compute_gradient(grad)
    if parts is None:
        raise TypeError(f"{node!r} has a gradient that returns nothing")
    return parts


def total(nodes):
    """Draw the sum of the nodes."""
    result, *others = nodes
    for node in others:
        result = add(result, node)
    return result


class Assign(Operation):
    """Writes variables at the end of the run that computes it; its value is None."""

    def __init__(self, variables, values, name=None):
        for target in variables:
            if not isinstance(target, Variable):
                raise TypeError(f"only variables can be assigned to, not {target!r}")
        self.variables = tuple(variables)
        super().__init__(*variables, *values, name=name)

    def compute_output(self, *arrays):
        old, new = arrays[: len(self.variables)], arrays[len(self.variables) :]
        for target, before, after in zip(self.variables, old, new, strict=True):
            if before.shape != after.shape:
                shapes = f"{before.shape}, and its new value {after.shape}"
                raise ValueError(f"{target!r} has the shape {shapes}")
        return new


def assign(target, value, name=None):
    """Draw a node that gives a variable a new value."""
    return Assign([target], [value], name=name)


class GradientDescentOptimizer:
    """Steps against the gradient. The learning rate is a number or a node."""

    def __init__(self, learning_rate):
        self.learning_rate = learning_rate

    def minimize(self, loss, variables=None):
        """Draw one training step, for these variables or for all behind the loss."""
        gradients = compute_gradients(loss)
        if variables is None:
            variables = [node for node in loss.graph.nodes if node in gradients]
            variables = [node for node in variables if isinstance(node, Variable)]
        if not variables:
            raise ValueError(f"{loss!r} depends on no variable: nothing to minimize")
        values = [node - self.learning_rate * gradients[node] for node in variables]
        return Assign(variables, values, name="minimize")
