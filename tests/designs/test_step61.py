"""Step 61: nodes that keep their values, and lose them when something above changes."""

import gc
import operator
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steps import step61
from steps.step61 import (
    Constant,
    Node,
    Operation,
    Placeholder,
    Variable,
    exp,
    gradients,
    log,
    logsumexp,
    matmul,
    mean,
    sigmoid,
    tanh,
    total,
)
from tests.support.arrays import assert_close, assert_equal
from tests.support.built_graphs import (
    BINARY,
    SHAPES,
    assert_like_differences,
    drawn_leaves,
    drawn_nodes,
    on_both_sides,
    positive,
    unary,
)


def assert_gradients(node, variables, tolerance=1e-5):
    def value_at(array):
        variable.update(array)
        return node.eval()

    for variable, gradient in zip(variables, gradients(node, variables), strict=True):
        found, start = gradient.eval(), variable.value
        assert_like_differences(found, value_at, start, tolerance)
        variable.update(start)


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


def test_building_computes_nothing():
    class Explodes(Operation):
        def compute(self, a):
            raise AssertionError("computed while building")

    y = Placeholder(parent=Explodes(Variable(1.0, "w"))) * 2 + 1
    gradients(y, [y.parent.inputs[0]])
    assert y.value is None


def test_a_node_that_has_a_value_returns_it_and_one_that_has_none_asks_its_parent():
    nodes = parts()
    nodes["x"].fill(0.5)
    assert nodes["y"].eval() == 3.0 + np.tanh(1.0)
    assert nodes["a"].value == 1.0
    assert filled(nodes) == set(nodes)


def test_nothing_is_computed_twice():
    nodes = parts()
    nodes["x"].fill(0.5)
    for _ in range(3):
        nodes["y"].eval()
        nodes["side"].eval()
    assert set(runs(nodes).values()) == {1}


def test_only_what_is_asked_for_is_computed():
    nodes = parts()
    nodes["x"].fill(0.5)
    nodes["side"].eval()
    assert runs(nodes) == {"a": 1, "side": 1, "product": 0, "y": 0}


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
                assert node.parent.runs - before[k] == (
                    not kept[k] and node.value is not None
                )


def test_what_was_filled_in_cannot_change_behind_our_back():
    x, w = Placeholder("x"), Variable(np.ones(2), "w")
    mine = np.array([1.0, 2.0])
    x.fill(mine)
    y = x * w
    y.eval()
    mine[0] = 100
    assert_equal(x.value, [1.0, 2.0])
    for node in (x, w, y):
        with pytest.raises(ValueError, match="read-only"):
            node.eval()[0] = 5.0
    with pytest.raises(AttributeError):
        w.value = np.zeros(2)


@pytest.mark.slow
def test_a_long_chain_is_filled_again_and_freed():
    x = Placeholder("x")
    y = x
    for _ in range(20_000):
        y = y + 1.0
    (g,) = gradients(y, [x])
    for start in (0.0, 5.0):
        x.fill(start)
        assert (y.eval(), g.eval()) == (start + 20_000, 1.0)
    gone = weakref.ref(y)
    del y, g
    assert gone() is None


def test_a_node_that_nobody_holds_is_freed_without_the_collector():
    was_on = gc.isenabled()
    gc.disable()
    try:
        w = Variable(1.0, "w")
        for _ in range(5):
            y = exp(w * 2.0)
            gone = weakref.ref(y)
            gradients(y, [w])[0].eval()
            del y
            assert gone() is None
        assert w.users() == []
    finally:
        if was_on:
            gc.enable()


def test_a_variable_that_is_never_updated_keeps_nothing_of_its_users():
    w = Variable(1.0, "w")
    for _ in range(1_000):
        exp(w * w)
    assert len(w._users) == 0
    y = w * w
    assert w.users() == [y]


def test_an_operation_that_writes_into_its_input_is_an_error():
    class Doubles(Operation):
        def compute(self, a):
            a *= 2
            return a

    w = Variable(np.ones(2), "w")
    y = Placeholder(parent=Doubles(w))
    with pytest.raises(ValueError, match=r"doubles\(w\) writes into its input"):
        y.eval()
    assert_equal(w.value, [1.0, 1.0])


def test_what_an_operation_keeps_for_itself_stays_its_own():
    own = np.ones(2)

    class Keeps(Operation):
        def compute(self, a):
            return own

    Placeholder(parent=Keeps(Variable(1.0))).eval()
    own[0] = 2.0


# --- Filling --------------------------------------------------------------------------


def test_an_input_that_is_not_filled_is_named_with_the_nodes_that_need_it():
    x, t, w = Placeholder("x"), Placeholder("t"), Variable(1.0, "w")
    loss = (x * w - t) ** 2 + x
    loss.name = "loss"
    with pytest.raises(ValueError, match="not filled") as found:
        loss.eval()
    assert str(found.value) == (
        "loss cannot be evaluated, because inputs are not filled: x (needed by "
        "multiply(x, w), add(power, x)), t (needed by subtract(multiply, t)). Fill "
        "them first, as in x.fill(np.array(...))"
    )
    with pytest.raises(
        ValueError,
        match=r"^x cannot be evaluated, because inputs are not filled: x\. Fill",
    ):
        x.eval()


