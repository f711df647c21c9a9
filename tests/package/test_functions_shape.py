"""Shapes: elements move, and every gradient moves back."""

from array import array as array_of_c
from collections import deque

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dezero_lite import Variable, no_grad
from dezero_lite import functions as F
from tests.support import fake_cupy
from tests.support.arrays import assert_equal, uniform
from tests.support.function_checks import check_function, run


def var(*shape, **kwargs):
    return Variable(uniform(*shape, **kwargs))


def is_picked(slices, *shape):
    """Check an index: values as NumPy's, both orders of the gradient, both array
    modules.
    """
    x = uniform(*shape)
    assert_equal(F.get_item(Variable(x), slices).data, x[slices])
    check_function(lambda x: F.get_item(x, slices) ** 2, x)


# --- reshape and its kin --------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ((2, 3), (3, 2)),
        ((2, 3), (6,)),
        ((2, 3), -1),
        ((6,), [2, -1]),
        ((), (1, 1)),
        ((1, 1), ()),
        ((2, 3), (2, 3)),
        ((0, 3), (3, 0, 5)),
        ((2, 3, 4), (np.int64(6), 4)),
    ],
)
def test_reshape_is_numpys(old, new):
    x = uniform(*old)
    expected = x.reshape(new)
    assert_equal(F.reshape(Variable(x), new).data, expected)
    assert F.reshape(Variable(x), new).shape == expected.shape
    check_function(lambda x: F.reshape(x, new) ** 3, x)


def test_reshape_to_the_same_shape_is_the_variable_itself():
    x = var(2, 3)
    assert F.reshape(x, (2, 3)) is x
    assert x.reshape(2, 3) is x
    assert x.reshape([2, 3]) is x


@pytest.mark.parametrize("shape", [((3, 2),), ([3, 2],), (3, 2), (-1, 2), (6,), (-1,)])
def test_the_method_reshape_takes_lengths_one_by_one_or_together(shape):
    x = var(2, 3)
    assert_equal(x.reshape(*shape).data, x.data.reshape(*shape))


@pytest.mark.parametrize(
    ("shape", "why"),
    [
        ((4, 2), "it has 6 elements, the new shape 8"),
        ((4, -1), "it has 6 elements, and no length for -1 makes that of 4"),
        ((-1, -1), "one length at most can be -1"),
    ],
)
def test_a_shape_that_does_not_fit_is_named_with_the_one_it_was(shape, why):
    with pytest.raises(ValueError, match="cannot reshape") as error:
        F.reshape(var(2, 3), shape)
    assert (
        str(error.value)
        == "cannot reshape a Variable of shape (2, 3) and dtype float64 to shape "
        f"{shape}: {why}"
    )


def test_a_shape_of_anything_but_whole_numbers_is_refused():
    with pytest.raises(TypeError, match="integer"):
        F.reshape(var(2, 3), (1.5, 4))


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3, (0, 2), (0, -1)])
def test_expand_dims_is_numpys(axis):
    x = uniform(2, 3)
    assert F.expand_dims(Variable(x), axis).shape == np.expand_dims(x, axis).shape
    check_function(lambda x: F.expand_dims(x, axis) ** 2, x)


def test_expand_dims_makes_an_axis_for_a_number():
    check_function(lambda x: F.expand_dims(x, 0) ** 2, np.array(0.5))


def test_expand_dims_refuses_an_axis_far_outside():
    with pytest.raises(ValueError, match="axis 4 is out of bounds"):
        F.expand_dims(var(2, 3), 4)


@pytest.mark.parametrize("axis", [None, 0, 2, -1, (0, 2), (), -4])
def test_squeeze_is_numpys(axis):
    x = uniform(1, 3, 1, 2)[:, :, :, :1] if axis == -1 else uniform(1, 3, 1, 2)
    assert F.squeeze(Variable(x), axis).shape == np.squeeze(x, axis).shape
    check_function(lambda x: F.squeeze(x, axis) ** 2, x)


@pytest.mark.parametrize("axis", [1, 7, (0, 1)])
def test_squeeze_leaves_out_nothing_but_ones(axis):
    with pytest.raises(
        ValueError, match=r"cannot squeeze axis .* of a Variable of shape \(1, 3\)"
    ):
        F.squeeze(var(1, 3), axis)


