import copy
import inspect
import math
import re

import numpy as np
import pytest

from dezero_lite import Parameter, Variable
from dezero_lite import functions as F
from dezero_lite.layers import Layer, Linear
from dezero_lite.models import MLP, Sequential
from dezero_lite.optimizers import (
    SGD,
    AdaDelta,
    AdaGrad,
    Adam,
    AdamW,
    ClipGrad,
    MomentumSGD,
    WeightDecay,
)
from dezero_lite.optimizers.optimizer import CHUNK_SIZE
from dezero_lite.random import manual_seed
from tests.support.arrays import assert_close, assert_equal, normal
from tests.support.gpu import cupy
from tests.support.training import train_step

# --- formulas, one number at a time ---------------------------------------------------


def sgd(x, g, state, t):
    return x - 0.1 * g


def momentum(x, g, state, t):
    state["v"] = 0.9 * state.get("v", 0) - 0.1 * g
    return x + state["v"]


def adagrad(x, g, state, t):
    state["h"] = state.get("h", 0) + g**2
    return x - 0.1 * g / (math.sqrt(state["h"]) + 1e-8)


def adadelta(x, g, state, t):
    state["g2"] = 0.95 * state.get("g2", 0) + 0.05 * g**2
    dx = math.sqrt(state.get("dx2", 0) + 1e-6) / math.sqrt(state["g2"] + 1e-6) * g
    state["dx2"] = 0.95 * state.get("dx2", 0) + 0.05 * dx**2
    return x - dx


def adam(x, g, state, t):
    state["m"] = 0.9 * state.get("m", 0) + 0.1 * g
    state["v"] = 0.999 * state.get("v", 0) + 0.001 * g**2
    step = 0.01 * math.sqrt(1 - 0.999**t) / (1 - 0.9**t)
    return x - step * state["m"] / (math.sqrt(state["v"]) + 1e-8)


def adamw(x, g, state, t):
    return adam(x, g, state, t) - 0.01 * 0.1 * x


CASES = {
    "SGD": (lambda: SGD(0.1), sgd),
    "MomentumSGD": (lambda: MomentumSGD(0.1), momentum),
    "AdaGrad": (lambda: AdaGrad(0.1), adagrad),
    "AdaDelta": (AdaDelta, adadelta),
    "Adam": (lambda: Adam(0.01), adam),
    "AdamW": (lambda: AdamW(0.01, weight_decay=0.1), adamw),
}
OPTIMIZERS = {name: make for name, (make, _) in CASES.items()}
every_optimizer = pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS)
every_formula = pytest.mark.parametrize(
    ("make", "formula"), CASES.values(), ids=OPTIMIZERS
)


class Holder:
    """The minimum that an optimizer can be set up with."""

    def __init__(self, *params):
        self.all = params

    def params(self):
        return iter(self.all)


def parameter(data, grad=None, name=None):
    param = Parameter(data, name)
    if grad is not None:
        param.grad = Variable(grad)
    return param


def slope(x):
    return np.cos(3 * x) + x


def walk(optimizer, x, steps):
    """Let the optimizer descend on x, with `slope` as the gradient."""
    param = parameter(x)
    optimizer.setup(Holder(param))
    for _ in range(steps):
        param.grad = Variable(slope(param.data))
        optimizer.update()
    return param


def one_by_one(formula, x, steps):
    results = np.empty_like(x)
    for i, value in np.ndenumerate(x):
        state = {}
        for t in range(1, steps + 1):
            value = formula(value, slope(value), state, t)
        results[i] = value
    return results


def only(data, grad=None):
    """The smallest model, with one parameter."""
    return Holder(parameter(data, grad))


@every_formula
@pytest.mark.parametrize("shape", [(), (1,), (3, 4), (2, 0), (2, 3, 2)])
def test_the_first_steps_follow_the_formula(make, formula, shape):
    x = normal(*shape)
    param = walk(make(), x.copy(), 5)
    assert_close(param.data, one_by_one(formula, x, 5), rtol=1e-12, atol=1e-12)


