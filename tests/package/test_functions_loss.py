"""Losses: values as by the formula, both orders of the gradient, and errors for what
would silently go wrong.
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dezero_lite import Parameter, Variable, no_grad
from dezero_lite import functions as F
from tests.support import fake_cupy
from tests.support.arrays import assert_close, assert_equal, uniform
from tests.support.function_checks import check_function, run


def array(*shape, **kwargs):
    return uniform(*shape, low=0.1, high=0.9, **kwargs)


def var(*shape, **kwargs):
    return Variable(array(*shape, **kwargs))


def labels(n, classes):
    return np.random.default_rng(1).integers(0, classes, n)


def cross_entropy(x, t):
    """Row by row, in Python's numbers."""
    rows = zip(x.tolist(), t.ravel().tolist(), strict=True)
    return sum(
        [
            math.log(sum(math.exp(score - row[label]) for score in row))
            for row, label in rows
        ]
    ) / len(x)


# --- mean squared error ---------------------------------------------------------------

mean_squared_errors = pytest.mark.parametrize(
    "loss", [F.mean_squared_error, F.mean_squared_error_simple]
)


@mean_squared_errors
@pytest.mark.parametrize("shapes", [((1, 1), (1,)), ((1,), ()), ((), (1, 1))])
def test_two_single_numbers_pair_up_whatever_their_shapes(loss, shapes):
    x, t = Variable(np.full(shapes[0], 3.0)), Variable(np.full(shapes[1], 1.0))
    y = loss(x, t)
    y.backward()
    assert y.item() == 4
    assert (x.grad.shape, t.grad.shape) == shapes
    assert (x.grad.item(), t.grad.item()) == (4, -4)


@mean_squared_errors
@pytest.mark.parametrize("shape", [(4,), (1,), (4, 1), (4, 3), (2, 3, 2), (2, 0)])
def test_mean_squared_error_divides_by_the_number_of_examples(loss, shape):
    x0, x1 = array(*shape), array(*shape, seed=1)
    assert np.isclose(
        loss(Variable(x0), Variable(x1)).item(), ((x0 - x1) ** 2).sum() / shape[0]
    )
    check_function(loss, x0, x1)


def test_mean_squared_error_of_two_numbers_is_the_square():
    assert F.mean_squared_error(Variable(np.array(1.0)), np.array(3.0)).item() == 4
    check_function(F.mean_squared_error, np.array(1.0), np.array(3.0))


@mean_squared_errors
def test_a_constant_target_receives_nothing(loss):
    x, t = var(4, 3), array(4, 3, seed=1)
    y = loss(x, t)
    y.backward()
    assert_close(x.grad.data, 2 * (x.data - t) / 4)
    z = loss(t, x)
    x.cleargrad()
    z.backward()
    assert_close(x.grad.data, 2 * (x.data - t) / 4)


def test_the_target_gradient_is_not_computed_unless_it_is_wanted():
    x, t = var(4), array(4, seed=1)
    assert F.mean_squared_error(x, t).creator.vjp([x.data, t], 1.0)[1] is None


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, bool])
def test_whole_targets_do_not_widen_float32(dtype):
    x = var(4, dtype=np.float32)
    t = np.array([0, 1, 1, 0], dtype)
    assert F.mean_squared_error(x, t).dtype == np.float32
    assert np.isclose(F.mean_squared_error(x, t).item(), ((x.data - t) ** 2).mean())
    assert np.isclose(F.mean_squared_error(t, x).item(), ((x.data - t) ** 2).mean())


def test_bytes_do_not_wrap_around():
    a, b = np.array([0, 255], np.uint8), np.array([1, 0], np.uint8)
    assert F.mean_squared_error(a, b).item() == (1 + 255**2) / 2


@mean_squared_errors
@pytest.mark.parametrize(
    ("left", "right", "hint"),
    [
        ((4, 1), (4,), r"use x1.reshape\(4, 1\)"),
        ((4,), (4, 1), r"use x1.reshape\(4,\)"),
        ((4, 3), (3,), "they need the same shape"),
        ((4,), (), "they need the same shape"),
    ],
)
def test_shapes_that_would_broadcast_are_refused(loss, left, right, hint):
    with pytest.raises(
        ValueError, match=f"mean_squared_error compares number by number, .*: {hint}"
    ) as error:
        loss(var(*left), Parameter(array(*right), "t"))
    x0, x1 = (
        f"x0 is a Variable of shape {left} and dtype float64",
        f"x1 is Variable 't' of shape {right}",
    )
    assert x0 in str(error.value)
    assert x1 in str(error.value)


