"""Models as ONNX files: other programs compute the same from them."""

import numpy as np
import pytest

import dezero_lite
from dezero_lite import Config, Function, Parameter, Variable
from dezero_lite import functions as F
from dezero_lite import layers as L
from dezero_lite.models import GPT, MLP, VGG16, Model, Sequential
from tests.support.needs import needs

onnx = pytest.importorskip("onnx", reason="onnx is not installed")
from dezero_lite.onnx import RULES, export  # noqa: E402

rng = np.random.default_rng(0)


def random(*shape):
    return rng.standard_normal(shape, dtype=np.float32)


def run(path, x):
    """Compute with ONNX Runtime, or slowly with onnx itself if that is missing."""
    try:
        from onnxruntime import InferenceSession as Program
    except ImportError:
        from onnx.reference import ReferenceEvaluator as Program
    return Program(str(path)).run(None, {"x": x})


def check(model, path, *batches, atol=1e-5):
    """Export with the first batch, and compare on the others."""
    path = path / "model.onnx"
    export(model, batches[0], path)
    for x in batches[1:]:
        if hasattr(model, "start"):
            model.start()
        with dezero_lite.test_mode():
            ys = model(Variable(x))
        ys = ys if isinstance(ys, tuple) else (ys,)
        for y, found in zip(ys, run(path, x), strict=True):
            assert (y.shape, y.dtype) == (found.shape, found.dtype)
            np.testing.assert_allclose(found, y.data, rtol=1e-5, atol=atol)


def test_a_perceptron(tmp_path):
    check(MLP((30, 10)), tmp_path, random(2, 7), random(1, 7), random(5, 7))


def test_a_convolutional_network(tmp_path):
    model = Sequential(
        *(L.Conv2d(8, 3, pad=1), L.BatchNorm(), F.relu),
        *(lambda x: F.pooling(x, 2, 2), L.Dropout(), L.Conv2d(4, 3, 2, 1, groups=2)),
        *(lambda x: F.average_pooling(x, 3, 2, 1), L.Deconv2d(3, 4, 2, 1)),
        *(F.flatten, L.Linear(10)),
    )
    for _ in range(3):
        model(3 * random(6, 1, 12, 12) + 1)
    model.l1.gamma.data[:] = random(8)
    batches = [random(n, 1, 12, 12) for n in (2, 1, 7)]
    check(model, tmp_path, *batches)


class Sequence(Model):
    """Return the last output of a recurrent layer."""

    def __init__(self, layer):
        self.rnn, self.out = layer, L.Linear(3)

    def start(self):
        self.rnn.reset_state()

    def forward(self, x):
        for t in range(x.shape[1]):
            h = self.rnn(x[:, t])
        return self.out(h)


@pytest.mark.parametrize("layer", [L.LSTM, L.GRU, L.RNN])
def test_a_recurrent_network_unrolled(layer, tmp_path):
    batches = [random(n, 5, 4) for n in (2, 1, 9)]
    check(Sequence(layer(6)), tmp_path, *batches)


@pytest.mark.parametrize("tied", [False, True])
def test_a_gpt(tied, tmp_path):
    model = GPT(20, 8, tied=tied)
    batches = [rng.integers(0, 20, (n, 8)) for n in (2, 1, 5)]
    check(model, tmp_path, *batches, atol=1e-4)


@needs("onnxruntime")
@pytest.mark.slow
def test_vgg16(tmp_path):
    x = random(1, 3, 64, 64)
    check(VGG16(), tmp_path, x, np.concatenate([x, x]), atol=1e-4)


