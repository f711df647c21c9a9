"""Wordings that nobody would say aloud, and that a search finds without false alarms.

They are looked for in lessons (text, code, messages, hints, and what the cells print),
in the README and in the docs.
"""

import json
import re

from steps.course.lessons import ROOT, lesson_path, notebook_path

# What is searched for, an example of it, and what to write instead.
BANNED = [
    (r"\bsays? that\b", "the cell says that x is 3", "the cell prints that x is 3"),
    (
        r"\bas often as you (?:like|want)\b",
        "as often as you like",
        "any number of times",
    ),
    (r"\ba ndarray\b", "a ndarray", "an ndarray"),
    (r"(?<![\w.,·])1 times\b", "called 1 times", "called once"),
    (r"\bin vain\b", "it waits in vain", "it waits, and nothing comes"),
    (r"\bnumber for number\b", "the same, number for number", "the same numbers"),
    (
        r"\b(?:derivatives?|slopes?) by [b-z]\d?\b",
        "the derivative by x",
        "the derivative with respect to x",
    ),
    (
        r"\bdifferentiat\w+ (?:\w+ )?by (?:its|their|[b-z]\d?)\b",
        "differentiate f by its second variable",
        "differentiate f with respect to its second variable",
    ),
    (r"\bare there all\b", "are there all rounds?", "is any round missing?"),
    (
        r"\b(?:graph|order|result)(?: of \w+)? is another one\b",
        "the graph of f is another one",
        "f has a different graph",
    ),
    (r"\bshall\b", "a network shall tell", "a network has to tell"),
    (r"\bin the manner of\b", "in the manner of Theano", "in Theano's way"),
    (r"\bwhat is no\b", "refuses what is no array", "rejects anything but an array"),
    (
        r"(?<!there )\bis no \w+ yet\b",
        "box is no Variable yet",
        "is not a Variable yet",
    ),
    (r"\bhow many \w+ has\b", "how many orders has a graph", "does a graph have"),
    (
        r"\bnobody has \w+ any more\b",
        "nobody has y any more",
        "no name refers to y any more",
    ),
    (
        r"\bstands? (?:how often|under|at|above|behind|between|in(?! for| front))\b",
        "in row i stands how often",
        "row i counts how often",
    ),
    (
        r", for (?:it|they|we|there|he|she) (?!to\b|then\b|and\b)\w+",
        "it stops, for it has no end",
        "it stops, because it has no end",
    ),
    (
        r"\bhas to be said to\b",
        "it has to be said to backward",
        "backward has to be told",
    ),
    (r"\bthe question how\b", "the question how many came out", "a check on how many"),
    (r"\bfunctions for people\b", "functions for people", "plain functions to call"),
    (
        r"\bassertions? (?:allows?|in the folded cell says?)\b",
        "the assertion allows half of it",
        "the two differ by less than half",
    ),
]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]


def one_line(text):
    """Text without line breaks, and strings that go on in the next line as one."""
    return " ".join(re.sub(r'"\s*\n\s*f?"', "", text).split())


def of_lesson(number):
    """The lesson as it is written, and all that its cells print."""
    cells = json.loads(notebook_path(number).read_text(encoding="utf-8"))["cells"]
    printed = [
        "".join(output.get("text", ""))
        for cell in cells
        for output in cell.get("outputs", ())
    ]
    written = lesson_path(number).read_text(encoding="utf-8")
    return "\n".join([written, *printed])


def complaints(name, text):
    text = one_line(text)
    return [
        f"{name}: “{text[max(0, m.start() - 30) : m.end() + 30]}”: as for “{example}”, "
        f"say “{instead}”"
        for pattern, example, instead in BANNED
        for m in re.finditer(pattern, text, re.IGNORECASE)
        if not m[0].startswith("Say that")  # let us say
    ]
