"""Scripts with networks in the manner of the book's stages 4 and 5, run as they are
where ``dezero`` is dezero_lite.

Every test is a script as a reader of the book would have it: it imports ``dezero`` and
parts of it, and knows nothing of dezero_lite. Numbers that it compares with are the
book's framework's own, or derived on paper.
"""

import gzip
import math
import os
import subprocess
import sys

import numpy as np
import pytest

import dezero_lite
from tests.support.arrays import assert_close, assert_equal
from tests.support.needs import needs

MODULES = (
    "core",
    "cuda",
    "dataloaders",
    "datasets",
    "functions",
    "functions_conv",
    "layers",
    "models",
)
MODULES += ("optimizers", "transforms", "utils")


@pytest.fixture(autouse=True)
def dezero_is_dezero_lite(monkeypatch):
    """Let ``import dezero`` find dezero_lite, and the same random numbers come in every
    run.
    """
    monkeypatch.setitem(sys.modules, "dezero", dezero_lite)
    for name in MODULES:
        monkeypatch.setitem(sys.modules, f"dezero.{name}", getattr(dezero_lite, name))
    dezero_lite.manual_seed(0)
    np.random.seed(0)


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """The folder in which the reader works."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


# --- layers, models, optimizers -------------------------------------------------------


def test_a_layer_knows_its_parameters():
    from dezero import Layer, Parameter, Variable

    layer = Layer()
    layer.p1 = Parameter(np.array(1.0))
    layer.p2 = Parameter(np.array(2.0))
    layer.p3 = Variable(np.array(3.0))
    layer.p4 = "test"
    assert sorted(float(p.data) for p in layer.params()) == [1.0, 2.0]

    outer = Layer()
    outer.inner = layer
    outer.p5 = Parameter(np.array(5.0))
    assert sorted(float(p.data) for p in outer.params()) == [1.0, 2.0, 5.0]
    for p in outer.params():
        p.grad = Variable(np.array(7.0))
    outer.cleargrads()
    assert [p.grad for p in outer.params()] == [None] * 3


def sine_data():
    rng = np.random.RandomState(0)
    x = rng.rand(100, 1)
    y = np.sin(2 * np.pi * x) + rng.rand(100, 1)
    return x, y, rng


def test_a_network_of_two_linear_layers_trained_by_hand():
    import dezero.functions as F
    import dezero.layers as L

    x, y, rng = sine_data()
    l1 = L.Linear(10)
    l2 = L.Linear(1)

    def predict(x):
        y = l1(x)
        y = F.sigmoid(y)
        y = l2(y)
        return y

    predict(x)  # makes the weights, which get values that are the same everywhere
    l1.W.data[...] = rng.randn(1, 10)
    l2.W.data[...] = rng.randn(10, 1) * 0.1
    w1, c1, w2, c2 = (p.data.astype(float) for p in (l1.W, l1.b, l2.W, l2.b))

    lr = 0.2
    iters = 300
    for _ in range(iters):
        y_pred = predict(x)
        loss = F.mean_squared_error(y, y_pred)
        l1.cleargrads()
        l2.cleargrads()
        loss.backward()
        for l in [l1, l2]:  # noqa: E741
            for p in l.params():
                p.data -= lr * p.grad.data

    # The same descent, with gradients derived on paper.
    for _ in range(iters):
        h = 1 / (1 + np.exp(-(x @ w1 + c1)))
        g = 2 * (h @ w2 + c2 - y) / len(x)
        gh = g @ w2.T * h * (1 - h)
        w1 = w1 - lr * x.T @ gh
        c1 = c1 - lr * gh.sum(axis=0)
        w2 = w2 - lr * h.T @ g
        c2 = c2 - lr * g.sum(axis=0)
    pairs = zip((l1.W, l1.b, l2.W, l2.b), (w1, c1, w2, c2), strict=True)
    for p, q in pairs:
        assert_close(p.data, q, atol=1e-3)
    assert float(loss.data) < 0.3


@needs("pygraphviz")
def test_a_model_draws_itself_and_learns(desk):
    import dezero.functions as F
    import dezero.layers as L
    from dezero import Model, Variable

    class TwoLayerNet(Model):
        def __init__(self, hidden_size, out_size):
            super().__init__()
            self.l1 = L.Linear(hidden_size)
            self.l2 = L.Linear(out_size)

        def forward(self, x):
            y = F.sigmoid(self.l1(x))
            y = self.l2(y)
            return y

    x = Variable(np.random.randn(5, 10), name="x")
    model = TwoLayerNet(100, 10)
    model.plot(x)
    model.plot(x, to_file="net.pdf")
    assert (desk / "model.png").read_bytes().startswith(b"\x89PNG")
    assert (desk / "net.pdf").read_bytes().startswith(b"%PDF")

    x, y, _ = sine_data()
    lr = 0.2
    model = TwoLayerNet(10, 1)
    losses = []
    for _ in range(300):
        y_pred = model(x)
        loss = F.mean_squared_error(y, y_pred)
        model.cleargrads()
        loss.backward()
        for p in model.params():
            p.data -= lr * p.grad.data
        losses.append(float(loss.data))
    assert losses[-1] < 0.3 < losses[0]
    assert len(list(model.params())) == 4


# Where each optimizer of the book's framework gets in five steps, from (1, -2), on p0²
# + 10·p1².
WHERE_THEY_GET = {
    "SGD": [0.9039207968, -0.65536],
    "MomentumSGD": [0.7493164928, 1.16084],
    "AdaGrad": [0.9967702175085734, -1.996769272938009],
    "AdaDelta": [0.9773406774752748, -1.9772767160278597],
    "Adam": [0.9950004365388687, -1.995000217346489],
}


@pytest.mark.parametrize("name", WHERE_THEY_GET)
def test_five_steps_of_each_optimizer(name):
    import dezero.functions as F
    from dezero import Layer, Parameter, optimizers

    layer = Layer()
    layer.p = Parameter(np.array([1.0, -2.0]))
    optimizer = getattr(optimizers, name)()
    optimizer.setup(layer)
    for _ in range(5):
        loss = F.sum(layer.p**2 * np.array([1.0, 10.0]))
        layer.cleargrads()
        loss.backward()
        optimizer.update()
    assert_close(layer.p.data, WHERE_THEY_GET[name], rtol=1e-9)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("SGD", {"lr": 0.2}),
        ("MomentumSGD", {"lr": 0.05, "momentum": 0.9}),
        ("AdaGrad", {"lr": 0.1}),
        ("AdaDelta", {"rho": 0.9, "eps": 1e-4}),
        ("Adam", {"alpha": 0.02, "beta1": 0.9, "beta2": 0.99}),
    ],
)
def test_every_optimizer_fits_a_sine(name, settings):
    import dezero.functions as F
    from dezero import optimizers
    from dezero.models import MLP

    x, y, _ = sine_data()
    model = MLP((10, 1))
    optimizer = getattr(optimizers, name)(**settings).setup(model)
    losses = []
    for _ in range(300):
        loss = F.mean_squared_error(y, model(x))
        model.cleargrads()
        loss.backward()
        optimizer.update()
        losses.append(float(loss.data))
    assert losses[-1] < 0.3


def test_hooks_decay_clip_and_freeze():
    import dezero
    import dezero.functions as F
    import dezero.layers as L
    from dezero import Layer, Parameter
    from dezero.optimizers import SGD, ClipGrad, FreezeParam, WeightDecay

    def one_step(*hooks):
        layer = Layer()
        layer.p = Parameter(np.array([3.0, 4.0]))
        optimizer = SGD(0.5).setup(layer)
        for hook in hooks:
            optimizer.add_hook(hook)
        loss = F.sum(layer.p * np.array([6.0, 8.0]))
        loss.backward()
        optimizer.update()
        return layer.p.data

    def halve(params):  # a hook of the reader's own
        for param in params:
            param.grad.data *= 0.5

    assert one_step().tolist() == [0.0, 0.0]
    assert_close(one_step(WeightDecay(0.1)), [3 - 0.5 * 6.3, 4 - 0.5 * 8.4])
    assert_close(one_step(ClipGrad(5.0)), [1.5, 2.0], atol=1e-5)
    assert one_step(ClipGrad(100.0)).tolist() == [0.0, 0.0]
    assert one_step(halve).tolist() == [1.5, 2.0]

    model = dezero.models.Sequential(
        L.Linear(3, in_size=2), F.relu, L.Linear(1, in_size=3)
    )
    optimizer = dezero.optimizers.MomentumSGD(0.1).setup(model)
    optimizer.add_hook(WeightDecay(0.01))
    before = [model.l0.W.data.copy(), model.l2.W.data.copy(), model.l2.b.data.copy()]
    optimizer.add_hook(FreezeParam(model.l0, model.l2.b))
    for _ in range(2):
        model.cleargrads()
        F.sum(model(np.ones((4, 2)))).backward()
        optimizer.update()
    assert_equal(model.l0.W.data, before[0])
    assert not np.array_equal(model.l2.W.data, before[1])
    assert_equal(model.l2.b.data, before[2])


def test_an_optimizer_of_the_readers_own():
    import dezero.functions as F
    from dezero import cuda
    from dezero.models import MLP
    from dezero.optimizers import Optimizer

    class SignSGD(Optimizer):
        def __init__(self, lr=0.01):
            super().__init__()
            self.lr = lr
            self.counts = {}

        def update_one(self, param):
            xp = cuda.get_array_module(param.data)
            key = id(param)
            self.counts[key] = self.counts.get(key, 0) + 1
            param.data -= self.lr * xp.sign(param.grad.data)

    x, y, _ = sine_data()
    model = MLP((20, 1), activation=F.tanh)
    optimizer = SignSGD(0.02)
    optimizer.setup(model)
    losses = []
    for i in range(200):
        loss = F.mean_squared_error(model(x), y)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        losses.append(float(loss.data))
        if i == 100:
            optimizer.lr *= 0.1
    assert losses[-1] < 0.4 * losses[0]
    assert list(optimizer.counts.values()) == [200] * 4


def test_a_layer_with_parameters_of_its_own():
    import dezero.functions as F
    import dezero.layers as L
    from dezero import Layer, Model, Parameter, cuda, optimizers

    class Bilinear(Layer):
        def __init__(self, out_size, in_size=None):
            super().__init__()
            self.out_size = out_size
            self.W = Parameter(None, name="W")  # its size comes with the first input
            self.V = Parameter(None, name="V")
            self.scale = Parameter(np.ones(out_size, dtype=np.float32), name="scale")
            if in_size is not None:
                self._init_W(in_size)

        def _init_W(self, in_size, xp=np):
            for p in (self.W, self.V):
                p.data = (
                    xp.random.randn(in_size, self.out_size) * xp.sqrt(1 / in_size)
                ).astype(np.float32)

        def forward(self, x):
            if self.W.data is None:
                self._init_W(x.shape[1], cuda.get_array_module(x))
            return F.matmul(x, self.W) * F.matmul(x, self.V) * self.scale

    class Net(Model):
        def __init__(self):
            super().__init__()
            self.l1 = Bilinear(8)
            self.l2 = L.Linear(1)

        def forward(self, x):
            return self.l2(self.l1(x))

    x = np.random.RandomState(0).randn(50, 2).astype(np.float32)
    y = x[:, :1] * x[:, 1:]
    net = Net()
    optimizer = optimizers.Adam(0.05).setup(net)
    for _ in range(200):
        loss = F.mean_squared_error(net(x), y)
        net.cleargrads()
        loss.backward()
        optimizer.update()
    assert float(loss.data) < 0.01
    assert sorted(p.name for p in net.params()) == ["V", "W", "W", "b", "scale"]


def test_a_sequence_of_layers_and_functions():
    import dezero.functions as F
    import dezero.layers as L
    from dezero.models import Sequential

    model = Sequential(
        L.Linear(12),
        lambda x: F.reshape(x, (-1, 3, 2, 2)),
        L.Deconv2d(1, 2, stride=2),
        F.sigmoid,
    )
    y = model(np.zeros((5, 7), dtype=np.float32))
    assert y.shape == (5, 1, 4, 4)
    assert len(list(model.params())) == 4
    assert model.layers[0] is model.l0


# --- classification -------------------------------------------------------------------


def test_softmax_and_cross_entropy():
    import dezero.functions as F
    from dezero import Variable, as_variable
    from dezero.models import MLP

    def softmax1d(x):
        x = as_variable(x)
        y = F.exp(x)
        sum_y = F.sum(y)
        return y / sum_y

    p = softmax1d(np.array([0.2, -0.4, 1.0]))
    assert np.isclose(p.data.sum(), 1.0)

    model = MLP((10, 3))
    x = np.array([[0.2, -0.4], [0.3, 0.5], [1.3, -3.2], [2.1, 0.3]])
    t = np.array([2, 0, 1, 0])
    y = model(x)
    p = F.softmax_simple(y)
    assert_close(p.data.sum(axis=1), 1)
    assert_close(p.data, F.softmax(y).data)

    loss = F.softmax_cross_entropy_simple(y, t)
    loss.backward()
    simple = {id(param): param.grad.data for param in model.params()}
    model.cleargrads()
    loss2 = F.softmax_cross_entropy(model(x), t)
    loss2.backward()
    assert np.isclose(loss.data, loss2.data)
    for param in model.params():
        assert_close(param.grad.data, simple[id(param)], atol=1e-6)

    scores = Variable(np.array([[2.0, 1.0, 0.0], [0.0, 3.0, 1.0]]))
    loss = F.softmax_cross_entropy(scores, np.array([0, 2]))
    loss.backward()
    e = np.exp(scores.data)
    p = e / e.sum(axis=1, keepdims=True)
    assert np.isclose(loss.data, -(np.log(p[0, 0]) + np.log(p[1, 2])) / 2)
    assert_close(scores.grad.data, (p - np.eye(3)[[0, 2]]) / 2)
    assert float(F.accuracy(scores, np.array([0, 2])).data) == 0.5


def test_the_spiral_by_batches_made_by_hand():
    import dezero
    import dezero.functions as F
    from dezero import optimizers
    from dezero.models import MLP

    max_epoch = 150
    batch_size = 30
    hidden_size = 10
    lr = 1.0

    x, t = dezero.datasets.get_spiral(train=True)
    assert (x.shape, t.shape) == ((300, 2), (300,))
    # The points are the book's.
    assert_close(x[0], [-0.13981389, -0.00721657], atol=1e-6)
    model = MLP((hidden_size, 3))
    optimizer = optimizers.SGD(lr).setup(model)

    data_size = len(x)
    max_iter = math.ceil(data_size / batch_size)
    avg_losses = []
    for _epoch in range(max_epoch):
        index = np.random.permutation(data_size)
        sum_loss = 0

        for i in range(max_iter):
            batch_index = index[i * batch_size : (i + 1) * batch_size]
            batch_x = x[batch_index]
            batch_t = t[batch_index]

            y = model(batch_x)
            loss = F.softmax_cross_entropy(y, batch_t)
            model.cleargrads()
            loss.backward()
            optimizer.update()

            sum_loss += float(loss.data) * len(batch_t)
        avg_losses.append(sum_loss / data_size)
    assert avg_losses[-1] < 0.35 < 0.8 < avg_losses[0]

    # The plane, coloured by class.
    h = 0.1
    x_min, x_max = x[:, 0].min() - 0.1, x[:, 0].max() + 0.1
    y_min, y_max = x[:, 1].min() - 0.1, x[:, 1].max() + 0.1
    xx, yy = np.meshgrid(np.arange(x_min, x_max, h), np.arange(y_min, y_max, h))
    X = np.c_[xx.ravel(), yy.ravel()]
    with dezero.no_grad():
        score = model(X)
    predict_cls = np.argmax(score.data, axis=1)
    Z = predict_cls.reshape(xx.shape)
    assert set(np.unique(Z)) == {0, 1, 2}


def test_the_spiral_as_a_dataset_with_examples_put_together_by_hand():
    import dezero
    import dezero.functions as F
    from dezero import optimizers
    from dezero.models import MLP

    train_set = dezero.datasets.Spiral()
    x, t = train_set[0]
    assert (x.shape, len(train_set)) == ((2,), 300)
    assert int(t) in (0, 1, 2)
    model = MLP((10, 10, 3), activation=F.relu)
    optimizer = optimizers.Adam(alpha=0.02)
    optimizer.setup(model)

    for _epoch in range(20):
        index = np.random.permutation(len(train_set))
        for i in range(10):
            batch_index = index[i * 30 : (i + 1) * 30]
            batch = [train_set[i] for i in batch_index]
            batch_x = np.array([example[0] for example in batch])
            batch_t = np.array([example[1] for example in batch])
            y = model(batch_x)
            loss = F.softmax_cross_entropy(y, batch_t)
            model.cleargrads()
            loss.backward()
            optimizer.update()
    acc = F.accuracy(model(train_set.data), train_set.label)
    assert float(acc.data) > 0.75


def test_the_spiral_by_a_loader_with_a_test_after_each_epoch():
    import dezero
    import dezero.functions as F
    from dezero import DataLoader, optimizers
    from dezero.models import MLP

    max_epoch = 150
    batch_size = 30
    hidden_size = 10
    lr = 1.0

    train_set = dezero.datasets.Spiral(train=True)
    test_set = dezero.datasets.Spiral(train=False)
    train_loader = DataLoader(train_set, batch_size)
    test_loader = DataLoader(test_set, batch_size, shuffle=False)

    model = MLP((hidden_size, 3))
    optimizer = optimizers.SGD(lr).setup(model)

    for _epoch in range(max_epoch):
        sum_loss, sum_acc = 0, 0
        for x, t in train_loader:
            y = model(x)
            loss = F.softmax_cross_entropy(y, t)
            acc = F.accuracy(y, t)
            model.cleargrads()
            loss.backward()
            optimizer.update()
            sum_loss += float(loss.data) * len(t)
            sum_acc += float(acc.data) * len(t)
        train_acc = sum_acc / len(train_set)

        sum_loss, sum_acc = 0, 0
        with dezero.no_grad():
            for x, t in test_loader:
                y = model(x)
                loss = F.softmax_cross_entropy(y, t)
                acc = F.accuracy(y, t)
                sum_loss += float(loss.data) * len(t)
                sum_acc += float(acc.data) * len(t)
        test_acc = sum_acc / len(test_set)
    assert train_acc > 0.8
    assert test_acc > 0.8
    assert train_loader.max_iter == 10


def test_loaders_step_by_step_and_datasets_of_the_readers_own():
    from dezero import DataLoader, Dataset, SeqDataLoader

    class Squares(Dataset):
        def prepare(self):
            self.data = np.arange(10.0)
            self.label = self.data**2

    class BigData(Dataset):  # one that reads each example when it is asked for
        def __getitem__(self, index):
            x = np.full(3, index, dtype=np.float32)
            t = index % 2
            return x, t

        def __len__(self):
            return 7

    squares = Squares(target_transform=lambda t: t + 1)
    assert squares[3] == (3.0, 10.0)
    assert [x for x, t in squares][-1] == 9.0
    seen = sorted(t for _, ts in DataLoader(squares, 4) for t in ts.tolist())
    assert seen == [x**2 + 1 for x in range(10)]

    loader = DataLoader(BigData(), batch_size=3, shuffle=False)
    sizes = [(x.shape, x.dtype, t.tolist()) for x, t in loader]
    assert sizes == [
        ((3, 3), np.float32, [0, 1, 0]),
        ((3, 3), np.float32, [1, 0, 1]),
        ((1, 3), np.float32, [0]),
    ]
    x, _ = loader.next()
    assert x[:, 0].tolist() == [0, 1, 2]
    x, _ = next(loader)
    assert x[:, 0].tolist() == [3, 4, 5]
    loader.reset()
    assert next(loader)[0][0, 0] == 0

    pairs = [
        (x.tolist(), t.tolist()) for x, t in SeqDataLoader(Squares(), batch_size=2)
    ]
    assert pairs[:2] == [([0, 5], [0, 25]), ([1, 6], [1, 36])]


def test_an_iterator_of_the_readers_own():
    from dezero.datasets import Spiral

    class MyIterator:
        def __init__(self, dataset, batch_size):
            self.dataset, self.batch_size, self.i = dataset, batch_size, 0

        def __iter__(self):
            return self

        def __next__(self):
            if self.i >= len(self.dataset):
                self.i = 0
                raise StopIteration
            batch = [
                self.dataset[i]
                for i in range(self.i, min(self.i + self.batch_size, len(self.dataset)))
            ]
            self.i += self.batch_size
            return np.array([x for x, _ in batch]), np.array([t for _, t in batch])

    sizes = [len(t) for _, t in MyIterator(Spiral(), 128)]
    assert sizes == [128, 128, 44]


# --- MNIST ----------------------------------------------------------------------------


def digits_like(count, rng):
    """Images of 28×28 that are as easy to tell apart as their label: a bar across, in
    one of ten places.
    """
    labels = rng.randint(0, 10, count).astype(np.uint8)
    images = rng.randint(0, 60, (count, 28, 28)).astype(np.uint8)
    for image, label in zip(images, labels, strict=True):
        image[2 * label + 4 : 2 * label + 6, 4:24] += 180
    return images, labels


@pytest.fixture
def mnist(desk, monkeypatch):
    """A folder with small files in the form of MNIST."""
    rng = np.random.RandomState(0)
    folder = desk / "data" / "mnist"
    folder.mkdir(parents=True)
    for part, count in (("train", 400), ("t10k", 100)):
        images, labels = digits_like(count, rng)
        for name, kind, array in (
            ("images-idx3", 3, images),
            ("labels-idx1", 1, labels),
        ):
            header = bytes([0, 0, 8, kind]) + np.array(array.shape, ">u4").tobytes()
            (folder / f"{part}-{name}-ubyte.gz").write_bytes(
                gzip.compress(header + array.tobytes())
            )
    monkeypatch.setenv("DEZERO_LITE_DATA", str(desk / "data"))


def test_mnist_is_learned_by_an_mlp(mnist):
    import dezero
    import dezero.functions as F
    from dezero import DataLoader, optimizers
    from dezero.models import MLP

    max_epoch = 5
    batch_size = 100
    hidden_size = 100

    train_set = dezero.datasets.MNIST(train=True)
    test_set = dezero.datasets.MNIST(train=False)
    assert (len(train_set), len(test_set)) == (400, 100)
    x, t = train_set[0]
    assert (x.shape, x.dtype) == ((784,), np.float32)
    assert 0 <= x.min() < x.max() <= 1
    assert train_set.labels()[7] == "7"

    train_loader = DataLoader(train_set, batch_size)
    test_loader = DataLoader(test_set, batch_size, shuffle=False)
    model = MLP((hidden_size, hidden_size, 10), activation=F.relu)
    optimizer = optimizers.Adam().setup(model)

    # On a GPU where there is one.
    if dezero.cuda.gpu_enable:
        train_loader.to_gpu()
        test_loader.to_gpu()
        model.to_gpu()

    losses = []
    for _epoch in range(max_epoch):
        sum_loss = 0
        for x, t in train_loader:
            y = model(x)
            loss = F.softmax_cross_entropy(y, t)
            model.cleargrads()
            loss.backward()
            optimizer.update()
            sum_loss += float(loss.data) * len(t)
        losses.append(sum_loss / len(train_set))

    sum_acc = 0
    with dezero.no_grad():
        for x, t in test_loader:
            y = model(x)
            acc = F.accuracy(y, t)
            sum_acc += float(acc.data) * len(t)
    assert sum_acc / len(test_set) > 0.9
    assert losses[-1] < losses[0]


def test_mnist_with_a_transform_of_the_readers_own(mnist):
    import dezero
    from dezero import DataLoader

    def f(x):
        x = x.flatten()
        x = x.astype(np.float32)
        x /= 255.0
        return x

    plain = dezero.datasets.MNIST(train=True, transform=None)
    x, t = plain[0]
    assert (x.shape, x.dtype) == ((1, 28, 28), np.uint8)
    assert x.reshape(28, 28)[2 * int(t) + 4, 10] >= 180
    own = dezero.datasets.MNIST(train=True, transform=f)
    default = dezero.datasets.MNIST(train=True)
    assert_close(own[5][0], default[5][0])
    x, t = next(iter(DataLoader(own, 10, shuffle=False)))
    assert (x.shape, t.shape) == ((10, 784), (10,))


@needs("matplotlib")
def test_images_are_shown(mnist, monkeypatch):
    import dezero
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    shown = []
    monkeypatch.setattr(plt, "show", lambda: shown.append(plt.gcf()))
    dezero.datasets.MNIST(train=False).show()
    assert len(shown) == 1
    assert shown[0].axes[0].images[0].get_array().shape == (280, 280)
    plt.close("all")


# --- files ----------------------------------------------------------------------------


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


# --- images ---------------------------------------------------------------------------


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


# The losses of the book's framework in the two scripts that follow.
LOSSES_OF_THE_CNN = [5.906982, 4.447335, 3.410979, 2.611286, 1.938715, 1.431000]
LOSSES_OF_THE_RNN = [
    12.645358534112676,
    27.917519706620034,
    29.176838864374698,
    29.33715987658266,
    33.073826688078796,
]


def test_a_cnn_has_the_losses_of_the_books_framework():
    import dezero.functions as F
    import dezero.layers as L
    from dezero import Model, optimizers

    class CNN(Model):
        def __init__(self):
            super().__init__()
            self.conv1 = L.Conv2d(4, kernel_size=3, stride=1, pad=1, in_channels=2)
            self.bn1 = L.BatchNorm()
            self.conv2 = L.Conv2d(
                6, kernel_size=(3, 2), stride=2, pad=(1, 0), nobias=True, in_channels=4
            )
            self.deconv = L.Deconv2d(3, kernel_size=2, stride=2, in_channels=6)
            self.fc = L.Linear(5, in_size=3 * 4 * 4)

        def forward(self, x):
            x = F.pooling(F.relu(self.bn1(self.conv1(x))), 2, 2)
            x = F.leaky_relu(self.conv2(x))
            x = F.average_pooling(self.deconv(x), 1)
            return self.fc(F.flatten(x))

    rng = np.random.RandomState(0)
    model = CNN()
    for layer in (model.conv1, model.conv2, model.deconv, model.fc):
        layer.W.data = (rng.randn(*layer.W.shape) * 0.3).astype(np.float32)
    x = rng.randn(8, 2, 8, 8).astype(np.float32)
    t = rng.randint(0, 5, 8)
    optimizer = optimizers.Adam(0.01).setup(model)
    optimizer.add_hook(optimizers.WeightDecay(0.001))
    optimizer.add_hook(optimizers.ClipGrad(1.0))
    losses = []
    for _ in range(6):
        loss = F.softmax_cross_entropy(model(x), t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        losses.append(float(loss.data))
    assert_close(losses, LOSSES_OF_THE_CNN, rtol=1e-4)


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


# --- gradients of gradients, and networks that generate -------------------------------


def test_a_gradient_penalty():
    import dezero.functions as F
    from dezero import Parameter, Variable

    rng = np.random.RandomState(0)
    x = Variable(rng.randn(6, 3))
    W1 = Parameter(rng.randn(3, 5))
    W2 = Parameter(rng.randn(5, 1))

    def penalty(x, W1, W2):
        y = F.sum(F.matmul(F.tanh(F.matmul(x, W1)), W2))
        x.cleargrad()
        y.backward(create_graph=True)
        gx = x.grad
        norm = F.sum(gx**2, axis=1) ** 0.5
        return F.sum((norm - 1) ** 2) / len(x)

    loss = penalty(x, W1, W2)
    for W in (W1, W2):
        W.cleargrad()
    x.cleargrad()
    loss.backward()

    # Against derivatives by numbers.
    eps = 1e-5
    i = (1, 0)
    for W, found in [(W1, W1.grad.data[i]), (W2, W2.grad.data[i])]:
        kept = W.data[i]
        W.data[i] = kept + eps
        high = float(penalty(x, W1, W2).data)
        W.data[i] = kept - eps
        low = float(penalty(x, W1, W2).data)
        W.data[i] = kept
        assert np.isclose(found, (high - low) / (2 * eps), rtol=1e-5)


def test_a_critic_is_trained_with_a_gradient_penalty():
    import dezero.functions as F
    from dezero import Variable, optimizers
    from dezero.models import MLP

    rng = np.random.RandomState(0)
    critic = MLP((16, 1), activation=F.leaky_relu)
    optimizer = optimizers.Adam(0.01).setup(critic)
    for _ in range(60):
        real = rng.randn(20, 2) + np.array([2.0, 0.0])
        fake = rng.randn(20, 2)
        mix = Variable(real * 0.5 + fake * 0.5)
        F.sum(critic(mix)).backward(create_graph=True)
        gx = mix.grad
        penalty = F.sum((F.sum(gx**2, axis=1) ** 0.5 - 1) ** 2) / len(mix)
        loss = F.sum(critic(fake) - critic(real)) / 20 + 10 * penalty
        critic.cleargrads()
        loss.backward()
        optimizer.update()
    assert critic(real).data.mean() > critic(fake).data.mean() + 0.1
    assert float(penalty.data) < 0.3


def test_a_generative_adversarial_network():
    import dezero
    import dezero.functions as F
    import dezero.layers as L
    from dezero.models import Sequential
    from dezero.optimizers import Adam

    C, H, W = 8, 4, 4
    G = Sequential(
        L.Linear(C * H * W),
        F.relu,
        L.BatchNorm(),
        lambda x: F.reshape(x, (-1, C, H, W)),
        L.Deconv2d(C // 2, kernel_size=4, stride=2, pad=1),
        L.BatchNorm(),
        F.relu,
        L.Deconv2d(1, kernel_size=3, stride=1, pad=1),
        F.sigmoid,
    )
    D = Sequential(
        L.Conv2d(8, kernel_size=3, stride=2, pad=1),
        F.leaky_relu,
        L.Conv2d(16, kernel_size=3, stride=2, pad=1),
        L.BatchNorm(),
        F.leaky_relu,
        F.flatten,
        L.Linear(1),
    )
    opt_g = Adam(alpha=0.002, beta1=0.5).setup(G)
    opt_d = Adam(alpha=0.002, beta1=0.5).setup(D)

    batch_size, z_size = 16, 5
    label_real = np.ones(batch_size).astype(int)
    label_fake = np.zeros(batch_size).astype(int)
    use_gpu = dezero.cuda.gpu_enable
    xp = dezero.cuda.cupy if use_gpu else np
    if use_gpu:
        G.to_gpu()
        D.to_gpu()
        label_real, label_fake = xp.array(label_real), xp.array(label_fake)

    for _step in range(15):
        x = 0.5 + 0.1 * xp.random.rand(batch_size, 1, 8, 8).astype(np.float32)
        y = D(x)
        loss_d = F.sigmoid_cross_entropy(y, label_real)
        z = xp.random.rand(batch_size, z_size).astype(np.float32)
        fake = G(z)
        y = D(fake.data)
        loss_d += F.sigmoid_cross_entropy(y, label_fake)
        D.cleargrads()
        loss_d.backward()
        opt_d.update()

        y = D(fake)
        loss_g = F.sigmoid_cross_entropy(y, label_real)
        G.cleargrads()
        loss_g.backward()
        opt_g.update()

    with dezero.test_mode():
        z = xp.random.rand(4, z_size).astype(np.float32)
        fake = G(z)
    assert fake.shape == (4, 1, 8, 8)
    assert np.isfinite(float(loss_g.data))
    # Of two kinds of answers half right, a discriminator that guesses has a loss of 2
    # log 2.
    assert 0 < float(loss_d.data) < 2 * math.log(2)


def test_a_variational_autoencoder():
    import dezero.functions as F
    import dezero.layers as L
    from dezero import DataLoader, Dataset, Model, optimizers

    class Encoder(Model):
        def __init__(self, latent_size):
            super().__init__()
            self.latent_size = latent_size
            self.conv1 = L.Conv2d(4, kernel_size=3, stride=2, pad=1)
            self.linear1 = L.Linear(latent_size)
            self.linear2 = L.Linear(latent_size)

        def forward(self, x):
            x = F.relu(self.conv1(x))
            x = F.flatten(x)
            z_mean = self.linear1(x)
            z_log_var = self.linear2(x)
            return z_mean, z_log_var

        def sampling(self, z_mean, z_log_var):
            epsilon = np.random.randn(len(z_mean), self.latent_size)
            return z_mean + F.exp(z_log_var) * epsilon

    class Decoder(Model):
        def __init__(self):
            super().__init__()
            self.linear1 = L.Linear(4 * 4 * 4)
            self.deconv = L.Deconv2d(1, kernel_size=4, stride=2, pad=1)

        def forward(self, x):
            x = F.relu(self.linear1(x))
            x = F.reshape(x, (-1, 4, 4, 4))
            x = self.deconv(x)
            return F.sigmoid(x)

    class VAE(Model):
        def __init__(self, latent_size):
            super().__init__()
            self.encoder = Encoder(latent_size)
            self.decoder = Decoder()

        def forward(self, x, C=1.0, k=1):
            z_mean, z_log_var = self.encoder(x)
            rec_loss = 0
            for _ in range(k):
                z = self.encoder.sampling(z_mean, z_log_var)
                y = self.decoder(z)
                rec_loss += F.binary_cross_entropy(F.flatten(y), F.flatten(x)) / k
            kl_loss = C * (z_mean**2 + F.exp(z_log_var) - z_log_var - 1) * 0.5
            kl_loss = F.sum(kl_loss) / len(x)
            return rec_loss + kl_loss

    class Boxes(Dataset):
        def prepare(self):
            self.data = np.zeros((64, 1, 8, 8), dtype=np.float32)
            for i, image in enumerate(self.data):
                image[0, i % 4 : i % 4 + 4, i // 4 % 4 : i // 4 % 4 + 4] = 1.0

    vae = VAE(2)
    optimizer = optimizers.Adam(0.01).setup(vae)
    losses = []
    for _epoch in range(15):
        avg_loss = 0
        for x, _ in DataLoader(Boxes(), 16):
            loss = vae(x)
            vae.cleargrads()
            loss.backward()
            optimizer.update()
            avg_loss += float(loss.data) / 4
        losses.append(avg_loss)
    assert losses[-1] < 0.75 * losses[0]
    assert len(vae.encoder(x)) == 2
    assert len(list(vae.params())) == 10


# --- learning by reward, as in the series' next volume --------------------------------


def test_a_target_network_is_a_copy():
    import copy

    import dezero.functions as F
    import dezero.layers as L
    from dezero import Model, optimizers

    class QNet(Model):
        def __init__(self, action_size):
            super().__init__()
            self.l1 = L.Linear(16)
            self.l2 = L.Linear(action_size)

        def forward(self, x):
            x = F.relu(self.l1(x))
            return self.l2(x)

    rng = np.random.RandomState(0)
    qnet, qnet_target = QNet(2), QNet(2)
    optimizer = optimizers.Adam(0.01)
    optimizer.setup(qnet)
    for i in range(60):
        if i % 20 == 0:
            qnet_target = copy.deepcopy(qnet)
        if i == 40:
            copied = qnet.l1.W.data.copy()
        state, next_state = rng.rand(16, 4), rng.rand(16, 4)
        action, reward, done = rng.randint(0, 2, 16), rng.rand(16), rng.rand(16) < 0.5
        qs = qnet(state)
        q = qs[np.arange(len(action)), action]
        next_qs = qnet_target(next_state)
        next_q = next_qs.max(axis=1)
        next_q.unchain()
        target = reward + (1 - done) * 0.9 * next_q
        loss = F.mean_squared_error(q, target)
        qnet.cleargrads()
        loss.backward()
        optimizer.update()
    assert_equal(qnet_target.l1.W.data, copied)
    assert not np.array_equal(qnet.l1.W.data, copied)
    greedy = qnet(rng.rand(1, 4)).data.argmax()
    assert greedy in (0, 1)


def test_an_actor_and_a_critic():
    import dezero.functions as F
    from dezero import optimizers
    from dezero.models import MLP

    pi, v = MLP((16, 2), activation=F.relu), MLP((16, 1), activation=F.relu)
    optimizer_pi = optimizers.Adam(0.02).setup(pi)
    optimizer_v = optimizers.Adam(0.02).setup(v)
    rng = np.random.RandomState(0)
    for _ in range(150):
        state = rng.rand(3)
        state = state[np.newaxis, :]
        probs = F.softmax(pi(state))
        probs = probs[0]
        action = int(rng.rand() > probs.data[0])
        reward, done = float(action), True  # the second of two is worth something

        target = reward + 0.9 * v(state) * (1 - done)
        target.unchain()
        value = v(state)
        loss_v = F.mean_squared_error(value, target)
        delta = target - value
        delta.unchain()
        loss_pi = -F.log(probs[action]) * delta
        v.cleargrads()
        pi.cleargrads()
        loss_v.backward()
        loss_pi.backward()
        optimizer_v.update()
        optimizer_pi.update()
    assert F.softmax(pi(np.full((1, 3), 0.5))).data[0, 1] > 0.9


# --- sequences ------------------------------------------------------------------------


def test_a_recurrent_layer_keeps_its_state():
    import dezero.layers as L

    rnn = L.RNN(10)
    x = np.random.rand(1, 1)
    h = rnn(x)
    assert h.shape == (1, 10)
    assert rnn.h is h
    rnn(x)
    names = sorted(p.name for p in rnn.params())
    assert names == ["W", "W", "b"]
    x2h, b, h2h = rnn.x2h.W.data, rnn.x2h.b.data, rnn.h2h.W.data
    assert_close(rnn.h.data, np.tanh(x @ x2h + b + h.data @ h2h), atol=1e-6)
    rnn.reset_state()
    assert rnn.h is None


def simple_rnn(hidden_size, out_size):
    import dezero.layers as L
    from dezero import Model

    class SimpleRNN(Model):
        def __init__(self, hidden_size, out_size):
            super().__init__()
            self.rnn = L.RNN(hidden_size)
            self.fc = L.Linear(out_size)

        def reset_state(self):
            self.rnn.reset_state()

        def forward(self, x):
            h = self.rnn(x)
            y = self.fc(h)
            return y

    return SimpleRNN(hidden_size, out_size)


def test_an_rnn_follows_a_curve():
    import dezero
    import dezero.functions as F

    max_epoch = 3
    hidden_size = 30
    bptt_length = 30

    train_set = dezero.datasets.SinCurve(train=True)
    seqlen = len(train_set)
    assert seqlen == 999
    xs = [example[0] for example in train_set]
    ts = [example[1] for example in train_set]
    assert_equal(xs[1:], ts[:-1])

    model = simple_rnn(hidden_size, 1)
    optimizer = dezero.optimizers.Adam().setup(model)

    avg_losses = []
    for _epoch in range(max_epoch):
        model.reset_state()
        loss, count = 0, 0

        for x, t in train_set:
            x = x.reshape(1, 1)
            t = t.reshape(1, 1)
            y = model(x)
            loss += F.mean_squared_error(y, t)
            count += 1

            if count % bptt_length == 0 or count == seqlen:
                model.cleargrads()
                loss.backward()
                loss.unchain_backward()
                optimizer.update()
        avg_losses.append(float(loss.data) / count)
    assert avg_losses[-1] < 0.06

    xs = np.cos(np.linspace(0, 4 * np.pi, 300))
    model.reset_state()
    pred_list = []
    with dezero.no_grad():
        for x in xs:
            x = np.array(x).reshape(1, 1)
            y = model(x)
            pred_list.append(y.data.item())
    assert np.abs(np.array(pred_list[:-1]) - xs[1:])[30:].mean() < 0.2


def test_an_rnn_has_the_losses_of_the_books_framework():
    import dezero
    import dezero.functions as F

    rng = np.random.RandomState(0)
    model = simple_rnn(6, 1)
    for _ in range(2):
        model(
            np.zeros((2, 1))
        )  # makes the weights: those from state to state at the second call
    for layer in (model.rnn.x2h, model.rnn.h2h, model.fc):
        layer.W.data = rng.randn(*layer.W.shape) * 0.4
        if layer.b is not None:
            layer.b.data = np.zeros_like(layer.b.data, dtype=np.float64)
    model.reset_state()
    optimizer = dezero.optimizers.MomentumSGD(0.01).setup(model)
    xs = np.sin(np.linspace(0, 6, 41))
    losses = []
    loss = 0
    for i in range(40):
        x = np.array([[xs[i]], [-xs[i]]])
        t = np.array([[xs[i + 1]], [-xs[i + 1]]])
        loss += F.mean_squared_error(model(x), t)
        if (i + 1) % 8 == 0:
            model.cleargrads()
            loss.backward()
            loss.unchain_backward()
            optimizer.update()
            losses.append(float(loss.data))
    assert_close(losses, LOSSES_OF_THE_RNN, rtol=1e-9)


def test_an_rnn_is_given_targets_as_the_curve_has_them():
    import dezero
    import dezero.functions as F

    model = simple_rnn(5, 1)
    loss = 0
    for x, t in dezero.datasets.SinCurve(train=True):
        x = x.reshape(1, 1)
        y = model(x)
        # The book leaves t as it is: of shape (1,).
        loss += F.mean_squared_error(y, t)
        break
    loss.backward()
    assert np.isclose(float(loss.data), (y.data.item() - t.item()) ** 2)


def test_an_lstm_follows_many_parts_of_a_curve_at_once():
    import dezero
    import dezero.functions as F
    import dezero.layers as L
    from dezero import Model, SeqDataLoader

    max_epoch = 15
    batch_size = 30
    hidden_size = 40
    bptt_length = 30

    train_set = dezero.datasets.SinCurve(train=True)
    dataloader = SeqDataLoader(train_set, batch_size=batch_size)
    seqlen = len(train_set)

    class BetterRNN(Model):
        def __init__(self, hidden_size, out_size):
            super().__init__()
            self.rnn = L.LSTM(hidden_size)
            self.fc = L.Linear(out_size)

        def reset_state(self):
            self.rnn.reset_state()

        def forward(self, x):
            y = self.rnn(x)
            y = self.fc(y)
            return y

    model = BetterRNN(hidden_size, 1)
    optimizer = dezero.optimizers.Adam(0.01).setup(model)

    avg_losses = []
    for _epoch in range(max_epoch):
        model.reset_state()
        loss, count = 0, 0

        for x, t in dataloader:
            y = model(x)
            loss += F.mean_squared_error(y, t)
            count += 1
            if count % bptt_length == 0 or count == seqlen:
                model.cleargrads()
                loss.backward()
                loss.unchain_backward()
                optimizer.update()
        avg_losses.append(float(loss.data) / count)
    assert count == 34
    assert avg_losses[-1] < 0.06 < 0.1 < avg_losses[0]
    assert model.rnn.c.shape == model.rnn.h.shape == (30, 40)

    xs = np.cos(np.linspace(0, 4 * np.pi, 300))
    model.reset_state()
    pred_list = []
    with dezero.no_grad():
        for x in xs:
            x = np.array(x).reshape(1, 1)
            y = model(x)
            pred_list.append(y.data.item())
    assert np.abs(np.array(pred_list[:-1]) - xs[1:])[30:].mean() < 0.2


def test_a_language_model_writes():
    import dezero
    import dezero.functions as F
    import dezero.layers as L
    from dezero import Dataset, Model, SeqDataLoader

    class Text(Dataset):
        def prepare(self):
            text = "hello world, " * 40
            self.char_to_id, self.id_to_char = {}, {}
            for c in text:
                if c not in self.char_to_id:
                    new_id = len(self.char_to_id)
                    self.char_to_id[c] = new_id
                    self.id_to_char[new_id] = c
            indices = np.array([self.char_to_id[c] for c in text])
            self.data = indices[:-1]
            self.label = indices[1:]

    class CharModel(Model):
        def __init__(self, vocab_size, hidden_size):
            super().__init__()
            self.embed = L.EmbedID(vocab_size, hidden_size)
            self.rnn = L.LSTM(hidden_size)
            self.fc = L.Linear(vocab_size)

        def reset_state(self):
            self.rnn.reset_state()

        def forward(self, x):
            return self.fc(self.rnn(self.embed(x)))

    train_set = Text()
    loader = SeqDataLoader(train_set, batch_size=8)
    model = CharModel(len(train_set.char_to_id), 24)
    optimizer = dezero.optimizers.Adam(0.02).setup(model)
    for _epoch in range(5):
        model.reset_state()
        loss, count = 0, 0
        for x, t in loader:
            loss += F.softmax_cross_entropy(model(x), t)
            count += 1
            if count % 13 == 0 or count == loader.max_iter:
                model.cleargrads()
                loss.backward()
                loss.unchain_backward()
                optimizer.update()
    assert float(loss.data) / count < 0.5

    model.reset_state()
    with dezero.no_grad(), dezero.test_mode():
        c = "w"
        text = c
        for _ in range(12):
            x = np.array([train_set.char_to_id[c]])
            y = model(x)
            p = F.softmax(y).data.ravel()
            c = train_set.id_to_char[int(p.argmax())]
            text += c
    assert text == "world, hello "


def test_the_plays(desk, monkeypatch):
    import dezero

    (desk / "shakespear.txt").write_text("to be or not to be")
    monkeypatch.setenv("DEZERO_LITE_DATA", str(desk))
    plays = dezero.datasets.Shakespear()
    assert len(plays) == 17
    x, t = plays[0]
    assert (plays.id_to_char[int(x)], plays.id_to_char[int(t)]) == ("t", "o")
    assert "".join(plays.id_to_char[int(i)] for i in plays.label) == "o be or not to be"


# --- tools ----------------------------------------------------------------------------


def test_utils_compare_and_check():
    import dezero.functions as F
    from dezero import Variable
    from dezero.utils import (
        array_allclose,
        array_equal,
        gradient_check,
        logsumexp,
        max_backward_shape,
        numerical_grad,
        reshape_sum_backward,
        show_progress,
        sum_to,
    )

    rng = np.random.RandomState(0)
    x = rng.rand(4, 3)
    assert array_equal(Variable(x), x.copy())
    assert not array_equal(x, x + 1e-12)
    assert array_allclose(Variable(x), x + 1e-7)
    assert not array_allclose(x, x + 1e-2)
    assert gradient_check(F.sigmoid, x)
    assert gradient_check(
        lambda x: F.softmax_cross_entropy(x, np.array([0, 2, 1, 1])), Variable(x)
    )
    assert gradient_check(F.sum, Variable(x), axis=1)
    assert gradient_check(
        F.conv2d, rng.rand(2, 2, 4, 4), rng.rand(3, 2, 3, 3), None, stride=1, pad=1
    )
    assert array_allclose(numerical_grad(F.tanh, x), 1 - np.tanh(x) ** 2)
    assert sum_to(x, (1, 3)).shape == (1, 3)
    assert_close(logsumexp(x, axis=1), np.log(np.exp(x).sum(axis=1, keepdims=True)))
    assert tuple(max_backward_shape(x, 1)) == (4, 1)
    assert reshape_sum_backward(Variable(np.ones(4)), (4, 3), 1, False).shape == (4, 1)
    show_progress(1, 10, 20)


@needs("PIL")
def test_transforms_one_after_the_other():
    from dezero import Dataset
    from dezero.transforms import (
        AsType,
        CenterCrop,
        Compose,
        Convert,
        Flatten,
        Normalize,
        Resize,
        ToArray,
        ToFloat,
        ToInt,
        ToPIL,
    )
    from PIL import Image

    pixels = np.random.RandomState(0).randint(0, 256, (30, 40, 3)).astype(np.uint8)
    image = Image.fromarray(pixels)
    f = Compose(
        [
            Convert("RGB"),
            CenterCrop(20),
            ToArray(),
            Normalize(mean=(10, 20, 30), std=(2, 2, 2)),
        ]
    )
    x = f(image)
    middle = pixels[5:25, 10:30].transpose(2, 0, 1)
    assert_close(x, (middle - np.array([10, 20, 30]).reshape(3, 1, 1)) / 2)
    assert Resize((8, 6))(image).size == (8, 6)
    assert_equal(np.asarray(Convert("BGR")(image)), pixels[..., ::-1])
    back = ToPIL()(pixels.transpose(2, 0, 1))
    assert_equal(np.asarray(back), pixels)

    x = np.array([[0.0, 51.0], [102.0, 255.0]])
    assert_close(
        Compose([Flatten(), ToFloat(), Normalize(0.0, 255.0)])(x), [0.0, 0.2, 0.4, 1.0]
    )
    assert ToInt()(x).dtype.kind == "i"
    assert AsType(np.float16)(x).dtype == np.float16
    assert Compose()(x) is x

    class Two(Dataset):
        def prepare(self):
            self.data = x
            self.label = np.array([0, 1])

    two = Two(
        transform=Compose([ToFloat(), Normalize(0.0, 255.0)]),
        target_transform=lambda t: t * 10,
    )
    assert_close(two[1][0], [0.4, 1.0])
    assert two[1][1] == 10


SCRIPT = """
import dezero_lite as dezero
import numpy as np

F = dezero.functions
model = dezero.models.MLP((10, 3))
optimizer = dezero.optimizers.SGD(lr=1.0).setup(model)
loader = dezero.DataLoader(dezero.datasets.Spiral(), batch_size=30)
for epoch in range(3):
    sum_loss = 0
    for x, t in loader:
        loss = F.softmax_cross_entropy(model(x), t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        sum_loss += float(loss.data) * len(t)
    print('epoch %d, loss %.2f' % (epoch + 1, sum_loss / 300))
model.save_weights('spiral.npz')
"""


def test_a_script_in_a_process_of_its_own(desk):
    (desk / "spiral.py").write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, "spiral.py"], capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    assert [line.split(",")[0] for line in lines] == ["epoch 1", "epoch 2", "epoch 3"]
    assert all(float(line.split()[-1]) < 1.5 for line in lines)
    assert (desk / "spiral.npz").exists()
    assert done.stderr == ""
