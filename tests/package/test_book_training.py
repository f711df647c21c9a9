"""Scripts in the manner of the book's stages 4 and 5, and of the series' next volumes:
networks that are trained, on small data.

Numbers that they compare with are the book's framework's own
(``tests/support/book_numbers.py`` makes them), or derived on paper.
"""

import copy
import gzip
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dezero_lite as dezero
import dezero_lite.functions as F
import dezero_lite.layers as L
from dezero_lite import DataLoader, Dataset, Layer, Model, Parameter, Variable
from dezero_lite.models import MLP, Sequential
from dezero_lite.optimizers import Adam
from tests.support import book_numbers
from tests.support.arrays import assert_close, assert_equal
from tests.support.book_numbers import NUMBERS, simple_rnn
from tests.support.digits_like import digits_like
from tests.support.training import train_step


@pytest.fixture(autouse=True)
def the_same_numbers_in_every_run():
    dezero.manual_seed(0)
    np.random.seed(0)


# --- the book's own numbers -----------------------------------------------------------


@pytest.mark.parametrize("name", NUMBERS["optimizers"])
def test_five_steps_of_each_optimizer(name):
    where = book_numbers.five_steps(dezero, name)
    assert_close(where, NUMBERS["optimizers"][name], rtol=1e-9)


def test_a_cnn_has_the_losses_of_the_books_framework():
    losses = book_numbers.losses_of_a_cnn(dezero)
    assert_close(losses, NUMBERS["losses of a CNN"], rtol=1e-4)


def test_an_rnn_has_the_losses_of_the_books_framework():
    losses = book_numbers.losses_of_an_rnn(dezero)
    assert_close(losses, NUMBERS["losses of an RNN"], rtol=1e-9)


# --- layers, loaders and images -------------------------------------------------------


def test_a_layer_with_parameters_of_its_own():
    class Bilinear(Layer):
        def __init__(self, out_size):
            super().__init__()
            self.out_size = out_size
            self.W = Parameter(None, name="W")  # its size comes with the first input
            self.V = Parameter(None, name="V")
            self.scale = Parameter(np.ones(out_size, dtype=np.float32), name="scale")

        def _init_W(self, in_size, xp):
            for p in (self.W, self.V):
                W = xp.random.randn(in_size, self.out_size) * xp.sqrt(1 / in_size)
                p.data = W.astype(np.float32)

        def forward(self, x):
            if self.W.data is None:
                self._init_W(x.shape[1], dezero.cuda.get_array_module(x))
            return F.matmul(x, self.W) * F.matmul(x, self.V) * self.scale

    class Net(Model):
        def __init__(self):
            super().__init__()
            self.l1 = Bilinear(8)
            self.l2 = L.Linear(1)

        def forward(self, x):
            return self.l2(self.l1(x))

    x = np.random.randn(50, 2).astype(np.float32)
    y = x[:, :1] * x[:, 1:]
    net = Net()
    optimizer = Adam(0.05).setup(net)
    for _ in range(200):
        loss = train_step(net, optimizer, F.mean_squared_error(net(x), y))
    assert loss < 0.01
    assert sorted(p.name for p in net.params()) == ["V", "W", "W", "b", "scale"]


def put_mnist(folder):
    """Small files in the form of MNIST."""
    rng = np.random.RandomState(0)
    folder.mkdir(parents=True)
    for part, count in (("train", 400), ("t10k", 100)):
        images, labels = digits_like(count, rng)
        for name, array in (("images-idx3", images), ("labels-idx1", labels)):
            header = bytes([0, 0, 8, array.ndim])
            header += np.array(array.shape, ">u4").tobytes()
            content = gzip.compress(header + array.tobytes())
            (folder / f"{part}-{name}-ubyte.gz").write_bytes(content)


def test_mnist_is_learned_by_an_mlp(tmp_path, monkeypatch):
    put_mnist(tmp_path / "mnist")
    monkeypatch.setenv("DEZERO_LITE_DATA", str(tmp_path))

    def f(x):
        x = x.flatten()
        x = x.astype(np.float32)
        x /= 255.0
        return x

    train_set = dezero.datasets.MNIST(train=True)
    own = dezero.datasets.MNIST(train=True, transform=f)
    assert_equal(own[5][0], train_set[5][0])
    plain, t = dezero.datasets.MNIST(train=True, transform=None)[0]
    assert plain.reshape(28, 28)[2 * int(t) + 4, 10] >= 180

    test_loader = DataLoader(dezero.datasets.MNIST(train=False), 100, shuffle=False)
    model = MLP((100, 100, 10), activation=F.relu)
    optimizer = Adam().setup(model)
    for _epoch in range(5):
        for x, t in DataLoader(own, 100):
            train_step(model, optimizer, F.softmax_cross_entropy(model(x), t))

    with dezero.no_grad():
        ((x, t),) = test_loader
        assert float(F.accuracy(model(x), t).data) > 0.9


