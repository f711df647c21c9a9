import copy
import itertools
import pickle

import numpy as np
import pytest

from dezero_lite import Variable, no_grad, test_mode
from dezero_lite import functions as F
from dezero_lite import layers as L
from dezero_lite import models as M
from dezero_lite.graph import Picture
from dezero_lite.layers import conv, linear
from dezero_lite.layers.layer import variables_by_name
from dezero_lite.npz import load_arrays, save_arrays
from tests.support.arrays import assert_close, assert_equal, normal


def random(*shape):
    return normal(*shape, dtype=np.float32)


@pytest.fixture
def light(monkeypatch):
    """Weights of zeros, which cost no memory as long as nobody writes to them."""
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


def test_a_sequence_calls_its_layers_in_order():
    model = M.Sequential(L.Linear(4), F.relu, L.Linear(2))
    x = random(5, 3)
    assert_equal(model(x).data, model.l2(F.relu(model.l0(x))).data)
    assert names(model) == "l0/W l0/b l2/W l2/b"
    assert model.layers[1] is model.l1 is F.relu
    assert M.Sequential()(x) is x


def test_an_mlp_bends_between_its_layers_but_not_after_them():
    for activation in (F.sigmoid, F.relu):
        model = M.MLP((4, 3, 2), activation)
        x = random(5, 6)
        h = activation(model.l1(activation(model.l0(x))))
        assert_equal(model(x).data, model.l2(h).data)
    assert M.MLP((4,)).activation is F.sigmoid
    assert repr(model).startswith("MLP(\n  l0: Linear(out_size=4, in_size=6)\n  l1: ")


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


def test_a_block_that_is_replaced_is_used():
    block = M.BuildingBlock(2, 2, 4, stride=1)
    block.b1 = lambda x: x * 0
    assert not block(random(1, 3, 4, 4)).data.any()


def test_a_copy_of_a_model_has_layers_of_its_own():
    model, x = M.Sequential(M.MLP((4, 3), F.relu), L.LSTM(2), L.Linear(2)), random(5, 6)
    with test_mode():
        y = model(x)
    for copied in (copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))):
        model.l1.reset_state()
        twin = copied(model)
        assert_equal(twin(x).data, y.data)
        assert names(twin) == names(model)
        twin.l2 = L.Linear(7)
        assert twin(x).shape == (5, 7)
        model.l1.reset_state()
        assert_equal(model(x).data, y.data)


def test_an_mlp_takes_sizes_in_any_sequence():
    assert M.MLP(np.array([4, 3])).l1.out_size == 3


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


def test_a_model_of_two_inputs_draws_itself():
    class Two(M.Model):
        def forward(self, a, b):
            return a * b

    text = repr(Two().plot(Variable(np.ones(2)), Variable(np.ones(2)), to_file=None))
    assert text.startswith("digraph")
    assert "Mul" in text


# --- for images -----------------------------------------------------------------------


def count(model):
    return sum(p.size for p in model.params())


def note_shapes(layers, shapes):
    """Let each layer note the shape of what it returns."""

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
    """Convolutions that compute nothing but their shape."""

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
    # Here fc6 sees 512 channels of one pixel, from an image of 224 × 224 it sees 7 × 7.
    assert model.fc6.in_size == 512
    assert count(model) + (7 * 7 - 1) * 512 * 4096 == 138_357_544
    sizes = [3, 64, 64, *[128] * 2, *[256] * 3, *[512] * 6]
    kernels = [(after, before, 3, 3) for before, after in itertools.pairwise(sizes)]
    assert [conv.W.shape for conv in convs] == kernels


