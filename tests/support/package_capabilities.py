"""What the public names of each package step can do, found out by trying: the second
table of docs/capabilities.md.

A probe gets the names that are known at a step, and nothing else of the package.
"""

from collections.abc import Callable
from importlib import import_module
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np


class Ability(NamedTuple):
    """Something that can be done with the names of step `first`, and not before."""

    name: str
    first: int
    probe: Callable[..., None]


def known(number):
    """The public names of a package step."""
    step = import_module(f"steps.step{number}")
    return SimpleNamespace(**{name: getattr(step, name) for name in step.__all__})


def can(ability, number):
    """Whether the names of a step are enough; a wrong answer is an error."""
    try:
        ability.probe(known(number))
    except AttributeError:
        return False
    return True


def walked_back(y, *inputs):
    y.backward()
    return [x.grad.data for x in inputs]


def draws_its_graph(step):
    x = step.Variable(np.array(1.0))
    assert step.get_dot_graph(x * x).startswith("digraph")


def plays_its_walk(step):
    x = step.Variable(np.array(1.0))
    assert "svg" in step.play(x * x)._repr_mimebundle_()["text/html"]


def bends(step):
    x = step.Variable(np.array(0.5))
    (slope,) = walked_back(step.sin(x) * step.cos(x), x)
    assert np.isclose(slope, np.cos(1.0))


def reshapes(step):
    x = step.Variable(np.arange(6.0).reshape(2, 3))
    y = step.transpose(step.reshape(x, (3, 2)))
    (gradient,) = walked_back(y, x)
    assert y.shape == (2, 3)
    assert gradient.shape == (2, 3)


def sums(step):
    x = step.Variable(np.arange(6.0).reshape(2, 3))
    y = step.sum(x, axis=0)
    (gradient,) = walked_back(y, x)
    assert np.array_equal(y.data, [3, 5, 7])
    assert np.array_equal(gradient, np.ones((2, 3)))


def broadcasts(step):
    row = step.Variable(np.arange(3.0))
    (gradient,) = walked_back(step.sum_to(step.broadcast_to(row, (4, 3)), (1, 3)), row)
    assert np.array_equal(gradient, [4, 4, 4])


def multiplies_matrices(step):
    x, W = step.Variable(np.ones((2, 3))), step.Variable(np.ones((3, 4)))
    gradients = walked_back(step.matmul(x, W), x, W)
    assert [g.shape for g in gradients] == [(2, 3), (3, 4)]


def measures_its_error(step):
    y = step.Variable(np.array([1.0, 3.0]))
    assert step.mean_squared_error(y, np.zeros(2)).data == 5


def has_layers_of_units(step):
    x = step.Variable(np.zeros((2, 3)))
    y = step.sigmoid(step.linear(x, np.ones((3, 1)), np.zeros(1)))
    assert np.array_equal(y.data, [[0.5], [0.5]])


def finds_its_parameters(step):
    layer = step.Layer()
    layer.parts = [step.Linear(4, in_size=3), step.Linear(2, in_size=4)]
    assert len(list(layer.params())) == 4


def stacks_layers(step):
    assert step.MLP((4, 2))(np.zeros((5, 3))).shape == (5, 2)


def learns(step):
    step.manual_seed(0)
    x = np.linspace(-1, 1, 20).reshape(-1, 1)
    model = step.Linear(1, dtype=np.float64)
    optimizer = step.SGD(0.3).setup(model)
    for _ in range(100):
        loss = step.mean_squared_error(model(x), 2 * x + 1)
        model.cleargrads()
        loss.backward()
        optimizer.update()
    assert loss.data < 1e-6


def tells_classes_apart(step):
    scores = step.Variable(np.array([[1000.0, 0.0], [0.0, 1000.0]]))
    loss = step.softmax_cross_entropy(scores, np.array([0, 0]))
    assert loss.data == 500


