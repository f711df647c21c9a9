"""The core: operators, gradients of any order, memory, scheduling, settings and
errors.
"""

import copy
import operator
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dezero_lite import Config, Function, Variable, core, no_grad
from dezero_lite.core import Add, Primitive, arrays, backward, broadcast_to, sum_to
from tests.support.arrays import assert_close, assert_equal, uniform
from tests.support.function_checks import check_function
from tests.support.memory_checks import at_most
from tests.support.programs import python

OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul}
OPERATORS |= {"/": operator.truediv, "**": operator.pow}
operators = pytest.mark.parametrize("sign", OPERATORS)


def var(*numbers, dtype=float, name=None):
    return Variable(
        np.array(numbers[0] if len(numbers) == 1 else numbers, dtype=dtype), name
    )


def made(**parts):
    """Make a function from these methods."""
    return type("Made", (Function if "backward" in parts else Primitive,), parts)


class Square(Function):
    """A function as the book writes it."""

    def forward(self, x):
        return x**2

    def backward(self, gy):
        (x,) = self.inputs
        return 2 * x * gy


class Exp(Primitive):
    def forward(self, x):
        return np.exp(x)

    def vjp(self, xs, gy):
        return gy * self.output(0, like=gy)


class SumAndDifference(Function):
    def forward(self, a, b):
        return a + b, a - b

    def backward(self, gs, gd):
        return gs + gd, gs - gd


class Twins(Primitive):
    """A function with two outputs, whose rule needs the second one."""

    def forward(self, x):
        return x + 1, x * x

    def vjp(self, xs, g0, g1):
        return g0 + g1 * (self.output(1, like=g1) / xs[0]) * 2


class Returns(Function):
    """A function whose backward returns the given value."""

    def __init__(self, *gradients):
        self.gradients = gradients

    def forward(self, *xs):
        return xs[0] * 1.0

    def backward(self, gy):
        return self.gradients if len(self.gradients) != 1 else self.gradients[0]


# --- operators ------------------------------------------------------------------------


OTHERS = [2.0, 2, np.array([2.0, 3.0]), np.array(2.0), np.float64(2), np.float32(2)]


@operators
@pytest.mark.parametrize("other", OTHERS)
def test_numbers_and_arrays_on_either_side(sign, other):
    op = OPERATORS[sign]
    x = var([1.5, 0.5])
    for f in (lambda a: op(a, other), lambda a: op(other, a)):
        y = f(x)
        assert isinstance(y, Variable)
        np.testing.assert_array_equal(y.data, f(x.data))
        y.backward()
        assert x.grad.shape == x.shape


@operators
@pytest.mark.parametrize("shape", [(), (2,)])
def test_operators_are_right_to_the_second_order_and_keep_float32(sign, shape):
    op = OPERATORS[sign]
    a, b = uniform(*shape), uniform(*shape, seed=1)
    check_function(op, a, b)
    check_function(lambda x: op(x, 2.0), a)
    check_function(lambda x: op(2, x), a)
    check_function(lambda x: -x, a)


@operators
@pytest.mark.parametrize("create_graph", [False, True])
def test_a_gradient_has_the_dtype_of_its_variable(sign, create_graph):
    a, b = var(1.0, 1.0, dtype=np.float32), var(1.0, 1.0)
    half = a * 2
    y = OPERATORS[sign](half, b)
    assert y.dtype == np.float64
    y.backward(retain_grad=True, create_graph=create_graph)
    dtypes = [v.grad.dtype for v in (a, half, b)]
    assert dtypes == [np.float32, np.float32, np.float64]


shapes = hnp.mutually_broadcastable_shapes(
    num_shapes=2, min_dims=0, max_dims=3, min_side=0, max_side=3
)


