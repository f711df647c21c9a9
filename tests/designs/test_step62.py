"""Step 62: expressions, and functions made of them."""

import weakref
from threading import Thread
from time import sleep

import numpy as np
import pytest

from steps import step62
from steps.step62 import (
    Shared,
    exp,
    function,
    grad,
    logsumexp,
    matmul,
    matrix,
    mean,
    scalar,
    total,
    transpose,
    vector,
    zeros_like,
)
from tests.support.arrays import assert_equal
from tests.support.refusals import assert_refused

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
    assert_equal(function([x], zeros_like(x))(np.ones(3)), np.zeros(3))


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


@pytest.mark.usefixtures("without_collector")
def test_expressions_are_freed_gradients_too():
    w = Shared(1.0, "w")
    y = exp(w * 2.0)
    f = function([], [y, grad(y, w)])
    f()
    gone = weakref.ref(y)
    del y, f
    assert gone() is None


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
    words = "multiply(w, x) cannot be computed from the shapes w (2,), x (3,)"
    assert_refused(ValueError, words, lambda: f(np.ones(3)))
    # The new value turns out to be of another shape only when it is there.
    v = Shared(np.ones(1), "v")
    grow = function([x], [], [(count, count + 1), (v, x)])
    words = "v takes the shape (1,), not (3,)"
    assert_refused(ValueError, words, lambda: grow(np.ones(3)))
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


# --- What is refused when a function is called ----------------------------------------


def test_arguments_of_the_wrong_number_or_shape():
    x, y = scalar("x"), matrix("y", columns=3)
    f = function([x, y], y * x)
    right = np.ones((5, 3))
    assert f(1.0, right).shape == (5, 3)
    for given in ((), (1.0,), (1.0, right, 3.0)):
        words = f"number of arguments: {len(given)}, not 2 (x, y)"
        assert_refused(TypeError, words, lambda given=given: f(*given))
    for shape in ((5, 4), (3,), (), (1, 5, 3)):
        wrong = np.ones(shape)
        words = "y takes the shape (None, 3), not"
        assert_refused(ValueError, words, lambda wrong=wrong: f(1.0, wrong))


def test_arguments_of_the_wrong_type():
    x, n, small = scalar("x"), scalar("n", int), scalar("s", np.float32)
    f = function([x, n, small], [x, n, small])
    assert [r.dtype for r in f(1, 2, 3.0)] == [np.float64, np.int64, np.float32]
    assert f(np.float32(0.5), True, np.float32(1))[0] == 0.5
    for words, *given in (
        ("n takes int64, not", 1.0, 2.5, 1.0),
        ("n takes int64, not", 1.0, np.array(2.0), 1.0),
        ("s takes float32, not", 1.0, 2, np.array(1.0)),
        ("x takes float64, not", np.array(1j), 2, 1.0),
    ):
        assert_refused(TypeError, words, lambda given=given: f(*given))
    for wrong in ("1", [1.0], None, 1j):
        words = "takes a real number or an np.array"
        assert_refused(TypeError, words, lambda wrong=wrong: f(wrong, 2, 1.0))


def test_a_shared_variable_keeps_its_type():
    w = Shared(np.ones(3, dtype=np.float32), "w")
    short = np.ones(2, dtype=np.float32)
    words = "w takes the shape (3,), not (2,)"
    assert_refused(ValueError, words, lambda: w.set_value(short))
    words = "w takes float32, not float64"
    assert_refused(TypeError, words, lambda: w.set_value(np.ones(3)))


def test_shapes_that_turn_out_not_to_fit_are_named():
    a, b = matrix("a"), matrix("b")
    f, wrong = function([a, b], matmul(a, b)), np.ones((2, 3))
    words = "matmul(a, b) cannot be computed from the shapes a (2, 3), b (2, 3)"
    assert_refused(ValueError, words, lambda: f(wrong, wrong))


# --- What is refused when it is made --------------------------------------------------


