"""Step 68: six designs, one program.

The same two programs, written once for each design, and tools that compare the runs.
Each program is a generator: it yields the loss and the weights behind it, then updates
the weights and yields again.
"""

import ast
import contextlib
import gc
import inspect
import textwrap
import time
from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import NamedTuple

import numpy as np

import dezero_lite.functions as F
import dezero_lite.layers as L
from dezero_lite import Function, Variable
from dezero_lite.models import MLP
from dezero_lite.optimizers import SGD

from . import step61, step62, step63, step64, step65, step66, step67

__all__ = [
    "DESIGNS",
    "Design",
    "Task",
    "classifier_61",
    "classifier_62",
    "classifier_64",
    "classifier_65",
    "classifier_66",
    "classifier_by_hand",
    "classifier_dezero_lite",
    "classifier_task",
    "line_61",
    "line_62",
    "line_64",
    "line_65",
    "line_66",
    "line_by_hand",
    "line_dezero_lite",
    "line_task",
    "lines_of_code",
    "living",
    "made_in_each_step",
    "time_per_step",
    "train",
    "watch",
]


# --- The tasks ------------------------------------------------------------------------


class Task(NamedTuple):
    """The data, first weights and learning rate of a program."""

    x: np.ndarray
    t: np.ndarray
    weights: list
    rate: float


