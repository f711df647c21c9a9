"""Whoever makes a mistake in the workshop meets a cell that stops, and a sentence that
says where to look.
"""

import pytest

from steps.course.workshop import trial
from steps.course.workshop.bench import Bench
from steps.course.workshop.report import Report
from tests.course.learner import Learner
from tests.course.wrong_ways import MISTAKES


@pytest.fixture(scope="module")
def bench():
    with Bench() as bench:
        yield bench


@pytest.mark.slow
@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.what)
def test_a_mistake_meets_a_sentence_that_helps(mistake, tmp_path, monkeypatch, bench):
    monkeypatch.setattr(trial, "SECONDS", 6 if "never" in mistake.what else 30)
    learner = Learner(tmp_path)
    learner.types(mistake.step, mistake.code)
    verdict = learner.judged(mistake.step, bench)
    assert not verdict.right
    assert not verdict.passes
    said = repr(Report(verdict))
    for piece in mistake.said:
        assert piece in said, said
    # It goes on with the lesson's own in that place, and says so.
    assert verdict.from_the_lesson
    assert "steps.hint(" in said
