"""Step 75: words from bytes."""

from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np

from dezero_lite import manual_seed
from dezero_lite.models import GPT
from dezero_lite.schedules import WarmupCosine
from dezero_lite.tokenizer import Tokenizer

from .library import moved as __getattr__  # noqa: F401
from .step74 import SIGNS, asked, sums, train_gpt

__all__ = ["Tokenizer", "as_numbers", "make_number_adder", "number_adder"]
__all__ += ["number_adder_file", "number_tokenizer", "pair_loss"]


def pair_loss(rows, test_rows, letters, smooth=0.1):
    """Count the pairs of tokens in `rows`, and return the loss of this table on
    `test_rows`, divided by their `letters`. Add `smooth` to the count of each pair.
    """
    pairs = Counter(pair for row in rows for pair in pairwise(row))
    firsts = Counter(token for row in rows for token in row[:-1])
    kinds = len({token for row in rows for token in row})
    if smooth <= 0:
        raise ValueError("choose smooth above 0, or new pairs have an infinite loss")
    surprise = [
        np.log((firsts[a] + smooth * kinds) / (pairs[a, b] + smooth))
        for row in test_rows
        for a, b in pairwise(row)
    ]
    return np.sum(surprise) / letters


def number_tokenizer():
    """Make a tokenizer in which each number from 00 to 99 is one token."""
    every_number = " ".join(f"{n:02}" for n in range(100))
    return Tokenizer.learn(2 * f"{every_number} ", 356, pattern=r"\d\d?")


def as_numbers(rows):
    """Turn sums of step 74, such as 12+34=046, into six tokens: 12, +, 34, =, 04, 6."""
    tokenizer = number_tokenizer()
    texts = ["".join([SIGNS[i] for i in row]) for row in rows]
    tokens = [tokenizer.encode(text) for text in texts]
    if len({*map(len, tokens)}) > 1:
        raise ValueError(
            "sums differ in length: give each number from 00 to 99 a token"
        )
    return np.array(tokens)


def number_adder_file():
    """Return the path of the trained weights."""
    return Path(__file__).parent / "data" / "number_adder.npz"


def number_adder(trained=True):
    """Make a GPT like the adder of step 74 that reads numbers instead of digits."""
    manual_seed(0)
    model = GPT(len(number_tokenizer()), context=5)
    if trained:
        model.load_weights(number_adder_file())
    return model


def make_number_adder():
    """Train it like `make_adder` in step 74, and save it. Run it as
    `python -c "from steps.step75 import make_number_adder; make_number_adder()"`.
    """
    model = number_adder(trained=False)
    rows = as_numbers(sums(np.random.default_rng(0))[1000:])
    rate = WarmupCosine(0.006, warmup=50, steps=1000)
    train_gpt(model, *asked(rows, 4), rate, range(1000), batch=128)
    for parameter in model.params():
        parameter.data = parameter.data.astype(np.float16)
    model.save_weights(number_adder_file())
