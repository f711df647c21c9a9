"""What each design can do, found out by trying: the table in docs/designs.md is made
from this.

In the folder of the checkout, ``python -m tests.support.design_capabilities`` writes
it. Each design speaks its own language; a Design gives them one to be asked in. What a
design has no words for is None there: a probe that calls it fails, which is NO.
"""

import gc
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

import dezero_lite
from steps import step22, step61, step62, step64, step65, step66
from steps.course.lessons import ROOT
from tests.support.arrays import assert_close

PAGE = ROOT / "docs" / "designs.md"
BEGIN, END = "<!-- table -->", "<!-- end of table -->"
YES, NO = "✓", "·"
PACKAGE = "dezero_lite"


@dataclass(eq=False)
class Design:
    """One design behind the same few words.

    ``gradients(f, *values)`` returns the value of f, made of operators, and its
    gradients at these values, arrays all. ``variable(value)`` makes something to
    compute with, ``again`` turns a built formula into a function of arrays.
    """

    name: str
    gradients: Callable
    variable: Callable
    again: Callable | None = None
    second: Callable | None = None
    without_graph: Callable | None = None
    constants_stay_out: Callable | None = None


def eager(module):
    """Step 22 and the package."""

    def gradients(f, *values):
        xs = [module.Variable(np.array(value)) for value in values]
        y = f(*xs)
        y.backward()
        return [np.asarray(getattr(v, "data", v)) for v in [y, *[x.grad for x in xs]]]

    return gradients


def second_by_the_package(f, value):
    x = dezero_lite.Variable(np.array(value))
    f(x).backward(create_graph=True)
    first = x.grad
    x.cleargrad()
    first.backward()
    return x.grad.data


def no_grad(module):
    def tried():
        with module.no_grad():
            return (module.Variable(np.array(2.0)) * 3.0).creator is None

    return tried


def gradients_61(f, *values):
    xs = [step61.Variable(np.array(value)) for value in values]
    y = f(*xs)
    return [node.eval() for node in [y, *step61.gradients(y, xs)]]


def again_61(f):
    x = step61.Placeholder("x")
    y = f(x)

    def call(value):
        x.fill(np.array(value))
        return y.eval()

    return call


def second_61(f, value):
    x = step61.Variable(value)
    (first,) = step61.gradients(f(x), [x])
    return step61.gradients(first, [x])[0].eval()


def symbols_62(values):
    return [
        (step62.scalar, step62.vector, step62.matrix)[np.ndim(value)](f"x{i}")
        for i, value in enumerate(values)
    ]


def gradients_62(f, *values):
    xs = symbols_62(values)
    y = f(*xs)
    cost = y if y.shape == () else step62.total(y)
    return step62.function(xs, [y, *step62.grad(cost, xs)])(
        *[np.array(value) for value in values]
    )


def again_62(f):
    x = step62.scalar("x")
    return step62.function([x], f(x))


def second_62(f, value):
    x = step62.scalar("x")
    return step62.function([x], step62.grad(step62.grad(f(x), x), x))(np.array(value))


def gradients_64(f, *values):
    with step64.Graph().as_default(), step64.Session() as session:
        xs = [step64.variable(value) for value in values]
        y = f(*xs)
        found = step64.compute_gradients(step64.reduce_sum(y))
        return session.run([y, *[found[x] for x in xs]])


def again_64(f):
    graph = step64.Graph()
    with graph.as_default():
        x = step64.placeholder((), "x")
        y = f(x)
    return lambda value: step64.Session(graph).run(y, {x: np.array(value)})


def second_64(f, value):
    with step64.Graph().as_default(), step64.Session() as session:
        x = step64.variable(value)
        first = step64.compute_gradients(f(x))[x]
        return session.run(step64.compute_gradients(first)[x])


def gradients_65(f, *values):
    if any(np.ndim(value) for value in values):
        raise TypeError("step 65 has scalars alone")
    xs = [step65.Scalar(value, requires_grad=True) for value in values]
    y = f(*xs)
    y.backward()
    return [np.array(number) for number in [y.data, *[x.grad for x in xs]]]


def gradients_66(f, *values):
    xs = [step66.Tensor(np.array(value), requires_grad=True) for value in values]
    y = f(*xs)
    y.backward(np.ones(y.shape))
    return [y.data, *[x.grad for x in xs]]


def constant_65():
    before = step65.live_nodes()
    y = step65.Scalar(2.0) * 3.0
    return step65.live_nodes() == before and not y.requires_grad


def constant_66():
    y = step66.Tensor(np.array(2.0)) * 3.0
    return not y.edges and not y.requires_grad


DESIGNS = [
    Design(
        "step 22",
        eager(step22),
        lambda value: step22.Variable(np.array(value)),
        without_graph=no_grad(step22),
    ),
    Design("step 61", gradients_61, step61.Variable, again_61, second_61),
    Design(
        "step 62",
        gradients_62,
        lambda value: step62.Shared(np.array(value), "x"),
        again_62,
        second_62,
    ),
    Design("step 64", gradients_64, None, again_64, second_64),
    Design(
        "step 65",
        gradients_65,
        lambda value: step65.Scalar(value, True),
        constants_stay_out=constant_65,
    ),
    Design(
        "step 66",
        gradients_66,
        lambda value: step66.Tensor(value, True),
        constants_stay_out=constant_66,
    ),
    Design(
        PACKAGE,
        eager(dezero_lite),
        lambda value: dezero_lite.Variable(np.array(value)),
        second=second_by_the_package,
        without_graph=no_grad(dezero_lite),
    ),
]


