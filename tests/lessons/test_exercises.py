"""Exercises: the checks pass on the solution, and fail on the untouched stub with a
helpful message.
"""

import json
from pathlib import Path

import nbformat
import pytest

from steps.course import builder, exercises
from steps.course.judge.child import Child
from steps.course.lessons import (
    NOTEBOOKS,
    CourseError,
    notebook_path,
    numbers,
    stem,
    with_map,
)
from steps.course.mutating import fork_pool
from steps.course.mutating.slicing import slice_cells
from steps.course.student_copies import remove_solutions, write_copies
from tests.support.lesson_attempts import Attempts, touched_by_exercises
from tests.support.lesson_checks import code_cells, notebook, source


def test_checks_pass_on_the_solution():
    # nbval also runs these cells; here we make sure that each check ran and was a
    # check.
    complaints = []
    for number in numbers():
        checks = [c for c in code_cells(notebook(number)) if is_check(c)]
        complaints += [] if checks else [f"step {number} has no check"]
        for cell in checks:
            said = json.dumps(cell["outputs"], ensure_ascii=False)
            if "is right" not in said or '"output_type": "error"' in said:
                complaints.append(f"{cell['id']}: {said}")
    assert complaints == []


# --- What is found wrong with a check -------------------------------------------------

SOLUTION = "def f(x):\n    ### BEGIN SOLUTION\n    return 2 * x\n    ### END SOLUTION\n"
HELPS = """import steps


@steps.check(1)
def check():
    assert steps.plain(steps.call(f, 2)) == 4, 'f(2) should be 4: twice 2'"""
HIDDEN = f"{HELPS}\n    ### BEGIN HIDDEN TESTS\n    assert f(3) == 6, 'a third'\n"
HIDDEN += "    ### END HIDDEN TESTS\n"


def is_check(cell):
    return exercises.CHECK in cell["metadata"].get("tags", ())


def cell(text, *tags):
    empty = {"cell_type": "code", "execution_count": None, "outputs": []}
    return empty | {"source": text, "metadata": {"tags": list(tags)}}


def little(solution=SOLUTION, check=HELPS, *after):
    """Return the cells of a lesson with only this exercise."""
    return [cell(solution), cell(check, exercises.CHECK), *map(cell, after)]


@pytest.fixture(scope="module")
def child():
    with Child(fork_pool.__name__) as child:
        yield child


@pytest.mark.parametrize(
    ("cells", "complaint"),
    [
        (little(), ""),
        (little(check="assert True"), "1 untouched: the check passes on the stub"),
        (little(check="assert f(2) == 4, 'no'"), "“no”, which does not help"),
        (little(check="f(2) + 1"), "“TypeError: unsupported"),
        (little(SOLUTION + "f(1).bit_length()"), "1 again: AttributeError"),
        (little(SOLUTION.replace("2 *", "3 *")), "1 again: f(2) should be 4"),
        (little(check=f"{HELPS}\nf = None"), "1 again: NoneType(2): your code"),
        (little(SOLUTION, HELPS, "twice = f(2)", "twice + 1"), "unsolved: TypeError"),
        (little(SOLUTION, f"{HELPS}\nkept = 1", "kept + 1"), ""),
        (little(SOLUTION, HELPS, "1 / 0"), "the lesson: ZeroDivisionError"),
        (little(SOLUTION, HELPS, "import os; os._exit(0)"), "the lesson: ends Python"),
    ],
)
def test_a_check_that_is_not_as_it_should_be_is_seen(cells, complaint, child):
    found = Attempts(cells).complaints(child)
    assert complaint in "\n".join(found)
    assert bool(found) == bool(complaint)


RIGHT = "return x + x", "return x * 2"
GOOD = [(f"1 {kind}", body) for kind, body in zip(["right"] * 2, RIGHT, strict=True)]
GOOD += [("1 wrong: should be 4", "return 3 * x"), ("1 by heart", "return 4")]


def attempts(*headed):
    return "".join(
        f"\n## {head}\n\n```python\ndef f(x):\n    {body}\n```\n"
        for head, body in headed
    )


