"""The classroom: the files that are handed out, and the verdict on each kind of
submission.
"""

import contextlib
import copy
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest.mock import Mock

import pytest

from steps.course import exercises
from steps.course.classroom import answers, grading, handout, submissions
from steps.course.commands import main
from steps.course.judge import attempts, bubblewrap, cells
from steps.course.judge.bubblewrap import WITH_BUBBLEWRAP, WITHOUT_BUBBLEWRAP
from steps.course.lessons import LESSONS, ROOT, CourseError
from tests.course.texts import blocks, cases
from tests.support.lesson_checks import tags
from tests.support.refusals import assert_refused

ANSWERS = blocks("answers.md")
CHEATS = cases("cheats.md")
TWICE = "def twice(x):\n    return x + x"
TOTAL = "def total(numbers):\n    return sum(numbers)"
RIGHT = "right"
CORES_ARE_BUSY = 60


@pytest.fixture
def course(toy):
    """A class of the toy course: 3 points for the first exercise, 5 for the second."""
    return Class(toy)


@pytest.fixture
def at_once(monkeypatch):
    """Judge in this process and without an audit hook, for harmless answers."""

    class AtOnce(contextlib.nullcontext):
        def __init__(self, *_, **__):
            super().__init__(self)
            monkeypatch.setattr(attempts, "_names", attempts.make_names())

        def send(self, task):
            self.done = attempts.handle_task(task | {"seconds": None}, None)

        def receive(self, _):
            return {"done": self.done}

        def end(self):
            pass

    monkeypatch.setattr(attempts, "Child", AtOnce)


class Class:
    def __init__(self, root):
        self.out, self.folder = root / "out", root / "submissions"
        self.folder.mkdir()
        handout.release(self.out, [1, 2])

    def copy(self, number=1):
        """Return a copy as students get it."""
        path = self.out / f"step0{number}.ipynb"
        return json.loads(path.read_text(encoding="utf-8"))

    def answered(self, *texts, number=1):
        """Return a copy with answers; None leaves an exercise empty."""
        return written_into(self.copy(number), texts)

    def hands_in(self, student, notebook, name="step01.ipynb"):
        place = self.folder / student
        place.mkdir(exist_ok=True)
        text = notebook if isinstance(notebook, str) else json.dumps(notebook)
        (place / name).write_text(text, encoding="utf-8")

    def grade(self, *chosen, seconds=CORES_ARE_BUSY):
        _, graded = grading.judge_submissions(self.folder, chosen or [1], seconds)
        return {one.student: one for one in graded}

    def one(self, notebook, seconds=CORES_ARE_BUSY):
        """Judge one notebook; return its two verdicts and the remarks."""
        outcomes, said = grading.judge_notebook(1, notebook, seconds)
        return outcomes[1], outcomes[2], said


def written_into(notebook, texts):
    for cell, text in zip(places(notebook), texts, strict=False):
        if text is not None:
            cell["source"] = text
    return notebook


def places(notebook):
    marks = ((c["metadata"].get("nbgrader", {}), c) for c in notebook["cells"])
    return [cell for mark, cell in marks if mark.get("solution")]


def checks(notebook):
    return [c for c in notebook["cells"] if exercises.CHECK in tags(c)]


def marks(notebook):
    return [cell["metadata"]["nbgrader"]["points"] for cell in checks(notebook)]


def new_cell(text):
    cell = {"cell_type": "code", "id": "a1b2c3d4", "metadata": {}, "source": text}
    return cell | {"execution_count": None, "outputs": []}


def table_in(path):
    text = Path(path).read_text(encoding="utf-8-sig")
    return list(csv.reader(text.splitlines()))


def put_after(notebook, cell, new):
    notebook["cells"].insert(notebook["cells"].index(cell) + 1, new)


# --- Handing out ----------------------------------------------------------------------


