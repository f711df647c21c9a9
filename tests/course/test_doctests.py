"""The examples in the docstrings of the course tool run and give what they say."""

import doctest
from importlib import import_module
from pkgutil import iter_modules

import pytest

import steps.course


@pytest.mark.parametrize(
    "name", [found.name for found in iter_modules(steps.course.__path__)]
)
def test_examples(name):
    assert doctest.testmod(import_module(f"steps.course.{name}")).failed == 0
