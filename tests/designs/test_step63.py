"""Step 63: branches. A switch computes one of them, and its gradient flows there."""

import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steps import step63
from steps.step63 import Shared, function, log, switch, total, vector
from tests.support.arrays import assert_equal
from tests.support.built_graphs import WAYS, assert_gradients, drawn_leaves, drawn_sum


@pytest.mark.parametrize("name", ["gt", "ge", "lt", "le"])
def test_comparisons_are_expressions(name):
    compare = getattr(operator, name)
    x, a = vector("x"), np.array([1.0, 2.0, 3.0])
    f = function([x], [compare(x, 2.0), compare(2.0, x), compare(a, x)])
    value = np.array([1.0, 2.0, 4.0])
    right = [compare(value, 2.0), compare(2.0, value), compare(a, value)]
    for found, expected in zip(f(value), right, strict=True):
        assert found.dtype == bool
        assert_equal(found, expected)


def drawn_graph(data, leaves):
    """Make a random graph with switches, whose other branches hold a logarithm that
    would raise.
    """
    poison = total(log(leaves[0] * 0.0 - 1.0))
    signs = st.sampled_from([-1.0, 1.0])
    switches = [Shared(data.draw(signs), f"s{i}") for i in range(3)]

    def changed(made, a):
        if not data.draw(st.booleans()):
            return made
        s = data.draw(st.sampled_from(switches))
        other = made * poison
        if data.draw(st.booleans()):
            other = other * a * 0.1 + made
        branches = [total(made), total(other)]
        return switch(s > 0, *branches if s.get_value() > 0 else branches[::-1])

    return drawn_sum(data, leaves, step63, changed)


@given(st.data())
@settings(max_examples=80, deadline=None)
def test_gradients_on_random_graphs_with_switches(data):
    built = WAYS["step 63"]()
    leaves = drawn_leaves(data, built.variable)
    assert_gradients(built, drawn_graph(data, leaves), leaves, tolerance=1e-4)
