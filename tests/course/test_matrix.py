"""The matrix of Pythons says what it runs, what it skips, and what failed."""

import sys

import pytest

from steps.course.lessons import ROOT
from tests import matrix


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command, on a machine with some Pythons where some tests fail."""

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