@mean_squared_errors
@pytest.mark.parametrize("shape", [(0,), (0, 3)])
def test_no_examples_have_no_mean(loss, shape):
    with pytest.raises(
        ValueError,
        match=r"averages over the examples, but the batch of shape .* has none",
    ):
        loss(var(*shape), var(*shape))


def test_the_simple_error_of_small_whole_numbers_does_not_wrap_around():
    x0, x1 = np.array([1, 200], np.uint8), np.array([2, 100], np.uint8)
    y = F.mean_squared_error_simple(x0, x1)
    assert y.item() == (1 + 100**2) / 2
    assert y.dtype == float


@pytest.mark.parametrize("n", [1, 100_000])
def test_the_error_of_float16_has_a_value_and_a_gradient(n):
    x0, x1 = Variable(np.full(n, 400, np.float16)), np.full(n, 200, np.float16)
    y = F.mean_squared_error(x0, x1)
    y.backward()
    assert y.item() == 40_000
    assert_close(x0.grad.data, 400 / n, rtol=1e-2)
    assert y.dtype == x0.grad.dtype == np.float16


# --- softmax and cross entropy --------------------------------------------------------

cross_entropies = pytest.mark.parametrize(
    "loss", [F.softmax_cross_entropy, F.softmax_cross_entropy_simple]
)


@cross_entropies
@pytest.mark.parametrize("shape", [(4, 3), (1, 3), (5, 2), (3, 1), (1, 1)])
def test_softmax_cross_entropy_is_the_mean_of_minus_log_p(loss, shape):
    x, t = array(*shape), labels(*shape)
    assert np.isclose(loss(Variable(x), t).item(), cross_entropy(x, t))
    check_function(loss, x, t)
    check_function(lambda x, t: loss(x, t) ** 2, x, t)


@cross_entropies
@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint8])
@pytest.mark.parametrize("shape", [(4,), (4, 1)])
def test_labels_may_be_a_column_or_a_variable(loss, dtype, shape):
    x, t = array(4, 3), labels(4, 3).astype(dtype).reshape(shape)
    assert np.isclose(loss(Variable(x), t).item(), cross_entropy(x, t))
    assert np.isclose(loss(Variable(x), Variable(t)).item(), cross_entropy(x, t))
    check_function(lambda x, t: loss(x, Variable(t)), x, t)


@cross_entropies
def test_a_score_gradient_is_its_probability_or_one_less(loss):
    x, t = var(4, 3), labels(4, 3)
    loss(x, t).backward()
    p = np.exp(x.data) / np.exp(x.data).sum(axis=1, keepdims=True)
    assert_close(x.grad.data, (p - np.eye(3)[t]) / 4)


@pytest.mark.parametrize("size", [1e4, -1e4, 1e30])
def test_large_scores_are_no_trouble_in_float32(size):
    x = Variable(np.array([[size, 0, -size], [0, size, 0]], np.float32))
    t = np.array([2, 1])
    y = F.softmax_cross_entropy(x, t)
    expected = np.mean(
        [
            max(abs(size), size) + size,
            max(size, 0) - size + (math.log(2) if size < 0 else 0),
        ]
    )
    assert y.dtype == np.float32
    assert np.isclose(y.item(), expected, rtol=1e-6)
    y.backward(create_graph=True)
    assert np.isfinite(x.grad.data).all()
    assert_close(x.grad.data.sum(axis=1), 0)
    gx = x.grad
    x.cleargrad()
    (gx**2).sum().backward()
    assert np.isfinite(x.grad.data).all()


def test_a_class_ruled_out_by_minus_infinity_has_no_part():
    x = Variable(np.array([[0.0, 0.0, -np.inf]]))
    y = F.softmax_cross_entropy(x, np.array([0]))
    y.backward()
    assert np.isclose(y.item(), math.log(2))
    assert_close(x.grad.data, [[-0.5, 0.5, 0]])


@settings(derandomize=True, deadline=None, max_examples=30)
@given(st.integers(1, 5), st.integers(1, 5), st.floats(-50, 50))
def test_moving_all_scores_of_an_example_changes_nothing(n, classes, by):
    x, t = array(n, classes), labels(n, classes)
    assert np.isclose(
        F.softmax_cross_entropy(x + by, t).item(), F.softmax_cross_entropy(x, t).item()
    )


