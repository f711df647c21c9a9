"""Step 64: sessions. The graph is drawn once, and sessions run it."""

import gc
import threading
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steps import step64 as tf
from tests.support.built_graphs import differences


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def run(fetches, feed_dict=None):
    with tf.Session() as session:
        return session.run(fetches, feed_dict)


def check_gradients(loss, feed, rtol=1e-6, atol=1e-6):
    gradients = tf.compute_gradients(loss)
    nodes = [node for node in feed if node in gradients]
    with tf.Session(loss.graph) as session:
        found = session.run([gradients[node] for node in nodes], feed)
        for node, gradient in zip(nodes, found, strict=True):

            def value_at(array, node=node):
                return session.run(loss, feed | {node: array})

            assert gradient.shape == feed[node].shape
            right = differences(value_at, feed[node], eps=1e-6)
            np.testing.assert_allclose(gradient, right, rtol=rtol, atol=atol)
    return gradients


# --- Drawing --------------------------------------------------------------------------


def test_building_computes_nothing_and_running_does():
    class Noisy(tf.Operation):
        def compute_output(self, x):
            raise AssertionError("computed")

    x = tf.constant(3.0)
    Noisy(x)
    assert run(tf.square(x)) == 9.0


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


def test_a_finalized_graph_takes_no_node(graph):
    x = tf.constant(2.0)
    y = x * x
    graph.finalize()
    assert run(y) == 4.0
    size = len(graph.nodes)
    with pytest.raises(RuntimeError, match=r"finalized.*'add'"):
        tf.add(x, x)
    assert (len(graph.nodes), len(x.consumers)) == (size, 2)


@pytest.mark.parametrize("wrong", ["text", None, 1j, [[1.0], [1.0, 2.0]]])
@pytest.mark.parametrize(
    "make", [tf.constant, tf.variable, lambda wrong: tf.constant(1.0) + wrong]
)
def test_what_is_no_number_is_refused(make, wrong):
    with pytest.raises(TypeError, match="numbers"):
        make(wrong)


def test_a_node_has_no_truth_value():
    x = tf.constant(2.0, name="x")
    for attempt in (
        lambda: bool(x),
        lambda: x == 2.0,
        lambda: x != 2.0,
        lambda: x > 2.0,
        lambda: x in (1.0, 2.0),
        lambda: np.asarray(x),
    ):
        with pytest.raises(TypeError, match=r"'x'.*has no value"):
            attempt()


def test_a_shape_is_a_tuple():
    with pytest.raises(TypeError, match="'x'"):
        tf.placeholder("x")


def test_the_base_class_says_what_is_missing():
    x = tf.constant(1.0)
    with pytest.raises(NotImplementedError, match="compute_output"):
        run(tf.Operation(x))
    with pytest.raises(NotImplementedError, match=r"gradient\(self, grad\)"):
        tf.compute_gradients(tf.Operation(x))


# --- Operations -----------------------------------------------------------------------


A = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]])
B = np.array([[2.0, 1.0, 0.5], [3.0, -0.5, 2.0]])

