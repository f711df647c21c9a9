"""Step 64: sessions. The graph is built once, and sessions run it."""

import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from steps import step64 as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


# --- Drawing --------------------------------------------------------------------------


def test_nodes_go_to_the_default_graph_and_names_are_unique(graph):
    x = tf.constant(1.0, name="x")
    tf.constant(1.0, name="x_1")
    assert tf.constant(1.0, name="x").name == "x_2"
    assert [node.name for node in (x + x, x + x)] == ["add", "add_1"]
    assert repr(x) == "<Constant 'x'>"
    assert tf.get_default_graph() is graph
    with tf.Graph().as_default() as other:
        tf.constant(2.0)
        assert tf.get_default_graph() is other
        y = x * x
    assert (len(graph.nodes), len(other.nodes), y.graph) == (6, 1, graph)


def test_a_default_graph_is_left_behind_after_an_error(graph):
    with pytest.raises(KeyError), tf.Graph().as_default():
        raise KeyError
    assert tf.get_default_graph() is graph


def test_a_thread_has_default_graphs_of_its_own(graph):
    together = threading.Barrier(2)

    def draw(name):
        with tf.Graph().as_default() as own:
            together.wait()
            node = tf.constant(1.0, name=name)
            together.wait()
            together.wait()
            return [n.name for n in own.nodes], node.graph is own

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(draw, "ab")) == [(["a"], True), (["b"], True)]
    assert graph.nodes == []


# --- Running --------------------------------------------------------------------------


def test_values_of_the_last_run_can_be_asked_for_until_the_next():
    held = []

    class Watch(tf.Operation):
        def compute_output(self, x):
            held.append(weakref.ref(x.base))
            return x + 1

    x = tf.placeholder(name="x")
    double = x * 2.0
    watch = Watch(double)
    with tf.Session() as session:
        with pytest.raises(ValueError, match="last run did not compute <Watch"):
            session.value(watch)
        session.run(watch, {x: np.ones(2)})
        assert session.value(double).tolist() == [2.0, 2.0]
        session.value(double)[:] = 5
        assert session.value(double).tolist() == [2.0, 2.0]
        assert held[0]() is not None
        session.run(x, {x: 1.0})
        assert held[0]() is None
        with pytest.raises(ValueError, match="last run did not compute <Watch"):
            session.value(watch)
    with pytest.raises(RuntimeError, match="closed"):
        session.value(x)


# --- Training -------------------------------------------------------------------------


def test_training_draws_nothing(graph):
    w = tf.variable([1.0, -1.0])
    train = tf.GradientDescentOptimizer(0.1).minimize(tf.square(w))
    size = len(graph.nodes)
    with tf.Session() as session:
        for _ in range(50):
            session.run(train)
        np.testing.assert_allclose(session.run(w), [0.8**50, -(0.8**50)])
    assert len(graph.nodes) == size
