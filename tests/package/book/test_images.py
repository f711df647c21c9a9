"""Stage 5, steps 52 to 58: files, dropout and networks that see images."""

import os

import numpy as np

from tests.support import book_numbers
from tests.support.arrays import assert_close, assert_equal
from tests.support.book_numbers import NUMBERS
from tests.support.digits_like import digits_like
from tests.support.needs import needs


def test_weights_are_saved_and_loaded(mnist, desk):
    import dezero
    import dezero.functions as F
    from dezero import DataLoader, optimizers
    from dezero.models import MLP

    def run(max_epoch):
        train_set = dezero.datasets.MNIST(train=True)
        train_loader = DataLoader(train_set, 100)
        model = MLP((50, 10))
        optimizer = optimizers.SGD(0.5).setup(model)

        loaded = os.path.exists("my_mlp.npz")
        if loaded:
            model.load_weights("my_mlp.npz")

        avg_losses = []
        for _epoch in range(max_epoch):
            sum_loss = 0
            for x, t in train_loader:
                y = model(x)
                loss = F.softmax_cross_entropy(y, t)
                model.cleargrads()
                loss.backward()
                optimizer.update()
                sum_loss += float(loss.data) * len(t)
            avg_losses.append(sum_loss / len(train_set))
        model.save_weights("my_mlp.npz")
        return loaded, avg_losses

    loaded, first = run(4)
    again, second = run(2)
    assert (loaded, again) == (False, True)
    assert second[0] < first[0]
    with np.load("my_mlp.npz") as file:
        assert sorted(file.files) == ["l0/W", "l0/b", "l1/W", "l1/b"]
    assert sorted(path.name for path in desk.iterdir()) == ["data", "my_mlp.npz"]


def test_weights_from_a_file_of_the_books_framework(desk):
    import dezero.functions as F
    from dezero.models import MLP

    # The names and the compression are those of the book's save_weights; its weights
    # are float64.
    rng = np.random.RandomState(0)
    W0, b0, W1, b1 = rng.randn(4, 5), rng.randn(5), rng.randn(5, 3), rng.randn(3)
    np.savez_compressed("book.npz", **{"l1/b": b1, "l0/W": W0, "l0/b": b0, "l1/W": W1})
    model = MLP((5, 3), activation=F.tanh)
    model.load_weights("book.npz")
    x = rng.randn(6, 4)
    y = model(x)
    assert_close(y.data, np.tanh(x @ W0 + b0) @ W1 + b1, atol=1e-5)


def test_a_network_with_everything_comes_back_from_its_file(desk):
    import dezero
    import dezero.functions as F
    import dezero.layers as L
    from dezero import Model, test_mode

    class Net(Model):
        def __init__(self):
            super().__init__()
            self.conv = L.Conv2d(3, kernel_size=3, pad=1)
            self.bn = L.BatchNorm()
            self.fc = L.Linear(4, nobias=True)

        def forward(self, x):
            x = F.relu(self.bn(self.conv(x)))
            return self.fc(F.flatten(x))

    x = np.random.RandomState(0).randn(5, 2, 6, 6).astype(np.float32)
    one, other = Net(), Net()
    one(x)
    other(x)
    one.save_weights("net.npz")
    other.load_weights("net.npz")
    with test_mode():
        assert dezero.utils.array_equal(one(x), other(x))
    with np.load("net.npz") as file:
        names = [
            "bn/avg_mean",
            "bn/avg_var",
            "bn/beta",
            "bn/gamma",
            "conv/W",
            "conv/b",
            "fc/W",
        ]
        assert sorted(file.files) == names


def test_the_columns_of_images():
    import dezero.functions as F
    from dezero.utils import get_conv_outsize, get_deconv_outsize, pair

    x1 = np.random.rand(1, 3, 7, 7)
    col1 = F.im2col(x1, kernel_size=5, stride=1, pad=0, to_matrix=True)
    assert col1.shape == (9, 75)
    x2 = np.random.rand(10, 3, 7, 7)
    kernel_size = (5, 5)
    stride = (1, 1)
    pad = (0, 0)
    col2 = F.im2col(x2, kernel_size, stride, pad, to_matrix=True)
    assert col2.shape == (90, 75)
    col3 = F.im2col(x2, kernel_size, stride, pad, to_matrix=False)
    assert col3.shape == (10, 3, 5, 5, 3, 3)
    assert (
        F.col2im(col3, x2.shape, kernel_size, stride, pad, to_matrix=False).shape
        == x2.shape
    )
    assert get_conv_outsize(4, 3, 1, 1) == 4
    assert get_deconv_outsize(4, 3, 2, 1) == 7
    assert (pair(1), pair((1, 2))) == ((1, 1), (1, 2))


