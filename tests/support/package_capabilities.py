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


ABILITIES: list[Ability] = []


def can_do(name, first):
    """Make the function below a row of the table."""

    def added(probe):
        ABILITIES.append(Ability(name, first, probe))
        return probe

    return added


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


@can_do("draws its graph", 26)
def draws_its_graph(step):
    x = step.Variable(np.array(1.0))
    assert step.get_dot_graph(x * x).startswith("digraph")


@can_do("plays its walk", 26)
def plays_its_walk(step):
    x = step.Variable(np.array(1.0))
    assert "svg" in step.play(x * x)._repr_mimebundle_()["text/html"]


@can_do("knows sine and cosine", 34)
def bends(step):
    x = step.Variable(np.array(0.5))
    (slope,) = walked_back(step.sin(x) * step.cos(x), x)
    assert np.isclose(slope, np.cos(1.0))


@can_do("changes a shape and takes the gradient back", 38)
def reshapes(step):
    x = step.Variable(np.arange(6.0).reshape(2, 3))
    y = step.transpose(step.reshape(x, (3, 2)))
    (gradient,) = walked_back(y, x)
    assert y.shape == (2, 3)
    assert gradient.shape == (2, 3)


@can_do("sums along an axis", 39)
def sums(step):
    x = step.Variable(np.arange(6.0).reshape(2, 3))
    y = step.sum(x, axis=0)
    (gradient,) = walked_back(y, x)
    assert np.array_equal(y.data, [3, 5, 7])
    assert np.array_equal(gradient, np.ones((2, 3)))


@can_do("repeats along an axis, and adds up", 40)
def broadcasts(step):
    row = step.Variable(np.arange(3.0))
    (gradient,) = walked_back(step.sum_to(step.broadcast_to(row, (4, 3)), (1, 3)), row)
    assert np.array_equal(gradient, [4, 4, 4])


@can_do("multiplies matrices", 41)
def multiplies_matrices(step):
    x, W = step.Variable(np.ones((2, 3))), step.Variable(np.ones((3, 4)))
    gradients = walked_back(step.matmul(x, W), x, W)
    assert [g.shape for g in gradients] == [(2, 3), (3, 4)]


@can_do("measures how wrong it is", 42)
def measures_its_error(step):
    y = step.Variable(np.array([1.0, 3.0]))
    assert step.mean_squared_error(y, np.zeros(2)).data == 5


@can_do("has layers of units with a bend", 43)
def has_layers_of_units(step):
    x = step.Variable(np.zeros((2, 3)))
    y = step.sigmoid(step.linear(x, np.ones((3, 1)), np.zeros(1)))
    assert np.array_equal(y.data, [[0.5], [0.5]])


@can_do("finds its parameters", 44)
def finds_its_parameters(step):
    layer = step.Layer()
    layer.parts = [step.Linear(4, in_size=3), step.Linear(2, in_size=4)]
    assert len(list(layer.params())) == 4


@can_do("stacks layers to a model", 45)
def stacks_layers(step):
    assert step.MLP((4, 2))(np.zeros((5, 3))).shape == (5, 2)


@can_do("learns by an optimizer", 46)
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


@can_do("tells classes apart, however large the scores", 47)
def tells_classes_apart(step):
    scores = step.Variable(np.array([[1000.0, 0.0], [0.0, 1000.0]]))
    loss = step.softmax_cross_entropy(scores, np.array([0, 0]))
    assert loss.data == 500


@can_do("reads its data in batches", 50)
def reads_in_batches(step):
    sizes = [len(x) for x, _ in step.DataLoader(step.Spiral(), batch_size=80)]
    assert sizes == [80, 80, 80, 60]


@can_do("reads handwriting", 51)
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


@can_do("drops units in training only", 54)
def drops_units(step):
    step.manual_seed(0)
    x = np.ones(1000)
    with step.test_mode():
        assert np.array_equal(step.dropout(x, 0.5).data, x)
    assert set(step.dropout(x, 0.5).data) == {0.0, 2.0}


@can_do("slides a window over an image", 57)
def slides_a_window(step):
    x = np.ones((1, 1, 4, 4))
    y = step.conv2d(x, np.ones((1, 1, 3, 3)))
    assert np.array_equal(y.data, np.full((1, 1, 2, 2), 9.0))
    assert step.pooling(x, 2, 2).shape == (1, 1, 2, 2)


@can_do("normalizes a batch", 58)
def normalizes(step):
    x = np.random.default_rng(0).normal(3, 2, size=(50, 4))
    y = step.BatchNorm()(x).data
    assert np.allclose(y.mean(axis=0), 0, atol=1e-3)
    assert np.allclose(y.std(axis=0), 1, atol=1e-3)


@can_do("remembers", 59)
def remembers(step):
    rnn = step.RNN(3)
    once, twice = rnn(np.ones((1, 2))).data, rnn(np.ones((1, 2))).data
    assert not np.allclose(once, twice)


@can_do("remembers for long, and reads letters", 60)
def remembers_for_long(step):
    lstm, letters = step.LSTM(3), step.EmbedID(26, 5)
    assert lstm(letters(np.array([0, 25]))).shape == (2, 3)


COLUMNS = sorted({ability.first for ability in ABILITIES})


def complaints(number):
    """What the names of a step do not do, and what those of the step before do."""
    new = [ability for ability in ABILITIES if ability.first == number]
    return [
        *(f"step {number} cannot yet: {a.name}" for a in new if not can(a, number)),
        *(
            f"step {number - 1} can already: {a.name}"
            for a in new
            if can(a, number - 1)
        ),
    ]


def rows():
    """The lines of the table."""
    columns = [24, *COLUMNS]
    lines = [
        "| step | " + " | ".join(map(str, columns)) + " |",
        "| :--- |" + " :-: |" * len(columns),
    ]
    for ability in ABILITIES:
        signs = ["✓" if can(ability, number) else "·" for number in columns]
        lines.append(f"| {ability.name} | {' | '.join(signs)} |")
    return lines
