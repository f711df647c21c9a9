"""Progress: what is solved, found out without running more than that needs."""

import json
import os
import subprocess
import warnings

import pytest

from steps.course import exercises, own, running
from steps.course import progress as progress_module
from steps.course.commands import main
from steps.course.lessons import ROOT, CourseError
from steps.course.progress import cells_to_run, progress
from tests.course.test_own_folder import book


def solve(number, *attempts):
    """Write attempts into the exercises of a copy, None where nothing is begun."""
    path = own.FOLDER / f"step0{number}.ipynb"
    notebook = book(path)
    cells = [
        cell for cell in notebook["cells"] if exercises.STUB in "".join(cell["source"])
    ]
    for cell, attempt in zip(cells, attempts, strict=False):
        if attempt is not None:
            cell["source"] = attempt
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return notebook


TWICE = "def twice(x):\n    return x + x"
TOTAL = "def total(numbers):\n    return sum(numbers)"


def test_what_is_solved_is_told_lesson_by_lesson(toy, capsys):
    own.lay()
    solve(1, "def twice(x):\n    return 3 * x", TOTAL)
    assert main(["progress"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "  1  Lesson 1",
        "     1  not yet: twice(2) should be 4",
        "     2  right",
        "Not begun: 2.",
        "1 of 4 exercises are solved.",
    ]


def test_a_hard_coded_answer_meets_the_hidden_tests(toy):
    own.lay()
    solve(1, "def twice(x):\n    return 4")
    assert progress(own.FOLDER)[1] == ["twice(0) is wrong", "not begun"]


def test_a_lesson_that_nobody_began_is_not_run(toy, monkeypatch):
    own.lay()
    monkeypatch.setattr(progress_module, "run_apart", lambda *_: pytest.fail("ran"))
    assert progress(own.FOLDER) == {1: ["not begun"] * 2, 2: ["not begun"] * 2}


def test_a_lesson_runs_up_to_the_last_exercise_that_was_begun(toy):
    own.lay()
    cells = cells_to_run(1, solve(1, TWICE))
    assert [kind for kind, _, _ in cells] == ["lesson", "lesson", "attempt", "check"]
    cells = cells_to_run(1, solve(1, None, TOTAL))
    assert [kind for kind, _, _ in cells][-2:] == ["attempt", "check"]


def test_what_was_judged_is_remembered_until_it_changes(toy, monkeypatch):
    own.lay()
    solve(1, TWICE)
    first = progress(own.FOLDER)
    ran = []
    monkeypatch.setattr(
        progress_module, "run_apart", lambda cells, *_: ran.append(1) or ({1: "new"}, 1)
    )
    assert progress(own.FOLDER) == first
    assert ran == []
    solve(1, TOTAL)  # in the second exercise, the first that is still a stub
    assert progress(own.FOLDER)[1][0] == "new"


def test_cells_that_the_learner_added_run_too(toy):
    own.lay()
    notebook = solve(1, "def twice(x):\n    return helper(x)")
    cell = {"cell_type": "code", "id": "mine", "metadata": {}, "outputs": []}
    notebook["cells"].insert(
        4, cell | {"source": "def helper(x):\n    return x + x", "execution_count": 1}
    )
    (own.FOLDER / "step01.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    notebook["cells"].insert(0, cell | {"id": "first", "source": "import math"})
    expected = ["lesson 0"] * 4 + ["attempt 1", "check 1"]
    found = [f"{kind} {number}" for kind, number, _ in cells_to_run(1, notebook)]
    assert found == expected
    assert progress(own.FOLDER)[1][0] == "right"


@pytest.mark.parametrize(
    ("attempt", "said"),
    [
        ("def twice(x:", "SyntaxError"),
        ("1 / 0", "ZeroDivisionError"),
        ("raise SystemExit(1)", "SystemExit"),
        ("input()", "EOFError"),
    ],
)
def test_what_fails_is_told_and_the_next_is_judged(toy, attempt, said):
    own.lay()
    solve(1, attempt, TOTAL)
    first, second = progress(own.FOLDER)[1]
    assert first.startswith(said)
    assert second == "right"


def test_what_never_ends_is_told_and_the_next_is_judged(monkeypatch):
    if not hasattr(running.signal, "SIGALRM"):
        pytest.skip("this system has no alarm")
    monkeypatch.setattr(running, "SECONDS", 0.2)
    said = []
    running.judge(
        [
            ("attempt", 1, "def twice(x):\n    while True:\n        pass"),
            ("check", 1, "twice(2)"),
            ("attempt", 2, "two = 2"),
            ("check", 2, "assert two == 2"),
        ],
        said.append,
    )
    assert [line["outcome"] for line in said] == [running.TOO_SLOW, running.RIGHT]


def test_what_ends_python_is_told(toy):
    own.lay()
    solve(1, "import os\n\nos._exit(3)", TOTAL)
    assert progress(own.FOLDER)[1] == ["ends Python", progress_module.NOT_REACHED]


@pytest.mark.parametrize(
    ("said", "outcomes"),
    [
        (b'{"exercise": 1, "outcome": "right"}\n', {1: "right"}),
        ('{"exercise": 1, "outcome": "right"}\n', {1: "right"}),
        (None, {}),
    ],
)
def test_what_was_judged_before_the_time_was_over_counts(
    said, outcomes, monkeypatch, tmp_path
):
    def run(*_, env, **__):
        # Wherever the learner's folder is, the judge is this package's own.
        assert env["PYTHONPATH"].split(os.pathsep)[0] == str(ROOT)
        raise subprocess.TimeoutExpired("python", 1, output=said)

    monkeypatch.setattr(subprocess, "run", run)
    assert progress_module.run_apart([], tmp_path) == (outcomes, False)


def test_where_nothing_can_wake_us_a_cell_may_take_any_time(monkeypatch):
    monkeypatch.delattr(running.signal, "SIGALRM", raising=False)
    assert running.in_time("done = 1 + 1", {}) is None


def test_a_judge_draws_on_no_screen_shares_the_cores_and_warns_of_nothing(monkeypatch):
    for before, threads in (({}, "1"), ({"OPENBLAS_NUM_THREADS": "3"}, "3")):
        monkeypatch.setattr(running.os, "environ", before)
        with warnings.catch_warnings(record=True) as shown:
            warnings.simplefilter("always")
            running.prepare()
            warnings.warn("a word", stacklevel=1)
        assert shown == []
        assert before == {
            "MPLBACKEND": "Agg",
            "OPENBLAS_NUM_THREADS": threads,
            "TQDM_DISABLE": "1",
        }


def test_a_folder_without_lessons_is_named(tmp_path):
    with pytest.raises(CourseError, match="holds no lesson"):
        progress(tmp_path)
