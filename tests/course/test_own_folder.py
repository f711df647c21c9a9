"""The learner's own folder, and copies for a class: nobody's work is lost, and no path
of the machine is revealed.
"""

import json

import nbclient
import nbformat
import pytest

import steps
from steps.course import builder, exercises, learner_folder, student_copies
from steps.course.commands import main
from steps.course.lessons import ROOT, CourseError
from steps.course.student_copies import write_copies
from tests.support.programs import python
from tests.support.refusals import assert_refused


def book(path):
    return json.loads(path.read_text(encoding="utf-8"))


def sources(path):
    return ["".join(cell["source"]) for cell in book(path)["cells"]]


def change(path, old, new):
    """Change a notebook as someone does who works in it and saves."""
    notebook = book(path)
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"]).replace(old, new)
    path.write_text(json.dumps(notebook, indent=1), encoding="utf-8")


def test_code_finds_an_installed_package():
    code = 'import steps\nfrom steps import diff\nwhere = "steps.course"'
    assert student_copies.rename_in_code(code) == code
    expected = "from dezero_lite import steps\nfrom dezero_lite.steps import diff\n"
    expected += 'where = "dezero_lite.steps.course"'
    assert student_copies.rename_in_code(code, "dezero_lite.steps") == expected


def run_and_save(path):
    notebook = book(path)
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["execution_count"] = 1
            cell["source"] = "".join(cell["source"]).splitlines(keepends=True)
    notebook["metadata"]["language_info"]["version"] = "3.13"
    path.write_text(json.dumps(notebook, indent=1), encoding="utf-8")


def update(toy, number, old="Write `twice(x)`.", new="Write `twice(x)`, please."):
    path = toy / "steps" / f"step0{number}.md"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


# --- Laying and renewing --------------------------------------------------------------


def test_the_folder_has_the_map_and_every_lesson_and_is_laid_once(
    toy, capsys, monkeypatch
):
    assert main(["lay"]) == 0
    assert "Created 3 notebooks in" in capsys.readouterr().out
    names = sorted(path.name for path in learner_folder.FOLDER.glob("[!.]*"))
    assert names == ["AGENTS.md", "start.ipynb", "step01.ipynb", "step02.ipynb"]
    assert main(["lay"]) == 0
    assert capsys.readouterr().out == ""
    (learner_folder.FOLDER / "step02.ipynb").unlink()
    assert learner_folder.sync_copies()["new"] == [2]
    # Nothing is rebuilt while the course stays the same.
    again = lambda *_, **__: pytest.fail("made again")
    monkeypatch.setattr(student_copies, "format_copy", again)
    assert not any(learner_folder.sync_copies().values())


def test_an_update_renews_what_nobody_worked_in_and_tells(toy, capsys):
    learner_folder.sync_copies()
    first, second = (learner_folder.FOLDER / f"step0{n}.ipynb" for n in (1, 2))
    change(first, exercises.STUB, "return 2 * x")
    run_and_save(second)
    work = first.read_bytes()
    update(toy, 2)
    assert main(["lay"]) == 0
    # Only lessons that changed are touched.
    assert capsys.readouterr().out == "The course is newer: updated step02.\n"
    update(toy, 1)
    assert main(["lay"]) == 0
    out = capsys.readouterr().out
    assert "renewed" not in out
    assert "You have edited step01," in out
    assert "start.py steps fresh N" in out
    assert first.read_bytes() == work
    assert "please" in "".join(sources(second))
    assert not any(learner_folder.sync_copies().values())


NOTE = {"cell_type": "markdown", "id": "x", "metadata": {}, "source": "a note"}


def test_a_note_a_deleted_cell_and_a_file_that_cannot_be_read_are_work_too(toy):
    learner_folder.sync_copies()
    path = learner_folder.FOLDER / "step01.ipynb"
    noted, shorter, unmarked = (book(path) for _ in range(3))
    noted["cells"].append(NOTE)
    shorter["cells"].pop()
    unmarked["metadata"].pop("course")
    update(toy, 1)
    changed = map(json.dumps, (noted, shorter, unmarked))
    for work in ("", "hours of work", "[]", *changed):
        path.write_text(work)
        (learner_folder.FOLDER / learner_folder.STAMP).unlink()
        state = "broken" if work in ("", "hours of work") else "kept"
        assert learner_folder.sync_copies()[state] == [1]
        assert path.read_text() == work


def test_fresh_sets_the_old_copy_aside(toy, capsys):
    learner_folder.sync_copies()
    path = learner_folder.FOLDER / "step02.ipynb"
    laid = sources(path)
    change(path, exercises.STUB, "return 2 * x")
    work = path.read_bytes()
    assert main(["fresh", "2"]) == 0
    assert "your old copy is now step02-old1.ipynb" in capsys.readouterr().out
    assert (learner_folder.FOLDER / "step02-old1.ipynb").read_bytes() == work
    assert sources(path) == laid
    assert main(["fresh", "2"]) == 0
    assert (learner_folder.FOLDER / "step02-old1.ipynb").read_bytes() == work
    assert (learner_folder.FOLDER / "step02-old2.ipynb").exists()
    path.unlink()
    assert main(["fresh", "2"]) == 1
    assert "There is no step02.ipynb in" in capsys.readouterr().err
    assert main(["fresh", "9"]) == 1
    assert "There is no step 9" in capsys.readouterr().err


def test_git_does_not_see_the_folder():
    assert "\nmy-course/\n" in (ROOT / ".gitignore").read_text()


