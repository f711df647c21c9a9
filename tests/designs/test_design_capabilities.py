"""Each design can do what the table says, and fails where it says so."""

import pytest

from steps import step66
from tests.support.design_capabilities import (
    CAPABILITIES,
    DESIGNS,
    NO,
    PAGE,
    YES,
    a_diamond,
    outcome,
    page,
)


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if "100,000" in name else ())
        for name in CAPABILITIES
    ],
)
def test_capability(name, design):
    probe, cannot = CAPABILITIES[name]
    assert outcome(probe, design) == (NO if design.name in cannot else YES)


@pytest.mark.slow
def test_the_page_in_the_docs_is_up_to_date():
    text = PAGE.read_text(encoding="utf-8")
    assert text == page(text), "run python -m tests.support.design_capabilities"


def test_a_broken_design_is_seen(monkeypatch):
    design = next(design for design in DESIGNS if design.name == "step 66")
    assert outcome(a_diamond, design) == YES
    monkeypatch.setattr(step66.Tensor, "__mul__", lambda a, b: step66.add(a, b))
    assert outcome.__wrapped__(a_diamond, design) == NO
