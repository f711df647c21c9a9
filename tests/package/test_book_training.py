"""Scripts in the style of the book's stages 4 and 5, and of the later volumes: networks
that are trained on small data.

The expected numbers are the book's framework's own (computed by
``tests/support/book_numbers.py``), or derived on paper.
"""

import numpy as np
import pytest

import dezero_lite as dezero
import dezero_lite.functions as F
import dezero_lite.layers as L
from dezero_lite import Layer, Model, Parameter
from dezero_lite.optimizers import Adam
from tests.support import book_numbers
from tests.support.arrays import assert_close
from tests.support.book_numbers import NUMBERS, simple_rnn
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
            self.W = Parameter(None, name="W")  # its size comes from the first input
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


# --- with a memory --------------------------------------------------------------------


def test_an_rnn_is_given_targets_as_the_curve_has_them():
    model = simple_rnn(dezero, 5, 1)
    x, t = dezero.datasets.SinCurve(train=True)[0]
    y = model(x.reshape(1, 1))
    # The book leaves t unchanged, with shape (1,).
    loss = F.mean_squared_error(y, t)
    loss.backward()
    assert np.isclose(float(loss.data), (y.data.item() - t.item()) ** 2)


# --- beyond the book's steps ----------------------------------------------------------
