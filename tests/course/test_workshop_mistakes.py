"""Whoever makes a mistake in the workshop meets a cell that stops, and a sentence that
says where to look.
"""

import pytest

from steps.course.workshop import trial
from steps.course.workshop.report import Report
from tests.course.learner import ways


@pytest.mark.slow
@pytest.mark.parametrize("mistake", ways("wrong.md"), ids=lambda way: way.what)
def test_a_mistake_meets_a_sentence_that_helps(mistake, learner, monkeypatch, process):
    monkeypatch.setattr(trial, "SECONDS", 6 if "never" in mistake.what else 30)
    learner.types(mistake.step, mistake.code)
    verdict = learner.judged(mistake.step, process)
    assert not verdict.passes
    # It goes on with the lesson's own in that place, and says so.
    assert verdict.from_the_lesson
    said = repr(Report(verdict))
    missing = [piece for piece in [*mistake.said, "steps.hint("] if piece not in said]
    assert not missing, said