def line_task(n=24):
    """Make points near the line t = 2x − 1, and zeros for its slope and offset."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, size=(n, 1))
    t = 2 * x - 1 + rng.normal(0, 0.1, size=(n, 1))
    return Task(x, t, [np.zeros((1, 1)), np.zeros(1)], 0.1)


def classifier_task(n=24):
    """Make points, 1 inside a circle and −1 outside, and weights of a 2-3-1 network."""
    rng = np.random.default_rng(8)
    # Half of the points are inside, half outside, with a gap between.
    radius = np.where(
        np.arange(n) % 2, rng.uniform(0, 0.5, n), rng.uniform(0.8, 1.2, n)
    )
    angle = rng.uniform(0, 2 * np.pi, n)
    x = radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    t = np.where(radius < 0.65, 1.0, -1.0)[:, None]
    w1, w2 = rng.normal(0, 2, size=(2, 3)), rng.normal(0, 1, size=(3, 1))
    return Task(x, t, [w1, np.zeros(3), w2, np.zeros(1)], 3.0)


# --- A line ---------------------------------------------------------------------------


def line_by_hand(x, t, weights, rate):
    w, b = weights
    while True:
        error = x @ w + b - t
        yield np.mean(error**2), [w, b]
        slope = 2 * error / len(x)
        w = w - rate * x.T @ slope
        b = b - rate * slope.sum(axis=0)


def line_61(x, t, weights, rate):
    w, b = weights = [step61.Variable(value) for value in weights]
    inputs, targets = step61.Placeholder("x"), step61.Placeholder("t")
    loss = step61.mean((inputs @ w + b - targets) ** 2)
    slopes = step61.gradients(loss, weights)
    inputs.fill(x)
    targets.fill(t)
    while True:
        yield loss.eval(), [weight.value for weight in weights]
        # Compute all gradients first: an update clears whatever depends on a weight.
        values = [slope.eval() for slope in slopes]
        for weight, value in zip(weights, values, strict=True):
            weight.update(weight.value - rate * value)


def line_62(x, t, weights, rate):
    w, b = weights = [step62.Shared(value, "weight") for value in weights]
    inputs, targets = step62.matrix("x"), step62.matrix("t")
    loss = step62.mean((inputs @ w + b - targets) ** 2)
    slopes = step62.grad(loss, weights)
    updates = [(w, w - rate * slope) for w, slope in zip(weights, slopes, strict=True)]
    step = step62.function([inputs, targets], [loss, *weights], updates)
    while True:
        value, *before = step(x, t)
        yield value, before


def line_64(x, t, weights, rate):
    graph = step64.Graph()
    with graph.as_default():
        inputs, targets = step64.placeholder((None, 1)), step64.placeholder((None, 1))
        w, b = weights = [step64.variable(value) for value in weights]
        error = inputs @ w + b - targets
        loss = step64.reduce_sum(step64.square(error)) / len(x)
        step = step64.GradientDescentOptimizer(rate).minimize(loss)
    with step64.Session(graph) as session:
        while True:
            feed = {inputs: x, targets: t}
            value, *before, _ = session.run([loss, *weights, step], feed)
            yield value, before


def line_65(x, t, weights, rate):
    w, b = weights = [step65.Scalar(v.item(), requires_grad=True) for v in weights]
    points = list(zip(x[:, 0], t[:, 0], strict=True))
    while True:
        loss = sum((w * xi + b - ti) ** 2 for xi, ti in points) / len(points)
        yield loss.data, [weight.data for weight in weights]
        loss.backward()
        for weight in weights:
            weight.data -= rate * weight.grad
            weight.zero_grad()


def line_66(x, t, weights, rate):
    w, b = weights = [step66.Tensor(v, requires_grad=True) for v in weights]
    while True:
        error = x @ w + b - t
        loss = (error * error).sum() / len(x)
        yield loss.data, [weight.data for weight in weights]
        loss.backward()
        for weight in weights:
            # Assigning new data clears the old gradient.
            weight.data = weight.data - rate * weight.grad


def line_dezero_lite(x, t, weights, rate):
    model = L.Linear(1)
    for parameter, value in zip(model.params(), weights, strict=True):
        parameter.data = value.copy()
    optimizer = SGD(rate).setup(model)
    while True:
        loss = F.mean_squared_error(model(x), t)
        yield loss.data, [parameter.data for parameter in model.params()]
        model.cleargrads()
        loss.backward()
        optimizer.update()


# --- A classifier ---------------------------------------------------------------------


def classifier_by_hand(x, t, weights, rate):
    w1, b1, w2, b2 = weights
    while True:
        hidden = 1 / (1 + np.exp(-(x @ w1 + b1)))
        miss = np.exp(-t * (hidden @ w2 + b2))
        yield np.mean(np.log(1 + miss)), [w1, b1, w2, b2]
        score_slope = -t * miss / (1 + miss) / len(x)
        hidden_slope = score_slope @ w2.T * hidden * (1 - hidden)
        w1, b1 = w1 - rate * x.T @ hidden_slope, b1 - rate * hidden_slope.sum(axis=0)
        w2, b2 = w2 - rate * hidden.T @ score_slope, b2 - rate * score_slope.sum(axis=0)


def classifier_61(x, t, weights, rate):
    w1, b1, w2, b2 = weights = [step61.Variable(value) for value in weights]
    inputs, targets = step61.Placeholder("x"), step61.Placeholder("t")
    score = step61.sigmoid(inputs @ w1 + b1) @ w2 + b2
    loss = -step61.mean(step61.log(step61.sigmoid(targets * score)))
    slopes = step61.gradients(loss, weights)
    inputs.fill(x)
    targets.fill(t)
    while True:
        yield loss.eval(), [weight.value for weight in weights]
        values = [slope.eval() for slope in slopes]
        for weight, value in zip(weights, values, strict=True):
            weight.update(weight.value - rate * value)


def classifier_62(x, t, weights, rate):
    w1, b1, w2, b2 = weights = [step62.Shared(value, "weight") for value in weights]
    inputs, targets = step62.matrix("x"), step62.matrix("t")
    score = step62.sigmoid(inputs @ w1 + b1) @ w2 + b2
    loss = -step62.mean(step62.log(step62.sigmoid(targets * score)))
    slopes = step62.grad(loss, weights)
    updates = [(w, w - rate * slope) for w, slope in zip(weights, slopes, strict=True)]
    step = step62.function([inputs, targets], [loss, *weights], updates)
    while True:
        value, *before = step(x, t)
        yield value, before


def classifier_64(x, t, weights, rate):
    graph = step64.Graph()
    with graph.as_default():
        inputs, targets = step64.placeholder((None, 2)), step64.placeholder((None, 1))
        w1, b1, w2, b2 = weights = [step64.variable(value) for value in weights]
        score = step64.sigmoid(inputs @ w1 + b1) @ w2 + b2
        loss = -step64.reduce_sum(step64.log(step64.sigmoid(targets * score))) / len(x)
        step = step64.GradientDescentOptimizer(rate).minimize(loss)
    with step64.Session(graph) as session:
        while True:
            feed = {inputs: x, targets: t}
            value, *before, _ = session.run([loss, *weights, step], feed)
            yield value, before


def classifier_65(x, t, weights, rate):
    leaf = partial(step65.Scalar, requires_grad=True)
    w1, b1, w2, b2 = (list(map(leaf, value.flat)) for value in weights)
    weights = [*w1, *b1, *w2, *b2]
    units = list(zip(w1[: len(b1)], w1[len(b1) :], b1, w2, strict=True))
    points = list(zip(*x.T, t[:, 0], strict=True))
    while True:
        loss = 0.0
        for p, q, ti in points:
            hidden = [step65.sigmoid(u * p + v * q + b) for u, v, b, _ in units]
            score = sum(w * h for (*_, w), h in zip(units, hidden, strict=True)) + b2[0]
            loss = loss - step65.log(step65.sigmoid(ti * score)) / len(points)
        yield loss.data, [weight.data for weight in weights]
        loss.backward()
        for weight in weights:
            weight.data -= rate * weight.grad
            weight.zero_grad()


def classifier_66(x, t, weights, rate):
    w1, b1, w2, b2 = weights = [step66.Tensor(v, requires_grad=True) for v in weights]
    while True:
        hidden = 1 / (1 + step67.exp(-(x @ w1 + b1)))
        score = hidden @ w2 + b2
        loss = step67.log(1 + step67.exp(-t * score)).sum() / len(x)
        yield loss.data, [weight.data for weight in weights]
        loss.backward()
        for weight in weights:
            weight.data = weight.data - rate * weight.grad


def classifier_dezero_lite(x, t, weights, rate):
    model = MLP((3, 1), activation=F.sigmoid)
    for parameter, value in zip(model.params(), weights, strict=True):
        parameter.data = value.copy()
    optimizer = SGD(rate).setup(model)
    while True:
        loss = F.sigmoid_cross_entropy(model(x), t > 0)
        yield loss.data, [parameter.data for parameter in model.params()]
        model.cleargrads()
        loss.backward()
        optimizer.update()


# --- Side by side ---------------------------------------------------------------------


class Design(NamedTuple):
    """The two programs of a design, and the classes of the objects in its graphs."""

    line: Callable
    classifier: Callable
    made_of: tuple = ()


DESIGNS = {
    "by hand": Design(line_by_hand, classifier_by_hand),
    "step 61": Design(line_61, classifier_61, (step61.Node, step61.Operation)),
    "step 62": Design(line_62, classifier_62, (step62.Expression,)),
    "step 64": Design(line_64, classifier_64, (step64.Node,)),
    "step 65": Design(line_65, classifier_65, (step65.Node,)),
    "step 66": Design(line_66, classifier_66, (step66.Tensor, step66.Edge)),
    "dezero_lite": Design(
        line_dezero_lite, classifier_dezero_lite, (Variable, Function)
    ),
}


def train(program, task, steps):
    """Run a program; return its losses, and the final weights as one vector."""
    run = program(*task)
    losses = [float(loss) for loss, _ in islice(run, steps)]
    _, weights = next(run)
    return losses, np.concatenate([np.ravel(weight) for weight in weights])


# --- What a program says --------------------------------------------------------------


def lines_of_code(thing):
    """Count the statements of a function or module, without docstrings."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(thing)))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            node.body = [child for child in node.body if not is_text(child)] or [
                ast.Pass()
            ]
    return sum(bool(line) for line in ast.unparse(tree).splitlines())