@every_formula
def test_float32_stays_float32_and_so_does_all_that_is_remembered(make, formula):
    x = normal(3, 4)
    optimizer = make()
    param = walk(optimizer, x.astype(np.float32), 5)
    remembered = {k: v for k, v in optimizer.state(param).items() if k != "t"}
    dtypes = {array.dtype for array in [param.data, *remembered.values()]}
    assert dtypes == {np.dtype(np.float32)}
    assert_close(param.data, one_by_one(formula, x, 5), rtol=1e-4, atol=1e-5)


@every_optimizer
def test_float16_moves_as_float64_does_whatever_the_size_of_the_gradient(make):
    grads = np.array([0, 1e-7, 1e-4, 5e-3, 0.1, 300, 60_000], np.float16)
    found = []
    for dtype in (np.float16, np.float64):
        param = parameter(np.ones(7, dtype))
        optimizer = make().setup(Holder(param))
        for _ in range(3):
            param.grad = Variable(grads.astype(dtype))
            optimizer.update()
        found.append(param.data)
    half, double = found
    assert half.dtype == np.float16
    assert half[0] == double[0].astype(np.float16)
    assert_close(half, double, rtol=2e-3)


def test_many_large_float16_gradients_are_clipped_to_the_norm():
    param = parameter(np.ones(10**5, np.float16), np.full(10**5, 60_000, np.float16))
    ClipGrad(1.0)([param])
    assert param.grad.dtype == np.float16
    assert_close(param.grad.data, 10**-2.5, rtol=1e-3)


@every_optimizer
def test_settings_may_be_numpy_numbers(make):
    optimizer = make()
    for key, value in optimizer._settings().items():
        if isinstance(value, float):
            setattr(optimizer, key, np.float64(value))
    x = normal(50, dtype=np.float32)
    expected = walk(make(), x.copy(), 3).data
    found = walk(optimizer, x.copy(), 3).data
    # Equal to the last bit, so nothing was computed in double precision in between.
    assert found.dtype == np.float32
    assert_equal(found, expected)


@every_optimizer
@pytest.mark.parametrize(
    "shape", [(CHUNK_SIZE + 5,), (3, CHUNK_SIZE), (300, 250), (1, 2 * CHUNK_SIZE)]
)
def test_a_large_parameter_is_updated_in_chunks_and_no_number_is_left_out(make, shape):
    x = normal(*shape)
    param = walk(make(), x.copy(), 2)
    small = walk(make(), x.ravel()[-7:].copy(), 2)
    assert_equal(param.data.ravel()[-7:], small.data)
    assert np.all(param.data != x)


@every_optimizer
def test_data_need_not_lie_in_one_piece(make):
    x = normal(250, 300)
    strided = np.zeros((300, 500))[:, ::2].T
    strided[...] = x
    param = walk(make(), strided, 3)
    assert param.data is strided
    assert_equal(strided, walk(make(), x.copy(), 3).data)


@every_optimizer
@pytest.mark.parametrize("hook", [WeightDecay(0.5), ClipGrad(0.1)])
def test_a_gradient_that_others_hold_stays_as_it_is(make, hook):
    grad = np.ones(3)
    param = parameter(np.ones(3), grad)
    optimizer = make().setup(Holder(param))
    optimizer.add_hook(hook)
    held = param.grad
    optimizer.update()
    assert_equal(grad, np.ones(3))
    assert_equal(held.data, np.ones(3))


@every_optimizer
def test_another_array_module_works(make):
    x = normal(5, 3)
    there = walk(make(), cupy.array(x), 3).data
    assert isinstance(there, cupy.ndarray)
    here = walk(make(), x.copy(), 3).data
    assert_close(cupy.asnumpy(there), here, rtol=1e-12)


# --- which parameters -----------------------------------------------------------------


def test_a_plain_variable_that_is_learned_like_a_parameter_is_an_error():
    class Net(Layer):
        def __init__(self):
            self.inner = [Linear(2)]
            self.scale = Variable(np.ones(2, np.float32))
            self.mask = np.ones(2, np.float32)

        def forward(self, x):
            return self.inner[0](x) * self.scale * self.mask

    model = Sequential(Net(), F.sum)
    optimizer = SGD().setup(model)
    model(np.ones((3, 4), np.float32)).backward()
    before = model.l0.inner[0].W.data.copy()
    message = r"l0/scale of Sequential has received a gradient, .* make it a Parameter"
    for learn in (optimizer.update, model.cleargrads):
        with pytest.raises(TypeError, match=message):
            learn()
    assert_equal(model.l0.inner[0].W.data, before)
    model.l0.scale = Parameter(model.l0.scale.data)
    model(np.ones((3, 4), np.float32)).backward()
    optimizer.update()
    assert not np.array_equal(model.l0.scale.data, [1, 1])


