"""Shapes: elements move, and every gradient moves back."""

from array import array
from collections import deque

import numpy as np
import pytest

from dezero_lite import Variable
from dezero_lite import functions as F
from tests.support.arrays import assert_equal, uniform
from tests.support.function_checks import check_as_numpy, check_function, var

# --- elements move as NumPy's do ------------------------------------------------------

MOVES = """
reshape(x(2, 3), (3, 2))
reshape(x(2, 3), -1)
reshape(x(6), [2, -1])
reshape(x(), (1, 1))
reshape(x(1, 1), ())
reshape(x(0, 3), (3, 0, 5))
reshape(x(2, 3, 4), (np.int64(6), 4))
x(2, 3).reshape((3, 2))
x(2, 3).reshape([3, 2])
x(2, 3).reshape(-1, 2)
x(2, 3).reshape(-1)
expand_dims(x(2, 3), 1)
expand_dims(x(2, 3), -3)
expand_dims(x(2, 3), (0, -1))
expand_dims(x(), 0)
squeeze(x(1, 3, 1, 2))
squeeze(x(1, 3, 1), -1)
squeeze(x(1, 3, 1, 2), (0, 2))
squeeze(x(1, 3), ())
squeeze(x(1, 3, 1, 2), -4)
transpose(x(2, 3))
transpose(x(2, 3, 4), [1, 2, 0])
transpose(x(2, 3, 4), (0, -1, -2))
transpose(x(2, 3, 4, 2), (3, 1, 0, 2))
transpose(x(), ())
transpose(x(0, 3))
x(2, 3, 4).T
x(2, 3, 4).transpose()
x(2, 3, 4).transpose(None)
x(2, 3, 4).transpose((2, 0, 1))
x(2, 3, 4).transpose(-1, 0, 1)
x(3).transpose(0)
concat([x(2, 3), x(4, 3)])
concat([x(2, 3), x(2, 1), x(2, 2)], 1)
concat([x(2, 3, 4), x(2, 1, 4)], -2)
concat([x(3)], 0)
concat([x(0, 3), x(2, 3)], 0)
stack([x(2, 3), x(2, 3)])
stack([x(2, 3), x(2, 3), x(2, 3)], 2)
stack([x(2, 3), x(2, 3)], -3)
stack([x(), x()])
stack([x(0, 2)], 1)
split(x(6), 3)
split(x(6), 3, -1)
split(x(2, 6), 2, 1)
split(x(2, 6), (2,), -1)
split(x(4, 2), 1)
split(x(4, 2), [1, 1, 9])
split(x(4), [-3, -1])
split(x(4), [-9, 1])
split(x(4), [1, -1])
split(x(4), [])
split(x(0, 2), 2)
pad(x(3), 1)
pad(x(2, 3), 2, 0.5)
pad(x(2, 3), (1, 2))
pad(x(2, 3), ((0, 0), (1, 2)), -1.0)
pad(x(2, 3), np.array([[0, 0], [1, 2]]))
pad(x(2, 3), 0)
pad(x(0, 3), 1, 2.0)
pad(x(), 1)
"""


@pytest.mark.parametrize("code", MOVES.split("\n")[1:-1])
def test_elements_move_as_numpys(code):
    def pad(x, width, value=0):
        return np.pad(x, width, constant_values=value)

    check_as_numpy(code, concat=np.concatenate, pad=pad)


@pytest.mark.parametrize(
    ("shape", "flat"),
    [((2, 3, 4), (2, 12)), ((2, 3), (2, 3)), ((4,), (4, 1)), ((0, 3, 2), (0, 6))],
)
def test_flatten_keeps_the_axis_of_the_examples(shape, flat):
    assert F.flatten(var(*shape)).shape == flat
    check_function(lambda x: F.flatten(x) ** 2, uniform(*shape))


@pytest.mark.parametrize("join", [F.concat, F.stack])
def test_joining_takes_variables_and_arrays_that_one_can_go_through(join):
    check_function(lambda x: join([x, x * 2, x]) ** 2, uniform(2, 3))
    x = var(2, 3)
    join(part for part in (uniform(2, 3), x)).backward()
    assert_equal(x.grad.data, np.ones((2, 3)))


# --- get_item -------------------------------------------------------------------------

