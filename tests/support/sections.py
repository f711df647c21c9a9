"""Test data as text: Markdown with headings and code blocks."""

import re

BLOCK = re.compile(r"^```\w*\n(.*?)^```$", re.M | re.S)


def sections(path):
    """Return the content of each ``##`` of a file: its title, its words, and its
    blocks.
    """
    _, *parts = path.read_text(encoding="utf-8").split("\n## ")
    for part in parts:
        title, _, rest = part.partition("\n")
        yield title, BLOCK.sub("", rest).strip(), BLOCK.findall(rest)


def rows(path):
    """Read tables of capabilities: for each section its title, its words, and its only
    block, compiled, so that a failure shows its line in the file.
    """
    lines = path.read_text(encoding="utf-8").splitlines()
    for title, words, (code,) in sections(path):
        above = lines.index("```python", lines.index(f"## {title}")) + 1
        yield title, words, compile("\n" * above + code, path, "exec")


def markdown_table(corner, columns, rows):
    """Format the lines of a table; each row begins with its name."""
    lines = [[corner, *columns], [":---", *[":-:"] * len(columns)], *rows]
    return [f"| {' | '.join(map(str, line))} |" for line in lines]
