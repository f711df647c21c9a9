"""Step 65: nodes that need no gradient are left out of the graph, which consists of
scalars.
"""

import copy
import math
import operator
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steps import step65 as sc
from steps.step65 import Scalar
from tests.support.arrays import assert_close
from tests.support.refusals import assert_refused


@pytest.fixture(autouse=True)
def nothing_is_left(without_collector):
    """Everything that a test creates is freed at its end without the garbage
    collector.
    """
    before = sc.live_nodes()
    yield
    assert sc.live_nodes() == before


def new(*numbers):
    leaves = [Scalar(number, requires_grad=True) for number in numbers]
    return leaves if len(leaves) > 1 else leaves[0]


def difference(f, values, position, eps=1e-6):
    def at(step):
        moved = [v + step * (i == position) for i, v in enumerate(values)]
        return f(*map(Scalar, moved)).data

    return (at(eps) - at(-eps)) / (2 * eps)


def check_gradients(f, values):
    leaves = [Scalar(value, requires_grad=True) for value in values]
    f(*leaves).backward()
    for position, leaf in enumerate(leaves):
        right = difference(f, values, position)
        assert leaf.grad == pytest.approx(right, rel=1e-5, abs=1e-7)


# --- The tables -----------------------------------------------------------------------

ANYWHERE = st.floats(-3, 3)
AWAY_FROM_ZERO = st.one_of(st.floats(0.1, 3), st.floats(-3, -0.1))
POSITIVE = st.floats(0.1, 3)
DOMAINS = {"log": POSITIVE, "sqrt": POSITIVE, "tan": st.floats(-1.4, 1.4)}
DOMAINS |= {"abs": AWAY_FROM_ZERO, "relu": AWAY_FROM_ZERO}
SAME = {
    "neg": operator.neg,
    "abs": abs,
    "sigmoid": lambda x: 1 / (1 + math.exp(-x)),
    "relu": lambda x: max(x, 0.0),
}
SIGNS = {"add": "add", "sub": "sub", "mul": "mul", "div": "truediv", "pow": "pow"}


@pytest.mark.parametrize("name", sc.UNARY)
@settings(deadline=None, max_examples=30)
@given(st.data())
def test_unary(name, data):
    value = data.draw(DOMAINS.get(name, ANYWHERE))
    f = getattr(sc, name)
    right = SAME.get(name) or getattr(math, name)
    assert f(Scalar(value)).data == pytest.approx(right(value))
    check_gradients(f, [value])


@pytest.mark.parametrize("name", sc.BINARY)
@settings(deadline=None, max_examples=30)
@given(st.data())
def test_binary(name, data):
    a = data.draw(st.floats(0.1, 3) if name == "pow" else ANYWHERE)
    b = data.draw(AWAY_FROM_ZERO)
    sign = getattr(operator, SIGNS[name])
    assert getattr(sc, name)(a, b).data == pytest.approx(sign(a, b))
    for f in (getattr(sc, name), sign):
        check_gradients(f, [a, b])
    check_gradients(lambda x: sign(x, b), [a])
    check_gradients(lambda x: sign(a, x), [b])


def test_corners():
    for f, value, slope in [
        (sc.abs, 0.0, 0.0),
        (sc.relu, 0.0, 0.0),
        (lambda x: x**3, -2.0, 12.0),
        (lambda x: x**0, 0.0, 0.0),
        (lambda x: x**1, 0.0, 1.0),
        (lambda x: 0.0**x, 2.0, 0.0),
        (sc.sigmoid, -800.0, 0.0),
        (sc.sigmoid, 800.0, 0.0),
    ]:
        x = new(value)
        f(x).backward()
        assert x.grad == slope


def test_a_scalar_holds_one_real_number():
    assert Scalar(np.float32(0.5)).data == 0.5
    assert Scalar(2).data == Scalar(np.array(2.0)).data == 2.0
    assert float(Scalar(0.5)) == 0.5
    assert f"{Scalar(0.5):.2f} {Scalar(0.5)}" == "0.50 Scalar(0.5)"
    x = new(2.0)
    assert isinstance(np.float64(3.0) * x, Scalar)
    assert repr(x) == "Scalar(2, requires_grad=True)"
    assert repr(Scalar(0.25)) == "Scalar(0.25)"


