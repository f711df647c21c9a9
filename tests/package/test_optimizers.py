import copy
import inspect
import math
import os
import re

import numpy as np
import pytest

from dezero_lite import Parameter, Variable
from dezero_lite import functions as F
from dezero_lite.layers import Layer, Linear
from dezero_lite.models import MLP, Sequential
from dezero_lite.optimizers import (
    CHUNK_SIZE,
    SGD,
    AdaDelta,
    AdaGrad,
    Adam,
    AdamW,
    ClipGrad,
    FreezeParam,
    MomentumSGD,
    Optimizer,
    WeightDecay,
)
from dezero_lite.random import manual_seed
from tests.support import fake_cupy
from tests.support.arrays import assert_close, assert_equal
from tests.support.memory_checks import at_most

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
every_optimizer = pytest.mark.parametrize("name", CASES)


class Holder:
    """The least that an optimizer can be set up with."""

    def __init__(self, *params):
        self.all = params

    def params(self):
        return iter(self.all)


class WithoutParameters(Layer):
    """Nothing here can be learned."""

    def __init__(self):
        self.W, self.b = Variable(np.ones((2, 3))), np.ones(3)


def parameter(data, grad=None, name=None):
    param = Parameter(data, name)
    if grad is not None:
        param.grad = Variable(grad)
    return param


def slope(x):
    return np.cos(3 * x) + x


def walk(optimizer, x, steps):
    """Let the optimizer go downhill on x, with `slope` for the gradient."""
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
            value = formula(value, math.cos(3 * value) + value, state, t)
        results[i] = value
    return results


@every_optimizer
@pytest.mark.parametrize("shape", [(), (1,), (3, 4), (2, 0), (2, 3, 2)])
def test_the_first_steps_follow_the_formula(name, shape):
    make, formula = CASES[name]
    x = np.random.default_rng(0).standard_normal(shape)
    param = walk(make(), x.copy(), 5)
    assert_close(param.data, one_by_one(formula, x, 5), rtol=1e-12, atol=1e-12)


@every_optimizer
def test_float32_stays_float32_and_so_does_all_that_is_remembered(name):
    make, formula = CASES[name]
    x = np.random.default_rng(0).standard_normal((3, 4))
    optimizer = make()
    param = walk(optimizer, x.astype(np.float32), 5)
    assert param.data.dtype == np.float32
    assert all(
        array.dtype == np.float32
        for key, array in optimizer.state(param).items()
        if key != "t"
    )
    assert_close(param.data, one_by_one(formula, x, 5), rtol=1e-4, atol=1e-5)


@every_optimizer
def test_settings_may_be_numpy_numbers(name):
    optimizer = CASES[name][0]()
    for key, value in optimizer._settings().items():
        if isinstance(value, float):
            setattr(optimizer, key, np.float64(value))
    x = np.random.default_rng(0).standard_normal(50).astype(np.float32)
    expected = walk(CASES[name][0](), x.copy(), 3).data
    found = walk(optimizer, x.copy(), 3).data
    # Equal to the last bit: nothing was computed in double precision on the way.
    assert found.dtype == np.float32
    assert_equal(found, expected)


@every_optimizer
def test_a_parameter_changes_in_place(name):
    x = np.ones((3, 4))
    param = walk(CASES[name][0](), x, 2)
    assert param.data is x
    assert np.all(x != 1)


@every_optimizer
@pytest.mark.parametrize(
    "shape", [(CHUNK_SIZE + 5,), (3, CHUNK_SIZE), (300, 250), (1, 2 * CHUNK_SIZE)]
)
def test_a_large_parameter_is_updated_in_chunks_and_no_number_is_left_out(name, shape):
    x = np.random.default_rng(0).standard_normal(shape)
    param = walk(CASES[name][0](), x.copy(), 3)
    small = walk(CASES[name][0](), x.ravel()[-7:].copy(), 3)
    assert_equal(param.data.ravel()[-7:], small.data)
    assert np.all(param.data != x)


def test_chunks_fit_the_cache():
    param = parameter(
        np.zeros((300, 1000), dtype=np.float32), np.zeros((300, 1000), dtype=np.float32)
    )
    sizes = [data.size for data, _ in SGD().chunks(param)]
    assert max(sizes) <= CHUNK_SIZE
    assert sum(sizes) == param.size


