"""The trained model in steps/data does what steps 74 to 76 say."""

import inspect

import numpy as np
import pytest

from steps.step74 import adder, exact, make_adder, sums


@pytest.mark.slow
def test_the_adder_knows_every_sum():
    assert exact(adder(), sums(np.random.default_rng(0)), 6) == 1
    assert exact(adder(trained=False), sums(np.random.default_rng(0))[:100], 6) < 0.1


def test_no_held_out_sum_is_a_training_sum_in_either_order():
    rows = sums(np.random.default_rng(0))
    assert len({tuple(row) for row in rows}) == 10_000
    swapped = rows[:, [3, 4, 2, 0, 1, 5, 6, 7, 8]]
    held = {tuple(row) for part in (rows, swapped) for row in part[:999]}
    # The lesson trains on all others; the stored adder was trained on those from 1,000
    # on.
    assert not held & {tuple(row) for row in rows[999:]}
    assert "[1000:]" in inspect.getsource(make_adder)
