"""What is checked before a commit is what .ci/run checks, and the workflow and the
README say the same.
"""

import re

import pytest

from steps.course.lessons import ROOT
from tests import matrix

WORKFLOW = ROOT / ".github" / "workflows" / "tests.yml"
SYSTEMS = ["ubuntu-latest", "macos-latest", "windows-latest"]


def test_the_hooks_run_what_ci_lints():
    ci = (ROOT / ".ci" / "run").read_text()
    hooks = (ROOT / ".pre-commit-config.yaml").read_text()
    for command in ("ruff check", "ruff format --check", "mypy", "steps check"):
        assert command in ci
        assert f"python -m {command}" in hooks


def test_the_hooks_are_our_own():
    hooks = (ROOT / ".pre-commit-config.yaml").read_text()
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
    ((minute, hour, day, month, weekday),) = (
        event["cron"].split() for event in events["schedule"]
    )
    assert minute.isdecimal()
    assert hour.isdecimal()
    assert weekday.isdecimal()
    assert day == month == "*"


def test_the_test_command_runs_on_three_systems_with_the_oldest_and_newest(workflow):
    course = workflow["jobs"]["course"]
    assert commands(course) == ["python start.py test"]
    assert "    python start.py test\n" in (ROOT / "README.md").read_text("utf-8")
    pythons = [python for python, _ in matrix.COMBINATIONS]
    assert course["strategy"]["matrix"] == {
        "system": SYSTEMS,
        "python": [pythons[0], pythons[-1]],
    }


def test_the_package_meets_the_oldest_and_the_newest_numpy(workflow):
    package = workflow["jobs"]["package"]
    table = package["strategy"]["matrix"]
    assert table["system"] == SYSTEMS
    (oldest, newest) = [(row["python"], row["numpy"]) for row in table["include"]]
    assert oldest == matrix.COMBINATIONS[0]
    assert newest == ("3.x", "numpy")
    assert table["python"] == [oldest[0], newest[0]]
    assert commands(package)[1] == 'python -m pytest tests/package -m "not slow"'
    assert matrix.TESTS[:3] == ["tests/package", "-m", "not slow"]


def test_no_job_lets_another_stop_and_each_uses_the_python_that_it_names(workflow):
    for job in workflow["jobs"].values():
        assert not job.get("strategy", {}).get("fail-fast")
        (python,) = [
            step["with"]["python-version"]
            for step in job["steps"]
            if "setup-python" in step.get("uses", "")
        ]
        if "strategy" in job:
            assert python == "${{ matrix.python }}"
            assert job["runs-on"] == "${{ matrix.system }}"
    assert commands(workflow["jobs"]["everything"]) == [".ci/run"]


# --- the README -----------------------------------------------------------------------


def test_the_readmes_ci_lines_test_package_and_notebooks_as_they_stand():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    section = readme.partition("\n## In your own CI\n")[2].partition("\n## ")[0]
    lines = re.findall(r"^    (\S.*)$", section, re.M)
    # From a plain install neither would see what was changed in the checkout.
    assert lines == [
        'pip install -e ".[course,test]" -c constraints.txt',
        "pytest tests notebooks -n auto",
    ]
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert 'testpaths = ["tests", "notebooks"]' in project
