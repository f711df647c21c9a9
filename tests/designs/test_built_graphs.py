"""Properties that steps 61 to 64, which build a graph first, share: operators, nodes
without a value yet, and gradients to second order against differences.
"""

import copy
import operator
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steps import step64
from tests.support.arrays import assert_close, assert_equal
from tests.support.built_graphs import (
    BINARY,
    SHAPES,
    WAYS,
    assert_gradients,
    drawn_leaves,
    drawn_sum,
    on_both_sides,
    positive,
    unary,
)
from tests.support.refusals import assert_refused

all_ways = pytest.mark.parametrize("way", WAYS)
UP_TO_63 = ["step 61", "step 62", "step 63"]


@pytest.fixture(autouse=True)
def a_graph_for_step_64():
    with step64.Graph().as_default():
        yield


@all_ways
@pytest.mark.parametrize("value", [3.0, [3.0, 5.0]])
def test_operators_from_both_sides_with_numbers_and_arrays(way, value):
    built, a, value = WAYS[way](), np.array([1.0, 2.0]), np.array(value)
    w = built.variable(value)
    found = built.program(on_both_sides(w, a))()
    for one, expected in zip(found, on_both_sides(value, a), strict=True):
        assert_close(one, expected)
    m = built.variable(np.ones((2, 2)))
    (product,) = built.program([np.eye(2) @ m @ np.eye(2)])()
    assert_close(product, np.ones((2, 2)))


@pytest.mark.parametrize("way", UP_TO_63)
def test_float32_stays_float32(way):
    built = WAYS[way]()
    m, w = built.words, built.variable(np.ones((2, 3), dtype=np.float32))
    y = m.mean(m.sigmoid(w * 2.0 - 1) ** 2 / 3) + m.total(m.logsumexp(w))
    for value in built.program([y, *built.gradients(y, [w])])():
        assert value.dtype == np.float32


@all_ways
def test_sigmoid_does_not_overflow_and_keeps_small_values(way):
    built = WAYS[way]()
    m, x = built.words, built.variable([-1000.0, 0.0, 1000.0])
    (y,) = built.program([m.sigmoid(x)])()
    assert_close(y, [0.0, 0.5, 1.0])
    x = built.variable([-700.0, -40.0, 0.0, 40.0])
    y = m.log(m.sigmoid(x))
    value, slope = built.program([y, *built.gradients(y, [x])])()
    assert_close(value, [-700.0, -40.0, np.log(0.5), 0.0])
    assert_close(slope, [1.0, 1.0, 0.5, 0.0])


@pytest.mark.parametrize("way", UP_TO_63)
def test_logsumexp_does_not_overflow(way):
    built = WAYS[way]()
    x = built.variable(np.array([[-1000.0, 0.0, 1000.0]]))
    y = built.words.logsumexp(x)
    value, slope = built.program([y, *built.gradients(y, [x])])()
    assert value == 1000.0
    assert_close(slope, [[0.0, 0.0, 1.0]])


@pytest.mark.parametrize(
    ("way", "words"),
    [
        ("step 61", "x is a node, not a value: call x.eval()"),
        ("step 62", "x has no value before a function runs: it is neither true"),
        ("step 64", "'x'> has no value"),
    ],
)
def test_what_has_no_value_yet_is_not_asked_for_one(way, words):
    x = WAYS[way]().variable(1.0, "x")
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        compare = getattr(operator, name)
        attempts = (lambda f=compare: f(x, 0), lambda f=compare: f(0.0, x))
        assert_refused(TypeError, words, *attempts)
    others = (lambda: bool(x), lambda: np.asarray(x), lambda: x in (0, 1))
    assert_refused(TypeError, words, *others)


# --- Running --------------------------------------------------------------------------


@all_ways
def test_nothing_is_computed_early_or_twice_or_for_nothing(way):
    built, runs = WAYS[way](), []
    a = built.operation(lambda x: [runs.append("a"), x * x][1], built.variable(3.0))
    needless = built.operation(lambda x: [runs.append("needless"), x][1], a)
    program = built.program([a * a + a, a])
    if way in ("step 62", "step 63"):
        runs.clear()  # they try an operation once to find its type
    assert runs == []
    assert program() == [90.0, 9.0]
    assert runs == ["a"]
    assert needless is not None


