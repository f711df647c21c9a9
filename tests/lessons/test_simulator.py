"""The simulator of step 80 is compared with published numbers, which are repeated here,
and with counting by hand.
"""

from dataclasses import replace

import numpy as np
import pytest

from steps.step78 import Link
from steps.step80 import (
    MEGATRON,
    PEAKS,
    TRAININGS,
    Machine,
    fitted_speed,
    step_seconds,
    worker_bytes,
)

SELENE = Machine(PEAKS["A100"], near=Link(0, 300e9), far=Link(0, 25e9))


def total(shape, plan, machine):
    return sum(step_seconds(shape, plan, machine).values())


def calibrated():
    shape, plan, measured, _ = MEGATRON["175B"]
    return replace(SELENE, speed=fitted_speed(shape, plan, SELENE, measured))


@pytest.mark.parametrize("training", TRAININGS, ids=lambda one: one.name)
def test_published_hours_are_predicted_within_a_factor_of_1_65(training):
    share = TRAININGS[0].predicted(1.0) / TRAININGS[0].hours
    assert 1 / 1.65 < training.predicted(share) / training.hours < 1.65


def test_most_published_hours_are_predicted_within_a_factor_of_1_4():
    share = TRAININGS[0].predicted(1.0) / TRAININGS[0].hours
    ratios = np.array([one.predicted(share) / one.hours for one in TRAININGS])
    assert np.sum(np.abs(np.log(ratios)) < np.log(1.4)) == 13


def test_the_throughput_of_llama_65b_fits_its_hours():
    # Page 4 of the paper: 380 tokens per second on each of 2,048 GPUs, about 21 days.
    training = next(one for one in TRAININGS if one.name == "LLaMA 65B")
    assert training.hours / 2048 / 24 == pytest.approx(21, abs=0.5)
    assert training.tokens / training.hours / 3600 == pytest.approx(380, rel=0.01)


# Model, parameters, GPUs, and the share of the peak that the paper states.
@pytest.mark.parametrize(
    ("name", "parameters", "gpus", "share"),
    [
        ("22B", 22e9, 8, 0.415),
        ("175B", 175e9, 64, 0.514),
        ("530B", 530e9, 280, 0.560),
        ("1T", 1000e9, 512, 0.563),
    ],
)
def test_shapes_have_the_parameters_and_operations_of_the_paper(
    name, parameters, gpus, share
):
    shape, plan, measured, _ = MEGATRON[name]
    assert shape.parameters == pytest.approx(parameters, rel=0.02)
    assert plan.workers == gpus
    reached = shape.operations(plan.batch) / (measured * gpus * PEAKS["A100"])
    assert reached == pytest.approx(share, abs=0.002)


@pytest.mark.parametrize("name", MEGATRON)
def test_published_steps_are_predicted_within_a_fifth(name):
    shape, plan, measured, recomputed = MEGATRON[name]
    machine = calibrated()
    assert 1 / 1.21 < total(shape, plan, machine) / measured < 1.2
    plan = replace(plan, recompute=True)
    assert 1 / 1.21 < total(shape, plan, machine) / recomputed < 1.2


def test_a_fitted_speed_gives_back_the_time_that_it_was_fitted_to():
    for shape, plan, measured, _ in MEGATRON.values():
        speed = fitted_speed(shape, plan, SELENE, measured)
        machine = replace(SELENE, speed=speed)
        assert total(shape, plan, machine) == pytest.approx(measured)


def test_all_published_plans_fit_into_80_gigabytes():
    for shape, plan, *_ in MEGATRON.values():
        assert 40e9 < sum(worker_bytes(shape, plan).values()) < 80e9
