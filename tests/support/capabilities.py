"""What the framework can do at each step, found out by trying.

The table in docs/capabilities.md is made from this: in the folder of the checkout,
``python -m tests.support.capabilities`` writes it. What is tried stands in
``steps/course/capabilities.py``.
"""

from functools import cache
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import dezero_lite
from dezero_lite.gradcheck import gradient_check, numerical_grad
from steps.course.capabilities import CAPABILITIES, SIGNS, WORKS
from steps.course.lessons import ROOT, StepKind, of_kind
from tests.support import package_capabilities
from tests.support.sections import markdown_table

SNAPSHOTS = of_kind(StepKind.SNAPSHOT)
PACKAGE = "dezero_lite"
PAGE = ROOT / "docs" / "capabilities.md"


def tried(probe, framework):
    """Try a probe on a framework: WORKS, or the name of the error."""
    try:
        probe(framework)
    except Exception as error:
        return type(error).__name__
    return WORKS


class Square(dezero_lite.Function):
    """As a reader of the book would write it."""

    def forward(self, x):
        return x**2

    def backward(self, gy):
        (x,) = self.inputs
        return 2 * x * gy


def package():
    """The package with the few functions that the snapshots have beside their core."""
    return SimpleNamespace(
        Variable=dezero_lite.Variable,
        Function=dezero_lite.Function,
        no_grad=dezero_lite.no_grad,
        Square=Square,
        square=lambda x: Square()(x),
        exp=dezero_lite.functions.exp,
        add=lambda a, b: a + b,
        numerical_diff=numerical_grad,
        gradient_check=gradient_check,
    )


@cache  # the test and the page ask the same
def outcome(probe, number):
    """Try a probe on a step, or on the package: WORKS, or the name of the error."""
    step = package() if number == PACKAGE else import_module(f"steps.step{number:02d}")
    return tried(probe, step)


def expected(capability, number):
    return WORKS if number == PACKAGE else capability.expected(number)


def complaints(number, probes):
    """What trying gives that was not expected, from pairs of a probe and its row."""
    return [
        f"{number}, {row.name}: {found}, and not {expected(row, number)}"
        for probe, row in probes
        if (found := outcome(probe, number)) != expected(row, number)
    ]


def table():
    """The page for the docs, made by trying everything on every step."""
    steps = [*SNAPSHOTS, PACKAGE]
    found = []
    for row in CAPABILITIES:
        outcomes = [outcome(row.probe, number) for number in steps]
        found.append([row.name, *(SIGNS.get(one, one) for one in outcomes)])
    lines = [
        "# What each step can do",
        "",
        "Found out by trying.",
        "`✓` works; `·` is not there yet; `wrong` gives a wrong answer; a name is the "
        "error that is raised.",
        "A very long chain has 100,000 functions.",
        "The last column is the package that the course arrives at; the designs of "
        "steps 61 to 67 have a [table of their own](designs.md).",
        "`python -m tests.support.capabilities` makes this page, and a test checks "
        "that it is up to date.",
        "",
        *markdown_table("step", steps, found),
        "",
        "From step 23 on, names come one by one: up to 31 beside the file of step 22, "
        "from 33 on in the small package.",
        "This is what the names of a step, and of all steps before it, can do.",
        "",
        *package_capabilities.rows(),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(PAGE).write_text(table(), encoding="utf-8", newline="\n")
    print(f"Wrote {PAGE.relative_to(ROOT)}.")
