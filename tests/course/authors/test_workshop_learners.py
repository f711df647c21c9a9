"""Learners in the workshop, from step 1 to the last: one writes everything right, in
their own way, and one takes every second definition from the lesson.
"""

import ast
import importlib.util

import pytest

from steps.course.capabilities import CAPABILITIES, WORKS, run_probe
from steps.course.workshop import workspace
from steps.course.workshop.package import FIRST, LAST, WRITE, read_module
from steps.course.workshop.step import get_step, list_numbers
from steps.course.workshop.verdict import Verdict
from tests.course.learner import OWN_PACKAGE, OWN_WAY, Learner, as_typed

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def own_way(tmp_path_factory, process):
    """The folder and verdicts of a learner who writes everything right, for all steps
    before the package.
    """
    learner = Learner(tmp_path_factory.mktemp("own-way"))
    numbers = [n for n in list_numbers() if n < FIRST]
    verdicts = {n: learner.goes_on(n, OWN_WAY[n], process) for n in numbers}
    return learner, verdicts


def imported(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def broken(number, module):
    """List the rows that should work at a step but do not."""
    rows = [row for row in CAPABILITIES if row.expected(number) == WORKS]
    assert rows
    return [row.name for row in rows if run_probe(row.probe, module)[0] != WORKS]


def test_all_steps_can_be_written_in_a_way_of_ones_own(own_way):
    _learner, verdicts = own_way
    for number, verdict in verdicts.items():
        assert verdict.is_right, (
            f"step {number}: {verdict.failure} {verdict.attempt.missing}"
        )
        assert not verdict.lent
        theirs = verdict.module.definitions
        same = [n for n in verdict.attempt.step.to_write if n in theirs]
        lesson = get_step(number).definitions
        differs = [n for n in same if not theirs[n].has_same_code(lesson[n])]
        assert differs, f"step {number} is the lesson's, word for word"


def test_the_last_file_is_theirs_and_does_all_that_the_lesson_s_does(own_way):
    learner, verdicts = own_way
    last = max(verdicts)
    path = learner.own_file(last)
    text = path.read_text(encoding="utf-8")
    assert "The lesson's own" not in text
    assert "TODO" not in text
    assert 200 < len(text.splitlines()) < 400
    mine = imported(path)
    assert broken(last, mine) == []
    assert {n for n in get_step(last).definitions if "." not in n} <= set(dir(mine))


def test_what_a_step_leaves_alone_is_that_of_their_own_step_before(own_way):
    _learner, verdicts = own_way
    before, after = (verdicts[n].module.definitions for n in (19, 20))
    untouched = set(before) & set(after) - set(verdicts[20].attempt.step.to_write)
    untouched -= {"Variable"}
    assert len(untouched) > 30
    assert all(before[name].has_same_code(after[name]) for name in untouched)


# --- The package ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def own_package(own_way):
    """The same learner continues to the GPT, judged only at the end; ``python -m
    tests.support.workshop_proof way`` judges every step, which trains for minutes.
    """
    learner, _verdicts = own_way
    for number in [n for n in list_numbers() if FIRST <= n <= LAST]:
        cells = ["import numpy as np", OWN_PACKAGE.get(number, "")]
        if number == FIRST:  # their class exists, and one of its methods changes
            learner.types(number, cells[1])
            cells = workspace.read_notebook(number, learner.place)
        own = learner.writes(number, *cells)
        assert not own.missing, number
        workspace.write_framework(Verdict(own, None, {}, own.module), learner.place)
    return learner


DIGITS = """
from steps.step60 import MLP, Adam, DataLoader, Digits, accuracy, manual_seed, relu
from steps.step60 import softmax_cross_entropy
manual_seed(0)
model = MLP((64, 10), relu)
optimizer = Adam(0.01).setup(model)
for _ in range(8):
    for x, t in DataLoader(Digits(), 100, seed=0):
        loss = softmax_cross_entropy(model(x), t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
x, t = Digits(train=False)[:]
right = accuracy(model(x), t).data
assert type(loss).__module__ == "steps.framework.core"
assert right > 0.95
"""
SUMS = """
import numpy as np
from steps.step74 import GPT, WarmupCosine, asked, manual_seed, sums, train_gpt
manual_seed(0)
x, t = asked(sums(np.random.default_rng(0)), 6)
losses = train_gpt(GPT(12, context=8), x, t, WarmupCosine(0.01, 5, 25), range(25))
learned = losses[0] - np.mean(losses[-5:])
assert learned > 0.5
"""


@pytest.mark.slow
def test_the_package_can_be_written_in_a_way_of_ones_own(own_package, process):
    """It reads digits, and begins to add."""
    text = own_package.own_file(74).read_text(encoding="utf-8")
    found = process.try_out(74, [("Digits", DIGITS), ("Sums", SUMS)], text)
    assert found["failure"] is None
    assert {*found["table"].values()} == {WORKS}
    lesson, theirs = get_step(74).definitions, read_module(text).definitions
    same = {n for n in theirs if n in lesson and theirs[n].has_same_code(lesson[n])}
    for number in [number for number in WRITE if WRITE[number]]:
        assert {*get_step(number).to_write} - same, "the lesson's, word for word"
    assert workspace.read_lent(text) == set()


def test_every_second_piece_may_be_the_lesson_s(learner, process):
    count = 0
    for number in list_numbers()[:8]:
        step = get_step(number)
        pieces = [n for n in step.to_write if n == n.partition(".")[0]]
        methods = [n for n in step.to_write if n not in pieces]
        chosen = [n for k, n in enumerate([*pieces, *methods]) if (k + number) % 2]
        code = "\n\n\n".join(as_typed(step, name) for name in chosen)
        verdict = learner.goes_on(number, code, process)
        assert verdict.passes or verdict.culprits
        assert bool(verdict.to_lend) == (not verdict.is_right)
        count += len(verdict.to_lend)
    assert count > 5
    text = learner.own_file(number).read_text(encoding="utf-8")
    assert "The lesson's own in it:" in ast.get_docstring(ast.parse(text))
    assert broken(number, imported(learner.own_file(number))) == []