def test_vgg16_prepares_an_image():
    image_module = pytest.importorskip("PIL.Image")
    red = image_module.new("RGBA", (5, 4), (255, 10, 0, 255))
    x = M.VGG16.preprocess(red)
    assert (x.shape, x.dtype) == ((3, 224, 224), np.float32)
    assert x.flags.c_contiguous
    assert x.flags.writeable
    assert_close(x[:, 0, 0], [0 - 103.939, 10 - 116.779, 255 - 123.68])
    assert M.VGG16.preprocess(red, size=(3, 2), dtype=np.float64).shape == (3, 2, 3)
    assert M.VGG16.preprocess(red, size=None, dtype=np.float64).shape == (3, 4, 5)


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


def test_the_weights_of_a_resnet_go_by_the_names_of_the_book():
    names = list(variables_by_name(M.ResNet50()))
    first = "conv1/W bn1/avg_mean bn1/avg_var bn1/gamma bn1/beta"
    assert " ".join(names[:5]) == first
    some = "res2/a/conv4/W res2/a/bn4/gamma res5/b2/bn3/avg_var fc6/W fc6/b"
    assert set(some.split()) < set(names)
    assert not any("layers" in name for name in names)
    assert len(names) == 1 + 4 * 53 + 52 + 2


def test_a_resnet_pools_over_three_by_three_pixels_past_the_edge(light):
    model, seen = M.ResNet50(), []
    # From the first convolution come the numbers 0 to 35 in six rows.
    model.conv1 = lambda x: Variable(np.arange(36.0).reshape(1, 1, 6, 6))
    model.bn1 = lambda x: x

    def look(x):
        seen.append(x.data)
        return Variable(np.zeros((1, 2048, 1, 1), np.float32))

    model.res2 = look
    model.res3 = model.res4 = model.res5 = lambda x: x
    model(random(1, 3, 4, 4))
    assert seen[0][0, 0].tolist() == [[14, 16, 17], [26, 28, 29], [32, 34, 35]]


def test_a_resnet_is_the_deepest_unless_told():
    names = [list(variables_by_name(model)) for model in (M.ResNet(), M.ResNet152())]
    assert names[0] == names[1]
    assert "res4/b35/conv1/W" in names[0]
    assert "res4/b36/conv1/W" not in names[0]


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


# --- weights that were trained elsewhere ----------------------------------------------


class Small(M.ResNet):
    """A ResNet of the same names with less behind them."""

    def __init__(self, pretrained=False):
        self.conv1 = L.Conv2d(4, 3, 2, 1, nobias=True)
        self.bn1 = L.BatchNorm()
        self.fc6 = L.Linear(3)
        self.load_pretrained(pretrained, self.WEIGHTS_PATH.format(0))

    def forward(self, x):
        return self.fc6(F.mean(F.relu(self.bn1(self.conv1(x))), axis=(2, 3)))


def test_a_bias_in_the_books_file_is_taken_from_the_mean(tmp_path):
    model, x, path = Small(), random(2, 3, 8, 8), tmp_path / "weights.npz"
    for _ in range(5):
        model(x)
    with test_mode():
        expected = model(x).data
    model.save_weights(path)
    own = load_arrays(path)
    bias = random(4)
    book = {**own, "conv1/b": bias, "bn1/avg_mean": own["bn1/avg_mean"] + bias}
    for arrays in (own, book):
        save_arrays(path, arrays)
        with test_mode():
            assert_close(Small(path)(x).data, expected, atol=1e-5)
    # As a part of another model, too.
    whole = M.Sequential(Small())
    save_arrays(path, {f"l0/{name}": array for name, array in book.items()})
    whole.load_weights(path)
    with test_mode():
        assert_close(whole(x).data, expected, atol=1e-5)


def test_pretrained_weights_come_from_a_folder_of_ones_own(tmp_path, monkeypatch):
    model, x = Small(), random(2, 3, 8, 8)
    model(x)
    model.save_weights(tmp_path / "resnet0.npz")
    monkeypatch.setenv("DEZERO_LITE_DATA", str(tmp_path))
    with test_mode():
        assert_equal(Small(pretrained=True)(x).data, model(x).data)
