"""Sessions, in the form that tests/package/sessions/conftest.py tells."""

from tests.support.sessions import pytest_collect_file as pytest_collect_file
