"""The trained model that steps/data holds is what steps 74 to 76 say it is."""

import numpy as np
import pytest

from steps.step74 import adder, adder_file, exact, sums


@pytest.mark.slow
def test_the_adder_knows_every_sum():
    assert exact(adder(), sums(np.random.default_rng(0)), 6) == 1
    assert exact(adder(trained=False), sums(np.random.default_rng(0))[:100], 6) < 0.1


def test_the_adder_is_small():
    assert adder_file().stat().st_size < 150_000
    assert 50_000 < sum(p.size for p in adder().params()) < 70_000


def test_no_held_out_sum_is_a_training_sum_the_other_way_round():
    rows = sums(np.random.default_rng(0))
    assert len({tuple(row) for row in rows}) == 10_000
    swapped = rows[:, [3, 4, 2, 0, 1, 5, 6, 7, 8]]
    held, training = ({tuple(r) for r in part} for part in (rows[:1000], rows[1000:]))
    both = {tuple(row) for row in swapped[:1000]} & training
    assert len(held) == 1000
    assert len(both) <= 1  # the cut may fall between a + b and b + a


def test_sums_are_right():
    for row in sums(np.random.default_rng(1))[:50]:
        problem, total = "".join("0123456789+="[sign] for sign in row).split("=")
        assert sum(map(int, problem.split("+"))) == int(total)
