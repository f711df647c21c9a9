import copy
import pickle
from functools import partial

import numpy as np
import pytest

from dezero_lite import Parameter, Variable, test_mode, using_config
from dezero_lite import functions as F
from dezero_lite import layers as L
from dezero_lite.array_files import save_arrays
from dezero_lite.gradcheck import gradient_check
from dezero_lite.layers import Layer
from dezero_lite.layers.layer import variables_by_name
from dezero_lite.models import MLP
from dezero_lite.random import manual_seed
from tests.support.arrays import assert_close, assert_equal, normal
from tests.support.gpu import cupy

CONV, DECONV = (partial(f, dilation=2, groups=2) for f in (L.Conv2d, L.Deconv2d))
LAYERS = {
    "Linear": (L.Linear, (4,), {"in_size": 3}, (5, 3)),
    "Linear without bias": (L.Linear, (4, True), {"in_size": 3}, (5, 3)),
    "Conv2d": (L.Conv2d, (4, 3), {"in_channels": 2}, (2, 2, 4, 4)),
    "Conv2d with all": (CONV, (4, (3, 2), 2, (1, 2)), {"in_channels": 4}, (2, 4, 5, 4)),
    "Deconv2d": (L.Deconv2d, (4, 3, 2, 1), {"in_channels": 2}, (2, 2, 3, 3)),
    "Deconv2d with all": (DECONV, (4, (3, 2), 2, 1), {"in_channels": 4}, (1, 4, 3, 2)),
    "RNN": (L.RNN, (4,), {"in_size": 3}, (5, 3)),
    "GRU": (L.GRU, (4,), {"in_size": 3}, (5, 3)),
    "LSTM": (L.LSTM, (4,), {"in_size": 3}, (5, 3)),
    "BatchNorm": (L.BatchNorm, (), {}, (5, 3)),
    "BatchNorm of images": (L.BatchNorm, (), {}, (4, 3, 2, 2)),
    "LayerNorm": (L.LayerNorm, (), {}, (5, 3)),
    "Dropout": (L.Dropout, (0.3,), {}, (5, 3)),
}
every_layer = pytest.mark.parametrize("name", LAYERS)
recurrent = pytest.mark.parametrize("cell", [L.RNN, L.GRU, L.LSTM])


def random(*shape, dtype=np.float32):
    return normal(*shape, dtype=dtype)


by_pickle = lambda layer: pickle.loads(pickle.dumps(layer))


def names(layer):
    return " ".join(name for name, _ in layer.named_params())


def case(name):
    """How to make a layer, the size that its first input would determine, and
    an input.
    """
    kind, settings, size, shape = LAYERS[name]
    return partial(kind, *settings), size, random(*shape)


def both(f, *xs):
    """Return `f` of each argument, as a tuple."""
    return tuple(f(x) for x in xs)


# --- the walk -------------------------------------------------------------------------


def param():
    return Parameter(np.zeros(2))


class Net(Layer):
    def __init__(self, **members):
        for name, member in members.items():
            setattr(self, name, member)

    def forward(self, x):
        return x


def test_all_data_move_to_the_gpu_and_back(monkeypatch):
    from dezero_lite import cuda

    net = Net(bn=L.BatchNorm(), lazy=L.Linear(2))
    net.bn(random(5, 3))
    monkeypatch.setattr(cuda, "_cupy_or_none", lambda: cupy)
    net.to_gpu()
    moved = [net.bn.gamma, net.bn.beta, net.bn.avg_mean, net.bn.avg_var, net.lazy.b]
    assert all(isinstance(variable.data, cupy.ndarray) for variable in moved)
    assert net.lazy.W.data is None
    net.to_cpu()
    assert all(isinstance(variable.data, np.ndarray) for variable in moved)


# --- calling --------------------------------------------------------------------------


@every_layer
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, by_pickle])
def test_a_layer_that_was_called_can_be_copied_and_pickled(name, copied):
    make, _, x = case(name)
    layer = make()
    layer(x)
    F.sum(layer(x)).backward()
    twin = copied(layer)
    assert same(snapshot(layer), snapshot(twin))
    assert all(isinstance(p, Parameter) for p in twin.params())
    with test_mode():
        assert_equal(twin(x).data, layer(x).data)
    before = snapshot(layer)
    for p in twin.params():
        p.data += 1
    assert copied is copy.copy or same(snapshot(layer), before)


