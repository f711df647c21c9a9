"""The course as a whole: its stages, its map, and the links between its lessons.

``steps/start.md`` is the map's text. A line in it such as ``8. Backward by a loop``
becomes a link as soon as lesson 8 is there, with the title that the lesson has.
"""

import re
from dataclasses import dataclass
from typing import Any

from .lessons import MAP, head, lesson_path, notebook_path, numbers

STAGE = re.compile(r"^### Stage \d+: (?P<title>.+)\n\nAfter it, (?P<gain>.+)$", re.M)
LINK = re.compile(r"\[([^][]+)\]\(((?:start|step\d\d)\.ipynb)\)")
LINE = re.compile(r"^(?P<number>\d+)\. (?P<title>.+)$", re.M)


@dataclass
class Stage:
    """A stage of the course: what it makes possible, and the titles of its steps."""

    title: str
    gain: str
    steps: dict[int, str]


def stages():
    """The stages, as the map lists them."""
    text = lesson_path(MAP).read_text(encoding="utf-8")
    pieces = iter(STAGE.split(text)[1:])  # title, gain and lines, in turn
    return [
        Stage(title, gain, {int(n): of_step for n, of_step in LINE.findall(lines)})
        for title, gain, lines in zip(pieces, pieces, pieces, strict=True)
    ]


# --- Links ----------------------------------------------------------------------------


def with_links(text):
    """The map's text, its lines of steps made links where the lesson is there."""

    def linked(line):
        number = int(line["number"])
        if number not in numbers():
            return line[0]
        facts = head(number)
        return f"{number}. {link(facts.title, number)}, {facts.minutes} minutes"

    return LINE.sub(linked, text)


def link(text, number):
    # Notebooks that link to each other lie in one folder, here and in copies.
    return f"[{text}]({notebook_path(number).name})"


def ways_on(number):
    """The line of links in a lesson: to the map, the lesson before, the next one."""
    steps = numbers()
    place = steps.index(number)
    ways = [link("The map", MAP)] if lesson_path(MAP).exists() else []
    if place > 0:
        ways.append(f"before: {_titled(steps[place - 1])}")
    if place < len(steps) - 1:
        ways.append(f"next: {_titled(steps[place + 1])}")
    return " · ".join(ways)


def _titled(number):
    return link(f"{number}. {head(number).title}", number)


def without_links_to(text, missing):
    """A text whose links to some notebooks are plain words.

    Parameters
    ----------
    missing : callable
        Told the name of a file, says whether it is missing.
    """
    return LINK.sub(lambda link: link[1] if missing(link[2]) else link[0], text)


# --- The picture ----------------------------------------------------------------------


DOT = {"boxstyle": "circle,pad=0.25", "edgecolor": "C0"}
CENTRED: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 9}


def picture():
    """Show the course: a row for each stage, a dot for each step; full dots are
    there.
    """
    import matplotlib.pyplot as plt

    there = set(numbers())
    rows = stages()
    _, ax = plt.subplots(figsize=(9.5, 0.95 * len(rows)))
    for row, stage in enumerate(rows):
        title = f"{row + 1}  {stage.title[0].upper()}{stage.title[1:]}"
        ax.text(0, row - 0.23, title, weight="bold", va="bottom")
        ax.text(0, row + 0.2, f"After it, {stage.gain}", va="top", fontsize=9)
        ax.plot([0.1, len(stage.steps) - 0.5], [row, row], color="0.8", zorder=0)
        for place, number in enumerate(stage.steps):
            full = number in there
            inside, around = ("C0", "white") if full else ("white", "C0")
            bbox = DOT | {"facecolor": inside}
            ax.text(place + 0.3, row, str(number), color=around, bbox=bbox, **CENTRED)
    ax.set(xlim=(-0.2, 15.5), ylim=(len(rows) - 0.2, -0.7))
    ax.axis("off")
    plt.show()
