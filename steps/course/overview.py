"""The course as a whole: its stages, its map, and the links between its lessons.

``steps/start.md`` is the map's text, with a heading for each stage. The lessons of a
stage are listed under it as links; the first of them says in its head where it begins.
"""

import re
from dataclasses import dataclass
from typing import Any

from .lessons import (
    MAP,
    CourseError,
    head,
    lesson_path,
    notebook_path,
    numbers,
    read_facts,
)

STAGE = re.compile(r"^### Stage \d+: (?P<title>.+)\n\nAfter it, (?P<gain>.+)$", re.M)
LINK = re.compile(r"\[([^][]+)\]\(((?:start|step\d\d)\.ipynb)\)")


@dataclass
class Stage:
    """A stage of the course: what it makes possible, and the titles of its steps."""

    title: str
    gain: str
    steps: dict[int, str]


def read_stages():
    """Read the stages of the map, each with the steps from its first on."""
    text = lesson_path(MAP).read_text(encoding="utf-8")
    stages, n = [Stage(title, gain, {}) for title, gain in STAGE.findall(text)], 1
    for number in numbers():
        n = read_facts(number).stage or n
        if n > len(stages):
            raise CourseError(f"Step {number} is in stage {n}: start.md lacks it.")
        stages[n - 1].steps[number] = head(number).title
    return stages


# --- Links ----------------------------------------------------------------------------


def add_links(text):
    """Add links to the lessons of each stage to the map's text."""
    for stage in read_stages():
        lines = [
            f"{number}. {make_link(title, number)}, {head(number).minutes} minutes"
            for number, title in stage.steps.items()
        ]
        text = text.replace(stage.gain, "\n".join([stage.gain, "", *lines]))
    return text


def make_link(text, number):
    # Notebooks that link to each other lie in one folder, here and in copies.
    return f"[{text}]({notebook_path(number).name})"


def make_navigation(number):
    """Make the line of links in a lesson: to the map, the lessons before and after."""
    course = numbers()
    position = course.index(number)
    links = [make_link("The map", MAP)] if lesson_path(MAP).exists() else []
    if position > 0:
        links.append(f"before: {_make_titled_link(course[position - 1])}")
    if position < len(course) - 1:
        links.append(f"next: {_make_titled_link(course[position + 1])}")
    return " · ".join(links)


def _make_titled_link(number):
    return make_link(f"{number}. {head(number).title}", number)


def remove_links(text, missing):
    """Turn the links of a text to some notebooks into plain words.

    Parameters
    ----------
    missing : callable
        Told the name of a file, says whether it is missing.
    """
    return LINK.sub(lambda link: link[1] if missing(link[2]) else link[0], text)


# --- The picture ----------------------------------------------------------------------


DOT = {"boxstyle": "circle,pad=0.25", "edgecolor": "C0", "facecolor": "C0"}
CENTRED: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 9}


def picture():
    """Show the course: a row for each stage, a dot for each step."""
    import matplotlib.pyplot as plt

    rows = read_stages()
    _, ax = plt.subplots(figsize=(9.5, 0.95 * len(rows)))
    for row, stage in enumerate(rows):
        title = f"{row + 1}  {stage.title[0].upper()}{stage.title[1:]}"
        ax.text(0, row - 0.23, title, weight="bold", va="bottom")
        ax.text(0, row + 0.2, f"After it, {stage.gain}", va="top", fontsize=9)
        ax.plot([0.1, len(stage.steps) - 0.5], [row, row], color="0.8", zorder=0)
        for column, number in enumerate(stage.steps):
            ax.text(column + 0.3, row, str(number), color="white", bbox=DOT, **CENTRED)
    ax.set(xlim=(-0.2, 15.5), ylim=(len(rows) - 0.2, -0.7))
    ax.axis("off")
    plt.show()
