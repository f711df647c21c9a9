"""The sessions in refusals/*.md fail if a message differs."""

import pytest

from tests.support import sessions
from tests.support.mistakes import groups

TEXT = """
```python
zero = 0
```

## Zeros

```python
x = each(1, zero)
```

```pycon
>>> def f():
...     return 1 / zero
...
... f()
>>> 1 / x
ZeroDivisionError: by {zero} … zero
```

```python
assert x
```
"""
SESSION = "\n## Zeros\n\n```pycon\n>>> 1 / 0\nZeroDivisionError: by zero\n```\n"


def complaints(text):
    (group,) = [group for _, group in groups(text)]
    return group.complaints()


def test_every_complaint_is_made_for_every_choice():
    found = [complaint.rpartition("\n   ") for complaint in complaints(TEXT)]
    f = "def f():\n    return 1 / zero\n\nf()"
    assert [(typed, said.split(":")[0]) for typed, _, said in found] == [
        (f, "is answered"),
        (f, "is answered"),
        (f, "is followed by an AssertionError"),
        ("1 / x", "is not refused"),
        ("1 / x", "is answered"),
        ("1 / x", "is followed by an AssertionError"),
    ]
    assert complaints(SESSION) == []


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("pycon", "pyton"), ("ZeroDivisionError: by zero\n", ""), ("1 / 0", "1 / 2")],
)
def test_a_session_that_is_none_is_seen(right, wrong):
    assert complaints(SESSION.replace(right, wrong))


def test_a_session_of_another_outcome_is_seen():
    right = "```pycon\n>>> x + 1\n2\n```\n"
    begin = "```python\nx = 1\n```\n"
    assert sessions.complaints("a sum", begin, right) == []
    for wrong in (right.replace("2", "3"), right.replace("pycon", "pyton"), ""):
        assert sessions.complaints("a sum", begin, wrong)
