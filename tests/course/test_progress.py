"""Progress: finding out which exercises are solved, without running more than
necessary.
"""

import json
import shutil
from unittest.mock import Mock

import pytest

from steps.course import exercises, learner_folder
from steps.course import progress as progress_module
from steps.course.classroom.answers import Answers, list_cells_to_run
from steps.course.commands import main
from steps.course.judge import bubblewrap
from steps.course.lessons import CourseError
from steps.course.progress import judge_folder
from tests.course.test_classroom import TOTAL, TWICE, new_cell
from tests.course.test_own_folder import book


def solve(number, *attempts):
    """Write attempts into the exercises of a copy; None leaves one untouched."""
    path = learner_folder.FOLDER / f"step0{number}.ipynb"
    notebook = book(path)
    cells = [c for c in notebook["cells"] if exercises.STUB in "".join(c["source"])]
    for cell, attempt in zip(cells, attempts, strict=False):
        if attempt is not None:
            cell["source"] = attempt
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return notebook


def test_what_is_solved_is_told_lesson_by_lesson(toy, capsys):
    learner_folder.sync_copies()
    solve(1, "def twice(x):\n    return 3 * x", TOTAL)
    assert main(["progress"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "  1  Lesson 1",
        "     1  not yet: twice(2) should be 4",
        "     2  right",
        "Not begun: 2.",
        "1 of 4 exercises are solved.",
    ]


def test_a_lesson_that_nobody_began_is_not_run(toy, monkeypatch):
    learner_folder.sync_copies()
    monkeypatch.setattr(progress_module, "judge", lambda *_: pytest.fail("ran"))
    blank = ["not begun"] * 2
    assert judge_folder(learner_folder.FOLDER) == {1: blank, 2: blank}


def run_for(notebook):
    cells = list_cells_to_run(1, Answers(1, notebook))
    return [f"{kind} {number}" for kind, number, _ in cells]


def test_a_lesson_runs_up_to_the_last_exercise_that_was_begun(toy):
    learner_folder.sync_copies()
    expected = ["lesson 0"] * 3 + ["attempt 1", "check 1"]
    assert run_for(solve(1, TWICE)) == expected
    assert run_for(solve(1, TOTAL)) == [*expected, "lesson 0", "attempt 2", "check 2"]


def test_what_was_judged_is_remembered_until_it_changes(toy, monkeypatch):
    learner_folder.sync_copies()
    solve(1, TWICE)
    first = judge_folder(learner_folder.FOLDER)
    judge = Mock(return_value=({1: "new"}, []))
    monkeypatch.setattr(progress_module, "judge", judge)
    assert judge_folder(learner_folder.FOLDER) == first
    judge.assert_not_called()
    solve(1, TOTAL)  # in the second exercise, the first remaining stub
    assert judge_folder(learner_folder.FOLDER)[1][0] == "new"


def test_a_folder_that_is_not_one_s_own_is_graded_and_not_believed(
    toy, tmp_path, capsys
):
    learner_folder.sync_copies()
    trace = tmp_path / "trace"
    solve(1, f"def twice(x):\n    open({str(trace)!r}, 'w')", TOTAL)
    theirs = tmp_path / "theirs"
    assert judge_folder(learner_folder.FOLDER)[1][0] != "right"
    trace.unlink()
    shutil.copytree(learner_folder.FOLDER, theirs)
    said = theirs / progress_module.REMEMBERED
    lie = json.loads(said.read_text())
    said.write_text(json.dumps({key: ["right", "right"] for key in lie}))
    (theirs / "step02.ipynb").write_text("null")
    assert main(["progress", str(theirs)]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(bubblewrap.describe_isolation())
    refused = f"PermissionError: grading does not allow code to write {trace}"
    assert f"not yet: {refused}" in shown
    assert "step02.ipynb is not a readable notebook" in shown
    assert "1 of 4 exercises are solved." in shown
    assert not trace.exists()
    assert main(["progress", str(theirs), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["right"] == 1


def test_cells_that_the_learner_added_run_too(toy):
    learner_folder.sync_copies()
    notebook = solve(1, "def twice(x):\n    return helper(x)")
    notebook["cells"].insert(5, new_cell("def helper(x):\n    return x + x"))
    (learner_folder.FOLDER / "step01.ipynb").write_text(json.dumps(notebook))
    notebook["cells"].insert(0, new_cell("import math"))
    around = ["added 0", *["lesson 0"] * 3, "added 0"]
    assert run_for(notebook) == [*around, "attempt 1", "check 1"]
    assert judge_folder(learner_folder.FOLDER)[1][0] == "right"


def test_what_takes_too_long_is_judged_again(toy, monkeypatch):
    learner_folder.sync_copies()
    solve(1, TWICE)
    said = [({1: progress_module.TOO_SLOW}, []), ({1: "right"}, [])]
    monkeypatch.setattr(progress_module, "judge", Mock(side_effect=said))
    assert judge_folder(learner_folder.FOLDER)[1] == ["takes too long", "not begun"]
    assert judge_folder(learner_folder.FOLDER)[1] == ["right", "not begun"]


def test_a_folder_without_lessons_is_named(tmp_path):
    with pytest.raises(CourseError, match="does not contain any lessons"):
        judge_folder(tmp_path)