def is_text(node):
    """Return whether a statement is only a constant, such as a docstring."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


# --- What a run keeps -----------------------------------------------------------------


def living(made_of):
    """List the live objects of some classes."""
    return [thing for thing in gc.get_objects() if issubclass(type(thing), made_of)]


@contextlib.contextmanager
def others_set_aside():
    """Hide existing objects from ``living`` in this ``with`` block."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def watch(program, made_of, task, steps):
    """Count the graph's live objects at the loss of each training step."""
    with others_set_aside():
        return [len(living(made_of)) for _ in islice(program(*task), steps)]


def made_in_each_step(program, made_of, task, steps=5):
    """Count the objects that a training step after the first adds to the graph."""
    # The dict keeps every object alive, so no id is used twice.
    seen, sizes = {}, []
    with others_set_aside():
        for _ in islice(program(*task), steps + 1):
            seen |= {id(thing): thing for thing in living(made_of)}
            sizes.append(len(seen))
    return (sizes[-1] - sizes[0]) / steps


# --- How long it takes ----------------------------------------------------------------


def time_per_step(programs, task, rounds=11, steps=2, clock=time.perf_counter):
    """Return each program's seconds per step, from the best of several turns."""
    runs = {name: program(*task) for name, program in programs.items()}
    for run in runs.values():  # warm up, so that one-time work is not measured
        for _ in islice(run, 2):
            pass
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(rounds):
        for name, run in runs.items():
            start = clock()
            for _ in islice(run, steps):
                pass
            best[name] = min(best[name], (clock() - start) / steps)
    return best


# --- Pictures -------------------------------------------------------------------------


