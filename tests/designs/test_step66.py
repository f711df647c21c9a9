"""Step 66: tensors whose edges carry the rule. Every gradient is compared with finite
differences, and every fixed fault has a test.
"""

import gc
import operator
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from steps import step66
from steps.step66 import Tensor, computed, gradient_error, matmul
from tests.support.arrays import assert_close, distinct, uniform
from tests.support.tensors import (
    SMALL,
    STEPS,
    assert_right,
    behind,
    graph_error,
    graphs,
    leaf,
)

few = settings(max_examples=40, deadline=None)

# --- Gradients ------------------------------------------------------------------------

A, B, C = uniform(2, 3), uniform(2, 3, seed=1), uniform(3, 4, seed=2)
DRIFT = uniform(2, 3, 4)

OPERATIONS = {
    "a + b": (lambda a, b: a + b, A, B),
    "a - b": (lambda a, b: a - b, A, B),
    "a * b": (lambda a, b: a * b, A, B),
    "a / b": (lambda a, b: a / b, A, B),
    "-a": (lambda a: -a, A),
    "2 - a": (lambda a: 2 - a, A),
    "2 / a": (lambda a: 2 / a, A),
    "a + array": (lambda a: np.ones(3) + a * np.full((2, 1), 3.0), A),
    "a used twice": (lambda a: a * a + a, A),
    "reshape": (lambda a: a.reshape(3, 2) * B.reshape(3, 2), A),
    "reshape by tuple": (lambda a: a.reshape((6,)), A),
    "transpose": (lambda a: a.T @ Tensor(B), A),
    "transpose axes": (lambda a: a.transpose(2, 0, 1), DRIFT),
    "transpose negative axes": (lambda a: a.transpose((-1, 0, -2)), DRIFT),
    "sum": (lambda a: a.sum(), A),
    "sum axis": (lambda a: a.sum(axis=1), DRIFT),
    "sum last axis": (lambda a: a.sum(-1, keepdims=True), DRIFT),
    "sum axes": (lambda a: a.sum((0, -1)), DRIFT),
    "mean": (lambda a: a.mean(), A),
    "mean axes": (lambda a: a.mean((0, -1), keepdims=True), DRIFT),
    "max": (lambda a: a.max(), distinct(3, 4)),
    "max axis": (lambda a: a.max(-2), distinct(2, 3, 4)),
    "max axes": (lambda a: a.max((0, -1), keepdims=True), distinct(2, 3, 4)),
    "a ** 3": (lambda a: a**3, A),
    "a ** -1.5": (lambda a: a**-1.5, A),
    "matmul": (lambda a, b: a @ b, A, C),
    "where it is positive": (lambda a: a * (a > 0), distinct(3, 4)),
}


# These compute with a float64 array as the other operand.
WIDENED = {"a + array", "reshape", "transpose"}


@pytest.mark.usefixtures("without_collector")
@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation(name):
    assert_right(*OPERATIONS[name], widens=name in WIDENED)


PARTS = [1, -1, (1, 2), slice(None, None, -2), (..., slice(1, 3)), (None, 0), ()]
PICKS = [[0, 0, 2], ([0, 0, 2], [1, 1, 3]), (slice(None), [3, 3, 0]), Tensor([2, 2])]


@pytest.mark.parametrize("index", [*PARTS, *PICKS, np.array([True, False, True])])
def test_gradient_of_an_index(index):
    assert gradient_error(lambda a: a[index] * 2, uniform(3, 4)) < SMALL


@few
@given(
    hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3),
    st.sampled_from(["+", "-", "*", "/"]),
)
def test_gradients_of_broadcast_operands(shapes, sign):
    a_shape, b_shape = shapes.input_shapes
    f = {"+": step66.add, "-": step66.sub, "*": step66.mul, "/": step66.div}[sign]
    assert gradient_error(f, uniform(*a_shape), uniform(*b_shape, seed=1)) < SMALL


MATRICES = {"signature": np.matmul.signature, "max_dims": 2, "max_side": 3}


@few
@given(hnp.mutually_broadcastable_shapes(**MATRICES))
def test_products_of_all_shapes(shapes):
    a, b = (uniform(*shape, seed=i) for i, shape in enumerate(shapes.input_shapes))
    assert_close(matmul(Tensor(a), Tensor(b)).data, a @ b)
    assert matmul(Tensor(a), Tensor(b)).shape == np.shape(a @ b)
    assert gradient_error(matmul, a, b) < SMALL


@few
@given(graphs(STEPS))
def test_gradients_of_random_graphs(graph):
    assert graph_error(graph) < 1e-5


# --- The faults of the textbook form --------------------------------------------------


def add_rows(a, b):
    return computed(a.data + b.data, (a, lambda g: g), (b, lambda g: g[0]))


@pytest.mark.parametrize(
    ("wrong", "arrays"),
    [
        (add_rows, (A, B[0])),
        (lambda a: computed(np.exp(a.data), (a, lambda g: g * 0)), (A,)),
        (lambda a: computed(np.exp(a.data), (a, lambda g: g * np.nan)), (A,)),
        (lambda a: computed(a.data.T, (a, lambda g: g.T[::-1])), (A,)),
        (lambda a: computed(np.log(a.data), (a, lambda g: g / (a.data + 1e-3))), (A,)),
    ],
)
def test_the_check_sees_a_wrong_rule(wrong, arrays):
    assert not gradient_error(wrong, *arrays) < SMALL


# --- Memory ---------------------------------------------------------------------------


@pytest.mark.usefixtures("without_collector")
def test_constants_are_not_kept():
    x, constant = leaf(A), Tensor(B)
    y = (x * constant + constant) * Tensor(2.0)
    assert not (constant * 2 + 1).edges
    assert not (constant * 2).requires_grad
    assert all(tensor.requires_grad for tensor in behind(y))
    gone = weakref.ref(constant)
    del constant
    assert gone() is None


def test_chains_are_freed_in_several_threads():
    gone = []

    def work(_):
        y = leaf(1.0)
        for _ in range(500):
            y = y + 1
            gone.append(weakref.ref(y))
        del y

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert len(gone) == 2000
    assert not any(ref() for ref in gone)


# --- Tensors --------------------------------------------------------------------------


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
def test_a_tensor_that_could_not_be_made_goes_in_silence():
    with pytest.raises(TypeError):
        Tensor([1.0], typo=True)
    gc.collect()


def test_comparisons_give_arrays():
    x, two = Tensor([1.0, 2.0, 3.0]), Tensor([2.0, 2.0, 2.0])
    for other in (two, 2.0, two.data):
        for name, right in (
            ("lt", [True, False, False]),
            ("le", [True, True, False]),
            ("gt", [False, False, True]),
            ("ge", [False, True, True]),
            ("eq", [False, True, False]),
            ("ne", [True, False, True]),
        ):
            found = getattr(operator, name)(x, other)
            assert type(found) is np.ndarray
            assert found.tolist() == right
    assert (two.data > x).tolist() == [True, False, False]
    assert x in {x}, "a tensor can be a key, by identity"
    assert bool(Tensor(0.0)) is False
