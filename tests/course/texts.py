"""What tests use that is text: programs, pages, what learners type."""

import re
from pathlib import Path

TOY = Path(__file__).parent / "toy"
# A heading, words about what follows, and code.
BLOCK = re.compile(r"^## ([^\n]+)\n\n(?:[^`\n]*\n)*```\w+\n(.*?)^```$", re.M | re.S)
# A heading, a list of what comes of it, and code.
CASE = re.compile(r"^## ([^\n]+)\n\n((?:- [^\n]+\n)+)\n```\w+\n(.*?)^```$", re.M | re.S)


def text(name):
    return (TOY / name).read_text(encoding="utf-8")


def blocks(name):
    """The pieces of code in a file, by the heading above each."""
    found = BLOCK.findall(text(name))
    assert len(found) == text(name).count("\n## "), "a heading or a block is misspelt"
    return dict(found)


def cases(name):
    """Pairs of what comes of it and code, by the heading above each."""
    found = {
        head: (said[2:-1].split("\n- "), x)
        for head, said, x in CASE.findall(text(name))
    }
    assert len(found) == text(name).count("\n## "), "a case is misspelt"
    return found
