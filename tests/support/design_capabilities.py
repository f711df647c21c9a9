"""The abilities of each design, found by running code: the table in docs/designs.md is
made from this. The probes are in design_capabilities.md.

In the folder of the checkout, ``python -m tests.support.design_capabilities`` writes
the table. Each design has its own interface; a Design wraps it in a common one. What a
design cannot express is None there, so that a probe that calls it fails.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import dezero_lite
from steps import step22, step64, step65, step66
from steps.course.capabilities import MISSING, WORKS
from steps.course.lessons import ROOT
from tests.support.arrays import assert_close
from tests.support.built_graphs import WAYS
from tests.support.capabilities import PACKAGE, Table, read_capabilities

PAGE = ROOT / "docs" / "designs.md"
BEGIN, END = "<!-- table -->", "<!-- end of table -->"


@dataclass(eq=False)
class Design:
    """A design behind a common interface.

    ``gradients(f, *values)`` returns the value of f, which uses operators, and its
    gradients at these values, all as arrays. ``variable(value)`` makes something to
    compute with, and ``again`` turns a built formula into a function of arrays.
    """

    name: str
    gradients: Callable
    variable: Callable
    again: Callable | None = None
    second: Callable | None = None
    without_graph: Callable | None = None
    constants_stay_out: Callable | None = None


def eager(name, module, **more):
    """Step 22 and the package."""

    def variable(value):
        return module.Variable(np.array(value))

    def without_graph():
        with module.no_grad():
            return (variable(2.0) * 3.0).creator is None

    def gradients(f, *values):
        xs = [variable(value) for value in values]
        y = f(*xs)
        y.backward()
        return [np.asarray(getattr(v, "data", v)) for v in [y, *[x.grad for x in xs]]]

    return Design(name, gradients, variable, without_graph=without_graph, **more)


def second_by_the_package(f, value):
    x = dezero_lite.Variable(np.array(value))
    f(x).backward(create_graph=True)
    first = x.grad
    x.cleargrad()
    first.backward()
    return x.grad.data


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

    # Step 64 keeps everything in a default graph, which nothing ever leaves.
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


# By the number of their step; the package comes after all steps.
DESIGNS = {
    22: eager("step 22", step22),
    61: built_first("step 61"),
    62: built_first("step 62"),
    64: built_first("step 64"),
    65: Design(
        "step 65",
        gradients_65,
        lambda value: step65.Scalar(value, True),
        constants_stay_out=constant_65,
    ),
    66: Design(
        "step 66",
        gradients_66,
        lambda value: step66.Tensor(value, True),
        constants_stay_out=constant_66,
    ),
    PACKAGE: eager("dezero_lite", dezero_lite, second=second_by_the_package),
}


# --- What is asked --------------------------------------------------------------------


def check(design, f, values, expected):
    found = design.gradients(f, *values)
    assert len(found) == len(expected)
    for value, right in zip(found, expected, strict=True):
        assert np.shape(value) == np.shape(right)
        assert_close(value, right)


def get_history(words):
    """Get the outcome for each design; the words name those that cannot do it."""
    refusing = words.removeprefix("Not: ").rstrip(".").split(", ")
    names = {number: design.name for number, design in DESIGNS.items()}
    return tuple((n, MISSING if names[n] in refusing else WORKS) for n in names)


TABLE = Table(
    read_capabilities(
        Path(__file__).with_suffix(".md"), get_history, "design", check=check, np=np
    ),
    {number: design.name for number, design in DESIGNS.items()},
    DESIGNS.get,
    any_error=True,
)


def format_page(text, expected=False):
    """Format the page with an updated table between its markers."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    table = "\n".join(TABLE.format("", expected))
    return f"{before}{BEGIN}\n\n{table}\n\n{END}{after}"


if __name__ == "__main__":
    page = format_page(PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(page, encoding="utf-8", newline="\n")
    print(f"Wrote {PAGE.relative_to(ROOT)}.")