@pytest.mark.parametrize("holder", [lambda h: h, lambda h: {"h": [(h, 1)]}])
def test_a_copied_state_does_not_depend_on_its_original(holder):
    def only(value):
        while not isinstance(value, Variable):
            value = value["h"] if isinstance(value, dict) else value[0]
        return value

    layer = Net(l=L.Linear(2), numbers=[1, 2])
    # This output is one of two, and its function needs both in backward.
    state, _ = F.split(layer.l(random(3, 4)), 2, axis=1)
    layer.states = holder(state)
    twin = copy.deepcopy(layer)
    assert only(layer.states) is state
    assert state.creator is not None
    assert only(twin.states).creator is None
    assert_equal(only(twin.states).data, state.data)
    assert twin.numbers == [1, 2]
    assert copy.copy(layer).numbers is layer.numbers


# --- all layers -----------------------------------------------------------------------


@every_layer
def test_float32_is_kept_all_the_way(name):
    make, size, data = case(name)
    for sizes in ({}, size):
        layer, x = make(**sizes), Variable(data)
        y = layer(x)
        y = F.sum(y * layer(x))
        y.backward()
        assert y.dtype == x.grad.dtype == np.float32
        found = [*variables_by_name(layer).values(), *[p.grad for p in layer.params()]]
        assert {variable.dtype for variable in found} <= {np.dtype(np.float32)}


@every_layer
def test_gradients_are_right_to_second_order_for_inputs_and_parameters(name):
    if name == "Dropout":
        return
    make, _, data = case(name)
    layer = make()
    layer(data)
    statistics = [v for v in variables_by_name(layer).values() if type(v) is Variable]
    owners = [layer, *[v for v in vars(layer).values() if isinstance(v, Layer)]]
    members = [(owner, *item) for owner in owners for item in vars(owner).items()]
    places = [member for member in members if isinstance(member[2], Parameter)]
    starts = [random(*p.shape, dtype=float) * 0.7 + 0.1 for _, _, p in places]

    def f(x, *values):
        # Put the check's Variables in place of the parameters.
        for (owner, key, _), value in zip(places, values, strict=True):
            setattr(owner, key, value)
        for statistic in statistics:
            statistic.data = np.ones(statistic.shape)
        if isinstance(layer, L.recurrent.Recurrent):
            layer.reset_state()
            return layer(x), layer(x * x)
        return layer(x)

    x = random(*data.shape, dtype=np.float64)
    assert gradient_check(f, x, *[Variable(start) for start in starts])


@every_layer
def test_the_array_module_follows_the_data(name):
    make, _, data = case(name)
    results = []
    for xp in (np, cupy):
        manual_seed(0)
        layer = make()
        for variable in variables_by_name(layer).values():
            if xp is cupy and variable.data is not None:
                variable.data = cupy.asarray(variable.data)
        x = Variable(xp.array(data))
        with using_config("train", name != "Dropout"):
            F.sum(layer(x) * layer(x)).backward()
        found = [x.grad, *[p.grad for p in layer.params()]]
        found += variables_by_name(layer).values()
        assert all(isinstance(variable.data, xp.ndarray) for variable in found)
        results.append([variable.data for variable in found])
    for here, there in zip(*results, strict=True):
        assert_close(here, cupy.asnumpy(there), rtol=1e-5, atol=5e-6)


@every_layer
def test_sizes_given_or_told_by_the_first_input_make_the_same_layer(name):
    make, size, x = case(name)
    manual_seed(0)
    given = make(**size)
    manual_seed(0)
    told = make()
    y = told(x)
    if size:
        one, other = both(variables_by_name, given, told)
        assert one.keys() == other.keys()
        assert all(one[name].shape == other[name].shape for name in one)
    # A recurrent layer draws its weights in another order.
    if size and not isinstance(given, L.recurrent.Recurrent):
        assert_equal(given(x).data, y.data)


@every_layer
def test_saved_weights_load_into_a_layer_that_has_seen_no_input(name, tmp_path):
    make, _, x = case(name)
    layer, fresh = make(), make()
    layer(x)
    layer.save_weights(tmp_path / "weights.npz")
    fresh.load_weights(tmp_path / "weights.npz")
    assert same(snapshot(layer), snapshot(fresh))
    dtypes = [
        [v.dtype for v in variables_by_name(it).values()] for it in (layer, fresh)
    ]
    assert dtypes[0] == dtypes[1]
    if isinstance(layer, L.recurrent.Recurrent):
        layer.reset_state()
    with test_mode():
        assert_equal(layer(x).data, fresh(x).data)