def test_a_lenet_learns_and_is_tested():
    class Bars(Dataset):
        def prepare(self):
            rng = np.random.RandomState(self.train)
            images, self.label = digits_like(240 if self.train else 80, rng)
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

    test_loader = DataLoader(Bars(False, transform), 8, shuffle=False)
    model = LeNet()
    optimizer = Adam(0.005).setup(model)
    optimizer.add_hook(dezero.optimizers.ClipGrad(5.0))
    for _epoch in range(4):
        for x, t in DataLoader(Bars(True, transform), 8):
            train_step(model, optimizer, F.softmax_cross_entropy(model(x), t))

    accuracy = 0
    with dezero.no_grad(), dezero.test_mode():
        for x, t in test_loader:
            accuracy += float(F.accuracy(model(x), t).data) / test_loader.max_iter
    assert accuracy > 0.8


def test_an_image_is_changed_until_a_network_is_content():
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

    def image():
        return np.random.rand(1, 3, 8, 8).astype(np.float32)

    conv = L.Conv2d(6, kernel_size=3, pad=1, in_channels=3)
    style = gram_matrix(F.relu(conv(image())))
    style.unchain()
    model = ImageModel(image())
    optimizer = Adam(0.05).setup(model)
    losses = []
    for _ in range(30):
        gram = gram_matrix(F.relu(conv(model())))
        loss = F.mean_squared_error(gram, style)
        losses.append(train_step(model, optimizer, loss))
    assert losses[-1] < 0.2 * losses[0]

    # What in the image, and which channel, the answer depends on.
    x = Variable(image())
    h = F.relu(conv(x))
    F.sum(h[:, 2] * 3.0).backward(retain_grad=True)
    assert np.abs(x.grad.data).max(axis=1).shape == (1, 8, 8)
    assert h.grad.data.mean(axis=(0, 2, 3)).tolist() == [0, 0, 3, 0, 0, 0]


# --- with a memory --------------------------------------------------------------------


def test_an_rnn_is_given_targets_as_the_curve_has_them():
    model = simple_rnn(dezero, 5, 1)
    x, t = dezero.datasets.SinCurve(train=True)[0]
    y = model(x.reshape(1, 1))
    # The book leaves t as it is: of shape (1,).
    loss = F.mean_squared_error(y, t)
    loss.backward()
    assert np.isclose(float(loss.data), (y.data.item() - t.item()) ** 2)


class Recurrent(Model):
    """An LSTM between what comes in and what goes out."""

    def __init__(self, first, hidden_size, out_size):
        super().__init__()
        self.first = first
        self.rnn = L.LSTM(hidden_size)
        self.fc = L.Linear(out_size)

    def reset_state(self):
        self.rnn.reset_state()

    def forward(self, x):
        return self.fc(self.rnn(self.first(x)))


def epoch(model, optimizer, loader, loss_of, bptt_length):
    """Train on one walk through a sequence, in pieces; the mean loss of the last."""
    model.reset_state()
    loss, count = 0, 0
    for x, t in loader:
        loss += loss_of(model(x), t)
        count += 1
        if count % bptt_length == 0 or count == loader.max_iter:
            model.cleargrads()
            loss.backward()
            loss.unchain_backward()
            optimizer.update()
    return float(loss.data) / count


def test_an_lstm_follows_many_parts_of_a_curve_at_once():
    train_set = dezero.datasets.SinCurve(train=True)
    loader = dezero.SeqDataLoader(train_set, batch_size=30)
    model = Recurrent(lambda x: x, 40, 1)
    optimizer = Adam(0.01).setup(model)
    losses = [
        epoch(model, optimizer, loader, F.mean_squared_error, 30) for _ in range(15)
    ]
    assert losses[-1] < 0.06 < 0.1 < losses[0]
    assert model.rnn.c.shape == model.rnn.h.shape == (30, 40)

    xs = np.cos(np.linspace(0, 4 * np.pi, 300))
    model.reset_state()
    with dezero.no_grad():
        ys = [model(x.reshape(1, 1)).data.item() for x in xs]
    assert np.abs(np.array(ys[:-1]) - xs[1:])[30:].mean() < 0.2


