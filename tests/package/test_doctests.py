"""The examples in the package's docstrings run and give the stated results."""

import doctest

from tests.support.public_names import modules


def test_examples_run_and_there_are_some():
    results = {
        module.__name__: doctest.testmod(module, optionflags=doctest.ELLIPSIS)
        for module in modules()
    }
    assert [name for name, result in results.items() if result.failed] == []
    assert sum(result.attempted for result in results.values()) >= 20


def test_a_wrong_example_is_seen(capsys):
    wrong = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "sum", None, 0)
    assert doctest.DocTestRunner().run(wrong).failed == 1
    assert "Expected:\n    3\nGot:\n    2" in capsys.readouterr().out
