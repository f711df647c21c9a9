"""Each design can do what the table says, and fails where the table says so."""

from importlib import import_module

import pytest

from steps import step66
from steps.course.capabilities import WORKS, run_probe
from tests.support.design_capabilities import DESIGNS, PAGE, TABLE, format_page


@pytest.mark.parametrize("number", DESIGNS, ids=TABLE.columns.get)
@pytest.mark.parametrize("row", TABLE.rows, ids=lambda row: row.name)
def test_capability(row, number, without_collector):
    assert TABLE.get_outcome(row, number) == row.expected(number)


@pytest.mark.parametrize("design", DESIGNS.values(), ids=lambda design: design.name)
def test_a_ladder_of_additions_is_not_walked_along_every_path(design):
    def ladder(x):
        for _ in range(200):
            x = x + x
        return x

    value, slope = design.gradients(ladder, 1.0)
    assert (value, slope) == (2.0**200, 2.0**200)


def test_the_page_in_the_docs_is_up_to_date():
    # The expectations of the tests above, without running them again.
    text, command = (
        PAGE.read_text(encoding="utf-8"),
        "tests.support.design_capabilities",
    )
    assert text == format_page(text, expected=True), f"run python -m {command}"


def test_a_broken_design_is_seen(monkeypatch):
    row = next(row for row in TABLE.rows if row.name == "differentiates a diamond")
    assert run_probe(row.probe, DESIGNS[66]) == (WORKS, None)
    monkeypatch.setattr(step66.Tensor, "__mul__", lambda a, b: step66.add(a, b))
    assert run_probe(row.probe, DESIGNS[66])[0] != WORKS


@pytest.mark.parametrize("number", [61, 62, 63])
def test_a_design_gives_out_its_own_names(number):
    step = import_module(f"steps.step{number}")
    made_in = {getattr(step, name).__module__ for name in step.__all__}
    assert made_in == {f"steps.step{number}"}
