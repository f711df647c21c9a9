"""The workshop after step 74: one definition of a step's own module is the learner's,
and the lesson runs on dezero_lite.
"""

import importlib
import sys

import pytest

import steps
from steps.course.commands import main
from steps.course.workshop import notebook, session, trial, verdict, workspace
from steps.course.workshop.package import WRITE_LATER
from steps.course.workshop.report import Report
from steps.course.workshop.step import get_step, list_numbers, read_code
from tests.course.learner import OWN_PARTS, slips
from tests.support import short_lessons

STEP = 81


@pytest.fixture(autouse=True)
def _the_lessons_own_comes_back():
    yield
    sys.modules.pop("steps.step81", None)
    vars(steps).pop("step81", None)


@pytest.fixture(autouse=True)
def _times_are_not_measured(monkeypatch):
    """Shorten the lesson's measurements; ``python -m tests.support.workshop_proof
    parts`` has time for the full ones.
    """
    monkeypatch.setattr(verdict, "list_judging_cells", short_lessons.cells)


def test_the_notebook_leaves_one_part_to_write(learner):
    for number, names in WRITE_LATER.items():
        stubs = [cell for cell in learner.cells(number) if "TODO step" in cell]
        assert {*names} <= {*get_step(number).definitions}, number
        assert len(stubs) == len(names) == 1, number
        assert not any("runs on yours" in cell for cell in learner.cells(number))
    places = dict(notebook.list_judging_cells(STEP))
    assert trial.LOAD in places.values()
    cells = learner.cells(STEP)
    # The lesson's other code stays.
    assert any("def walk" in cell for cell in cells)
    assert not any("along.step * stride" in cell for cell in cells)


@pytest.mark.slow
@pytest.mark.parametrize("number", WRITE_LATER)
def test_another_way_is_right(number, learner, process):
    learner.types(number, OWN_PARTS[number])
    found = learner.judged(number, process)
    assert found.is_right, repr(Report(found))
    assert f"Step {number} is right: It works passes." in repr(Report(found))


@pytest.mark.slow
@pytest.mark.parametrize("slip", slips("slips_parts.md"), ids=lambda way: way.what)
def test_a_slip_is_named(slip, learner, process):
    own = learner.writes(slip.step, slip.code)
    found = verdict.judge_attempt(own, process)
    said = repr(Report(found))
    assert len(found.culprits) == 1, said
    pieces = [*slip.said, "instead of yours, that cell passes"]
    assert not [piece for piece in pieces if piece not in said], said


def test_their_part_takes_the_place_of_the_lesson_s(learner, process):
    learner.types(STEP, OWN_PARTS[STEP])
    found = learner.judged(STEP, process)
    said = session.accept(found, learner.place)
    assert said[0] == "Your code is now in `step81.py`."
    text = learner.own_file(STEP).read_text(encoding="utf-8")
    assert "def seen" in text
    assert "from .library import moved as __getattr__" in text
    assert not (learner.place.parent / "mine").exists()
    # Elsewhere in the process, the lesson's own version is used.
    lesson = importlib.import_module("steps.step81").Strip(range(6), (2, 3))
    assert not hasattr(lesson, "seen")


def test_a_missing_part_is_lent(learner, process):
    found = verdict.judge_attempt(learner.writes(STEP), process)
    assert found.attempt.missing == ["Strip"]
    assert found.passes
    assert found.lent[0] == "Strip"


def test_their_package_ends_at_74_and_the_way_goes_on_to_81(
    learner, monkeypatch, capsys
):
    assert learner.writes(STEP, OWN_PARTS[STEP]).module.definitions["walk"]
    for number in [n for n in list_numbers() if n < STEP]:
        learner.own_file(number).write_text(read_code(number), encoding="utf-8")
    monkeypatch.chdir(learner.place.parent)
    assert main(["workshop"]) == 0
    said = capsys.readouterr().out
    line = said.splitlines()[0].replace(" ", "")
    assert line[73:82] == "■······□□"
    assert "Step 81, A strip of memory" in said
    assert f"your own package ends with step {74}." in said
    for number in [n for n in list_numbers() if n >= STEP]:
        text = f"{read_code(number)}\n\nMARK = {number}\n"
        learner.own_file(number).write_text(text, encoding="utf-8")
    assert steps.mine(STEP).MARK == STEP
    with pytest.warns(DeprecationWarning, match="import Variable from dezero_lite"):
        assert steps.mine(STEP).Variable.__module__.startswith("dezero_lite")
    assert steps.mine(80).__name__ == "my_step74"
    # Its files are beside the course, not beside the learner's.
    assert steps.mine(91).torch_digits()[0].exists()
    assert workspace.find_current(learner.place) is None


def test_a_session_puts_the_stub_and_then_theirs_in_the_place_of_the_module(learner):
    names = {"__name__": "__main__"}
    open_one = session.Session(
        STEP, type("Shell", (), {"user_ns": names}), learner.place
    )
    with pytest.raises(NotImplementedError, match="is not written yet"):
        sys.modules["steps.step81"].Strip([], ())
    open_one.cells = [OWN_PARTS[STEP]]
    open_one._put_together()
    assert names["Strip"]([1, 2], (1, 2))[0, 1] == 2
    assert "__getattr__" not in names
    assert "sum" not in names
