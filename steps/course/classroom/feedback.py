"""A page for each student: what is right, and what the check says of the rest.

Names and what checks say come from students; on the page they are text.
"""

import re
from html import escape
from pathlib import Path
from string import Template

from .. import learner_folder
from ..judge.attempts import RIGHT
from ..lessons import CourseError, head
from .answers import lesson
from .grading import points_got, points_of

PAGE = Path(__file__).with_name("templates") / "feedback.html"
# What a check says may repeat a list of many numbers.
LONGEST = 2000
TITLE = re.compile(r"^### Exercise (\d+):? *(.*)$", re.MULTILINE)


def refuse_other_folder(folder):
    """Raise CourseError if a folder holds what is no page of ours."""
    folder = Path(folder)
    pages = folder.is_dir() and all(p.suffix == ".html" for p in folder.iterdir())
    if folder.exists() and not pages:
        raise CourseError(f"{folder} holds other things: name a new folder for pages.")


def write_feedback(folder, graded, points):
    """Write the pages of those who handed something in. A folder of pages that is there
    already is set aside; return where, or None.
    """
    folder = Path(folder).resolve()
    aside = learner_folder.set_aside(folder) if folder.exists() else None
    folder.mkdir(parents=True)
    page = Template(PAGE.read_text(encoding="utf-8"))
    for one in graded:
        if one.owner:
            text = page.substitute(_fields(one, points))
            _free(folder, one).write_text(text, encoding="utf-8", newline="\n")
    return aside


def _free(folder, one):
    """A path of its own, with the name by which a platform knows the student."""
    prefix = one.owner.prefix
    name = f"{prefix}feedback" if prefix else one.student
    # As every system takes it, and no path.
    name = re.sub(r"[^\w .@()+-]", "_", name).strip(". ")[:100] or "_"
    names = [f"{name}.html", *(f"{name}-{n}.html" for n in range(2, 1000))]
    return next(p for p in map(folder.joinpath, names) if not p.exists())


def _fields(one, points):
    got, parts = points_got(one, points), []
    possible = sum(points_of(n, points) for _, n in one.outcomes)
    for (step, n), outcome in one.outcomes.items():
        if n == 1:
            parts.append(f"<h2>Step {step}: {escape(head(step).title)}</h2>")
        title = f"Exercise {n}: {_titles(step).get(n, '')}".removesuffix(": ")
        right = outcome == RIGHT
        said = "Right." if right else f"Not yet: {outcome[:LONGEST]}"
        parts.append(
            f'<section class="{"right" if right else "wrong"}"><h3>{escape(title)} '
            f"<span>{got[step, n]} of {points_of(n, points)}</span></h3>"
            f"<p>{escape(said)}</p></section>"
        )
    total = f"{sum(got.values())} of {possible} points"
    student, exercises = escape(one.student), "\n".join(parts)
    return {"student": student, "points": total, "exercises": exercises}


def _titles(number):
    """The titles of a lesson's exercises, by their numbers."""
    text = "\n".join(cell["source"] for cell in lesson(number)[0])
    return {int(n): title.replace("`", "") for n, title in TITLE.findall(text)}