# --- linear and convolution -----------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_weights_have_the_dtype_asked_for_and_the_size_of_their_inputs(dtype):
    manual_seed(0)
    layer = L.Linear(200, dtype=dtype, in_size=400)
    assert layer.W.dtype == layer.b.dtype == dtype
    assert not layer.b.data.any()
    kernels = L.Conv2d(100, (2, 3), dtype=dtype, in_channels=60, groups=2).W
    # An embedding picks rows, without a sum.
    rows = L.EmbedID(200, 400, dtype=dtype).W
    for W, std in [(layer.W, 1 / 20), (kernels, (30 * 6) ** -0.5), (rows, 1)]:
        assert W.dtype == dtype
        assert np.isclose(W.data.astype(float).std(), std, rtol=0.03)
        narrow = W.data.astype(np.float32)
        assert np.any(narrow != W.data) == (dtype is np.float64), "all digits are used"


@pytest.mark.parametrize(
    ("make", "wrong", "right"),
    [
        (lambda: L.Conv2d(4, 3), random(3, 8, 8), (1, 3, 8, 8)),
        (lambda: L.Conv2d(4, 3), random(1, 5, 2, 2), (1, 3, 8, 8)),
        (lambda: L.Deconv2d(4, 3), random(3, 8, 8), (1, 3, 8, 8)),
        (lambda: L.Deconv2d(4, 3, pad=2), random(1, 5, 1, 1), (1, 3, 8, 8)),
        (lambda: L.BatchNorm(), random(5, 7, 3), (5, 3)),
        (lambda: L.BatchNorm(), random(0, 7), (5, 3)),
        (lambda: L.Linear(4), np.array([["a", "b"]]), (5, 3)),
        (lambda: L.LayerNorm(), np.array([["a", "b"]]), (5, 3)),
    ],
)
def test_a_first_call_that_fails_fixes_no_size(make, wrong, right):
    layer = make()
    unknown = snapshot(layer)
    with pytest.raises((TypeError, ValueError), match=r"shape|dtype|str|'<U1'"):
        layer(wrong)
    assert {name for name, data in snapshot(layer).items() if data is not None} <= {"b"}
    assert unknown.keys() == snapshot(layer).keys()
    layer(random(*right))


# --- recurrence -----------------------------------------------------------------------


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def rnn_step(layer, x, h, c):
    h = np.tanh(x @ layer.x2h.W.data + layer.x2h.b.data + h @ layer.h2h.W.data)
    return h, c


def gru_step(layer, x, h, c):
    x2gates, x2h = layer.x2gates, layer.x2h
    gates = x @ x2gates.W.data + x2gates.b.data + h @ layer.h2gates.W.data
    r, z = np.split(sigmoid(gates), 2, axis=1)
    new = np.tanh(x @ x2h.W.data + x2h.b.data + (r * h) @ layer.h2h.W.data)
    return z * h + (1 - z) * new, c


def lstm_step(layer, x, h, c):
    gates = x @ layer.x2h.W.data + layer.x2h.b.data + h @ layer.h2h.W.data
    f, i, o, u = np.split(gates, 4, axis=1)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(u)
    return sigmoid(o) * np.tanh(c), c


@pytest.mark.parametrize(
    ("cell", "step"), [(L.RNN, rnn_step), (L.GRU, gru_step), (L.LSTM, lstm_step)]
)
def test_a_recurrent_layer_follows_its_formula(cell, step):
    layer = cell(3, in_size=2)
    for name, p in layer.named_params():
        if name.endswith("b"):
            p.data[...] = random(p.size)
    h = c = np.zeros((4, 3))
    for t in range(3):
        x = random(4, 2) + t
        h, c = step(layer, x, h, c)
        assert_close(layer(x).data, h, atol=1e-6)
        assert_close(layer.h.data, h, atol=1e-6)
        assert cell is not L.LSTM or np.allclose(layer.c.data, c, atol=1e-6)


@recurrent
def test_gradients_through_several_steps_are_right_to_second_order(cell):
    layer = cell(2, in_size=2, dtype=np.float64)

    def f(xs, *state):
        layer.set_state(*state)
        ys = F.concat([layer(x) for x in xs], axis=1)
        return (ys, layer.c) if cell is L.LSTM else ys

    xs, state = random(3, 3, 2, dtype=np.float64), random(3, 2, dtype=np.float64)
    states = [Variable(state), Variable(state - 0.5)]
    assert gradient_check(f, xs, *states[: 2 if cell is L.LSTM else 1])


