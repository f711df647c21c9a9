"""Step 67: exponentials, convolution and pooling on tensors, with every gradient
compared with finite differences.
"""

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
from tests.support.tensors import SMALL, STEPS, assert_right, graph_error, graphs

few = settings(max_examples=40, deadline=None)

# --- Gradients ------------------------------------------------------------------------

A = uniform(2, 3)
IMAGES, KERNELS = uniform(2, 3, 5, 4), uniform(4, 3, 3, 2, seed=1)
BIAS, BOTH = uniform(4, seed=2), (IMAGES, KERNELS)
ROWS = uniform(2 * 3 * 4, 3 * 3 * 1, seed=3)
IMAGE, DISTINCT = Tensor(IMAGES), distinct(2, 3, 5, 4)

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
    "conv2d stride 2": (lambda x, w: conv2d(x, w, stride=2), IMAGES, KERNELS),
    "conv2d all pairs": (lambda x, w: conv2d(x, w, None, (2, 3), (1, 2)), *BOTH),
    "max_pool": (lambda x: max_pool(x, 2), DISTINCT),
    "max_pool padded": (lambda x: max_pool(x, (3, 2), (2, 1), (1, 0)), DISTINCT),
}


@pytest.mark.usefixtures("without_collector")
@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation(name):
    assert_right(*OPERATIONS[name])


STEPS_67 = [
    lambda a, b: exp(-(a * a)) + b,
    lambda a, b: log(a * a + 1),
    lambda a, b: softmax(a + b),
    lambda a, b: log_softmax(a, axis=0) / 3,
    lambda a, b: conv2d(a[None, None], b[None, None], padding=1).reshape(3, 3) / 4,
]


@few
@given(graphs(STEPS + STEPS_67))
def test_gradients_of_random_graphs(graph):
    assert graph_error(graph) < 1e-5


# --- Windows --------------------------------------------------------------------------

SIDE = st.integers(1, 3)
TWO = st.tuples(SIDE, SIDE)
PADDING = st.tuples(st.integers(0, 2), st.integers(0, 2))


def windows_of(x, kernel, stride, padding, fill=0.0):
    """Cut out each window of images, row by row and column by column."""
    around = [(p, p) for p in padding]
    x = np.pad(x, [(0, 0), (0, 0), *around], constant_values=fill)
    (kh, kw), (sh, sw) = kernel, stride
    rows = range(0, x.shape[2] - kh + 1, sh)
    columns = range(0, x.shape[3] - kw + 1, sw)
    return [[x[:, :, i : i + kh, j : j + kw] for j in columns] for i in rows]


@few
@given(TWO, TWO, PADDING)
def test_windows_of_every_geometry(kernel, stride, padding):
    x, w, b = uniform(2, 2, 4, 3), uniform(2, 2, *kernel, seed=1), uniform(2, seed=2)
    parts = windows_of(x, kernel, stride, padding)
    found = conv2d(Tensor(x), Tensor(w), Tensor(b), stride, padding).data
    right = np.einsum("ijnchw,ochw->noij", parts, w) + b[:, None, None]
    assert_close(found, right)
    convolve = lambda x, w, b: conv2d(x, w, b, stride, padding)
    assert gradient_error(convolve, x, w, b) < SMALL

    windows = Windows(kernel, stride, padding)
    rows = gather(x, windows)
    other = uniform(*rows.shape, seed=1)
    # Scattering is the transpose of gathering.
    there_and_back = (x * scatter(other, x.shape, windows)).sum()
    assert np.isclose((rows * other).sum(), there_and_back)

    padding = tuple(min(p, k - 1) for p, k in zip(padding, kernel, strict=True))
    x = distinct(2, 2, 4, 3)
    parts = windows_of(x, kernel, stride, padding, -np.inf)
    right = np.max(parts, axis=(4, 5)).transpose(2, 3, 0, 1)
    assert_equal(max_pool(Tensor(x), kernel, stride, padding).data, right)
    assert gradient_error(lambda x: max_pool(x, kernel, stride, padding), x) < SMALL