@operators
@settings(deadline=None)
@given(shapes=shapes, create_graph=st.booleans(), seed=st.integers(0, 9))
def test_gradients_of_broadcast_operands(sign, shapes, create_graph, seed):
    rng = np.random.default_rng(seed)
    a, b = [Variable(rng.uniform(0.5, 1.5, shape)) for shape in shapes.input_shapes]
    y = OPERATORS[sign](a, b)
    assert y.shape == shapes.result_shape
    weights = rng.normal(size=y.shape)
    y.grad = Variable(np.array(weights))
    y.backward(create_graph=create_graph)

    full_a, full_b = np.broadcast_arrays(a.data, b.data)
    slopes = {
        "+": (1.0, 1.0),
        "-": (1.0, -1.0),
        "*": (full_b, full_a),
        "/": (1 / full_b, -full_a / full_b**2),
        "**": (full_b * full_a ** (full_b - 1), full_a**full_b * np.log(full_a)),
    }[sign]
    for x, slope in zip((a, b), slopes, strict=True):
        full = np.array(weights * slope)
        expected = np.zeros(x.shape)
        # Every element of the result adds to the element from which it was broadcast.
        source = np.broadcast_to(np.arange(x.size).reshape(x.shape), y.shape)
        np.add.at(expected.reshape(-1), source.reshape(-1), full.reshape(-1))
        assert type(x.grad.data) is np.ndarray
        assert x.grad.shape == x.shape
        np.testing.assert_allclose(x.grad.data, expected, rtol=1e-12, atol=1e-12)


@settings(deadline=None)
@given(shapes=shapes)
def test_sum_to_and_broadcast_to_are_each_others_gradients(shapes):
    small, full = shapes.input_shapes[0], shapes.result_shape
    x, z = Variable(np.full(small, 2.0)), Variable(np.full(full, 2.0))
    y = broadcast_to(x, full)
    assert y.shape == full
    if small != full:
        y.backward()
        np.testing.assert_array_equal(x.grad.data, sum_to(np.ones(full), small).data)
        s = sum_to(z, small)
        assert s.shape == small
        s.backward()
        np.testing.assert_array_equal(z.grad.data, np.ones(full))
        assert z.grad.data.flags.writeable
    else:
        assert sum_to(z, full) is z
        assert y is x


@pytest.mark.parametrize(
    ("shape", "to"), [((10**6, 3), (3,)), ((2, 10**6, 2), (2, 1, 2))]
)
def test_sums_over_a_million_rows_of_float32_are_right(shape, to):
    tenth = np.full(shape, np.float32(0.1))
    exact = 1e6 * float(np.float32(0.1))
    assert_close(sum_to(tenth, to).data, exact)
    b = Variable(np.zeros(to, np.float32))
    y = Variable(tenth) + b
    y.grad = Variable(tenth)
    y.backward()
    assert_close(b.grad.data, exact)


# --- functions in the book's style ----------------------------------------------------


@pytest.mark.parametrize("create_graph", [False, True])
def test_a_backward_in_the_books_style_records_on_request_only(create_graph):
    recorded = []

    class Spy(Square):
        def backward(self, gy):
            gx = super().backward(gy)
            recorded.append(gx.creator is not None)
            return gx

    x = var(3.0)
    Spy()(x).backward(create_graph=create_graph)
    assert recorded == [create_graph]
    assert isinstance(x.grad, Variable)
    assert (x.grad.creator is not None) == create_graph
    x.cleargrad()
    (x**2).backward(create_graph=create_graph)
    assert (x.grad.creator is not None) == create_graph


def test_a_book_style_function_sees_variables_and_keeps_dtypes():
    seen = []

    def backward(self, gy):
        x, c = self.inputs
        seen.extend([x, c, gy])
        return gy * c, gy * x

    scale = made(forward=lambda self, x, c: x * c, backward=backward)
    x = var([1.0, 2.0], dtype=np.float32)
    for constant in (2.0, np.array([1, 2])):
        scale()(x, constant).backward()
    assert all(isinstance(v, Variable) for v in seen)
    assert scale()(x, 2.0).dtype == np.float32
    assert x.grad.data.tolist() == [3, 4]


@pytest.mark.parametrize("dropped", [False, True])
@pytest.mark.parametrize("create_graph", [False, True])
def test_an_unused_output_counts_as_zero(dropped, create_graph):
    a, b = var([3.0, 1.0]), var([2.0, 1.0])
    s, d = SumAndDifference()(a, b)
    (s * d).backward()
    assert (a.grad.data.tolist(), b.grad.data.tolist()) == ([6, 2], [-4, -2])
    for x in (a, b):
        x.cleargrad()
    if dropped:
        del s
    (d * 2).backward(create_graph=create_graph)
    assert (a.grad.data.tolist(), b.grad.data.tolist()) == ([2, 2], [-2, -2])