def test_nothing_runs_when_an_input_is_not_filled():
    x, w = Placeholder("x"), Variable(1.0, "w")
    other = exp(w)
    with pytest.raises(ValueError, match="not filled"):
        (other + x).eval()
    assert other.parent.runs == 0


def test_what_does_not_need_the_input_has_a_value_all_the_same():
    x, w = Placeholder("x"), Variable(3.0, "w")
    y = w * w
    z = y + x
    assert y.eval() == 9.0
    assert z.value is None


def test_filling_an_inner_placeholder_is_refused_by_default():
    nodes = parts()
    with pytest.raises(
        ValueError, match=r"multiply is computed: multiply\(w, x\).*short_circuit=True"
    ):
        nodes["a"].fill(1.0)
    assert nodes["a"].value is None


def test_filling_an_inner_placeholder_short_circuits():
    nodes = parts()
    nodes["a"].fill(1.0, short_circuit=True)
    assert nodes["y"].eval() == 3.0 + np.tanh(1.0)
    assert runs(nodes)["a"] == 0
    nodes["a"].clear()
    assert filled(nodes) == {"w", "b"}
    with pytest.raises(ValueError, match=r"x \(needed by multiply\(w, x\)\)"):
        nodes["y"].eval()


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


@pytest.mark.parametrize("wrong", [None, "1", [1.0], np.array(["a"]), np.array(1j)])
def test_a_value_is_a_number_or_an_array(wrong):
    with pytest.raises(TypeError, match="x needs"):
        Placeholder("x").fill(wrong)


def test_an_update_keeps_shape_and_dtype():
    w = Variable(np.ones((2, 3), dtype=np.float32), "w")
    with pytest.raises(
        ValueError, match=r"w has the shape \(2, 3\) and cannot take \(3,\)"
    ):
        w.update(np.ones(3))
    w.update(np.zeros((2, 3)))
    assert w.value.dtype == np.float32


def test_an_input_placeholder_needs_a_name():
    with pytest.raises(TypeError, match=r'Placeholder\("x"\)'):
        Placeholder()


# --- Formulas -------------------------------------------------------------------------


def test_operators_from_both_sides_with_numbers_and_arrays():
    a = np.array([1.0, 2.0])
    for value in (3.0, np.array([3.0, 5.0])):
        w = Variable(value, "w")
        for node, expected in zip(
            on_both_sides(w, a), on_both_sides(value, a), strict=True
        ):
            assert isinstance(node, Placeholder)
            assert_close(node.eval(), expected)
    m = Variable(np.ones((2, 2)), "m")
    assert_equal((np.eye(2) @ m @ np.eye(2)).eval(), np.ones((2, 2)))


def test_float32_stays_float32():
    w = Variable(np.ones((2, 3), dtype=np.float32), "w")
    y = mean(sigmoid(w * 2.0 - 1) ** 2 / 3) + total(logsumexp(w))
    assert y.eval().dtype == np.float32
    assert gradients(y, [w])[0].eval().dtype == np.float32


def test_sigmoid_and_logsumexp_do_not_overflow():
    x = Variable(np.array([[-1000.0, 0.0, 1000.0]]), "x")
    assert_close(sigmoid(x).eval(), [[0.0, 0.5, 1.0]])
    assert logsumexp(x).eval() == 1000.0
    assert_close(gradients(logsumexp(x), [x])[0].eval(), [[0.0, 0.0, 1.0]])


def test_sigmoid_keeps_small_values():
    x = Variable(np.array([-700.0, -40.0, 0.0, 40.0]), "x")
    y = log(sigmoid(x))
    assert_close(y.eval(), [-700.0, -40.0, np.log(0.5), 0.0])
    assert_close(gradients(y, [x])[0].eval(), [1.0, 1.0, 0.5, 0.0])


@pytest.mark.parametrize(
    "compare", [operator.eq, operator.ne, operator.lt, operator.le, operator.gt]
)
def test_a_comparison_is_not_answered_without_a_value(compare):
    x = Placeholder("x")
    for attempt in (lambda: compare(x, 0), lambda: compare(0.0, x)):
        with pytest.raises(TypeError, match=r"x is a node, not a value.*x\.eval\(\)"):
            attempt()


def test_shapes_that_do_not_fit_are_named():
    w, x = Variable(np.ones((2, 3)), "w"), Placeholder("x")
    x.fill(np.ones((4, 5)))
    with pytest.raises(
        ValueError,
        match=r"add\(w, x\) cannot be computed from the shapes w \(2, 3\), x \(4, 5\)",
    ):
        (w + x).eval()
    with pytest.raises(ValueError, match=r"matmul\(w, x\) cannot be computed"):
        matmul(w, x).eval()
    x.fill(np.ones(3))
    with pytest.raises(ValueError, match="needs two matrices"):
        matmul(w, x).eval()


