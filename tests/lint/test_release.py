"""A release has one number everywhere, and a page describes how it is made."""

import re

import dezero_lite
from steps.course.lessons import ROOT


def first(pattern, name):
    """Return the first match of a pattern's group in a file of the checkout."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return re.search(pattern, text, re.M)[1]


def test_the_version_is_the_same_wherever_it_stands():
    version = first(r'^version = "(.+)"$', "pyproject.toml")
    assert re.fullmatch(r"\d+\.\d+\.\d+", version)
    assert dezero_lite.__version__ == version
    assert first(r"^version: (.+)$", "CITATION.cff") == version
    # The newest release comes first.
    assert first(r"^## (\S+)", "docs/changelog.md") == version
    # The page names every place of the version.
    page = (ROOT / "docs" / "release.md").read_text(encoding="utf-8")
    for name in ("pyproject.toml", "dezero_lite/__init__.py", "CITATION.cff"):
        assert f"`{name}`" in page
    assert "docs/changelog.md" in page
