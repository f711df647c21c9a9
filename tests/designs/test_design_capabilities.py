"""Each design can do what the table says, and fails where it says so."""

from importlib import import_module

import pytest

from steps import step66
from tests.support import design_capabilities
from tests.support.design_capabilities import (
    CAPABILITIES,
    DESIGNS,
    NO,
    PAGE,
    YES,
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
def test_capability(name, design, without_collector):
    _, cannot = CAPABILITIES[name]
    assert outcome(name, design) == (NO if design.name in cannot else YES)


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
def test_a_ladder_of_additions_is_not_walked_along_every_path(design):
    def ladder(x):
        for _ in range(200):
            x = x + x
        return x

    value, slope = design.gradients(ladder, 1.0)
    assert (value, slope) == (2.0**200, 2.0**200)


def test_the_page_in_the_docs_is_up_to_date(monkeypatch):
    # What the tests above expect, without finding it out again.
    expected = lambda name, design: NO if design.name in CAPABILITIES[name][1] else YES
    monkeypatch.setattr(design_capabilities, "outcome", expected)
    text = PAGE.read_text(encoding="utf-8")
    assert text == page(text), "run python -m tests.support.design_capabilities"


def test_a_broken_design_is_seen(monkeypatch):
    design = next(design for design in DESIGNS if design.name == "step 66")
    assert outcome("differentiates a diamond", design) == YES
    monkeypatch.setattr(step66.Tensor, "__mul__", lambda a, b: step66.add(a, b))
    assert outcome.__wrapped__("differentiates a diamond", design) == NO


@pytest.mark.parametrize("number", [61, 62, 63])
def test_a_design_gives_out_its_own_names(number):
    step = import_module(f"steps.step{number}")
    made_in = {getattr(step, name).__module__ for name in step.__all__}
    assert made_in == {f"steps.step{number}"}
