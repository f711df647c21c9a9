"""The model of step 75 in steps/data is what the lesson says it is."""

import numpy as np

from steps.step74 import SIGNS, exact, sums
from steps.step75 import as_numbers, number_adder, number_adder_file, number_tokenizer

ROWS = sums(np.random.default_rng(0))


def test_number_tokens_hold_the_same_sums():
    tokenizer = number_tokenizer()
    assert tokenizer.parts(range(256, 356)) == [f"{n:02}" for n in range(100)]
    for row, ids in zip(ROWS[:50], as_numbers(ROWS[:50]), strict=True):
        assert tokenizer.decode(ids) == "".join([SIGNS[i] for i in row])
    assert as_numbers(ROWS).shape == (10_000, 6)


def test_the_number_adder_has_learned_little_and_more_than_nothing():
    known, new = as_numbers(ROWS[1000:2000]), as_numbers(ROWS[:999])
    model = number_adder()
    assert exact(model, known, 4) > 2 * exact(model, new, 4) > 0.02
    assert exact(number_adder(trained=False), new, 4) == 0


def test_the_number_adder_is_small():
    assert number_adder_file().stat().st_size < 250_000