def reads_in_batches(step):
    sizes = [len(x) for x, _ in step.DataLoader(step.Spiral(), batch_size=80)]
    assert sizes == [80, 80, 80, 60]


def reads_handwriting(step):
    step.manual_seed(0)
    model = step.MLP((30, 10), activation=step.relu)
    optimizer = step.Adam().setup(model)
    for _ in range(8):
        for x, t in step.DataLoader(step.Digits(), batch_size=50):
            loss = step.softmax_cross_entropy(model(x), t)
            model.cleargrads()
            loss.backward()
            optimizer.update()
    x, t = step.Digits(train=False)[:]
    assert step.accuracy(model(x), t).data > 0.8


def follows_the_array_s_module(step):
    x = step.Variable(np.ones(2))
    assert step.get_array_module(x) is np
    assert step.as_numpy(x) is x.data


def drops_units(step):
    step.manual_seed(0)
    x = np.ones(1000)
    with step.test_mode():
        assert np.array_equal(step.dropout(x, 0.5).data, x)
    assert set(step.dropout(x, 0.5).data) == {0.0, 2.0}


def slides_a_window(step):
    x = np.ones((1, 1, 4, 4))
    y = step.conv2d(x, np.ones((1, 1, 3, 3)))
    assert np.array_equal(y.data, np.full((1, 1, 2, 2), 9.0))
    assert step.pooling(x, 2, 2).shape == (1, 1, 2, 2)


def normalizes(step):
    x = np.random.default_rng(0).normal(3, 2, size=(50, 4))
    y = step.BatchNorm()(x).data
    assert np.allclose(y.mean(axis=0), 0, atol=1e-3)
    assert np.allclose(y.std(axis=0), 1, atol=1e-3)


def remembers(step):
    rnn = step.RNN(3)
    once, twice = rnn(np.ones((1, 2))).data, rnn(np.ones((1, 2))).data
    assert not np.allclose(once, twice)


def remembers_for_long(step):
    lstm, letters = step.LSTM(3), step.EmbedID(26, 5)
    assert lstm(letters(np.array([0, 25]))).shape == (2, 3)


ABILITIES = [
    Ability("draws its graph", 26, draws_its_graph),
    Ability("plays its walk", 26, plays_its_walk),
    Ability("knows sine and cosine", 34, bends),
    Ability("changes a shape and takes the gradient back", 38, reshapes),
    Ability("sums along an axis", 39, sums),
    Ability("repeats along an axis, and adds up", 40, broadcasts),
    Ability("multiplies matrices", 41, multiplies_matrices),
    Ability("measures how wrong it is", 42, measures_its_error),
    Ability("has layers of units with a bend", 43, has_layers_of_units),
    Ability("finds its parameters", 44, finds_its_parameters),
    Ability("stacks layers to a model", 45, stacks_layers),
    Ability("learns by an optimizer", 46, learns),
    Ability("tells classes apart, however large the scores", 47, tells_classes_apart),
    Ability("reads its data in batches", 50, reads_in_batches),
    Ability("reads handwriting", 51, reads_handwriting),
    Ability("computes where its arrays are", 52, follows_the_array_s_module),
    Ability("drops units in training only", 54, drops_units),
    Ability("slides a window over an image", 57, slides_a_window),
    Ability("normalizes a batch", 58, normalizes),
    Ability("remembers", 59, remembers),
    Ability("remembers for long, and reads letters", 60, remembers_for_long),
]


def rows():
    """The lines of the table."""
    columns = sorted({24, *(ability.first for ability in ABILITIES)})
    lines = [
        "| step | " + " | ".join(map(str, columns)) + " |",
        "| :--- |" + " :-: |" * len(columns),
    ]
    for ability in ABILITIES:
        signs = ["✓" if can(ability, number) else "·" for number in columns]
        lines.append(f"| {ability.name} | {' | '.join(signs)} |")
    return lines
