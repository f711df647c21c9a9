"""Packages that a test needs besides NumPy and pytest; without them, it is skipped."""

from importlib.util import find_spec

import pytest


def needs(*packages):
    """Mark a test that needs packages from the extras."""
    missing = [name for name in packages if find_spec(name) is None]
    return pytest.mark.skipif(
        bool(missing), reason=f"not installed: {', '.join(missing)}"
    )
