"""What is checked before a commit is what .ci/run checks."""

import os
import shutil
import subprocess

import pytest

from steps.course.lessons import ROOT


def test_the_hooks_run_what_ci_lints():
    ci = (ROOT / ".ci" / "run").read_text()
    hooks = (ROOT / ".pre-commit-config.yaml").read_text()
    for command in ("ruff check", "ruff format --check", "mypy", "steps check"):
        assert command in ci
        assert f"python -m {command}" in hooks


def test_the_hooks_are_our_own():
    hooks = (ROOT / ".pre-commit-config.yaml").read_text()
    assert hooks.count("repo:") == hooks.count("repo: local") == 1


def ci_with(folder, says, installs=True):
    """What .ci/run says last where every command does well, and pytest says this."""
    programs = folder / ".venv" / "bin"
    programs.mkdir(parents=True)
    (folder / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", folder / ".ci")
    failure = 0 if installs else 1
    for name in ("python", "dpkg"):
        program = programs / name
        program.write_text(
            f'#!/bin/sh\ncase "$*" in *"-m pytest"*) echo "{says}" ;; '
            f'*"-m pip"*) exit {failure} ;; esac\n'
        )
        program.chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", folder / ".ci" / "run"],
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()[-1]


@pytest.mark.skipif(os.name == "nt", reason="a script for bash")
def test_the_last_line_says_what_no_browser_has_seen(tmp_path):
    skipped = "SKIPPED [9] there is no Chromium or Chrome on the path"
    assert ci_with(tmp_path / "a", "9 passed").startswith("== Lessons")
    assert ci_with(tmp_path / "b", skipped).startswith("Not all was tried in a browser")
    last = ci_with(tmp_path / "c", "", installs=False)
    assert last.startswith("Nothing was tried in a browser")