@every_optimizer
def test_data_need_not_lie_in_one_piece(name):
    x = np.random.default_rng(0).standard_normal((250, 300))
    strided = np.zeros((300, 500))[:, ::2].T
    strided[...] = x
    param = walk(CASES[name][0](), strided, 3)
    assert param.data is strided
    assert_equal(strided, walk(CASES[name][0](), x.copy(), 3).data)


@every_optimizer
@pytest.mark.parametrize("hook", [WeightDecay(0.5), ClipGrad(0.1)])
def test_a_gradient_that_others_hold_stays_as_it_is(name, hook):
    grad = np.ones(3)
    param = parameter(np.ones(3), grad)
    optimizer = CASES[name][0]().setup(Holder(param))
    optimizer.add_hook(hook)
    held = param.grad
    optimizer.update()
    assert_equal(grad, np.ones(3))
    assert_equal(held.data, np.ones(3))


@every_optimizer
def test_another_array_module_works(name):
    x = np.random.default_rng(0).standard_normal((5, 3))
    there = walk(CASES[name][0](), fake_cupy.array(x), 3)
    assert isinstance(there.data, fake_cupy.ndarray)
    assert_close(
        fake_cupy.asnumpy(there.data),
        walk(CASES[name][0](), x.copy(), 3).data,
        rtol=1e-12,
    )


@every_optimizer
def test_training_lowers_a_loss(name):
    manual_seed(0)
    rng = np.random.default_rng(0)
    x = rng.random((100, 1)).astype(np.float32)
    y = (np.sin(2 * np.pi * x)).astype(np.float32)
    model = MLP((10, 1))
    optimizer = CASES[name][0]().setup(model)
    losses = []
    for _ in range(100):
        error = model(x) - y
        loss = F.sum(error * error) / len(x)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        losses.append(loss.item())
    assert losses[-1] < 0.9 * losses[0]


# --- which parameters -----------------------------------------------------------------


def test_setup_returns_the_optimizer():
    optimizer = SGD()
    assert optimizer.setup(Holder(parameter(np.ones(1)))) is optimizer


@pytest.mark.parametrize(
    "model", [Holder(), Layer(), Sequential(F.relu), WithoutParameters()]
)
def test_setup_takes_what_has_parameters_to_learn(model):
    with pytest.raises(
        ValueError,
        match=(
            f"{type(model).__name__} has no parameters to learn: .* plain Variables "
            "and arrays are not"
        ),
    ):
        SGD().setup(model)


def test_a_plain_variable_that_is_learned_like_a_parameter_is_an_error():
    class Net(Layer):
        def __init__(self):
            self.inner = [Linear(2)]
            self.scale = Variable(np.ones(2, np.float32))
            self.mask = np.ones(2, np.float32)

        def forward(self, x):
            return self.inner[0](x) * self.scale * self.mask

    class Whole(Layer):
        def __init__(self):
            self.net = Net()

        def forward(self, x):
            return F.sum(self.net(x))

    model = Whole()
    optimizer = SGD().setup(model)
    model(np.ones((3, 4), np.float32)).backward()
    before = model.net.inner[0].W.data.copy()
    message = r"net/scale of Whole has received a gradient, .* make it a Parameter"
    for learn in (optimizer.update, model.cleargrads):
        with pytest.raises(TypeError, match=message):
            learn()
    assert_equal(model.net.inner[0].W.data, before)
    model.net.scale = Parameter(model.net.scale.data)
    model(np.ones((3, 4), np.float32)).backward()
    optimizer.update()
    assert not np.array_equal(model.net.scale.data, [1, 1])


def test_update_before_setup_is_an_error():
    with pytest.raises(
        RuntimeError,
        match=re.escape(
            "Adam has no model to optimize yet: say optimizer = Adam(...).setup"
        ),
    ):
        Adam().update()


def test_setup_takes_what_has_parameters():
    with pytest.raises(
        TypeError, match="setup takes a Layer or a Model, but was given a list"
    ):
        SGD().setup([Parameter(np.ones(2))])


