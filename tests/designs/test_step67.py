"""Step 67: exponentials, convolution and pooling on tensors, every gradient against
finite differences.
"""

import gc
import inspect
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steps.step67 import (
    Tensor,
    Windows,
    col2im,
    conv2d,
    exp,
    gather,
    gradient_error,
    im2col,
    log,
    log_softmax,
    max_pool,
    scatter,
    softmax,
)
from tests.support.arrays import assert_close, assert_equal, distinct, uniform

SMALL = 1e-6
few = settings(max_examples=40, deadline=None)


def leaf(value):
    return Tensor(np.asarray(value, dtype=float), requires_grad=True)


# --- Gradients ------------------------------------------------------------------------

A = uniform(2, 3)
IMAGES, KERNELS, BIAS = (
    uniform(2, 3, 5, 4),
    uniform(4, 3, 3, 2, seed=1),
    uniform(4, seed=2),
)
ROWS = uniform(2 * 3 * 4, 3 * 3 * 1, seed=3)
IMAGE = Tensor(IMAGES)

OPERATIONS = {
    "exp": (exp, A),
    "log": (log, A),
    "softmax": (softmax, A),
    "softmax of columns": (lambda a: softmax(a, axis=0), A),
    "log_softmax": (log_softmax, A),
    "log_softmax of columns": (lambda a: log_softmax(a, axis=0), A),
    "im2col": (lambda x: im2col(x, (3, 2), (2, 1), (1, 0)), IMAGES),
    "col2im": (lambda r: col2im(r, (2, 3, 5, 4), (3, 1), (2, 1), (1, 0)), ROWS),
    "conv2d": (conv2d, IMAGES, KERNELS, BIAS),
    "conv2d without bias": (conv2d, IMAGES, KERNELS),
    "conv2d stride 2": (
        lambda x, w, b: conv2d(x, w, b, stride=2),
        IMAGES,
        KERNELS,
        BIAS,
    ),
    "conv2d all pairs": (
        lambda x, w, b: conv2d(x, w, b, (2, 3), (1, 2)),
        IMAGES,
        KERNELS,
        BIAS,
    ),
    "max_pool": (lambda x: max_pool(x, 2), distinct(2, 3, 5, 4)),
    "max_pool overlapping, padded": (
        lambda x: max_pool(x, (3, 2), (2, 1), (1, 0)),
        distinct(2, 3, 5, 4),
    ),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_gradients(name):
    f, *arrays = OPERATIONS[name]
    assert gradient_error(f, *arrays) < SMALL


# A random graph: each step takes tensors made before, by number, and keeps values
# small, so that differences are exact.
STEPS = [
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b / 2,
    lambda a, b: a / (b * b + 1),
    lambda a, b: -a,
    lambda a, b: exp(-(a * a)) + b,
    lambda a, b: log(a * a + 1),
    lambda a, b: softmax(a + b),
    lambda a, b: log_softmax(a, axis=0) / 3,
    lambda a, b: a.sum(axis=0, keepdims=True) / 2 + b,
    lambda a, b: a @ b / 3,
    lambda a, b: a.T,
    lambda a, b: a[[0, 0, 2]] * b[:, [1, 2, 1]],
    lambda a, b: a.reshape(9).reshape(3, 3),
    lambda a, b: (
        conv2d(a.reshape(1, 1, 3, 3), b.reshape(1, 1, 3, 3), padding=1).reshape(3, 3)
        / 4
    ),
]
NODE = st.integers(0, 100)
GRAPHS = st.lists(
    st.tuples(st.sampled_from(STEPS), NODE, NODE), min_size=1, max_size=12
)


def run(graph, *leaves):
    made = list(leaves)
    for f, i, j in graph:
        made.append(f(made[i % len(made)], made[j % len(made)]))
    return made[-1]


@few
@given(GRAPHS)
def test_gradients_of_random_graphs(graph):
    assert (
        gradient_error(
            lambda a, b: run(graph, a, b), uniform(3, 3), uniform(3, 3, seed=1)
        )
        < 1e-5
    )


# --- Windows --------------------------------------------------------------------------

SIDE = st.integers(1, 3)
TWO = st.tuples(SIDE, SIDE)
PADDING = st.tuples(st.integers(0, 2), st.integers(0, 2))


def by_loops(x, windows, of_window):
    """What a window function gives when rows and columns are visited one by one; x is
    padded already.
    """
    (kh, kw), (sh, sw), _ = windows
    n, _, h, w = x.shape
    places = [
        (i, j) for i in range(0, h - kh + 1, sh) for j in range(0, w - kw + 1, sw)
    ]
    values = [of_window(x[:, :, i : i + kh, j : j + kw]) for i, j in places]
    rows = len({i for i, _ in places})
    return np.stack(values, axis=-1).reshape(n, -1, rows, len(places) // rows)


def padded(x, padding, fill=0.0):
    return np.pad(x, ((0, 0), (0, 0), *((p, p) for p in padding)), constant_values=fill)


@few
@given(TWO, TWO, PADDING)
def test_convolution_of_every_geometry(kernel, stride, padding):
    x, w, b = uniform(2, 2, 4, 3), uniform(3, 2, *kernel, seed=1), uniform(3, seed=2)
    windows = Windows(kernel, stride, padding)
    expected = by_loops(
        padded(x, padding),
        windows,
        lambda part: np.tensordot(part, w, ([1, 2, 3], [1, 2, 3])) + b,
    )
    assert_close(
        conv2d(Tensor(x), Tensor(w), Tensor(b), stride, padding).data, expected
    )
    assert (
        gradient_error(lambda x, w, b: conv2d(x, w, b, stride, padding), x, w, b)
        < SMALL
    )


@few
@given(TWO, TWO, PADDING)
def test_pooling_of_every_geometry(kernel, stride, padding):
    padding = tuple(min(p, k - 1) for p, k in zip(padding, kernel, strict=True))
    x = distinct(2, 2, 4, 3)
    windows = Windows(kernel, stride, padding)
    expected = by_loops(
        padded(x, padding, -np.inf), windows, lambda part: part.max((2, 3))
    )
    assert_equal(max_pool(Tensor(x), kernel, stride, padding).data, expected)
    assert gradient_error(lambda x: max_pool(x, kernel, stride, padding), x) < SMALL


@few
@given(TWO, TWO, PADDING)
def test_scatter_is_the_transpose_of_gather(kernel, stride, padding):
    windows, x = Windows(kernel, stride, padding), uniform(2, 2, 4, 3)
    rows = gather(x, windows)
    other = uniform(*rows.shape, seed=1)
    assert np.isclose(
        (rows * other).sum(), (x * scatter(other, x.shape, windows)).sum()
    )


def test_padding_never_wins_and_a_tie_has_one_winner():
    x = leaf(np.full((1, 1, 2, 2), -1.0))
    y = max_pool(x, 2, stride=2, padding=1)
    assert_equal(y.data, np.full((1, 1, 2, 2), -1.0))
    one = max_pool(x, 2)
    one.backward()
    assert x.grad.sum() == 1.0


def test_pooling_of_whole_numbers():
    x = np.array([[-5, -2], [-3, -9]])[None, None]
    for dtype in (np.int64, np.int8):
        y = max_pool(Tensor(x, dtype=dtype), 2, stride=2, padding=1)
        assert y.dtype == dtype
        assert y.data.ravel().tolist() == [-5, -2, -3, -9]
    y = max_pool(Tensor(x < -4), 2, stride=2, padding=1)
    assert y.data.ravel().tolist() == [True, False, False, True]


def test_a_bias_may_be_a_row():
    flat = conv2d(IMAGE, Tensor(KERNELS), Tensor(BIAS))
    row = conv2d(IMAGE, Tensor(KERNELS), Tensor(BIAS[None]))
    assert_equal(flat.data, row.data)
    assert gradient_error(conv2d, IMAGES, KERNELS, BIAS[None]) < SMALL


# --- exp, log, softmax ----------------------------------------------------------------


def test_softmax_keeps_every_row():
    x = leaf([[1000.0, 1001.0], [0.0, 1.0]])
    y = softmax(x)
    assert_close(y.data[0], y.data[1])
    y[1, 1].backward()
    assert np.isfinite(x.grad).all()
    assert_close(log_softmax(Tensor([[0.0, -2000.0]])).data, [[0, -2000]])


def test_log_hides_nothing():
    x = leaf([1e-12, 1e-300])
    y = log(x)
    y.sum().backward()
    assert_equal(y.data, np.log([1e-12, 1e-300]))
    assert_close(x.grad, [1e12, 1e300])
    with np.errstate(divide="ignore"):
        assert log(Tensor(0.0)).data == -np.inf


def test_they_are_methods_too():
    x = Tensor(A)
    assert_equal(x.exp().data, exp(x).data)
    assert_equal(x.log().data, log(x).data)
    assert_equal(x.softmax(axis=0).data, softmax(x, axis=0).data)
    assert_equal(x.log_softmax().data, log_softmax(x).data)


def test_functions_take_arrays_as_constants():
    assert_close(exp(np.zeros(2)).data, 1)
    assert conv2d(IMAGES, Tensor(KERNELS)).shape == (2, 4, 3, 3)
    assert max_pool(IMAGES, 2).edges == ()


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        (
            lambda: conv2d(Tensor(A), Tensor(KERNELS)),
            ValueError,
            r"conv2d takes images of shape \(N, C, H, W\), not",
        ),
        (
            lambda: conv2d(IMAGE, Tensor(KERNELS[:, :2])),
            ValueError,
            r"\(4, 2, 3, 2\) do not fit images \(2, 3, 5, 4",
        ),
        (
            lambda: conv2d(IMAGE, Tensor(KERNELS), Tensor(BIAS[:3])),
            ValueError,
            r"need a bias \(4,\), not \(3,\)",
        ),
        (
            lambda: conv2d(IMAGE, Tensor(KERNELS), stride=0),
            ValueError,
            "stride 0: give a whole number >= 1",
        ),
        (
            lambda: conv2d(IMAGE, Tensor(KERNELS), padding=(1, 2, 3)),
            ValueError,
            r"padding \(1, 2, 3\)",
        ),
        (
            lambda: im2col(IMAGE, 5),
            ValueError,
            r"a kernel \(5, 5\) does not fit into \(5, 4\) \+ 2 \* \(0, 0\)",
        ),
        (lambda: im2col(IMAGE, 1.5), ValueError, r"kernel 1\.5"),
        (
            lambda: max_pool(IMAGE, 2, padding=2),
            ValueError,
            "padding 2 is as large as the window 2",
        ),
        (
            lambda: col2im(Tensor(A), (1, 1, 4, 4), 2),
            ValueError,
            r"has rows \(9, 4\), not \(2, 3\)",
        ),
    ],
)
def test_errors_say_what_was_wrong(wrong, error, words):
    with pytest.raises(error, match=words):
        wrong()