def test_whole_scores_are_numbers_too():
    x, t = np.array([[1, 2, 3], [3, 2, 1]]), np.array([0, 0])
    assert np.isclose(F.softmax_cross_entropy(x, t).item(), cross_entropy(x, t))
    assert F.accuracy(x, t).item() == 0.5


def test_softmax_cross_entropy_is_one_function():
    x = var(4, 3)
    assert F.softmax_cross_entropy(x, labels(4, 3)).creator.inputs[0] is x


def test_the_rule_of_softmax_cross_entropy_stays_in_float32():
    x, t = var(4, 3, dtype=np.float32), labels(4, 3)
    gx, gt = F.softmax_cross_entropy(x, t).creator.vjp([x.data, t], np.float32(1))
    assert gx.dtype == np.float32
    assert gt is None


LABELLED = {
    "softmax_cross_entropy": F.softmax_cross_entropy,
    "softmax_cross_entropy (simple)": F.softmax_cross_entropy_simple,
    "accuracy": F.accuracy,
}
labelled = pytest.mark.parametrize("name", LABELLED)


@labelled
@pytest.mark.parametrize(
    ("shape", "t", "kind", "message"),
    [
        (
            (4, 3),
            np.array([0, 1, 2, 3]),
            ValueError,
            "3 classes.* from 0 to 2, but t holds labels from 0 to 3",
        ),
        (
            (4, 3),
            np.array([0, 1, -1, 2]),
            ValueError,
            "3 classes.* from 0 to 2, but t holds labels from -1 to 2",
        ),
        (
            (2, 3),
            np.array([0.0, 1.0]),
            TypeError,
            r"whole numbers as labels, but t is .* float64: use t.astype\(int\)",
        ),
        (
            (2, 3),
            np.array([True, False]),
            TypeError,
            "whole numbers as labels, but t is .* dtype bool",
        ),
        (
            (2, 3),
            np.array([0, 1, 1]),
            ValueError,
            r"shape \(2,\) or \(2, 1\), but t is .* shape \(3,\).*: one label",
        ),
        (
            (2, 3),
            np.array(1),
            ValueError,
            r"shape \(2,\) or \(2, 1\), but t is .* shape \(\).*: one label",
        ),
        (
            (2, 3),
            np.array([[0, 1]]),
            ValueError,
            r"shape \(2,\) or \(2, 1\), but t is .* shape \(1, 2\)",
        ),
        ((2, 3), np.eye(3)[:2], ValueError, r"for one-hot rows use t.argmax\(axis=1\)"),
        ((2, 3), [0, 1], TypeError, "holds an array, not a list"),
        (
            (3,),
            np.array([0]),
            ValueError,
            r"shape \(N, C\), one row for each example, but was given a Variable of",
        ),
        (
            (2, 3, 4, 4),
            np.array([0, 1]),
            ValueError,
            r"shape \(N, C\), one row for each example",
        ),
        (
            (0, 3),
            np.zeros(0, int),
            ValueError,
            r"averages over the examples, but the batch of shape \(0, 3\) has none",
        ),
        ((2, 0), np.array([0, 1]), ValueError, "0 classes"),
    ],
)
def test_labels_that_do_not_fit_are_refused(name, shape, t, kind, message):
    with pytest.raises(kind, match=message) as error:
        LABELLED[name](var(*shape), t)
    if not isinstance(t, list):
        assert str(error.value).startswith(name.split()[0])


def test_labels_may_change_after_they_were_used():
    x, t = var(2, 3), np.array([0, 1])
    y = F.softmax_cross_entropy(x, t)
    t[:] = 2
    y.backward()
    assert_equal(x.grad.data < 0, np.eye(3)[:2] == 1)


def test_the_simple_cross_entropy_of_float16_is_finite():
    x = Variable(np.array([[0, 100]], np.float16))
    y = F.softmax_cross_entropy_simple(x, np.array([0]))
    y.backward()
    assert 9 < y.item() < 10
    assert y.dtype == np.float16
    assert_equal(x.grad.data, [[0, 0]])


def test_the_cross_entropy_of_many_float16_has_a_gradient():
    x = Variable(np.zeros((100_000, 2), np.float16))
    y = F.softmax_cross_entropy(x, np.zeros(100_000, int))
    y.backward()
    assert y.item() == np.float16(math.log(2))
    assert_close(x.grad.data, [[-0.5e-5, 0.5e-5]] * 100_000, rtol=0.02)


