"""Wordings that nobody would say aloud, and that a search finds without false alarms.

They are looked for in lessons (text, code, messages, hints, and the cells' output), in
the README and in the docs.
"""

import json
import re
from pathlib import Path

from steps.course.lessons import ROOT, lesson_path, notebook_path

# The pattern to search for, an example of it, and what to write instead.
TABLE = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
BANNED = [row.splitlines() for row in TABLE.split("\n\n")]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]
PAGES += [*ROOT.glob("*.py"), *(ROOT / "examples").glob("*.py")]
PAGES += [*(ROOT / "benchmarks").glob("*.py"), *(ROOT / "docs" / "_ext").glob("*.py")]
PAGES += (ROOT / "steps" / "course").rglob("*.py")
PAGES += (ROOT / "steps" / "course").rglob("*.md")
# It shows what to avoid.
PAGES.remove(ROOT / "docs" / "style.md")


def one_line(text):
    """Join a text into one line, and strings that continue on the next line
    into one.
    """
    return " ".join(re.sub(r'"\s*\n\s*f?"', "", text).split())


def of_lesson(number):
    """Return the lesson's source, and everything that its cells print."""
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
        if not m[0].startswith("Say that")  # as in “let us say that”
    ]
