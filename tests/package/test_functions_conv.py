"""Convolution and pooling, compared with explicit windows."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dezero_lite import Variable
from dezero_lite import functions_conv as C
from dezero_lite.functions import conv_fast, pool
from tests.support.arrays import assert_close, assert_equal, distinct, normal
from tests.support.function_checks import check_function, run
from tests.support.memory_checks import at_most

# --- references: one window after the other -------------------------------------------


def seen(x, kernel, stride, pad, dilation=(1, 1), border=0.0):
    """Yield what the window sees at each stop: an array (N, C, KH, KW) by row and
    column.
    """
    x = np.pad(x, [(0, 0), (0, 0), *[(p, p) for p in pad]], constant_values=border)
    reach = [d * (k - 1) + 1 for k, d in zip(kernel, dilation, strict=True)]
    rows, columns = (
        range(0, n - r + 1, s)
        for n, r, s in zip(x.shape[2:], reach, stride, strict=True)
    )
    across, down = (slice(None, None, d) for d in reversed(dilation))
    return {
        (i, j): x[:, :, h : h + reach[0], w : w + reach[1]][:, :, down, across]
        for i, h in enumerate(rows)
        for j, w in enumerate(columns)
    }


def each_window(f, windows):
    """Apply `f` to each window; return its results (N, C) as images."""
    n, m = max(windows)
    rows = [[f(windows[i, j]) for j in range(m + 1)] for i in range(n + 1)]
    return np.moveaxis(np.array(rows), (0, 1), (2, 3))


def naive_conv(x, W, stride, pad, dilation=(1, 1), groups=1):
    def at(window):
        parts = np.split(window, groups, axis=1), np.split(W, groups)
        sums = [np.einsum("ncij,ocij->no", *part) for part in zip(*parts, strict=True)]
        return np.concatenate(sums, axis=1)

    return each_window(at, seen(x, W.shape[2:], stride, pad, dilation))


@st.composite
def geometries(draw):
    """Return images, kernels, and random weights for the result."""
    sizes = [(1, 3), (1, 3), (0, 2), (1, 2), (1, 6)]
    kernel, stride, pad, dilation, image = (
        (draw(st.integers(low, high)), draw(st.integers(low, high)))
        for low, high in sizes
    )
    for axis in range(2):
        reach = dilation[axis] * (kernel[axis] - 1)
        assume(image[axis] + 2 * pad[axis] > reach)
    groups = draw(st.sampled_from([1, 1, 2]))
    n, c, oc = (draw(st.integers(1, 2)) for _ in range(3))
    x, W = normal(n, c * groups, *image), normal(oc * groups, c, *kernel, seed=1)
    return x, W, stride, pad, dilation, groups


drawn = settings(derandomize=True, deadline=None, max_examples=40)

# --- sizes and columns ----------------------------------------------------------------


@drawn
@given(geometries(), st.booleans())
def test_columns_hold_what_the_window_sees_and_go_back(case, to_matrix):
    x, W, stride, pad, *_ = case
    kernel = W.shape[2:]
    windows = seen(x, kernel, stride, pad)
    assume(windows)
    columns = C.im2col_array(x, kernel, stride, pad, to_matrix)
    expected = each_window(lambda window: window, windows)
    # From (N, C, OH, OW, KH, KW), as each_window has it.
    order = (0, 2, 3, 1, 4, 5) if to_matrix else (0, 1, 4, 5, 2, 3)
    expected = expected.transpose(order)
    if to_matrix:
        expected = expected.reshape(-1, W[0, :1].size * x.shape[1])
    assert_equal(columns, expected)
    assert not np.shares_memory(x, columns)
    c = normal(*columns.shape, seed=2)
    image = C.col2im_array(c, x.shape, kernel, stride, pad, to_matrix)
    assert image.shape == x.shape
    assert np.isclose(np.vdot(columns, c), np.vdot(x, image))


@pytest.mark.parametrize("to_matrix", [True, False])
def test_columns_have_gradients(to_matrix):
    x, window = normal(2, 2, 4, 5), ((2, 3), (2, 1), (1, 0), to_matrix)
    check_function(lambda x: C.im2col(x, *window), x)
    columns = C.im2col_array(x, *window)
    check_function(lambda columns: C.col2im(columns, x.shape, *window), columns)


# --- convolution ----------------------------------------------------------------------


@drawn
@given(geometries())
def test_convolutions_are_what_the_windows_say(case):
    x, W, *rest = case
    y = C.conv2d(x, W, None, *rest).data
    assert_close(y, naive_conv(x, W, *rest))
    # The deconvolution of c, times x, equals c times the convolution of x.
    stride, pad, dilation, groups = rest
    c = normal(*y.shape, seed=2)
    back = C.deconv2d(c, W, None, stride, pad, x.shape[2:], dilation, groups).data
    assert back.shape == x.shape
    assert np.isclose(np.vdot(back, x), np.vdot(c, y))


GEOMETRIES = {
    # x, W, stride, pad, dilation, groups
    "turned": ((2, 2, 4, 5), (2, 2, 3, 2), 1, 1, 1, 1),
    "stride": ((1, 2, 5, 4), (2, 2, 2, 3), (2, 1), (1, 0), 1, 1),
    "many kernels": ((2, 1, 4, 4), (4, 1, 3, 3), 1, 0, 1, 1),
    "wide border": ((1, 2, 2, 2), (1, 2, 1, 2), 1, (1, 2), 1, 1),
    "dilation": ((2, 2, 5, 5), (2, 2, 2, 2), 1, 1, (2, 3), 1),
    "groups": ((1, 4, 4, 4), (2, 2, 3, 2), 1, 1, 1, 2),
    "groups and stride": ((2, 2, 3, 4), (4, 1, 2, 2), 2, 1, 1, 2),
    "one pixel": ((2, 3, 2, 3), (2, 3, 1, 1), 1, 0, 1, 1),
    "one pixel and groups": ((2, 4, 2, 2), (2, 2, 1, 1), 1, 0, 1, 2),
    "one pixel and stride": ((1, 2, 4, 3), (2, 2, 1, 1), 2, 0, 1, 1),
}


@pytest.mark.parametrize("name", GEOMETRIES)
def test_convolutions_have_gradients(name):
    x, W, *rest = GEOMETRIES[name]
    stride, pad, dilation, groups = rest
    images, kernels = normal(*x), normal(*W, seed=1)
    inputs = images, kernels, normal(W[0], seed=2)
    check_function(lambda *xs: C.conv2d(*xs, *rest), *inputs)
    y = C.conv2d(images, kernels, None, *rest).data
    back = stride, pad, x[2:], dilation, groups
    inputs = y, kernels, normal(x[1], seed=2)
    check_function(lambda *xs: C.deconv2d(*xs, *back), *inputs)


def seldom(*args):
    return False


def always(*args):
    return True


# What is patched, and the methods that are then used for kernels of 3 × 2, with the
# number of blocks.
SWEEP, SCATTER = "_sweep", "_scatter"
POINTWISE = ["_pointwise", "_pointwise", "_pointwise_kernels"]
ROWS = {"BLOCK": 1, "COLUMNS": 4}
ROUTES = {
    "row by row": ({"BLOCK": 1, "COLUMNS": 1}, [SWEEP] * 2, 15 + 15),
    "some rows": ({"BLOCK": 1, "COLUMNS": 8}, [SWEEP] * 2, 15 + 9),
    "some images": ({"BLOCK": 1, "COLUMNS": 40}, [SWEEP] * 2, 3 + 2),
    "scatter": ({"flips": seldom}, [SWEEP, SCATTER, SWEEP], 3),
    "scatter row by row": (ROWS | {"flips": seldom}, [SWEEP, SCATTER, SWEEP], 15 * 3),
    "flipped": ({"flips": always}, [SWEEP] * 2, 2),
    "no pixels": ({"is_pointwise": seldom}, [SWEEP] * 2, 2),
    "as chosen": ({}, [SWEEP] * 2, 2),
}


@pytest.fixture
def taken(monkeypatch):
    """Record which methods are used, and the blocks into which they split the work."""
    ways, blocks = [], []

    def watched(name, inner):
        return lambda *args, **kw: ways.append(name) or inner(*args, **kw)

    for name in (SWEEP, SCATTER, "_pointwise", "_pointwise_kernels"):
        monkeypatch.setattr(conv_fast, name, watched(name, getattr(conv_fast, name)))
    inner = conv_fast._blocks
    noted = lambda *args: (blocks.append(block) or block for block in inner(*args))
    monkeypatch.setattr(conv_fast, "_blocks", noted)
    return ways, blocks


@pytest.mark.parametrize("pixel", [False, True])
@pytest.mark.parametrize("route", ROUTES)
def test_all_ways_to_compute_agree_with_the_readable_one(
    route, pixel, taken, monkeypatch
):
    x, W, pad = (3, 2, 5, 4), (3, 2, 3, 2), 1
    if pixel:
        x, W, pad = (3, 2, 4, 3), (3, 2, 1, 1), 0
    inputs = normal(*x), normal(*W, seed=1), normal(W[0], seed=2)

    def computed(f):
        return run(lambda *xs: f(*xs, 1, pad), [Variable(a) for a in inputs])

    expected = computed(C.conv2d_simple)
    patch, ways, blocks = ROUTES[route]
    for name, value in patch.items():
        monkeypatch.setattr(conv_fast, name, value)
    for result, like in zip(computed(C.conv2d), expected, strict=True):
        assert_close(result, like)
    if pixel:
        assert taken[0] == (ways if route == "no pixels" else POINTWISE)
    else:
        assert (taken[0], len(taken[1])) == (ways, blocks)


@pytest.mark.parametrize("constant", [0, 1])
def test_a_plain_array_receives_no_gradient_and_disturbs_none(constant):
    x, W = normal(2, 3, 4, 4), normal(2, 3, 3, 3, seed=1)
    whole = run(lambda x, W: C.conv2d(x, W, None, 1, 1), [Variable(x), Variable(W)])
    inputs = [a if i == constant else Variable(a) for i, a in enumerate((x, W))]
    y, g = run(lambda x, W: C.conv2d(x, W, None, 1, 1), inputs)
    assert_close(y, whole[0])
    assert_close(g, whole[2 - constant])


@pytest.mark.parametrize("size", [3, 1])
def test_no_images_give_no_images(size):
    x, W = Variable(np.zeros((0, 2, 4, 4))), Variable(normal(3, 2, size, size))
    y = C.conv2d(x, W)
    y.backward()
    assert y.shape == (0, 3, 5 - size, 5 - size)
    assert x.grad.shape == x.shape
    assert_equal(W.grad.data, np.zeros(W.shape))
    assert C.pooling(x, 2).shape == C.average_pooling(x, 2).shape == (0, 2, 3, 3)


@pytest.mark.parametrize("function", [C.conv2d, C.deconv2d])
def test_the_gradient_of_a_bias_is_right_for_many_images(function):
    x, W = np.zeros((60_000, 1, 1, 2), np.float32), np.zeros((2, 1, 1, 1), np.float32)
    kernels = W if function is C.conv2d else W.reshape(1, 2, 1, 1)
    b = Variable(np.zeros(2, np.float32))
    y = function(x, kernels, b)
    y.grad = Variable(np.full(y.shape, np.float32(0.1)))
    y.backward()
    exact = 120_000 * float(np.float32(0.1))
    assert_close(b.grad.data, exact, rtol=1e-5, atol=0)


@pytest.mark.parametrize("stride", [1, 2])
def test_memory_is_that_of_the_images_not_of_the_columns(stride):
    x = Variable(np.ones((16, 16, 64, 64), np.float32))
    W = Variable(np.ones((16, 16, 5, 5), np.float32))
    # At the peak: y, its gradient, an image with border, another image, a block of
    # columns. All columns: 25 images.
    with at_most(4.5 * x.data.nbytes + 2 * conv_fast.BLOCK):
        y = C.conv2d(x, W, None, stride, 2)
        y.backward()


@pytest.mark.parametrize(("n", "size"), [(64, 3), (64, 1), (2, 24)])
@pytest.mark.parametrize("groups", [1, 2])
def test_the_gradient_of_pixel_kernels_takes_images_one_by_one_or_together(
    n, size, groups
):
    x, y = normal(n, 4, size, size), normal(n, 6, size, size, seed=1)
    W = Variable(normal(6, 4 // groups, 1, 1, seed=2))
    z = C.conv2d(x, W, groups=groups)
    z.grad = Variable(y)
    z.backward()
    whole = np.einsum("nohw,nchw->oc", y, x)
    own = whole if groups == 1 else np.concatenate([whole[:3, :2], whole[3:, 2:]])
    assert_close(W.grad.data[:, :, 0, 0], own)


@pytest.mark.parametrize("shape", [(256, 64, 1, 1), (64, 64, 4, 4), (2, 16, 128, 128)])
def test_the_gradient_of_pixel_kernels_makes_no_kernels_for_each_image(shape):
    x = np.ones(shape, np.float32)
    W = Variable(np.ones((64, shape[1], 1, 1), np.float32))
    y = C.conv2d(x, W)
    y.grad = Variable(np.ones_like(y.data))
    # The kernels, a product, a block of columns of x and of y; plus a share for Python.
    # All products: 64 kernels.
    with at_most(3 * W.data.nbytes + 4 * conv_fast.COLUMNS * (64 + 64) + 40_000):
        y.backward()


# --- pooling --------------------------------------------------------------------------

# Kernel size, stride, pad.
POOLINGS = [(2, 2, 0), (3, 2, 1), (1, 1, 0)]
POOLINGS += [((2, 3), 1, (0, 1)), ((3, 2), (1, 2), 1), ((2, 3), (3, 2), 0)]
# Large, where the maximum is found in two steps.
POOLINGS += [(5, 1, 2), ((5, 4), (2, 1), (2, 1))]
# More padding on one side than the window is wide on the other.
POOLINGS += [((3, 1), 1, (2, 0)), ((2, 4), (2, 1), (0, 3)), ((2, 9), 1, (1, 5))]
poolings = pytest.mark.parametrize("window", POOLINGS)


@poolings
def test_pooling_is_what_the_windows_say(window):
    # All are negative, so that padding with zeros would show.
    x = distinct(2, 3, 5, 6) - 100
    sizes = [C.pair(size) for size in window]
    maxima = each_window(
        lambda part: part.max(axis=(2, 3)), seen(x, *sizes, border=-np.inf)
    )
    for function in (C.pooling, C.pooling_simple):
        assert_equal(function(x, *window).data, maxima)
        assert not np.shares_memory(x, function(x, *window).data)
    means = each_window(lambda part: part.mean(axis=(2, 3)), seen(x, *sizes))
    assert_close(C.average_pooling(x, *window).data, means)
    assert not np.shares_memory(x, C.average_pooling(x, *window).data)


@pytest.mark.parametrize("function", [C.pooling, C.pooling_simple, C.average_pooling])
@poolings
def test_poolings_have_gradients(function, window):
    check_function(lambda x: function(x, *window) ** 2, distinct(1, 2, 5, 4))


@poolings
def test_the_first_of_equal_maxima_receives_the_gradient_row_by_row(window):
    x = Variable(np.random.default_rng(0).integers(0, 3, (2, 2, 7, 8)).astype(float))
    C.pooling(x, *window).backward(create_graph=True)
    sizes = [C.pair(size) for size in window]
    # The position of each pixel, as the window sees it: 0 is the border.
    places = np.arange(1.0, x.size + 1).reshape(x.shape)
    expected = np.zeros(x.size + 1)
    numbers = seen(x.data, *sizes, border=-np.inf)
    for stop, found in seen(places, *sizes).items():
        first = numbers[stop].reshape(4, -1).argmax(axis=1)
        expected[found.reshape(4, -1)[range(4), first].astype(int)] += 1
    assert_equal(x.grad.data, expected[1:].reshape(x.shape))


@pytest.mark.parametrize(
    ("kernel", "pad"), [(2, 1), (3, 1), (5, 2), ((3, 1), (2, 0)), ((2, 9), (0, 5))]
)
def test_the_border_receives_no_gradient_even_where_the_image_is_as_low(kernel, pad):
    x = Variable(np.full((1, 2, 5, 5), -np.inf))
    y = C.pooling(x, kernel, 1, pad)
    y.backward()
    assert x.grad.data.sum() == y.size


def test_a_window_as_large_as_the_image_takes_few_steps(monkeypatch):
    x = Variable(distinct(1, 1, 30, 30))
    y = C.pooling(x, 30)
    masks, inner = [], pool._winners
    monkeypatch.setattr(
        pool, "_winners", lambda *args: masks.extend(found := inner(*args)) or found
    )
    y.backward()
    assert len(masks) == 60
    assert_equal(x.grad.data, x.data == x.data.max())


@poolings
def test_pooling_goes_back_piece_by_piece(window, monkeypatch):
    gradients = []
    for piece in (pool.PIECE, 1):
        monkeypatch.setattr(pool, "PIECE", piece)
        x = Variable(distinct(2, 3, 7, 8))
        y = C.pooling(x, *window)
        y.grad = Variable(normal(*y.shape))
        y.backward()
        gradients.append(x.grad.data)
    assert_equal(*gradients)


def test_pooling_takes_little_memory_on_the_way_back():
    x = Variable(normal(8, 16, 128, 128, dtype=np.float32))
    for limit in (np.inf, 3):  # first, Numba may compile; without blocks it takes 4.3
        y = C.pooling(x, 3, 1, 1)
        y.grad = Variable(np.ones_like(y.data))
        with at_most(limit * x.data.nbytes):
            y.backward()


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, bool, np.float16])
def test_the_border_never_wins(dtype):
    lowest = np.iinfo(dtype).min if np.dtype(dtype).kind == "i" else 0
    x = np.full((1, 1, 2, 2), lowest, dtype)
    y = C.pooling(x, 2, 1, 1)
    assert y.dtype == dtype
    assert_equal(y.data, np.full((1, 1, 3, 3), x[0, 0, 0, 0]))


@pytest.mark.parametrize(
    ("dtype", "number"), [(np.uint8, 200), (np.int8, 100), (bool, True), (int, 3)]
)
def test_means_of_whole_numbers_are_no_whole_numbers_and_do_not_overflow(dtype, number):
    x = np.full((1, 1, 4, 4), number, dtype)
    x[0, 0, 0, 0] = 0
    y = C.average_pooling(x, 4)
    assert y.dtype == np.float64
    assert y.item() == number * 15 / 16