def test_what_is_handed_out_has_points_and_no_solutions_hints_or_hidden_tests(course):
    text = (course.out / "step01.ipynb").read_text(encoding="utf-8")
    for secret in ("2 * x", "SOLUTION", "HIDDEN", "range(10)", "Multiply", "makes a"):
        assert secret not in text
    assert "steps.hint(1, 1)" in text
    assert "### Exercise 1: twice (3 points)" in text
    assert "### Exercise 2: the sum (5 points)" in text
    # Answer cells are open, and checks do not stop Run All.
    notebook = course.copy()
    assert len(places(notebook)) == len(checks(notebook)) == 2
    assert not any(exercises.FOLDED in tags(c) for c in places(notebook))
    assert not any("jupyter" in c["metadata"] for c in places(notebook))
    for cell in places(notebook) + checks(notebook):
        assert exercises.MAY_RAISE in tags(cell)
        assert cell["metadata"]["nbgrader"]["schema_version"] == 3
    assert marks(notebook) == [3, 5]


def test_nothing_is_overwritten(course, capsys):
    path = course.out / "step02.ipynb"
    path.write_text("mine", encoding="utf-8")
    (course.out / "step01.ipynb").unlink()
    assert main(["class", "release", str(course.out), "1", "2"]) == 1
    assert "step02.ipynb" in capsys.readouterr().err
    assert path.read_text(encoding="utf-8") == "mine"
    assert not (course.out / "step01.ipynb").exists()


def test_sources_for_nbgrader_have_solutions_and_hidden_tests_and_no_hints(course):
    folder = course.out / "school"
    written = handout.write_nbgrader_sources(folder, [1], points=(2, 4))
    path = folder / "source" / "step01" / "step01.ipynb"
    assert written == [path, folder / "nbgrader_config.py"]
    text = path.read_text(encoding="utf-8")
    assert "BEGIN SOLUTION" in text
    assert "BEGIN HIDDEN TESTS" in text
    assert "Multiply" not in text
    assert marks(json.loads(text)) == [2, 4]
    with pytest.raises(CourseError, match="already contains"):
        handout.write_nbgrader_sources(folder, [1])


def test_notebooks_that_go_with_a_package_call_it_by_its_name(course, monkeypatch):
    monkeypatch.setattr(handout, "build_package", lambda folder: folder / "a.whl")
    written = handout.release(course.out / "far", [1], package=True)
    names = [path.name for path in written]
    assert names == ["start.ipynb", "step01.ipynb", "a.whl", handout.READ_ME]
    text = (course.out / "far" / "step01.ipynb").read_text(encoding="utf-8")
    assert "from dezero_lite import steps" in text
    assert "a.whl[course]" in (course.out / "far" / handout.READ_ME).read_text()


# --- Submissions of many kinds --------------------------------------------------------


def test_a_blank_one_is_not_even_run(course, monkeypatch):
    monkeypatch.setattr(attempts, "Child", lambda *_: pytest.fail("ran"))
    assert course.one(course.copy()) == (grading.NOT_BEGUN, grading.NOT_BEGUN, [])
    # A cell that only has the placeholder is not an answer.
    todo = "def twice(x):\n    # YOUR CODE HERE\n    raise NotImplementedError()"
    for stub in ("", "# what?", "def twice(x):\n    pass", todo):
        said = course.one(course.answered(stub))[0]
        assert said in (grading.NOT_BEGUN, "does not define twice")


def test_checks_that_were_changed_or_deleted_are_run(course, at_once):
    notebook = course.answered("def twice(x):\n    return 4", TOTAL)
    first, second = checks(notebook)
    first["source"] = "print('Exercise 1 is right.')"
    notebook["cells"].remove(second)
    said = ["2: its check is missing"]
    assert course.one(notebook) == ("twice(0) is wrong", RIGHT, said)


def test_what_a_lesson_has_under_the_name_is_not_judged(course, at_once):
    notebook = course.answered("# I do not know")
    notebook["cells"].remove(places(notebook)[1])
    first, second, said = course.one(notebook)
    assert (first, second) == ("does not define twice", grading.NOT_BEGUN)
    assert said == ["2: its answer cell is missing"]


def found_in(notebook):
    """Return the answer to the first exercise, and the remarks."""
    found = answers.Answers(1, notebook)
    return found.texts[1], found.remarks


