"""Code that the tests of designs that build a graph first share (steps 61 to 64): each
design behind the same interface, formulas and shapes to try, random graphs, and
gradients by differences to compare with.

A formula is written once, with operators and with the functions of a step's module.
"""

from operator import add, mul, sub, truediv
from types import SimpleNamespace

import numpy as np
from hypothesis import strategies as st

from steps import step61, step62, step63, step64
from tests.support.arrays import uniform


class Nodes:
    """Step 61: nodes that keep their values."""

    words = step61
    gradients = staticmethod(step61.gradients)
    empty = staticmethod(step61.Placeholder)

    def variable(self, value, name="w"):
        return step61.Variable(np.asarray(value), name)

    def get(self, x):
        return x.value

    def set(self, x, array):
        x.update(array)

    def program(self, nodes):
        """Return a function that computes the current values of nodes."""
        return lambda: [node.eval() for node in nodes]

    def operation(self, compute, x):
        """Make a node that a function of arrays computes from another."""
        made = type("Made", (step61.Operation,), {"compute": staticmethod(compute)})
        return step61.Placeholder(parent=made(x))


class Functions:
    """Steps 62 and 63: functions compiled from expressions."""

    def __init__(self, module):
        self.words, self.empty = module, module.scalar

    def variable(self, value, name="w"):
        return self.words.Shared(np.asarray(value), name)

    def gradients(self, y, xs):
        return self.words.grad(self.words.total(y), xs)

    def get(self, x):
        return x.get_value()

    def set(self, x, array):
        x.set_value(array)

    def program(self, nodes):
        return self.words.function([], nodes)

    def operation(self, compute, x):
        words = self.words
        return words.apply(words.Op("made", compute, words.same), x)


class Sessions:
    """Step 64: the default graph, with feeds. It supports fewer formulas, or other
    names.
    """

    words = SimpleNamespace(
        log=step64.log,
        sigmoid=step64.sigmoid,
        square=step64.square,
        tanh=lambda x: 2 * step64.sigmoid(2 * x) - 1,
        total=step64.reduce_sum,
        transpose=step64.transpose,
    )

    def __init__(self):
        self.fed = {}

    def empty(self, name):
        return step64.placeholder(name=name)

    def variable(self, value, name="w"):
        x = step64.placeholder(name=name)
        self.fed[x] = np.array(value, dtype=float)
        return x

    def gradients(self, y, xs):
        found = step64.compute_gradients(y)
        return [found[x] for x in xs]

    def get(self, x):
        return self.fed[x]

    def set(self, x, array):
        self.fed[x] = array

    def program(self, nodes):
        session = step64.Session()
        return lambda: session.run(nodes, self.fed)

    def operation(self, compute, x):
        methods = {"compute_output": staticmethod(compute)}
        return type("Made", (step64.Operation,), methods)(x)


WAYS = {
    "step 61": Nodes,
    "step 62": lambda: Functions(step62),
    "step 63": lambda: Functions(step63),
    "step 64": Sessions,
}


def assert_gradients(built, y, variables, tolerance=1e-5):
    """Check that the gradients of the sum of y agree with differences, and have the
    shape and dtype of their variables.
    """
    value = built.program([y])

    def value_at(array):
        built.set(variable, array)
        return value()[0]

    slopes = built.program(built.gradients(y, variables))()
    for variable, found in zip(variables, slopes, strict=True):
        start = built.get(variable)
        assert found.shape == start.shape
        assert found.dtype == start.dtype
        right = differences(value_at, start)
        np.testing.assert_allclose(found, right, rtol=tolerance, atol=tolerance)
        built.set(variable, start)


def differences(value_at, start, eps=1e-5):
    """Return the gradient of the sum of an array function's result, by central
    differences.
    """
    gradient = np.zeros(start.shape)
    for index in np.ndindex(start.shape):
        sums = []
        for step in (eps, -eps):
            moved = start.copy()
            moved[index] += step
            sums.append(np.sum(value_at(moved)))
        gradient[index] = (sums[0] - sums[1]) / (2 * eps)
    return gradient


