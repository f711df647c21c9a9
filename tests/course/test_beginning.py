"""A new step begins with a lesson and a module that build; half a step is named."""

import shutil
from importlib import import_module

import pytest

from steps.course import builder, lessons
from steps.course.beginning import begin, next_number
from steps.course.commands import main
from steps.course.lessons import LESSONS, CourseError, known, numbers
from tests.support import lesson_checks as checks
from tests.support.refusals import assert_refused


@pytest.fixture
def room(tmp_path, monkeypatch):
    """The steps, and an empty room for notebooks, where a test may write."""
    steps, notebooks = tmp_path / "steps", tmp_path / "notebooks"
    steps.mkdir()
    notebooks.mkdir()
    for path in LESSONS.glob("*.*"):
        shutil.copy(path, steps)
    monkeypatch.setattr(lessons, "ROOT", tmp_path)
    monkeypatch.setattr(lessons, "LESSONS", steps)
    monkeypatch.setattr(lessons, "NOTEBOOKS", notebooks)
    return steps


@pytest.mark.slow
def test_a_new_step_builds_and_has_the_shape_of_a_lesson(room):
    number = next_number()
    lesson, module = begin(number, "A toy")
    assert number in numbers()
    texts = [path.read_text("utf-8") for path in (lesson, module)]
    new = checks.Lesson(number, texts[0], {}, texts[1])
    assert checks.misshapen(new) == []
    assert len(checks.unwritten(new)) == 15, "each TODO, with its line"
    assert "def double" in module.read_text(encoding="utf-8")
    builder.build(number)
    assert builder.why_stale(number) is None


def test_a_new_step_exports_its_own(room, monkeypatch):
    number = next_number()
    begin(number, "A toy")
    monkeypatch.setattr(import_module("steps"), "__path__", [str(room)])
    step = import_module(f"steps.step{number:02d}")
    assert step.__all__ == ["double"]
    assert step.double(2) == 4


def test_nothing_is_overwritten_and_no_gap_is_left(room):
    there = "step03.md and step03.py: there already"
    assert_refused(CourseError, there, lambda: begin(3, "A toy"))
    assert_refused(CourseError, "would leave a gap", lambda: begin(99, "A toy"))


def test_half_a_step_is_named(room, capsys):
    number = next_number()
    _, module = begin(number, "A toy")
    module.unlink()
    name = f"step{number:02d}"
    assert lessons.halves() == [f"{name}.md has no {name}.py beside it."]
    with pytest.raises(CourseError, match=f"{name}.md has no {name}.py"):
        known(number)
    assert main(["check"]) == 1
    assert f"{name}.md has no {name}.py beside it." in capsys.readouterr().out


def test_the_command_finds_the_number_and_asks_for_a_title(room, capsys):
    number = next_number()
    assert main(["new", str(number)]) == 1
    assert "A step needs a title" in capsys.readouterr().err
    assert number not in numbers()
    assert main(["new", "A toy"]) == 0
    said = capsys.readouterr().out
    assert f"Wrote steps/step{number:02d}.md." in said
    assert f"steps build {number}`" in said
    assert number in numbers()
    assert main(["new", str(number), "A toy"]) == 1
