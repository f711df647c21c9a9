import itertools

import numpy as np
import pytest

from dezero_lite import Variable, no_grad, test_mode
from dezero_lite import functions as F
from dezero_lite import layers as L
from dezero_lite import models as M
from dezero_lite.graph import Picture
from dezero_lite.layers import conv, linear
from tests.support.arrays import assert_close, assert_equal, normal


def random(*shape):
    return normal(*shape, dtype=np.float32)


class Small(M.ResNet):
    """A ResNet with the same names and smaller layers."""

    def __init__(self, pretrained=False):
        self.conv1 = L.Conv2d(4, 3, 2, 1, nobias=True)
        self.bn1 = L.BatchNorm()
        self.fc6 = L.Linear(3)
        self.load_pretrained(pretrained, self.WEIGHTS_PATH.format(0))

    def forward(self, x):
        return self.fc6(F.mean(F.relu(self.bn1(self.conv1(x))), axis=(2, 3)))


@pytest.fixture
def light(monkeypatch):
    """Return weights of zeros, which take no memory until something is written
    to them.
    """
    made = []

    def zeros(shape, fan_in, dtype, xp):
        made.append(shape)
        return xp.zeros(shape, dtype)

    for module in (linear, conv):
        monkeypatch.setattr(module, "random_weights", zeros)
    yield
    assert made


# --- small ones -----------------------------------------------------------------------


def names(model):
    return " ".join(name for name, _ in model.named_params())


@pytest.mark.parametrize("make", [lambda: M.MLP((4, 3)), lambda: three_layers()])
def test_a_layer_that_is_replaced_is_used_and_learned(make):
    model, x = make(), random(5, 6)
    model(x)
    old, new = model.l0, L.Linear(4)
    model.l0 = new
    inner = F.sigmoid if isinstance(model, M.MLP) else F.relu
    expected = model.layers[-1](inner(new(x)))
    assert_equal(model(x).data, expected.data)
    assert model.layers[0] is new
    params = list(model.params())
    assert any(p is new.W for p in params)
    assert not any(p is old.W for p in params)
    assert repr(model).count("l0: ") == repr(model).count("in_size=6") == 1
    assert "layers" not in repr(model)


def three_layers():
    return M.Sequential(L.Linear(4), F.relu, L.Linear(2))


def test_a_model_draws_itself(tmp_path, monkeypatch):
    calls = []
    monkeypatch.setattr(
        "dezero_lite.models.model.plot_dot_graph",
        lambda y, **settings: calls.append((y, settings)) or Picture("digraph {}"),
    )
    model, file = M.MLP((3, 1)), str(tmp_path / "a.png")
    assert isinstance(model.plot(random(2, 2), to_file=file), Picture)
    model.plot(random(2, 2))
    assert [y.shape for y, _ in calls] == [(2, 1)] * 2
    assert [settings["to_file"] for _, settings in calls] == [file, "model.png"]
    assert all(settings["verbose"] is True for _, settings in calls)


# --- for images -----------------------------------------------------------------------


def count(model):
    return sum(p.size for p in model.params())


def note_shapes(layers, shapes):
    """Let each layer record the shape of its result."""

    def noting(forward):
        def noted(x):
            y = forward(x)
            shapes.append(y.shape)
            return y

        return noted

    for layer in layers:
        layer.forward = noting(layer.forward)


@pytest.fixture
def only_shapes(monkeypatch):
    """Replace convolutions with functions that only compute their shape."""

    def conv2d(x, W, b, stride, pad, *_):
        sizes = [
            F.window.get_conv_outsize(n, k, stride, pad)
            for n, k in zip(x.shape[2:], W.shape[2:], strict=True)
        ]
        return Variable(np.zeros((len(x), len(W), *sizes), np.float32))

    monkeypatch.setattr(F, "conv2d", conv2d)


