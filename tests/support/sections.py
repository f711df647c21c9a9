"""Data of tests that are text: Markdown with headings and blocks of code."""

import re

BLOCK = re.compile(r"^```\w*\n(.*?)^```$", re.M | re.S)


def sections(path):
    """What stands under each ``##`` of a file: its title, its words, and its blocks."""
    _, *parts = path.read_text(encoding="utf-8").split("\n## ")
    for part in parts:
        title, _, rest = part.partition("\n")
        yield title, BLOCK.sub("", rest).strip(), BLOCK.findall(rest)


def rows(path):
    """Tables of what can be done: for each section its title, its words, and its only
    block, compiled. Where it fails, its line in the file is told.
    """
    lines = path.read_text(encoding="utf-8").splitlines()
    for title, words, (code,) in sections(path):
        above = lines.index("```python", lines.index(f"## {title}")) + 1
        yield title, words, compile("\n" * above + code, path, "exec")


def markdown_table(corner, columns, rows):
    """The lines of a table; each row begins with its name."""
    lines = [[corner, *columns], [":---", *[":-:"] * len(columns)], *rows]
    return [f"| {' | '.join(map(str, line))} |" for line in lines]