@pytest.mark.parametrize(
    ("headed", "complaint"),
    [
        (GOOD, ""),
        (GOOD[1:], "1: fewer than two right attempts"),
        (GOOD[:2], "1: no wrong attempt"),
        ([*GOOD, ("1 wrong", "return 3")], "1 wrong: no words"),
        ([*GOOD, ("1 odd", "return 3")], "1: odd is no kind"),
        ([*GOOD, ("one right", "return 3")], "a heading or a block is misspelt"),
        (
            [*GOOD, ("1 right", "return 3")],
            "1 right: f(2) should be 4: twice 2\n\ndef f(x):\n    return 3",
        ),
        ([*GOOD, ("1 wrong: x", RIGHT[0])], "1 wrong: is accepted"),
        ([*GOOD, ("1 wrong: five", "return 3")], "1 wrong: five: f(2) should be 4"),
        ([*GOOD, ("1 wrong: 4", "return x / 0")], "1 wrong: 4: f(2): your code"),
        ([*GOOD, ("1 wrong: 4", "pass\nf(1) + 1")], "1 wrong: stops: TypeError"),
        ([*GOOD, ("1 by heart", "return 3")], "1 by heart, without hidden tests: f(2)"),
    ],
)
def test_an_attempt_that_is_answered_wrongly_is_told_with_its_code(
    headed, complaint, child
):
    found = Attempts(little(check=HIDDEN), attempts(*headed)).complaints(child)
    assert complaint in "\n".join(found)
    assert bool(found) == bool(complaint)


def test_a_lesson_with_a_wrong_solution_is_not_built(tmp_path):
    book = nbformat.v4.new_notebook(metadata={"course": {"step": 99}})
    wrong = SOLUTION.replace("2 *", "3 *")
    for text in (wrong, HELPS):
        book.cells.append(nbformat.v4.new_code_cell(text))
    with pytest.raises(CourseError, match="does not run"):
        builder.execute(book, tmp_path)


# --- The cells that exercises stand on ------------------------------------------------

CELLS = {
    "def double(x):\n    return 2 * x": True,
    "x = np.ones(3)": True,
    "x[0] = 2": True,
    "kept = []": True,
    "kept.append(x)": True,
    "model = Model()": True,
    "train(model)": True,
    "v = Variable(x)": True,
    "print(v + x)": False,
    "for a in range(3):\n    y = x + a": False,
    "other = Model()\ntrain(other)": False,
    "x = 0": False,
    "x = double(x=np.ones(3))": True,
}


def test_what_an_exercise_does_not_stand_on_is_left_out():
    own = little(SOLUTION, "for y in kept:\n    print(v, x, y, model)")
    kept = "import numpy as np\n\ndef half(x):\n    return x / 2"
    drawn = cell(kept + "\nprint(half(np.pi))")
    cells = [drawn, *map(cell, CELLS), *own, cell("late = 1")]
    found = [source(cell) for cell in slice_cells(cells)]
    stood_on = [text for text, wanted in CELLS.items() if wanted]
    assert found == [kept, *stood_on, *map(source, own)]


# Cells of which v and x are needed, and their remains.
PARTS = {
    "x = read()\nlosses = train(x)\nassert min(losses) < 1": "x = read()",
    "x = read()\nfill(x)\nshow(losses)": "x = read()\nfill(x)",
    "manual_seed(0)\nx = normal(3)\ntrain()": "manual_seed(0)\nx = normal(3)",
    "x = 0\nif late:\n    x = 1\ny = x": "x = 0\nif late:\n    x = 1",
    "x = 0\nx = 1": "x = 1",
    "x = Model()\nassert small(x)": "x = Model()",
    "x = v(top)\n\ndef v(y):\n    return y + b\nz = top\nb = 2": (
        "x = v(top)\n\ndef v(y):\n    return y + b\nb = 2"
    ),
    "# %load -s x,later ../steps/step99.py\nx = 1\nlater = x": None,
}


@pytest.mark.parametrize("text", PARTS)
def test_of_a_cell_the_statements_are_kept_that_an_exercise_stands_on(text):
    cells = [cell(text), *little(SOLUTION, "assert f(x) == v(x)")]
    first, *_ = slice_cells(cells)
    assert source(first) == (PARTS[text] or text)


def test_what_goes_on_with_an_exercise_is_found():
    after = ["f(3)", "y = 3", "z = f(y)", "print(z)", "f = abs", "f(3)", "z"]
    cells = little(SOLUTION, HELPS, *after)
    found = [source(cell) for cell in touched_by_exercises(cells)]
    assert found == ["f(3)", "z = f(y)", "print(z)", "z"]


def test_every_lesson_has_attempts_at_its_exercises():
    kept = {path.stem for path in Path(__file__).with_name("attempts").glob("*.md")}
    assert sorted(kept) == sorted(map(stem, numbers()))


