"""PyTorch's weights in layers of this package give the same results."""

import numpy as np
import pytest

import dezero_lite
from dezero_lite import functions as F
from dezero_lite import layers as L
from dezero_lite.array_files import save_arrays
from dezero_lite.models import MLP, Sequential
from dezero_lite.pytorch import load_state_dict
from tests.support.needs import needs

rng = np.random.default_rng(0)


def random(*shape):
    return rng.standard_normal(shape, dtype=np.float32)


def module(make):
    """Make a PyTorch module whose weights and averages are all random."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    made = make(torch.nn).eval()
    for name, tensor in made.state_dict().items():
        if tensor.is_floating_point():
            low = 0.5 if name.endswith("var") else -1.0
            torch.nn.init.uniform_(tensor, low, 1.0)
    return made


def output(made, x):
    torch = pytest.importorskip("torch")
    with torch.no_grad():
        y = made(torch.from_numpy(x))
    return (y[0] if isinstance(y, tuple) else y).numpy()


CNN = {"l0": "0", "l1": "1", "l3": "3", "l5": "5", "l6": "6", "l8": "8"}
PAIRS = [
    (
        lambda nn: nn.Sequential(nn.Linear(7, 5), nn.Sigmoid(), nn.Linear(5, 5)),
        lambda: MLP((5, 5)),
        {"l0": "0", "l1": "2"},
        random(4, 7),
    ),
    (
        lambda nn: nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1),
            nn.BatchNorm2d(8),
            nn.ReLU(),
            nn.ConvTranspose2d(8, 4, 3, stride=2),
            nn.Flatten(),
            nn.Linear(4 * 13 * 13, 6),
            nn.LayerNorm(6),
            nn.ReLU(),
            nn.Linear(6, 6, bias=False),
        ),
        lambda: Sequential(
            *(L.Conv2d(8, 3, pad=1), L.BatchNorm(), F.relu),
            *(L.Deconv2d(4, 3, stride=2), F.flatten, L.Linear(6), L.LayerNorm()),
            *(F.relu, L.Linear(6, nobias=True)),
        ),
        CNN,
        random(2, 3, 6, 6),
    ),
    (lambda nn: nn.RNNCell(5, 6), lambda: L.RNN(6), {}, random(3, 5)),
    (lambda nn: nn.Embedding(9, 4), lambda: L.EmbedID(9, 4), {}, np.array([[1, 8]])),
    (
        lambda nn: nn.Sequential(nn.Linear(2, 3)),
        lambda: Sequential(L.Linear(3)),
        {"l0": "0"},
        random(1, 2),
    ),
]


@pytest.mark.parametrize(("theirs", "ours", "names", "x"), PAIRS)
def test_a_pytorch_model_computes_the_same_here(theirs, ours, names, x):
    made, model = module(theirs), ours()
    load_state_dict(model, made.state_dict(), names)
    with dezero_lite.test_mode():
        np.testing.assert_allclose(model(x).data, output(made, x), rtol=0, atol=1e-5)


def test_an_lstm_remembers_the_same():
    made, model = module(lambda nn: nn.LSTM(5, 6)), L.LSTM(6)
    load_state_dict(model, made.state_dict())
    xs = random(9, 2, 5)
    found = np.stack([model(x).data for x in xs])
    np.testing.assert_allclose(found, output(made, xs), rtol=0, atol=1e-5)


def test_attention_looks_the_same_way():
    made = module(lambda nn: nn.MultiheadAttention(8, 2, batch_first=True))
    model, x = L.MultiHeadAttention(8, 2, causal=False), random(3, 5, 8)
    load_state_dict(model, made.state_dict())
    expected = output(lambda x: made(x, x, x), x)
    np.testing.assert_allclose(model(x).data, expected, rtol=0, atol=1e-5)


@needs("safetensors", "torch")
def test_a_file_that_pytorch_wrote_loads_and_is_read_there_again(tmp_path):
    from safetensors.torch import load_file, save_file

    made = module(lambda nn: nn.Linear(4, 4))
    save_file(made.state_dict(), tmp_path / "model.safetensors")
    model = L.Linear(4)
    load_state_dict(model, tmp_path / "model.safetensors")
    model.save_weights(tmp_path / "ours.safetensors")
    found = load_file(tmp_path / "ours.safetensors")
    assert (found["W"] == made.weight.T).all()
    assert (found["b"] == made.bias).all()


class Net(L.Layer):
    """A layer with a list of layers, nested layers, and a parameter."""

    def __init__(self):
        self.scale = dezero_lite.Parameter(np.zeros(2, np.float32))
        self.blocks = [Sequential(L.Linear(2)), L.Linear(2)]


def weights(**changed):
    """Make a state_dict for `Net` from plain arrays; None leaves one out."""
    names = ("scale", "head.0.weight", "head.0.bias", "blocks.1.weight")
    found = {name: random(2, 2) for name in names} | {"blocks.1.bias": random(2)}
    found |= {"scale": random(2), "head.0.bias": random(2)}
    found |= {"bn.num_batches_tracked": np.array(3)} | changed
    return {name: value for name, value in found.items() if value is not None}


NAMES = {"blocks/0": "head", "blocks/0/l0": "head.0"}


def test_layers_within_layers_are_found_and_nothing_is_shared(tmp_path):
    state, net = weights(), Net()
    load_state_dict(net, state, NAMES)
    expected = state["head.0.weight"].T.copy()
    state["head.0.weight"][:] = 0
    np.testing.assert_array_equal(net.blocks[0].l0.W.data, expected)
    np.testing.assert_array_equal(net.scale.data, state["scale"])
    assert net.blocks[0].l0.W.data.flags.c_contiguous
    save_arrays(tmp_path / "a.npz", weights())
    load_state_dict(net, tmp_path / "a.npz", NAMES)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"scale": None}, "the state_dict has no scale, so nothing was loaded"),
        ({"tail.weight": random(2)}, "the model lacks, .*: tail.weight"),
        ({"blocks.1.weight": random(3, 3)}, r"another shape: blocks/1/W \(file: \(3, "),
        ({"scale": np.array(["a", "b"])}, "not real numbers: scale"),
    ],
)
def test_what_does_not_fit_is_named_and_nothing_changes(changed, message):
    net = Net()
    with pytest.raises(ValueError, match=message):
        load_state_dict(net, weights(**changed), NAMES)
    assert net.scale.data.tolist() == [0, 0]
    assert net.blocks[1].W.data is None


def test_a_gru_says_why_it_cannot():
    with pytest.raises(ValueError, match="a GRU cannot take PyTorch's weights"):
        load_state_dict(L.GRU(3), {})
