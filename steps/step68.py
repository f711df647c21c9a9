"""Step 68: six designs, one program.

The same two programs, written once for each design, and tools that compare the runs.
Each program is a generator: it yields the loss and the weights that gave it, and takes
a step to go on.
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

from . import step61, step62, step64, step65, step66, step67

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
    """What a program is given: data, first weights, and the learning rate."""

    x: np.ndarray
    t: np.ndarray
    weights: list
    rate: float


def line_task(n=24):
    """Points near the line t = 2x − 1. Weights: a slope (1, 1) and an offset (1,)."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, size=(n, 1))
    t = 2 * x - 1 + rng.normal(0, 0.1, size=(n, 1))
    return Task(x, t, [np.zeros((1, 1)), np.zeros(1)], 0.1)


def classifier_task(n=24):
    """Points in the plane, 1 inside of a circle and −1 outside, and a 2-3-1 network."""
    rng = np.random.default_rng(8)
    # Half of the points inside, half outside, with a gap between.
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
        # All gradients first: an update clears what is downstream.
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
            # New data, and the old gradient is forgotten.
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
    """The two programs, and the classes of the objects that a graph is made of."""

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
    """Run a program; return the losses, and the weights after the steps in one row."""
    run = program(*task)
    losses = [float(loss) for loss, _ in islice(run, steps)]
    _, weights = next(run)
    return losses, np.concatenate([np.ravel(weight) for weight in weights])


# --- What a program says --------------------------------------------------------------


def lines_of_code(thing):
    """The lines of a function or module, a statement to a line, without docstrings."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(thing)))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            node.body = [child for child in node.body if not is_text(child)] or [
                ast.Pass()
            ]
    return sum(bool(line) for line in ast.unparse(tree).splitlines())


def is_text(node):
    """Whether a statement is nothing but a string."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


# --- What a run keeps -----------------------------------------------------------------


def living(made_of):
    """The objects of some classes that are in memory now, whoever holds them."""
    return [thing for thing in gc.get_objects() if issubclass(type(thing), made_of)]


@contextlib.contextmanager
def others_set_aside():
    """In this ``with`` block, ``living`` does not find what was there before."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def watch(program, made_of, task, steps):
    """How many objects of the graph are alive in each step, at its loss."""
    with others_set_aside():
        return [len(living(made_of)) for _ in islice(program(*task), steps)]


def made_in_each_step(program, made_of, task, steps=5):
    """How many objects of the graph are made in a step, when the first one is over."""
    # Whoever is in this dict is held by it, so no id is given away a second time.
    seen, sizes = {}, []
    with others_set_aside():
        for _ in islice(program(*task), steps + 1):
            seen |= {id(thing): thing for thing in living(made_of)}
            sizes.append(len(seen))
    return (sizes[-1] - sizes[0]) / steps


# --- How long it takes ----------------------------------------------------------------


def time_per_step(programs, task, rounds=11, steps=2, clock=time.perf_counter):
    """Seconds for a step of each program: the best of some turns of two steps."""
    runs = {name: program(*task) for name, program in programs.items()}
    for run in runs.values():  # to warm up: what is done once is done here
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