@every_optimizer
def test_a_parameter_without_gradient_is_skipped(make):
    still, moved = parameter(np.ones(2)), parameter(np.ones(2), np.ones(2))
    optimizer = make()
    assert optimizer.setup(Holder(still, moved, parameter(None))) is optimizer
    optimizer.update()
    assert_equal(still.data, np.ones(2))
    assert not np.array_equal(moved.data, np.ones(2))


@pytest.mark.parametrize(
    "cls", [SGD, MomentumSGD, AdaGrad, AdaDelta, Adam, AdamW, WeightDecay, ClipGrad]
)
def test_every_setting_is_a_number(cls):
    names = [name for name in inspect.signature(cls).parameters if name != "others"]
    assert names
    for name in names:
        settings = dict.fromkeys(names, 0.5)
        cls(**{**settings, name: np.float32(0.5)})
        for wrong in ("a", None, [0.1]):
            words = f"{cls.__name__} takes a number for {name}, not {wrong!r}"
            with pytest.raises(TypeError, match=f"^{re.escape(words)}$"):
                cls(**{**settings, name: wrong})


# --- stop and go on -------------------------------------------------------------------


def train(model, optimizer, steps):
    rng = np.random.default_rng(1)
    x, y = rng.random((20, 3), np.float32), rng.random((20, 1), np.float32)
    losses = []
    for _ in range(steps):
        error = model(x) - y
        losses.append(train_step(model, optimizer, F.sum(error * error)))
    return losses


def loaded(optimizer, path):
    optimizer.load_state(path)
    return optimizer


@every_optimizer
def test_stopping_and_going_on_gives_the_same_curve_bit_for_bit(make, tmp_path):
    manual_seed(0)
    model = MLP((5, 1))
    optimizer = make().setup(model)
    train(model, optimizer, 7)
    model.save_weights(tmp_path / "weights.npz")
    optimizer.save_state(tmp_path / "state.npz")
    expected = train(model, optimizer, 10)

    again = MLP((5, 1))
    again.load_weights(tmp_path / "weights.npz")
    resumed = loaded(make().setup(again), tmp_path / "state.npz")
    assert train(again, resumed, 10) == expected
    assert resumed._settings() == optimizer._settings()


@pytest.mark.parametrize(
    "saved", [0.5, 1, np.float32(0.1), np.float64(0.1), np.int64(3)]
)
@pytest.mark.parametrize("here", [1, 0.25, np.float32(2), np.float64(2), np.int64(2)])
def test_a_setting_is_loaded_as_it_was_saved_whatever_it_was_here(
    saved, here, tmp_path
):
    SGD(saved).setup(only(np.ones(1))).save_state(tmp_path / "state.npz")
    optimizer = loaded(SGD(here).setup(only(np.ones(1))), tmp_path / "state.npz")
    assert optimizer.lr == saved
    assert type(optimizer.lr) in (int, float)


def test_state_loads_into_another_array_module(tmp_path):
    here, there = (only(*map(of, np.ones((2, 3)))) for of in (np.array, cupy.array))
    optimizer = Adam().setup(here)
    optimizer.update()
    optimizer.save_state(tmp_path / "here.npz")
    moved = loaded(Adam().setup(there), tmp_path / "here.npz")
    for each, name in (moved, "moved.npz"), (optimizer, "here.npz"):
        each.update()
        each.save_state(tmp_path / name)
    files = [tmp_path / name for name in ("moved.npz", "here.npz")]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_a_deep_copy_does_not_depend_on_its_original():
    manual_seed(0)
    model = MLP((5, 1))
    optimizer = Adam().setup(model)
    train(model, optimizer, 3)
    twin = copy.deepcopy(optimizer)
    expected = train(model, optimizer, 3)
    assert twin.t == 3
    assert train(twin.target, twin, 3) == expected