INDICES = {
    (2, 3, 4): "0; -1; np.int64(1); :; 1:; ::-1; 2:2; ...; None; (); 1, 2; 1, 2, 3; "
    ":, 1; ..., 1; None, ..., 0:3:2; 1, None, :",
    (3, 4): "[0, 2]; [0, 0, 0]; [-1, 2, -1]; []; [[0, 1], [2, 2]]; [0, 0, 1], [1, 1, 2]"
    "; :, [1, 1, 0]; [2, 2], 1:3; ..., [0, 3, 0]; [[0], [1]], [0, 0]; None, [1, 1]; "
    "(1, 1), 0; [True, False, True]; [True, False, True], 1; [False, False, True], "
    "[0, 1, 1, 3]; deque([0, 0, 1]); :, deque([3, 3]); range(2); range(0); "
    "array('i', [1, 1])",
    (0, 3): ":",
    (2, 0): "[]; [1, 1]",
    (): "...; None; ()",
}
TYPED = [(shape, i) for shape, text in INDICES.items() for i in text.split("; ")]


@pytest.mark.parametrize(("shape", "typed"), TYPED)
def test_a_part_is_picked_as_numpy_does(shape, typed):
    x = uniform(*shape)
    index = eval(f"np.s_[{typed}]", {"np": np, "deque": deque, "array": array})
    assert_equal(F.get_item(Variable(x), index).data, x[index])
    check_function(lambda x: F.get_item(x, index) ** 2, x)


PLACES = [np.array([0, 2, 2]), np.array([[0, 1], [2, 1]]), np.array(1)]
MASKS = [np.arange(6).reshape(3, 2) % 4 > 1, np.zeros((3, 2), bool)]


@pytest.mark.parametrize("index", [*PLACES, *MASKS, np.array([True, False, True])])
def test_an_index_may_be_an_array_or_a_variable(index):
    x = uniform(3, 2)
    assert_equal(Variable(x)[index].data, x[index])
    check_function(lambda x, index: x[index] ** 2, x, index)
    check_function(lambda x, index: x[Variable(index)] ** 2, x, index)
    if index.dtype == int and index.shape == (3,):
        check_function(lambda x, i: x[Variable(i), np.array([0, 1, 1])] ** 2, x, index)


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint8])
def test_a_gradient_adds_up_over_repeated_indices(dtype):
    x = var(200, 3)
    x[np.array([150, 150, 0], dtype)].backward()
    expected = np.zeros((200, 3))
    expected[150], expected[0] = 2, 1
    assert_equal(x.grad.data, expected)


@pytest.mark.parametrize("index", [{0, 1}, "a", 1.0, {}, [0.5], object()])
def test_what_is_no_index_is_refused(index):
    with pytest.raises((IndexError, TypeError)):
        F.get_item(var(3), index)


@pytest.mark.parametrize("index", [np.array([0, 1]), np.array([True, True, False])])
@pytest.mark.parametrize("form", [lambda i: i, lambda i: (i, 0), Variable])
def test_an_index_may_change_after_it_was_used(index, form):
    x = var(3, 2)
    index = index.copy()
    y = F.get_item(x, form(index))
    index[:] = index[::-1].copy()
    index[0] = 0
    y.backward()
    assert_equal(x.grad.data != 0, [[True, y.ndim == 2]] * 2 + [[False, False]])


# --- rows, one after the other --------------------------------------------------------


@pytest.mark.parametrize("shape", [(1,), (3,), (1, 2), (3, 2), (2, 0), (2, 3, 2)])
def test_a_loop_over_rows_is_right_to_every_order(shape):
    check_function(
        lambda x: sum(i * row**3 for i, row in enumerate(x, 1)), uniform(*shape)
    )
    check_function(lambda x: F.stack([row**3 for row in x], axis=-1), uniform(*shape))


# --- embed_id -------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(), (4,), (2, 3), (0,)])
def test_embed_id_looks_up_rows(shape):
    x, W = np.random.default_rng(0).integers(0, 5, shape), uniform(5, 3)
    for ids in (x, x.tolist()):
        assert_equal(F.embed_id(ids, Variable(W)).data, W[x])
    check_function(lambda W, x: F.embed_id(x, W) ** 2, W, x)
    check_function(lambda W, x: F.embed_id(Variable(x), W) ** 2, W, x)