@pytest.mark.usefixtures("light", "only_shapes")
def test_vgg16_has_the_published_shapes_and_number_of_parameters():
    model, shapes = M.VGG16(), []
    convs = [layer for name, layer in vars(model).items() if name.startswith("conv")]
    note_shapes(convs, shapes)
    with test_mode(), no_grad():
        assert model(random(1, 3, 32, 32)).shape == (1, 1000)
    # As 224, 112, 56, 28, 14 in the paper.
    assert [y[2] for y in shapes] == [32] * 2 + [16] * 2 + [8] * 3 + [4] * 3 + [2] * 3
    # Here fc6 sees 512 channels of one pixel; for an image of 224 × 224, it sees 7 × 7.
    assert model.fc6.in_size == 512
    assert count(model) + (7 * 7 - 1) * 512 * 4096 == 138_357_544
    sizes = [3, 64, 64, *[128] * 2, *[256] * 3, *[512] * 6]
    kernels = [(after, before, 3, 3) for before, after in itertools.pairwise(sizes)]
    assert [conv.W.shape for conv in convs] == kernels


RESNETS = [(M.ResNet50, 25_557_032, 50), (M.ResNet101, 44_549_160, 101)]
RESNETS += [(M.ResNet152, 60_192_808, 152)]


@pytest.mark.usefixtures("light", "only_shapes")
@pytest.mark.parametrize(("make", "parameters", "layers"), RESNETS)
def test_resnets_have_the_published_shapes_parameters_and_layers(
    make, parameters, layers
):
    model, shapes = make(), []
    parts = ("conv1", "res2", "res3", "res4", "res5")
    note_shapes([getattr(model, name) for name in parts], shapes)
    with test_mode(), no_grad():
        assert model(random(1, 3, 96, 96)).shape == (1, 1000)
    # As 224, 112, 56, 28, 14, 7 in the paper.
    expected = [(64, 48), (256, 24), (512, 12), (1024, 6), (2048, 3)]
    assert shapes == [(1, channels, size, size) for channels, size in expected]
    assert model.res3.a.conv4.W.shape == (512, 256, 1, 1)
    assert model.res3.b3.conv2.W.shape == (128, 128, 3, 3)
    assert count(model) == parameters
    weights = [name for name in names(model).split() if name.endswith("W")]
    assert sum("conv4" not in name for name in weights) == layers


def test_a_resnet_pools_over_three_by_three_pixels_past_the_edge(light):
    model, seen = M.ResNet50(), []
    # The first convolution gives the numbers 0 to 35 in six rows.
    model.conv1 = lambda x: Variable(np.arange(36.0).reshape(1, 1, 6, 6))
    model.bn1 = lambda x: x

    def look(x):
        seen.append(x.data)
        return Variable(np.zeros((1, 2048, 1, 1), np.float32))

    model.res2 = look
    model.res3 = model.res4 = model.res5 = lambda x: x
    model(random(1, 3, 4, 4))
    assert seen[0][0, 0].tolist() == [[14, 16, 17], [26, 28, 29], [32, 34, 35]]


@pytest.mark.parametrize(
    "make",
    [lambda: M.Bottleneck(8, 2, 8, 1, project=False), lambda: M.BottleneckB(8, 2)],
)
def test_a_bottleneck_adds_to_its_input(make):
    block, x = make(), random(2, 8, 3, 3)
    block(x)
    block.bn3.gamma.data[...] = 0
    assert_equal(block(x).data, np.maximum(x, 0))
    block.bn3.beta.data[...] = 2
    assert_close(block(x).data, np.maximum(x + 2, 0))
    assert block.conv1.in_channels == 8


@pytest.mark.parametrize(
    ("by_3x3", "middle"), [(False, (1, 2, 3, 3)), (True, (1, 2, 6, 6))]
)
def test_the_bottleneck_of_the_book_that_changes_the_size(by_3x3, middle):
    block = M.BottleneckA(4, 2, 8, downsample_fb=by_3x3)
    assert block.conv1(random(1, 4, 6, 6)).shape == middle
    assert block(random(1, 4, 6, 6)).shape == (1, 8, 3, 3)
    assert M.BottleneckA(4, 2, 8, 3)(random(1, 4, 6, 6)).shape == (1, 8, 2, 2)
    assert M.BottleneckA(4, 2, 8).conv4.in_channels == 4
