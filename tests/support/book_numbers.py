"""Numbers of the book's framework that the scripts in tests/package/book have to reach.

They lie in book_numbers.json. Where the extra ``bench`` is installed, and with it the
book's framework, ``python -m tests.support.book_numbers`` makes them again: the same
programs run there on the book's framework and in the tests on ours.
"""

import json
import sys
from pathlib import Path

import numpy as np

FILE = Path(__file__).with_suffix(".json")
NUMBERS = json.loads(FILE.read_text(encoding="utf-8"))


def five_steps(name):
    """Where an optimizer gets from (1, -2), on p0² + 10·p1²."""
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
    return layer.p.data


def losses_of_a_cnn():
    """Losses of six steps of a network with all that sees images."""
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
    return losses


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


def losses_of_an_rnn():
    """Losses of a recurrent network after each of five truncated histories."""
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
    return losses


def numbers():
    """All of them, by the framework that ``import dezero`` finds."""
    from dezero.datasets import get_spiral

    return {
        "optimizers": {
            name: five_steps(name).tolist()
            for name in ("SGD", "MomentumSGD", "AdaGrad", "AdaDelta", "Adam")
        },
        "first point of the spiral": get_spiral(train=True)[0][0].tolist(),
        "losses of a CNN": losses_of_a_cnn(),
        "losses of an RNN": losses_of_an_rnn(),
    }


def main():
    # The book's framework was written for a NumPy that still had this name.
    np.int = int
    try:
        import dezero
    except ImportError:
        sys.exit('The book\'s framework is not installed: pip install -e ".[bench]"')
    FILE.write_text(json.dumps(numbers(), indent=2) + "\n", encoding="utf-8")
    print(f"{FILE} is what {dezero.__name__} gives")


if __name__ == "__main__":
    main()