# --- accuracy -------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(4,), (4, 1)])
def test_accuracy_is_the_share_of_right_answers(shape):
    y = Variable(np.array([[0.2, 0.8, 0], [0, 0.9, 0.1], [0.8, 0.2, 0], [0, 0, 1.0]]))
    t = np.array([1, 2, 0, 2]).reshape(shape)
    for labels in (t, Variable(t)):
        result = F.accuracy(y, labels)
        assert isinstance(result, Variable)
        assert result.shape == ()
        assert result.item() == 0.75


def test_accuracy_has_no_gradient():
    with pytest.raises(RuntimeError, match="no function made"):
        F.accuracy(var(4, 3), labels(4, 3)).backward()


def test_accuracy_is_computed_where_the_data_are():
    y, t = fake_cupy.array(array(4, 3)), fake_cupy.array(labels(4, 3))
    result = F.accuracy(Variable(y), t).data
    assert isinstance(result, fake_cupy.ndarray)
    assert result.item() == F.accuracy(array(4, 3), labels(4, 3)).item()


# --- yes or no ------------------------------------------------------------------------


def binary(p, t):
    """Number by number, as the formula says, divided by the length of axis 0."""
    pairs = zip(p.ravel().tolist(), t.ravel().tolist(), strict=True)
    return -sum([t * math.log(p) + (1 - t) * math.log(1 - p) for p, t in pairs]) / len(
        p
    )


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


@pytest.mark.parametrize("shape", [(4,), (1,), (4, 1), (4, 3), (2, 3, 2)])
def test_cross_entropies_of_yes_or_no_divide_by_the_number_of_examples(shape):
    x, t = array(*shape) * 4 - 2, array(*shape, seed=1)
    p = sigmoid(x)
    assert np.isclose(
        F.sigmoid_cross_entropy(Variable(x), Variable(t)).item(), binary(p, t)
    )
    assert np.isclose(
        F.binary_cross_entropy(Variable(p), Variable(t)).item(), binary(p, t)
    )
    check_function(F.sigmoid_cross_entropy, x, t)
    check_function(F.binary_cross_entropy, p, t)


answering = pytest.mark.parametrize(
    "loss", [F.sigmoid_cross_entropy, F.binary_cross_entropy]
)


@answering
@pytest.mark.parametrize("dtype", [np.int64, np.uint8, bool, np.float32])
def test_answers_may_be_whole_numbers(loss, dtype):
    x, t = array(4), np.array([0, 1, 1, 0])
    expected = binary(x if loss is F.binary_cross_entropy else sigmoid(x), t)
    for answers in (t.astype(dtype), Variable(t.astype(dtype))):
        assert np.isclose(loss(Variable(x), answers).item(), expected)
        assert loss(Variable(x.astype(np.float32)), answers).dtype == np.float32
    check_function(lambda x, t: loss(x, Variable(t)), x, t)


@answering
@pytest.mark.parametrize(
    ("left", "right"), [((4, 1), (4,)), ((4,), (4, 1)), ((1, 1), (1,))]
)
def test_a_column_of_answers_is_as_good_as_a_row(loss, left, right):
    x, t = array(*left), array(*right, seed=1)
    assert np.isclose(loss(Variable(x), t).item(), loss(x.ravel(), t.ravel()).item())
    check_function(loss, x, t)
    check_function(lambda x, t: loss(x, t), x, t.round().astype(int))


@answering
@pytest.mark.parametrize(
    ("left", "right"),
    [((4, 3), (4,)), ((2, 2), (4,)), ((4,), (1, 4)), ((4,), ()), ((1, 4), (4,))],
)
def test_answers_that_would_broadcast_are_refused(loss, left, right):
    with pytest.raises(
        ValueError,
        match="cross_entropy compares number by number, but the first argument is",
    ):
        loss(var(*left), var(*right))


@answering
def test_answers_go_from_no_to_yes(loss):
    with pytest.raises(
        ValueError,
        match=r"takes t from 0 to 1, but it holds -1 to 1: 1 means yes and 0 means no",
    ):
        loss(var(2), np.array([-1, 1]))


@answering
def test_no_answers_have_no_mean(loss):
    with pytest.raises(
        ValueError,
        match=(
            r"cross_entropy averages over the examples, but the batch of shape \(0, "
            r"1\)"
        ),
    ):
        loss(var(0, 1), np.zeros((0, 1)))