def test_comparisons_compare_the_numbers():
    x, y = new(2.0, 3.0)
    for other in (y, 3.0, np.float64(3.0)):
        assert [x < other, x <= other, x != other] == [True] * 3
        assert [x > other, x >= other, x == other] == [False] * 3
    assert x == 2
    assert x == Scalar(2.0)
    assert bool(Scalar(0.0)) is False
    assert bool(x) is True
    assert len({x, y, Scalar(2.0)}) == 3, "a scalar can be a key, by identity"
    assert (0.0 if x == 2.0 else 1.0) == 0.0


# --- Random graphs --------------------------------------------------------------------


def play(inputs, lines):
    """Make a random program; inputs keep away from poles, and results that grow are
    squashed.
    """
    safe = {
        "exp": lambda x: sc.exp(sc.tanh(x)),
        "log": lambda x: sc.log(1 + x * x),
        "sqrt": lambda x: sc.sqrt(1 + x * x),
        "tan": lambda x: sc.tan(sc.tanh(x)),
        "abs": lambda x: sc.abs(x + 7.0),
        "relu": lambda x: sc.relu(x + 7.0),
        "mul": lambda a, b: sc.tanh(a) * b,
        "div": lambda a, b: a / (1 + b * b),
        "pow": lambda a, b: (1 + a * a) ** sc.tanh(b),
    }
    pool = list(inputs)
    for name, i, j in lines:
        f = safe.get(name, getattr(sc, name))
        a, b = pool[i % len(pool)], pool[j % len(pool)]
        pool.append(3 * sc.sin(f(a) if name in sc.UNARY else f(a, b)))
    return pool[-1] + pool[len(pool) // 2]


NUMBERS = st.integers(0, 40)
LINE = st.tuples(st.sampled_from([*sc.UNARY, *sc.BINARY]), NUMBERS, NUMBERS)
LINES = st.lists(LINE, min_size=1, max_size=15)


@settings(deadline=None, max_examples=200)
@given(st.lists(st.floats(-2, 2), min_size=3, max_size=3), LINES)
def test_gradients_of_random_graphs(values, lines):
    def f(*inputs):
        return play([*inputs, Scalar(0.5)], lines)

    leaves = new(*values)
    y = f(*leaves)
    if y.requires_grad:
        (row,) = sc.jacobian([y], leaves)
        differences = [difference(f, values, position) for position in range(3)]
        scale = 1 + max(map(abs, row))
        # The third derivative of such a program can be large, and the difference as
        # wrong as this.
        assert_close(row, differences, rtol=1e-4, atol=1e-5 * scale)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.floats(-2, 2), min_size=3, max_size=3), LINES, st.integers(0, 7))
def test_only_what_needs_a_gradient_enters(values, lines, mask):
    """Run the same program with gradients for some inputs: the same value and
    derivatives, and never more nodes.
    """

    def program(chosen):
        inputs = [
            Scalar(value, requires_grad=i in chosen) for i, value in enumerate(values)
        ]
        y = play(inputs, lines)
        return inputs, y, len(sc.nodes_behind(y.node)) if y.requires_grad else 0

    everything, some = range(3), [i for i in range(3) if mask >> i & 1]
    inputs, y, most = program(everything)
    if y.requires_grad:
        (full,) = sc.jacobian([y], inputs)
    start = sc.live_nodes()
    partly, z, fewer = program(some)
    assert z.data == y.data
    assert fewer <= most
    if some and z.requires_grad:
        (row,) = sc.jacobian([z], [partly[i] for i in some])
        assert row == pytest.approx([full[i] for i in some])
    if not some:
        assert sc.live_nodes() == start


# --- Who is in the graph --------------------------------------------------------------


def test_constants_never_enter_the_graph():
    start = sc.live_nodes()
    c = Scalar(3.0)
    y = sc.exp(c * c) + 1
    assert not y.requires_grad
    assert sc.live_nodes() == start
    x = new(2.0)
    for z in (x * y, y * x):
        assert z.requires_grad
        assert [node for node, _ in z.node.edges] == [x.node]
    assert sc.live_nodes() == start + 2


