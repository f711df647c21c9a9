"""Exercises: the checks pass on the solution, and fail on the untouched stub with words
that help.
"""

import copy
import json
from pathlib import Path

import matplotlib.pyplot as plt
import nbformat
import pytest

from steps.course import builder, exercises
from steps.course.copies import write_copies
from steps.course.lessons import (
    DESIGNS,
    NOTEBOOKS,
    CourseError,
    notebook_path,
    numbers,
    stem,
    with_map,
)
from tests.support import attempts
from tests.support import lesson_checks as checks
from tests.support.lesson_checks import code_cells, notebook


def outcomes(book):
    """Run a notebook to its end, whatever fails: pairs (cell, what it stops with)."""
    run = attempts.Run("at hand", code_cells(book))
    for cell in run.cells:
        yield cell, attempts.run_what_stops(checks.source(cell), run.names)
        plt.close("all")
    run.tidy_up()


def complaints_about_stubs(book):
    complaints = {}
    for cell, said in outcomes(exercises.for_students(book)):
        if exercises.CHECK in checks.tags(cell):
            complaints[cell["id"]] = attempts.complaint_about_check(said)
        elif exercises.STUB in checks.source(
            cell
        ) or "raises-exception" not in checks.tags(cell):
            complaints[cell["id"]] = said
    return [f"{name}: {said}" for name, said in complaints.items() if said]


def what_stubs_can_spoil(book):
    """A notebook with only those code cells that are exercises, that go on with them,
    or that they stand on.
    """
    cells = code_cells(book)
    also = attempts.touched_by_exercises(cells)
    wanted = {cell["id"] for cell in attempts.needed_among(cells, also)}
    kept = [
        cell
        for cell in book["cells"]
        if cell["cell_type"] != "code" or cell["id"] in wanted
    ]
    return book | {"cells": kept}


# The designs' checks meet their stubs further down, the others' where attempts are
# tried, attempts/conftest.py.
@pytest.mark.slow
@pytest.mark.parametrize(
    "number", [number for number in numbers() if attempts.leans_on_exercises(number)]
)
def test_checks_fail_on_the_stub_and_help(number):
    assert complaints_about_stubs(what_stubs_can_spoil(notebook(number))) == []


@pytest.mark.parametrize("number", numbers())
def test_checks_pass_on_the_solution(number):
    # nbval runs these cells too; here it is certain that each check was run and was a
    # check.
    cells = [
        cell
        for cell in code_cells(notebook(number))
        if exercises.CHECK in checks.tags(cell)
    ]
    assert cells
    for cell in cells:
        assert "is right" in json.dumps(cell["outputs"], ensure_ascii=False)
        assert not any(output["output_type"] == "error" for output in cell["outputs"])


SOLUTION = "def f(x):\n    ### BEGIN SOLUTION\n    return 2 * x\n    ### END SOLUTION\n"
HELPS = "assert f(2) == 4, 'f(2) should be 4: twice 2'"


@pytest.fixture
def little_lesson(monkeypatch):
    """Makes the lesson whose exercises are tried one with this single exercise."""

    def made(check):
        exercise = exercises.Exercise([], SOLUTION, check)
        monkeypatch.setattr(exercises, "of_lesson", lambda cells: [exercise])
        monkeypatch.setattr(attempts, "lesson_until", lambda *_: ({}, SOLUTION, check))

    return made


@pytest.mark.parametrize(
    ("check", "complaint"),
    [
        ("assert True", "passes on the stub"),
        ("assert f(2) == 4, 'no'", "does not help"),
        ("assert f(2) + 1 == 5, 'f(2) should be 4: twice 2'", "TypeError"),
    ],
)
def test_a_stub_that_is_met_badly_is_seen(check, complaint, little_lesson):
    little_lesson(HELPS)
    assert attempts.complaint_about_stub(1, 1) is None
    little_lesson(check)
    assert complaint in attempts.complaint_about_stub(1, 1)


def test_a_check_that_spoils_what_it_checks_is_seen_where_attempts_are(little_lesson):
    little_lesson(HELPS)
    assert attempts.complaints_when_run_again(1, 1) == []
    little_lesson(f"{HELPS}\nf = None")
    said = attempts.complaints_when_run_again(1, 1)
    assert said
    assert all("NoneType" in words for words in said)


