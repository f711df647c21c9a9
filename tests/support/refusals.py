"""Errors, and their messages."""

import pytest


def assert_refused(error, words, *attempts):
    """Fail unless each attempt, a function without arguments, raises an error that says
    this.

    All attempts that do not are reported at once.
    """
    __tracebackhide__ = True
    complaints = []
    for number, attempt in enumerate(attempts, 1):
        try:
            attempt()
        except error as refusal:
            if words not in str(refusal):
                complaints.append(f"attempt {number}: {refusal}")
        else:
            complaints.append(f"attempt {number} is not refused")
    if complaints:
        pytest.fail(f"{words!r} is not said:\n" + "\n".join(complaints))
