"""Stage 7 on the package that grows: it writes and learns like dezero_lite, and lessons
69 to 74 run on it.

test_framework.py compares what each function computes.
"""

from collections import ChainMap
from types import SimpleNamespace

import numpy as np
import pytest

import dezero_lite
from dezero_lite import functions, layers, models, optimizers, schedules
from steps import step60
from steps.course.workshop.package import STAGE_7
from steps.framework import attention, gpt
from steps.step74 import adder_file, asked, sums
from tests.support.arrays import assert_close
from tests.support.programs import python

OWN = SimpleNamespace(**vars(attention) | vars(gpt) | vars(step60))
MODULES = (dezero_lite, functions, layers, models, optimizers, schedules)
LITE = SimpleNamespace(**ChainMap(*map(vars, MODULES)))
IDS = np.random.default_rng(0).integers(7, size=(3, 5))


def model_of(package, **options):
    package.manual_seed(0)
    return package.GPT(7, context=6, size=8, heads=2, **options)


def scores_and_gradients(package):
    model = model_of(package, dropout_ratio=0.1, dtype=np.float64)
    y = model(IDS)
    (y * y).sum().backward()
    params = dict(model.named_params())
    return [y.data, *[p.grad.data for p in params.values()]], list(params)


def test_a_gpt_has_the_scores_the_gradients_and_the_names_of_dezero_lite():
    (ours, names), (theirs, their_names) = map(scores_and_gradients, (OWN, LITE))
    assert names == their_names
    for mine, other in zip(ours, theirs, strict=True):
        assert_close(mine, other, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "options",
    [{"temperature": 0}, {}, {"temperature": 2.0, "top_k": 3}, {"top_k": 20}],
)
def test_it_writes_what_dezero_lite_writes(options):
    ours, theirs = (
        package.generate(
            model_of(package, dropout_ratio=0.5, dtype=np.float64),
            *(IDS, 4),  # beyond the six positions that it sees
            **options,
            rng=np.random.default_rng(1),
        )
        for package in (OWN, LITE)
    )
    assert np.array_equal(ours, theirs)
    assert ours.shape == (3, 9)


def test_more_tokens_than_places_are_refused():
    with pytest.raises(ValueError, match="7 tokens do not fit into 6 places"):
        model_of(OWN)(np.zeros((1, 7), int))


@pytest.mark.parametrize("causal", [True, False])
def test_heads_look_where_the_mask_lets_them(causal):
    x = np.random.default_rng(0).normal(size=(2, 4, 6))
    mask = np.array([True, False, True, True])
    found = []
    for package in (OWN, LITE):
        package.manual_seed(0)
        heads = package.MultiHeadAttention(6, 3, causal, dtype=np.float64)
        plain = heads(x), heads.weights(x)
        found.append([y.data for y in (*plain, heads(x, mask), heads.weights(x, mask))])
    for mine, other in zip(*found, strict=True):
        assert_close(mine, other, rtol=1e-9, atol=1e-12)
    assert np.all(found[0][3][..., 1] == 0)


def test_masks_and_rates_are_those_of_dezero_lite():
    for sizes in ((4,), (2, 5)):
        assert np.array_equal(OWN.causal_mask(*sizes), LITE.causal_mask(*sizes))
    for name in ("WarmupCosine", "WarmupLinear"):
        mine, other = (
            getattr(package, name)(0.01, warmup=3, steps=9) for package in (OWN, LITE)
        )
        assert [mine(i) for i in range(12)] == [other(i) for i in range(12)]


@pytest.mark.parametrize(
    "wrong", [lambda: OWN.split(np.ones(5), 2), lambda: OWN.MultiHeadAttention(5, 2)]
)
def test_what_does_not_divide_is_refused(wrong):
    with pytest.raises(ValueError, match="cannot"):
        wrong()


# --- Adding ---------------------------------------------------------------------------


def losses_of_an_adder(package):
    """The first losses of lesson 74's training on sums, in float32 as in the lesson."""
    package.manual_seed(0)
    model, rng = package.GPT(12, context=8), np.random.default_rng(0)
    optimizer, losses = package.Adam().setup(model), []
    rate = package.WarmupCosine(0.01, warmup=5, steps=15)
    x, t = asked(sums(rng), 6)
    for i in range(15):
        rows = rng.integers(len(x), size=64)
        wanted = t[rows] >= 0
        scores = model(x[rows])
        loss = package.softmax_cross_entropy(scores[wanted], t[rows][wanted])
        model.cleargrads()
        loss.backward()
        optimizer.alpha = rate(i)
        optimizer.update()
        losses.append(loss.item())
    assert all(p.dtype == np.float32 for p in model.params())
    return losses


def test_it_learns_sums_as_dezero_lite_does():
    ours = losses_of_an_adder(OWN)
    assert_close(ours, losses_of_an_adder(LITE), rtol=1e-3)
    assert ours[-1] < ours[0] - 0.3


def test_with_the_trained_weights_it_adds_numbers_of_two_digits():
    model = OWN.GPT(12, context=8)
    model.load_weights(adder_file())
    rows = sums(np.random.default_rng(0))[:999]
    assert np.array_equal(OWN.generate(model, rows[:, :6], 3, temperature=0), rows)
    assert all(p.dtype == np.float32 for p in model.params())


# --- The lessons ----------------------------------------------------------------------


@pytest.mark.slow
def test_what_the_exercises_of_stage_7_stand_on_runs_without_dezero_lite():
    run = python("-m", "tests.support.own_lessons", "--brief", *STAGE_7)
    assert [line.split(" (")[0] for line in run.stdout.splitlines()] == [
        f"{number} fine, of dezero_lite nothing" for number in STAGE_7
    ], run.stdout + run.stderr


def test_what_a_package_lacks_is_named():
    script = """
import sys
import steps.framework.attention as room
from steps.course.workshop.package import load_lessons as load
load(70)
for name in ("causal_mask", "concat"):
    there = vars(room).pop(name)
    try:
        load(71)
    except ImportError as error:
        print(error)
    setattr(room, name, there)
print(load(71).LookBack.__mro__[1].__module__, "steps.framework.gpt" in sys.modules)
from steps.step70 import Names, concat  # as copies of earlier lessons do
print(concat.__module__, Names.__module__)
"""
    assert python("-c", script).stdout.splitlines() == [
        "your package has no causal_mask, which step 71 writes",
        "your package has no concat",
        "steps.framework.models False",
        "steps.framework.attention dezero_lite.datasets.names",
    ]


def test_what_is_to_be_written_is_in_the_package():
    for names in STAGE_7.values():
        for name in names:
            assert getattr(OWN, name).__module__.startswith("steps.framework.")