@pytest.mark.parametrize(
    ("shape", "flat"),
    [
        ((2, 3, 4), (2, 12)),
        ((2, 3), (2, 3)),
        ((4,), (4, 1)),
        ((0, 3, 2), (0, 6)),
        ((2, 0), (2, 0)),
    ],
)
def test_flatten_keeps_the_axis_of_the_examples(shape, flat):
    assert F.flatten(var(*shape)).shape == flat
    check_function(lambda x: F.flatten(x) ** 2, uniform(*shape))


def test_flatten_needs_an_axis():
    with pytest.raises(ValueError, match="keeps axis 0"):
        F.flatten(var())


@pytest.mark.parametrize(
    "f",
    [
        lambda x: F.reshape(x, (2, 3)),
        lambda x: F.expand_dims(x, 0),
        F.squeeze,
        F.flatten,
        F.transpose,
        lambda x: F.pad(x, 1),
        lambda x: F.get_item(x, 0),
        lambda x: F.embed_id(x, np.ones((2, 3))),
        lambda x: F.split(x, 2),
        iter,
    ],
)
def test_a_variable_without_data_is_named(f):
    with pytest.raises(ValueError, match=r"Variable 'w'.* holds no data yet"):
        f(Variable(None, name="w"))


# --- transpose ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "axes"),
    [
        ((2, 3), None),
        ((2, 3), (1, 0)),
        ((2, 3, 4), None),
        ((2, 3, 4), (2, 0, 1)),
        ((2, 3, 4), [1, 2, 0]),
        ((2, 3, 4), (0, -1, -2)),
        ((2, 3, 4), (-1, 0, 1)),
        ((5,), (0,)),
        ((), None),
        ((), ()),
        ((0, 3), None),
        ((2, 3, 4, 2), (3, 1, 0, 2)),
    ],
)
def test_transpose_is_numpys(shape, axes):
    x = uniform(*shape)
    assert_equal(F.transpose(Variable(x), axes).data, x.transpose(axes))
    check_function(lambda x: F.transpose(x, axes) ** 3, x)


@pytest.mark.parametrize(
    "axes", [(), (None,), ((2, 0, 1),), ([2, 0, 1],), (2, 0, 1), (-1, 0, 1)]
)
def test_the_method_transpose_takes_axes_one_by_one_or_together(axes):
    x = var(2, 3, 4)
    assert_equal(x.transpose(*axes).data, x.data.transpose(*axes))


def test_a_vector_may_be_transposed_along_its_one_axis():
    assert var(3).transpose(0).shape == (3,)


def test_T_reverses_the_axes():
    x = var(2, 3, 4)
    assert x.T.shape == (4, 3, 2)
    check_function(lambda x: x.T**2, x.data)


@pytest.mark.parametrize("axes", [(0, 0), (0,), (0, 1, 2), (0, 5)])
def test_axes_that_do_not_fit_are_named(axes):
    with pytest.raises(ValueError, match="name each of its 2 axes once") as error:
        F.transpose(var(2, 3), axes)
    assert f"shape (2, 3) and dtype float64 to axes {axes}" in str(error.value)


def test_transpose_takes_all_axes_not_one_number():
    for axes in (1, np.int64(1)):
        with pytest.raises(
            ValueError,
            match=r"the new order of all axes, such as transpose\(x, \(1, 0\)\), not 1",
        ):
            F.transpose(var(2, 3), axes)


# --- get_item -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "slices",
    [
        0,
        -1,
        np.int64(1),
        slice(None),
        slice(1, None),
        slice(None, None, -1),
        slice(2, 2),
        ...,
        None,
        (),
        (1, 2),
        (1, 2, 3),
        (slice(None), 1),
        (..., 1),
        (None, ..., slice(0, 3, 2)),
        (1, None, slice(None)),
    ],
)
def test_a_part_is_picked_as_numpy_does(slices):
    is_picked(slices, 2, 3, 4)


@pytest.mark.parametrize(
    "slices",
    [
        [0, 2],
        [0, 0, 0],
        [-1, 2, -1],
        [],
        [[0, 1], [2, 2]],
        ([0, 0, 1], [1, 1, 2]),
        (slice(None), [1, 1, 0]),
        ([2, 2], slice(1, 3)),
        (..., [0, 3, 0]),
        ([[0], [1]], [0, 0]),
        (None, [1, 1]),
        ((1, 1), 0),
        [True, False, True],
        ([True, False, True], 1),
        ([False, False, True], [0, 1, 1, 3]),
        deque([0, 0, 1]),
        (slice(None), deque([3, 3])),
        range(2),
        range(0),
        array_of_c("i", [1, 1]),
    ],
)
def test_elements_are_picked_one_by_one(slices):
    is_picked(slices, 3, 4)


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint8])
def test_a_gradient_adds_up_over_repeated_indices(dtype):
    x = var(200, 3)
    x[np.array([150, 150, 0], dtype)].backward()
    expected = np.zeros((200, 3))
    expected[150], expected[0] = 2, 1
    assert_equal(x.grad.data, expected)


