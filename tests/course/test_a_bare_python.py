"""Unit tests run with only NumPy and pytest installed."""

import pytest

from tests.course.texts import blocks
from tests.support.programs import python

BARE = blocks("programs.md")["a bare Python"]


def bare_pytest(*arguments):
    return python("-c", BARE, *arguments, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")


@pytest.mark.slow
def test_unit_tests_need_numpy_and_pytest_alone():
    run = bare_pytest(
        "tests/package/refusals",
        "tests/package/test_functions_elementwise.py",
        "tests/package/test_transforms.py",
        "tests/package/test_downloads.py",
        "tests/package/test_player.py",
        "-rs",
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert " passed, " in run.stdout
    assert "Hypothesis is not installed" in run.stdout
    assert "could not import 'PIL.Image'" in run.stdout


def test_notebooks_say_what_they_need():
    run = bare_pytest("notebooks/step01.ipynb")
    assert run.returncode != 0
    assert '[course,test]"' in run.stdout + run.stderr
