"""The simulator of step 80 against numbers that were published, which stand here a
second time, and against counting by hand.
"""

from dataclasses import replace

import numpy as np
import pytest

from steps.step78 import Link
from steps.step80 import (
    MEGATRON,
    PEAKS,
    TRAININGS,
    GPTShape,
    Machine,
    Plan,
    Training,
    all_plans,
    fitted_speed,
    stage_ends,
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
    # Page 4 of the paper: 380 tokens a second on each of 2,048 GPUs, about 21 days.
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


def test_a_weight_takes_16_bytes():
    # The ZeRO paper: 1.5 billion parameters take 24 GB at least.
    shape = GPTShape(48, 1600, context=1024, vocabulary=50_257)
    parts = worker_bytes(shape, Plan(1))
    assert sum(parts.values()) - parts["activations"] == 16 * shape.parameters
    assert 16 * shape.parameters == pytest.approx(24e9, rel=0.05)


def test_activations_are_those_of_the_formula():
    shape = GPTShape(48, 6144)
    # 34 s b h / t bytes in each layer.
    expected = 48 * 34 * 2048 * 4 * 6144 / 8
    plan = Plan(4, micro=4, tensor=8)
    assert worker_bytes(shape, plan)["activations"] == pytest.approx(expected)
    # As many micro-batches are on their way as there are stages: nothing is gained.
    deep = Plan(64, micro=4, tensor=8, pipeline=8)
    assert worker_bytes(shape, deep)["activations"] == pytest.approx(expected)
    few = Plan(8, micro=4, tensor=8, pipeline=8)
    assert worker_bytes(shape, few)["activations"] == pytest.approx(expected / 4)


def test_the_stages_of_a_pipeline_wait_for_each_other():
    assert stage_ends([1, 2], 3).tolist() == [[1, 2, 3], [3, 5, 7]]
    for stages, micro in ((1, 4), (4, 8), (7, 3)):
        ends = stage_ends([2.0] * stages, micro)
        assert ends[-1, -1] == 2 * (micro + stages - 1)


def test_the_bubble_of_the_step_is_that_of_the_stages():
    shape, machine = GPTShape(8, 64), Machine(1e9, near=Link(0, 1), far=Link(0, 1))
    parts = step_seconds(shape, Plan(16, pipeline=4), machine)
    alone = stage_ends([1.0] * 4, 16)[-1, -1] / 16
    assert (parts["compute"] + parts["bubble"]) / parts["compute"] == alone


def test_parts_of_a_step_by_hand():
    shape = GPTShape(layers=2, size=4, context=3, vocabulary=5)
    assert (shape.parameters, shape.stream(4)) == (520, 48)
    assert shape.operations(8) == 6 * 8 * 3 * 452
    machine = Machine(10.0, near=Link(1.0, 2.0), far=Link(3.0, 4.0))
    parts = step_seconds(shape, Plan(8, micro=4, data=2), machine)
    # 1,040 bytes of gradients: two turns of 520.
    assert parts == {
        "compute": 6 * 4 * 3 * 452 / 10,
        "tensor": 0,
        "bubble": 0,
        "data": 2 * (3 + 520 / 4),
    }
    # Two micro-batches, four sums in each of two layers, 96 bytes on two workers.
    tensor = step_seconds(shape, Plan(8, micro=4, tensor=2), machine)["tensor"]
    assert tensor == 2 * 4 * 2 * 2 * (1 + 48 / 2)
    # Where all is computed again, the two sums forward are, too.
    again = Plan(8, micro=4, tensor=2, recompute=True)
    parts = step_seconds(shape, again, machine)
    assert parts["tensor"] == 1.5 * tensor
    assert parts["compute"] == pytest.approx(8 * 4 * 3 * 452 / 10)


def test_who_recomputes_takes_eight_operations():
    training = Training("any", 312e12, 3.0, hours=1.0)
    assert training.predicted(0.5) == pytest.approx(36 / 3600)
    assert replace(training, recompute=True).predicted(0.5) == pytest.approx(48 / 3600)
    assert [one.name for one in TRAININGS if one.recompute] == ["BLOOM"]


def test_all_plans_use_all_workers_and_the_whole_batch():
    plans = all_plans(64, 64)
    assert len(plans) == len(set(plans)) == 22
    for plan in plans:
        assert plan.workers == 64
        assert plan.rounds * plan.data * plan.micro == 64
        assert plan.tensor <= 8
    assert all(64 // plan.data * plan.data == 64 for plan in all_plans(64, 512))