ROWS, MATRIX = np.array([0, 2]), random(2, 3)
VECTOR, TOKEN = Parameter(random(7)), Parameter(random(1, 1, 7))
FUNCTIONS = [
    lambda x: x + 1.5 - x * 2 / (x * x + 1) - (-x),
    lambda x: F.sin(x) + F.cos(x) * F.tanh(x) - F.exp(x),
    lambda x: F.log(F.sqrt(abs(x) + 1)) ** 3,
    lambda x: (
        F.sigmoid(x) + F.relu(x) + F.leaky_relu(x, 0.1) + F.gelu(x) + F.softplus(x)
    ),
    lambda x: F.softmax(x) - F.log_softmax(x) + F.logsumexp(x, axis=1, keepdims=True),
    lambda x: F.maximum(x, 0.1) + F.minimum(x, -0.1) + F.clip(x, -0.5, None),
    lambda x: F.where(np.arange(7) > 3, x, 0.0) + x.astype(np.float64),
    lambda x: (x.sum(axis=0), F.mean(x, axis=1), x.max(axis=1), F.min(x), x.sum()),
    lambda x: F.stack([x, x.reshape(-1, 7)], axis=1).transpose(2, 0, 1),
    lambda x: F.concat([x[:, ::-2], x[:, 1:-2], F.pad(x, 1)[1:-1, -3:]], axis=1),
    lambda x: F.split(x, [2, 3], axis=1),
    lambda x: x.T[ROWS].T @ MATRIX,
    lambda x: F.expand_dims(x[:, 3], 1) + F.broadcast_to(x[:, 1:2], x.shape),
    lambda x: (x[:, None], x[..., 0], x[None, ..., 1:, None], x[:, -1, None]),
    lambda x: F.where(F.relu(x), x, 0.1 * x),
    lambda x: x + np.array([np.nan, *range(6)], np.float32),
    # The number of rows comes from the input.
    lambda x: x.reshape((len(x), -1)) + F.sum(x).reshape((1, -1)),
    lambda x: F.expand_dims(x, 2).reshape((len(x), -1, 1)),
    lambda x: (x @ x.T).reshape((len(x), len(x), 1)),
    lambda x: x + F.sum(F.broadcast_to(VECTOR, (len(x), 7)), axis=0),
    lambda x: x + F.sum(np.ones((len(x), 7), np.float32) * VECTOR, axis=0),
    lambda x: np.ones((2, len(x)), np.float32) @ x,
    lambda x: F.broadcast_to(x.reshape((-1, 1)), (7 * len(x), 2)),
    lambda x: F.reshape(x.reshape((-1, 1)) @ x[:, :1].T, (7 * len(x), len(x), 1)),
    lambda x: F.concat([np.zeros((len(x), 1), np.float32), x], axis=1),
    lambda x: F.concat([F.broadcast_to(TOKEN, (len(x), 1, 7)), x[:, None]], axis=1),
]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_a_function(f, tmp_path):
    check(f, tmp_path, random(2, 7), random(1, 7), random(4, 7))
    # Constants of the model may look like this one.
    check(f, tmp_path, np.ones((1, 7), np.float32), random(3, 7))


TABLE, OTHER = L.EmbedID(10, 3), L.EmbedID(10, 3)


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint8])
@pytest.mark.parametrize(
    "f",
    [
        lambda x: TABLE(x[:, 0]) * OTHER(x[:, 1]),
        lambda x: x.astype(np.float32) / 255,
        lambda x: F.where(x[..., None], TABLE(x), 0.0),
    ],
)
def test_whole_numbers(f, dtype, tmp_path):
    batches = [rng.integers(0, 10, (n, 2)).astype(dtype) for n in (1, 1, 3, 7)]
    check(f, tmp_path, *batches)


def test_truth_values(tmp_path):
    batches = [random(n, 7) > 0 for n in (1, 1, 3)]
    check(lambda x: F.where(x, VECTOR, 0.0), tmp_path, *batches)


def shares(x):
    if not 0 <= x.data.min() <= x.data.max() <= 1:
        raise ValueError("shares are from 0 to 1")
    return F.log(x)


def guarded(x):
    y = F.log(x)
    return y if np.isfinite(y.data).all() else 0 * y


