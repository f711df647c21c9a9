"""Each step can do what its lesson says, and fails as its lesson says at what it cannot
do yet.
"""

import numpy as np
import pytest

from steps import step08
from steps.course.capabilities import (
    CAPABILITIES,
    WORKS,
    WRONG,
    differentiates_a_chain,
)
from tests.support.capabilities import (
    PACKAGE,
    PAGE,
    SNAPSHOTS,
    expected,
    outcome,
    table,
)
from tests.support.package_capabilities import ABILITIES, can


@pytest.mark.parametrize("number", [*SNAPSHOTS, PACKAGE])
@pytest.mark.parametrize(
    "capability",
    [
        pytest.param(
            capability,
            id=capability.name,
            marks=pytest.mark.slow if capability.quick else (),
        )
        for capability in CAPABILITIES
    ],
)
def test_capability(capability, number):
    assert outcome(capability.probe, number) == expected(capability, number)


@pytest.mark.parametrize("number", [7, 8])
def test_what_is_tried_in_short_tells_the_same(number):
    rows = [row for row in CAPABILITIES if row.quick]
    assert rows
    for row in rows:
        assert outcome(row.quick, number) == row.expected(number)


@pytest.mark.parametrize("ability", ABILITIES, ids=lambda ability: ability.name)
def test_the_names_of_a_step_are_enough_for_what_it_brings(ability):
    assert can(ability, ability.first)
    assert not can(ability, ability.first - 1)


@pytest.mark.slow
def test_the_page_in_the_docs_is_up_to_date():
    assert PAGE.read_text(encoding="utf-8") == table(), (
        "run python -m tests.support.capabilities"
    )


def test_a_broken_step_is_seen(monkeypatch):
    assert outcome(differentiates_a_chain, 8) == WORKS
    monkeypatch.setattr(step08.Square, "backward", lambda self, gy: np.array(0.0))
    assert outcome.__wrapped__(differentiates_a_chain, 8) == WRONG