def test_a_lesson_that_goes_on_with_an_exercise_is_run_whole():
    assert attempts.leans_on_exercises(39)  # its `sum` is used further down
    assert not attempts.leans_on_exercises(16)


CELLS = {
    "import numpy as np": True,
    "def double(x):\n    return 2 * x": True,
    "x = np.ones(3)": True,
    "x[0] = 2": True,
    "kept = []": True,
    "kept.append(x)": True,
    "model = Model()": True,
    "train(model)": True,
    "for a in range(3):\n    y = x + a": False,
    "other = Model()\ntrain(other)": False,
    "x = 0": False,
    "x = double(x=np.ones(3))": True,
}


def test_what_an_exercise_does_not_stand_on_is_left_out(monkeypatch):
    solution = "def f():\n    ### BEGIN SOLUTION\n    pass\n    ### END SOLUTION"
    check = "for y in kept:\n    print(x, y, model)"
    sources = [*CELLS, solution, check, "late = 1"]
    cells = [
        {
            "cell_type": "code",
            "source": source,
            "metadata": {"tags": [exercises.CHECK] if source == check else []},
        }
        for source in sources
    ]
    monkeypatch.setattr(attempts.builder, "assemble", lambda _: {"cells": cells})
    found = [cell["source"] for cell in attempts.cells_needed(1)]
    assert found == [
        *(source for source, needed in CELLS.items() if needed),
        solution,
        check,
    ]


# The other lessons' are where the attempts are tried, attempts/conftest.py.
@pytest.mark.slow
@pytest.mark.parametrize("number", DESIGNS)
def test_a_check_meets_the_stub_and_can_be_run_again(number):
    assert not attempts.leans_on_exercises(number)
    for exercise in sorted(attempts.exercises_of(number)):
        assert attempts.complaint_about_stub(number, exercise) is None
        assert attempts.complaints_when_run_again(number, exercise) == []


# --- Hints and hidden tests -----------------------------------------------------------


def exercises_without(what, has):
    return [
        f"step {number}, exercise {count}: no {what}"
        for number in numbers()
        for count, exercise in enumerate(
            exercises.of_lesson(builder.lesson_cells(number)), start=1
        )
        if not has(exercise)
    ]


def test_every_exercise_has_two_hints():
    assert exercises_without("two hints", lambda e: len(e.hints) == 2) == []


def test_every_exercise_has_hidden_tests():
    hidden = exercises.BEGIN_HIDDEN
    assert exercises_without("hidden tests", lambda e: hidden in e.check) == []


def test_every_lesson_has_attempts_at_its_exercises():
    kept = {path.stem for path in Path(__file__).with_name("attempts").glob("*.md")}
    # Those of stage 6 stand in tests/designs.
    asked = [stem(number) for number in numbers() if number not in DESIGNS]
    assert sorted(kept) == sorted(asked)


# A little lesson with an exercise, to prove the checks above on.
GOOD = """\
def double(x):
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION
"""


