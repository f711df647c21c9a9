"""Models as ONNX files: what other programs compute from them is the same."""

import numpy as np
import pytest

import dezero_lite
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
    """What ONNX Runtime computes; without it, what onnx itself does, slowly."""
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
            ys = model(x)
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
    """The last output of a recurrent layer."""

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
    x = random(1, 3, 224, 224)
    check(VGG16(), tmp_path, x, np.concatenate([x, x]), atol=1e-4)


ROWS, MATRIX = np.array([0, 2]), random(2, 3)
FUNCTIONS = [
    lambda x: x + 1.5 - x * 2 / (x * x + 1) - (-x),
    lambda x: F.sin(x) + F.cos(x) * F.tanh(x) - F.exp(x),
    lambda x: F.log(F.sqrt(abs(x) + 1)) ** 3,
    lambda x: F.sigmoid(x) + F.relu(x) + F.leaky_relu(x, 0.1) + F.gelu(x),
    lambda x: F.softmax(x) - F.log_softmax(x) + F.logsumexp(x, axis=1, keepdims=True),
    lambda x: F.maximum(x, 0.1) + F.minimum(x, -0.1) + F.clip(x, -0.5, None),
    lambda x: F.where(np.arange(7) > 3, x, 0.0) + x.astype(np.float64),
    lambda x: (x.sum(axis=0), F.mean(x, axis=1), x.max(axis=1), F.min(x), x.sum()),
    lambda x: F.stack([x, x.reshape(-1, 7)], axis=1).transpose(2, 0, 1),
    lambda x: F.concat([x[:, ::-2], x[:, 1:-2], F.pad(x, 1)[1:-1, -3:]], axis=1),
    lambda x: F.split(x, [2, 3], axis=1),
    lambda x: x.T[ROWS].T @ MATRIX,
    lambda x: F.expand_dims(x[:, 3], 1) + F.broadcast_to(x[:, 1:2], x.shape),
]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_a_function(f, tmp_path):
    check(f, tmp_path, random(2, 7), random(1, 7), random(4, 7))


# --- what is refused ------------------------------------------------------------------


class Cube(dezero_lite.Function):
    def forward(self, x):
        return x**3

    def backward(self, gy):
        return 3 * self.inputs[0] ** 2 * gy


def cubed(x):
    return Cube()(x) + 1


def test_a_function_without_an_operator_is_named_with_its_line_until_it_has(tmp_path):
    with pytest.raises(
        NotImplementedError, match=r"Cube has no .*return Cube\(\)\(x\)"
    ):
        export(cubed, random(2, 3), tmp_path / "a.onnx")
    assert not (tmp_path / "a.onnx").exists()
    RULES[Cube] = lambda n: n.op("Mul", n.x, n.op("Mul", n.x, n.x))
    try:
        check(cubed, tmp_path, random(2, 3), random(4, 3))
    finally:
        del RULES[Cube]


class Scaled(Model):
    def forward(self, x):
        scale = abs(x.data).max()
        return x / scale


@pytest.mark.parametrize(
    "model",
    [
        Scaled(),
        lambda x: x * x.shape[0],
        lambda x: F.where(x.data > 0, x, 0.0),
        lambda x: x[x.data[:, 0] > 0],
        lambda x: sum([x[i] for i in range(len(x))], np.zeros(3, np.float32)),
    ],
)
def test_what_looks_at_the_example_itself_is_refused(model, tmp_path):
    with pytest.raises(ValueError, match="computed from the numbers of the example"):
        export(model, random(2, 3), tmp_path / "a.onnx")


def test_an_example_is_a_batch(tmp_path):
    with pytest.raises(ValueError, match="a batch with one input at least"):
        export(F.relu, np.float32(1), tmp_path / "a.onnx")
