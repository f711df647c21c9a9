"""Each step can do what its lesson says, and fails as its lesson says where it cannot
do something yet.
"""

import dataclasses

import numpy as np
import pytest

from steps import step08
from steps.course.capabilities import WORKS, WRONG, run_probe
from tests.support.capabilities import (
    NAMES,
    PACKAGE,
    PAGE,
    SNAPSHOTS,
    Table,
    format_page,
)
from tests.support.lesson_checks import fail_with


def name(number):
    return "dezero_lite" if number == PACKAGE else f"step{number:02d}"


@pytest.mark.parametrize("number", SNAPSHOTS.columns, ids=name)
def test_capabilities(number):
    fail_with(SNAPSHOTS.list_complaints(number))


@pytest.mark.parametrize("number", [*NAMES.columns][1:], ids=name)
def test_the_names_of_a_step_are_enough_for_what_it_brings(number):
    new = [row for row in NAMES.rows if row.history[0][0] == number]
    table = dataclasses.replace(NAMES, rows=new)
    fail_with([c for n in (number, number - 1) for c in table.list_complaints(n)])


def test_the_page_in_the_docs_is_up_to_date():
    # The expectations of the tests above, without running them again.
    assert PAGE.read_text(encoding="utf-8") == format_page(expected=True), (
        "run python -m tests.support.capabilities"
    )


def test_a_broken_step_is_seen(monkeypatch):
    row = next(
        r for r in SNAPSHOTS.rows if r.name == "differentiates a chain by itself"
    )
    assert run_probe(row.probe, step08) == (WORKS, None)
    monkeypatch.setattr(step08.Square, "backward", lambda self, gy: np.array(0.0))
    assert dataclasses.replace(SNAPSHOTS, rows=[row]).list_complaints(8) == [
        f"8, differentiates a chain by itself: {WRONG}, and not {WORKS}"
    ]


def test_a_step_that_has_too_little_or_too_much_is_seen():
    row = NAMES.rows[0]
    for number, first, outcomes in (
        (25, 25, "AttributeError, and not works"),
        (26, 27, "works, and not AttributeError"),
    ):
        wrong = dataclasses.replace(row, history=((first, WORKS),))
        complaints = Table([wrong], {}, NAMES.load).list_complaints(number)
        assert complaints == [f"{number}, draws its graph: {outcomes}"]