@all_ways
def test_what_an_operation_keeps_for_itself_stays_its_own(way):
    built, own = WAYS[way](), np.ones(2)
    built.program([built.operation(lambda x: own, built.variable(np.ones(2)))])()
    own[0] = 2.0


@pytest.mark.parametrize("way", UP_TO_63)
@pytest.mark.usefixtures("without_collector")
def test_what_nobody_holds_is_freed_gradients_too(way):
    built = WAYS[way]()
    w = built.variable(1.0)
    y = built.words.exp(w * 2.0)
    built.program([y, *built.gradients(y, [w])])()
    gone = weakref.ref(y)
    del y
    assert gone() is None


@pytest.mark.parametrize("way", ["step 62", "step 63"])
def test_copied_formulas_have_the_same_value_and_gradient(way):
    built = WAYS[way]()
    w, v = built.variable(np.ones(2)), built.variable([3.0, 4.0])
    w, y = copy.deepcopy((w, w * v))
    value, slope = built.program([y, *built.gradients(y, [w])])()
    assert_equal(value, [3.0, 4.0])
    assert_equal(slope, [3.0, 4.0])


@all_ways
def test_five_of_many_users_are_named(way):
    built = WAYS[way]()
    x = built.empty("x")
    y = sum(x * float(i) for i in range(300))
    with pytest.raises(ValueError, match=r"multiply.*, …") as refusal:
        built.program([y])()
    assert len(str(refusal.value)) < 300


# --- Gradients ------------------------------------------------------------------------


def assert_two_orders(built, y, variables):
    """The first gradients are right, and so are those of everything they depend on."""
    assert_gradients(built, y, variables)
    total = built.words.total
    squares = sum(total(g * g) for g in built.gradients(y, variables))
    assert_gradients(built, squares + total(y), variables)


@all_ways
@pytest.mark.parametrize("sign", BINARY)
def test_gradients_of_binary_operations_on_all_shapes(way, sign):
    for shapes in [pair for both in SHAPES for pair in (both, both[::-1])]:
        built = WAYS[way]()
        arrays = [positive(shape, i) for i, shape in enumerate(shapes)]
        a, b = map(built.variable, arrays)
        weights = positive(np.broadcast_shapes(*shapes), 2)
        assert_two_orders(built, BINARY[sign](a, b) * weights, [a, b])


@all_ways
def test_gradients_of_unary_operations(way):
    for formula in unary(WAYS[way]().words).values():
        built = WAYS[way]()
        a = built.variable(positive((2, 3)))
        (value,) = built.program([formula(a)])()
        y = formula(a) * positive(value.shape, 2)
        assert_gradients(built, y, [a])
        (g,) = built.gradients(y, [a])
        assert_gradients(built, g * g * a, [a])


@all_ways
def test_gradients_of_matmul(way):
    built = WAYS[way]()
    a = built.variable(positive((2, 3), 0))
    b = built.variable(positive((3, 4), 1))
    y = (a @ b) * positive((2, 4), 2)
    assert_two_orders(built, y * y, [a, b])


@all_ways
@pytest.mark.slow
@given(st.data())
@settings(max_examples=60, deadline=None)
def test_gradients_on_random_graphs(way, data):
    built = WAYS[way]()
    leaves = drawn_leaves(data, built.variable)
    y = drawn_sum(data, leaves, built.words)
    assert_gradients(built, y, leaves, tolerance=1e-4)


@all_ways
@pytest.mark.slow
@given(st.data())
@settings(max_examples=15, deadline=None)
def test_gradients_of_gradients_on_random_graphs(way, data):
    built = WAYS[way]()
    leaves = drawn_leaves(data, built.variable)
    slopes = built.gradients(drawn_sum(data, leaves, built.words), leaves)
    y = sum(built.words.total(g * leaf) for g, leaf in zip(slopes, leaves, strict=True))
    assert_gradients(built, y, leaves, tolerance=1e-4)
