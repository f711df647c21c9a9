"""What the designs say to mistakes: each section of the files in tests/designs/mistakes
is a table of what is typed and what is said, between what is there before and what is
still true afterwards.
"""

import copy
import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from steps import step64
from tests.support.mistakes import assert_answered

FOLDER = Path(__file__).with_name("mistakes")
SECTION = re.compile(
    r"^## ([^\n]+)\n+```python\n(.*?)^```\n+```pycon\n(.*?)^```"
    r"(?:\n+```python\n(.*?)^```)?",
    re.M | re.S,
)


def sections():
    for path in sorted(FOLDER.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        found = SECTION.findall(text)
        assert len(found) == text.count("\n## "), f"{path.name}: a block is misspelt"
        for title, *blocks in found:
            yield pytest.param(path.stem, *blocks, id=f"{path.stem}, {title}")


@pytest.mark.parametrize(("step", "before", "table", "afterwards"), list(sections()))
def test_mistakes(step, before, table, afterwards):
    names = vars(import_module(f"steps.{step}")) | {"copy": copy, "np": np}
    with step64.Graph().as_default():
        exec(before, names)
        assert_answered(table, names)
        exec(afterwards, names)