SHAPES = [
    ((2, 3), (2, 3)),
    ((2, 3), (3,)),
    ((2, 3), ()),
    ((2, 1), (1, 3)),
    ((1,), (2, 3)),
    ((1, 1), ()),
    ((3,), (2, 1)),
    ((2, 1, 3), (4, 1)),
    ((0,), (1,)),
]
BINARY = {"+": add, "-": sub, "*": mul, "/": truediv}


def positive(shape, seed=0):
    return uniform(*shape, high=2, seed=seed)


def on_both_sides(w, a):
    """Apply every operator with an array or a number on either side; w may be
    an array.
    """
    signs = BINARY.values()
    mixed = [sign(*pair) for sign in signs for pair in ((w, a), (a, w))]
    return [*mixed, -w, w * w, 2 * w, 1 - w, 1 / w, np.float64(2) * w]


def unary(words):
    """List formulas of one positive argument, with everything that a design
    supports.
    """
    formulas = {
        "negate": lambda a: -a,
        "rows": lambda a: words.total(a, axis=0),
        "columns": lambda a: words.total(a, axis=1),
        "last axis": lambda a: words.total(a, axis=-1),
    }
    if hasattr(words, "power"):
        formulas |= {
            "square": lambda a: a**2,
            "root": lambda a: a**0.5,
            "inverse": lambda a: a**-1,
            "itself": lambda a: a**1,
            "one": lambda a: a**0 + a,
        }
    if hasattr(words, "square"):
        formulas["square"] = words.square
        formulas["two axes"] = lambda a: words.total(a, axis=(0, 1))
    names = ("exp", "log", "tanh", "sigmoid", "logsumexp", "total", "mean", "transpose")
    named = {name: getattr(words, name) for name in names if hasattr(words, name)}
    return formulas | named


def smooth(words):
    """List formulas of two arguments, smooth everywhere and of moderate size, so that
    differences are accurate.
    """
    ones = np.ones((2, 3))
    formulas = [
        lambda a, b: a * 0.5 + b,
        lambda a, b: a - b * 0.5,
        lambda a, b: words.tanh(a) * words.tanh(b),
        lambda a, b: a / (b * b + 1),
        lambda a, b: words.tanh(a),
        lambda a, b: words.log(b * b + 1),
        lambda a, b: words.sigmoid(a - b),
        lambda a, b: words.total(a) * 0.2,
        lambda a, b: words.total((ones * a) @ words.transpose(ones * b)) / 9 - a,
    ]
    if hasattr(words, "exp"):
        formulas += [
            lambda a, b: words.exp(words.tanh(a)),
            lambda a, b: words.mean(a) * words.tanh(b),
            lambda a, b: words.tanh(a) ** 3,
        ]
    return formulas


def drawn_leaves(data, variable):
    """Make one to three variables with arrays of random shapes."""
    shapes = st.sampled_from([(), (3,), (1,), (2, 3), (2, 1), (1, 3)])
    count = data.draw(st.integers(1, 3))
    return [variable(positive(data.draw(shapes), i), f"w{i}") for i in range(count)]


def drawn_sum(data, leaves, words, changed=lambda made, a: made):
    """Return the sum of the leaves and of up to eight smooth formulas of existing
    nodes.

    Anything made from `a` and another node passes through ``changed(made, a)``.
    """
    nodes = list(leaves)
    for _ in range(data.draw(st.integers(1, 8))):
        pick = st.integers(0, len(nodes) - 1)
        a, b = nodes[data.draw(pick)], nodes[data.draw(pick)]
        nodes.append(changed(data.draw(st.sampled_from(smooth(words)))(a, b), a))
    return sum(words.total(words.tanh(node)) for node in nodes)
