"""A student's repository, and the output for its service when it judges."""

import argparse
import json
import re
import subprocess
from xml.etree import ElementTree

import pytest

from steps.course import learner_folder, lessons, results, student_copies
from steps.course.classroom import repository
from steps.course.commands import main
from steps.course.lessons import CourseError
from steps.course.results import Result
from tests.course.learner import Learner
from tests.course.test_classroom import TOTAL
from tests.course.test_progress import solve

REAL = lessons.ROOT
WORKFLOW = ".github/workflows/exercises.yml"


# --- What a service is told -----------------------------------------------------------


def asked(json=False, junit=None, fail_under=None):
    return argparse.Namespace(json=json, junit=junit, fail_under=fail_under)


FOUND = [
    Result("step01", "exercise 1", "right"),
    Result("step01", "exercise 2", "wrong", "a <b> \x1b[2J & \ud800\nmore"),
    Result("step02", "exercise 1", "not begun"),
]


def test_words_or_json_are_printed_and_a_percentage_is_the_exit_status(capsys):
    assert results.report_results(FOUND, asked(), "words") == 0
    assert capsys.readouterr().out == "words\n"
    assert results.report_results(FOUND, asked(), "words", 1) == 1
    for least, status in ((33, 0), (34, 3), (0, 0)):
        assert (
            results.report_results(FOUND, asked(json=True, fail_under=least), "", 1)
            == status
        )
    assert results.report_results([], asked(fail_under=1), "") == 3
    capsys.readouterr()
    results.report_results(FOUND, asked(json=True), "")
    told = json.loads(capsys.readouterr().out)
    page = (REAL / "docs" / "classroom.md").read_text(encoding="utf-8")
    for key in (*told, *told["results"][1], *("--json", "--junit", "--fail-under")):
        assert f"`{key}" in page, key
    assert told.pop("results")[1] == vars(FOUND[1])
    assert told == {"version": 1, "right": 1, "total": 3, "percent": 33.3}


def test_junit_has_a_suite_a_lesson_and_is_xml_whatever_was_said(tmp_path):
    path = tmp_path / "results.xml"
    results.report_results(FOUND, asked(junit=path), "")
    first, second = ElementTree.parse(path).getroot()
    said = " ".join(f"{name}={value}" for name, value in first.attrib.items())
    assert said == "name=step01 tests=2 failures=1 errors=0 skipped=0"
    right, wrong = first
    assert list(right) == []
    assert wrong.attrib == {"classname": "step01", "name": "exercise 2"}
    assert wrong[0].get("message") == "a <b>  [2J &  "
    assert wrong[0].text == "a <b>  [2J &  \nmore"
    assert second[0][0].tag == "skipped"
    with pytest.raises(CourseError, match="No such file"):
        results.report_results(FOUND, asked(junit=tmp_path / "no" / "x.xml"), "")


def test_progress_tells_it(toy, capsys, tmp_path):
    learner_folder.sync_copies()
    solve(1, "def twice(x):\n    return 3 * x", TOTAL)
    path = tmp_path / "results.xml"
    assert main(["progress", "--json", "--junit", str(path), "--fail-under", "50"]) == 3
    told = json.loads(capsys.readouterr().out)["results"]
    assert list(told[0].values()) == [
        *("step01", "exercise 1", "wrong", "twice(2) should be 4")
    ]
    assert [r["outcome"] for r in told[1:]] == ["right", "not begun", "not begun"]
    assert len(ElementTree.parse(path).findall(".//testcase")) == 4
    assert main(["progress", "--fail-under", "25"]) == 0
    capsys.readouterr()
    assert main(["progress", "--fail-under", "25.5"]) == 3
    assert capsys.readouterr().err == "25.0 percent are right, less than 25.5.\n"


@pytest.mark.parametrize("command", [["progress"], ["repository", "anna", "1"]])
@pytest.mark.parametrize("percent", ["150", "-1", "nan"])
def test_what_is_no_percentage_is_rejected(command, percent, capsys):
    with pytest.raises(SystemExit):
        main([*command, "--fail-under", percent])
    assert f"{percent} is not a percentage from 0 to 100" in capsys.readouterr().err


