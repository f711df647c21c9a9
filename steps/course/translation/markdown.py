"""The units of a Markdown text: paragraphs, headings, list items and table cells."""

import re

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

PARSER = MarkdownIt("commonmark").enable("table").use(dollarmath_plugin)
SUMMARY = re.compile(r"(?<=<summary>)[^<]+(?=</summary>)")
CODE = re.compile(r"(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)", re.DOTALL)
FORMULA = re.compile(r"\$\$?[^$]+\$\$?")
WORD = re.compile(r"[^\W\d_]{2}")


def replace_units(text, translate):
    """Replace each unit of a Markdown text.

    Parameters
    ----------
    translate : callable
        Takes a unit, joined to one line, and returns its translation.
    """
    lines = text.split("\n")
    cells: list[str] = []
    # What replaces a line, and the number of the line at which the text goes on.
    replaced: dict[int, tuple[int, str]] = {}
    in_row = False
    for token in PARSER.parse(text):
        start, end = token.map or (0, 0)
        if token.type == "tr_open":
            in_row, row, cells = True, start, []
        elif token.type == "tr_close":
            in_row, replaced[row] = False, (row + 1, f"| {' | '.join(cells)} |")
        elif token.type == "inline" and in_row:
            cells.append(_replace_unit(token.content, translate).replace("|", r"\|"))
        elif token.type == "inline":
            prefix = lines[start][: lines[start].index(token.content.split("\n")[0])]
            replaced[start] = end, prefix + _replace_unit(token.content, translate)
    result, position = [], 0
    while position < len(lines):
        position, line = replaced.get(position, (position + 1, lines[position]))
        result.append(line)
    return SUMMARY.sub(lambda title: translate(title[0]), "\n".join(result))


def _replace_unit(content, translate):
    unit = " ".join(content.split())
    return translate(unit) if has_words(unit) else content


def has_words(unit):
    """Return whether a unit has words, not only code and formulas."""
    return bool(WORD.search(FORMULA.sub("", CODE.sub("", unit))))
