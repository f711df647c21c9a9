"""A new step starts with a lesson and a module that build; an incomplete step is
reported. All settings of a lesson are in its own file.
"""

import os
import re
import shutil
from dataclasses import fields
from importlib import import_module

import pytest

from steps.course import builder, lessons
from steps.course.commands import main
from steps.course.lessons import (
    LESSONS,
    MAP,
    ROOT,
    CourseError,
    FrontMatter,
    known,
    numbers,
    read_front_matter,
)
from steps.course.new_lesson import create_lesson, find_next_number
from tests.course.texts import blocks
from tests.support import lesson_checks as checks
from tests.support.programs import python
from tests.support.refusals import assert_refused


@pytest.fixture
def room(tmp_path, monkeypatch):
    """Copy the steps, with an empty folder for notebooks, so that a test may write."""
    steps, notebooks = tmp_path / "steps", tmp_path / "notebooks"
    steps.mkdir()
    notebooks.mkdir()
    for path in LESSONS.glob("*.*"):
        shutil.copy(path, steps)
    for name in ("course", "framework"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(LESSONS / name, steps / name, ignore=ignored)
    monkeypatch.setattr(lessons, "ROOT", tmp_path)
    monkeypatch.setattr(lessons, "LESSONS", steps)
    monkeypatch.setattr(lessons, "NOTEBOOKS", notebooks)
    return steps


def files(room):
    """Return the content of each file of the course, by path."""
    return {p: p.read_bytes() for p in room.parent.rglob("*.*") if p.is_file()}


@pytest.mark.slow
def test_a_new_step_builds_and_touches_its_own_two_files_only(room):
    before, number = files(room), find_next_number()
    lesson, module = create_lesson(number, "A toy")
    assert number in numbers()
    texts = [path.read_text("utf-8") for path in (lesson, module)]
    new = checks.Lesson(number, texts[0], {}, texts[1])
    assert checks.misshapen(new) == []
    assert len(checks.unwritten(new)) == 15, "each TODO, with its line"
    assert "def double" in module.read_text(encoding="utf-8")
    builder.build(number)
    assert builder.explain_staleness(number) is None

    says = 'course:\n  write: [double]\n  question: "What is twice x?"\n'
    head, _, rest = texts[0].partition("---\n\n")
    lesson.write_text(f"{head}{says}---\n\n{rest}", encoding="utf-8")
    said = "no notebook shows the settings"
    assert builder.explain_staleness(number) is None, said
    after = files(room)
    assert {*after} - {*before} == {lesson, module, lessons.notebook_path(number)}
    assert all(after[path] == before[path] for path in before)

    shown = "".join(cell["source"] for cell in builder.assemble(MAP)["cells"])
    assert f"\n{number}. [A toy](step{number:02d}.ipynb), 15 minutes\n" in shown
    program = blocks("programs.md")["a lesson of one's own"]
    paths = os.pathsep.join(map(str, (ROOT, ROOT / "docs" / "_ext")))
    said = python("-c", program, folder=room.parent, PYTHONPATH=paths)
    assert said.stdout == f"{number} double What is twice x?\n", said.stderr


@pytest.mark.parametrize(
    ("block", "complaint"),
    [
        ("  kinds: design", "`kinds` in `course` is unknown; CONTRIBUTING.md lists"),
        (
            "  kind: snapshoot",
            "`kind` in `course` must be one of package, snapshot",
        ),
        ("  write: Sin", "`write` in `course` must be a list, not 'Sin'"),
        ("  trains: 1", "`trains` in `course` must be a bool, not 1"),
        ("  write: [Sin", "`course` needs lines `key: value`, not while"),
        ("", "`course` needs lines `key: value`, not None"),
    ],
)
def test_what_front_matter_cannot_say_is_named(room, block, complaint):
    path = room / "step08.md"
    text = re.sub(r"course:\n(  .*\n)+", f"course:\n{block}\n", path.read_text("utf-8"))
    path.write_text(text, encoding="utf-8")
    assert_refused(CourseError, f"step08.md: {complaint}", lambda: read_front_matter(8))


def test_what_front_matter_can_say_is_listed_for_who_writes_one():
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    keys = [setting.name for setting in fields(FrontMatter)]
    assert re.findall(r"^\| `(\w+):", page, re.MULTILINE) == keys


def test_a_new_step_exports_its_own(room, monkeypatch):
    number = find_next_number()
    create_lesson(number, "A toy")
    monkeypatch.setattr(import_module("steps"), "__path__", [str(room)])
    step = import_module(f"steps.step{number:02d}")
    assert step.__all__ == ["double"]
    assert step.double(2) == 4


def test_nothing_is_overwritten_and_no_gap_is_left(room):
    there = "Already there: step03.md and step03.py"
    assert_refused(CourseError, there, lambda: create_lesson(3, "A toy"))
    after_next = find_next_number() + 1
    assert_refused(
        CourseError, "would leave a gap", lambda: create_lesson(after_next, "A toy")
    )


def test_half_a_step_is_named(room, capsys):
    number = find_next_number()
    _, module = create_lesson(number, "A toy")
    module.unlink()
    name = f"step{number:02d}"
    assert lessons.find_unpaired_files() == [f"{name}.md needs {name}.py beside it."]
    with pytest.raises(CourseError, match=f"{name}.md needs {name}.py"):
        known(number)
    assert main(["check"]) == 1
    assert f"{name}.md needs {name}.py beside it." in capsys.readouterr().out


def test_the_command_finds_the_number_and_asks_for_a_title(room, capsys):
    number = find_next_number()
    assert main(["new", str(number)]) == 1
    assert "A step needs a title" in capsys.readouterr().err
    assert number not in numbers()
    assert main(["new", "A toy"]) == 0
    said = capsys.readouterr().out
    assert f"Wrote steps/step{number:02d}.md." in said
    assert f"steps build {number}`" in said
    assert number in numbers()
    assert main(["new", str(number), "A toy"]) == 1
