"""Each step can do what its lesson says, and fails as its lesson says at what it cannot
do yet.
"""

import numpy as np
import pytest

from steps import step08
from steps.course.capabilities import CAPABILITIES, WORKS, WRONG, differentiates_a_chain
from tests.support import capabilities, package_capabilities
from tests.support.capabilities import (
    PACKAGE,
    PAGE,
    SNAPSHOTS,
    complaints,
    expected,
    outcome,
    table,
)
from tests.support.lesson_checks import fail_with


def name(number):
    return number if number == PACKAGE else f"step{number:02d}"


@pytest.mark.parametrize("number", [*SNAPSHOTS, PACKAGE], ids=name)
def test_capabilities(number):
    fail_with(complaints(number, [(row.quick, row) for row in CAPABILITIES]))


@pytest.mark.slow
def test_capabilities_that_take_their_time():
    probes = [(row.probe, row) for row in CAPABILITIES if row.quick is not row.probe]
    assert probes
    fail_with([c for n in [*SNAPSHOTS, PACKAGE] for c in complaints(n, probes)])


@pytest.mark.parametrize("number", package_capabilities.COLUMNS, ids=name)
def test_the_names_of_a_step_are_enough_for_what_it_brings(number):
    fail_with(package_capabilities.complaints(number))


def test_the_page_in_the_docs_is_up_to_date(monkeypatch):
    # What the tests above expect, without finding it out again.
    rows = {row.probe: row for row in CAPABILITIES}
    monkeypatch.setattr(
        capabilities, "outcome", lambda probe, number: expected(rows[probe], number)
    )
    assert PAGE.read_text(encoding="utf-8") == table(), (
        "run python -m tests.support.capabilities"
    )


def test_a_broken_step_is_seen(monkeypatch):
    assert outcome(differentiates_a_chain, 8) == WORKS
    outcome.cache_clear()
    monkeypatch.setattr(step08.Square, "backward", lambda self, gy: np.array(0.0))
    row = next(row for row in CAPABILITIES if row.probe is differentiates_a_chain)
    assert complaints(8, [(row.probe, row)]) == [
        f"8, differentiates a chain by itself: {WRONG}, and not {WORKS}"
    ]
    outcome.cache_clear()


def test_a_step_that_has_too_little_or_too_much_is_seen(monkeypatch):
    row = package_capabilities.ABILITIES[0]
    for first, said in ((25, "25 cannot yet"), (27, "26 can already")):
        monkeypatch.setattr(
            package_capabilities, "ABILITIES", [row._replace(first=first)]
        )
        (complaint,) = package_capabilities.complaints(first)
        assert complaint == f"step {said}: draws its graph"
