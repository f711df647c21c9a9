"""The classroom with the real course: its lessons, and a package without solutions."""

import json
import zipfile

import pytest

from steps.course import builder, exercises
from steps.course.classroom import grading, handout
from steps.course.lessons import LESSONS, numbers
from tests.course.test_classroom import written_into
from tests.support.programs import python

pytestmark = pytest.mark.slow
CORES_ARE_BUSY = 120


def solutions(number):
    found = exercises.find_exercises(builder.read_lesson_cells(number))
    return [exercises.remove_markers(exercise.solution) for exercise in found]


# One self-contained lesson, one that takes the package apart, one that needs an image
# file, and one that trains.
@pytest.mark.parametrize("number", [8, 23, 26, 53])
def test_what_a_lesson_does_is_no_offence_and_its_solutions_are_right(number, tmp_path):
    _, path, *_ = handout.release(tmp_path, [number])
    notebook = json.loads(path.read_text(encoding="utf-8"))
    notebook = written_into(notebook, solutions(number))
    outcomes, said = grading.judge_notebook(number, notebook, CORES_ARE_BUSY)
    assert set(outcomes.values()) == {"right"}
    assert said == []


def test_notebooks_of_the_workshop_are_handed_out(tmp_path):
    _, first, *_ = handout.release(tmp_path, [8], workshop=True)
    assert first == tmp_path / "workshop" / "step08.ipynb"
    text = first.read_text(encoding="utf-8")
    assert "steps.workshop(8)" in text
    assert "TODO" in text
    # The lesson's loop; its text has others.
    assert "x, y = f.input, f.output" not in text


@pytest.fixture(scope="module")
def hand_out(tmp_path_factory):
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("hand-out")
    handout.release(folder, [8], package=True)
    return folder


def test_the_package_for_students_has_no_solution(hand_out):
    (wheel,) = hand_out.glob("*.whl")
    assert "students" in wheel.name
    with zipfile.ZipFile(wheel) as package:
        names = package.namelist()
        texts = {n: package.read(n).decode("utf-8", "replace") for n in names}
    everything = "\n".join(texts.values())
    assert {f"dezero_lite/steps/step{n:02d}.md" for n in numbers()} <= set(names)
    # Built lessons have solutions; the map has none.
    (the_map,) = [name for name in names if name.endswith(".ipynb")]
    assert the_map == "dezero_lite/steps/start.ipynb"
    for number in numbers():
        lesson = texts[f"dezero_lite/steps/step{number:02d}.md"]
        whole = (LESSONS / f"step{number:02d}.md").read_text(encoding="utf-8")
        assert lesson.count(exercises.BEGIN) == whole.count(exercises.BEGIN)
        assert exercises.BEGIN_HIDDEN not in lesson
        assert lesson.count("your code here") >= len(solutions(number))
        for solution in solutions(number):
            assert solution not in lesson
            # A long one, word for word, must not occur anywhere: in code or in a list
            # of faults.
            if len(solution) > 200:
                assert solution not in everything
    assert (LESSONS / "step08.md").read_text("utf-8").count(exercises.BEGIN) == 3


def test_the_map_that_is_handed_out_says_what_works_beside_it(hand_out):
    notebook = json.loads((hand_out / "start.ipynb").read_text(encoding="utf-8"))
    told = "".join("".join(cell["source"]) for cell in notebook["cells"])
    assert "start.py" not in told
    assert "python -m dezero_lite.steps progress .\n" in told
    assert "`python -m dezero_lite.steps fresh 8 .`" in told
    assert "jupyter lab step08.ipynb" in told
    assert "course is updated" not in told


def test_what_is_handed_out_runs_with_the_package_alone(hand_out, tmp_path):
    (wheel,) = hand_out.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    notebook = json.loads((hand_out / "step08.ipynb").read_text(encoding="utf-8"))
    program = "import sys\nsys.modules['steps'] = None\n"
    for cell in notebook["cells"]:
        tags = cell["metadata"].get("tags", ())
        if cell["cell_type"] == "code" and exercises.MAY_RAISE not in tags:
            program += "".join(cell["source"]) + "\n"
    program += "print(steps.hint(8, 1)); print(steps.solution(8, 1))"
    variables = {"PYTHONPATH": str(tmp_path / "site"), "MPLBACKEND": "Agg"}
    done = python("-c", program, folder=tmp_path, **variables)
    assert done.returncode == 0, done.stderr
    assert "made without solutions" in done.stdout
    assert "your code here" not in done.stdout
    assert "steps.hint(8, 1, nearer=True)" in done.stdout