def test_rows_counted_from_the_end_receive_their_gradient():
    x = var(4, 2)
    y = x[[-1, 3, 0]]
    y.grad = Variable(np.array([[1.0, 2], [10, 20], [100, 200]]))
    y.backward()
    assert_equal(x.grad.data, [[100, 200], [0, 0], [0, 0], [11, 22]])


@pytest.mark.parametrize(
    "index",
    [
        np.array([0, 2, 2]),
        np.array([[0, 1], [2, 1]]),
        np.array([True, False, True]),
        np.array(1),
    ],
)
def test_an_index_may_be_an_array_or_a_variable(index):
    x = uniform(3, 2)

    def by_array(x, index):
        return x[index] ** 2

    def by_variable(x, index):
        return x[Variable(index)] ** 2

    check_function(by_array, x, index)
    check_function(by_variable, x, index)


def test_a_mask_of_the_whole_shape_picks_elements():
    x = uniform(3, 4)
    is_picked(x > 1, 3, 4)
    is_picked(x > 9, 3, 4)
    xs = Variable(x)
    assert_equal(xs[xs > 1].data, x[x > 1])


def test_an_index_in_a_tuple_may_be_a_variable():
    x, rows, columns = uniform(3, 4), np.array([0, 1, 1]), np.array([2, 3, 3])
    check_function(
        lambda x, rows, columns: x[Variable(rows), columns] ** 2, x, rows, columns
    )


def test_an_index_on_the_host_finds_data_elsewhere():
    x = Variable(fake_cupy.array(uniform(3, 4)))
    x[np.array([0, 0]), [1, 1]].backward()
    assert fake_cupy.asnumpy(x.grad.data)[0, 1] == 2


def test_rows_of_several_axes_that_repeat_add_up():
    x = Variable(np.zeros((4, 2, 3)))
    x[np.array([1, 3, 1])].backward()
    assert_equal(x.grad.data, np.array([0.0, 2, 0, 1])[:, None, None] * np.ones((2, 3)))


def test_get_item_of_nothing_is_nothing():
    is_picked(slice(None), 0, 3)
    is_picked([], 2, 0)
    is_picked([1, 1], 2, 0)


def test_a_number_is_picked_from_a_number():
    check_function(lambda x: x[...] ** 2, np.array(0.5))
    check_function(lambda x: x[None] ** 2, np.array(0.5))
    check_function(lambda x: x[()] ** 2, np.array(0.5))


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.data())
def test_the_gradient_of_a_part_counts_how_often_each_element_was_picked(data):
    shape = data.draw(hnp.array_shapes(max_dims=3, max_side=4))
    integers = hnp.integer_array_indices(
        shape, result_shape=hnp.array_shapes(max_dims=2, max_side=4)
    )
    slices = data.draw(
        st.one_of(hnp.basic_indices(shape, allow_newaxis=True), integers)
    )
    x = Variable(np.zeros(shape, np.float32))
    y = x[slices]
    if y.size:
        y.backward()
        expected = np.zeros(shape)
        np.add.at(expected, slices, 1)
        assert_equal(x.grad.data, expected)


@pytest.mark.parametrize("index", [{0, 1}, "a", 1.0, {}, [0.5], object()])
def test_what_is_no_index_is_refused(index):
    with pytest.raises((IndexError, TypeError)):
        F.get_item(var(3), index)


def test_there_is_no_element_outside():
    with pytest.raises(
        IndexError, match="index 3 is out of bounds for axis 0 with size 3"
    ):
        var(3)[3]


def test_a_variable_is_gone_through_row_by_row():
    x = var(3, 2)
    rows = list(x)
    assert [row.shape for row in rows] == [(2,), (2,), (2,)]
    total = sum(row * (i + 1) for i, row in enumerate(x))
    total.backward()
    assert_equal(x.grad.data, [[1, 1], [2, 2], [3, 3]])