def test_ids_are_unique_and_found_at_once():
    x = new(2.0)
    y = x * x
    assert y.node.id > x.node.id
    assert sc.find(y.node.id) is y.node
    number = y.node.id
    y.backward()
    z = x * x
    assert z.node.id > number, "a number is not given twice"


# --- Backward -------------------------------------------------------------------------


def test_backward_frees_the_interior_and_keeps_the_leaves():
    start = sc.live_nodes()
    x = new(2.0)
    a = x * x
    y = a * a
    y.backward()
    assert (x.grad, a.grad, y.grad) == (32.0, None, None)
    assert sc.live_nodes() == start + 1
    assert (a.data, y.data) == (4.0, 16.0)


def test_retain_graph_keeps_it_and_gradients_add_up():
    start = sc.live_nodes()
    x = new(2.0)
    y = sc.exp(x * x) * x
    (row,) = sc.jacobian([y], [x])
    for times in (1, 2, 3):
        y.backward(retain_graph=True)
        assert x.grad == pytest.approx(times * row[0])
        assert sc.live_nodes() == start + 4
    y.backward()
    assert x.grad == pytest.approx(4 * row[0])
    assert sc.live_nodes() == start + 1
    x.zero_grad()
    assert x.grad is None


def test_a_freed_value_may_enter_a_new_graph_as_a_leaf():
    x = new(2.0)
    y = x * x
    y.backward()
    z = y * y * x
    z.backward()
    assert (z.data, y.grad) == (32.0, 16.0)
    assert x.grad == 4.0 + 16.0, "through x itself, and not through y"
    attempts = (y.backward, lambda: sc.jacobian([y], [x]))
    assert_refused(RuntimeError, "retain_graph=True", *attempts)


def test_new_data_after_the_forward_pass_does_no_harm():
    x = new(2.0)
    y = x * x
    x.data = 100.0
    y.backward()
    assert x.grad == 4.0


def test_a_graph_that_nobody_walked_is_freed_from_one_end_to_the_other():
    start = sc.live_nodes()
    x = new(0.0)
    y = x
    for _ in range(20_000):
        y = y + 1.0
    assert sc.live_nodes() == start + 20_001
    gone = weakref.ref(y.node)
    del y
    assert gone() is None
    assert sc.live_nodes() == start + 1


# --- What to do with it ---------------------------------------------------------------


def test_jacobian_by_rows():
    x, y = new(2.0, 3.0)
    outputs = [x * y, sc.sin(x), y**2, Scalar(1.0)]
    for _ in range(2):
        rows = sc.jacobian(outputs, [x, y])
        assert_close(rows, [[3.0, 2.0], [math.cos(2.0), 0.0], [0.0, 6.0], [0.0, 0.0]])
    assert (x.grad, y.grad) == (None, None), "the leaves are as they were"
    a = x * x
    assert sc.jacobian([a * a * x], [a, x]) == [[16.0, 80.0]]


def test_gradient_descent_goes_down_and_leaves_no_node():
    start = sc.live_nodes()
    x, y = new(0.0, 2.0)
    (x * 100).backward()  # an old gradient, which must not count
    counts = []

    def loss():
        counts.append(sc.live_nodes() - start)
        return x * 2 + y * y

    losses = sc.gradient_descent(loss, [x, y], learning_rate=0.25, steps=3)
    assert losses == [4.0, 0.0, -1.75]
    assert (x.data, y.data) == (-1.5, 0.25)
    assert counts == [2, 2, 2]
    assert sc.live_nodes() == start + 2


def test_a_copied_scalar_has_a_node_of_its_own():
    x = new(2.0)
    x.node.grad = 5.0
    y = copy.deepcopy(x)
    assert (y.data, y.grad) == (2.0, 5.0)
    assert sc.jacobian([x * 3.0], [x, y]) == [[3.0, 0.0]]
    x.zero_grad()
    (x * y).backward()
    assert (x.grad, y.grad) == (2.0, 7.0)
    assert not copy.deepcopy(Scalar(1.0)).requires_grad
