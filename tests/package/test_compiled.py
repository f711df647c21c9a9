"""Compiled loops compute what the package computes: max pooling, Adam and the backward
pass of a convolution bit by bit, the rest up to rounding.
"""

import importlib.util

import numpy as np
import pytest

import dezero_lite.functions as F
from dezero_lite import Parameter, Variable, compiled
from dezero_lite.core.operators import Mul
from dezero_lite.functions.pool import Pooling
from dezero_lite.gradcheck import gradient_check
from dezero_lite.layers import Layer
from dezero_lite.optimizers import Adam, AdamW
from tests.support.arrays import assert_close
from tests.support.programs import python

FLOATS = np.float32, np.float64
ODD = np.array([-np.inf, -1.0, -0.0, 0.0, 1.0, 2.0, np.inf, np.nan])


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture(autouse=True)
def the_old_way():
    """Each test starts with the package's own functions, even if all tests run
    compiled.
    """
    now = {key: key[0].__dict__[key[1]] for key in compiled.COMPILED}
    compiled._swap(compiled.BEFORE)
    yield
    compiled._swap(now)


def both_ways(f, *arrays, gy=None):
    """Return the value of f and its gradients, without and with compiled loops."""
    pytest.importorskip("numba")

    def results():
        xs = [Variable(x.copy()) for x in arrays]
        y = f(*xs)
        y.grad = Variable(np.ones_like(y.data) if gy is None else gy(y.data))
        y.backward()
        return [y.data, *[x.grad.data for x in xs if x.grad is not None]]

    before = results()
    with compiled.use():
        return before, results()