@every_optimizer
def test_a_parameter_without_gradient_is_skipped(name):
    still, moved = parameter(np.ones(2)), parameter(np.ones(2), np.ones(2))
    empty = parameter(None)
    CASES[name][0]().setup(Holder(still, moved, empty)).update()
    assert_equal(still.data, np.ones(2))
    assert not np.array_equal(moved.data, np.ones(2))


def test_an_optimizer_of_ones_own_needs_update_one():
    with pytest.raises(NotImplementedError, match="Optimizer needs an update_one"):
        Optimizer().setup(Holder(parameter(np.ones(2), np.ones(2)))).update()


def test_an_optimizer_in_the_style_of_the_book_works():
    class Signs(Optimizer):
        def __init__(self, lr):
            super().__init__()
            self.lr = lr

        def update_one(self, param):
            param.data -= self.lr * np.sign(param.grad.data)

    param = parameter(np.zeros(3), np.array([1.0, -2.0, 0.0]))
    Signs(0.5).setup(Holder(param)).update()
    assert param.data.tolist() == [-0.5, 0.5, 0]


@pytest.mark.parametrize("grad", [np.ones(2), Variable(np.ones((3, 2)))])
def test_a_gradient_of_another_kind_or_shape_is_an_error(grad):
    param = parameter(np.ones(2), name="W")
    param.grad = grad
    with pytest.raises(
        ValueError,
        match=(
            r"the gradient of parameter 'W' (is an ndarray|has shape \(3, 2\)): it "
            r"must be"
        ),
    ):
        SGD().setup(Holder(param)).update()
    assert_equal(param.data, np.ones(2))


@every_optimizer
def test_a_gradient_of_another_shape_is_an_error_before_anything_has_changed(name):
    right, wrong = parameter(np.ones(2), np.ones(2)), parameter(np.ones(2), name="W")
    wrong.grad = Variable(np.ones(3))
    optimizer = CASES[name][0]().setup(Holder(right, wrong))
    with pytest.raises(
        ValueError,
        match=r"the gradient of parameter 'W' has shape \(3,\): .* like \(2,\)",
    ):
        optimizer.update()
    assert_equal(right.data, np.ones(2))
    assert_equal(wrong.data, np.ones(2))
    assert not any(
        array.any()
        for param in (right, wrong)
        for array in optimizer.state(param).values()
    )


def test_adamw_leaves_the_data_alone_where_its_rule_is_given_a_wrong_gradient():
    param = parameter(np.ones(2))
    param.grad = Variable(np.ones(3))
    with pytest.raises(ValueError, match="broadcast"):
        AdamW().setup(Holder(param)).update_one(param)
    assert_equal(param.data, np.ones(2))


def test_a_hook_gets_gradients_that_are_right():
    param = parameter(np.ones(2), name="W")
    param.grad = np.ones(2)
    optimizer = SGD().setup(Holder(param))
    optimizer.add_hook(WeightDecay(0.1))
    with pytest.raises(
        ValueError,
        match="the gradient of parameter 'W' is an ndarray: it must be a Variable",
    ):
        optimizer.update()


def test_setup_forgets_what_was_remembered():
    param = parameter(np.ones(3))
    optimizer = Adam(0.01)
    results = []
    for _ in range(2):
        param.data[...] = 1
        optimizer.setup(Holder(param))
        for _ in range(4):
            param.grad = Variable(slope(param.data))
            optimizer.update()
        results.append(param.data.copy())
    assert optimizer.t == 4
    assert_equal(*results)


def test_adam_counts_the_updates_of_each_parameter():
    early, late = parameter(np.zeros(1)), parameter(np.zeros(1))
    optimizer = Adam(0.01).setup(Holder(early, late))
    for _ in range(10):
        early.grad = Variable(np.ones(1))
        optimizer.update()
    late.grad = Variable(np.ones(1))
    optimizer.update()
    # The first step of Adam is as long as alpha, however large the gradient and however
    # late.
    assert_close(late.data, -0.01)
    assert optimizer.t == 11
    assert math.isclose(optimizer.lr, 0.01 * math.sqrt(1 - 0.999**11) / (1 - 0.9**11))