@recurrent
def test_a_state_is_kept_until_it_is_reset_or_set(cell):
    layer = cell(3)
    x = random(4, 2)
    first = layer(x)
    state = (layer.h, layer.c) if cell is L.LSTM else (layer.h,)
    second = layer(x)
    assert not np.allclose(first.data, second.data)
    layer.reset_state()
    assert layer.h is None
    assert_equal(layer(x).data, first.data)
    for given in (state, [variable.data for variable in state]):
        layer.set_state(*given)
        assert_equal(layer(x).data, second.data)


def test_truncation_ends_the_memory_of_an_lstm_where_it_ends_the_output():
    def gradients(cut):
        manual_seed(0)
        layer = L.LSTM(3, in_size=2)
        y = layer(random(2, 2))
        if cut == "unchain_backward":
            F.sum(y).unchain_backward()
        if cut == "by hand":
            layer.set_state(y.detach(), layer.c.detach())
        F.sum(layer(random(2, 2))).backward()
        return [p.grad.data for p in layer.params()]

    cut, by_hand, whole = both(gradients, "unchain_backward", "by hand", "not")
    for a, b in zip(cut, by_hand, strict=True):
        assert_equal(a, b)
    assert not np.allclose(cut[0], whole[0])


# --- files ----------------------------------------------------------------------------


def model(*sizes, x=random(4, 3)):  # noqa: B008
    made = MLP(sizes)
    if x is not None:
        made(x)
    return made


def snapshot(layer):
    return {
        name: None if v.data is None else v.data.copy()
        for name, v in variables_by_name(layer).items()
    }


def same(a, b):
    return a.keys() == b.keys() and all(np.array_equal(a[name], b[name]) for name in a)


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (lambda: model(10, 2), "l0/W l0/b l1/W l1/b"),
        (lambda: L.RNN(3, in_size=2), "x2h/W x2h/b h2h/W"),
        (
            lambda: L.GRU(3, in_size=2),
            "x2gates/W x2gates/b h2gates/W x2h/W x2h/b h2h/W",
        ),
    ],
)
def test_files_hold_the_names_of_the_book(make, names, tmp_path):
    make().save_weights(tmp_path / "file.npz")
    with np.load(tmp_path / "file.npz") as file:
        assert set(file) == set(names.split())


def book_weights(in_size, hidden_size):
    """Return what the book's framework saves for a model of an LSTM and a Linear."""
    rng = np.random.default_rng(0)
    shapes = {"fc/W": (hidden_size, 1), "fc/b": (1,)}
    for gate in "fiou":
        shapes[f"rnn/x2{gate}/W"] = (in_size, hidden_size)
        shapes[f"rnn/x2{gate}/b"] = (hidden_size,)
        shapes[f"rnn/h2{gate}/W"] = (hidden_size, hidden_size)
    return {name: rng.standard_normal(shape) for name, shape in shapes.items()}


@pytest.mark.parametrize("told", [True, False])
def test_weights_of_the_books_lstm_load(told, tmp_path):
    arrays = book_weights(2, 3)
    np.savez_compressed(tmp_path / "rnn.npz", **arrays)
    net = Net(rnn=L.LSTM(3, in_size=2 if told else None), fc=L.Linear(1))
    net.load_weights(tmp_path / "rnn.npz")
    # The four gates, whose weights the layer keeps side by side.
    for part in ("x2h/W", "x2h/b", "h2h/W"):
        name, kind = part.replace("h/", "{}/"), variables_by_name(net)[f"rnn/{part}"]
        gates = [arrays["rnn/" + name.format(gate)] for gate in "fiou"]
        assert_close(kind.data, np.concatenate(gates, axis=-1), rtol=1e-6)
        assert kind.dtype == np.float32
    assert_close(net.fc.W.data, arrays["fc/W"], rtol=1e-6)


@pytest.mark.parametrize("shape", [(), (3,), (1, 2, 3)])
def test_a_parameter_without_a_form_takes_any_shape(shape, tmp_path):
    save_arrays(tmp_path / "net.npz", {"W": np.ones(shape)})
    net = Net(W=Parameter(None))
    net.load_weights(tmp_path / "net.npz")
    assert net.W.shape == shape


def masked(dtype):
    return Net(mask=Parameter(np.zeros(2, dtype)), W=param())
