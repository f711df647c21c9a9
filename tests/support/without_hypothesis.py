"""A replacement for Hypothesis if it is not installed: tests that draw inputs are
skipped.
"""

import pytest


class _Anything:
    """A strategy, or a setting, that nobody will use."""

    def __call__(self, *args, **kwargs):
        return self

    def __getattr__(self, name):
        return self


strategies = numpy = _Anything()


def given(*args, **kwargs):
    return pytest.mark.skip(reason="Hypothesis is not installed")


def settings(*args, **kwargs):
    return lambda test: test


def assume(condition):
    return True