def test_a_number_is_not_an_empty_sequence():
    with pytest.raises(
        TypeError,
        match=(
            r"Variable 'loss' of shape \(\) and dtype float64 has no axis to go along"
        ),
    ):
        list(Variable(np.array(1.0), "loss"))


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


def test_an_index_on_the_gpu_may_change_too():
    x = Variable(fake_cupy.array(uniform(3)))
    index = fake_cupy.array(np.array([0, 1]))
    y = F.get_item(x, index)
    index[0] = 2
    y.backward()
    assert x.grad.data.tolist() == [1, 1, 0]


# --- rows, one after the other --------------------------------------------------------


def test_a_loop_over_rows_is_one_function():
    x = var(3, 2)
    rows = list(x)
    assert len({row.creator for row in rows}) == 1
    assert [row.data.tolist() for row in rows] == x.data.tolist()


@pytest.mark.parametrize("shape", [(1,), (3,), (1, 2), (3, 2), (2, 0), (2, 3, 2)])
def test_a_loop_over_rows_is_right_to_every_order(shape):
    check_function(
        lambda x: sum(i * row**3 for i, row in enumerate(x, 1)), uniform(*shape)
    )
    check_function(lambda x: F.stack([row**3 for row in x], axis=-1), uniform(*shape))


def test_a_loop_may_leave_rows_out():
    x = var(3, 2)
    first, *_ = x
    del _
    first.backward()
    assert x.grad.data.tolist() == [[1, 1], [0, 0], [0, 0]]


@pytest.mark.parametrize("shape", [(0,), (0, 2)])
def test_a_loop_over_no_rows_ends(shape):
    assert list(var(*shape)) == []
    with no_grad():
        assert list(var(*shape)) == []


def test_a_loop_under_no_grad_leaves_no_graph():
    with no_grad():
        assert [row.creator for row in var(2, 3)] == [None, None]


# --- embed_id -------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(), (4,), (2, 3), (0,)])
def test_embed_id_looks_up_rows(shape):
    x = np.random.default_rng(0).integers(0, 5, shape)
    W = uniform(5, 3)
    assert_equal(F.embed_id(x, Variable(W)).data, W[x])
    check_function(lambda W, x: F.embed_id(x, W) ** 2, W, x)
    check_function(lambda W, x: F.embed_id(Variable(x), W) ** 2, W, x)


def test_embed_id_wants_whole_numbers():
    with pytest.raises(
        TypeError,
        match=r"by whole numbers, but x is an array of shape .*: use x\.astype\(int\)",
    ):
        F.embed_id(np.array([0.0, 1.0]), var(5, 3))
    with pytest.raises(
        TypeError,
        match=r"by whole numbers, but x is a list: use np\.array\(x, dtype=int\)",
    ):
        F.embed_id([0.0, 1.0], var(5, 3))


def test_embed_id_names_the_numbers_and_the_rows():
    with pytest.raises(
        IndexError,
        match=r"from 0 to 5, but W, a Variable of shape \(5, 3\).* has rows 0 to 4",
    ):
        F.embed_id(np.array([0, 5]), var(5, 3))


def test_embed_id_takes_lists_and_numbers():
    W = var(5, 3)
    assert_equal(F.embed_id([[0, 4]], W).data, W.data[[[0, 4]]])
    assert F.embed_id([], W).shape == (0, 3)
    assert_equal(F.embed_id(2, W).data, W.data[2])


def test_the_numbers_of_embed_id_may_change_afterwards():
    ids, W = np.array([0, 1]), var(3, 2)
    y = F.embed_id(ids, W)
    ids[:] = 2
    y.backward()
    assert W.grad.data.tolist() == [[1, 1], [1, 1], [0, 0]]


# --- several arrays -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shapes", "axis"),
    [
        ([(2, 3), (4, 3)], 0),
        ([(2, 3), (2, 1), (2, 2)], 1),
        ([(2, 3), (2, 3)], -1),
        ([(2, 3, 4), (2, 1, 4)], -2),
        ([(3,)], 0),
        ([(0, 3), (2, 3)], 0),
    ],
)
def test_concat_is_numpys(shapes, axis):
    xs = [uniform(*shape, seed=i) for i, shape in enumerate(shapes)]
    assert_equal(
        F.concat([Variable(x) for x in xs], axis).data, np.concatenate(xs, axis)
    )
    check_function(lambda *xs: F.concat(xs, axis) ** 2, *xs)


