"""The benchmarks run, check their own results, and report ratios."""

import pytest

from benchmarks.__main__ import Worker, report
from benchmarks.frameworks import FRAMEWORKS
from benchmarks.programs import PROGRAMS


@pytest.mark.parametrize("title", PROGRAMS)
def test_every_program_runs_on_our_framework(title):
    seconds = PROGRAMS[title](FRAMEWORKS["dezero_lite"]())
    assert seconds
    assert all(value > 0 for value in seconds.values())


def test_a_worker_answers():
    worker = Worker("dezero_lite")
    assert list(worker.run("Goldstein-Price with gradient")) == [""]
    worker.process.stdin.close()
    assert worker.process.wait(timeout=10) == 0
    worker.process.stdout.close()


def test_a_wrong_newton_step_is_seen():
    framework = FRAMEWORKS["dezero_lite"]()
    framework.newton_step = lambda f, x: x - 0.05
    with pytest.raises(AssertionError, match="not at 1"):
        PROGRAMS["ten Newton steps"](framework)


def test_the_report_divides_by_our_time():
    rows = {
        "a program": {"dezero_lite": 2.0, "dezero": 7.0},
        "import, against numpy": {"dezero_lite": 1.25, "dezero": 6.0},
    }
    text = report(["dezero_lite", "dezero"], rows, rounds=3)
    assert "| a program | 3.5 |" in text
    assert "| import, against numpy | 6.0 (ours 1.2) |" in text
