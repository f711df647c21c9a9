"""The abilities of frameworks, found by running code: the tables of
docs/capabilities.md.

In the folder of the checkout, ``python -m tests.support.capabilities`` writes the page.
The probes for snapshots are in ``steps/course/capabilities.py``. The names of package
steps are tried with the workshop's table and ``package_capabilities.md``.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import dezero_lite
from dezero_lite.gradcheck import gradient_check, numerical_grad
from steps.course.capabilities import (
    CAPABILITIES,
    MISSING,
    SIGNS,
    WORKS,
    Capability,
    run_probe,
)
from steps.course.lessons import ROOT, StepKind, of_kind
from steps.course.workshop.capabilities_package import CAPABILITIES as OF_PACKAGE
from tests.support.sections import markdown_table, rows

# The column after all steps.
PACKAGE = math.inf
PAGE = ROOT / "docs" / "capabilities.md"
# Up to here, a step has the names of all earlier steps.
LAST_NAMES = 60


@dataclass(eq=False)
class Table:
    """Rows that are tried on several frameworks.

    ``columns`` has the title of each framework by its number, which ``load`` takes. If
    ``any_error`` is true, everything that does not work is MISSING.
    """

    rows: list[Capability]
    columns: dict[float, Any]
    load: Callable[[float], Any]
    any_error: bool = False

    def get_outcome(self, row, number):
        """Get the outcome of a trial: WORKS, or the name of the error."""
        outcome = _get_outcome(self, row.probe, number)
        return MISSING if self.any_error and outcome != WORKS else outcome

    def list_complaints(self, number):
        """List the outcomes that were not expected."""
        outcomes = [(row, self.get_outcome(row, number)) for row in self.rows]
        title = self.columns.get(number, number)
        return [
            f"{title}, {row.name}: {outcome}, and not {row.expected(number)}"
            for row, outcome in outcomes
            if outcome != row.expected(number)
        ]

    def format(self, corner, expected=False):
        """Format the table in Markdown, with actual or expected outcomes."""
        get_outcome = Capability.expected if expected else self.get_outcome
        lines = []
        for row in self.rows:
            outcomes = [get_outcome(row, number) for number in self.columns]
            lines.append([row.name, *(SIGNS.get(each, each) for each in outcomes)])
        return markdown_table(corner, [*self.columns.values()], lines)


@cache  # the test and the page ask for the same
def _get_outcome(table, probe, number):
    return run_probe(probe, table.load(number))[0]


def read_capabilities(path, get_history, called, **names):
    """Read the rows of a table from Markdown.

    Parameters
    ----------
    get_history : callable
        Gets the history of a row from the words above its code.
    called : str
        The code's name for the framework; ``names`` has everything else it uses.
    """

    def read(name, words, code):
        probe = lambda framework: exec(code, names | {called: framework})
        return Capability(name, "", get_history(words), probe)

    return [read(*row) for row in rows(path)]


# --- The snapshots, and dezero_lite ---------------------------------------------------


class Square(dezero_lite.Function):
    """A function as a reader of the book would write it."""

    def forward(self, x):
        return x**2

    def backward(self, gy):
        (x,) = self.inputs
        return 2 * x * gy


def load_framework(number):
    """Load a step, or the package with the few extra functions that the
    snapshots have.
    """
    if number != PACKAGE:
        return import_module(f"steps.step{number:02d}")
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


COLUMNS = {n: n for n in of_kind(StepKind.SNAPSHOT)} | {PACKAGE: "dezero_lite"}
# The package can do all of it.
ROWS = [replace(row, history=(*row.history, (PACKAGE, WORKS))) for row in CAPABILITIES]
SNAPSHOTS = Table(ROWS, COLUMNS, load_framework)


# --- The public names of package steps ------------------------------------------------


def load_names(number):
    """Load the names that are known at a step, and nothing else from the package."""
    step = import_module(f"steps.step{number}")
    return SimpleNamespace(**{name: getattr(step, name) for name in step.__all__})


OF_NAMES = read_capabilities(
    Path(__file__).with_name("package_capabilities.md"),
    lambda words: ((int(re.findall(r"\d+", words)[0]), WORKS),),
    "step",
    np=np,
)
# A step attaches methods to classes when it is imported, so earlier steps have them
# too.
METHODS = "stretches_its_operands", "saves_its_weights"
OF_NAMES += [
    row
    for row in OF_PACKAGE
    if row.expected(LAST_NAMES) == WORKS and row.probe.__name__ not in METHODS
]
OF_NAMES.sort(key=lambda row: row.history[0][0])
NAMES = Table(OF_NAMES, {24: 24}, load_names, any_error=True)
NAMES.columns |= {n: n for n in sorted(row.history[0][0] for row in NAMES.rows)}


# --- The page -------------------------------------------------------------------------


def format_page(expected=False):
    """Format the page of the docs, by trying everything on every step."""
    lines = [
        "# What each step can do",
        "",
        "Every entry was found by running code.",
        "`✓`: it works; `·`: not there yet; `wrong`: a wrong answer; a name: the error "
        "that is raised.",
        "A very long chain has 10,000 functions.",
        "The last column is the package that the course arrives at; the designs of "
        "steps 61 to 67 have [their own table](designs.md).",
        "`python -m tests.support.capabilities` writes this page, and a test checks "
        "that it is up to date.",
        "",
        *SNAPSHOTS.format("step", expected),
        "",
        "From step 23 on, names are added one by one: up to 31 beside the file of step "
        "22, and from 33 on in the small package.",
        "This table shows what the names of a step and of all earlier steps can do.",
        "",
        *NAMES.format("step", expected),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(PAGE).write_text(format_page(), encoding="utf-8", newline="\n")
    print(f"Wrote {PAGE.relative_to(ROOT)}.")
