"""Convolution and pooling, against loops that cannot be misread."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dezero_lite import Variable, no_grad
from dezero_lite.functions import conv_fast, pool
from dezero_lite.functions_conv import (
    average_pooling,
    col2im,
    col2im_array,
    conv2d,
    conv2d_simple,
    deconv2d,
    get_conv_outsize,
    get_deconv_outsize,
    im2col,
    im2col_array,
    pair,
    pooling,
    pooling_simple,
)
from tests.support.arrays import assert_close, assert_equal, distinct, normal
from tests.support.function_checks import check_function, run

# --- references: one loop for every axis ----------------------------------------------


def stops(shape, kernel, stride, pad, dilation=(1, 1)):
    for r in range(
        (shape[2] + 2 * pad[0] - dilation[0] * (kernel[0] - 1) - 1) // stride[0] + 1
    ):
        for c in range(
            (shape[3] + 2 * pad[1] - dilation[1] * (kernel[1] - 1) - 1) // stride[1] + 1
        ):
            yield r, c


def seen(shape, kernel, stride, pad, dilation, r, c):
    """The fields of the window at stop (r, c) that lie in the image, and the pixel
    under each.
    """
    for i in range(kernel[0]):
        for j in range(kernel[1]):
            h, w = (
                r * stride[0] + i * dilation[0] - pad[0],
                c * stride[1] + j * dilation[1] - pad[1],
            )
            if 0 <= h < shape[2] and 0 <= w < shape[3]:
                yield i, j, h, w


def naive_conv(x, W, stride, pad, dilation=(1, 1), groups=1):
    places = list(stops(x.shape, W.shape[2:], stride, pad, dilation))
    y = np.zeros((len(x), len(W), places[-1][0] + 1, places[-1][1] + 1))
    inputs, outputs = x.shape[1] // groups, len(W) // groups
    for n, o, (r, c) in [
        (n, o, place) for n in range(len(x)) for o in range(len(W)) for place in places
    ]:
        for i, j, h, w in seen(x.shape, W.shape[2:], stride, pad, dilation, r, c):
            for k in range(inputs):
                y[n, o, r, c] += W[o, k, i, j] * x[n, o // outputs * inputs + k, h, w]
    return y


def naive_deconv(y, W, shape, stride, pad, dilation=(1, 1), groups=1):
    x = np.zeros(shape)
    inputs, outputs = shape[1] // groups, len(W) // groups
    for n, o, r, c in np.ndindex(y.shape):
        for i, j, h, w in seen(shape, W.shape[2:], stride, pad, dilation, r, c):
            for k in range(inputs):
                x[n, o // outputs * inputs + k, h, w] += W[o, k, i, j] * y[n, o, r, c]
    return x


def naive_pooling(x, kernel, stride, pad, reduce):
    places = list(stops(x.shape, kernel, stride, pad))
    y = np.zeros((*x.shape[:2], places[-1][0] + 1, places[-1][1] + 1))
    for n, k, (r, c) in [
        (n, k, place)
        for n in range(len(x))
        for k in range(x.shape[1])
        for place in places
    ]:
        y[n, k, r, c] = reduce(
            [
                x[n, k, h, w]
                for _, _, h, w in seen(x.shape, kernel, stride, pad, (1, 1), r, c)
            ]
        )
    return y


@st.composite
def windows(draw):
    """Images, kernels, and what lies between them."""
    size = lambda low, high: (
        draw(st.integers(low, high)),
        draw(st.integers(low, high)),
    )
    kernel, stride, pad, dilation, image = (
        size(1, 3),
        size(1, 3),
        size(0, 2),
        size(1, 2),
        size(1, 6),
    )
    assume(
        all(
            h + 2 * p > d * (k - 1)
            for h, p, d, k in zip(image, pad, dilation, kernel, strict=True)
        )
    )
    groups = draw(st.sampled_from([1, 1, 2]))
    n, c, oc = (draw(st.integers(1, 2)) for _ in range(3))
    x, W = normal(n, c * groups, *image), normal(oc * groups, c, *kernel, seed=1)
    return x, W, stride, pad, dilation, groups


# --- sizes ----------------------------------------------------------------------------


def test_sizes_are_those_of_the_book():
    assert get_conv_outsize(4, 3, 1, 1) == 4
    assert get_conv_outsize(7, 3, 2, 0) == 3
    assert get_deconv_outsize(3, 3, 2, 0) == 7
    assert pair(2) == (2, 2)
    assert pair((2, 3)) == (2, 3)
    assert pair(np.int64(2)) == (2, 2)


@pytest.mark.parametrize("x", [2.0, (1, 2, 3), (1.0, 2), "ab", None])
def test_a_size_is_one_whole_number_or_two(x):
    with pytest.raises(
        ValueError,
        match="a size is a whole number, or two of them for height and width, not",
    ):
        pair(x)


# --- columns --------------------------------------------------------------------------


def test_columns_hold_what_the_window_sees():
    x = np.arange(2 * 2 * 3 * 4.0).reshape(2, 2, 3, 4)
    columns = im2col_array(x, (2, 3), (1, 1), 0, to_matrix=False)
    assert columns.shape == (2, 2, 2, 3, 2, 2)
    for r, c in np.ndindex(2, 2):
        assert_equal(columns[:, :, :, :, r, c], x[:, :, r : r + 2, c : c + 3])
    matrix = im2col_array(x, (2, 3), (1, 1), 0)
    assert matrix.shape == (2 * 2 * 2, 2 * 2 * 3)
    assert_equal(matrix[1], x[0, :, 0:2, 1:4].ravel())
    assert_equal(matrix[4], x[1, :, 0:2, 0:3].ravel())


@settings(derandomize=True, deadline=None, max_examples=40)
@given(windows(), st.booleans())
def test_columns_and_images_are_adjoint(case, to_matrix):
    x, W, stride, pad, _, _ = case
    assume(
        all(
            h + 2 * p >= k
            for h, p, k in zip(x.shape[2:], pad, W.shape[2:], strict=True)
        )
    )
    columns = im2col_array(x, W.shape[2:], stride, pad, to_matrix)
    c = normal(*columns.shape, seed=2)
    image = col2im_array(c, x.shape, W.shape[2:], stride, pad, to_matrix)
    assert image.shape == x.shape
    assert np.isclose(np.vdot(columns, c), np.vdot(x, image))


@pytest.mark.parametrize("to_matrix", [True, False])
def test_columns_have_gradients(to_matrix):
    x = normal(2, 2, 4, 5)
    check_function(lambda x: im2col(x, (2, 3), (2, 1), (1, 0), to_matrix), x)
    columns = im2col_array(x, (2, 3), (2, 1), (1, 0), to_matrix)
    check_function(
        lambda columns: col2im(columns, x.shape, (2, 3), (2, 1), (1, 0), to_matrix),
        columns,
    )


def test_columns_are_no_view_of_the_images():
    x = normal(1, 1, 2, 2)
    assert not np.shares_memory(x, im2col_array(x, 1, 1, 0))
    assert not np.shares_memory(x, im2col_array(x, 1, 1, 0, to_matrix=False))


def test_columns_of_a_wrong_shape_are_refused():
    with pytest.raises(
        ValueError,
        match=(
            r"columns of shape \(4, 4\) do not belong to images of shape \(1, 1, 3, "
            r"4\)"
        ),
    ):
        col2im(normal(4, 4), (1, 1, 3, 4), 2)


# --- convolution ----------------------------------------------------------------------


@settings(derandomize=True, deadline=None, max_examples=40)
@given(windows())
def test_a_convolution_is_what_the_loops_say(case):
    x, W, stride, pad, dilation, groups = case
    assert_close(
        conv2d(x, W, None, *case[2:]).data,
        naive_conv(x, W, stride, pad, dilation, groups),
    )


@settings(derandomize=True, deadline=None, max_examples=40)
@given(windows())
def test_a_deconvolution_is_what_the_loops_say(case):
    x, W, stride, pad, dilation, groups = case
    y = conv2d(x, W, None, *case[2:]).data
    found = deconv2d(y, W, None, stride, pad, x.shape[2:], dilation, groups).data
    assert_close(found, naive_deconv(y, W, x.shape, stride, pad, dilation, groups))


GEOMETRIES = [
    # x, W, stride, pad, dilation, groups
    pytest.param((2, 2, 4, 5), (2, 2, 3, 2), 1, 1, 1, 1, id="turned"),
    pytest.param((1, 2, 5, 4), (2, 2, 2, 3), (2, 1), (1, 0), 1, 1, id="stride"),
    pytest.param((2, 1, 4, 4), (4, 1, 3, 3), 1, 0, 1, 1, id="many kernels"),
    pytest.param((1, 2, 2, 2), (1, 2, 1, 2), 1, (1, 2), 1, 1, id="wide border"),
    pytest.param((2, 2, 5, 5), (2, 2, 2, 2), 1, 1, (2, 3), 1, id="dilation"),
    pytest.param((1, 4, 4, 4), (2, 2, 3, 2), 1, 1, 1, 2, id="groups"),
    pytest.param((2, 2, 3, 4), (4, 1, 2, 2), 2, 1, 1, 2, id="groups and stride"),
    pytest.param((2, 3, 2, 3), (2, 3, 1, 1), 1, 0, 1, 1, id="one pixel"),
    pytest.param((2, 4, 2, 2), (2, 2, 1, 1), 1, 0, 1, 2, id="one pixel and groups"),
    pytest.param((1, 2, 4, 3), (2, 2, 1, 1), 2, 0, 1, 1, id="one pixel and stride"),
]


@pytest.mark.parametrize(("x", "W", "stride", "pad", "dilation", "groups"), GEOMETRIES)
@pytest.mark.parametrize("with_bias", [True, False])
def test_convolutions_have_gradients(x, W, stride, pad, dilation, groups, with_bias):
    b = [normal(W[0], seed=2)] if with_bias else []
    check_function(
        lambda x, W, b=None: conv2d(x, W, b, stride, pad, dilation, groups),
        normal(*x),
        normal(*W, seed=1),
        *b,
    )


@pytest.mark.parametrize(("x", "W", "stride", "pad", "dilation", "groups"), GEOMETRIES)
def test_deconvolutions_have_gradients(x, W, stride, pad, dilation, groups):
    y = conv2d(normal(*x), normal(*W), None, stride, pad, dilation, groups).data
    check_function(
        lambda y, W, b: deconv2d(y, W, b, stride, pad, x[2:], dilation, groups),
        y,
        normal(*W),
        normal(x[1], seed=2),
    )


def seldom(*args):
    return False


def always(*args):
    return True


# What is patched, and the ways to compute that are then taken for kernels of 3 × 2 and
# for kernels of one pixel, with the number of blocks.
SWEEP, SCATTER = "_sweep", "_scatter"
POINTWISE = ["_pointwise", "_pointwise", "_pointwise_kernels"]
ROUTES = [
    pytest.param(
        {"BLOCK": 1, "COLUMNS": 1}, [SWEEP] * 2, 15 + 15, POINTWISE, id="row by row"
    ),
    pytest.param(
        {"BLOCK": 1, "COLUMNS": 8}, [SWEEP] * 2, 15 + 9, POINTWISE, id="some rows"
    ),
    pytest.param(
        {"BLOCK": 1, "COLUMNS": 40}, [SWEEP] * 2, 3 + 2, POINTWISE, id="some images"
    ),
    pytest.param(
        {"flips": seldom}, [SWEEP, SCATTER, SWEEP], 3, POINTWISE, id="scatter"
    ),
    pytest.param(
        {"flips": seldom, "BLOCK": 1, "COLUMNS": 4},
        [SWEEP, SCATTER, SWEEP],
        15 * 3,
        POINTWISE,
        id="scatter row by row",
    ),
    pytest.param({"flips": always}, [SWEEP] * 2, 2, POINTWISE, id="flipped"),
    pytest.param({"is_pointwise": seldom}, [SWEEP] * 2, 2, [SWEEP] * 2, id="no pixels"),
    pytest.param({}, [SWEEP] * 2, 2, POINTWISE, id="as chosen"),
]


@pytest.fixture
def taken(monkeypatch):
    """The ways to compute that are taken, and the blocks that they take."""
    ways, blocks = [], []

    def watch(name):
        inner = getattr(conv_fast, name)
        monkeypatch.setattr(
            conv_fast, name, lambda *args, **kw: ways.append(name) or inner(*args, **kw)
        )

    for name in (SWEEP, SCATTER, "_pointwise", "_pointwise_kernels"):
        watch(name)
    inner = conv_fast._blocks
    monkeypatch.setattr(
        conv_fast,
        "_blocks",
        lambda *args: (blocks.append(block) or block for block in inner(*args)),
    )
    return ways, blocks


@pytest.mark.parametrize("pixel", [False, True])
@pytest.mark.parametrize(("patch", "ways", "blocks", "pixel_ways"), ROUTES)
def test_all_ways_to_compute_agree_with_the_readable_one(
    patch, ways, blocks, pixel_ways, pixel, taken, monkeypatch
):
    x, W, pad = (3, 2, 5, 4), (3, 2, 3, 2), 1
    if pixel:
        x, W, pad = (3, 2, 4, 3), (3, 2, 1, 1), 0
    inputs = normal(*x), normal(*W, seed=1), normal(W[0], seed=2)
    expected = run(
        lambda x, W, b: conv2d_simple(x, W, b, 1, pad), [Variable(a) for a in inputs]
    )
    for name, value in patch.items():
        monkeypatch.setattr(conv_fast, name, value)
    found = run(lambda x, W, b: conv2d(x, W, b, 1, pad), [Variable(a) for a in inputs])
    for result, like in zip(found, expected, strict=True):
        assert result.shape == like.shape
        assert_close(result, like)
    assert taken[0] == (pixel_ways if pixel else ways)
    if not pixel:
        assert len(taken[1]) == blocks


@pytest.mark.parametrize("constant", [0, 1])
def test_a_plain_array_receives_no_gradient_and_disturbs_none(constant):
    x, W = normal(2, 3, 4, 4), normal(2, 3, 3, 3, seed=1)
    whole = run(lambda x, W: conv2d(x, W, None, 1, 1), [Variable(x), Variable(W)])
    inputs = [a if i == constant else Variable(a) for i, a in enumerate((x, W))]
    y, g = run(lambda x, W: conv2d(x, W, None, 1, 1), inputs)
    assert_close(y, whole[0])
    assert_close(g, whole[2 - constant])


def test_the_simple_convolution_has_gradients():
    check_function(
        lambda x, W, b: conv2d_simple(x, W, b, (2, 1), 1),
        normal(2, 2, 4, 3),
        normal(3, 2, 3, 2),
        normal(3),
    )


def test_a_deconvolution_without_an_outsize_takes_the_smallest():
    y = deconv2d(
        normal(1, 2, 3, 4),
        normal(2, 5, 3, 2),
        stride=(2, 3),
        pad=(1, 0),
        dilation=(1, 2),
    )
    assert y.shape == (1, 5, 2 * 2 + 3 - 2, 3 * 3 + 3)


@pytest.mark.parametrize("size", [3, 1])
def test_no_images_give_no_images(size):
    x, W = Variable(np.zeros((0, 2, 4, 4))), Variable(normal(3, 2, size, size))
    y = conv2d(x, W)
    y.backward()
    assert y.shape == (0, 3, 5 - size, 5 - size)
    assert x.grad.shape == x.shape
    assert_equal(W.grad.data, np.zeros(W.shape))
    assert pooling(np.zeros((0, 2, 4, 4)), 2).shape == (0, 2, 3, 3)
    assert average_pooling(np.zeros((0, 2, 4, 4)), 2).shape == (0, 2, 3, 3)


def test_images_in_another_order_of_memory_are_the_same_images():
    x, W = (
        normal(5, 4, 2, 3).transpose(3, 2, 1, 0),
        normal(2, 2, 3, 3)[:, :, ::-1].transpose(1, 0, 2, 3),
    )
    like = conv2d(x.copy(), W.copy(), None, 1, 1).data
    assert_close(conv2d(x, W, None, 1, 1).data, like)
    assert_equal(pooling(x, 2).data, pooling(x.copy(), 2).data)


def test_whole_numbers_are_convolved_as_such_and_wider_numbers_widen():
    x, W = np.arange(16).reshape(1, 1, 4, 4), np.ones((1, 1, 3, 3), int)
    assert_equal(conv2d(x, W).data, [[[[45, 54], [81, 90]]]])
    assert conv2d(x, W).dtype == x.dtype
    single = np.float32(1) * x.astype(np.float32)
    assert conv2d(single, W.astype(np.float32), np.ones(1)).dtype == np.float64
    assert conv2d(single, W.astype(float)).dtype == np.float64


def test_the_gradient_of_a_bias_is_right_for_many_images():
    x, W = np.zeros((60_000, 1, 1, 2), np.float32), np.zeros((2, 1, 1, 1), np.float32)
    for function in (conv2d, deconv2d):
        kernels = W if function is conv2d else W.reshape(1, 2, 1, 1)
        b = Variable(np.zeros(2, np.float32))
        y = function(x, kernels, b)
        y.grad = Variable(np.full(y.shape, np.float32(0.1)))
        y.backward()
        exact = 120_000 * float(np.float32(0.1))
        assert_close(b.grad.data, exact, rtol=1e-5, atol=0)


@pytest.mark.parametrize("stride", [1, 2])
def test_memory_is_that_of_the_images_not_of_the_columns(stride):
    x, W = (
        np.ones((16, 16, 64, 64), np.float32),
        Variable(np.ones((16, 16, 5, 5), np.float32)),
    )
    image = x.nbytes
    x = Variable(x)
    tracemalloc.start()
    y = conv2d(x, W, None, stride, 2)
    y.backward()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # At its height: y, its gradient, an image with border, another image, a block of
    # columns. All columns: 25 images.
    assert peak < 4.5 * image + 2 * conv_fast.BLOCK


@pytest.mark.parametrize(("n", "size"), [(64, 3), (64, 1), (2, 24)])
@pytest.mark.parametrize("groups", [1, 2])
def test_the_gradient_of_pixel_kernels_takes_images_of_any_size_one_by_one_or_together(
    n, size, groups
):
    x, y = normal(n, 4, size, size), normal(n, 6, size, size, seed=1)
    W = Variable(normal(6, 4 // groups, 1, 1, seed=2))
    z = conv2d(x, W, groups=groups)
    z.grad = Variable(y)
    z.backward()
    whole = np.einsum("nohw,nchw->oc", y, x)
    own = whole if groups == 1 else np.concatenate([whole[:3, :2], whole[3:, 2:]])
    assert_close(W.grad.data[:, :, 0, 0], own)


@pytest.mark.parametrize("shape", [(256, 64, 1, 1), (64, 64, 4, 4), (2, 16, 128, 128)])
def test_the_gradient_of_pixel_kernels_makes_no_kernels_for_each_image(shape):
    x, W = (
        np.ones(shape, np.float32),
        Variable(np.ones((64, shape[1], 1, 1), np.float32)),
    )
    y = conv2d(x, W)
    y.grad = Variable(np.ones_like(y.data))
    tracemalloc.start()
    y.backward()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # The kernels, a product, a block of columns of x and of y; with a share for Python.
    # All products: 64 kernels.
    assert peak < 3 * W.data.nbytes + 4 * conv_fast.COLUMNS * (64 + 64) + 40_000


def test_a_deconvolution_without_outsize_takes_one_pixel_where_the_formula_has_none():
    y, W = normal(1, 1, 1, 1), normal(1, 1, 3, 3)
    x = deconv2d(y, W, stride=3, pad=2)
    assert x.shape == (1, 1, 1, 1)
    assert_close(x.data, naive_deconv(y, W, x.shape, (3, 3), (2, 2)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: conv2d(normal(2, 3), normal(1, 3, 2, 2)),
            r"images have the shape \(N, C, H, W\), not \(2, 3\)",
        ),
        (
            lambda: conv2d(normal(2, 3), normal(1, 3, 1, 1)),
            r"images have the shape \(N, C, H, W\), not \(2, 3\)",
        ),
        (
            lambda: im2col(normal(1, 3, 4, 4), (5, 1)),
            r"images of shape \(1, 3, 4, 4\) have no place for a window",
        ),
        (
            lambda: conv2d(normal(1, 3, 4, 4), normal(3, 2)),
            r"kernels have four axes.*W has shape \(3, 2\)",
        ),
        (
            lambda: conv2d(normal(1, 3, 4, 4), normal(2, 1, 2, 2)),
            r"x of shape \(1, 3, 4, 4\) has 3 channels, but W of shape \(2, 1, 2, "
            r"2\) with groups=1 takes 1",
        ),
        (
            lambda: conv2d(normal(1, 3, 4, 4), normal(2, 1, 2, 2), groups=2),
            r"3 channels of x, of shape \(1, 3, 4, 4\), and 2 kernels of W.*do "
            r"not both divide into 2 groups",
        ),
        (
            lambda: conv2d(normal(1, 2, 4, 4), normal(2, 2, 2, 2), groups=0),
            "do not both divide into 0 groups",
        ),
        (
            lambda: conv2d(normal(1, 2, 4, 4), normal(2, 2, 2, 2), normal(3)),
            r"b has shape \(3,\), but 2 output channels need \(2,\)",
        ),
        (
            lambda: conv2d(normal(1, 2, 4, 4), normal(2, 2, 7, 2), pad=1),
            r"images of shape \(1, 2, 4, 4\) have no place for a window of size "
            r"\(7, 2\) with stride \(1, 1\) and pad",
        ),
        (
            lambda: conv2d(normal(1, 2, 4, 4), normal(2, 2, 3, 3), dilation=2),
            r"a window of size \(3, 3\) and dilation \(2, 2\), so of reach \(5, 5\),",
        ),
        (
            lambda: conv2d(normal(1, 2, 4, 4), normal(2, 2, 3, 3), stride=0),
            r"the stride is \(0, 0\)",
        ),
        (
            lambda: conv2d(normal(1, 2, 4, 4), normal(2, 2, 3, 3), pad=-1),
            r"the pad is \(-1, -1\)",
        ),
        (
            lambda: conv2d(normal(1, 2, 4, 4), normal(2, 2, 3, 3), dilation=(1, 0)),
            r"the dilation is \(1, 0\)",
        ),
        (
            lambda: conv2d(normal(1, 2, 4, 4), normal(2, 2, 0, 3)),
            r"the kernel size is \(0, 3\)",
        ),
        (
            lambda: conv2d(normal(1, 2, 4, 4), normal(2, 2, 3, 3), stride=1.5),
            "a size is a whole number",
        ),
        (
            lambda: conv2d_simple(normal(1, 2, 4, 4), normal(2, 2, 5, 3)),
            "have no place for",
        ),
        (
            lambda: conv2d_simple(normal(1, 2, 4, 4), normal(2, 1, 3, 3)),
            "has 2 channels, but W of shape",
        ),
        (
            lambda: deconv2d(normal(2, 3), normal(3, 1, 2, 2)),
            r"images have the shape \(N, C, H, W\), not \(2, 3\)",
        ),
        (
            lambda: deconv2d(normal(1, 3, 2, 2), normal(2, 3, 2, 2)),
            r"x of shape \(1, 3, 2, 2\) does not fit W of shape \(2, 3, 2, 2\) "
            r"with groups=1",
        ),
        (
            lambda: deconv2d(normal(1, 3, 2, 2), normal(3, 3, 2, 2), groups=2),
            "with groups=2",
        ),
        (
            lambda: deconv2d(normal(1, 3, 2, 2), normal(3, 2, 2, 2), normal(3)),
            r"b has shape \(3,\)",
        ),
        (
            lambda: deconv2d(
                normal(1, 1, 2, 2), normal(1, 1, 3, 3), stride=2, outsize=(5, 7)
            ),
            r"no convolution leads from 5 × 7 pixels to x of shape \(1, 1, 2, "
            r"2\).*outsize can be from 5 × 5 to 6 × 6",
        ),
        (
            lambda: deconv2d(
                normal(1, 1, 1, 1), normal(1, 1, 3, 3), pad=2, stride=3, outsize=2
            ),
            "outsize can be from 1 × 1 to 1 × 1",
        ),
        (
            lambda: deconv2d(normal(1, 1, 2, 2), normal(1, 1, 3, 3), pad=2),
            r"nothing is left of x of shape \(1, 1, 2, 2\) with a window.*pad "
            r"\(2, 2\): the pad is what .* cuts off",
        ),
        (
            lambda: conv2d(normal(1, 0, 4, 4), normal(3, 0, 2, 2)),
            r"kernels have a channel at least on each side, but W has shape \(3, "
            r"0, 2, 2\)",
        ),
        (
            lambda: conv2d(normal(1, 2, 4, 4), normal(0, 2, 2, 2)),
            r"but W has shape \(0, 2, 2, 2\)",
        ),
        (
            lambda: conv2d_simple(normal(1, 2, 4, 4), normal(0, 2, 2, 2)),
            r"but W has shape \(0, 2, 2, 2\)",
        ),
        (
            lambda: deconv2d(normal(1, 2, 4, 4), normal(2, 0, 2, 2)),
            r"but W has shape \(2, 0, 2, 2\)",
        ),
        (
            lambda: conv2d(normal(1, 0, 4, 4), normal(3, 2, 2, 2)),
            "has 0 channels, but W of shape",
        ),
        (
            lambda: conv2d(3.0, normal(1, 1, 2, 2)),
            r"images have the shape \(N, C, H, W\), not \(\)",
        ),
        (
            lambda: conv2d(normal(1, 1, 2, 2), 3),
            r"kernels have four axes.*W has shape \(\)",
        ),
        (
            lambda: conv2d(normal(1, 1, 2, 2), normal(1, 1, 2, 2), 1.0),
            r"b has shape \(\), but 1 output",
        ),
        (
            lambda: deconv2d(3.0, normal(1, 1, 2, 2)),
            r"images have the shape \(N, C, H, W\), not \(\)",
        ),
        (lambda: im2col(3.0, 2), r"images have the shape \(N, C, H, W\), not \(\)"),
        (
            lambda: col2im(3.0, (1, 1, 2, 2), 2),
            r"columns of shape \(\) do not belong to images",
        ),
    ],
)
def test_what_does_not_fit_is_refused_with_its_shapes(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("function", [conv2d, deconv2d])
def test_what_is_no_array_or_holds_none_is_refused(function):
    with pytest.raises(TypeError, match="but was given a list"):
        function([[1.0]], normal(1, 1, 1, 1))
    with pytest.raises(ValueError, match="holds no data yet"):
        function(normal(1, 1, 2, 2), Variable(None))


# --- pooling --------------------------------------------------------------------------

POOLINGS = [
    # kernel size, stride, pad
    (2, 2, 0),
    (3, 2, 1),
    ((2, 3), 1, (0, 1)),
    ((3, 2), (1, 2), 1),
    ((1, 3), (2, 1), 0),
    (1, 1, 0),
    (2, 3, 1),
    ((2, 3), (3, 2), 0),
    # Large, where the winner is found in two steps.
    (5, 1, 2),
    ((5, 4), (2, 1), (2, 1)),
    # More border on one side than the window is wide on the other.
    ((3, 1), 1, (2, 0)),
    ((2, 4), (2, 1), (0, 3)),
    ((9, 2), 1, (4, 0)),
    ((2, 9), 1, (1, 5)),
]


@pytest.mark.parametrize(("kernel", "stride", "pad"), POOLINGS)
def test_pooling_is_what_the_loops_say(kernel, stride, pad):
    # All are negative, so that a border of zeros would show.
    x = distinct(2, 3, 5, 6) - 100
    sizes = pair(kernel), pair(stride), pair(pad)
    maxima = naive_pooling(x, *sizes, max)
    assert_equal(pooling(x, kernel, stride, pad).data, maxima)
    assert_equal(pooling_simple(x, kernel, stride, pad).data, maxima)
    area = sizes[0][0] * sizes[0][1]
    means = naive_pooling(x, *sizes, lambda pixels: sum(pixels) / area)
    assert_close(average_pooling(x, kernel, stride, pad).data, means)


@pytest.mark.parametrize("function", [pooling, pooling_simple, average_pooling])
@pytest.mark.parametrize(("kernel", "stride", "pad"), POOLINGS)
def test_poolings_have_gradients(function, kernel, stride, pad):
    check_function(lambda x: function(x, kernel, stride, pad), distinct(1, 2, 5, 4))


def test_a_function_of_a_maximum_has_a_second_order():
    check_function(
        lambda x: pooling(x, 2) ** 3 * average_pooling(x, 2), distinct(2, 1, 3, 3) / 10
    )


def test_the_first_of_equal_maxima_receives_the_gradient():
    x = Variable(np.array([[[[0.0, 7.0, 7.0], [7.0, 7.0, 7.0]]]]))
    pooling(x, 2).backward(create_graph=True)
    assert_equal(x.grad.data, [[[[0, 2, 0], [0, 0, 0]]]])
    zeros = Variable(np.zeros((1, 1, 4, 4)))
    pooling(zeros, 2, 2).backward()
    assert zeros.grad.data.sum() == 4
    assert_equal(zeros.grad.data[0, 0, ::2, ::2], np.ones((2, 2)))


@pytest.mark.parametrize(("kernel", "stride", "pad"), POOLINGS)
def test_the_first_of_many_equal_maxima_receives_the_gradient_row_by_row(
    kernel, stride, pad
):
    x = Variable(np.random.default_rng(0).integers(0, 3, (2, 2, 7, 8)).astype(float))
    y = pooling(x, kernel, stride, pad)
    y.backward()
    expected = np.zeros(x.shape)
    sizes = pair(kernel), pair(stride), pair(pad)
    for n, k in np.ndindex(2, 2):
        for r, c in stops(x.shape, *sizes):
            places = [(h, w) for _, _, h, w in seen(x.shape, *sizes, (1, 1), r, c)]
            expected[n, k][max(places, key=lambda place: x.data[n, k][place])] += 1
    assert_equal(x.grad.data, expected)


@pytest.mark.parametrize(
    ("kernel", "pad"), [(2, 1), (3, 1), (5, 2), ((3, 1), (2, 0)), ((2, 9), (0, 5))]
)
def test_the_border_receives_no_gradient_even_where_the_image_is_as_low(kernel, pad):
    x = Variable(np.full((1, 2, 5, 5), -np.inf))
    y = pooling(x, kernel, 1, pad)
    y.backward()
    assert x.grad.data.sum() == y.size


@pytest.mark.parametrize(("kernel", "stride"), [(2, 2), (2, 1), (5, 5), (5, 1)])
@pytest.mark.parametrize("function", [pooling, pooling_simple])
def test_no_infinite_gradient_reaches_what_is_no_maximum(function, kernel, stride):
    x = Variable(distinct(1, 2, 6, 6))
    y = function(x, kernel, stride)
    y.backward()
    winners = x.grad.data > 0
    y.grad = Variable(np.full(y.shape, np.inf))
    x.cleargrad()
    y.backward(create_graph=True)
    assert_equal(x.grad.data, np.where(winners, np.inf, 0))
    # The second order takes what lies where the winner is, and nothing else.
    gy = y.grad = Variable(np.ones(y.shape))
    x.cleargrad()
    y.backward(create_graph=True)
    gx = x.grad
    gx.grad = Variable(np.where(winners, 3, np.inf))
    gx.backward()
    assert_equal(gy.grad.data, np.full(y.shape, 3))


def test_a_window_as_large_as_the_image_takes_few_steps():
    x = Variable(distinct(1, 1, 30, 30))
    y = pooling(x, 30)
    count = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            pool,
            "_winners",
            lambda *args, inner=pool._winners: count.append(inner(*args)) or count[-1],
        )
        y.backward()
    assert sum(len(masks) for masks in count) == 60
    assert_equal(x.grad.data, x.data == x.data.max())


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, bool, np.float16])
def test_the_border_never_wins(dtype):
    x = np.full(
        (1, 1, 2, 2), np.iinfo(dtype).min if np.dtype(dtype).kind == "i" else 0, dtype
    )
    y = pooling(x, 2, 1, 1)
    assert y.dtype == dtype
    assert_equal(y.data, np.full((1, 1, 3, 3), x[0, 0, 0, 0]))


def test_means_of_whole_numbers_are_no_whole_numbers():
    assert_equal(average_pooling(np.arange(4).reshape(1, 1, 2, 2), 2).data, [[[[1.5]]]])


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, bool])
def test_means_of_small_whole_numbers_do_not_overflow(dtype):
    x = np.full(
        (1, 1, 4, 4), 200 if dtype is np.uint8 else 1 if dtype is bool else 100, dtype
    )
    y = average_pooling(x, 4)
    assert y.dtype == np.float64
    assert y.data.item() == float(x[0, 0, 0, 0])


def test_means_and_gradients_in_half_precision_are_summed_in_single_precision():
    x = Variable(np.full((1, 1, 32, 32), 1000, np.float16))
    y = average_pooling(x, 32)
    assert y.dtype == np.float16
    assert y.data.item() == 1000
    x = Variable(np.zeros((1, 1, 41, 41), np.float16))
    y = average_pooling(x, 21)
    y.grad = Variable(np.full(y.shape, 60000, np.float16))
    y.backward()
    assert x.grad.dtype == np.float16
    assert x.grad.data[0, 0, 20, 20] == np.float16(60000)


@pytest.mark.parametrize("function", [pooling, pooling_simple, average_pooling])
def test_no_result_shares_memory_with_its_input(function):
    x = distinct(1, 1, 2, 2)
    assert not np.shares_memory(x, function(x, 1).data)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: pooling(normal(3, 4), 2),
            r"images have the shape \(N, C, H, W\), not \(3, 4\)",
        ),
        (
            lambda: pooling(normal(1, 1, 2, 2), 3),
            r"images of shape \(1, 1, 2, 2\) have no place for",
        ),
        (
            lambda: average_pooling(normal(1, 1, 2, 2), (1, 3)),
            r"have no place for a window of size \(1, 3\)",
        ),
        (
            lambda: pooling(normal(1, 1, 4, 4), 2, pad=(0, 2)),
            r"in images of shape \(1, 1, 4, 4\), a window of size \(2, "
            r"2\).*nothing but border",
        ),
        (
            lambda: pooling(normal(1, 1, 4, 4), (2, 5), pad=(2, 1)),
            "nothing but border",
        ),
        (
            lambda: pooling(normal(1, 1, 4, 4), (5, 2), pad=(1, 2)),
            "nothing but border",
        ),
        (lambda: pooling_simple(normal(1, 1, 4, 4), 2, pad=2), "nothing but border"),
        (
            lambda: pooling(normal(1, 1, 4, 4), 2, stride=(1, 0)),
            r"the stride is \(1, 0\)",
        ),
        (
            lambda: average_pooling(normal(1, 1, 4, 4), 2, pad=-1),
            r"the pad is \(-1, -1\)",
        ),
        (lambda: pooling(normal(1, 1, 4, 4), 0), r"the kernel size is \(0, 0\)"),
        (lambda: pooling(3.0, 2), r"images have the shape \(N, C, H, W\), not \(\)"),
        (
            lambda: average_pooling(3, 2),
            r"images have the shape \(N, C, H, W\), not \(\)",
        ),
    ],
)
def test_poolings_that_do_not_fit_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_pooling_under_no_grad_records_nothing():
    with no_grad():
        assert pooling(Variable(distinct(1, 1, 2, 2)), 2).creator is None
