"""The matrix reports what it runs, what it skips, and what failed."""

import json
import sys
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest

from steps.course.lessons import ROOT, read_front_matter
from tests import matrix
from tests.support import disturbed, processors


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command on a machine with some Pythons, where some tests fail."""

    def run(*options, there=("3.10", "3.14"), failing=()):
        monkeypatch.setattr(matrix, "interpreter", lambda v: v if v in there else None)
        monkeypatch.setattr(matrix, "passes", lambda python, *_: python not in failing)
        monkeypatch.setattr(sys, "argv", ["matrix", *options])
        try:
            matrix.main()
        finally:
            run.said = capsys.readouterr().out
        return run.said

    return run


def test_a_python_that_is_not_there_is_named_and_the_oldest_is_one_combination(run):
    said = run()
    assert "-- Python 3.12, numpy==2.0.*: skipped, there is no Python 3.12" in said
    assert said.count("skipped") == 2
    said = run("--oldest")
    assert said.splitlines()[0] == "-- Python 3.10, numpy==2.0.0"
    assert said.count("left out") == 2


def test_a_failure_is_named_and_the_others_still_run(run):
    with pytest.raises(SystemExit, match=r"^Failed: Python 3\.10, numpy==2\.0\.0;"):
        run(failing=["3.10"])
    assert "-- Python 3.14, numpy\n" in run.said
    with pytest.raises(SystemExit, match="None of these Pythons is here"):
        run(there=())


def test_a_python_is_found_by_what_it_says_of_itself(monkeypatch, tmp_path):
    version = "{}.{}".format(*sys.version_info)
    monkeypatch.setattr(matrix.shutil, "which", lambda name: sys.executable)
    monkeypatch.setattr(matrix.Path, "home", lambda: tmp_path)
    assert matrix.interpreter(version) == sys.executable
    assert matrix.interpreter("9.9") is None


def test_the_matrix_begins_with_the_oldest_that_the_package_allows():
    package = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    python, numpy = matrix.COMBINATIONS[0]
    assert f'requires-python = ">={python}"' in package
    assert f'"{numpy.replace("==", ">=").removesuffix(".0")}"' in package
    assert "tests.matrix --oldest" in (ROOT / ".ci" / "run").read_text()


# --- processors -----------------------------------------------------------------------


@pytest.fixture
def runs(monkeypatch):
    """List the lessons and environments that would run; lesson 74 fails in one."""
    runs = []

    def failures(lessons, environment, jobs):
        runs.append((lessons, environment))
        return ["74 [23]"] * (environment.get("LC_ALL") == "C")

    monkeypatch.setattr(processors, "failures", failures)
    return runs


def processors_said(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        processors.main(*arguments)
    return ended.value.code, capsys.readouterr().out


def test_lessons_that_train_or_measure_run_in_every_setting(runs, capsys):
    code, said = processors_said(capsys, [], [], False, 1, False)
    assert code == 1
    assert "| C locale | 8, 17-18, " in said
    assert said.count("| 74 [23] |") == 1
    assert all({8, 74} < set(lessons) for lessons, _ in runs)
    there = processors.settings()
    all_lessons = [name for name in there if f"| {name} | 1-" in said]
    assert all_lessons == [name for name in there if name in processors.FURTHEST]
    assert len(runs) == len(there)


def test_quick_takes_two_settings_and_lessons_that_train(runs, capsys):
    code, _ = processors_said(capsys, [], [], True, 1, False)
    assert code == 0
    assert all(read_front_matter(n).trains for lessons, _ in runs for n in lessons)
    assert len(runs) in (1, 2)


def test_the_table_is_written_under_the_heading(runs, capsys, monkeypatch, tmp_path):
    page = tmp_path / "machines.md"
    page.write_text("# Words\n\n## Result\n\nold\n")
    monkeypatch.setattr(processors, "PAGE", page)
    processors_said(capsys, [43], ["C locale"], False, 1, True)
    text = page.read_text(encoding="utf-8")
    assert text.startswith("# Words\n\n## Result\n\n")
    assert np.__version__ in text
    assert "\n| C locale | 43 | 74 [23] | 0.0 | " in text
    assert "old" not in text
    processors_said(capsys, [8], ["as it is"], False, 1, True)
    *_, one, two = page.read_text(encoding="utf-8").splitlines()
    assert one.startswith("| as it is | 8 | – |")
    assert two.startswith("| C locale | 43 |")
    monkeypatch.setattr(processors, "processor", lambda: "Pentium")
    processors_said(capsys, [8], ["as it is"], False, 1, True)
    text = page.read_text(encoding="utf-8")
    assert text.index(two) < text.index("\n\nPentium, ")
    assert text.count("| as it is | 8 | – |") == 2
    code, _ = processors_said(capsys, [43], ["Pentium"], False, 1, False)
    assert code.startswith("No setting Pentium; there are: as it is; ")
    assert processors.RESULT in (ROOT / "docs" / "machines.md").read_text("utf-8")


def test_a_run_that_breaks_down_is_a_failure(monkeypatch, capsys):
    asked = []

    def ran(command, env=None, **_):
        asked.append((command, env))
        return SimpleNamespace(returncode=code, stdout=said)

    monkeypatch.setattr(processors.subprocess, "run", ran)
    code, said = 1, "FAILED notebooks/step74.ipynb::Cell 23 - Step 74: A small GPT"
    assert processors.failures([74], {"A": "b"}, 1) == ["74 [23]"]
    assert asked[0][0][-1] == "notebooks/step74.ipynb"
    assert asked[0][1]["A"] == "b"
    code, said = 3, "INTERNALERROR"
    assert processors.failures([74], {}, 1) == ["the run itself"]
    code, said = 0, "1 passed"
    assert processors.failures([74], {processors.NUMPY: "numpy"}, 2) == []
    assert asked[-2][0][-1] == "numpy"
    assert asked[-1][1]["PYTHONPATH"].startswith(asked[-2][0][-2])


# --- disturbances ---------------------------------------------------------------------


def test_weights_are_disturbed_a_little_and_alike_for_the_same_seed(monkeypatch):
    plain = np.random.default_rng(0).normal(size=3)
    monkeypatch.setattr(np.random, "default_rng", np.random.default_rng)
    disturbed.disturb(0)
    once, again = (np.random.default_rng(0).normal(size=3) for _ in range(2))
    assert np.array_equal(once, again)
    assert 0 < abs(once / plain - 1).max() < 1e-7
    x = np.random.default_rng(0).standard_normal(2, np.float32)
    assert x.dtype == np.float32
    disturbed.disturb(1)
    assert not np.array_equal(np.random.default_rng(0).normal(size=3), once)


@pytest.mark.parametrize(
    ("code", "report", "told"),
    [
        (1, "\x1b[91mTrace\x1b[0m\nstored: 1\nnow:    2\n", "stored: 1\nnow:    2"),
        (1, "\x1b[32m----> 9\x1b[39m assert a > b\n", "----> 9 assert a > b"),
        (3, "INTERNALERROR", "INTERNALERROR"),
        (0, "27 passed", ""),
    ],
)
def test_what_has_no_margin_is_named(monkeypatch, capsys, code, report, told):
    def ran(command, **_):
        book = json.loads(command[-1].read_text(encoding="utf-8"))
        first = next(cell for cell in book["cells"] if cell["cell_type"] == "code")
        assert "\ndisturb(0)\n" in first["source"]
        return SimpleNamespace(returncode=code, stdout=report)

    monkeypatch.setattr(disturbed.subprocess, "run", ran)
    with pytest.raises(SystemExit) if code else nullcontext() as ended:
        disturbed.main([45], rounds=1)
    assert not code or ended.value.code == "No margin: 45"
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["-- step 45, disturbance 0", *told.splitlines()]
    assert not list(disturbed.NOTEBOOKS.glob(".disturbed*"))
