"""What is checked before a commit is what .ci/run checks."""

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