def test_shapes_that_cannot_fit():
    v, m, w = vector("a"), matrix("b"), Shared(np.ones((3, 2)), "w")
    words = "add does not take a float64 (3,), b float64 (4,): 3 and 4 do not"
    assert_refused(ValueError, words, lambda: vector("a", 3) + vector("b", 4))
    words = "5 columns do not meet 3 rows"
    assert_refused(ValueError, words, lambda: matrix("a", None, 5) @ w)
    assert_refused(ValueError, "two matrices", lambda: v @ m)
    assert_refused(ValueError, "no axis 1", lambda: total(v, axis=1))
    assert_refused(ValueError, "needs an axis", lambda: logsumexp(scalar("a")))


def test_a_function_that_could_not_work():
    x, y, w = scalar("x"), scalar("y"), Shared(1.0, "w")
    z = x * y
    for words, *signature in (
        ("y, needed by multiply(x, y), is not among the inputs", [x], z),
        ("x, needed by an output, is not among", [], x),
        ("y, needed by multiply(w, y), is not among", [x], x, [(w, w * y)]),
        ("x is named twice", [x, x], x),
        ("w is named twice", [x], x, [(w, x), (w, x)]),
    ):
        assert_refused(ValueError, words, lambda s=signature: function(*s))
    for words, *signature in (
        ("must be a symbol", [z], z),
        ("not multiply(x, y)", [z], z),
        ("not w", [w], w),
        ("not type str", [x], "x"),
        ("only shared variables can be updated, not x", [x], x, [(x, x)]),
    ):
        assert_refused(TypeError, words, lambda s=signature: function(*s))


def test_an_update_of_another_type():
    x, count = scalar("x"), Shared(0, "count")
    small = Shared(np.ones(2, np.float32), "small")
    for words, update in (
        ("count is int64 () and cannot take x, which is float64 ()", (count, x)),
        ("small is float32", (small, small * x)),
        ("small is float32 (2,)", (small, total(small))),
    ):
        assert_refused(TypeError, words, lambda u=update: function([x], x, [u]))
    function([], small, [(small, small * 2.0)])()
    assert_equal(small.get_value(), [2.0, 2.0])
    assert small.get_value().dtype == np.float32


def test_an_expression_says_what_it_is_and_what_it_takes():
    x, flag = scalar("x"), scalar("b", bool)
    words = "does not take"
    assert_refused(TypeError, words, lambda: step62.apply(step62.NEGATE, flag))
    assert_refused(TypeError, "needs a number for c", lambda: step62.power(x, x))
    assert_refused(TypeError, "x has no value before", lambda: list(x))
    assert repr(x * 2) == "Expression(multiply(x, 2.0), float64, ())"
    assert repr(function([x], x * 2)) == "Function(x -> multiply)"


def test_gradients_that_make_no_sense():
    x, w, n = scalar("x"), Shared(np.ones(2), "w"), scalar("n", int)
    for words, cost, variable in (
        ("only a single real number has a gradient, not multiply", w * x, w),
        ("only a single real number has a gradient, not type float", 1.0, w),
        ("real numbers, not n, which", x * n, n),
        ("only a single real number", n * n, n),
    ):
        assert_refused(TypeError, words, lambda c=cost, v=variable: grad(c, v))
    words = "multiply(x, x) does not depend on w"
    assert_refused(ValueError, words, lambda: grad(x * x, w))
    assert function([x, n], grad(x * n, x))(2.0, 3) == 3.0
    square = x**2
    assert function([x], grad(square * square, square))(2.0) == 8.0


# --- Types ----------------------------------------------------------------------------


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


def test_a_gradient_has_the_type_of_its_variable():
    narrow, wide = Shared(np.ones(3, dtype=np.float32), "n"), Shared(np.ones(3), "w")
    (gradient,) = function([], [grad(total(narrow * wide), narrow)])()
    assert gradient.dtype == np.float32
    x = vector("x")
    f = function([x], grad(total(x * wide), x))
    # A length that is unknown so far may turn out to be one.
    assert_equal(f(np.ones(1)), [3.0])
    assert_equal(f(np.ones(3)), np.ones(3))
