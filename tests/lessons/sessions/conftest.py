"""Sessions, in the format described in tests/package/sessions/conftest.py."""

from tests.support.sessions import pytest_collect_file as pytest_collect_file
