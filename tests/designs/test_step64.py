"""Step 64: sessions. The graph is drawn once, and sessions run it."""

import threading
import weakref

import numpy as np
import pytest

from steps import step64 as tf
from tests.support.built_graphs import Sessions, assert_gradients
from tests.support.refusals import assert_refused


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def run(fetches, feed_dict=None):
    with tf.Session() as session:
        return session.run(fetches, feed_dict)


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
    names, together = {}, threading.Barrier(2)

    def draw(name):
        with tf.Graph().as_default() as own:
            together.wait()
            node = tf.constant(1.0, name=name)
            together.wait()
            names[name] = [n.name for n in own.nodes] == [name] and node.graph is own
            together.wait()

    threads = [threading.Thread(target=draw, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert names == {"a": True, "b": True}
    assert graph.nodes == []


def test_the_graph_knows_its_consumers():
    x = tf.constant(1.0)
    y = x * x
    assert x.consumers == [y, y]
    assert y.inputs == (x, x)


# --- Operations -----------------------------------------------------------------------


def test_what_operations_compute():
    a, b = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]]), np.full((2, 3), 2.0)
    for node, expected in (
        (tf.add(a, b), a + 2),
        (tf.multiply(a, b), a * 2),
        (tf.divide(a, b), a / 2),
        (tf.negative(a), -a),
        (tf.matmul(a, tf.transpose(b)), a @ b.T),
        (tf.square(a), a**2),
        (tf.sigmoid(a), 1 / (1 + np.exp(-a))),
        (tf.log(tf.square(a)), np.log(a**2)),
        (tf.reduce_sum(a), a.sum()),
        (tf.reduce_sum(a, axis=-1), a.sum(-1)),
        (tf.reduce_sum(a, axis=(0, 1)), a.sum()),
    ):
        np.testing.assert_allclose(run(node), expected)


def test_broadcasting_of_stacks_of_matrices_is_undone():
    rng = np.random.default_rng(0)
    shapes = [((2, 3), (4, 3, 2)), ((5, 1, 2, 3), (4, 3, 2)), ((1, 2, 3), (4, 3, 1))]
    for left, right in shapes:
        built = Sessions()
        a, b = (built.variable(rng.normal(size=shape)) for shape in (left, right))
        assert_gradients(built, tf.square(tf.matmul(a, b)), [a, b])


def test_the_gradient_of_a_node_by_itself_is_one():
    x = tf.variable(2.0)
    tf.square(x)  # a consumer that the gradient does not pass through
    assert run(tf.compute_gradients(x)[x]) == 1.0


def test_an_operation_begins_with_ones():
    x, w = tf.variable([1.0, 2.0]), tf.variable([3.0, 4.0])
    y = x * w
    slopes = run(list(y.compute_gradient()))
    assert [array.tolist() for array in slopes] == [[3.0, 4.0], [1.0, 2.0]]
    of_x, _ = y.compute_gradient(tf.constant(10.0) * y)
    assert run(of_x).tolist() == [90.0, 320.0]


# --- Running --------------------------------------------------------------------------


def test_run_gives_what_was_asked_for_in_its_form():
    x = tf.constant([1.0, 2.0])
    y = tf.reduce_sum(x)
    assert isinstance(run(y), np.ndarray)
    assert run(y).shape == ()
    one, other = run([x, y])
    assert (one.tolist(), other) == ([1.0, 2.0], 3.0)
    assert run([]) == []


def test_results_are_copies():
    w = tf.variable([1.0, 2.0])
    c = tf.constant([1.0, 2.0])
    x = tf.placeholder()
    fed = np.array([1.0, 2.0])
    update = tf.assign(w, x)
    with tf.Session() as session:
        for array in session.run([w, c, x], {x: fed}):
            array[:] = 0
        assert fed.tolist() == [1.0, 2.0]
        session.run(update, {x: fed})
        fed[:] = 0
        for array in session.run([w, c]):
            assert array.tolist() == [1.0, 2.0]


def test_every_session_has_its_own_values():
    w = tf.variable(1.0)
    update = tf.assign(w, w + 1)
    with tf.Session() as one, tf.Session() as other:
        assert one.run(update) is None
        one.run(update)
        assert (one.run(w), other.run(w)) == (3.0, 1.0)


def test_an_assignment_is_written_at_the_end_of_the_run():
    a, b = tf.variable(1.0), tf.variable(2.0)
    swap = [tf.assign(a, b), tf.assign(b, a)]
    with tf.Session() as session:
        assert session.run([*swap, a, b])[2:] == [1.0, 2.0]
        assert session.run([a, b]) == [2.0, 1.0]


def test_a_closed_session_frees_its_values_and_runs_no_more():
    w = tf.variable(np.zeros(10))
    update = tf.assign(w, w + 1)
    with tf.Session() as session:
        session.run(update)
        (array,) = session._variables.values()
        gone = weakref.ref(array)
        del array
        assert gone() is not None
    assert gone() is None
    assert_refused(RuntimeError, "closed", lambda: session.run(w))
    assert_refused(RuntimeError, "open another", lambda: session.run(w))
    assert tf.Session().run(w).tolist() == [0.0] * 10


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


def test_minimize_some_variables_and_a_learning_rate_that_is_fed():
    a, b = tf.variable(1.0, name="a"), tf.variable(1.0, name="b")
    rate = tf.placeholder((), name="rate")
    train = tf.GradientDescentOptimizer(rate).minimize(tf.square(a) + tf.square(b), [a])
    with tf.Session() as session:
        session.run(train, {rate: 0.25})
        assert session.run([a, b]) == [0.5, 1.0]


def test_a_number_is_subtracted_in_the_graph_of_its_node():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(name="x")
    session = tf.Session(graph)
    fetches = [x - 1, 1 - x, x - np.array([1, 2], np.uint8)]
    one, other, array = session.run(fetches, {x: 3.0})
    assert (one, other) == (2.0, -2.0)
    assert array.tolist() == [2.0, 1.0]
