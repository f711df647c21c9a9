"""Stage 4, up to step 46: layers, models and optimizers."""

import numpy as np
import pytest

from tests.support import book_numbers
from tests.support.arrays import assert_close, assert_equal
from tests.support.book_numbers import NUMBERS
from tests.support.needs import needs


def sine_data():
    rng = np.random.RandomState(0)
    x = rng.rand(100, 1)
    y = np.sin(2 * np.pi * x) + rng.rand(100, 1)
    return x, y, rng


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


@pytest.mark.parametrize("name", NUMBERS["optimizers"])
def test_five_steps_of_each_optimizer(name):
    where = book_numbers.five_steps(name)
    assert_close(where, NUMBERS["optimizers"][name], rtol=1e-9)


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
