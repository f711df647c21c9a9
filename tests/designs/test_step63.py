"""Step 63: branches. A switch computes one of them, and its gradient flows there."""

import copy
import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steps import step63
from steps.step63 import (
    Shared,
    equal,
    exp,
    function,
    grad,
    log,
    mean,
    scalar,
    switch,
    total,
    vector,
    zeros_like,
)
from tests.support.arrays import assert_close, assert_equal
from tests.support.built_graphs import WAYS, assert_gradients, drawn_leaves, drawn_sum


def names(f):
    return [x.op.name for x in f.ran]


# --- Switch ---------------------------------------------------------------------------


def test_only_the_branch_taken_is_computed():
    x = scalar("x")
    f = function([x], switch(x > 0, log(x), exp(x)))
    assert f(1.0) == 0.0
    assert names(f) == ["greater", "log", "switch"]
    assert f(-1.0) == np.exp(-1.0)
    assert names(f) == ["greater", "exp", "switch"]


def test_the_gradient_flows_through_the_branch_taken_only():
    x, w = scalar("x"), Shared(3.0, "w")
    # For negative x, log, its gradient and its second derivative would warn, and
    # warnings are errors here.
    y = w * switch(x > 0, log(x), x * x)
    first = grad(y, x)
    f = function([x], [y, first, grad(first, x), grad(y, w)])
    assert_close(f(2.0), [3 * np.log(2.0), 1.5, -0.75, np.log(2.0)])
    assert "log" in names(f)
    assert "divide" in names(f)
    assert_close(f(-2.0), [12.0, -12.0, 6.0, 4.0])
    assert "log" not in names(f)
    assert "divide" not in names(f)


def test_a_variable_of_the_other_branch_gets_zeros():
    a, b, x = Shared(np.ones(2), "a"), Shared(np.ones(3), "b"), scalar("x")
    y = switch(x > 0, total(exp(a)), total(b * b))
    f = function([x], grad(y, [a, b]))
    left, right = f(1.0)
    assert_close(left, np.e)
    assert_equal(right, np.zeros(3))
    left, right = f(-1.0)
    assert_equal(left, np.zeros(2))
    assert_close(right, 2.0)


def test_nested_switches_and_a_condition_inside_a_branch():
    x = scalar("x")
    # The inner condition takes a logarithm that may be taken in the outer branch only.
    y = switch(x > 0, switch(log(x) > 0, log(x) * 2, x * 3), -x)
    f = function([x], [y, grad(y, x)])
    assert_close(f(4.0), [2 * np.log(4.0), 0.5])
    assert_close(f(0.5), [1.5, 3.0])
    assert_close(f(-4.0), [4.0, -1.0])
    assert "log" not in names(f)


def test_a_switch_over_arrays_and_numbers():
    x, take = vector("x"), scalar("take", bool)
    f = function([x, take], switch(take, x * 2, zeros_like(x)))
    assert_equal(f(np.ones(2), True), [2.0, 2.0])
    assert_equal(f(np.ones(2), False), [0.0, 0.0])
    n = Shared(0, "n")
    rate = function([], switch(n < 2, 0.5, 0.1), [(n, n + 1)])
    assert [float(rate()) for _ in range(4)] == [0.5, 0.5, 0.1, 0.1]
    assert function([x], switch(True, total(x), 0.0))(np.ones(2)) == 2.0


def test_where_nothing_flows_the_gradient_is_zero():
    x = scalar("x")
    y = switch(x > 0, 1.0, 2.0) + zeros_like(x)
    assert function([x], grad(y, x))(5.0) == 0.0


def test_a_whole_number_is_a_condition():
    n, x = scalar("n", int), scalar("x")
    f = function([n, x], [switch(n, log(x), exp(x)), grad(switch(n, x * 2, x * 3), x)])
    assert f(2, 1.0) == [0.0, 2.0]
    assert f(-1, 1.0) == [0.0, 2.0]
    assert f(0, 0.0) == [1.0, 3.0]
    assert function([x], switch(1, x, x * 2))(3.0) == 3.0


def test_equal_is_asked_when_the_function_runs():
    x = scalar("x")
    f = function([x], switch(equal(x, 0), 1.0, 2.0))
    assert [float(f(value)) for value in (0.0, 3.0, 0.0)] == [1.0, 2.0, 1.0]


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


def test_the_mean_of_truth_values_is_a_share():
    x = vector("x")
    assert function([x], mean(x > 0))(np.array([1.0, -1.0, 2.0, 3.0])) == 0.75
    assert function([x], mean(x * 0 + 2))(np.ones(3)) == 2.0


# --- Random graphs --------------------------------------------------------------------


def drawn_graph(data, leaves):
    """A random graph with switches. Branches that are not taken hold a logarithm that
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


def test_a_copied_switch_is_a_switch():
    x = scalar("x")
    x, y = copy.deepcopy((x, switch(x > 0, x * 2.0, x * 3.0)))
    value, slope = function([x], [y, grad(y, x)])(-1.0)
    assert (value, slope) == (-3.0, 3.0)
