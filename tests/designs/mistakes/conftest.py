"""Mistakes, in the form that tests/package/refusals/conftest.py tells."""

from tests.support.mistakes import pytest_collect_file as pytest_collect_file
