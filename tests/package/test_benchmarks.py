"""The benchmarks run, check their own results, and report ratios."""

import pytest

from benchmarks import limits
from benchmarks.__main__ import Worker, report
from benchmarks.frameworks import FRAMEWORKS
from benchmarks.programs import MEMORY, PROGRAMS

# These take seconds, or a gigabyte of memory.
HEAVY = {"epoch of 60,000 with loader", "VGG16 forward, one 224² image"}


@pytest.fixture(scope="module")
def ours():
    return FRAMEWORKS["dezero_lite"]()


@pytest.mark.parametrize("title", [title for title in PROGRAMS if title not in HEAVY])
def test_every_program_runs_on_our_framework(title, ours):
    seconds = PROGRAMS[title](ours)
    assert seconds
    assert all(value > 0 for value in seconds.values())


def test_every_limit_belongs_to_a_row(ours):
    rows = {
        f"{title}, {part}"
        for title in list(PROGRAMS)[:1]
        for part in PROGRAMS[title](ours)
    } | set(PROGRAMS)
    assert set(limits.WORK) <= rows


def test_a_worker_answers():
    worker = Worker("dezero_lite")
    assert list(worker.run("Goldstein-Price with gradient")) == [""]
    worker.process.stdin.close()
    assert worker.process.wait(timeout=60) == 0
    worker.process.stdout.close()


def test_memory_rows_prepare_work_for_our_framework(ours):
    MEMORY["conv2d 8×64×56² → 64, k3 p1"](ours)()


def test_a_wrong_newton_step_is_seen():
    framework = FRAMEWORKS["dezero_lite"]()
    framework.newton_step = lambda f, x: x - 0.05
    with pytest.raises(AssertionError, match="not at 1"):
        PROGRAMS["ten Newton steps"](framework)


def test_a_wrong_derivative_is_seen():
    framework = FRAMEWORKS["dezero_lite"]()
    framework.derivative = lambda f, x, order: 13.0
    with pytest.raises(AssertionError, match="came out as 13"):
        PROGRAMS["tanh to order 6"](framework)


def test_the_report_divides_by_our_time_and_by_the_limit():
    rows = {
        "loader alone": {"dezero_lite": 2.0, "dezero": 7.0},
        "ten Newton steps": {"dezero_lite": 2.0, "torch": 1.0},
        "import, against numpy": {"dezero_lite": 1.25, "dezero": 6.0},
    }
    memory = {"a chain": {"dezero_lite": 70.2, "torch": 216.4}}
    rates = dict.fromkeys(limits.KINDS, 60_000 * 784 * 4)
    text = report(["dezero_lite", "dezero", "torch"], rows, memory, rates, rounds=3)
    assert "| loader alone | 3.5 | – | 2.0 × fresh |" in text
    assert "| ten Newton steps | – | 0.5 | – |" in text
    assert "| import, against numpy | 6.0 (ours 1.2) | – | – |" in text
    assert "| a chain | 70 | – | 216 |" in text
