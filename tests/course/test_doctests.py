"""The examples in the docstrings of the course tool run and give what they say."""

import doctest
from importlib import import_module
from pkgutil import walk_packages

import steps.course


def test_examples():
    modules = [m.name for m in walk_packages(steps.course.__path__, "steps.course.")]
    assert [m for m in modules if doctest.testmod(import_module(m)).failed] == []
