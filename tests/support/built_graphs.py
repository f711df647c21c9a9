"""What the tests of designs that build a graph first share (steps 61 to 64): formulas
and shapes to try, random graphs, and gradients by differences to judge them by.

A formula is written once, with operators and with the functions of a step's module.
"""

import numpy as np
from hypothesis import strategies as st

from tests.support.arrays import uniform

SHAPES = [
    ((2, 3), (2, 3)),
    ((2, 3), (3,)),
    ((2, 3), ()),
    ((2, 1), (1, 3)),
    ((1,), (2, 3)),
    ((1, 1), ()),
    ((3,), (2, 1)),
]
BINARY = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
}


def positive(shape, seed=0):
    return uniform(*shape, high=2, seed=seed)


def differences(value_at, start, eps=1e-5):
    """The gradient of the sum of what a function of an array returns, by central
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


def assert_like_differences(found, value_at, start, tolerance=1e-5):
    """A gradient has shape and dtype of what it belongs to, and the right numbers."""
    assert found.shape == start.shape
    assert found.dtype == start.dtype
    np.testing.assert_allclose(
        found, differences(value_at, start), rtol=tolerance, atol=tolerance
    )


def on_both_sides(w, a):
    """Every operator with an array or a number on either side; w may be an array."""
    signs = BINARY.values()
    mixed = [sign(*pair) for sign in signs for pair in ((w, a), (a, w))]
    return [*mixed, -w, w**2, 2 * w, 1 - w, 1 / w]


def unary(m):
    """Formulas of one argument, which is positive, in the words of a module."""
    return {
        "negate": lambda a: -a,
        "square": lambda a: a**2,
        "root": lambda a: a**0.5,
        "inverse": lambda a: a**-1,
        "itself": lambda a: a**1,
        "one": lambda a: a**0 + a,
        "exp": m.exp,
        "log": m.log,
        "tanh": m.tanh,
        "sigmoid": m.sigmoid,
        "logsumexp": m.logsumexp,
        "total": m.total,
        "rows": lambda a: m.total(a, axis=0),
        "columns": lambda a: m.total(a, axis=1),
        "last axis": lambda a: m.total(a, axis=-1),
        "mean": m.mean,
        "transpose": m.transpose,
    }


def smooth(m):
    """Formulas of two arguments, smooth everywhere and of moderate size, so that
    differences can judge them.
    """
    return [
        lambda a, b: a * 0.5 + b,
        lambda a, b: a - b * 0.5,
        lambda a, b: m.tanh(a) * m.tanh(b),
        lambda a, b: a / (b * b + 1),
        lambda a, b: m.tanh(a),
        lambda a, b: m.exp(m.tanh(a)),
        lambda a, b: m.log(b * b + 1),
        lambda a, b: m.sigmoid(a - b),
        lambda a, b: m.total(a) * 0.2,
        lambda a, b: m.mean(a) * m.tanh(b),
        lambda a, b: m.tanh(a) ** 3,
    ]


def drawn_leaves(data, variable):
    """One to three variables with arrays of random shapes."""
    shapes = st.sampled_from([(), (3,), (2, 3), (2, 1), (1, 3)])
    count = data.draw(st.integers(1, 3))
    return [variable(positive(data.draw(shapes), i), f"w{i}") for i in range(count)]


def drawn_nodes(data, leaves, m, changed=lambda made, a: made):
    """The leaves, and up to eight smooth formulas of what is there already.

    What is made of `a` and another passes through ``changed(made, a)``.
    """
    nodes = list(leaves)
    for _ in range(data.draw(st.integers(1, 8))):
        pick = st.integers(0, len(nodes) - 1)
        a, b = nodes[data.draw(pick)], nodes[data.draw(pick)]
        nodes.append(changed(data.draw(st.sampled_from(smooth(m)))(a, b), a))
    return nodes