OUTPUTS = {
    "add": (lambda a, b: tf.add(a, b), A + B),
    "multiply": (lambda a, b: tf.multiply(a, b), A * B),
    "divide": (lambda a, b: tf.divide(a, b), A / B),
    "negative": (lambda a, b: tf.negative(a), -A),
    "subtract": (lambda a, b: a - b, A - B),
    "matmul": (lambda a, b: tf.matmul(a, tf.transpose(b)), A @ B.T),
    "square": (lambda a, b: tf.square(a), A**2),
    "sigmoid": (lambda a, b: tf.sigmoid(a), 1 / (1 + np.exp(-A))),
    "log": (lambda a, b: tf.log(tf.square(a)), np.log(A**2)),
    "reduce_sum": (lambda a, b: tf.reduce_sum(a), A.sum()),
    "reduce_sum of rows": (lambda a, b: tf.reduce_sum(a, axis=-1), A.sum(-1)),
    "reduce_sum of two axes": (lambda a, b: tf.reduce_sum(a, axis=(0, 1)), A.sum()),
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_outputs_and_gradients(name):
    build, expected = OUTPUTS[name]
    a, b = tf.placeholder(name="a"), tf.placeholder(name="b")
    y = build(a, b)
    np.testing.assert_allclose(run(y, {a: A, b: B}), expected)
    weights = np.random.default_rng(0).normal(size=np.shape(expected))
    check_gradients(tf.reduce_sum(y * weights), {a: A, b: B})


@pytest.mark.parametrize("name", OUTPUTS)
def test_gradients_of_gradients(name):
    build, expected = OUTPUTS[name]
    a, b = tf.placeholder(name="a"), tf.placeholder(name="b")
    weights = np.random.default_rng(0).normal(size=np.shape(expected))
    gradients = tf.compute_gradients(tf.reduce_sum(tf.square(build(a, b)) * weights))
    slopes = [
        tf.reduce_sum(tf.square(gradients[node]))
        for node in (a, b)
        if node in gradients
    ]
    check_gradients(sum(slopes, tf.constant(0.0)), {a: A, b: B}, rtol=1e-5, atol=1e-4)


SHAPES = [
    ((), (2, 3)),
    ((3,), (2, 3)),
    ((2, 1), (2, 3)),
    ((1, 3), (4, 1)),
    ((2, 1, 3), (4, 1)),
    ((1,), ()),
    ((0,), (1,)),
]


@pytest.mark.parametrize(
    "shapes", [pair for both in SHAPES for pair in (both, both[::-1])]
)
@pytest.mark.parametrize("operation", [tf.add, tf.multiply, tf.divide])
def test_broadcasting_is_undone(operation, shapes):
    rng = np.random.default_rng(0)
    feed = {tf.placeholder(): rng.uniform(0.5, 2, size=shape) for shape in shapes}
    y = operation(*feed)
    check_gradients(tf.reduce_sum(tf.square(y)), feed)


def test_broadcasting_of_stacks_of_matrices_is_undone():
    rng = np.random.default_rng(0)
    for left, right in [
        ((2, 3), (4, 3, 2)),
        ((5, 1, 2, 3), (4, 3, 2)),
        ((1, 2, 3), (4, 3, 1)),
    ]:
        feed = {tf.placeholder(): rng.normal(size=shape) for shape in (left, right)}
        check_gradients(tf.reduce_sum(tf.square(tf.matmul(*feed))), feed)


def test_operators_take_numbers_and_arrays_on_both_sides():
    x = tf.constant([1.0, 2.0])
    array = np.array([3.0, 5.0])
    for node, expected in [
        (array + x, [4, 7]),
        (1 - x, [0, -1]),
        (array * x, [3, 10]),
        (2 / x, [2, 1]),
        (x / 2, [0.5, 1]),
        (x - array, [-2, -3]),
        (np.float64(2) * x, [2, 4]),
        (array[None] @ tf.transpose(tf.constant([[1.0, 2.0]])), [[13]]),
    ]:
        assert isinstance(node, tf.Node)
        np.testing.assert_allclose(run(node), expected)
    assert run(tf.add(2.0, 3.0)) == 5.0


def test_sigmoid_does_not_overflow_and_keeps_small_values():
    y = run(tf.sigmoid([-700.0, 0.0, 800.0]))
    np.testing.assert_allclose(y, [np.exp(-700.0), 0.5, 1.0])


@st.composite
def programs(draw):
    """Shapes for three inputs, and lines (operation, operand, operand) of a program
    over them.
    """
    shapes = draw(
        st.lists(
            st.sampled_from([(), (3,), (1,), (2, 1), (2, 3), (1, 3)]),
            min_size=3,
            max_size=3,
        )
    )
    operations = [
        "add",
        "subtract",
        "multiply",
        "divide",
        "negative",
        "square",
        "sigmoid",
        "log",
        "sum",
        "sum 0",
        "matmul",
    ]
    lines = draw(
        st.lists(
            st.tuples(
                st.sampled_from(operations), st.integers(0, 20), st.integers(0, 20)
            ),
            min_size=1,
            max_size=12,
        )
    )
    return shapes, lines, draw(st.integers(0, 2**32 - 1))


def play(inputs, lines):
    """Draw a random program; every result is squashed, so that no value runs away."""
    pool = list(inputs)
    for operation, i, j in lines:
        a, b = pool[i % len(pool)], pool[j % len(pool)]
        y = {
            "add": lambda a=a, b=b: a + b,
            "subtract": lambda a=a, b=b: a - b,
            "multiply": lambda a=a, b=b: a * b,
            "divide": lambda a=a, b=b: a / (1 + tf.square(b)),
            "negative": lambda a=a, b=b: -a,
            "square": lambda a=a, b=b: tf.square(a),
            "sigmoid": lambda a=a, b=b: tf.sigmoid(a),
            "log": lambda a=a, b=b: tf.log(1 + tf.square(a)),
            "sum": lambda a=a, b=b: tf.reduce_sum(a) / 6,
            "sum 0": lambda a=a, b=b: tf.reduce_sum(np.ones((2, 1)) * a, axis=0) / 2,
            "matmul": lambda a=a, b=b: (
                a
                + tf.reduce_sum(
                    tf.matmul(np.ones((2, 3)) * a, tf.transpose(np.ones((2, 3)) * b))
                )
                / 9
            ),
        }[operation]()
        pool.append(4 * tf.sigmoid(y) - 2)
    return tf.reduce_sum(pool[-1]) + tf.reduce_sum(pool[len(pool) // 2])


@settings(deadline=None, max_examples=60)
@given(programs())
def test_gradients_of_random_graphs(program):
    shapes, lines, seed = program
    rng = np.random.default_rng(seed)
    with tf.Graph().as_default():
        feed = {tf.placeholder(): rng.normal(size=shape) for shape in shapes}
        check_gradients(play(list(feed), lines), feed, rtol=1e-5, atol=1e-7)


@settings(deadline=None, max_examples=15)
@given(programs())
def test_gradients_of_gradients_of_random_graphs(program):
    shapes, lines, seed = program
    rng = np.random.default_rng(seed)
    with tf.Graph().as_default():
        feed = {tf.placeholder(): rng.normal(size=shape) for shape in shapes}
        gradients = tf.compute_gradients(play(list(feed), lines[:4]))
        slopes = [
            tf.reduce_sum(tf.square(gradients[node]))
            for node in feed
            if node in gradients
        ]
        check_gradients(
            tf.reduce_sum(sum(slopes, tf.constant(0.0))), feed, rtol=1e-4, atol=1e-6
        )


def test_third_derivative():
    x = tf.variable(2.0)
    y = x * x * x * x
    for _ in range(3):
        y = tf.compute_gradients(y)[x]
    assert run(y) == 48.0


@pytest.mark.parametrize(
    ("build", "gradient"),
    [
        (lambda x: x + x, 2.0),
        (lambda x: x, 1.0),
        (lambda x: tf.square(tf.square(x)) + tf.square(tf.square(x)), 64.0),
        (lambda x: tf.square(tf.square(tf.square(x))) + tf.square(x), 1028.0),
    ],
)
def test_every_path_counts_once_whatever_its_length(build, gradient):
    x = tf.variable(2.0)
    y = build(x)
    tf.square(y)  # a consumer that the gradient does not pass through
    assert run(tf.compute_gradients(y)[x]) == gradient


def test_a_ladder_of_additions_is_drawn_once(graph):
    x = tf.variable(1.0)
    y = x
    for _ in range(200):
        y = y + y
    gradient = tf.compute_gradients(y)[x]
    assert len(graph.nodes) < 2000
    assert run(gradient) == 2.0**200


def test_the_gradients_of_several_numbers_are_those_of_their_sum():
    x = tf.variable([1.0, 2.0], name="x")
    y = tf.square(x)
    assert run(tf.compute_gradients(y)[x]).tolist() == [2.0, 4.0]
    assert run(tf.compute_gradients(tf.reduce_sum(y))[x]).tolist() == [2.0, 4.0]


def test_an_operation_begins_with_ones():
    x, w = tf.variable([1.0, 2.0]), tf.variable([3.0, 4.0])
    y = x * w
    assert [array.tolist() for array in run(list(y.compute_gradient()))] == [
        [3.0, 4.0],
        [1.0, 2.0],
    ]
    of_x, _ = y.compute_gradient(tf.constant(10.0) * y)
    assert run(of_x).tolist() == [90.0, 320.0]


def test_a_node_that_the_loss_does_not_depend_on():
    x, w = tf.variable(1.0), tf.variable(2.0, name="w")
    with pytest.raises(ValueError, match="does not depend on <Variable 'w'>"):
        tf.compute_gradients(tf.square(x))[w]


def test_a_value_has_no_gradient():
    x = tf.variable(2.0)
    with pytest.raises(TypeError, match=r"a node.*not for array\(4\.\)"):
        tf.compute_gradients(run(tf.square(x)))


# --- Running --------------------------------------------------------------------------


def test_run_gives_what_was_asked_for_in_its_form():
    x = tf.constant([1.0, 2.0])
    y = tf.reduce_sum(x)
    assert isinstance(run(y), np.ndarray)
    assert run(y).shape == ()
    one, other = run([x, y])
    assert (one.tolist(), other) == ([1.0, 2.0], 3.0)
    assert run([]) == []


def test_nothing_is_computed_twice_and_nothing_needless():
    counts = []

    class Counted(tf.Operation):
        def compute_output(self, x):
            counts.append(self.name)
            return x + 1

    x = tf.constant(1.0)
    a = Counted(x, name="a")
    b = Counted(a, name="b")
    Counted(a, name="needless")
    with tf.Session() as session:
        assert session.run([a * b + a, b])[0] == 8.0
        assert counts == ["a", "b"]
        session.run(a)
        assert counts == ["a", "b", "a"]


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


def test_assignments_that_do_not_fit():
    w, x = tf.variable([1.0, 2.0], name="w"), tf.placeholder()
    update = tf.assign(w, x)
    with tf.Session() as session:
        with pytest.raises(ValueError, match=r"'w'> has the shape \(2,\).*\(3,\)"):
            session.run(update, {x: [1.0, 2.0, 3.0]})
        with pytest.raises(ValueError, match="'w'> would be written more than once"):
            session.run([update, tf.assign(w, x)], {x: [1.0, 2.0]})
        assert session.run(w).tolist() == [1.0, 2.0]
    with pytest.raises(TypeError, match="only variables"):
        tf.assign(x, w)
    with pytest.raises(TypeError, match="no value to take"):
        tf.square(update)
    with tf.Graph().as_default():
        stranger = tf.constant(1.0)
    with pytest.raises(ValueError, match="different graphs"):
        tf.assign(w, stranger)
    with tf.Graph().as_default():
        assert tf.assign(w, 1.0).graph is w.graph


def test_a_run_that_fails_writes_nothing():
    w = tf.variable(1.0)
    x = tf.placeholder()
    fails = tf.matmul(x, x)
    update = tf.assign(w, w + 1)
    with tf.Session() as session:
        with pytest.raises(ValueError, match="matmul"):
            session.run([update, fails], {x: np.ones((2, 3))})
        assert session.run(w) == 1.0


def test_an_error_names_the_node_and_the_shapes():
    x, w = tf.placeholder(name="x"), tf.variable(np.ones((2, 1)), name="w")
    product = tf.matmul(x, w, name="score")
    with pytest.raises(ValueError, match=r"'score'.*'x'> \(4, 3\).*'w'> \(2, 1\)"):
        run(product, {x: np.ones((4, 3))})
    with pytest.raises(ValueError, match="two axes"):
        run(product, {x: np.ones(3)})


def test_a_missing_feed_names_who_needs_it():
    x, t = tf.placeholder(name="x"), tf.placeholder(name="t")
    y = tf.square(x, name="y")
    loss = tf.add(y, t, name="loss")
    tf.compute_gradients(loss)
    with pytest.raises(
        ValueError,
        match="<Placeholder 't'> is needed by <Add 'loss'> and was not fed: put",
    ):
        run(loss, {x: 1.0})
    with pytest.raises(
        ValueError,
        match="<Placeholder 'x'> is needed by <Square 'y'> and was not fed: put",
    ):
        run(y)
    with pytest.raises(ValueError, match="is fetched and was not fed"):
        run(x)
    assert run(y, {x: 2.0}) == 4.0


@pytest.mark.parametrize(
    ("shape", "value", "fits"),
    [
        ((None, 3), np.ones((5, 3)), True),
        ((None, 3), np.ones((5, 2)), False),
        ((None, 3), np.ones(3), False),
        ((), 1.0, True),
        ((), [1.0], False),
        ([2], [1.0, 2.0], True),
        (None, np.ones((2, 3, 4)), True),
    ],
)
def test_a_feed_of_a_wrong_shape(shape, value, fits):
    x = tf.placeholder(shape, name="x")
    if fits:
        np.testing.assert_array_equal(run(x, {x: value}), value)
    else:
        with pytest.raises(ValueError, match=r"'x'> has the shape .* was fed "):
            run(x, {x: value})


def test_what_cannot_be_fed():
    x, w = tf.placeholder(name="x"), tf.variable(1.0, name="w")
    with pytest.raises(TypeError, match="'w'> cannot be fed"):
        run(w, {w: 2.0})
    with pytest.raises(TypeError, match="nodes of the graph, and not 'x'"):
        run(w, {"x": 2.0})
    with pytest.raises(TypeError, match="numbers"):
        run(x, {x: "two"})
    assert run(w, {x: 2.0}) == 1.0, "a feed that is not needed does no harm"


def test_nodes_of_another_graph():
    x = tf.placeholder(name="x")
    with tf.Graph().as_default() as other:
        y = tf.placeholder(name="y")
    for attempt in (
        lambda: run(y),
        lambda: run(x, {y: 1.0}),
        lambda: tf.Session(other).run(x),
    ):
        with pytest.raises(ValueError, match="another graph"):
            attempt()
    with pytest.raises(ValueError, match=r"'x'.*'y'.*different graphs"):
        tf.add(x, y)
    with pytest.raises(TypeError, match="nodes of the graph, and not 5"):
        run(5)


def test_a_closed_session_is_closed():
    x = tf.constant(1.0)
    with tf.Session() as session:
        session.run(x)
    with pytest.raises(RuntimeError, match=r"closed.*open another"):
        session.run(x)


def test_closing_frees_the_values():
    w = tf.variable(np.zeros(10))
    update = tf.assign(w, w + 1)
    session = tf.Session()
    session.run(update)
    (array,) = session._variables.values()
    gone = weakref.ref(array)
    del array
    assert gone() is not None
    session.close()
    assert gone() is None
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


def test_an_operation_that_writes_into_its_input_is_an_error():
    class Doubles(tf.Operation):
        def compute_output(self, x):
            x *= 2
            return x

    w, c, x = tf.variable([1.0]), tf.constant([1.0]), tf.placeholder()
    with tf.Session() as session:
        for source in (w, c, x, x + 1):
            with pytest.raises(ValueError, match=r"Doubles.*writes into its input"):
                session.run(Doubles(source), {x: np.ones(1)})
        assert session.run([w, c]) == [1.0, 1.0]


def test_what_an_operation_keeps_for_itself_stays_its_own():
    own = np.ones(2)

    class Keeps(tf.Operation):
        def compute_output(self, x):
            return own

    run(Keeps(1.0))
    own[0] = 2.0


@pytest.mark.slow
def test_a_long_chain_goes_with_its_graph(graph):
    x = tf.variable(0.0)
    y = x
    for _ in range(20_000):
        y = y + 1.0
    gradient = tf.compute_gradients(y)[x]
    assert run([y, gradient]) == [20_000, 1.0]
    graph.nodes.clear()
    del x, y, gradient
    gc.collect()


# --- Training -------------------------------------------------------------------------


def test_linear_regression_trains_and_the_graph_stays(graph):
    rng = np.random.default_rng(0)
    inputs = rng.normal(size=(50, 2))
    targets = inputs @ [[2.0], [-1.0]] + 0.5
    x, t = tf.placeholder((None, 2)), tf.placeholder((None, 1))
    w, b = tf.variable(np.zeros((2, 1))), tf.variable(np.zeros(1))
    loss = tf.reduce_sum(tf.square(x @ w + b - t)) / 50
    train = tf.GradientDescentOptimizer(0.1).minimize(loss)
    size = len(graph.nodes)
    with tf.Session() as session:
        for _ in range(200):
            session.run(train, {x: inputs, t: targets})
        slope, offset = session.run([w, b])
    np.testing.assert_allclose(slope.ravel(), [2.0, -1.0], atol=1e-6)
    np.testing.assert_allclose(offset, [0.5], atol=1e-6)
    assert len(graph.nodes) == size


def test_a_small_classifier_trains():
    rng = np.random.default_rng(0)
    inputs = rng.uniform(-1, 1, size=(200, 2))
    labels = (inputs[:, :1] * inputs[:, 1:] > 0).astype(float)
    x, t = tf.placeholder((None, 2)), tf.placeholder((None, 1))
    w1, b1 = tf.variable(rng.normal(size=(2, 8)) * 2), tf.variable(np.zeros(8))
    w2, b2 = tf.variable(rng.normal(size=(8, 1))), tf.variable(np.zeros(1))
    score = tf.sigmoid(x @ w1 + b1) @ w2 + b2
    loss = (
        -tf.reduce_sum(
            t * tf.log(tf.sigmoid(score)) + (1 - t) * tf.log(tf.sigmoid(-score))
        )
        / 200
    )
    train = tf.GradientDescentOptimizer(2.0).minimize(loss)
    with tf.Session() as session:
        for _ in range(1500):
            session.run(train, {x: inputs, t: labels})
        right = (session.run(score, {x: inputs}) > 0) == labels
    assert right.mean() > 0.95


def test_minimize_some_variables_and_a_learning_rate_that_is_fed():
    a, b, rate = (
        tf.variable(1.0, name="a"),
        tf.variable(1.0, name="b"),
        tf.placeholder((), name="rate"),
    )
    train = tf.GradientDescentOptimizer(rate).minimize(tf.square(a) + tf.square(b), [a])
    with tf.Session() as session:
        session.run(train, {rate: 0.25})
        assert session.run([a, b]) == [0.5, 1.0]


def test_what_cannot_be_minimized():
    x, w = tf.constant(1.0), tf.variable(1.0, name="w")
    optimizer = tf.GradientDescentOptimizer(0.1)
    with pytest.raises(ValueError, match="depends on no variable"):
        optimizer.minimize(tf.square(x))
    with pytest.raises(ValueError, match="does not depend on <Variable 'w'>"):
        optimizer.minimize(tf.square(x), [w])
