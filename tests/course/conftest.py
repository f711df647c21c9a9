"""Fixtures: a course of two lessons and a map in its own folder, a learner in the
workshop, and the process that tries the learner's code.
"""

import shutil
from pathlib import Path

import pytest

from steps.course import learner_folder, lessons
from steps.course.classroom.answers import read_lesson
from steps.course.workshop.trial import TrialProcess
from tests.course.learner import Learner

TOY = Path(__file__).parent / "toy"


@pytest.fixture(scope="session")
def process():
    """Start the process in which the workshop tries frameworks."""
    with TrialProcess() as process:
        yield process


@pytest.fixture
def learner(tmp_path, monkeypatch):
    monkeypatch.setattr(learner_folder, "FOLDER", tmp_path)
    (tmp_path / "workshop").mkdir()
    return Learner(tmp_path / "workshop")


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """Create a course with a map and lessons 1 and 2; return its root."""
    root = tmp_path / "toy"
    for name in ("steps", "notebooks"):
        (root / name).mkdir(parents=True)
    monkeypatch.setattr(lessons, "ROOT", root)
    monkeypatch.setattr(lessons, "LESSONS", root / "steps")
    monkeypatch.setattr(lessons, "NOTEBOOKS", root / "notebooks")
    monkeypatch.setattr(learner_folder, "FOLDER", root / "my-course")
    (root / "steps" / "course.mplstyle").write_text("", encoding="utf-8")
    shutil.copy(TOY / "start.md", root / "steps")
    template = (TOY / "step.md").read_text(encoding="utf-8")
    for number in (1, 2):
        text = template.replace("NUMBER", str(number))
        (root / "steps" / f"step0{number}.md").write_text(text, encoding="utf-8")
        shutil.copy(TOY / "step.py", root / "steps" / f"step0{number}.py")
    read_lesson.cache_clear()
    yield root
    read_lesson.cache_clear()