# --- memory ---------------------------------------------------------------------------


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize(
    "f",
    [
        lambda a, b: a + b,
        lambda a, b: (a + b) + (a + b),
        lambda a, b: (a + b) * 1 + (b - a),
        lambda a, b: broadcast_to(a + b, (2, 3)),
        lambda a, b: sum_to(a + b, (1,)),
        lambda a, b: a * b,
    ],
)
@pytest.mark.parametrize("seeded", [True, False])
def test_gradients_share_memory_with_nothing(f, create_graph, seeded, monkeypatch):
    monkeypatch.setattr(arrays, "LARGE", 0)
    a, b = var([1.0, 2.0, 3.0]), var([4.0, 5.0, 6.0])
    y, seed = f(a, b), None
    if seeded:
        y.grad = seed = Variable(np.ones(y.shape))
    y.backward(retain_grad=True, create_graph=create_graph)
    gradients = [a.grad, b.grad, y.grad, seed]
    found = [v.data for v in (a, b, y, *gradients) if v is not None]
    for i, array in enumerate(found):
        assert array.flags.writeable or array is y.data
        for other in found[:i]:
            assert not np.shares_memory(array, other)
    a.cleargrad()
    b.cleargrad()


def test_the_first_gradient_of_a_large_result_takes_no_memory():
    x = Variable(np.zeros(1_000_000))
    y = x + 1
    with at_most(1.5 * x.data.nbytes):
        y.backward()
    assert_equal(x.grad.data, np.ones(1_000_000))


HANDS_ON = {
    "one array twice": lambda self, xs, gy: (gy * 2,) * 2,
    "two views of one": lambda self, xs, gy: ((gy * 2)[::-1],) * 2,
    "an array and a view of it": lambda self, xs, gy: (gx := gy * 2, gx[:]),
    "its inputs": lambda self, xs, gy: xs,
}


@pytest.mark.parametrize("kind", HANDS_ON)
def test_a_rule_may_hand_on_what_it_has(kind):
    a, b = var([1.0, 2.0]), var([3.0, 4.0])
    made(forward=lambda self, a, b: a + b, vjp=HANDS_ON[kind])()(a, b).backward()
    others = [a.data, b.data, b.grad.data]
    before = [other.copy() for other in others]
    a.grad.data *= 100
    for other, like in zip(others, before, strict=True):
        assert other.tolist() == like.tolist()
    kept = var([1.0, 1.0])
    Returns(kept)(a).backward()
    a.grad.data *= 100
    assert kept.data.tolist() == [1, 1]


# --- size -----------------------------------------------------------------------------

LONG_CHAIN = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (2 * 1024**3, 2 * 1024**3))
import threading
# A small stack, so that recursion would show; CPython 3.13 needs more than half of it
# to take a chain apart.
threading.stack_size(1024 * 1024)
import gc
import weakref
import numpy as np
from dezero_lite import Variable

def work():
    gc.disable()
    y = x + 1.0
    first = weakref.ref(y.creator)
    for _ in range(200_000 - 1):
        y = y + 1.0
    y.backward()
    assert x.grad.item() == 1.0
    STEP
    del y
    assert first() is None
    print("done")

