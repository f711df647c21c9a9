"""What a test needs beside NumPy and pytest: without it, it is skipped."""

from importlib.util import find_spec

import pytest


def needs(*packages):
    """A mark for a test that needs packages of the extras."""
    missing = [name for name in packages if find_spec(name) is None]
    return pytest.mark.skipif(
        bool(missing), reason=f"not installed: {', '.join(missing)}"
    )