@answering
def test_a_list_is_no_answer(loss):
    with pytest.raises(TypeError, match="not a list"):
        loss(var(2), [0, 1])
    with pytest.raises(TypeError, match="not a list"):
        loss([0.5, 0.5], np.array([0, 1]))


def test_one_score_is_a_batch_of_one():
    check_function(F.sigmoid_cross_entropy, np.array(0.3), np.array(0.8))


@pytest.mark.parametrize("size", [1e4, -1e4])
def test_large_yes_and_no_scores_are_no_trouble_in_float32(size):
    x = Variable(np.array([size, size], np.float32))
    y = F.sigmoid_cross_entropy(x, np.array([0, 1]))
    y.backward()
    assert y.dtype == np.float32
    assert y.item() == 1e4 / 2
    assert_close(x.grad.data, np.array([size > 0, -(size < 0)]) / 2)


def test_certainty_costs_nothing_if_right_and_much_if_wrong():
    p = np.array([0.0, 1.0, 1.0, 0.0], np.float32)
    assert F.binary_cross_entropy(p[:2], np.array([0, 1])).item() == 0
    assert np.isclose(
        F.binary_cross_entropy(p[2:], np.array([0, 1])).item(), -math.log(1e-15)
    )
    x = Variable(p)
    F.binary_cross_entropy(x, np.array([0, 1, 0, 1])).backward()
    assert np.isfinite(x.grad.data).all()


def test_probabilities_go_from_0_to_1():
    with pytest.raises(
        ValueError,
        match=(
            r"takes p from 0 to 1, but it holds 0.5 to 3.0: for scores .* use "
            r"sigmoid_cross"
        ),
    ):
        F.binary_cross_entropy(Variable(np.array([0.5, 3.0])), np.array([0, 1]))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize(("p", "t"), [(0, 1), (1, 0), (0, 0), (1, 1)])
def test_a_certain_probability_is_finite_in_every_dtype(p, t, dtype):
    p = Variable(np.array([p], dtype))
    y = F.binary_cross_entropy(p, np.array([t]))
    y.backward()
    assert (y.item() == 0) == (p.data[0] == t)
    assert np.isfinite(y.item())
    assert np.isfinite(p.grad.data).all()
    assert y.dtype == dtype


@pytest.mark.parametrize("name", ["sigmoid_cross_entropy", "binary_cross_entropy"])
def test_the_surprise_at_many_float16_has_a_value_and_a_gradient(name):
    x = Variable(np.full(100_000, 0.5, np.float16))
    y = getattr(F, name)(x, np.zeros(100_000, int))
    y.backward()
    right = math.log(2) if name.startswith("binary") else math.log1p(math.exp(0.5))
    assert math.isclose(y.item(), right, rel_tol=1e-3)
    assert_close(x.grad.data, 2e-5 if name.startswith("binary") else 6.2e-6, rtol=0.02)
    assert y.dtype == x.grad.dtype == np.float16


@pytest.mark.parametrize(
    "name",
    [
        "mean_squared_error_simple",
        "mean_squared_error",
        "softmax_cross_entropy_simple",
        "softmax_cross_entropy",
        "accuracy",
        "sigmoid_cross_entropy",
        "binary_cross_entropy",
    ],
)
def test_a_variable_without_data_is_named(name):
    with pytest.raises(ValueError, match="Variable 'w' holds no data yet"):
        getattr(F, name)(Variable(None, name="w"), np.array(1))


# --- all together ---------------------------------------------------------------------

EVERYTHING = {
    "mean_squared_error": (F.mean_squared_error, array(4, seed=1)),
    "softmax_cross_entropy": (F.softmax_cross_entropy, labels(4, 3)),
    "sigmoid_cross_entropy": (F.sigmoid_cross_entropy, array(4, seed=1)),
    "binary_cross_entropy": (F.binary_cross_entropy, array(4, seed=1)),
}


@pytest.mark.parametrize("name", EVERYTHING)
def test_losses_leave_alone_what_they_are_given(name):
    loss, t = EVERYTHING[name]
    x = var(4, 3) if name.startswith("softmax") else var(4)
    before, t_before = x.data.copy(), t.copy()
    run(loss, [x, t])
    assert_equal(x.data, before)
    assert_equal(t, t_before)
    with no_grad():
        assert loss(x, t).creator is None
