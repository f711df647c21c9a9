"""No wording that nobody would say: in lessons, in the README, in the docs."""

import json

import pytest

from steps.course import lessons
from steps.course.lessons import numbers
from tests.support import wordings
from tests.support.lesson_checks import fail_with


def test_nothing_is_worded_as_nobody_would_say_it():
    said = []
    for number in [lessons.MAP, *numbers()]:
        name = lessons.lesson_path(number).name
        said += wordings.complaints(name, wordings.of_lesson(number))
    for page in wordings.PAGES:
        said += wordings.complaints(page.name, page.read_text(encoding="utf-8"))
    fail_with(said)


@pytest.mark.parametrize(("_", "example", "instead"), wordings.BANNED)
def test_a_wording_that_nobody_would_say_is_seen(_, example, instead):
    broken = f'"See: {example[:-1]}"\n    f"{example[-1]}, and more"'
    for text in (example, example.replace(" ", "\n"), broken):
        (said,) = wordings.complaints("a page", text)
        assert said.startswith("a page: ")
        assert instead in said
    assert wordings.complaints("a page", instead) == []


def test_what_only_looks_like_such_a_wording_is_not_seen():
    text = (
        "Say that x is 3. It is 4.1 times as long. There is no division yet. It takes "
    )
    assert wordings.complaints("a page", f"{text}his place, to stand in for him.") == []


def test_what_a_cell_prints_is_read_for_its_wording(monkeypatch, tmp_path):
    outputs = [{"output_type": "stream", "text": ["it was called ", "1 times"]}]
    path = tmp_path / "step08.ipynb"
    path.write_text(json.dumps({"cells": [{"outputs": outputs}]}))
    monkeypatch.setattr(wordings, "notebook_path", lambda number: path)
    (said,) = wordings.complaints("step08.md", wordings.of_lesson(8))
    assert "say “called once”" in said
