"""The site as ``python start.py docs`` last built it."""

import pytest

from steps.course.lessons import ROOT

HTML = ROOT / "docs" / "_build" / "html"
# For a module's `pytestmark`.
NEEDED = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (HTML / "index.html").exists(),
        reason="the site is not built: python start.py docs",
    ),
]