@pytest.mark.slow
def test_the_judge_of_the_workshop_tells_it(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(learner_folder, "FOLDER", tmp_path)
    learner = Learner(tmp_path / "workshop")
    learner.open(1)
    judge = ["workshop", "judge", "1", "--json"]
    assert main(judge) == 1
    assert main([*judge, "--fail-under", "0"]) == 0
    assert main([*judge, "--fail-under", "1"]) == 3
    told = json.loads(re.findall(r"(?ms)^\{.*?^\}", capsys.readouterr().out)[0])
    outcomes = {r["name"]: r["outcome"] for r in told["results"]}
    assert outcomes == {"Variable": "not begun", "It works": "wrong"}
    with pytest.raises(SystemExit):
        main(["workshop", "hint", "1", "Variable", "--json"])
    wrong = "class Variable:\n    def __init__(self, data):\n        self.dat = 1"
    learner.types(1, wrong)
    main(judge)
    told = json.loads(capsys.readouterr().out)
    assert [r["outcome"] for r in told["results"]] == ["wrong", "wrong"]


# --- The repository -------------------------------------------------------------------


@pytest.fixture
def laid(toy, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("COURSE_URL", "https://anna:secret@git.school.org/course.git")
    folder = tmp_path / "anna"
    assert main(["repository", str(folder), "1", "--fail-under", "50"]) == 0
    return folder


def test_it_has_notebooks_without_solutions_and_two_workflows(laid, capsys):
    yaml = pytest.importorskip("yaml")
    course = "dezero-lite[course] @ git+https://git.school.org/course.git@v1.0.0"
    assert f"It is judged by {course}\n" in capsys.readouterr().out
    names = {p.relative_to(laid).as_posix() for p in laid.rglob("*") if p.is_file()}
    words = {"README.md", "AGENTS.md", ".gitignore", ".gitlab-ci.yml", WORKFLOW}
    assert names == {"start.ipynb", "step01.ipynb", *words}
    lesson = (laid / "step01.ipynb").read_text(encoding="utf-8")
    assert "from dezero_lite import steps" in lesson
    for secret in ("2 * x", "HIDDEN", "range(10)"):
        assert secret not in lesson
    github = yaml.safe_load((laid / WORKFLOW).read_text(encoding="utf-8"))
    gitlab = yaml.safe_load((laid / ".gitlab-ci.yml").read_text(encoding="utf-8"))
    assert github["env"] == gitlab["variables"] == {"COURSE": course}
    runs = [step["run"] for step in github["jobs"]["judge"]["steps"] if "run" in step]
    assert runs == gitlab["judge"]["script"]
    judges = "python -I -m dezero_lite.steps progress . --junit results.xml"
    install = 'python -I -m pip install "$COURSE"'
    assert runs == [install, f"{judges} --fail-under 50"]
    report = gitlab["judge"]["artifacts"]["reports"]["junit"]
    assert report == github["jobs"]["judge"]["steps"][-1]["with"]["path"]
    assert course in (laid / "README.md").read_text(encoding="utf-8")


def test_nothing_in_it_is_overwritten(laid, capsys):
    (laid / "step01.ipynb").unlink()
    assert main(["repository", str(laid), "1"]) == 1
    assert "already contains" in capsys.readouterr().err
    assert not (laid / "step01.ipynb").exists()


def git(folder, *words):
    who = "-c", "user.name=x", "-c", "user.email=x@x.org"
    command = ["git", "-C", folder, *who, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_the_course_is_the_commit_of_the_checkout_or_is_to_be_filled_in(
    toy, tmp_path, monkeypatch, capsys
):
    monkeypatch.delenv("COURSE_URL", raising=False)
    assert main(["repository", str(tmp_path / "a"), "1"]) == 0
    assert "The course's address is unknown" in capsys.readouterr().out
    readme = (tmp_path / "a" / "README.md").read_text(encoding="utf-8")
    assert f"git+{repository.MISSING_ADDRESS}@v1.0.0" in readme
    git(toy, "init")
    git(toy, "commit", "--allow-empty", "-m", "x")
    git(toy, "remote", "add", "origin", "git@git.school.org:dl/course.git")
    commit = git(toy, "rev-parse", "HEAD").strip()
    address = "https://git.school.org/dl/course.git"
    assert repository.pin_course() == f"dezero-lite[course] @ git+{address}@{commit}"
    # An installed package may be inside a repository, but not inside its own.
    monkeypatch.setattr(lessons, "ROOT", toy / "steps")
    assert repository.pin_course().endswith("@v1.0.0")


def test_an_address_is_one_that_all_can_use():
    for given, public in (
        ("https://me:token@x.org:8443/a/b.git", "https://x.org:8443/a/b.git"),
        ("git+https://x.org/b", "https://x.org/b"),
        ("ssh://git@x.org/a/b.git", "https://x.org/a/b.git"),
        ('https://x.org/a"; rm -rf ~', "https://x.org/arm-rf~"),
        ("/home/me/course", ""),
        ("file:///home/me/course", ""),
        ("https://$(id)/a", ""),
        ("", ""),
    ):
        assert repository._make_public(given) == public


# --- Words for assistants -------------------------------------------------------------


def test_assistants_are_told_the_ladder_unless_the_teacher_leaves_it_out(toy, tmp_path):
    for name, command in (
        ("out", ["class", "release", "out", "1"]),
        ("repo", ["repository", "repo", "1"]),
        ("mine", ["lay", "mine"]),
    ):
        for options, told in (([], True), (["--no-agents"], False)):
            place = tmp_path / f"{name}{told}"
            words = [str(place) if word == name else word for word in command]
            assert main([*words, *options]) == 0
            assert (place / student_copies.AGENTS).exists() == told, name
    text = (tmp_path / "mineTrue" / student_copies.AGENTS).read_text(encoding="utf-8")
    rungs = "**A question**", "steps.hint(8, 2)`", "steps.hint(8, 2, nearer=True)"
    places = [text.index(rung) for rung in rungs]
    assert places == sorted(places)
    # The student's version stays, and a deleted file stays deleted.
    (tmp_path / "outTrue" / student_copies.AGENTS).write_text("mine")
    assert main(["class", "release", str(tmp_path / "outTrue"), "2"]) == 0
    assert (tmp_path / "outTrue" / student_copies.AGENTS).read_text() == "mine"
    (tmp_path / "mineTrue" / student_copies.AGENTS).unlink()
    assert main(["lay", str(tmp_path / "mineTrue")]) == 0
    assert not (tmp_path / "mineTrue" / student_copies.AGENTS).exists()
