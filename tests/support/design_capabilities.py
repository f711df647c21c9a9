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
from steps import step22, step64, step65, step66
from steps.course.lessons import ROOT
from tests.support.arrays import assert_close
from tests.support.built_graphs import WAYS

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


def built_first(name):
    """Steps 61, 62 and 64, which build a graph before they run it."""
    way = WAYS[name]

    def gradients(f, *values):
        with step64.Graph().as_default():
            built = way()
            xs = [built.variable(np.array(value)) for value in values]
            y = f(*xs)
            return built.program([y, *built.gradients(y, xs)])()

    def again(f):
        with step64.Graph().as_default():
            built = way()
            x = built.variable(np.array(0.0))
            program = built.program([f(x)])

        def call(value):
            built.set(x, np.array(value))
            (y,) = program()
            return y

        return call

    def second(f, value):
        with step64.Graph().as_default():
            built = way()
            x = built.variable(np.array(value))
            (first,) = built.gradients(f(x), [x])
            (found,) = built.program(built.gradients(first, [x]))()
            return found

    # In a default graph, which nothing ever leaves, step 64 keeps what it makes.
    variable = None if name == "step 64" else way().variable
    return Design(name, gradients, variable, again, second)


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
    built_first("step 61"),
    built_first("step 62"),
    built_first("step 64"),
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
