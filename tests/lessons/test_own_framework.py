"""The learner's own framework trains a network.

The classes that lessons 38 to 43 have written, *Write it*, run on step 32, which in the
workshop is the learner's own file: they contain nothing of `dezero_lite`.
"""

import numpy as np
import pytest

from dezero_lite.gradcheck import numerical_grad
from steps import step32, step43
from steps.course import builder, exercises
from tests.support.arrays import assert_close

WRITTEN = range(38, 44)
STEPS = 300


@pytest.fixture(scope="module")
def own():
    """Return step 32's names, plus what is written from lesson 38 on."""
    names = {name: getattr(step32, name) for name in step32.__all__} | {"np": np}
    for number in WRITTEN:
        first = exercises.find_exercises(builder.read_lesson_cells(number))[0]
        exec(exercises.remove_markers(first.solution), names)
    return names


def own_losses(own, x, t, parameters):
    Variable, matmul, sigmoid = own["Variable"], own["my_matmul"], own["my_sigmoid"]
    x, t = Variable(x), Variable(t)
    parameters = [Variable(parameter.data.copy()) for parameter in parameters]

    def linear(x, W, b):
        y = matmul(x, W)
        return y + own["broadcast_to"](b, y.shape)

    losses = []
    for _ in range(STEPS):
        W1, b1, W2, b2 = parameters
        y = linear(sigmoid(linear(x, W1, b1)), W2, b2)
        loss = own["my_loss"](y, t)
        for parameter in parameters:
            parameter.cleargrad()
        loss.backward()
        for parameter in parameters:
            parameter.data = parameter.data - 0.3 * parameter.grad.data
        losses.append(float(loss.data))
    return losses


def test_a_network_learns_the_sine_on_classes_of_ones_own(own):
    x, t = step43.noisy_sine()
    parameters = step43.initial(10, scale=1.0)
    losses = own_losses(own, x, t, parameters)
    assert losses[-1] < losses[0] / 10
    expected = step43.train_network(x, t, parameters, steps=STEPS)
    assert_close(losses, expected, rtol=1e-9)


def test_gradients_through_moves_sums_and_broadcasts_are_those_of_nudging(own):
    def through_all(x):
        y = own["transpose"](own["reshape"](x, (3, 4, 2)), (2, 0, 1))
        few = own["sum_to"](y * y, (3, 1))
        y = own["broadcast_to"](few, (2, 3, 2)) * constant
        return own["sum"](own["sum"](y, axis=(0, 2)) ** 2)

    def value(array):
        y = array.reshape(3, 4, 2).transpose(2, 0, 1)
        y = (y * y).sum(axis=(0, 2)).reshape(3, 1) * constant
        return (y.sum(axis=(0, 2)) ** 2).sum()

    rng = np.random.default_rng(0)
    values, constant = rng.normal(size=(4, 6)), rng.normal(size=(2, 3, 2))
    x = own["Variable"](values.copy())
    y = through_all(x)
    assert_close(y.data, value(values))
    y.backward(create_graph=True)
    assert_close(x.grad.data, numerical_grad(value, values), rtol=1e-4, atol=1e-5)
    assert x.grad.creator is not None