# --- Hints and hidden tests -----------------------------------------------------------


def exercises_without(what, has):
    found = []
    for number in numbers():
        cells = builder.read_lesson_cells(number)
        for count, exercise in enumerate(exercises.find_exercises(cells), start=1):
            if not has(exercise):
                found.append(f"step {number}, exercise {count}: no {what}")
    return found


def test_every_exercise_has_two_hints():
    assert exercises_without("two hints", lambda e: len(e.hints) == 2) == []


def test_every_exercise_has_hidden_tests():
    hidden = exercises.BEGIN_HIDDEN
    assert exercises_without("hidden tests", lambda e: hidden in e.check) == []


# --- Taking solutions out -------------------------------------------------------------


def test_without_solution_leaves_a_stub_at_the_same_depth():
    stub = exercises.replace_solutions(SOLUTION)
    assert stub == "def f(x):\n    ...  # your code here"


@pytest.mark.parametrize("lone", ["{0}", "{1}", "{0}\n{0}", "{0}\n{0}\n{1}"])
def test_a_lone_marker_is_an_error(lone):
    lone = lone.format(exercises.BEGIN, exercises.END)
    with pytest.raises(CourseError, match="SOLUTION"):
        exercises.replace_solutions(f"x = 1\n{lone}\nx = 2\n")


@pytest.mark.slow
def test_copies_hold_no_solution_and_no_output(tmp_path):
    written = write_copies(tmp_path / "mine")
    assert [p.name for p in written] == [notebook_path(n).name for n in with_map()]
    for path in written[1:]:
        text = path.read_text(encoding="utf-8")
        assert "SOLUTION" not in text
        assert exercises.STUB_OUTSIDE in text
        book = json.loads(text)
        nbformat.validate(book)
        for cell in code_cells(book):
            assert (cell["outputs"], cell["execution_count"]) == ([], None)
            if exercises.STUB_OUTSIDE in source(cell):
                assert "jupyter" not in cell["metadata"], "a stub is folded"


def test_what_gives_a_task_away_is_folded_in_copies():
    book = {"cells": little(), "metadata": {"course": {"step": 99}}}
    for part, code in (("## The code", "show(double)"), ("## It works", "double(21)")):
        book["cells"].append(nbformat.v4.new_markdown_cell(part))
        book["cells"].append(nbformat.v4.new_code_cell(code))
    *_, shown, _, works = remove_solutions(book)["cells"]
    folded = {"source_hidden": True, "outputs_hidden": True}
    assert shown["metadata"]["jupyter"] == folded
    assert "jupyter" not in works["metadata"]
    book["cells"] = book["cells"][-4:]  # there is nothing to write here
    assert "jupyter" not in remove_solutions(book)["cells"][1]["metadata"]


def test_copies_point_at_the_code(tmp_path, monkeypatch):
    monkeypatch.setattr("steps.course.lessons.ROOT", tmp_path.parents[-1])
    _, path = write_copies(tmp_path / "some" / "where", [8])
    cells = code_cells(json.loads(path.read_text(encoding="utf-8")))
    lines = "\n".join(map(source, cells)).splitlines()
    (line,) = [line for line in lines if line.startswith("# %load -s Variable")]
    shown = (path.parent / line.split()[-1]).resolve()
    assert shown == NOTEBOOKS.parent / "steps" / "step08.py"


def test_nothing_is_overwritten_and_nothing_half_written(tmp_path):
    write_copies(tmp_path, [2])
    (tmp_path / "start.ipynb").unlink()
    work = tmp_path / "step02.ipynb"
    work.write_text("hours of work")
    with pytest.raises(CourseError, match=r"step02\.ipynb.*nothing was written"):
        write_copies(tmp_path, [1, 2, 3])
    assert work.read_text() == "hours of work"
    assert [path.name for path in tmp_path.iterdir()] == ["step02.ipynb"]
    write_copies(tmp_path, [1, 3])
    assert len(list(tmp_path.iterdir())) == 4


def test_nbgrader_can_take_the_notebooks():
    for number in numbers():
        found = [cell["metadata"] for cell in notebook(number)["cells"]]
        marks = [metadata["nbgrader"] for metadata in found if "nbgrader" in metadata]
        assert len({mark["grade_id"] for mark in marks}) == len(marks)
        solutions = sum(mark["solution"] for mark in marks)
        assert solutions == sum(mark["grade"] for mark in marks) >= 2
