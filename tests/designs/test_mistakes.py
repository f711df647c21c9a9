"""What the designs say to mistakes: each section of the files in tests/designs/mistakes
is a table of what is typed and what is said, between what is there before and what is
still true afterwards.
"""

import copy
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from steps import step64
from tests.support.mistakes import assert_answered
from tests.support.sections import sections

FOLDER = Path(__file__).with_name("mistakes")


def tables():
    for path in sorted(FOLDER.glob("*.md")):
        for title, _, (before, table, *after) in sections(path):
            case = path.stem, before, table, "".join(after)
            yield pytest.param(*case, id=f"{path.stem}, {title}")


@pytest.mark.parametrize(("step", "before", "table", "afterwards"), list(tables()))
def test_mistakes(step, before, table, afterwards):
    names = vars(import_module(f"steps.{step}")) | {"copy": copy, "np": np}
    with step64.Graph().as_default():
        exec(before, names)
        assert_answered(table, names)
        exec(afterwards, names)
