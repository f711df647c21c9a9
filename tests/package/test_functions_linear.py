"""Matrix products and the linear transformation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dezero_lite import Parameter, Variable, no_grad
from dezero_lite import functions as F
from dezero_lite.functions.linear import Linear
from tests.support.arrays import assert_close, assert_equal, uniform
from tests.support.function_checks import check_function, run


def var(*shape, **kwargs):
    return Variable(uniform(*shape, **kwargs))


# --- matmul ---------------------------------------------------------------------------

SHAPES = [
    ((2, 3), (3, 4)),
    ((1, 1), (1, 1)),
    ((3,), (3,)),
    ((3,), (3, 2)),
    ((2, 3), (3,)),
    ((5, 2, 3), (3, 4)),
    ((5, 2, 3), (3,)),
    ((3,), (5, 3, 4)),
    ((2, 3), (5, 3, 4)),
    ((5, 2, 3), (5, 3, 4)),
    ((1, 2, 3), (5, 3, 4)),
    ((5, 2, 3), (1, 3, 4)),
    ((2, 1, 2, 3), (3, 3, 1)),
    ((2, 1, 1, 3), (1, 3, 3, 2)),
    ((2, 3, 2, 3), (3, 2)),
    ((0, 3), (3, 4)),
    ((2, 0), (0, 4)),
    ((0,), (0, 2)),
    ((0, 2, 3), (1, 3, 4)),
    ((2, 3), (3, 0)),
]


@pytest.mark.parametrize(("left", "right"), SHAPES)
def test_matmul_is_numpys(left, right):
    x, W = uniform(*left), uniform(*right, seed=1)
    y = F.matmul(Variable(x), Variable(W))
    assert y.shape == np.matmul(x, W).shape
    assert_close(y.data, np.matmul(x, W))
    check_function(F.matmul, x, W)
    check_function(lambda x, W: F.matmul(x, W) ** 2, x, W)


@settings(derandomize=True, deadline=None, max_examples=50)
@given(st.data())
def test_the_gradients_of_a_product_are_sums_over_all_that_an_element_meets(data):
    sides = st.integers(1, 3)
    m, k, n = data.draw(sides), data.draw(sides), data.draw(sides)
    axes = data.draw(st.lists(sides, max_size=2))
    before = [
        [data.draw(st.sampled_from([1, side])) for side in axes][
            data.draw(st.integers(0, len(axes))) :
        ]
        for _ in "xW"
    ]
    x, W = var(*before[0], m, k), var(*before[1], k, n, seed=1)
    (x @ W).backward()
    # By Einstein's rule, with ones for gy; the axes before broadcast by hand.
    full = np.broadcast_shapes(before[0], before[1])
    gx = np.einsum("...kn->...k", np.broadcast_to(W.data, (*full, k, n)))[
        ..., None, :
    ] * np.ones((m, 1))
    gW = np.einsum("...mk->...k", np.broadcast_to(x.data, (*full, m, k)))[
        ..., :, None
    ] * np.ones(n)
    assert_close(x.grad.data, summed_to(gx, x.shape))
    assert_close(W.grad.data, summed_to(gW, W.shape))


def summed_to(gx, shape):
    gx = gx.sum(axis=tuple(range(gx.ndim - len(shape))))
    return gx.sum(axis=tuple([i for i, n in enumerate(shape) if n == 1]), keepdims=True)


def test_one_matrix_may_stand_on_both_sides():
    check_function(lambda x: x @ x, uniform(3, 3))
    check_function(lambda x: x @ x.T, uniform(2, 3))


@pytest.mark.parametrize(
    "multiply", [F.matmul, Variable.matmul, Variable.dot, lambda x, W: x @ W]
)
def test_a_product_has_many_names(multiply):
    x, W = var(2, 3), var(3, 4, seed=1)
    assert_close(multiply(x, W).data, x.data @ W.data)


def test_an_array_may_stand_on_either_side():
    x, W = uniform(2, 3), uniform(3, 4, seed=1)
    by_array = Variable(x) @ W
    from_array = x @ Variable(W)
    assert isinstance(from_array, Variable)
    assert_close(by_array.data, x @ W)
    assert_close(from_array.data, x @ W)
    by_array.backward()
    from_array.backward()
    assert_close(by_array.creator.inputs[0].grad.data, np.ones((2, 4)) @ W.T)
    assert_close(from_array.creator.inputs[1].grad.data, x.T @ np.ones((2, 4)))


def test_a_constant_costs_no_product():
    x, W = uniform(2, 3), Parameter(uniform(3, 4))
    y = F.matmul(x, W)
    y.backward()
    assert y.creator.vjp([x, W.data], np.ones((2, 4)))[0] is None
    assert_close(W.grad.data, x.T @ np.ones((2, 4)))


@pytest.mark.parametrize(
    ("left", "right", "why"),
    [
        (
            (2, 3),
            (4, 5),
            "the last axis of x and the last but one axis of W must agree, but they "
            "have 3 and 4 elements",
        ),
        (
            (2, 3),
            (4,),
            "the last axis of x and the only axis of W must agree, but they have 3 "
            "and 4 elements",
        ),
        (
            (3,),
            (4,),
            "the last axis of x and the only axis of W must agree, but they have 3 "
            "and 4 elements",
        ),
        (
            (2, 2, 3),
            (5, 3, 4),
            "the axes before the last two must broadcast, but they are (2,) and (5,)",
        ),
        ((), (3, 4), "both need an axis; with numbers, use *"),
        ((3,), (), "both need an axis; with numbers, use *"),
    ],
)
def test_shapes_that_do_not_multiply_are_named(left, right, why):
    with pytest.raises(ValueError, match="do not multiply") as error:
        F.matmul(var(*left), Parameter(uniform(*right), "W"))
    x, W = (
        f"a Variable of shape {left} and dtype float64",
        f"Variable 'W' of shape {right} and dtype float64",
    )
    assert str(error.value) == f"x and W do not multiply: x is {x}, W is {W}; {why}"


def test_a_number_is_no_matrix():
    with pytest.raises(
        ValueError, match=r"W is a float; both need an axis; with numbers, use \*"
    ):
        var(2, 3) @ 2.0


def test_a_list_is_no_matrix():
    with pytest.raises(
        TypeError,
        match=r"MatMul takes Variables, arrays and numbers, but was given a list",
    ):
        [[1.0, 2.0]] @ var(2, 3)


# --- linear ---------------------------------------------------------------------------

both = pytest.mark.parametrize("linear", [F.linear, F.linear_simple])


@both
@pytest.mark.parametrize(
    "shape", [(4, 3), (1, 3), (0, 3), (3,), (2, 4, 3), (2, 1, 2, 3), (2, 0, 3)]
)
def test_linear_is_a_product_and_a_sum(linear, shape):
    x, W, b = uniform(*shape), uniform(3, 2, seed=1), uniform(2, seed=2)
    assert_close(linear(Variable(x), Variable(W), Variable(b)).data, x @ W + b)
    assert_close(linear(Variable(x), Variable(W)).data, x @ W)
    check_function(linear, x, W, b)
    check_function(linear, x, W)
    check_function(lambda x, W, b: linear(x, W, b) ** 2, x, W, b)


@both
@pytest.mark.parametrize(("wide", "out"), [(0, 2), (3, 0), (1, 1)])
def test_linear_of_nothing_is_the_bias(linear, wide, out):
    check_function(linear, uniform(4, wide), uniform(wide, out), uniform(out))


@both
def test_linear_takes_a_bias_of_zeros(linear):
    x, W = uniform(4, 3), uniform(3, 2)
    assert_close(linear(x, W, np.zeros(2)).data, x @ W)


def test_the_book_may_call_the_class():
    x, W, b = var(4, 3), var(3, 2), var(2)
    assert_close(Linear()(x, W, b).data, x.data @ W.data + b.data)


def test_linear_is_one_function():
    x, W, b = var(4, 3), var(3, 2), var(2)
    y = F.linear(x, W, b)
    assert y.creator.inputs == (x, W, b)


def test_the_dtypes_of_linear_are_numpys():
    x, W = var(4, 3, dtype=np.float32), var(3, 2, dtype=np.float32)
    b = var(2)
    y = F.linear(x, W, b)
    assert y.dtype == np.float64
    y.backward()
    assert (x.grad.dtype, W.grad.dtype, b.grad.dtype) == (
        np.float32,
        np.float32,
        np.float64,
    )
    assert (
        F.linear(
            np.ones((4, 3), int), np.ones((3, 2), int), np.ones(2, np.float32)
        ).dtype
        == np.float64
    )


def test_linear_leaves_what_it_was_given_alone():
    inputs = [var(4, 3), var(3, 2), var(2)]
    before = [x.data.copy() for x in inputs]
    run(F.linear, inputs)
    for x, old in zip(inputs, before, strict=True):
        assert_equal(x.data, old)


def test_linear_computes_only_the_gradients_that_are_wanted():
    x, W, b = uniform(4, 3), Parameter(uniform(3, 2)), uniform(2)
    y = F.linear(x, W, b)
    gx, gW, gb = y.creator.vjp([x, W.data, b], np.ones((4, 2)))
    assert gx is None
    assert gb is None
    assert_close(gW, x.T @ np.ones((4, 2)))


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (
            ((4, 3), (2, 5)),
            r"x and W do not multiply: x is a Variable of shape \(4, 3\).* they "
            r"have 3 and 2 elements",
        ),
        (
            ((2, 4, 3), (2, 5)),
            r"x and W do not multiply: x is a Variable of shape \(2, 4, 3\).* 3 "
            r"and 2 elements",
        ),
        (((), (2, 5)), "both need an axis"),
        (
            ((4, 3), (3,)),
            r"linear takes W of shape \(I, O\), but W is a Variable of shape \(3,\)",
        ),
        (
            ((4, 3), (1, 3, 5)),
            r"linear takes W of shape \(I, O\), but W is a Variable of shape \(1, "
            r"3, 5\)",
        ),
        (
            ((5, 3), (3, 5), (4,)),
            r"so that b has shape \(5,\); but b is a Variable of shape \(4,\)",
        ),
        (
            ((5, 3), (3, 5), (5, 1)),
            r"one bias for each column of W.* b is a Variable of shape \(5, 1\)",
        ),
        (
            ((5, 3), (3, 5), ()),
            r"so that b has shape \(5,\); but b is a Variable of shape \(\)",
        ),
    ],
)
def test_linear_names_the_shapes_that_do_not_fit(shapes, message):
    with pytest.raises(ValueError, match=message):
        F.linear(*[var(*shape) for shape in shapes])


def test_linear_names_a_parameter_without_data():
    with pytest.raises(ValueError, match="holds no data yet"):
        F.linear(var(4, 3), Parameter(None, "W"), var(2))


@pytest.mark.parametrize("shape", [(60_000, 2), (300, 200, 2)])
def test_the_gradient_of_the_bias_is_right_to_the_last_digits(shape):
    x, W, b = [Variable(np.zeros(s, np.float32)) for s in (shape, (2, 3), 3)]
    y = F.linear(x, W, b)
    y.grad = Variable(np.full(y.shape, np.float32(0.1)))
    y.backward()
    assert b.grad.dtype == np.float32
    assert_close(b.grad.data, 6000, rtol=3e-6, atol=0)


def test_many_rows_are_right_to_every_order():
    check_function(
        lambda *xs: F.linear(*xs) ** 2 / 600, uniform(600, 1), uniform(1, 2), uniform(2)
    )


def test_no_grad_leaves_no_graph():
    with no_grad():
        assert F.linear(var(4, 3), var(3, 2), var(2)).creator is None
    assert F.matmul(uniform(4, 3), uniform(3, 2)).creator is None