def little(solution=GOOD, check='assert double(2) == 4, "double(2) should be 4"'):
    def code(name, source, **metadata):
        empty = {"cell_type": "code", "execution_count": None, "outputs": []}
        return empty | {"id": name, "source": source, "metadata": metadata}

    cells = [code("solution", solution), code("check", check, tags=["check"])]
    return {
        "cells": cells,
        "metadata": {"course": {"step": 99}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def test_a_good_exercise_is_accepted():
    assert complaints_about_stubs(little()) == []


@pytest.mark.parametrize(
    ("check", "complaint"),
    [
        ("assert True", "passes on the stub"),
        ("assert double(2) == 4", "does not help"),
        ('assert double(2) + 1 == 5, "double(2) should be 4"', "TypeError"),
    ],
)
def test_a_check_that_cannot_fail_or_does_not_help_is_seen(check, complaint):
    (found,) = complaints_about_stubs(little(check=check))
    assert complaint in found


def test_a_lesson_that_a_stub_spoils_further_down_is_seen():
    sources = {"first": "twice = double(2)", "second": "print(twice + 1)", "other": "0"}
    book = little()
    book["cells"] += [
        book["cells"][0] | {"id": name, "source": source, "metadata": {}}
        for name, source in sources.items()
    ]
    book = what_stubs_can_spoil(book)
    ids = [cell["id"] for cell in book["cells"]]
    assert ids == ["solution", "check", "first", "second"]
    (found,) = complaints_about_stubs(book)
    assert found.startswith("second: TypeError")


def test_a_stub_that_does_not_run_is_seen():
    (found,) = complaints_about_stubs(
        little(solution=GOOD + "double(1).bit_length()\n")
    )
    assert found.startswith("solution: AttributeError")


def test_a_wrong_solution_is_seen(tmp_path):
    wrong = little(solution=GOOD.replace("2 * x", "3 * x"))
    with pytest.raises(CourseError, match="does not run"):
        builder.execute(copy.deepcopy(wrong), tmp_path)
    assert builder.execute(little(), tmp_path)["cells"][1]["outputs"] == []


# --- Taking solutions out -------------------------------------------------------------


def test_without_solution_leaves_a_stub_at_the_same_depth():
    assert (
        exercises.without_solution(GOOD) == "def double(x):\n    ...  # your code here"
    )


@pytest.mark.parametrize(
    "lone", [exercises.BEGIN, exercises.END, f"{exercises.BEGIN}\n{exercises.BEGIN}"]
)
def test_a_lone_marker_is_an_error(lone):
    with pytest.raises(CourseError, match="SOLUTION"):
        exercises.without_solution(f"x = 1\n{lone}\nx = 2\n")


@pytest.mark.slow
def test_copies_hold_no_solution_and_no_output(tmp_path):
    written = write_copies(tmp_path / "mine")
    assert [p.name for p in written] == [notebook_path(n).name for n in with_map()]
    for path in written[1:]:
        text = path.read_text(encoding="utf-8")
        assert "SOLUTION" not in text
        assert exercises.STUB in text
        book = json.loads(text)
        nbformat.validate(book)
        assert all(
            not cell["outputs"] and cell["execution_count"] is None
            for cell in code_cells(book)
        )
        for cell in code_cells(book):
            assert (
                exercises.STUB not in checks.source(cell)
                or "jupyter" not in cell["metadata"]
            ), "a stub is folded"


def test_what_gives_a_task_away_is_folded_in_copies():
    book = little()
    for part, code in (("## The code", "show(double)"), ("## It works", "double(21)")):
        book["cells"] += [
            nbformat.v4.new_markdown_cell(part),
            nbformat.v4.new_code_cell(code),
        ]
    *_, shown, _, works = exercises.for_students(book)["cells"]
    assert shown["metadata"]["jupyter"] == {
        "source_hidden": True,
        "outputs_hidden": True,
    }
    assert "jupyter" not in works["metadata"]
    book["cells"] = book["cells"][-4:]  # nothing is to be written here
    assert "jupyter" not in exercises.for_students(book)["cells"][1]["metadata"]


def test_copies_point_at_the_code(tmp_path, monkeypatch):
    monkeypatch.setattr("steps.course.copies.ROOT", tmp_path.parents[-1])
    _, path = write_copies(tmp_path / "some" / "where", [8])
    (line,) = [
        line
        for cell in code_cells(json.loads(path.read_text(encoding="utf-8")))
        for line in checks.source(cell).splitlines()
        if line.startswith("# %load -s Variable")
    ]
    assert (path.parent / line.split()[-1]).resolve() == (
        NOTEBOOKS.parent / "steps" / "step08.py"
    )


def test_nothing_is_overwritten_and_nothing_half_written(tmp_path):
    write_copies(tmp_path, [2])
    (tmp_path / "start.ipynb").unlink()
    work = tmp_path / "step02.ipynb"
    work.write_text("hours of work")
    with pytest.raises(CourseError, match=r"step02\.ipynb.*Nothing was written"):
        write_copies(tmp_path, [1, 2, 3])
    assert work.read_text() == "hours of work"
    assert [path.name for path in tmp_path.iterdir()] == ["step02.ipynb"]
    write_copies(tmp_path, [1, 3])
    assert len(list(tmp_path.iterdir())) == 4


def test_nbgrader_can_take_the_notebooks():
    for number in numbers():
        marks = [
            c["metadata"]["nbgrader"]
            for c in notebook(number)["cells"]
            if "nbgrader" in c["metadata"]
        ]
        assert len({mark["grade_id"] for mark in marks}) == len(marks)
        assert (
            sum(mark["solution"] for mark in marks)
            == sum(mark["grade"] for mark in marks)
            >= 2
        )