def test_the_step_size_of_adam_can_be_looked_at_before_the_first_update():
    assert math.isclose(Adam(0.01).lr, 0.01 * math.sqrt(0.001) / 0.1)


def test_repr_shows_the_settings():
    assert repr(MomentumSGD(0.1)) == "MomentumSGD(lr=0.1, momentum=0.9)"
    assert (
        repr(MomentumSGD(np.float32(0.5), np.float64(0.25)))
        == "MomentumSGD(lr=0.5, momentum=0.25)"
    )


@pytest.mark.parametrize(
    "cls", [SGD, MomentumSGD, AdaGrad, AdaDelta, Adam, AdamW, WeightDecay, ClipGrad]
)
def test_every_setting_is_a_number(cls):
    names = list(inspect.signature(cls).parameters)
    assert names
    for name in names:
        settings = dict.fromkeys(names, 0.5)
        cls(**{**settings, name: np.float32(0.5)})
        for wrong in ("a", None, [0.1]):
            with pytest.raises(
                TypeError,
                match=f"^{cls.__name__} takes a number for {name}, not "
                f"{re.escape(repr(wrong))}$",
            ):
                cls(**{**settings, name: wrong})


# --- hooks ----------------------------------------------------------------------------


def test_hooks_see_the_parameters_with_a_gradient_in_their_order():
    seen = []
    first, without, last = (
        parameter(np.ones(1), np.ones(1)),
        parameter(np.ones(1)),
        parameter(np.ones(1), np.ones(1)),
    )
    optimizer = SGD().setup(Holder(first, without, last))
    optimizer.add_hook(lambda params: seen.append(params))
    optimizer.update()
    assert len(seen) == 1
    assert [id(param) for param in seen[0]] == [id(first), id(last)]


def test_weight_decay_adds_to_the_gradient():
    param = parameter(
        np.array([2.0, -4.0], dtype=np.float32), np.ones(2, dtype=np.float32)
    )
    WeightDecay(np.float64(0.25))([param])
    assert param.grad.data.tolist() == [1.5, 0]
    assert param.grad.dtype == np.float32


def test_clipping_shortens_all_gradients_by_the_same_factor():
    a, b = (
        parameter(np.zeros(2), np.array([3.0, 0.0])),
        parameter(np.zeros(()), np.array(4.0)),
    )
    ClipGrad(1.0)([a, b])
    assert_close(a.grad.data, [0.6, 0], atol=1e-6)
    assert_close(b.grad.data, 0.8, atol=1e-6)


def test_clipping_leaves_short_gradients_alone():
    param = parameter(np.zeros(2), np.array([0.3, 0.4]))
    held = param.grad
    ClipGrad(1.0)([param])
    assert param.grad is held


def test_clipping_does_not_overflow_in_single_precision():
    param = parameter(np.zeros(2, dtype=np.float32), np.full(2, 1e30, dtype=np.float32))
    ClipGrad(1.0)([param])
    assert_close(param.grad.data, 0.5**0.5)
    assert param.grad.dtype == np.float32


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_clipping_refuses_nan_and_infinity_before_anything_has_changed(bad):
    good, wrong = (
        parameter(np.zeros(1), np.ones(1), "W"),
        parameter(np.zeros(2), np.array([0, bad]), "b"),
    )
    optimizer = SGD().setup(Holder(good, wrong))
    optimizer.add_hook(ClipGrad(1.0))
    with pytest.raises(
        FloatingPointError,
        match=r"the norm of the gradients is (nan|inf).*\(parameters: 'b'\)",
    ):
        optimizer.update()
    assert good.data == 0
    assert good.grad.data == 1


def test_clipping_works_in_another_array_module():
    param = parameter(
        fake_cupy.array(np.zeros(2)), fake_cupy.array(np.array([3.0, 4.0]))
    )
    ClipGrad(1.0)([param])
    assert_close(fake_cupy.asnumpy(param.grad.data), [0.6, 0.8])


def test_frozen_parameters_stay_and_the_hooks_after_it_do_not_see_them():
    class Both:
        def __init__(self, *params):
            self.all = params

        def params(self):
            yield from self.all

    frozen, alone, free = [parameter(np.ones(1), np.ones(1)) for _ in range(3)]
    optimizer = Adam().setup(Both(frozen, alone, free))
    optimizer.add_hook(FreezeParam(Both(frozen), alone))
    optimizer.add_hook(WeightDecay(0.1))
    optimizer.add_hook(ClipGrad(0.1))
    optimizer.update()
    assert frozen.data == alone.data == 1
    assert free.data != 1


