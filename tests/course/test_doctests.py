"""The examples in the docstrings of the course tool run and give what they say."""

import doctest
from importlib import import_module
from pkgutil import walk_packages

import pytest

import steps.course


@pytest.mark.parametrize(
    "name",
    [found.name for found in walk_packages(steps.course.__path__, "steps.course.")],
)
def test_examples(name):
    assert doctest.testmod(import_module(name)).failed == 0