def test_a_node_is_not_mistaken_for_its_value():
    w = Variable(1.0, "w")
    with pytest.raises(TypeError, match="w is a node, not a value"):
        np.asarray(w)
    with pytest.raises(TypeError, match="w is a node, not a value"):
        bool(w)
    with pytest.raises(TypeError, match="needs a number for c"):
        w**w
    with pytest.raises(TypeError, match="needs a list of variables"):
        gradients(w, w)
    assert repr(w * 2) == "Placeholder(multiply(w, 2), empty)"
    assert repr(w) == "Variable(w, filled)"
    assert repr(Constant(np.ones(2))) == "Constant(an array, filled)"


# --- Gradients ------------------------------------------------------------------------


@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("sign", BINARY)
def test_gradients_of_binary_operations_on_all_shapes(sign, shapes):
    a, b = Variable(positive(shapes[0], 0), "a"), Variable(positive(shapes[1], 1), "b")
    y = BINARY[sign](a, b)
    y = y * positive(y.eval().shape, 2)
    assert_gradients(y, [a, b])
    assert_gradients(total(sum(total(g * g) for g in gradients(y, [a, b]))), [a, b])


@pytest.mark.parametrize("name", unary(step61))
def test_gradients_of_unary_operations_to_the_second_order(name):
    a = Variable(positive((2, 3)), "a")
    y = unary(step61)[name](a)
    y = y * positive(y.eval().shape, 2)
    assert_gradients(y, [a])
    (g,) = gradients(y, [a])
    assert_gradients(g * g * positive((2, 3), 3), [a])


def test_gradients_of_matmul_to_the_second_order():
    a, b = Variable(positive((2, 3), 0), "a"), Variable(positive((3, 4), 1), "b")
    y = (a @ b) * positive((2, 4), 2)
    assert_gradients(y * y, [a, b])
    assert_gradients(sum(total(g * g) for g in gradients(y * y, [a, b])), [a, b])


def test_gradients_add_up_over_all_paths():
    x = Variable(2.0, "x")
    a = x**2
    assert gradients(a**2 + a**2, [x])[0].eval() == 64.0
    assert gradients(x + x, [x])[0].eval() == 2.0
    assert gradients((a**2) ** 2 + a, [x])[0].eval() == 1028.0


def test_gradients_of_any_node_with_respect_to_any():
    nodes = parts()
    nodes["x"].fill(0.5)
    of_a, of_x = gradients(nodes["y"], [nodes["a"], nodes["x"]])
    assert np.isclose(of_a.eval(), 3 + 1 - np.tanh(1.0) ** 2)
    assert np.isclose(of_x.eval(), 2 * of_a.eval())
    assert gradients(nodes["a"], [nodes["w"]])[0].eval() == 0.5
    assert gradients(nodes["y"], [nodes["y"]])[0].eval() == 1.0
    with pytest.raises(ValueError, match=r"multiply\(w, x\) does not depend on b"):
        gradients(nodes["a"], [nodes["b"]])


@pytest.mark.slow
@given(st.data())
@settings(max_examples=80, deadline=None)
def test_gradients_on_random_graphs(data):
    leaves = drawn_leaves(data, Variable)
    nodes = drawn_nodes(data, leaves, step61)
    y = sum((tanh(node) for node in nodes), Constant(0.0))
    assert_gradients(y, leaves, tolerance=1e-4)


# --- Training -------------------------------------------------------------------------


def test_it_learns_a_curve_and_the_graph_does_not_grow():
    rng = np.random.default_rng(0)
    xs = rng.uniform(-1, 1, (50, 1))
    ts = np.sin(3 * xs)
    x, t = Placeholder("x"), Placeholder("t")
    weights = [
        Variable(rng.normal(size=shape), "w")
        for shape in ((1, 10), (10,), (10, 1), (1,))
    ]
    w1, b1, w2, b2 = weights
    loss = mean((tanh(x @ w1 + b1) @ w2 + b2 - t) ** 2)
    slopes = gradients(loss, weights)
    x.fill(xs)
    t.fill(ts)
    losses, counts = [], []
    for i in range(400):
        losses.append(float(loss.eval()))
        values = [slope.eval() for slope in slopes]
        for w, value in zip(weights, values, strict=True):
            w.update(w.value - 0.2 * value)
        if i in (1, 399):
            counts.append(sum(isinstance(thing, Node) for thing in gc.get_objects()))
    assert losses[-1] < 0.01 < losses[0]
    assert counts[0] == counts[1]
    assert loss.parent.runs == 400


def test_the_public_names_are_there():
    assert all(
        getattr(step61, name).__module__ == "steps.step61" for name in step61.__all__
    )
