"""A learner who makes a mistake in the workshop gets a failing cell, and a sentence
that says where to look.
"""

import pytest

from steps.course.judge.child import Child
from steps.course.workshop import trial, verdict
from steps.course.workshop.report import Report
from steps.course.workshop.step import find_previous, read_code
from steps.course.workshop.trial import TrialProcess, select_required_rows
from steps.course.workshop.verdict import judge_attempt
from tests.course.learner import slips, ways
from tests.support import brief_trial


@pytest.mark.slow
@pytest.mark.parametrize("mistake", ways("wrong.md"), ids=lambda way: way.what)
def test_a_mistake_meets_a_sentence_that_helps(mistake, learner, monkeypatch, process):
    monkeypatch.setattr(trial, "SECONDS", 3 if "never" in mistake.what else 30)
    learner.types(mistake.step, mistake.code)
    verdict = learner.judged(mistake.step, process)
    assert not verdict.passes
    # The lesson's code is offered for that definition, and the report says so.
    assert verdict.to_lend
    assert_said([*mistake.said, "steps.hint("], verdict)


def assert_said(pieces, verdict):
    said = repr(Report(verdict))
    missing = [piece for piece in pieces if piece not in said]
    assert not missing, said


# --- In the package -------------------------------------------------------------------


@pytest.fixture(scope="module")
def brief_process():
    """Try the rows of the table that a step adds; ``python -m
    tests.support.workshop_proof slips`` tries the whole table and the lessons, which
    train.
    """
    with TrialProcess() as process:
        process._child = Child(brief_trial.__name__)
        yield process


@pytest.fixture
def brought(monkeypatch):
    """Only the rows that a step adds must work."""
    rows = lambda step: [
        row for row in select_required_rows(step) if row.learned_at(step) == step
    ]
    monkeypatch.setattr(verdict, "select_required_rows", rows)


@pytest.mark.slow
@pytest.mark.parametrize("slip", slips(), ids=lambda way: way.what)
def test_a_slip_in_the_package_is_named(slip, learner, brief_process, brought):
    last = find_previous(slip.step)
    learner.own_file(last).write_text(read_code(last), encoding="utf-8")
    own = learner.writes(slip.step, "import numpy as np", slip.code)
    found = judge_attempt(own, brief_process)
    assert not found.attempt.missing
    assert not found.passes
    assert len(found.culprits) == 1
    assert_said([*slip.said, "instead of yours, every"], found)