def test_an_answer_in_another_cell_counts(course):
    for where in ("in its place", "under the check", "at the end"):
        notebook = course.answered(None, TOTAL)
        stub, check = places(notebook)[0], checks(notebook)[0]
        cell = {"in its place": stub, "under the check": check}.get(where)
        put_after(notebook, cell or notebook["cells"][-1], new_cell(TWICE))
        if where == "in its place":
            notebook["cells"].remove(stub)
        assert found_in(notebook)[0] == TWICE, where


def test_a_cell_that_was_split_or_duplicated_is_put_together(course):
    five = "def twice(x): return 5"
    for first, rest, whole in (
        ("def twice(x):", "    return x + x", TWICE),
        (five, TWICE, f"{five}\n{TWICE}"),  # of two, the last counts
        (five, "no Python", "no Python"),
    ):
        notebook = course.answered(first)
        twin = copy.deepcopy(places(notebook)[0]) | {"id": "twin", "source": rest}
        put_after(notebook, places(notebook)[0], twin)
        assert found_in(notebook) == (whole, ["1: its answer is in several cells"])


def test_a_notebook_without_ids_and_marks_and_with_lines_for_jupyter_is_read(
    course, at_once
):
    magic = "%matplotlib inline\n!ls\n"
    notebook = course.answered(f"{magic}{TWICE}\ndisplay(twice(3))", TOTAL)
    notebook["metadata"] = {}
    for cell in notebook["cells"]:
        cell.pop("id")
        cell["metadata"] = {}
    assert course.one(notebook) == (RIGHT, RIGHT, [])


@pytest.mark.slow
def test_what_never_ends_is_stopped(course, monkeypatch):
    """Sleep, whether or not an alarm interrupts it."""
    monkeypatch.setattr(attempts, "GRACE_SECONDS", 0.5)
    loops = "while True: pass", "sum(range(10**13))"
    twice, total = (f"def {{}}(x):\n    {loop}" for loop in loops)
    notebook = course.answered(twice.format("twice"), total.format("total"))
    slow = "takes too long"
    assert course.one(notebook, seconds=0.3) == (slow, slow, [])


def test_what_kills_the_kernel_is_named_and_the_rest_is_judged(course):
    ends = "import os\nos._exit(0)"
    notebook = course.answered(f"{ends}\n{TWICE}", TOTAL)
    put_after(notebook, notebook["cells"][2], new_cell(ends))
    said = ["0: a cell that is not an answer ends Python"]
    assert course.one(notebook) == ("ends Python", RIGHT, said)


@pytest.mark.skipif(sys.platform == "win32", reason="other calls there")
def test_what_leads_outside_is_refused_and_named(course, tmp_path):
    """An action is reported even if the attempt hides the error."""
    course.hands_in("anna", course.copy())
    trace, theirs = str(tmp_path / "trace"), course.folder / "anna"
    text = ANSWERS["it leads outside"].replace("TRACE", trace)
    text = text.replace("FOLDER", str(theirs)).replace("HOME", str(Path.home()))
    text = text.replace("DOT", shutil.which("dot") or "dot")
    expected = re.findall(r'\(\s*"([^"]*)",\s+lambda', text)
    # An error that is not hidden is the verdict.
    total = f"def total(numbers):\n    open({trace!r}, 'w')"
    first, second, found = course.one(course.answered(text, total))
    assert first == RIGHT
    said = "grading does not allow code to write"
    assert second == f"PermissionError: {said} {trace}"
    expected = [f"1: tried to {said}" for said in dict.fromkeys(expected)]
    found = [re.sub(r"/proc/\d+", "/proc/PARENT", said) for said in found]
    assert found == [*expected, f"2: tried to write {trace}"]
    assert list(tmp_path.glob("trace*")) == []
    assert (theirs / "step01.ipynb").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="no alarm there")
@pytest.mark.parametrize("heading", CHEATS)
def test_a_cheat_gets_no_points_costs_the_next_answer_nothing_and_is_named(
    heading, course, monkeypatch
):
    (outcome, *looks), cheat = CHEATS[heading]
    if heading in TOGETHER:
        first, second, said = judge_together(course)[heading]
    else:
        monkeypatch.setattr(attempts, "GRACE_SECONDS", 1)
        first, second, said = course.one(course.answered(cheat, TOTAL), 2)
    assert outcome in first
    assert first != RIGHT == second
    assert len(first) <= cells.MAX_LETTERS
    assert [look for look in looks if look not in "\n".join(said)] == []
    assert bool(said) == bool(looks)


