"""The course as a whole: its stages, its map, and the links between its lessons.

``steps/start.md`` is the text of the map, with a heading for each stage, below which
the links to the stage's lessons are added. The settings of a stage's first lesson name
the stage.
"""

import re
from dataclasses import dataclass
from html import escape

from .lessons import (
    MAP,
    CourseError,
    lesson_path,
    notebook_path,
    numbers,
    read_front_matter,
    read_header,
)

STAGE = re.compile(r"^### Stage \d+: (?P<title>.+)\n\nBy the end, (?P<gain>.+)$", re.M)
LINK = re.compile(r"\[([^][]+)\]\(((?:start|step\d\d)\.ipynb)\)")


@dataclass
class Stage:
    """A stage of the course: what learners gain from it, and its steps' titles."""

    title: str
    gain: str
    steps: dict[int, str]


def read_stages():
    """Read the stages of the map, each with its steps."""
    text = lesson_path(MAP).read_text(encoding="utf-8")
    stages, n = [Stage(title, gain, {}) for title, gain in STAGE.findall(text)], 1
    for number in numbers():
        n = read_front_matter(number).stage or n
        if n > len(stages):
            raise CourseError(f"Step {number} of stage {n} is missing from start.md.")
        stages[n - 1].steps[number] = read_header(number).title
    return stages


# --- Links ----------------------------------------------------------------------------


def add_links(text):
    """Add the links to the lessons of each stage, and the totals of lessons and hours,
    to the text of the map.
    """
    course = numbers()
    text = text.replace("{first lesson}", _make_titled_link(course[0]))
    text = text.replace("{lessons}", str(len(course)))
    text = text.replace("{hours}", str(count_hours(course)))
    for stage in read_stages():
        lines = [
            f"{n}. {make_link(title, n)}, {read_header(n).minutes} minutes"
            for n, title in stage.steps.items()
        ]
        text = text.replace(stage.gain, "\n".join([stage.gain, "", *lines]))
    return text


def count_hours(chosen):
    """Count the hours that lessons take, exercises included."""
    return round(sum(read_header(number).minutes for number in chosen) / 60)


def make_link(text, number):
    # Notebooks that link to each other share a folder, here and in copies.
    return f"[{text}]({notebook_path(number).name})"


def make_navigation(number):
    """Make a lesson's line of links: to the map, the previous and the next lesson."""
    course = numbers()
    position = course.index(number)
    links = [make_link("The map", MAP)] if lesson_path(MAP).exists() else []
    if position > 0:
        links.append(f"before: {_make_titled_link(course[position - 1])}")
    if position < len(course) - 1:
        links.append(f"next: {_make_titled_link(course[position + 1])}")
    return " · ".join(links)


def _make_titled_link(number):
    return make_link(f"{number}. {read_header(number).title}", number)


def remove_links(text, missing):
    """Replace links to missing notebooks with plain text.

    Parameters
    ----------
    missing : callable
        Takes a file name and returns whether the file is missing.
    """
    return LINK.sub(lambda link: link[1] if missing(link[2]) else link[0], text)


# --- The picture ----------------------------------------------------------------------


DOT = (
    "display:inline-block; width:2em; line-height:2em; margin:0.1em; color:white; "
    "background:#0072b2; border-radius:50%; text-align:center; text-decoration:none"
)


def picture():
    """Show the course: a row for each stage, with a clickable dot for each step."""
    from IPython.display import HTML

    return HTML(make_dots(lambda number: notebook_path(number).name, f' style="{DOT}"'))


def make_dots(make_address, style="", gains=False):
    """Make the HTML of the stages, with dots that link to the lessons."""
    from .translation.notebooks import make_translate

    translate, rows = make_translate(MAP), ['<div class="course-stages">']
    for count, stage in enumerate(read_stages(), 1):
        title = translate(stage.title)
        title = escape(f"{count}  {title[0].upper()}{title[1:]}")
        rows += [f"<p><strong>{title}</strong></p>", "<p>"]
        for number, title in stage.steps.items():
            words = escape(translate(f"Step {number}: {title}"))
            facts = (
                f'href="{make_address(number)}" title="{words}" aria-label="{words}"'
            )
            rows.append(f"<a {facts}{style}>{number}</a>")
        rows.append("</p>")
        rows += [f"<p>{escape(translate(f'By the end, {stage.gain}'))}</p>"] * gains
    return "\n".join([*rows, "</div>", ""])
