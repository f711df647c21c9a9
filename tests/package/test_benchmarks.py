"""The benchmarks run, check their own results, and report ratios."""

import pytest

from benchmarks import limits
from benchmarks.__main__ import IMPORT, Worker, report
from benchmarks.frameworks import FRAMEWORKS
from benchmarks.programs import MEMORY, ROWS, Row, titled

# These take seconds, or a gigabyte of memory.
HEAVY = {"epoch of 60,000 with loader", "VGG16 forward, one 224² image"}


@pytest.fixture(scope="module")
def ours():
    return FRAMEWORKS["dezero_lite"]()


@pytest.mark.parametrize("title", [r.title for r in ROWS if r.title not in HEAVY])
def test_every_program_runs_on_our_framework(title, ours):
    assert titled(ROWS, title).program(ours) > 0


@pytest.mark.parametrize("rows", [ROWS, MEMORY])
def test_no_two_rows_have_one_title(rows):
    titles = [row.title for row in rows]
    assert len(titles) == len(set(titles))


def test_every_limit_is_of_a_kind_that_is_measured():
    assert {row.work.kind for row in ROWS if row.work} == set(limits.KINDS)


def test_a_row_that_says_nothing_of_a_framework_is_left_out():
    core, network = titled(ROWS, "ten Newton steps"), titled(ROWS, "loader alone")
    assert [name for name in FRAMEWORKS if not core.fits(name)] == ["dezero-float32"]
    assert [name for name in FRAMEWORKS if not network.fits(name)] == ["autograd"]


def test_a_worker_answers():
    worker = Worker("dezero_lite")
    assert worker.run(titled(ROWS, "Goldstein-Price with gradient")) > 0
    worker.process.stdin.close()
    assert worker.process.wait(timeout=60) == 0
    worker.process.stdout.close()


def test_memory_rows_prepare_work_for_our_framework(ours):
    titled(MEMORY, "conv2d 8×64×56² → 64, k3 p1").program(ours)()


def test_a_wrong_newton_step_is_seen():
    framework = FRAMEWORKS["dezero_lite"]()
    framework.newton_step = lambda f, x: x - 0.05
    with pytest.raises(AssertionError, match="not at 1"):
        titled(ROWS, "ten Newton steps").program(framework)


def test_a_wrong_derivative_is_seen():
    framework = FRAMEWORKS["dezero_lite"]()
    framework.derivative = lambda f, x, order: 13.0
    with pytest.raises(AssertionError, match="came out as 13"):
        titled(ROWS, "tanh to order 6").program(framework)


def test_the_report_divides_by_our_time_and_by_the_limit():
    times = {
        titled(ROWS, "loader alone"): {"dezero_lite": 2.0, "dezero": 7.0},
        titled(ROWS, "ten Newton steps"): {"dezero_lite": 2.0, "torch": 1.0},
        IMPORT: {"dezero_lite": 1.25, "dezero": 6.0},
    }
    memory = {Row("a chain", None): {"dezero_lite": 70.2, "torch": 216.4}}
    rates = dict.fromkeys(limits.KINDS, 60_000 * 784 * 4)
    text = report(["dezero_lite", "dezero", "torch"], times, memory, rates, rounds=3)
    assert "| loader alone | 3.5 | – | 2.0 × fresh |" in text
    assert "| ten Newton steps | – | 0.5 | – |" in text
    assert "| import, against numpy | 6.0 (ours 1.2) | – | – |" in text
    assert "| a chain | 70 | – | 216 |" in text