def test_two_ways_to_convolve_and_to_pool():
    import dezero.functions as F
    import dezero.functions_conv
    from dezero import Variable

    rng = np.random.RandomState(0)
    N, C, H, W = 1, 5, 15, 15
    OC, (KH, KW) = 8, (3, 3)
    x = Variable(rng.randn(N, C, H, W))
    k = Variable(rng.randn(OC, C, KH, KW))
    y = F.conv2d_simple(x, k, b=None, stride=1, pad=1)
    y.backward()
    assert (y.shape, x.grad.shape) == ((1, 8, 15, 15), (1, 5, 15, 15))
    simple = x.grad.data, k.grad.data
    x.cleargrad()
    k.cleargrad()
    y2 = F.conv2d(x, k, None, 1, 1)
    y2.backward()
    assert_close(y.data, y2.data)
    assert_close(x.grad.data, simple[0])
    assert_close(k.grad.data, simple[1])

    x = Variable(rng.rand(2, 3, 6, 6))
    a = F.pooling_simple(x, 2, stride=2)
    b = F.pooling(x, kernel_size=2, stride=2)
    expected = x.data.reshape(2, 3, 3, 2, 3, 2)
    assert_equal(a.data, b.data)
    assert_equal(b.data, expected.max(axis=(3, 5)))
    assert_close(F.average_pooling(x, 2, 2).data, expected.mean(axis=(3, 5)))
    b.backward()
    assert x.grad.data.sum() == b.size

    up = dezero.functions_conv.deconv2d(b, rng.rand(3, 4, 2, 2), stride=2)
    assert up.shape == (2, 4, 6, 6)


def test_dropout_in_training_and_in_testing():
    import dezero.functions as F
    from dezero import test_mode

    x = np.ones(1000)
    y = F.dropout(x)
    assert set(np.unique(y.data)) == {0.0, 2.0}
    assert 350 < (y.data > 0).sum() < 650
    y = F.dropout(x, dropout_ratio=0.2)
    assert set(np.unique(y.data)) == {0.0, 1.25}
    with test_mode():
        y = F.dropout(x)
    assert_equal(y.data, x)


def test_a_lenet_learns_and_is_tested():
    import dezero
    import dezero.functions as F
    import dezero.layers as L
    from dezero import DataLoader, Dataset, Model, optimizers

    class Bars(Dataset):
        def prepare(self):
            images, self.label = digits_like(
                240 if self.train else 80, np.random.RandomState(self.train)
            )
            self.data = images[:, np.newaxis, 2:26:2, 2:26:2]

    class LeNet(Model):
        def __init__(self):
            super().__init__()
            self.conv1 = L.Conv2d(6, kernel_size=5, stride=1, pad=2)
            self.conv2 = L.Conv2d(16, kernel_size=5)
            self.fc1 = L.Linear(60)
            self.fc2 = L.Linear(10)

        def forward(self, x):
            x = F.pooling(F.relu(self.conv1(x)), 2, 2)
            x = F.pooling(F.relu(self.conv2(x)), 2, 2)
            x = F.reshape(x, (x.shape[0], -1))
            x = F.dropout(F.relu(self.fc1(x)), 0.2)
            return self.fc2(x)

    def transform(x):
        return x.astype(np.float32) / 255.0

    train_loader = DataLoader(Bars(True, transform), 8)
    test_loader = DataLoader(Bars(False, transform), 8, shuffle=False)
    model = LeNet()
    optimizer = optimizers.Adam(0.005).setup(model)
    optimizer.add_hook(optimizers.ClipGrad(5.0))
    for _epoch in range(4):
        for x, t in train_loader:
            y = model(x)
            loss = F.softmax_cross_entropy(y, t)
            model.cleargrads()
            loss.backward()
            optimizer.update()

    accuracy = 0
    with dezero.no_grad(), dezero.test_mode():
        for x, t in test_loader:
            accuracy += float(F.accuracy(model(x), t).data) / test_loader.max_iter
    assert accuracy > 0.8
    assert model.conv2.W.shape == (16, 6, 5, 5)
    assert model.fc1.W.shape == (16, 60)


def test_a_cnn_has_the_losses_of_the_books_framework():
    losses = book_numbers.losses_of_a_cnn()
    assert_close(losses, NUMBERS["losses of a CNN"], rtol=1e-4)