# --- What is asked --------------------------------------------------------------------


# From each question to its probe, and to the designs that are expected to say no.
CAPABILITIES = {}


def asked(name, *cannot):
    """Ask it by the function below; `cannot` are numbers of steps, or a name."""

    def added(probe):
        CAPABILITIES[name] = probe, [f"step {n}" if n != PACKAGE else n for n in cannot]
        return probe

    return added


def check(design, f, values, expected):
    found = design.gradients(f, *values)
    assert len(found) == len(expected)
    for value, right in zip(found, expected, strict=True):
        assert np.shape(value) == np.shape(right)
        assert_close(value, right)


@asked("differentiates a chain")
def a_chain(design):
    check(design, lambda x: (x * x + 1.0) / 2.0, [3.0], [5.0, 3.0])


@asked("uses a variable twice")
def the_same_variable_twice(design):
    check(design, lambda x: x + x, [3.0], [6.0, 2.0])


@asked("differentiates a diamond")
def a_diamond(design):
    def f(x):
        a = x * x
        return a * a + a * a

    check(design, f, [2.0], [32.0, 64.0])


@asked("waits for the longer way")
def unequal_ways(design):
    def f(x):
        a = x * x
        b = a * a
        return b * b + a

    check(design, f, [2.0], [260.0, 8 * 2.0**7 + 4.0])


@asked("differentiates a chain of 100,000")
def a_long_chain(design):
    def f(x):
        for _ in range(100_000):
            x = x + 1.0
        return x

    check(design, f, [1.0], [100_001.0, 1.0])


@asked("has operators, numbers on either side")
def all_operators(design):
    check(
        design,
        lambda a, b: (1.0 - a) / b + 4.0 / a - -b,
        [2.0, 4.0],
        [5.75, -1.25, 1 + 1 / 16],
    )


@asked("mixes with arrays", 65)
def mixed_with_arrays(design):
    check(
        design,
        lambda x: np.array([1.0, 2.0]) * x,
        [[3.0, 4.0]],
        [[3.0, 8.0], [1.0, 2.0]],
    )


@asked("sums a gradient over broadcast axes", 22, 65)
def summed_over_broadcast_axes(design):
    check(
        design,
        lambda a, b: a * b,
        [[1.0, 2.0, 3.0], 2.0],
        [[2.0, 4.0, 6.0], [2.0, 2.0, 2.0], 6.0],
    )


@asked("is freed without the garbage collector", 64)
def freed_without_the_collector(design):
    x = design.variable(2.0)
    was_on = gc.isenabled()
    gc.disable()
    try:
        y = x * 3.0 + 1.0
        gone = weakref.ref(getattr(y, "node", y))
        del y
        assert gone() is None
    finally:
        if was_on:
            gc.enable()


@asked("differentiates gradients again", 22, 65, 66)
def second_derivatives(design):
    assert np.isclose(design.second(lambda x: x * x * x * x, 2.0), 48.0)


@asked("runs without a graph on request", 61, 62, 64, 65, 66)
def no_graph_on_request(design):
    assert design.without_graph()


@asked("keeps constants out by requires_grad", 22, 61, 62, 64, PACKAGE)
def constants_stay_out(design):
    assert design.constants_stay_out()


@asked("builds a graph once and runs it often", 22, 65, 66, PACKAGE)
def built_once_run_often(design):
    built = []

    def f(x):
        built.append(1)
        return x * x + 1.0

    call = design.again(f)
    assert [float(call(value)) for value in (1.0, 2.0, 3.0)] == [2.0, 5.0, 10.0]
    assert len(built) == 1


@asked("lets Python's if decide in every run", 61, 62, 64)
def pythons_if_decides(design):
    def f(x):
        # While a static graph is built there is no `data` yet to decide by.
        return x * 3.0 if x.data > 0.0 else -x

    check(design, f, [2.0], [6.0, 3.0])
    check(design, f, [-2.0], [2.0, -1.0])


@cache  # some of them take seconds
def outcome(probe, design):
    """YES, or NO: wrong, refused, or no words for it."""
    try:
        probe(design)
    except Exception:
        return NO
    return YES


def table():
    lines = [
        "| | " + " | ".join(design.name for design in DESIGNS) + " |",
        "| :--- |" + " :-: |" * len(DESIGNS),
    ]
    for name, (probe, _) in CAPABILITIES.items():
        lines.append(
            f"| {name} | "
            + " | ".join(outcome(probe, design) for design in DESIGNS)
            + " |"
        )
    return "\n".join(lines)


def page(text):
    """The page with a fresh table between its marks."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{table()}\n\n{END}{after}"


if __name__ == "__main__":
    Path(PAGE).write_text(
        page(PAGE.read_text(encoding="utf-8")), encoding="utf-8", newline="\n"
    )
    print(f"Wrote {PAGE.relative_to(ROOT)}.")