TOGETHER = [heading for heading in CHEATS if "never ends" not in heading]
# A name that one answer hides must not affect the next one.
AFRESH = """
for name in dir(__import__("builtins")):
    name.startswith("__") or globals().pop(name, None)
__builtins__ = __import__("builtins")
"""
_judged: dict[str, tuple[str, str, list[str]]] = {}


def judge_together(course):
    """Judge all cheats that end, in one process, because a process is slow to start.
    Return what `Class.one` would return, by heading. Each cheat has its own pair of
    exercises.
    """
    if _judged:
        return _judged
    run, names = [], frozenset({"twice", "total"})
    for n, heading in enumerate(TOGETHER):
        run.append((attempts.LESSON, 0, AFRESH))
        found = answers.Answers(1, course.answered(CHEATS[heading][1], TOTAL))
        for kind, exercise, source in answers.list_cells_to_run(1, found):
            run.append((kind, exercise and 2 * n + exercise, source))
    verdicts, notices = attempts.judge(
        run, seconds=CORES_ARE_BUSY, requested_names=names
    )
    for n, heading in enumerate(TOGETHER):
        first, second = 2 * n + 1, 2 * n + 2
        said = [
            re.sub(r"\d+", str(exercise), notice, count=1)
            for exercise, number in ((1, first), (2, second))
            for notice in notices
            if notice.startswith(f"{number}: ")
        ]
        _judged[heading] = verdicts[first], verdicts[second], said
    return _judged


def test_own_files_are_no_offence_and_nothing_of_the_teacher_s_is_in_reach(
    course, monkeypatch
):
    monkeypatch.setenv("SCHOOL_TOKEN", "secret")
    texts = ANSWERS["it writes files of its own"], ANSWERS["it looks around"]
    assert course.one(course.answered(*texts)) == (RIGHT, RIGHT, [])


# --- In bubblewrap, or under the audit hook alone -------------------------------------

BWRAP = """#!/bin/sh
echo "$@" >> {log}
while [ "$1" != -- ]; do shift; done
shift
{does}
"""


@pytest.fixture
def wall_is_asked_again():
    bubblewrap.is_available.cache_clear()
    yield
    bubblewrap.is_available.cache_clear()


@pytest.mark.skipif(sys.platform == "win32", reason="no bubblewrap there")
@pytest.mark.parametrize(
    ("does", "says"),
    [('exec "$@"', WITH_BUBBLEWRAP), ("exit 1", WITHOUT_BUBBLEWRAP), ("", "")],
)
def test_a_wall_stands_where_bubblewrap_works_and_that_is_said(
    does, says, course, monkeypatch, tmp_path, capsys, wall_is_asked_again
):
    log, program = tmp_path / "log", tmp_path / "bwrap"
    if does:
        program.write_text(BWRAP.format(log=log, does=does))
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin" if does else str(tmp_path))
    course.hands_in("anna", course.answered(TWICE))
    table = str(tmp_path / "points.csv")
    assert main(["class", "grade", str(course.folder), "-o", table]) == 0
    assert capsys.readouterr().out.splitlines()[0] == (says or WITHOUT_BUBBLEWRAP)
    asked = log.read_text().splitlines() if does else []
    # Once to test whether it works, and once for a notebook.
    assert len(asked) == {WITH_BUBBLEWRAP: 2, WITHOUT_BUBBLEWRAP: 1, "": 0}[says]
    for line in asked:
        assert "--unshare-all --die-with-parent --new-session" in line
        readable = re.findall(r"--ro-bind-try (\S+)", line)
        assert str(LESSONS) in readable
        home, here = str(Path.home()), str(course.folder)
        assert not {"/", "/etc", home, here, str(ROOT)} & set(readable)
        assert len(re.findall(r"--bind (\S+) \1 ", line)) == 1


