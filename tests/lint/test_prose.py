"""The README's statements about itself, and the format of its prose and of the site's
pages.
"""

import importlib
import re

import pytest

from steps.course.lessons import ROOT
from steps.step68 import lines_of_code

README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]

# Code blocks, tables, and indented lines after a blank one are not prose.
INDENTED = r"(?<=\n\n)(?: {4}[^\n]*\n)+"
BLOCKS = re.compile(rf"^ *(`{{3,}}).*?^ *\1$|^\|.*?$|{INDENTED}", re.M | re.S)
CODE = re.compile(r"`[^`]*`|\]\([^)]*\)|\$[^$]*\$")
# Bold text at the beginning is a label of the sentence after it.
LABEL = re.compile(r"^\s*(?:(?:[-*]|\d+\.) )?\s*(?:\*\*[^*]+\*\*)?", re.M)
TWO = re.compile(r"[.?!][)”*_]* +[“(*\[$_]*[A-Z`].*")


def crowded(text):
    """Return the lines of prose that hold more than one sentence."""
    prose = LABEL.sub("", CODE.sub("`", BLOCKS.sub("", text)))
    return [line for line in prose.splitlines() if TWO.search(line)]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_line_of_prose_holds_one_sentence(path):
    assert crowded(path.read_text(encoding="utf-8")) == []


def test_two_sentences_in_a_line_are_seen_and_code_is_left_alone():
    assert crowded("- **Read.** Run it (all). `x` is\nthere. *Two* more.")
    assert crowded("One.\nSee `a. B` and [c](d. E.md) e.g. this.\n\n    x. Y\n") == []
    assert crowded("Run:\n\n    x\n\nOne. Two.\n") == ["One. Two."]
    assert crowded("1. **Say. This.** One.\n```text\nOne. Two.\n```\n| A. B |\n") == []


# --- the README -----------------------------------------------------------------------


AFTER_60 = ("attention", "gpt")


def lines(place):
    """Count the lines of code of a file, or of a folder's files."""
    path = ROOT / place
    names = [f"{place}/{file.stem}" for file in path.glob("*.py")] or [place]
    names = [name.replace("/", ".") for name in names if not name.endswith(AFTER_60)]
    return sum(lines_of_code(importlib.import_module(name)) for name in names)


def test_the_readme_says_how_small_it_is():
    said = re.findall(r"\]\(([\w/]+?)/?(?:\.py)?\)[^|]*\| about ([\d,]+) \|", README)
    assert len(said) == 3
    for place, number in said:
        counted, rounded = lines(place), int(number.replace(",", ""))
        assert abs(counted - rounded) <= 0.05 * counted, f"{place}: {counted} lines"


def test_the_readme_is_short_and_its_film_is_light():
    assert len(README.splitlines()) <= 90
    (film,) = re.findall(r"^!\[.+\]\((.+)\)$", README, re.M)
    assert (ROOT / film).stat().st_size < 400_000