def label_ends(ax, gap=0.065):
    """Write each line's label beside its end, without overlaps."""
    ax.autoscale_view()  # update transData
    to_axes, bottom = ax.transData + ax.transAxes.inverted(), -gap
    ends = [(line.get_xydata()[-1], line) for line in ax.lines]
    for end, line in sorted(ends, key=lambda pair: pair[0][1]):
        height = bottom = max(to_axes.transform(end)[1], bottom + gap)
        color = line.get_color()
        ax.annotate(
            line.get_label(),
            end,
            (1.03, height),
            textcoords="axes fraction",
            color=color,
            fontsize=9,
            va="center",
            arrowprops={
                "arrowstyle": "-",
                "color": color,
                "linewidth": 0.6,
                "relpos": (0, 0.5),  # end at the left edge of the label
            },
        )


# --- What each design can do ----------------------------------------------------------


def slopes_61(f, values, order=1):
    x = step61.Placeholder("x")
    y = f(x)
    for _ in range(order):
        (y,) = step61.gradients(y, [x])
    found = []
    for value in values:
        x.fill(value)
        found.append(y.eval())
    return found


def slopes_62(f, values, order=1, design=step62):
    x = design.vector("x") if np.ndim(values[:1]) == 2 else design.scalar("x")
    y = f(x)
    for _ in range(order):
        y = design.grad(design.total(y), x)
    return list(map(design.function([x], y), values))


slopes_63 = partial(slopes_62, design=step63)


def slopes_64(f, values, order=1):
    with step64.Graph().as_default(), step64.Session() as session:
        x = step64.placeholder()
        y = f(x)
        for _ in range(order):
            y = step64.compute_gradients(step64.reduce_sum(y))[x]
        return [session.run(y, {x: value}) for value in values]


def slopes_65(f, values, order=1):
    found = []
    for value in values:
        x = step65.Scalar(value, requires_grad=True)
        y = f(x)
        for _ in range(order):
            y.backward()
            y = x.grad
        found.append(y)
    return found


def slopes_66(f, values, order=1):
    found = []
    for value in values:
        x = step66.Tensor(value, requires_grad=True)
        y = f(x)
        for _ in range(order):
            y.backward(np.ones(y.shape))
            y = x.grad
        found.append(y)
    return found


def slopes_dezero_lite(f, values, order=1):
    found = []
    for value in values:
        x = Variable(np.array(value))
        y = f(x)
        for _ in range(order):
            x.cleargrad()
            y.backward(create_graph=True)
            y = x.grad
        found.append(y.data)
    return found


def takes_arrays(slopes):
    (found,) = slopes(lambda x: x * x, [np.array([1.0, 2.0, 3.0])])
    return np.allclose(found, [2, 4, 6])


def differentiates_twice(slopes):
    return slopes(lambda x: x * x * x, [2.0], order=2) == [12.0]


def reads_the_formula_once(slopes):
    readings = []
    slopes(lambda x: readings.append(x) or x * x, [1.0, 2.0, 3.0])
    return len(readings) == 1


def lets_python_decide(slopes):
    def halve(x):
        while x.data > 1:
            x = x / 2
        return x

    return slopes(halve, [10.0, 100.0]) == [1 / 2**4, 1 / 2**7]


def takes_one_of_two_ways(slopes):
    def bent(x):  # use the design's own switch, or Python's if
        if isinstance(x, step63.Expression):
            return step63.switch(x > 1, x / 2, 3 * x)
        return x / 2 if x.data > 1 else 3 * x

    return slopes(bent, [10.0, 0.5]) == [0.5, 3.0]


def wrong(x):
    return x @ np.ones((3, 1))  # a number cannot be multiplied by a matrix


def refuses_without_data(slopes):
    try:
        slopes(wrong, [])
    except (TypeError, ValueError):
        return True
    return False


def points_at_the_line(slopes):
    try:
        slopes(wrong, [2.0])
    except (TypeError, ValueError) as error:
        trace = error.__traceback__
    while trace and trace.tb_frame.f_code is not wrong.__code__:
        trace = trace.tb_next
    return trace is not None


def answer(question, slopes):
    try:
        return bool(question(slopes))
    except Exception:
        return False


ways = {
    "step 61": slopes_61,
    "step 62": slopes_62,
    "step 63": slopes_63,
    "step 64": slopes_64,
    "step 65": slopes_65,
    "step 66": slopes_66,
    "dezero_lite": slopes_dezero_lite,
}
questions = [
    takes_arrays,
    differentiates_twice,
    reads_the_formula_once,
    lets_python_decide,
    takes_one_of_two_ways,
    refuses_without_data,
    points_at_the_line,
]