# --- What a copy holds ----------------------------------------------------------------


def test_a_copy_has_no_hint_and_no_hidden_test_and_says_where_help_is(toy):
    learner_folder.sync_copies()
    text = "\n".join(sources(learner_folder.FOLDER / "step01.ipynb"))
    for word in ("operator", "Multiply", "HIDDEN", "range(10)", "SOLUTION", "details"):
        assert word not in text
    hint = "Stuck? `steps.hint(1, 1)` gives a hint"
    assert f"{hint}, `steps.solution(1, 1)` shows a solution." in text
    assert "Stuck? `steps.solution(1, 2)` shows a solution." in text
    assert "import math\n\nimport steps" in text
    # Copies for a class do not tell the solution.
    _, path = write_copies(toy / "class", [1])
    text = "\n".join(sources(path))
    assert f"{hint}." in text
    assert "steps.solution" not in text
    # A built notebook folds hints and runs hidden tests.
    text = "\n".join(cell["source"] for cell in builder.assemble(1)["cells"])
    assert "<summary>Hint 2</summary>\n\nMultiply, and return" in text
    assert "range(10)" in text


@pytest.mark.slow
def test_the_copies_checks_are_folded_and_let_run_all_go_on(toy, tmp_path):
    _, path = write_copies(tmp_path / "class", [1])
    found = [cell["metadata"] for cell in book(path)["cells"]]
    checks = [m for m in found if exercises.CHECK in m.get("tags", [])]
    assert [m["jupyter"] for m in checks] == [{"source_hidden": True}] * 2
    assert all(exercises.MAY_RAISE in m["tags"] for m in checks)
    unsolved = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)
    _, second = (c for c in unsolved.cells if exercises.STUB in c.source)
    second.source = second.source.replace(exercises.STUB, "return (")
    nbclient.execute(unsolved, kernel_name="python3")
    assert unsolved.cells[-2].outputs[0].ename == "NameError"


def test_a_copy_links_to_what_lies_beside_it(toy, tmp_path):
    builder.build(0)
    the_map, lesson = write_copies(tmp_path / "class", [1])
    assert "The map](start.ipynb) · next: 2. Lesson 2" in "\n".join(sources(lesson))
    text = "\n".join(sources(the_map))
    assert "[Lesson 1](step01.ipynb)" in text
    assert "2. Lesson 2," in text
    # The map's built picture is there before the map is run.
    assert book(the_map)["cells"][-1]["outputs"][0]["text"] == ["the way\n"]
    (second,) = write_copies(tmp_path / "class", [2])
    assert "before: [1. Lesson 1](step01.ipynb)" in "\n".join(sources(second))


def test_a_copy_that_leaves_the_course_names_no_path(toy, tmp_path):
    for path in (written := write_copies(tmp_path / "class")):
        assert str(tmp_path) not in path.read_text(encoding="utf-8")
        assert "../" not in path.read_text(encoding="utf-8")
    assert "# From step01.py: one\ndef one" in "\n".join(sources(written[1]))
    lines = [f"# %load -s {name} ../steps/step01.py" for name in ("one", "two")]
    pointed = student_copies._adapt_listings("\n".join(lines), tmp_path)
    assert pointed == "# From step01.py: one\n# From step01.py: two"
    learner_folder.sync_copies()
    text = "\n".join(sources(learner_folder.FOLDER / "step01.ipynb"))
    assert "# %load -s one ../steps/step01.py\ndef one" in text


@pytest.mark.slow
def test_student_writes_where_the_caller_stands_and_says_how_to_open_it(tmp_path):
    here = tmp_path / "where I stand"
    here.mkdir()
    run = ["-m", "steps", "student", "a class", "8"]
    done = python(*run, folder=here, PYTHONPATH=str(ROOT))
    assert (done.returncode, done.stderr) == (0, "")
    assert (here / "a class" / "step08.ipynb").exists()
    assert f"python -m jupyterlab '{here / 'a class'}'" in done.stdout


# --- Hints and solutions --------------------------------------------------------------


def test_the_first_hint_comes_at_once_and_the_second_at_a_click(toy):
    shown = steps.hint(1, 1)
    first, nearer = repr(shown).split("\n\n")
    assert first == "Which operator makes a number larger?"
    assert nearer == "Another hint: steps.hint(1, 1, nearer=True)"
    folded = "<details><summary>A nearer hint</summary>\n\nMultiply"
    assert folded in shown._repr_markdown_()
    assert repr(steps.hint(1, 1, nearer=True)).endswith("return what you get.")


def test_what_there_is_to_show_is_told(toy):
    solution = steps.solution(1, 1)
    assert repr(solution) == "def twice(x):\n    return 2 * x"
    assert "<span" in solution._repr_html_()
    assert_refused(CourseError, "has no hints", lambda: steps.hint(1, 2))
    assert_refused(CourseError, "solution(1, 2)", lambda: steps.hint(1, 2))
    words = "Step 1 has no exercise 3; it has 2"
    assert_refused(CourseError, words, lambda: steps.hint(1, 3))
    assert_refused(CourseError, "no exercise 0", lambda: steps.solution(1, 0))
    for marker in (exercises.BEGIN_HIDDEN, exercises.END_HIDDEN):
        lone = f"x = 1\n{marker}\nx = 2\n"
        refused = lambda lone=lone: exercises.remove_hidden_tests(lone)
        assert_refused(CourseError, "HIDDEN TESTS", refused)
