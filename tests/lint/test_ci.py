"""The checks before a commit are those of .ci/run, and the workflow and the README
agree.
"""

import os
import re
import shutil
import subprocess

import pytest

from steps.course.lessons import ROOT
from tests import conftest, matrix

WORKFLOW = ROOT / ".github" / "workflows" / "tests.yml"
SYSTEMS = ["ubuntu-latest", "ubuntu-24.04-arm", "macos-latest", "windows-latest"]


def test_ci_runs_what_the_test_command_leaves_out():
    ci = (ROOT / ".ci" / "run").read_text()
    for folder in conftest.collect_ignore:
        assert f" tests/{folder}" in ci


def test_the_hooks_run_what_ci_lints():
    ci = (ROOT / ".ci" / "run").read_text()
    hooks = (ROOT / ".pre-commit-config.yaml").read_text()
    for command in ("ruff check", "ruff format --check", "mypy", "steps check"):
        assert command in ci
        assert f"python -m {command}" in hooks
    assert hooks.count("repo:") == hooks.count("repo: local") == 1


# --- the workflow ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def workflow():
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))


def commands(job):
    return [step["run"] for step in job["steps"] if "run" in step]


def test_the_workflow_runs_at_each_change_and_weekly(workflow):
    # In YAML 1.1, the word `on` is true.
    events = workflow[True]
    assert {"push", "pull_request", "schedule"} <= set(events)
    (weekly,) = (event["cron"] for event in events["schedule"])
    assert re.fullmatch(r"\d+ \d+ \* \* \d", weekly)


def test_the_test_command_runs_on_each_system_with_the_oldest_and_newest(workflow):
    course = workflow["jobs"]["course"]
    assert commands(course) == ["python start.py test"]
    assert "    python start.py test\n" in (ROOT / "README.md").read_text("utf-8")
    pythons = [python for python, _ in matrix.COMBINATIONS]
    oldest_and_newest = [pythons[0], pythons[-1]]
    expected = {"system": SYSTEMS, "python": oldest_and_newest}
    assert course["strategy"]["matrix"] == expected


def test_the_package_meets_the_oldest_and_the_newest_numpy(workflow):
    package = workflow["jobs"]["package"]
    table = package["strategy"]["matrix"]
    assert table["system"] == SYSTEMS
    oldest, newest = [(row["python"], row["numpy"]) for row in table["include"]]
    assert oldest == matrix.COMBINATIONS[0]
    assert newest == ("3.x", "numpy")
    assert table["python"] == [oldest[0], newest[0]]
    assert commands(package)[1] == 'python -m pytest tests/package -m "not slow"'
    assert matrix.TESTS[:3] == ["tests/package", "-m", "not slow"]


def test_one_job_has_the_programs_that_files_come_from_and_go_to(workflow):
    assert commands(workflow["jobs"]["interop"]) == [
        'python -m pip install -e ".[interop,test]"',
        "python -m pytest -rs tests/package",
    ]


def test_no_job_lets_another_stop_and_each_uses_the_python_that_it_names(workflow):
    for job in workflow["jobs"].values():
        assert not job.get("strategy", {}).get("fail-fast")
        (setup,) = [s for s in job["steps"] if "setup-python" in s.get("uses", "")]
        if "strategy" in job:
            assert setup["with"]["python-version"] == "${{ matrix.python }}"
            assert job["runs-on"] == "${{ matrix.system }}"
    assert commands(workflow["jobs"]["everything"]) == [".ci/run"]


# --- somebody else's CI ---------------------------------------------------------------


def test_the_lines_for_any_ci_test_package_and_notebooks_as_they_stand():
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = page.partition("\n## In your own CI\n")[2].partition("\n## ")[0]
    lines = re.findall(r"^    (\S.*)$", section, re.M)
    # From a plain install, neither would see changes in the checkout.
    assert lines == [
        'pip install -e ".[course,test]" -c constraints.txt',
        "pytest tests notebooks -n auto",
    ]
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert 'testpaths = ["tests", "notebooks"]' in project


# --- in a browser ---------------------------------------------------------------------


def ci_with(folder, says, installs=True):
    """Return the last output of .ci/run if every command succeeds and pytest prints
    this.
    """
    programs = folder / ".venv" / "bin"
    programs.mkdir(parents=True)
    (folder / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", folder / ".ci")
    script = f'#!/bin/sh\ncase "$*" in *"-m pytest"*) echo "{says}" ;; '
    script += f'*"-m pip"*) exit {int(not installs)} ;; esac\n'
    for program in (programs / "python", programs / "dpkg"):
        program.write_text(script)
        program.chmod(0o755)
    run = ["bash", folder / ".ci" / "run"]
    first = os.environ | {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    said = subprocess.check_output(run, env=first, text=True, stderr=subprocess.STDOUT)
    return said.splitlines()[-1]


@pytest.mark.skipif(os.name == "nt", reason="a script for bash")
def test_the_last_line_says_what_no_browser_has_seen(tmp_path):
    skipped = "SKIPPED [9] there is no Chromium or Chrome on the path"
    assert ci_with(tmp_path / "a", "9 passed").startswith("== Lessons")
    assert ci_with(tmp_path / "b", skipped).startswith("Some browser tests were")
    last = ci_with(tmp_path / "c", "", installs=False)
    assert last.startswith("No browser tests were run")
