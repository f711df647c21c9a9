"""The examples in the docstrings of the package run and give what they say."""

import doctest
from importlib import import_module
from pkgutil import walk_packages

import dezero_lite

MODULES = ["dezero_lite"] + [
    found.name for found in walk_packages(dezero_lite.__path__, "dezero_lite.")
]


def test_examples_run_and_there_are_some():
    results = {
        name: doctest.testmod(import_module(name), optionflags=doctest.ELLIPSIS)
        for name in MODULES
    }
    assert [name for name, result in results.items() if result.failed] == []
    assert sum(result.attempted for result in results.values()) >= 20


def test_a_wrong_example_is_seen(capsys):
    wrong = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "sum", None, 0)
    assert doctest.DocTestRunner().run(wrong).failed == 1
    assert "Expected:\n    3\nGot:\n    2" in capsys.readouterr().out