@pytest.mark.parametrize(
    ("shape", "axis"),
    [
        ((2, 3), 0),
        ((2, 3), 1),
        ((2, 3), 2),
        ((2, 3), -1),
        ((2, 3), -3),
        ((), 0),
        ((0, 2), 1),
    ],
)
def test_stack_is_numpys(shape, axis):
    xs = [uniform(*shape, seed=i) for i in range(3)]
    assert_equal(F.stack([Variable(x) for x in xs], axis).data, np.stack(xs, axis))
    check_function(lambda *xs: F.stack(xs, axis) ** 2, *xs)


@pytest.mark.parametrize("join", [F.concat, F.stack])
def test_one_variable_twice_receives_both_gradients(join):
    check_function(lambda x: join([x, x * 2, x]) ** 2, uniform(2, 3))


@pytest.mark.parametrize("join", [F.concat, F.stack])
def test_plain_arrays_join_variables(join):
    x = var(2, 3)
    join((uniform(2, 3), x)).backward()
    assert_equal(x.grad.data, np.ones((2, 3)))


def test_concat_names_the_shapes_that_do_not_fit():
    with pytest.raises(ValueError, match="same length in every other") as error:
        F.concat([var(2, 3), var(2, 4)])
    assert "concat along axis 0 does not fit the shapes (2, 3), (2, 4)" in str(
        error.value
    )
    with pytest.raises(ValueError, match=r"axis 2 does not fit the shapes \(2, 3\)"):
        F.concat([var(2, 3)], 2)


def test_stack_names_the_shapes_that_do_not_fit():
    with pytest.raises(
        ValueError,
        match=(
            r"stack along axis 0 does not fit the shapes \(2, 3\), \(3,\): .* the same"
        ),
    ):
        F.stack([var(2, 3), var(3)])


@pytest.mark.parametrize("join", [F.concat, F.stack])
@pytest.mark.parametrize("xs", [[], Variable(np.ones((2, 2)))])
def test_joining_takes_a_list_of_arrays(join, xs):
    with pytest.raises(
        ValueError, match=r"takes a list or a tuple of arrays, at least one"
    ):
        join(xs)


@pytest.mark.parametrize(
    ("shape", "cuts", "axis"),
    [
        ((6,), 3, 0),
        ((2, 6), 2, 1),
        ((2, 6), [1, 4], 1),
        ((2, 6), (2,), -1),
        ((4, 2), 1, 0),
        ((4, 2), [1, 1, 9], 0),
        ((0, 2), 2, 0),
    ],
)
def test_split_is_numpys(shape, cuts, axis):
    x = uniform(*shape)
    parts = F.split(Variable(x), cuts, axis)
    assert isinstance(parts, tuple)
    for part, expected in zip(parts, np.split(x, cuts, axis), strict=True):
        assert_equal(part.data, expected)
    check_function(lambda x: tuple(part**2 for part in F.split(x, cuts, axis)), x)


def test_a_part_that_nobody_uses_receives_nothing():
    x = var(6)
    F.split(x, 3)[1].backward()
    assert_equal(x.grad.data, [0, 0, 1, 1, 0, 0])


def test_split_and_concat_undo_each_other():
    check_function(lambda x: F.concat(F.split(x, [1, 3], 1), 1) ** 2, uniform(2, 4))


def test_split_names_the_length_and_the_parts():
    with pytest.raises(
        ValueError,
        match=r"cannot split a Variable of shape \(5, 2\).* axis 0 into 2 equal parts",
    ):
        F.split(var(5, 2), 2)
    with pytest.raises(
        ValueError, match=r"along axis 3 into parts that begin at \[1\]"
    ):
        F.split(var(5, 2), [1], 3)


def test_concat_and_stack_take_whatever_one_can_go_through():
    parts = [uniform(2), uniform(2, seed=1)]
    assert_equal(F.concat(x for x in parts).data, np.concatenate(parts))
    assert_equal(F.stack(x for x in parts).data, np.stack(parts))


@pytest.mark.parametrize("name", ["concat", "stack"])
@pytest.mark.parametrize("xs", [3, None, iter([])])
def test_concat_and_stack_explain_what_they_take(name, xs):
    with pytest.raises(
        ValueError, match=rf"{name} takes a list or a tuple of arrays, at least one"
    ):
        getattr(F, name)(xs)