x = Variable(np.array(1.0))
thread = threading.Thread(target=work)
thread.start()
thread.join()
"""


UNCHAIN = "y.unchain_backward(); assert y.creator.inputs[0].creator is None"


@pytest.mark.slow
@pytest.mark.parametrize("step", ["pass", UNCHAIN], ids=["freed", "unchained"])
def test_a_long_chain_needs_no_recursion(step):
    program = LONG_CHAIN.replace("STEP", step)
    done = python("-c", program, timeout=300)
    assert (done.stdout, done.stderr[-2000:]) == ("done\n", "")


class Counted(int):
    """A generation that counts how often it is compared."""

    comparisons = 0

    def __neg__(self):
        return Counted(-int(self))

    def __lt__(self, other):
        Counted.comparisons += 1
        return int(self) < int(other)

    def __eq__(self, other):
        Counted.comparisons += 1
        return int(self) == int(other)

    __hash__ = int.__hash__


def comparisons_for(width):
    x = var(1.0)
    branches = [x * float(i) for i in range(width)]
    functions = [y.creator for y in branches]
    while len(branches) > 1:
        branches = [a + b for a, b in zip(branches[::2], branches[1::2], strict=True)]
        functions += [y.creator for y in branches]
    for f in functions:
        f.generation = Counted(f.generation)
    Counted.comparisons = 0
    branches[0].backward()
    assert x.grad.item() == width * (width - 1) / 2
    return Counted.comparisons


def test_wide_graphs_cost_n_log_n():
    narrow, wide = comparisons_for(256), comparisons_for(4096)
    # Sixteen times wider: n log n takes 24 times as many, n² 256 times.
    assert wide < 40 * narrow


# --- settings -------------------------------------------------------------------------


def test_settings_return_after_an_exception():
    seen = []

    def fail():
        with no_grad(), core.test_mode():
            seen.append((Config.enable_backprop, Config.train))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert seen == [(False, False)]
    assert (Config.enable_backprop, Config.train) == (True, True)


def test_threads_have_their_own_settings():
    creator = lambda: (var(1.0) * 2).creator
    with no_grad(), ThreadPoolExecutor(1) as pool:
        assert pool.submit(creator).result() is not None
        assert creator() is None


ONES = var([1.0, 1.0])


@pytest.mark.parametrize("create_graph", [False, True])
def test_gradients_that_a_books_backward_leaves_out_are_none(create_graph):
    for returned, seen in [((None, ONES), [0, 1]), ((ONES, None), [1, 0])]:
        a, b = var([1.0, 2.0]), var([1.0, 2.0])
        Returns(*returned)(a, b).backward(create_graph=create_graph)
        for x, number in zip((a, b), seen, strict=True):
            assert x.grad is None if not number else x.grad.data.tolist() == [1, 1]
    # Only labels and constants may be left out.
    a, labels = var([1.0, 2.0]), Variable(np.array([0, 1]))
    Returns(ONES)(a, labels).backward(create_graph=create_graph)
    assert a.grad.data.tolist() == [1, 1]
    with pytest.raises(ValueError, match="returned 1 gradients, but Returns has 2"):
        Returns(ONES)(a, var([1.0, 2.0])).backward(create_graph=create_graph)


# --- the package ----------------------------------------------------------------------


def test_many_leaves_of_one_function_take_work_in_proportion(monkeypatch):
    total = made(
        forward=lambda self, *xs: np.sum(xs, axis=0),
        vjp=lambda self, xs, gy: tuple([gy * 1.0 for _ in xs]),
    )
    asked, n = [], 500
    noted = lambda array: asked.append(array) or arrays.owner(array)
    monkeypatch.setattr(backward, "owner", noted)
    total()(*[var([1.0, 2.0]) for _ in range(n)]).backward()
    assert n <= len(asked) <= 4 * n


# --- mistakes, and what is said -------------------------------------------------------


@pytest.mark.parametrize("kind", [Square, Exp])
def test_a_function_remembers_one_call_only(kind):
    f, x = kind(), var(0.5)
    with no_grad():
        assert f(var(0.0)).item() == f(var(0.0)).item()
    y = f(x)
    with pytest.raises(RuntimeError, match=rf"was called before.*{kind.__name__}\("):
        f(y)
    y.backward()
    assert x.grad is not None


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("f", [lambda x: x**2 * 1.0, lambda x: Square()(x)])
def test_derivatives_are_taken_at_the_data_of_the_time_of_backward(f, create_graph):
    x = var([1.0, 2.0])
    y = f(x)
    x.data = np.array([10.0, 20.0])
    y.backward(create_graph=create_graph)
    assert x.grad.data.tolist() == [20, 40]


@pytest.mark.slow
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_result_is_copied_after_detach(copied):
    y = var(2.0) * 3
    with pytest.raises(TypeError, match=r"use its array, x\.data"):
        copied(y)
    for _ in range(100_000):
        y = y * 1.0
    with pytest.raises(TypeError, match=r"use its array, x\.data"):
        copied(y)
    copied(y.detach())


OWN_SLOPES = {
    "vjp": lambda self, xs, gy: (10 * gy, 100 * gy),
    "backward": lambda self, gy: (10 * gy * self.inputs[1], 100 * gy),
}


@pytest.mark.parametrize("rule", OWN_SLOPES)
@pytest.mark.parametrize("create_graph", [False, True])
def test_a_subclass_has_its_own_slope(rule, create_graph):
    steeper = type("Steeper", (Add,), {rule: OWN_SLOPES[rule]})
    x, y = var(0.0), var(1.0)
    steeper()(x, y).backward(create_graph=create_graph)
    assert (x.grad.data, y.grad.data) == (10.0, 100.0)
    x.cleargrad()
    steeper()(x, 1.0).backward(create_graph=create_graph)
    assert x.grad.data == 10.0
