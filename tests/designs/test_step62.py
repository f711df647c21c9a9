"""Step 62: expressions, and functions made of them."""

import weakref
from threading import Thread
from time import sleep

import numpy as np

from steps import step62
from steps.step62 import (
    Shared,
    exp,
    function,
    grad,
    logsumexp,
    matrix,
    mean,
    scalar,
    total,
    transpose,
    vector,
    zeros_like,
)
from tests.support.arrays import assert_equal

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
    held = [value for y in f.order for value in vars(y).values()]
    assert not any(isinstance(value, np.ndarray) for value in held)


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


# --- Expressions ----------------------------------------------------------------------


def test_an_expression_says_what_it_is():
    x = scalar("x")
    assert repr(x * 2) == "Expression(multiply(x, 2.0), float64, ())"
    assert repr(function([x], x * 2)) == "Function(x -> multiply)"


def test_gradients_beside_whole_numbers_and_by_an_expression():
    x, n = scalar("x"), scalar("n", int)
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