@pytest.mark.skipif(not bubblewrap.is_available(), reason="bubblewrap does not run")
def test_nothing_is_seen_through_the_wall(course, tmp_path):
    """Run by code that got around the hook: bubblewrap does not give access to what the
    hook would reject.
    """
    outside = str(tmp_path / "outside")
    Path(outside).write_text("secret")
    with tempfile.TemporaryDirectory() as folder:
        look = f"import os, socket\nprint(os.path.exists({outside!r}), os.listdir('.'),"
        look += "os.listdir('/tmp'))"
        look += "\nprint(len([n for n in os.listdir('/proc') if n.isdigit()]) < 4)"
        look += "\nprint(socket.if_nameindex()[1:])"
        command = [*bubblewrap.make_prefix(folder), sys.executable, "-c", look]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        seen = f"False [] ['{Path(folder).name}']\nTrue\n[]\n"
        assert done.stdout == seen


# --- The batch ------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="no such pipes there")
def test_the_batch_goes_on_whatever_is_in_it(course):
    course.hands_in("anna", course.answered(TWICE, TOTAL))
    course.hands_in("ben", "{", "step01.ipynb")
    course.hands_in("cleo", course.answered(TWICE, number=2), "step01.ipynb")
    (course.folder / "dora").mkdir()
    (course.folder / "emil.ipynb").write_text(json.dumps(course.answered(TWICE)))
    (course.folder / "finn.ipynb").write_bytes(b"\xff\xfe\x00")
    (course.folder / "gina.pdf").write_bytes(b"%PDF")
    course.hands_in("hugo", json.dumps({"cells": [{"source": 3}, {"metadata": 1}]}))
    course.hands_in("ida", "[" * 100_000)
    course.hands_in("jan", course.answered(TWICE, TOTAL), "submitted step 1.ipynb")
    kim = course.answered(TWICE, TOTAL)
    kim["metadata"]["course"]["step"] = 1.0
    course.hands_in("kim", kim)
    os.mkfifo(course.folder / "leo.ipynb")
    course.hands_in("\x1b[2Amia\u202e", course.answered(TWICE + "#" * 10**6))
    found = course.grade(1).items()
    said = {name: (grading.find_first_wrong(one), *one.remarks) for name, one in found}
    for name, texts in said.items():  # without digests
        said[name] = tuple(re.sub(r" \(\w{4}\)$", "", text) for text in texts)
    equal = "1.1: 5 gave this answer", "1.2: 3 gave this answer"
    missing = "1.1: there is no notebook for this lesson"
    unread = "is not a readable notebook"
    letters = "it has more than 1,000,000 characters"
    other = "step01.ipynb holds lesson 2", "lesson 2 was handed in but not assigned"
    assert said == {
        "anna": ("", *equal),
        "ben": (missing, f"step01.ipynb {unread}"),
        "cleo": (missing, *other),
        "dora": (missing, "there is no notebook in the folder"),
        "emil": ("1.2: nothing was written", equal[0]),
        "finn": (missing, "finn.ipynb is not a notebook: not UTF-8 text"),
        "gina": (missing, f"gina.pdf {unread}"),
        "hugo": ("1.1: nothing was written",),
        "ida": (missing, f"step01.ipynb {unread}"),
        "jan": ("", *equal),
        "kim": ("", *equal),
        "leo": (missing, "leo.ipynb is not a regular file"),
        " [2Amia ": (f"1.1: cannot be graded (ValueError: {letters})", equal[0]),
    }


def test_of_two_copies_the_one_with_the_lesson_s_name_counts(course, at_once):
    course.hands_in("anna", course.answered(TWICE, TOTAL))
    course.hands_in("anna", course.copy(), "step01-Copy1.ipynb")
    one = course.grade(1)["anna"]
    assert grading.find_first_wrong(one) == ""
    assert one.remarks == ["step01-Copy1.ipynb is another copy of lesson 1: not graded"]
    # A link to another student's work is not followed.
    (course.folder / "ben").mkdir()
    theirs = course.folder / "anna" / "step01.ipynb"
    (course.folder / "ben" / "step01.ipynb").symlink_to(theirs)
    assert course.grade(1)["ben"].remarks == ["step01.ipynb is a link, not a file"]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_name_that_is_not_utf_8_stands_in_the_table(course, at_once, tmp_path):
    place = os.fsencode(course.folder) + b"/J\xf6rg"
    os.mkdir(place)
    with open(place + b"/step01.ipynb", "w") as file:
        json.dump(course.answered(TWICE), file)
    course.hands_in("=1+1", course.copy())
    table = tmp_path / "points.csv"
    assert main(["class", "grade", str(course.folder), "-o", str(table)]) == 0
    rows = table_in(table)
    assert rows[1][:5] == ["'=1+1", "0", "0", "0", "1.1: nothing was written"]
    assert rows[2][:5] == ["J\\xf6rg", "3", "0", "3", "1.2: nothing was written"]