@pytest.mark.filterwarnings("always")
@pytest.mark.parametrize("f", [shares, guarded, lambda x: F.log(x) + F.sqrt(x)])
def test_a_model_that_does_not_take_all_numbers(f, tmp_path, recwarn):
    check(f, tmp_path, *[rng.random((n, 3)) + 1e-3 for n in (1, 1, 4)])
    assert not recwarn


class Unbuilt(Model):
    layer = None

    def forward(self, x):
        if self.layer is None:
            self.layer = L.Linear(4)
        return self.layer(x)


def test_a_model_that_builds_its_layers_at_the_first_input(tmp_path):
    check(Unbuilt(), tmp_path, random(2, 7), random(3, 7))


NAMES = ["x", "x_", "y", "array0", "array1", "array2", "Mul0_0", "Add1_0", "parameter"]


class Named(Model):
    def __init__(self):
        for name in NAMES:
            setattr(self, name, Parameter(random(7)))

    def forward(self, x):
        for name in NAMES:
            x = x * getattr(self, name) + 0.5 * VECTOR
        return x


def test_names_are_given_once(tmp_path):
    check(Named(), tmp_path, random(2, 7), random(3, 7))


@pytest.mark.parametrize("layer", [L.LSTM, L.GRU, L.RNN])
@pytest.mark.parametrize(
    "wrap", [lambda m: m, lambda m: m.__call__, lambda m: lambda x: m(x)]
)
def test_the_model_stays_as_it_was(layer, wrap, tmp_path):
    model = Sequence(layer(6))
    model.norm = L.BatchNorm()
    forward = model.forward
    model.forward = lambda x: model.norm(forward(x))
    model(random(3, 5, 4))
    states = [dict(vars(part)) for part in (model, model.rnn, model.norm)]
    averages = model.norm.avg_mean.data.copy(), model.norm.avg_var.data.copy()
    call = Function.__call__
    export(wrap(model), random(2, 5, 4), tmp_path / "a.onnx")
    assert [vars(part) for part in (model, model.rnn, model.norm)] == states
    assert np.array_equal(averages, (model.norm.avg_mean.data, model.norm.avg_var.data))
    assert (Config.train, Config.enable_backprop) == (True, True)
    assert Function.__call__ is call


# --- what is refused ------------------------------------------------------------------


class Cube(dezero_lite.Function):
    def forward(self, x):
        return x**3

    def backward(self, gy):
        return 3 * self.inputs[0] ** 2 * gy

    def exponent(self):
        return 3


def cubed(x):
    return Cube()(x) + 1


def test_a_function_without_an_operator_is_named_with_its_line_until_it_has(tmp_path):
    with pytest.raises(
        NotImplementedError, match=r"^Cube has no .*return Cube\(\)\(x\) \+ 1$"
    ):
        export(cubed, random(2, 3), tmp_path / "a.onnx")
    assert not (tmp_path / "a.onnx").exists()
    RULES[Cube] = lambda n: n.op(
        "Pow", n.x, n.number(np.full(n.f.inputs[0].shape[1], n.f.exponent()))
    )
    try:
        check(cubed, tmp_path, random(2, 3), random(4, 3))
    finally:
        del RULES[Cube]


def by_sign(x):
    return x * 2 if x.data.sum() > 0 else -x


def by_wires(x):
    y = F.sin(x)
    z = F.sin(y)
    return (y if x.data.sum() > 0 else z) * z


def rows_one_by_one(x):
    return F.stack([x[i] * 2 for i in range(len(x))])


