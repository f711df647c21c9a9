"""Step 62: expressions, and functions made of them."""

import gc
import weakref
from threading import Thread
from time import sleep

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steps import step62
from steps.step62 import (
    Expression,
    Shared,
    exp,
    function,
    grad,
    log,
    logsumexp,
    matmul,
    matrix,
    mean,
    scalar,
    sigmoid,
    tanh,
    total,
    transpose,
    vector,
    zeros_like,
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


def assert_gradients(cost, variables, tolerance=1e-5):
    def value_at(array):
        variable.set_value(array)
        return value()

    value, slopes = function([], cost), function([], grad(cost, variables))
    for variable, found in zip(variables, slopes(), strict=True):
        start = variable.get_value()
        assert_like_differences(found, value_at, start, tolerance)
        variable.set_value(start)


# --- Functions ------------------------------------------------------------------------


def test_a_function_takes_and_returns_arrays():
    x, y = vector("x"), vector("y")
    f = function([x, y], x * y + 1)
    result = f(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    assert type(result) is np.ndarray
    assert_equal(result, [4.0, 9.0])
    assert function([x], [x, total(x)])(np.ones(3))[1] == 3.0
    assert isinstance(function([x], [x])(np.ones(3)), list)
    assert type(function([x], total(x))(np.ones(3))) is np.ndarray
    assert function([], [0.5, np.ones(2)])()[0] == 0.5


def test_expressions_hold_no_values_and_a_call_leaves_none_behind():
    x = vector("x")
    f = function([x], exp(x))
    result = f(np.ones(3))
    freed = weakref.ref(result)
    del result
    assert freed() is None
    assert not any(
        isinstance(held, np.ndarray) for y in f.order for held in vars(y).values()
    )


def test_each_expression_is_computed_once():
    runs = []

    def compute(a):
        runs.append(1)
        return a * a

    x = scalar("x")
    a = step62.apply(step62.Op("counted", compute, step62.same), x)
    runs.clear()
    f = function([x], [a * a + a, a])
    assert f(3.0) == [90.0, 9.0]
    assert len(runs) == 1


def test_a_result_is_a_copy():
    w = Shared(np.ones(2), "w")
    x = vector("x")
    f = function([x], [w, x])
    mine = np.zeros(2)
    for result in f(mine):
        result += 5
    w.get_value()[:] = 7
    assert_equal(w.get_value(), np.ones(2))
    assert_equal(mine, np.zeros(2))
    function([x], x, [(w, x)])(mine)
    mine += 1
    assert_equal(w.get_value(), np.zeros(2))


@pytest.mark.slow
def test_a_long_chain_is_computed_and_freed():
    x = scalar("x")
    y = x
    for _ in range(20_000):
        y = y + 1.0
    f = function([x], [y, grad(y, x)])
    assert f(5.0) == [20_005.0, 1.0]
    gone = weakref.ref(y)
    del y, f
    assert gone() is None


def test_expressions_are_freed_without_the_collector():
    was_on = gc.isenabled()
    gc.disable()
    try:
        w = Shared(1.0, "w")
        y = exp(w * 2.0)
        f = function([], [y, grad(y, w)])
        f()
        gone = weakref.ref(y)
        del y, f
        assert gone() is None
    finally:
        if was_on:
            gc.enable()


# --- Updates --------------------------------------------------------------------------


def test_a_counter_returns_the_old_value():
    count = Shared(0, "count")
    tick = function([], count, [(count, count + 1)])
    assert [int(tick()) for _ in range(3)] == [0, 1, 2]
    assert count.get_value() == 3
    assert count.dtype == np.int64


def test_updates_are_computed_from_the_old_values():
    a, b = Shared(1.0, "a"), Shared(2.0, "b")
    swap = function([], [a, b], [(a, b), (b, a)])
    assert swap() == [1.0, 2.0]
    assert (a.get_value(), b.get_value()) == (2.0, 1.0)
    function([], [], {a: a + 1, b: a})()
    assert (a.get_value(), b.get_value()) == (3.0, 2.0)


def test_shared_variables_are_shared_between_functions():
    count, by = Shared(0.0, "count"), scalar("by")
    add = function([by], count + by, [(count, count + by)])
    reset = function([], [], [(count, 0)])
    add(2.0)
    assert add(3.0) == 5.0
    reset()
    assert add(1.0) == 1.0


def test_a_failing_call_writes_nothing():
    count, w, x = Shared(0, "count"), Shared(np.ones(2), "w"), vector("x")
    f = function([x], [], [(count, count + 1), (w, w * x)])
    with pytest.raises(
        ValueError,
        match=r"multiply\(w, x\) cannot be computed from the shapes w \(2,\), x \(3,\)",
    ):
        f(np.ones(3))
    # The new value turns out to be of another shape only when it is there.
    v = Shared(np.ones(1), "v")
    grow = function([x], [], [(count, count + 1), (v, x)])
    with pytest.raises(ValueError, match=r"v takes the shape \(1,\), not \(3,\)"):
        grow(np.ones(3))
    assert count.get_value() == 0
    f(np.full(2, 3.0))
    assert count.get_value() == 1
    assert_equal(w.get_value(), [3.0, 3.0])


def test_no_update_is_lost_when_eight_threads_call():
    count, by = Shared(0, "count"), scalar("by", int)
    # A slow operation, during which another thread gets its turn.
    slow = step62.Op("slow", lambda a: [sleep(0.0005), a + 1][1], step62.same)
    tick = function([by], count, [(count, step62.apply(slow, count) * by)])
    threads = [Thread(target=lambda: [tick(1) for _ in range(10)]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert count.get_value() == 80


def test_an_operation_that_writes_into_its_input_is_an_error():
    def doubles(a):
        if a.size > 1:  # one element is how the type is tried
            a *= 2
        return a

    w, x = Shared(np.ones(2), "w"), vector("x")
    op = step62.Op("doubles", doubles, step62.same)
    for f, arguments in (
        (function([], step62.apply(op, w)), ()),
        (function([x], step62.apply(op, x)), (np.ones(2),)),
        (function([x], step62.apply(op, x * 2)), (np.ones(2),)),
    ):
        with pytest.raises(ValueError, match=r"doubles\(.*\) writes into its input"):
            f(*arguments)
    assert_equal(w.get_value(), [1.0, 1.0])


# --- Errors at the call ---------------------------------------------------------------


def test_the_wrong_number_of_arguments():
    x, y = scalar("x"), scalar("y")
    f = function([x, y], x + y)
    for arguments in ((), (1.0,), (1.0, 2.0, 3.0)):
        with pytest.raises(
            TypeError, match=rf"number of arguments: {len(arguments)}, not 2 \(x, y\)"
        ):
            f(*arguments)


def test_the_wrong_shape():
    x = matrix("x", columns=3)
    f = function([x], x * 2)
    assert f(np.ones((5, 3))).shape == (5, 3)
    for shape in ((5, 4), (3,), (), (1, 5, 3)):
        with pytest.raises(ValueError, match=r"x takes the shape \(None, 3\), not"):
            f(np.ones(shape))


def test_the_wrong_type():
    x, n, small = scalar("x"), scalar("n", int), scalar("s", np.float32)
    f = function([x, n, small], [x, n, small])
    assert [r.dtype for r in f(1, 2, 3.0)] == [np.float64, np.int64, np.float32]
    assert f(np.float32(0.5), True, np.float32(1))[0] == 0.5
    for arguments in (
        (1.0, 2.5, 1.0),
        (1.0, np.array(2.0), 1.0),
        (1.0, 2, np.array(1.0)),
        (np.array(1j), 2, 1.0),
    ):
        with pytest.raises(TypeError, match=r"takes (int64|float32|float64), not"):
            f(*arguments)
    for wrong in ("1", [1.0], None, 1j):
        with pytest.raises(TypeError, match=r"takes a real number or an np\.array"):
            f(wrong, 2, 1.0)


def test_a_shared_variable_keeps_its_type():
    w = Shared(np.ones(3, dtype=np.float32), "w")
    with pytest.raises(ValueError, match=r"w takes the shape \(3,\), not \(2,\)"):
        w.set_value(np.ones(2, dtype=np.float32))
    with pytest.raises(TypeError, match="w takes float32, not float64"):
        w.set_value(np.ones(3))


def test_shapes_that_turn_out_not_to_fit_are_named():
    a, b = matrix("a"), matrix("b")
    f = function([a, b], matmul(a, b))
    with pytest.raises(
        ValueError,
        match=(
            r"matmul\(a, b\) cannot be computed from the shapes a \(2, 3\), b \(2, 3\)"
        ),
    ):
        f(np.ones((2, 3)), np.ones((2, 3)))


# --- Errors at construction -----------------------------------------------------------


def test_shapes_that_cannot_fit():
    with pytest.raises(
        ValueError,
        match=r"add does not take a float64 \(3,\), b float64 \(4,\): 3 and 4 do not",
    ):
        vector("a", 3) + vector("b", 4)
    with pytest.raises(ValueError, match="5 columns do not meet 3 rows"):
        matrix("a", None, 5) @ Shared(np.ones((3, 2)), "w")
    with pytest.raises(ValueError, match="two matrices"):
        vector("a") @ matrix("b")
    with pytest.raises(ValueError, match="no axis 1"):
        total(vector("a"), axis=1)
    with pytest.raises(ValueError, match="needs an axis"):
        logsumexp(scalar("a"))


def test_a_function_that_could_not_work():
    x, y, w = scalar("x"), scalar("y"), Shared(1.0, "w")
    z = x * y
    with pytest.raises(
        ValueError, match=r"y, needed by multiply\(x, y\), is not among the inputs"
    ):
        function([x], z)
    with pytest.raises(ValueError, match="x, needed by an output, is not among"):
        function([], x)
    with pytest.raises(
        ValueError, match=r"y, needed by multiply\(w, y\), is not among"
    ):
        function([x], x, [(w, w * y)])
    with pytest.raises(ValueError, match="x is named twice"):
        function([x, x], x)
    with pytest.raises(ValueError, match="w is named twice"):
        function([x], x, [(w, x), (w, x)])
    with pytest.raises(TypeError, match=r"must be a symbol.*not multiply\(x, y\)"):
        function([z], z)
    with pytest.raises(TypeError, match=r"must be a symbol.*not w"):
        function([w], w)
    with pytest.raises(TypeError, match="not type str"):
        function([x], "x")
    with pytest.raises(TypeError, match="only shared variables can be updated, not x"):
        function([x], x, [(x, x)])


def test_an_update_of_another_type():
    x, count, small = (
        scalar("x"),
        Shared(0, "count"),
        Shared(np.ones(2, np.float32), "small"),
    )
    with pytest.raises(
        TypeError, match=r"count is int64 \(\) and cannot take x, which is float64 \(\)"
    ):
        function([x], x, [(count, x)])
    with pytest.raises(TypeError, match="small is float32"):
        function([x], x, [(small, small * x)])
    with pytest.raises(TypeError, match=r"small is float32 \(2,\)"):
        function([], small, [(small, total(small))])
    function([], small, [(small, small * 2.0)])()
    assert_equal(small.get_value(), [2.0, 2.0])
    assert small.get_value().dtype == np.float32


def test_an_expression_is_not_mistaken_for_its_value():
    x = scalar("x")
    for attempt in (
        lambda: bool(x),
        lambda: list(x),
        lambda: np.asarray(x),
        lambda: x == 0,
        lambda: x != 0,
        lambda: x > 0,
        lambda: x >= 0,
        lambda: x in (0, 1),
    ):
        with pytest.raises(
            TypeError, match="x has no value before a function runs: it is neither true"
        ):
            attempt()
    with pytest.raises(TypeError, match="does not take"):
        step62.apply(step62.NEGATE, scalar("b", bool))
    with pytest.raises(TypeError, match="needs a number for c"):
        step62.power(x, x)
    assert repr(x * 2) == "Expression(multiply(x, 2.0), float64, ())"
    assert repr(function([x], x * 2)) == "Function(x -> multiply)"


def test_gradients_that_make_no_sense():
    x, w, n = scalar("x"), Shared(np.ones(2), "w"), scalar("n", int)
    with pytest.raises(
        TypeError, match="only a single real number has a gradient, not multiply"
    ):
        grad(w * x, w)
    with pytest.raises(
        TypeError, match="only a single real number has a gradient, not type float"
    ):
        grad(1.0, w)
    with pytest.raises(ValueError, match=r"multiply\(x, x\) does not depend on w"):
        grad(x * x, w)
    with pytest.raises(TypeError, match="real numbers, not n, which"):
        grad(x * n, n)
    with pytest.raises(TypeError, match="only a single real number"):
        grad(n * n, n)
    assert function([x, n], grad(x * n, x))(2.0, 3) == 3.0


# --- Operations and gradients ---------------------------------------------------------


def test_operators_from_both_sides_with_numbers_and_arrays():
    a = np.array([1.0, 2.0])
    for value in (3.0, np.array([3.0, 5.0])):
        w = Shared(value, "w")
        made, right = on_both_sides(w, a), on_both_sides(value, a)
        for found, expected in zip(function([], made)(), right, strict=True):
            assert_equal(found, expected)
    m = Shared(np.ones((2, 2)), "m")
    assert_equal(function([], np.eye(2) @ m @ np.eye(2))(), np.ones((2, 2)))


def test_types_are_known_before_anything_runs():
    x, n = matrix("x", columns=3, dtype=np.float32), vector("n", 3, dtype=int)
    for y, dtype, shape in (
        (x * 2.0, np.float32, (None, 3)),
        (x + n, np.float64, (None, 3)),
        (n / 2, np.float64, (3,)),
        (n * 2, np.int64, (3,)),
        (exp(n), np.float64, (3,)),
        (transpose(x), np.float32, (3, None)),
        (transpose(x) @ x, np.float32, (3, 3)),
        (total(x, axis=0), np.float32, (1, 3)),
        (mean(x), np.float32, ()),
        (logsumexp(x), np.float32, (None, 1)),
        (vector("u") + vector("v", 1), np.float64, (None,)),
        (vector("u", 4) + vector("v"), np.float64, (4,)),
    ):
        assert (y.dtype, y.shape) == (dtype, shape)


def test_float32_stays_float32():
    w = Shared(np.ones((2, 3), dtype=np.float32), "w")
    y = mean(sigmoid(w * 2.0 - 1) ** 2 / 3) + total(logsumexp(w))
    value, gradient = function([], [y, grad(y, w)])()
    assert (y.dtype, value.dtype, gradient.dtype) == (np.float32,) * 3
    wide = Shared(np.ones(3), "wide")
    (gradient,) = function([], [grad(total(w * wide), w)])()
    assert gradient.dtype == np.float32


def test_sigmoid_and_logsumexp_do_not_overflow():
    x = Shared(np.array([[-1000.0, 0.0, 1000.0]]), "x")
    y, z, g = function([], [sigmoid(x), logsumexp(x), grad(total(logsumexp(x)), x)])()
    assert_close(y, [[0.0, 0.5, 1.0]])
    assert z == 1000.0
    assert_close(g, [[0.0, 0.0, 1.0]])


def test_sigmoid_keeps_small_values():
    x = Shared(np.array([-700.0, -40.0, 0.0, 40.0]), "x")
    y = log(sigmoid(x))
    value, slope = function([], [y, grad(total(y), x)])()
    assert_close(value, [-700.0, -40.0, np.log(0.5), 0.0])
    assert_close(slope, [1.0, 1.0, 0.5, 0.0])


@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("sign", BINARY)
def test_gradients_of_binary_operations_on_all_shapes(sign, shapes):
    a, b = Shared(positive(shapes[0], 0), "a"), Shared(positive(shapes[1], 1), "b")
    y = BINARY[sign](a, b)
    y = total(y * positive(y.shape, 2))
    assert_gradients(y, [a, b])
    assert_gradients(sum(total(g * g) for g in grad(y, [a, b])) + y, [a, b])


def test_gradients_when_a_length_unknown_so_far_turns_out_to_be_one():
    x, w = vector("x"), Shared(np.ones(3), "w")
    f = function([x], grad(total(x * w), x))
    assert_equal(f(np.ones(1)), [3.0])
    assert_equal(f(np.ones(3)), np.ones(3))


@pytest.mark.parametrize("name", unary(step62))
def test_gradients_of_unary_operations_to_the_second_order(name):
    a = Shared(positive((2, 3)), "a")
    y = unary(step62)[name](a)
    y = total(y * positive(y.shape, 2))
    assert_gradients(y, [a])
    g = grad(y, a)
    assert_gradients(total(g * g * a), [a])


def test_gradients_of_matmul_to_the_second_order():
    a, b = Shared(positive((2, 3), 0), "a"), Shared(positive((3, 4), 1), "b")
    y = total(((a @ b) * positive((2, 4), 2)) ** 2)
    assert_gradients(y, [a, b])
    assert_gradients(sum(total(g * g) for g in grad(y, [a, b])), [a, b])


def test_gradients_add_up_over_all_paths():
    x = scalar("x")
    a = x**2
    for y, right in ((a**2 + a**2, 64.0), (x + x, 2.0), ((a**2) ** 2 + a, 1028.0)):
        assert function([x], grad(y, x))(2.0) == right
    assert function([x], grad(a * a, a))(2.0) == 8.0
    assert (
        function([], grad(Shared(1.0, "w") * 2.0 + (w := Shared(3.0, "v")) * w, w))()
        == 6.0
    )


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_gradients_on_random_graphs(data):
    leaves = drawn_leaves(data, Shared)
    nodes = drawn_nodes(data, leaves, step62)
    cost = sum((total(tanh(node)) for node in nodes), zeros_like(total(leaves[0])))
    assert_gradients(cost, leaves, tolerance=1e-4)


# --- Training -------------------------------------------------------------------------


def test_a_training_step_is_one_function():
    rng = np.random.default_rng(0)
    xs = rng.uniform(-1, 1, (50, 1))
    ts = np.sin(3 * xs)
    x, t = matrix("x", columns=1), matrix("t", columns=1)
    weights = [
        Shared(rng.normal(size=shape), "w") for shape in ((1, 10), (10,), (10, 1), (1,))
    ]
    w1, b1, w2, b2 = weights
    loss = mean((tanh(x @ w1 + b1) @ w2 + b2 - t) ** 2)
    step = function(
        [x, t],
        loss,
        [(w, w - 0.2 * g) for w, g in zip(weights, grad(loss, weights), strict=True)],
    )
    losses, counts = [], []
    for i in range(400):
        losses.append(float(step(xs, ts)))
        if i in (1, 399):
            counts.append(
                sum(isinstance(thing, Expression) for thing in gc.get_objects())
            )
    assert losses[-1] < 0.01 < losses[0]
    assert counts[0] == counts[1]


def test_the_public_names_are_there():
    assert all(
        getattr(step62, name).__module__ == "steps.step62" for name in step62.__all__
    )