def test_what_cannot_be_judged_is_said_and_the_others_are(course, at_once, monkeypatch):
    course.hands_in("anna", course.answered(TWICE, TOTAL))
    course.hands_in("ben", course.answered(TWICE, TOTAL))
    breaks_once = RuntimeError("the disk is full"), ({1: RIGHT, 2: RIGHT}, [])
    monkeypatch.setattr(grading, "judge_notebook", Mock(side_effect=breaks_once))
    found = grading.judge_submissions(course.folder, [1], CORES_ARE_BUSY, jobs=1)[1]
    assert [grading.find_first_wrong(one) for one in found] == [
        "1.1: cannot be graded (RuntimeError: the disk is full)",
        "",
    ]


def test_the_table_and_the_terminal(course, at_once, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    course.hands_in("anna", course.answered(TWICE, TOTAL))
    course.hands_in("ben", course.answered("def twice(x):\n    return 4", TOTAL))
    grade, one = ["class", "grade", str(course.folder)], ["--jobs", "1"]
    assert main([*grade, "1", "2", *one]) == 0
    said = capsys.readouterr().out
    assert "anna                    8  2.1: there is no notebook" in said
    rows = table_in("points.csv")
    (equal,) = {row[-1] for row in rows[1:]}
    assert re.fullmatch(r"1\.2: 2 gave this answer \(\w{4}\)", equal)
    heads = "student,1.1 (3),1.2 (5),2.1 (3),2.2 (5),total (16),first wrong,to look at"
    assert rows == [
        heads.split(","),
        ["anna", *"3500", "8", "2.1: there is no notebook for this lesson", equal],
        ["ben", *"0500", "5", "1.1: twice(0) is wrong", equal],
    ]
    assert main([*grade, "--points", "1", *one]) == 0
    assert "points-old1.csv" in capsys.readouterr().out
    assert "total (2)" in Path("points.csv").read_text(encoding="utf-8-sig")
    assert "total (16)" in Path("points-old1.csv").read_text(encoding="utf-8-sig")


def test_the_bar_counts_notebooks(course, monkeypatch):
    for name in ("anna", "ben"):
        course.hands_in(name, course.answered(TWICE, TOTAL))
    monkeypatch.setattr(grading, "judge_notebook", lambda *_: ({1: RIGHT}, []))
    told = []
    grading.judge_submissions(course.folder, [1, 2], report=lambda *it: told.append(it))
    students = [submission and submission.student for _, submission in told]
    assert students == [None, "anna", None, "ben"]
    assert {count for count, _ in told} == {4}


def test_folders_with_nothing_to_grade_are_named(course, tmp_path):
    place = tmp_path / "nothing"
    grade = lambda: grading.judge_submissions(place)
    assert_refused(CourseError, "There is no folder", grade)
    place.mkdir()
    assert_refused(CourseError, "is empty", grade)
    (place / "x.ipynb").write_text("{}")
    assert_refused(CourseError, "None of the", grade)


def test_a_lesson_is_known_by_its_cells_where_nothing_else_says_it(course):
    notebook = course.copy()
    notebook["metadata"] = {"course": {"step": "many"}}
    assert submissions.identify_lesson(notebook) == 1
    for cell in notebook["cells"]:
        cell["id"] = "x"
    assert submissions.identify_lesson(notebook) == 1
    assert submissions.identify_lesson({"cells": []}, "step02_anna.ipynb") == 2
    assert submissions.identify_lesson({"cells": []}, "step99.ipynb") is None