def assert_same_bits(before, after):
    for one, other in zip(before, after, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
        numbers = ~np.isnan(one)
        np.testing.assert_array_equal(
            np.signbit(one)[numbers], np.signbit(other)[numbers]
        )


# --- the same bits --------------------------------------------------------------------

WINDOWS = [(2, 2, 0), (3, 2, 0), (3, 2, 1), (2, 2, 1), (3, 1, 1), (1, 2, 0)]
WINDOWS += [((2, 3), (1, 2), (1, 0)), ((3, 2), (3, 2), (0, 1)), ((2, 3), (4, 3), 0)]
WINDOWS += [(5, 3, 2)]


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_max_pooling_of_random_and_of_odd_numbers(rng, window, dtype):
    gy = lambda y: rng_of(y).standard_normal(y.shape).astype(y.dtype)
    rng_of = lambda y: np.random.default_rng(y.size)
    for _ in range(5):
        shape = *rng.integers(1, 4, 2), *rng.integers(5, 12, 2)
        normal = rng.standard_normal(shape)
        for x in (
            normal,
            normal.round(),
            rng.choice(ODD, shape),
            rng.choice(ODD[:4], shape),
        ):
            pool = lambda x: F.pooling(x, *window)
            assert_same_bits(*both_ways(pool, x.astype(dtype), gy=gy))


def test_max_pooling_where_all_is_low_or_a_tie():
    for x in (np.full((1, 1, 6, 6), -np.inf), np.zeros((1, 1, 6, 6))):
        for window in WINDOWS[:6]:
            before, after = both_ways(lambda x, w=window: F.pooling(x, *w), x)
            assert_same_bits(before, after)
            assert after[1].sum() > 0  # one of them has the gradient


def test_an_infinite_gradient_of_max_pooling(rng):
    x = rng.standard_normal((1, 1, 4, 4))
    before, after = both_ways(
        lambda x: F.pooling(x, 2, 2), x, gy=lambda y: np.full_like(y, -np.inf)
    )
    np.testing.assert_array_equal(before[1], after[1])


@pytest.mark.parametrize("optimizer", [Adam, AdamW, lambda: Adam(eps=0.0)])
@pytest.mark.parametrize("dtype", FLOATS)
def test_adam(rng, optimizer, dtype):
    pytest.importorskip("numba")
    start = rng.standard_normal((300, 301)).astype(dtype)
    grads = rng.standard_normal((4, 300, 301)).astype(dtype)
    grads[:, 0, :4] = -0.0, np.inf, np.nan, 1e-30

    def weights():
        layer = Layer()
        layer.w = Parameter(start.copy())
        stepper = optimizer().setup(layer)
        with np.errstate(all="ignore"):
            for grad in grads:
                layer.w.grad = Variable(grad.copy())
                stepper.update()
        return [layer.w.data, *stepper.state(layer.w).values()]

    before = weights()
    with compiled.use():
        assert_same_bits(before, weights())


@pytest.mark.parametrize("settings", [(1, 2), (2, 1), ((3, 2), (0, 1))])
@pytest.mark.parametrize(("groups", "dilation"), [(1, 1), (2, 1), (1, 2)])
def test_the_way_back_of_a_convolution(rng, settings, groups, dilation):
    x = rng.standard_normal((3, 2, 9, 10), np.float32)
    W = rng.standard_normal((12, 2 // groups, 3, 2), np.float32)
    conv = lambda x, W: F.conv2d(x, W, None, *settings, dilation, groups)
    assert_same_bits(*both_ways(conv, x, W))


def test_the_way_back_to_an_image_in_several_pieces(rng):
    x = rng.standard_normal((1, 64, 40, 40), np.float32)
    W = rng.standard_normal((130, 64, 3, 3), np.float32)
    assert_same_bits(*both_ways(F.conv2d, x, W))


# --- to rounding ----------------------------------------------------------------------


def assert_near(before, after):
    for one, other in zip(before, after, strict=True):
        assert one.dtype == other.dtype
        rtol = 1e-5 if one.dtype == np.float32 else 1e-12
        assert_close(one, other, rtol=rtol, atol=rtol * np.abs(one).max(initial=1))


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_product_with_a_row_or_a_column(rng, dtype):
    for _ in range(5):
        rows, columns = rng.integers(2, 700), rng.integers(2, 40)
        x = rng.standard_normal((rows, columns)).astype(dtype)
        for shape in [(columns,), (1, columns), (rows, 1)]:
            thin = rng.standard_normal(shape).astype(dtype)
            for f in (lambda x, y: x * y, lambda x, y: y * x):
                assert_near(*both_ways(lambda x, y, f=f: F.sum(f(x, y) ** 2), x, thin))
                assert_near(*both_ways(lambda x, y, f=f: F.sum(f(x, y)), x, thin))


def test_two_dtypes_keep_the_digits_of_the_larger(rng):
    x, row = rng.standard_normal((5, 4)).astype(np.float32), rng.standard_normal(4)
    assert_near(*both_ways(lambda x, row: x * row * row, x, row))
    assert_near(*both_ways(F.layer_norm, x, row, row))


@pytest.mark.parametrize("shape", [(3, 4, 5), (2, 1, 3), (0, 3, 2)])
def test_a_product_with_other_shapes(rng, shape):
    x = rng.standard_normal(shape)
    for other in [(shape[2],), (1, 1, shape[2]), shape[1:], (*shape[:2], 1), (1,), ()]:
        y = rng.standard_normal(other)
        assert_near(*both_ways(lambda x, y: x * y * x, x, y))


def test_the_sum_down_many_rows_is_right(rng):
    x = rng.random((60_000, 3), np.float32)
    with_row = lambda x, row: F.sum(x * row)
    _, after = both_ways(with_row, x, np.ones(3, np.float32))
    assert_close(after[2], x.astype(float).sum(0), rtol=1e-7)


@pytest.mark.parametrize("dtype", FLOATS)
def test_layer_norm(rng, dtype):
    gy = lambda y: np.random.default_rng(1).standard_normal(y.shape).astype(y.dtype)
    for shape, last in [
        ((7, 48), 1),
        ((2, 3, 5), 1),
        ((2, 3, 5), 2),
        ((1, 1), 1),
        ((0, 3), 1),
    ]:
        x = 3 + rng.standard_normal(shape).astype(dtype)
        gamma, beta = rng.standard_normal((2, *shape[-last:])).astype(dtype)
        assert_near(*both_ways(F.layer_norm, x, gamma, beta, gy=gy))
    assert_near(*both_ways(lambda g, b: F.layer_norm(x, g, b), gamma, beta, gy=gy))


@pytest.mark.parametrize("dtype", FLOATS)
def test_softmax_cross_entropy(rng, dtype):
    for n, classes in [(1, 1), (5, 3), (100, 10), (10, 400)]:
        x = (10 * rng.standard_normal((n, classes))).astype(dtype)
        for t in (rng.integers(classes, size=n), rng.integers(classes, size=(n, 1))):
            loss = lambda x, t=t: F.softmax_cross_entropy(x, t.astype(np.uint16))
            assert_near(*both_ways(loss, x, gy=lambda y: np.full_like(y, 3)))


def test_softmax_cross_entropy_of_scores_that_are_far_apart():
    x = np.array([[0.0, 10_000.0], [-np.inf, 0.0]])
    t = np.array([0, 1])
    before, after = both_ways(lambda x: F.softmax_cross_entropy(x, t), x)
    assert_near(before, after)


# --- what the kernels get, and what not -----------------------------------------------


def refuse(name):
    raise LookupError(name)


class Refuses:
    """Replace the kernels."""

    def __getattr__(self, name):
        refuse(name)


@pytest.fixture
def kernels_refuse(monkeypatch):
    pytest.importorskip("numba")
    with compiled.use():
        monkeypatch.setattr(compiled, "kernels", Refuses())
        yield


def run(f, *arrays):
    xs = [Variable(x) for x in arrays]
    F.sum(f(*xs)).backward()
    return xs


IMAGE, ROW = np.arange(16.0).reshape(1, 1, 4, 4), np.ones(4)
KERNELS = {
    "find_places": lambda: run(lambda x: F.pooling(x, 2), IMAGE),
    "spread": lambda: run(lambda x: F.pooling(x, 2, 2), IMAGE),
    "add_up": lambda: run(lambda x: F.pooling(x, 2, 1), IMAGE),
    "sum_of_rows": lambda: run(lambda row: IMAGE * row, ROW),
    "sum_of_columns": lambda: run(lambda x: x * IMAGE, np.ones((1, 1, 4, 1))),
    "layer_norm": lambda: F.layer_norm(IMAGE, ROW, ROW),
    "layer_norm_back": lambda: run(lambda x: F.layer_norm(x, ROW, ROW) * IMAGE, IMAGE),
    "cross_entropy": lambda: F.softmax_cross_entropy(np.eye(4), np.arange(4)),
    "cross_entropy_back": lambda: run(
        lambda x: F.softmax_cross_entropy(x, np.arange(4)), np.eye(4)
    ),
    "add_columns": lambda: run(
        lambda x: F.conv2d(x, np.ones((9, 1, 2, 2)), stride=2), IMAGE
    ),
}


@pytest.mark.parametrize("name", KERNELS)
def test_what_is_plain_goes_to_a_kernel(monkeypatch, name):
    pytest.importorskip("numba")
    with compiled.use():
        monkeypatch.setattr(compiled.kernels, name, lambda *_: refuse(name))
        with pytest.raises(LookupError, match=f"^'?{name}'?$"):
            KERNELS[name]()


def test_max_pooling_searches_for_no_place_before_backward(kernels_refuse):
    F.pooling(Variable(IMAGE), 2)


def test_all_else_goes_the_old_way(kernels_refuse):
    for x in (IMAGE.astype(np.float16), np.asfortranarray(IMAGE), IMAGE[..., ::-1]):
        run(lambda x: F.pooling(x, 2, 2), x)
        run(lambda x: F.layer_norm(x, x.data[0, 0, 0], x.data[0, 0, 0]), x)
        run(lambda x: F.softmax_cross_entropy(x[0, 0], np.arange(4)) * 1, x.T.copy().T)
    run(lambda x: F.pooling(x, 2, 2), read_only(IMAGE))
    run(lambda x: F.pooling(x, 12, 12), np.ones((1, 1, 12, 12)))
    run(lambda x, y: x * y, IMAGE, IMAGE)
    run(lambda x, y: x * y, np.float32(IMAGE), np.float64(1))
    run(lambda x: F.softmax_cross_entropy(x, np.arange(3)), np.zeros((3, 5_000)))


def test_double_backprop_is_right(rng):
    pytest.importorskip("numba")
    row, t = rng.standard_normal(4), np.array([0, 3, 1, 2])
    with compiled.use():
        gradient_check(lambda x: F.pooling(x, 3, 1, 1), IMAGE)
        gradient_check(F.layer_norm, rng.standard_normal((3, 4)), row, row)
        gradient_check(lambda x: F.softmax_cross_entropy(x, t), rng.random((4, 4)))
        gradient_check(lambda x, y: x * y, rng.random((4, 4)), row)
        gradient_check(
            lambda x, W: F.conv2d(x, W, stride=2), IMAGE, rng.random((3, 1, 2, 2))
        )


# --- sizes that do not fit each other -------------------------------------------------


def read_only(x):
    x = x.copy()
    x.flags.writeable = False
    return x


@pytest.fixture
def both_outcomes(monkeypatch):
    """Return the results of a call, without kernels and with the kernels as plain
    Python, where an index out of range is an error.
    """
    numba = pytest.importorskip("numba")
    compiled.use()
    source = importlib.util.find_spec(compiled.kernels.__name__)
    plain = importlib.util.module_from_spec(source)
    with monkeypatch.context() as patch:
        patch.setattr(numba.config, "DISABLE_JIT", True)
        source.loader.exec_module(plain)
    monkeypatch.setattr(compiled, "kernels", plain)

    def outcome(call):
        with np.errstate(all="ignore"):
            try:
                return call()
            except Exception as error:
                return error

    def both(call):
        compiled._swap(compiled.BEFORE)
        before = outcome(call)
        compiled._swap(compiled.COMPILED)
        return before, outcome(call)

    return both


def assert_same(before, after):
    if isinstance(before, Exception):
        # An IndexError of a kernel would be an access to other memory.
        assert type(after) is ValueError or repr(after) == repr(before)
    else:
        assert_near(before, after)


def other_shapes(shape):
    """Make every axis longer, shorter, missing and doubled."""
    for i, n in enumerate(shape):
        for lengths in ((n + 1,), (n - 1,), (), (n, n)):
            yield *shape[:i], *lengths, *shape[i + 1 :]


CALLS = {
    "pooling without overlap": (lambda x: F.pooling(x, 2, 2), (2, 3, 4, 5)),
    "pooling with overlap": (lambda x: F.pooling(x, 3, 2, 1), (2, 3, 4, 5)),
    "conv2d": (lambda x, W: F.conv2d(x, W, None, 2), (2, 1, 4, 5), (9, 1, 2, 3)),
    "a row": (lambda x, row: x * row, (3, 4), (4,)),
    "a column": (lambda x, column: x * column, (3, 4), (3, 1)),
    "layer_norm": (F.layer_norm, (2, 3, 4), (3, 4), (3, 4)),
    "cross entropy": (
        lambda x: F.softmax_cross_entropy(x, np.array([0, 2, 1])),
        (3, 4),
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_data_that_changes_its_shape_before_backward(both_outcomes, rng, name):
    f, *shapes = CALLS[name]
    arrays = [rng.standard_normal(shape) for shape in shapes]

    def changed(k, shape):
        xs = [Variable(x.copy()) for x in arrays]
        y = f(*xs)
        xs[k].data = np.resize(arrays[k], shape)
        y.backward()
        return [x.grad.data for x in xs]

    for k, x in enumerate(arrays):
        for shape in [x.shape, *other_shapes(x.shape)]:
            assert_same(*both_outcomes(lambda k=k, s=shape: changed(k, s)))


def steps_of_adam(change):
    layer = Layer()
    layer.w = Parameter(np.ones((2, 3)))
    layer.w.grad = Variable(np.ones((2, 3)))
    optimizer = Adam().setup(layer)
    optimizer.update()
    change(layer.w)
    optimizer.update()
    return [layer.w.data, *optimizer.state(layer.w).values()]


@pytest.mark.parametrize("shape", [(2, 3), *other_shapes((2, 3))])
def test_a_parameter_that_changes_its_shape_between_updates(both_outcomes, shape):
    def change(w):
        w.data = w.grad.data = np.ones(shape)

    assert_same(*both_outcomes(lambda: steps_of_adam(change)))


def test_read_only_data_of_a_parameter():
    pytest.importorskip("numba")
    with compiled.use(), pytest.raises(ValueError, match="array is read-only"):
        steps_of_adam(lambda w: setattr(w, "data", read_only(w.data)))


# --- on and off -----------------------------------------------------------------------


def test_use_ends_and_gives_back_what_was_there():
    pytest.importorskip("numba")
    methods = lambda: (Pooling.vjp, Mul.vjp_left, Adam.update_one)
    before = methods()
    with compiled.use():
        inside = methods()
        assert not set(before) & set(inside)
        with compiled.use():
            pass
        assert methods() == inside
    assert methods() == before
    compiled.use()
    assert methods() == inside


def test_pooling_begun_before_and_ended_after(rng):
    pytest.importorskip("numba")
    x = Variable(rng.standard_normal((1, 1, 4, 4)))
    y = F.pooling(x, 2)
    with compiled.use():
        y.backward()
        later = F.pooling(x, 2)
    first = x.grad.data
    x.cleargrad()
    later.backward()
    np.testing.assert_array_equal(first, x.grad.data)


def test_without_numba_one_sentence_and_all_else_works():
    program = """
import sys
sys.modules["numba"] = None
import numpy as np
from dezero_lite import compiled, functions
try:
    compiled.use()
except ImportError as error:
    print(error)
print(functions.pooling(np.ones((1, 1, 2, 2)), 2))
"""
    error, result = python("-c", program).stdout.splitlines()
    assert error.startswith("compiled.use() needs Numba, unlike the rest of")
    assert "pip install numba" in error
    assert result == "variable([[[[1.]]]])"


def test_importing_it_does_not_import_numba():
    program = "import sys, dezero_lite.compiled; sys.exit('numba' in sys.modules)"
    assert python("-c", program).returncode == 0
