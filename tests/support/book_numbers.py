"""Numbers of the book's framework, for tests/package/test_book_training.py.

They are in book_numbers.json. If the extra ``bench`` is installed, which includes the
book's framework, ``python -m tests.support.book_numbers`` computes them again: the same
programs run there on the book's framework and in the tests on ours.
"""

import json
import sys
from pathlib import Path

import numpy as np

FILE = Path(__file__).with_suffix(".json")
NUMBERS = json.loads(FILE.read_text(encoding="utf-8"))


def update(model, optimizer, loss):
    model.cleargrads()
    loss.backward()
    optimizer.update()


def five_steps(dezero, name):
    """Return where an optimizer gets from (1, -2), on p0² + 10·p1²."""
    layer = dezero.Layer()
    layer.p = dezero.Parameter(np.array([1.0, -2.0]))
    optimizer = getattr(dezero.optimizers, name)()
    optimizer.setup(layer)
    for _ in range(5):
        loss = dezero.functions.sum(layer.p**2 * np.array([1.0, 10.0]))
        update(layer, optimizer, loss)
    return layer.p.data


def losses_of_a_cnn(dezero):
    """Return the losses of six steps of a network with all the functions for images."""
    F, L, optimizers = dezero.functions, dezero.layers, dezero.optimizers

    class CNN(dezero.Model):
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
        update(model, optimizer, loss)
        losses.append(float(loss.data))
    return losses


def simple_rnn(dezero, hidden_size, out_size):
    class SimpleRNN(dezero.Model):
        def __init__(self):
            super().__init__()
            self.rnn = dezero.layers.RNN(hidden_size)
            self.fc = dezero.layers.Linear(out_size)

        def reset_state(self):
            self.rnn.reset_state()

        def forward(self, x):
            return self.fc(self.rnn(x))

    return SimpleRNN()


def losses_of_an_rnn(dezero):
    """Return the losses of a recurrent network after each of five truncated
    histories.
    """
    rng = np.random.RandomState(0)
    model = simple_rnn(dezero, 6, 1)
    for _ in range(2):  # creates the weights; those for the state at the second call
        model(np.zeros((2, 1)))
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
        loss += dezero.functions.mean_squared_error(model(x), t)
        if (i + 1) % 8 == 0:
            update(model, optimizer, loss)
            loss.unchain_backward()
            losses.append(float(loss.data))
    return losses


def numbers(dezero):
    """Compute all of them with this framework."""
    optimizers = ("SGD", "MomentumSGD", "AdaGrad", "AdaDelta", "Adam")
    return {
        "optimizers": {name: five_steps(dezero, name).tolist() for name in optimizers},
        "losses of a CNN": losses_of_a_cnn(dezero),
        "losses of an RNN": losses_of_an_rnn(dezero),
    }


def main():
    # The book's framework was written for a NumPy that still had this name.
    np.int = int
    try:
        import dezero
    except ImportError:
        sys.exit('The book\'s framework is not installed: pip install -e ".[bench]"')
    FILE.write_text(json.dumps(numbers(dezero), indent=2) + "\n", encoding="utf-8")
    print(f"{FILE} is what {dezero.__name__} gives")


if __name__ == "__main__":
    main()