@pytest.mark.parametrize("n", [0, -1, np.int64(0)])
def test_split_makes_one_part_at_least(n):
    with pytest.raises(
        ValueError, match=f"cannot split .* along axis 0 into {n} equal parts"
    ):
        F.split(var(4), n)


@pytest.mark.parametrize("cuts", [[3, 1], [1, -5], (-1, -2)])
def test_the_parts_of_split_follow_each_other(cuts):
    with pytest.raises(
        ValueError,
        match=r"cannot split .* into parts that begin at .*, one after the other",
    ):
        F.split(var(4), cuts)


@pytest.mark.parametrize(
    "cuts", [[1, 3], [2, 2], [1, -1], [-3, -1], [2, 9], [-9, 1], []]
)
def test_split_may_count_from_the_end_and_past_it(cuts):
    x = uniform(4)
    for part, like in zip(F.split(Variable(x), cuts), np.split(x, cuts), strict=True):
        assert_equal(part.data, like)
    check_function(lambda x: F.concat(F.split(x, cuts)) ** 2, x)


# --- pad ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "width", "value"),
    [
        ((3,), 1, 0),
        ((2, 3), 2, 0.5),
        ((2, 3), (1, 2), 0),
        ((2, 3), ((0, 0), (1, 2)), -1.0),
        ((2, 3), np.array([[0, 0], [1, 2]]), 0),
        ((2, 3), 0, 0),
        ((1, 2, 2, 2), ((0, 0), (0, 0), (1, 1), (1, 1)), 0),
        ((0, 3), 1, 2.0),
    ],
)
def test_pad_is_numpys(shape, width, value):
    x = uniform(*shape)
    assert_equal(
        F.pad(Variable(x), width, value).data, np.pad(x, width, constant_values=value)
    )
    check_function(lambda x: F.pad(x, width, value) ** 2, x)


def test_a_number_has_no_side_to_pad():
    check_function(lambda x: F.pad(x, 1) ** 2, np.array(0.5))


def test_a_margin_may_be_minus_infinity():
    y = F.pad(var(2, dtype=np.float32), 1, -np.inf)
    assert y.data[0] == -np.inf
    assert y.dtype == np.float32


def test_pad_refuses_widths_that_do_not_fit():
    with pytest.raises(
        ValueError,
        match=(
            r"pad_width \(1, 2, 3\) does not fit a Variable of shape \(2, 3\).* 2 "
            r"pairs"
        ),
    ):
        F.pad(var(2, 3), (1, 2, 3))
    with pytest.raises(ValueError, match="whole numbers from 0 on, not -1"):
        F.pad(var(2, 3), -1)
    with pytest.raises(ValueError, match=r"whole numbers from 0 on, not 0\.5"):
        F.pad(var(2, 3), 0.5)


@pytest.mark.parametrize("value", [1.5, np.nan, np.inf])
def test_pad_puts_no_fraction_around_whole_numbers(value):
    with pytest.raises(
        ValueError,
        match=(
            r"pad cannot put .* around an array of shape .* dtype int.*: use x\.astype"
        ),
    ):
        F.pad(np.arange(3), 1, value)
    assert F.pad(np.arange(3), 1, 2.0).data.tolist() == [2, 0, 1, 2, 2]


# --- all together ---------------------------------------------------------------------

EVERYTHING = {
    "reshape": lambda x: F.reshape(x, (3, 2)),
    "transpose": F.transpose,
    "get_item": lambda x: F.get_item(x, [0, 0]),
    "concat": lambda x: F.concat([x, x]),
    "stack": lambda x: F.stack([x, x]),
    "pad": lambda x: F.pad(x, 1),
}


@pytest.mark.parametrize("name", EVERYTHING)
def test_a_plain_array_and_no_grad_leave_no_graph(name):
    assert EVERYTHING[name](uniform(2, 3)).creator is None
    with no_grad():
        assert EVERYTHING[name](var(2, 3)).creator is None


@pytest.mark.parametrize("name", EVERYTHING)
def test_whole_numbers_move_like_others(name):
    x = np.arange(6).reshape(2, 3)
    assert EVERYTHING[name](x).dtype == x.dtype


def test_the_input_stays_as_it_is():
    x = var(2, 3)
    before = x.data.copy()
    run(lambda x: F.pad(F.concat([x.T.reshape(2, 3)[[0, 0]], x]), 1), [x])
    assert_equal(x.data, before)