# --- stop and go on -------------------------------------------------------------------


def regression():
    rng = np.random.default_rng(1)
    return rng.random((20, 3)).astype(np.float32), rng.random((20, 1)).astype(
        np.float32
    )


def train(model, optimizer, steps):
    x, y = regression()
    losses = []
    for _ in range(steps):
        error = model(x) - y
        loss = F.sum(error * error)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        losses.append(loss.item())
    return losses


@every_optimizer
def test_stopping_and_going_on_gives_the_same_curve_bit_for_bit(name, tmp_path):
    make = CASES[name][0]
    manual_seed(0)
    model = MLP((5, 1))
    optimizer = make().setup(model)
    train(model, optimizer, 7)
    model.save_weights(tmp_path / "weights.npz")
    optimizer.save_state(tmp_path / "state.npz")
    expected = train(model, optimizer, 10)

    again = MLP((5, 1))
    again.load_weights(tmp_path / "weights.npz")
    resumed = make().setup(again)
    resumed.load_state(tmp_path / "state.npz")
    assert train(again, resumed, 10) == expected
    assert resumed._settings() == optimizer._settings()


def test_settings_go_along(tmp_path):
    model = MLP((5, 1))
    optimizer = Adam(0.1).setup(model)
    train(model, optimizer, 3)
    optimizer.alpha *= 0.5
    optimizer.save_state(tmp_path / "state.npz")
    resumed = Adam(0.1).setup(model)
    resumed.load_state(tmp_path / "state.npz")
    assert (resumed.alpha, resumed.t) == (0.05, 3)
    assert type(resumed.t) is int


@pytest.mark.parametrize(
    "saved", [0.5, 1, np.float32(0.1), np.float64(0.1), np.int64(3)]
)
@pytest.mark.parametrize("here", [1, 0.25, np.float32(2), np.float64(2), np.int64(2)])
def test_a_setting_is_loaded_as_it_was_saved_whatever_it_was_here(
    saved, here, tmp_path
):
    SGD(saved).setup(Holder(parameter(np.ones(1)))).save_state(tmp_path / "state.npz")
    optimizer = SGD(here).setup(Holder(parameter(np.ones(1))))
    optimizer.load_state(tmp_path / "state.npz")
    assert optimizer.lr == saved
    assert type(optimizer.lr) in (int, float)


@pytest.mark.parametrize("saved", [True, False])
def test_a_setting_of_true_or_false_goes_along(saved, tmp_path):
    class Signed(SGD):
        def __init__(self, upwards):
            super().__init__()
            self.upwards = upwards

    holder = Holder(parameter(np.ones(1)))
    Signed(saved).setup(holder).save_state(tmp_path / "state.npz")
    optimizer = Signed(not saved).setup(holder)
    optimizer.load_state(tmp_path / "state.npz")
    assert optimizer.upwards is saved


def test_the_path_of_a_state_may_be_bytes(tmp_path):
    path = os.fsencode(tmp_path / "state")
    SGD(0.5).setup(Holder(parameter(np.ones(1)))).save_state(path)
    optimizer = SGD().setup(Holder(parameter(np.ones(1))))
    optimizer.load_state(path)
    assert optimizer.lr == 0.5
    with pytest.raises(
        ValueError, match=r"^\S*state holds the state of SGD, not of Adam"
    ):
        Adam().setup(Holder(parameter(np.ones(1)))).load_state(path)


def test_state_loads_into_another_array_module(tmp_path):
    here, there = (
        parameter(np.ones(3), np.ones(3)),
        parameter(fake_cupy.array(np.ones(3)), fake_cupy.array(np.ones(3))),
    )
    optimizer = Adam().setup(Holder(here))
    optimizer.update()
    optimizer.save_state(tmp_path / "state.npz")
    moved = Adam().setup(Holder(there))
    moved.load_state(tmp_path / "state.npz")
    assert (
        fake_cupy.asnumpy(moved.state(there)["m"]).tolist()
        == optimizer.state(here)["m"].tolist()
    )
    moved.update()
    moved.save_state(tmp_path / "moved.npz")
    optimizer.update()
    optimizer.save_state(tmp_path / "state.npz")
    assert (tmp_path / "moved.npz").read_bytes() == (
        tmp_path / "state.npz"
    ).read_bytes()


