"""Step 61: nodes that keep their values, and lose them when something above changes."""

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steps.step61 import (
    Constant,
    Operation,
    Placeholder,
    Variable,
    exp,
    gradients,
    tanh,
)
from tests.support.arrays import assert_close
from tests.support.refusals import assert_refused


def parts():
    """A graph that forks and meets: y = a·b + tanh(a), a = w·x."""
    w, b, x = Variable(2.0, "w"), Variable(3.0, "b"), Placeholder("x")
    a = w * x
    side, product = tanh(a), a * b
    y = product + side
    return {"w": w, "b": b, "x": x, "a": a, "side": side, "product": product, "y": y}


def filled(nodes):
    return {name for name, node in nodes.items() if node.value is not None}


def runs(nodes):
    return {name: node.parent.runs for name, node in nodes.items() if node.parent}


# --- Building and evaluating ----------------------------------------------------------


def test_a_node_that_has_a_value_returns_it_and_one_that_has_none_asks_its_parent():
    nodes = parts()
    nodes["x"].fill(0.5)
    assert nodes["y"].eval() == 3.0 + np.tanh(1.0)
    assert nodes["a"].value == 1.0
    assert filled(nodes) == set(nodes)


def test_an_update_clears_everything_downstream_and_nothing_else():
    nodes = parts()
    nodes["x"].fill(0.5)
    nodes["y"].eval()
    nodes["b"].update(4.0)
    assert filled(nodes) == {"w", "b", "x", "a", "side"}
    assert nodes["y"].eval() == 4.0 + np.tanh(1.0)
    assert runs(nodes) == {"a": 1, "side": 1, "product": 2, "y": 2}
    nodes["x"].fill(1.0)
    assert filled(nodes) == {"w", "b", "x"}


def test_gradients_are_cleared_along_with_the_rest():
    nodes = parts()
    (g,) = gradients(nodes["y"], [nodes["w"]])
    nodes["x"].fill(0.5)
    first = g.eval()
    nodes["b"].update(4.0)
    assert g.value is None
    assert g.eval() == first + 0.5


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_no_stale_value_is_served_and_no_operation_runs_for_nothing(data):
    """Random graphs, random orders of filling, updating and asking, against a
    recomputation from nothing.
    """
    leaves = [Variable(1.0 + i, f"w{i}") for i in range(3)]
    nodes = list(leaves)
    rules = []
    for _ in range(data.draw(st.integers(1, 12))):
        i, j = (data.draw(st.integers(0, len(nodes) - 1)) for _ in range(2))
        rules.append((i, j))
        nodes.append(tanh(nodes[i] + nodes[j] * 0.5))
    for _ in range(data.draw(st.integers(1, 8))):
        if data.draw(st.booleans()):
            data.draw(st.sampled_from(leaves)).update(data.draw(st.floats(-2, 2)))
        asked = data.draw(st.integers(0, len(nodes) - 1))
        before = [node.parent.runs if node.parent else 0 for node in nodes]
        kept = [node.value is not None for node in nodes]
        nodes[asked].eval()
        right = [leaf.value for leaf in leaves]
        for i, j in rules:
            right.append(np.tanh(right[i] + right[j] * 0.5))
        for k, node in enumerate(nodes):
            if node.value is not None:
                assert_close(node.value, right[k])
            if node.parent:
                ran = not kept[k] and node.value is not None
                assert node.parent.runs - before[k] == ran


def test_a_long_chain_is_filled_again():
    x = Placeholder("x")
    y = x
    for _ in range(5_000):
        y = y + 1.0
    for start in (0.0, 5.0):
        x.fill(start)
        assert y.eval() == start + 5_000


def test_a_variable_that_is_never_updated_keeps_nothing_of_its_users():
    w = Variable(1.0, "w")
    for _ in range(1_000):
        exp(w * w)
    assert len(w._users) == 0
    y = w * w
    assert w.users() == [y]


# --- Filling --------------------------------------------------------------------------


def test_filling_an_inner_placeholder_is_refused_by_default():
    nodes = parts()
    with pytest.raises(ValueError, match="short_circuit=True") as refusal:
        nodes["a"].fill(1.0)
    assert "multiply is computed: multiply(w, x)" in str(refusal.value)
    assert nodes["a"].value is None
    nodes["a"].fill(1.0, short_circuit=True)
    assert nodes["y"].eval() == 3.0 + np.tanh(1.0)
    assert runs(nodes)["a"] == 0
    nodes["a"].clear()
    assert filled(nodes) == {"w", "b"}
    assert_refused(ValueError, "x (needed by multiply(w, x))", nodes["y"].eval)


def test_filling_in_the_middle_clears_downstream_and_nothing_else():
    nodes = parts()
    nodes["x"].fill(0.5)
    nodes["y"].eval()
    nodes["product"].fill(10.0, short_circuit=True)
    assert filled(nodes) == set(nodes) - {"y"}
    assert nodes["y"].eval() == 10.0 + np.tanh(1.0)


def test_a_change_above_a_short_circuit_ends_it():
    nodes = parts()
    nodes["x"].fill(0.5)
    nodes["product"].fill(10.0, short_circuit=True)
    nodes["y"].eval()
    nodes["side"].clear()
    assert nodes["product"].value == 10.0
    nodes["w"].update(4.0)
    assert nodes["y"].eval() == 6.0 + np.tanh(2.0)


def test_a_change_above_ends_a_short_circuit_even_past_nodes_that_are_empty():
    nodes = parts()
    nodes["product"].fill(10.0, short_circuit=True)
    assert nodes["a"].value is None
    nodes["x"].fill(0.5)
    assert nodes["product"].value is None


# --- Formulas -------------------------------------------------------------------------


def test_a_node_says_what_it_is():
    w = Variable(1.0, "w")
    assert repr(w * 2) == "Placeholder(multiply(w, 2), empty)"
    assert repr(w) == "Variable(w, filled)"
    assert repr(Constant(np.ones(2))) == "Constant(an array, filled)"


# --- Gradients ------------------------------------------------------------------------


def test_gradients_of_any_node_with_respect_to_any():
    nodes = parts()
    nodes["x"].fill(0.5)
    of_a, of_x = gradients(nodes["y"], [nodes["a"], nodes["x"]])
    assert np.isclose(of_a.eval(), 3 + 1 - np.tanh(1.0) ** 2)
    assert np.isclose(of_x.eval(), 2 * of_a.eval())
    assert gradients(nodes["a"], [nodes["w"]])[0].eval() == 0.5
    assert gradients(nodes["y"], [nodes["y"]])[0].eval() == 1.0


def test_five_of_many_empty_placeholders_are_named():
    y = sum(Placeholder(f"x{i}") for i in range(300))
    with pytest.raises(ValueError, match=r"x\d+ .*, …\. Fill") as refusal:
        y.eval()
    assert len(str(refusal.value)) < 400


def test_threads_may_update_and_ask_one_graph():
    class Slow(Operation):
        def compute(self, a):
            waiting.set()
            updated.wait(0.2)  # as long as the other thread needs, if it may run
            return a

    waiting, updated = threading.Event(), threading.Event()
    w = Variable(1.0, "w")
    y = Placeholder(parent=Slow(w * 2)) + w * 3

    def update():
        waiting.wait()
        w.update(2.0)
        updated.set()

    thread = threading.Thread(target=update)
    thread.start()
    assert y.eval() == 5.0
    thread.join()
    assert y.eval() == 10.0
