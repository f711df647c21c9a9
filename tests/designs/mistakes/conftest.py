"""Mistakes, in the format described in tests/package/refusals/conftest.py."""

from tests.support.mistakes import pytest_collect_file as pytest_collect_file