def test_state_of_another_optimizer_is_refused(tmp_path):
    model = MLP((5, 1))
    train(model, SGD().setup(model), 1)
    MomentumSGD().setup(model).save_state(tmp_path / "state.npz")
    with pytest.raises(
        ValueError, match=r"state.npz holds the state of MomentumSGD, not of Adam"
    ):
        Adam().setup(model).load_state(tmp_path / "state.npz")


def test_weights_are_no_state(tmp_path):
    model = MLP((5, 1))
    train(model, SGD().setup(model), 1)
    model.save_weights(tmp_path / "weights.npz")
    with pytest.raises(
        ValueError, match="holds the state of no optimizer, not of Adam"
    ):
        Adam().setup(model).load_state(tmp_path / "weights.npz")


@pytest.mark.parametrize(
    ("sizes", "reason"),
    [
        ((5,), r"not in the model: v/l1/W, v/l1/b"),
        ((5, 2, 1), r"missing from the file: v/l2/W, v/l2/b"),
        ((4, 1), r"of another shape: v/l0/W \(file: \(3, 5\), model: \(3, 4\)\)"),
    ],
)
def test_state_of_another_model_is_refused_and_nothing_changes(sizes, reason, tmp_path):
    model = MLP((5, 1))
    optimizer = MomentumSGD(0.3).setup(model)
    train(model, optimizer, 2)
    optimizer.save_state(tmp_path / "state.npz")
    other = MLP(sizes)
    optimizer = MomentumSGD(0.1).setup(other)
    train(other, optimizer, 2)
    before = [optimizer.state(param)["v"].copy() for param in other.params()]
    with pytest.raises(
        ValueError,
        match=rf"does not fit this MomentumSGD, so nothing was loaded:(.|\n)*{reason}",
    ):
        optimizer.load_state(tmp_path / "state.npz")
    assert optimizer.lr == 0.1
    after = [optimizer.state(param)["v"] for param in other.params()]
    for a, b in zip(before, after, strict=True):
        assert_equal(a, b)


def test_a_state_of_another_shape_is_refused_before_it_is_unpacked(tmp_path):
    param = parameter(np.ones(3))
    optimizer = MomentumSGD(0.5).setup(Holder(param))
    names = {"optimizer": "MomentumSGD", "settings/lr": 1.0, "settings/momentum": 1.0}
    np.savez_compressed(tmp_path / "state.npz", **names, **{"v/0": np.zeros(2**25)})
    # A name of 40 MB is no name.
    np.savez_compressed(tmp_path / "name.npz", **{"optimizer": "x" * 10**7})
    with at_most(2**21):
        with pytest.raises(ValueError, match="of another shape: v/0"):
            optimizer.load_state(tmp_path / "state.npz")
        with pytest.raises(ValueError, match="holds the state of no optimizer"):
            optimizer.load_state(tmp_path / "name.npz")
    assert optimizer.lr == 0.5


def test_a_deep_copy_does_not_depend_on_its_original():
    manual_seed(0)
    model = MLP((5, 1))
    optimizer = Adam().setup(model)
    train(model, optimizer, 3)
    twin = copy.deepcopy(optimizer)
    expected = train(model, optimizer, 3)
    assert twin.t == 3
    assert train(twin.target, twin, 3) == expected


def test_state_needs_parameters_with_data(tmp_path):
    optimizer = Adam().setup(MLP((5, 1)))
    with pytest.raises(
        ValueError,
        match="the parameter 'l0/W' holds no data yet: load the model's weights",
    ):
        optimizer.save_state(tmp_path / "state.npz")
    assert not list(tmp_path.iterdir())


def test_state_needs_a_target(tmp_path):
    with pytest.raises(RuntimeError, match="Adam has no model"):
        Adam().save_state(tmp_path / "state.npz")