@pytest.mark.parametrize("name", OPERATIONS)
def test_float32_stays(name):
    f, *arrays = OPERATIONS[name]
    leaves = [Tensor(np.float32(array), requires_grad=True) for array in arrays]
    y = f(*leaves)
    assert y.dtype == np.float32
    y.sum().backward()
    assert all(x.grad.dtype == np.float32 and x.grad.shape == x.shape for x in leaves)


# --- Memory ---------------------------------------------------------------------------


@pytest.fixture
def without_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("without_collector")
@pytest.mark.parametrize("name", OPERATIONS)
def test_graphs_are_freed_without_the_collector(name):
    f, *arrays = OPERATIONS[name]
    leaves = [leaf(array) for array in arrays]
    y = (f(*leaves) * 1).sum()
    y.backward()
    inner, worklist = [], [y]
    while worklist:
        tensor = worklist.pop()
        worklist += [x for x, _ in tensor.edges]
        inner += [weakref.ref(tensor)] if tensor.edges else []
    del y, tensor
    assert inner
    assert not any(ref() for ref in inner)
    assert gc.collect() == 0


@pytest.mark.parametrize("name", OPERATIONS)
def test_rules_hold_arrays_and_no_tensors(name):
    f, *arrays = OPERATIONS[name]
    worklist = [f(*map(leaf, arrays))]
    while worklist:
        for x, rule in worklist.pop().edges:
            worklist.append(x)
            assert not any(
                isinstance(value, Tensor)
                for value in inspect.getclosurevars(rule).nonlocals.values()
            )


# --- Training -------------------------------------------------------------------------


def test_a_small_network_of_windows_learns():
    rng = np.random.default_rng(0)
    # Is there a vertical or a horizontal bar?
    images = rng.normal(scale=0.1, size=(64, 1, 6, 6))
    labels = np.arange(64) % 2
    for image, label, place in zip(images, labels, rng.integers(1, 5, 64), strict=True):
        bar = image[0] if label else image[0].T
        bar[place, 1:5] += 1
    kernels, bias = leaf(rng.normal(scale=0.3, size=(4, 1, 3, 3))), leaf(np.zeros(4))
    weight = leaf(rng.normal(scale=0.3, size=(4 * 4, 2)))

    def net(x):
        x = conv2d(x, kernels, bias)
        x = max_pool(x * (x > 0), 2)
        return log_softmax(x.reshape(len(x), -1) @ weight)

    for _ in range(60):
        loss = -net(images)[np.arange(64), labels].sum() / 64
        loss.backward()
        for p in (kernels, bias, weight):
            p.data = p.data - 0.5 * p.grad
    assert float(loss.data) < 0.1
    assert_equal(net(images).data.argmax(axis=1), labels)