NUMBERS = [
    lambda x: x / abs(x.data).max(),
    lambda x: F.where(x > 0, x, 0.1 * x),
    lambda x: F.where(x.data > 50, x, 0.1 * x),
    lambda x: F.where(F.log(abs(x)).data > 0, x, 0.1 * x),
    lambda x: F.where(np.isnan(x.data), 0.0, x),
    lambda x: F.clip(x, 0, float(x.data.max())),
    lambda x: F.leaky_relu(x, float(abs(x.data).max())),
    lambda x: x[:, int(x.data[0].argmax())],
    lambda x: x * MATRIX[int(x.data.sum() > 0)],
    lambda x: F.linear(x, [SQUARE, SQUARES][int(x.data.sum() > 0)]),
    lambda x: F.sin(x) - F.exp(x) if x.data.sum() > 0 else F.exp(x) - F.sin(x),
    lambda x: (x * 2).detach(),
    lambda x: F.split(x, 3, axis=1)[int(x.data.sum() > 0)],
    by_sign,
    by_wires,
]
SQUARE, SQUARES = Parameter(random(3, 3)), Parameter(random(3, 3))
LENGTHS = [
    lambda x: x * x.shape[0],
    lambda x: x + np.arange(len(x))[:, None],
    lambda x: F.broadcast_to(x.sum(), (2 * len(x),)),
    rows_one_by_one,
]


@pytest.mark.parametrize("example", [np.ones((1, 3), np.float32), random(2, 3)])
@pytest.mark.parametrize(
    ("f", "cause"),
    [(f, "the numbers of the example") for f in NUMBERS]
    + [(f, "the number of rows") for f in LENGTHS],
)
def test_what_is_computed_outside_of_the_graph_is_refused(f, cause, example, tmp_path):
    with pytest.raises(ValueError, match=cause):
        export(f, example, tmp_path / "a.onnx")


@pytest.mark.parametrize(
    "f",
    [
        lambda x: TABLE(x) * (x.data.max() > 3),
        lambda x: F.where((x.data != 0)[..., None], TABLE(x), 0.0),  # no zeros so far
        lambda x: F.where((x.data == 5)[..., None], TABLE(x), 0.0),
        lambda x: F.where(x.data > 9, 1.0, x.astype(np.float32)),
        lambda x: TABLE(np.minimum(x.data, 8)),
    ],
)
@pytest.mark.parametrize("example", [[[1, 8]], [[4, 4], [4, 4]]])
def test_what_is_computed_from_whole_numbers_is_refused(f, example, tmp_path):
    with pytest.raises(ValueError, match="the numbers of the example"):
        export(f, np.array(example), tmp_path / "a.onnx")


def test_a_decision_is_found_among_the_numbers_that_the_model_takes(tmp_path):
    example = np.array([[0.1, 0.2, *[1.0] * 9]])
    with pytest.raises(ValueError, match="the numbers of the example"):
        export(lambda x: F.where(shares(x) > -1, x, 0.0), example, tmp_path / "a.onnx")


def test_every_byte_may_come(tmp_path):
    with pytest.raises(ValueError, match="the numbers of the example"):
        export(lambda x: x * (x > 200), np.ones((1, 3), np.uint8), tmp_path / "a.onnx")


def test_the_line_is_that_of_the_call(tmp_path):
    def model(x):
        x = F.where(np.arange(3) > 1, x, 0.0)
        return F.where(x > 1, x, 0.0)

    line = r"Where .*test_onnx.py, line \d+: return F.where\(x > 1, x, 0.0\)$"
    with pytest.raises(ValueError, match=line):
        export(model, random(2, 3), tmp_path / "a.onnx")


def test_a_model_for_few_rows_is_refused(tmp_path):
    def model(x):
        return x @ np.ones((3, 4), np.float32).reshape(3 * len(x), -1)

    message = r"for 2 rows .* raises “x and W do not multiply.*, line \d+: return x @"
    with pytest.raises(ValueError, match=message):
        export(model, random(1, 3), tmp_path / "a.onnx")


def test_an_index_without_an_operator_is_refused(tmp_path):
    with pytest.raises(NotImplementedError, match=r"GetItem .*lambda x: x\[ROWS, ROWS"):
        export(lambda x: x[ROWS, ROWS], random(3, 3), tmp_path / "a.onnx")


def test_an_example_is_a_batch(tmp_path):
    with pytest.raises(ValueError, match="a batch of at least one input"):
        export(F.relu, np.float32(1), tmp_path / "a.onnx")
