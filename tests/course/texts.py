"""Texts for tests: programs, pages, and code that learners type."""

from pathlib import Path

from tests.support.sections import sections

TOY = Path(__file__).parent / "toy"


def text(name):
    return (TOY / name).read_text(encoding="utf-8")


def blocks(name):
    """Read the blocks of code in a file, by the heading above each."""
    return {title: code for title, _, (code,) in sections(TOY / name)}


def cases(name):
    """Read pairs of expected results (a list) and code, by the heading above each."""
    found = {}
    for title, words, (code,) in sections(TOY / name):
        found[title] = [line.removeprefix("- ") for line in words.splitlines()], code
    return found