def test_batch_normalisation_in_training_and_in_testing():
    import dezero
    import dezero.functions as F
    import dezero.layers as L
    from dezero import Parameter, Variable

    rng = np.random.RandomState(0)
    x = rng.randn(50, 4) * 3 + 5
    bn = L.BatchNorm()
    y = bn(x)
    assert_close(y.data.mean(axis=0), 0, atol=1e-6)
    assert_close(y.data.std(axis=0), 1, atol=1e-4)
    for _ in range(100):
        bn(x)
    with dezero.test_mode():
        y = bn(x[:1])
    unbiased = x.std(axis=0, ddof=1)
    assert_close(y.data, (x[:1] - x.mean(axis=0)) / unbiased, atol=1e-2)

    gamma, beta = Parameter(np.full(3, 2.0)), Parameter(np.full(3, 1.0))
    mean, var = np.zeros(3), np.ones(3)
    image = Variable(rng.randn(6, 3, 4, 4))
    y = F.batch_nrom(image, gamma, beta, mean, var)
    weights = rng.randn(*y.shape)
    F.sum(y * weights).backward()
    assert_close(y.data.mean(axis=(0, 2, 3)), 1)
    assert_close(mean, 0.1 * image.data.mean(axis=(0, 2, 3)))
    assert_close(beta.grad.data, weights.sum(axis=(0, 2, 3)))
    assert_close(gamma.grad.data, ((y.data - 1) / 2 * weights).sum(axis=(0, 2, 3)))
    # Neither a shift nor a scaling of a channel changes anything.
    assert_close(image.grad.data.sum(axis=(0, 2, 3)), 0, atol=1e-10)
    assert_close((image.grad.data * image.data).sum(axis=(0, 2, 3)), 0, atol=1e-2)


@needs("PIL", "pygraphviz")
def test_vgg16_sees_an_image_and_is_drawn(desk, monkeypatch):
    import dezero
    from dezero.models import VGG16
    from PIL import Image

    pixels = np.zeros((40, 60, 3), dtype=np.uint8)
    pixels[..., 0], pixels[..., 2] = 200, 10
    img = Image.fromarray(pixels)
    x = VGG16.preprocess(img)
    assert (type(x), x.shape, x.dtype) == (np.ndarray, (3, 224, 224), np.float32)
    assert_close(x[:, 0, 0], [10 - 103.939, 0 - 116.779, 200 - 123.68])

    # A small image makes a small network.
    x = VGG16.preprocess(img, size=(32, 32))
    x = x[np.newaxis]
    model = VGG16(pretrained=False)
    with dezero.test_mode():
        y = model(x)
        model.plot(x, to_file="vgg.pdf")
    assert y.shape == (1, 1000)
    assert (desk / "vgg.pdf").exists()
    predict_id = np.argmax(y.data)

    (desk / "imagenet1000_clsidx_to_labels.txt").write_text(
        repr({i: f"thing {i}" for i in range(1000)})
    )
    monkeypatch.setenv("DEZERO_LITE_DATA", str(desk))
    labels = dezero.datasets.ImageNet.labels()
    assert labels[predict_id] == f"thing {predict_id}"


def test_an_image_is_changed_until_a_network_is_content():
    import dezero.functions as F
    import dezero.layers as L
    from dezero import Model, Parameter, Variable, optimizers

    class ImageModel(Model):
        def __init__(self, img):
            super().__init__()
            self.param = Parameter(img)

        def forward(self):
            return self.param

    def gram_matrix(x):
        _, C, H, W = x.shape
        x = x.reshape((C, H * W))
        return F.matmul(x, x.T) / (C * H * W)

    rng = np.random.RandomState(0)
    conv = L.Conv2d(6, kernel_size=3, pad=1, in_channels=3)
    style = gram_matrix(F.relu(conv(rng.rand(1, 3, 8, 8).astype(np.float32))))
    style.unchain()
    model = ImageModel(rng.rand(1, 3, 8, 8).astype(np.float32))
    optimizer = optimizers.Adam(0.05).setup(model)
    losses = []
    for _ in range(30):
        gram = gram_matrix(F.relu(conv(model())))
        loss = F.mean_squared_error(gram, style)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        losses.append(float(loss.data))
    assert losses[-1] < 0.2 * losses[0]

    # What in the image, and which channel, the answer depends on.
    x = Variable(rng.rand(1, 3, 8, 8).astype(np.float32))
    h = F.relu(conv(x))
    y = F.sum(h[:, 2] * 3.0)
    y.backward(retain_grad=True)
    saliency = np.abs(x.grad.data).max(axis=1)
    assert saliency.shape == (1, 8, 8)
    assert h.grad.data.mean(axis=(0, 2, 3)).tolist() == [0, 0, 3, 0, 0, 0]
