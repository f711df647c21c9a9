"""What the public names of each package step can do, found out by trying: the second
table of docs/capabilities.md.

What is tried stands in package_capabilities.md, in the names that are known at a step,
and nothing else of the package.
"""

import re
from importlib import import_module
from pathlib import Path
from types import CodeType, SimpleNamespace
from typing import NamedTuple

import numpy as np

from tests.support.sections import markdown_table
from tests.support.sections import rows as rows_of


class Ability(NamedTuple):
    """Something that can be done with the names of step `first`, and not before."""

    name: str
    first: int
    code: CodeType


ABILITIES = [
    Ability(name, int(re.findall(r"\d+", words)[0]), code)
    for name, words, code in rows_of(Path(__file__).with_suffix(".md"))
]
COLUMNS = sorted({ability.first for ability in ABILITIES})


def can(ability, number):
    """Whether the names of a step are enough; a wrong answer is an error."""
    step = import_module(f"steps.step{number}")
    known = SimpleNamespace(**{name: getattr(step, name) for name in step.__all__})
    try:
        exec(ability.code, {"step": known, "np": np, "walked_back": walked_back})
    except AttributeError:
        return False
    return True


def walked_back(y, *inputs):
    y.backward()
    return [x.grad.data for x in inputs]


def complaints(number):
    """What the names of a step do not do, and what those of the step before do."""
    new = [ability for ability in ABILITIES if ability.first == number]
    too_little = [a.name for a in new if not can(a, number)]
    too_much = [a.name for a in new if can(a, number - 1)]
    return [
        *(f"step {number} cannot yet: {name}" for name in too_little),
        *(f"step {number - 1} can already: {name}" for name in too_much),
    ]


def rows():
    """The lines of the table."""
    columns = [24, *COLUMNS]
    signs = [[a.name, *("·✓"[can(a, n)] for n in columns)] for a in ABILITIES]
    return markdown_table("step", columns, signs)
