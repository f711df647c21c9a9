"""Step 68: six designs, one program. The programs agree with one another, and the tools
measure what they claim.
"""

import gc
import re

import numpy as np
import pytest

from steps import step62, step65, step68
from steps.course.lessons import LESSONS
from steps.step68 import DESIGNS, Task, classifier_task, line_task, train
from tests.support.arrays import assert_close
from tests.support.built_graphs import differences

KINDS = {"line": line_task, "classifier": classifier_task}
OTHERS = [name for name in DESIGNS if name != "by hand"]


def random_task(kind, seed, n):
    """Make other data and weights than the lesson's, in the same shapes."""
    rng = np.random.default_rng(seed)
    shapes = {"line": [(1, 1), (1,)], "classifier": [(2, 3), (3,), (3, 1), (1,)]}[kind]
    x = rng.normal(size=(n, shapes[0][0]))
    signs = kind == "classifier"
    t = rng.choice([-1.0, 1.0], size=(n, 1)) if signs else rng.normal(size=(n, 1))
    return Task(x, t, [rng.normal(size=shape) for shape in shapes], 0.2)


# --- Equal numbers --------------------------------------------------------------------


def assert_like_by_hand(name, kind, task, steps, **tolerance):
    """A design gives the losses and weights of the hand-written program, and does not
    change the task.
    """
    arrays = [task.x, task.t, *task.weights]
    copies = [array.copy() for array in arrays]
    losses, weights = train(getattr(DESIGNS[name], kind), task, steps)
    right_losses, right_weights = train(getattr(DESIGNS["by hand"], kind), task, steps)
    np.testing.assert_allclose(losses, right_losses, **tolerance)
    np.testing.assert_allclose(weights, right_weights, **tolerance)
    for array, copy in zip(arrays, copies, strict=True):
        np.testing.assert_array_equal(array, copy)
    return losses


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", DESIGNS)
def test_all_designs_give_the_numbers_of_the_program_by_hand(kind, name):
    assert_like_by_hand(name, kind, KINDS[kind](12), 100, rtol=0, atol=1e-10)
    for seed, n in [(0, 1), (1, 2), (2, 7)]:
        task = random_task(kind, seed, n)
        assert_like_by_hand(name, kind, task, 10, rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", OTHERS)
def test_they_agree_where_a_network_is_sure_and_wrong(name):
    task = classifier_task(12)
    # Scores of about 50: a probability of e⁻⁵⁰ must not be rounded to 0.
    task = task._replace(weights=[50 * weight for weight in task.weights], rate=0.01)
    losses = assert_like_by_hand(name, "classifier", task, 3, rtol=1e-10, atol=1e-10)
    assert losses[0] > 10


@pytest.mark.parametrize("kind", KINDS)
def test_the_program_by_hand_descends_along_numerical_gradients(kind):
    task = random_task(kind, 3, 5)
    program = getattr(DESIGNS["by hand"], kind)

    def loss(weights):
        return next(program(*task._replace(weights=weights)))[0]

    run = program(*task)
    next(run)
    _, stepped = next(run)
    for n, (weight, new) in enumerate(zip(task.weights, stepped, strict=True)):
        before, after = task.weights[:n], task.weights[n + 1 :]
        slope = differences(lambda w, b=before, a=after: loss([*b, w, *a]), weight)
        assert_close(weight - new, task.rate * slope)


# --- Lines ----------------------------------------------------------------------------


def test_lines_are_counted_without_docstrings_comments_and_blank_lines():
    def f(a):
        """Two
        lines.
        """
        # A comment.

        return a

    assert step68.lines_of_code(f) == 2
    assert step68.lines_of_code(step68.line_by_hand) == 8
    text = (LESSONS / "step65.py").read_text(encoding="utf-8")
    assert step68.lines_of_code(step65) < len(text.splitlines())


# --- What a run keeps -----------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_no_design_gathers_objects_and_none_leaves_a_graph(name):
    design, task = DESIGNS[name], classifier_task(6)
    gc.collect()
    before = len(step68.living(design.made_of))
    found = step68.watch(design.classifier, design.made_of, task, 8)
    assert len(found) == 8
    assert len(set(found[1:])) == 1
    gc.collect()
    assert len(step68.living(design.made_of)) == before
    # A static graph is built once, a dynamic one in each step.
    made = step68.made_in_each_step(design.classifier, design.made_of, task)
    assert (made == 0) == (name in ("step 61", "step 62", "step 64"))


def test_a_program_that_gathers_is_seen():
    def gathers(x, t, weights, rate):
        kept = []
        while True:
            kept.append(step62.scalar("x") + 1.0)
            yield 0.0, weights

    found = step68.watch(gathers, (step62.Expression,), line_task(2), 5)
    assert found == [3, 6, 9, 12, 15]
    assert step68.made_in_each_step(gathers, (step62.Expression,), line_task(2)) == 3


# --- How long it takes ----------------------------------------------------------------


def test_time_is_taken_in_turns_after_a_warm_up_and_the_best_counts():
    now, calls = [0.0], []

    def program(name, seconds):
        def run(*task):
            for second in seconds:
                calls.append(name)
                now[0] += second
                yield 0.0, []

        return run

    # Two warm-up steps, then three rounds of two; one round is disturbed.
    quick = [50.0, 9.0, 1.0, 4.0, 100.0, 100.0, 2.0, 4.0]
    slow = [50.0, 9.0, 6.0, 6.0, 7.0, 7.0, 8.0, 8.0]
    programs = {"quick": program("quick", quick), "slow": program("slow", slow)}
    found = step68.time_per_step(
        programs, line_task(2), rounds=3, steps=2, clock=lambda: now[0]
    )
    assert found == {"quick": 2.5, "slow": 6.0}
    assert calls == ["quick"] * 2 + ["slow"] * 2 + (["quick"] * 2 + ["slow"] * 2) * 3


# --- The module -----------------------------------------------------------------------


def test_each_program_speaks_of_its_own_design_only():
    text = (LESSONS / "step68.py").read_text(encoding="utf-8")
    for number in (61, 62, 64, 65, 66):
        for kind in KINDS:
            program = rf"^def {kind}_{number}\(.*?(?=^\S)"
            body = re.search(program, text, re.M | re.S)
            own = {f"step{number}"}
            both = own | {"step67"} if number == 66 else own  # 67 is 66 and more
            assert own <= set(re.findall(r"step\d\d", body[0])) <= both