def test_a_language_model_writes():
    class Text(Dataset):
        def prepare(self):
            text = "hello world, " * 40
            self.letters = sorted(set(text))
            indices = np.array([self.letters.index(c) for c in text])
            self.data, self.label = indices[:-1], indices[1:]

    train_set = Text()
    letters = train_set.letters
    model = Recurrent(L.EmbedID(len(letters), 24), 24, len(letters))
    loader = dezero.SeqDataLoader(train_set, batch_size=8)
    optimizer = Adam(0.02).setup(model)
    for _ in range(5):
        loss = epoch(model, optimizer, loader, F.softmax_cross_entropy, 13)
    assert loss < 0.5

    model.reset_state()
    text = "w"
    with dezero.no_grad(), dezero.test_mode():
        for _ in range(12):
            p = F.softmax(model(np.array([letters.index(text[-1])])))
            text += letters[int(p.data.ravel().argmax())]
    assert text == "world, hello "


# --- beyond the book's steps ----------------------------------------------------------


def test_a_gradient_penalty():
    x = Variable(np.random.randn(6, 3))
    W1, W2 = Parameter(np.random.randn(3, 5)), Parameter(np.random.randn(5, 1))

    def penalty():
        y = F.sum(F.matmul(F.tanh(F.matmul(x, W1)), W2))
        x.cleargrad()
        y.backward(create_graph=True)
        gx = x.grad
        norm = F.sum(gx**2, axis=1) ** 0.5
        return F.sum((norm - 1) ** 2) / len(x)

    loss = penalty()
    for v in (W1, W2, x):
        v.cleargrad()
    loss.backward()

    # Against derivatives by numbers.
    i, eps = (1, 0), 1e-5
    for W, found in [(W1, W1.grad.data[i]), (W2, W2.grad.data[i])]:
        W.data[i] += eps
        high = float(penalty().data)
        W.data[i] -= 2 * eps
        low = float(penalty().data)
        W.data[i] += eps
        assert np.isclose(found, (high - low) / (2 * eps), rtol=1e-5)


def test_a_generative_adversarial_network():
    G = Sequential(
        L.Linear(8 * 4 * 4),
        F.relu,
        L.BatchNorm(),
        lambda x: F.reshape(x, (-1, 8, 4, 4)),
        L.Deconv2d(4, kernel_size=4, stride=2, pad=1),
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
    label_real, label_fake = np.ones(16).astype(int), np.zeros(16).astype(int)
    for _step in range(15):
        x = 0.5 + 0.1 * np.random.rand(16, 1, 8, 8).astype(np.float32)
        loss_d = F.sigmoid_cross_entropy(D(x), label_real)
        fake = G(np.random.rand(16, 5).astype(np.float32))
        loss_d += F.sigmoid_cross_entropy(D(fake.data), label_fake)
        loss_d = train_step(D, opt_d, loss_d)
        loss_g = train_step(G, opt_g, F.sigmoid_cross_entropy(D(fake), label_real))

    with dezero.test_mode():
        assert G(np.random.rand(4, 5).astype(np.float32)).shape == (4, 1, 8, 8)
    assert np.isfinite(loss_g)
    # Of two kinds of answers half right, a discriminator that guesses has a loss of 2
    # log 2.
    assert 0 < loss_d < 2 * math.log(2)


def test_a_target_network_is_a_copy():
    rng = np.random.RandomState(0)
    qnet = MLP((16, 2), activation=F.relu)
    optimizer = Adam(0.01)
    optimizer.setup(qnet)
    for i in range(60):
        if i % 20 == 0:
            qnet_target = copy.deepcopy(qnet)
        if i == 40:
            copied = qnet.l0.W.data.copy()
        state, next_state = rng.rand(16, 4), rng.rand(16, 4)
        action, reward, done = rng.randint(0, 2, 16), rng.rand(16), rng.rand(16) < 0.5
        q = qnet(state)[np.arange(len(action)), action]
        next_q = qnet_target(next_state).max(axis=1)
        next_q.unchain()
        target = reward + (1 - done) * 0.9 * next_q
        train_step(qnet, optimizer, F.mean_squared_error(q, target))
    assert_equal(qnet_target.l0.W.data, copied)
    assert not np.array_equal(qnet.l0.W.data, copied)


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


def test_a_script_in_a_process_of_its_own(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=tmp_path,
        # The package need not be installed to be tested.
        env=os.environ | {"PYTHONPATH": str(Path(dezero.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=True,
    )
    lines = done.stdout.splitlines()
    assert [line.split(",")[0] for line in lines] == ["epoch 1", "epoch 2", "epoch 3"]
    assert all(float(line.split()[-1]) < 1.5 for line in lines)
    assert (tmp_path / "spiral.npz").exists()
    assert done.stderr == ""
