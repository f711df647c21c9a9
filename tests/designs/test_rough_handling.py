"""What people do to a design that its lesson does not: copy it, hand it something else,
use it in threads, and leave out a return.
"""

import copy
import threading

import numpy as np
import pytest

from steps import step61, step62, step63, step64, step65, step66, step67
from tests.support.arrays import assert_close, assert_equal

FUNCTIONS = pytest.mark.parametrize("step", [step62, step63])

# --- Copies ---------------------------------------------------------------------------


@FUNCTIONS
def test_a_copied_expression_has_the_same_value_and_gradient(step):
    x, w = step.scalar("x"), step.Shared(np.ones(2), "w")
    x, w, y = copy.deepcopy((x, w, step.total(w * x)))
    value, slope = step.function([x], [y, step.grad(y, w)])(3.0)
    assert_close(value, 6.0)
    assert_equal(slope, [3.0, 3.0])


def test_a_copied_switch_is_a_switch():
    x = step63.scalar("x")
    x, y = copy.deepcopy((x, step63.switch(x > 0, x * 2.0, x * 3.0)))
    value, slope = step63.function([x], [y, step63.grad(y, x)])(-1.0)
    assert (value, slope) == (-3.0, 3.0)


def test_a_copied_scalar_has_a_node_of_its_own():
    x = step65.Scalar(2.0, requires_grad=True)
    x.node.grad = 5.0
    y = copy.deepcopy(x)
    assert (y.data, y.grad) == (2.0, 5.0)
    assert step65.jacobian([x * 3.0], [x, y]) == [[3.0, 0.0]]
    x.zero_grad()
    (x * y).backward()
    assert (x.grad, y.grad) == (2.0, 7.0)
    assert not copy.deepcopy(step65.Scalar(1.0)).requires_grad


def test_a_copied_tensor_is_on_its_own():
    x = step66.Tensor([1.0, 2.0], requires_grad=True)
    (x * x).sum().backward()
    y = copy.deepcopy(x)
    y.grad[0] = 9.0
    assert y.requires_grad
    assert_equal(x.grad, [2.0, 4.0])


# --- Something else than it takes -----------------------------------------------------


def test_a_convolution_takes_lists_as_weight_and_bias():
    x = step66.Tensor(np.ones((1, 1, 3, 3)))
    y = step67.conv2d(x, np.ones((1, 1, 2, 2)).tolist(), [1.0])
    assert_equal(y.data, np.full((1, 1, 2, 2), 5.0))


def test_a_number_is_subtracted_in_the_graph_of_its_node():
    with step64.Graph().as_default() as graph:
        x = step64.placeholder(name="x")
    session = step64.Session(graph)
    fetches = [x - 1, 1 - x, x - np.array([1, 2], np.uint8)]
    one, other, array = session.run(fetches, {x: 3.0})
    assert (one, other) == (2.0, -2.0)
    assert_equal(array, [2.0, 1.0])


# --- Many at once ---------------------------------------------------------------------


def many_users(x):
    return sum(x * float(i) for i in range(300))


def assert_names_five(ask):
    with pytest.raises(ValueError, match=r"multiply.*, …") as refusal:
        ask()
    assert len(str(refusal.value)) < 300


def test_five_of_many_users_are_named():
    assert_names_five(many_users(step61.Placeholder("x")).eval)
    for step in (step62, step63):
        y = many_users(step.scalar("x"))
        assert_names_five(lambda y=y, step=step: step.function([], y))
    with step64.Graph().as_default():
        y = many_users(step64.placeholder(name="x"))
        assert_names_five(lambda: step64.Session().run(y))


def test_five_of_many_empty_placeholders_are_named():
    y = sum(step61.Placeholder(f"x{i}") for i in range(300))
    with pytest.raises(ValueError, match=r"x\d+ .*, …\. Fill") as refusal:
        y.eval()
    assert len(str(refusal.value)) < 400


def test_threads_may_update_and_ask_one_graph_of_step_61():
    class Slow(step61.Operation):
        def compute(self, a):
            waiting.set()
            updated.wait(0.2)  # as long as the other thread needs, if it may run
            return a

    waiting, updated = threading.Event(), threading.Event()
    w = step61.Variable(1.0, "w")
    y = step61.Placeholder(parent=Slow(w * 2)) + w * 3

    def update():
        waiting.wait()
        w.update(2.0)
        updated.set()

    thread = threading.Thread(target=update)
    thread.start()
    assert y.eval() == 5.0
    thread.join()
    assert y.eval() == 10.0
