"""Writes a page for each student, with verdicts, points and check messages.

Names and messages may come from students, so they are escaped.
"""

import re
from html import escape
from pathlib import Path

from .. import learner_folder
from ..judge.attempts import RIGHT
from ..lessons import CourseError, read_header
from ..student_copies import fill_template
from .answers import read_lesson
from .grading import award_points, look_up_points

PAGE = Path(__file__).with_name("templates") / "feedback.html"
# A check's message may contain a long list of numbers.
MAX_LETTERS = 2000
TITLE = re.compile(r"^### Exercise (\d+):? *(.*)$", re.MULTILINE)


def refuse_other_folder(folder):
    """Raise CourseError if a path exists and is not a folder of HTML pages only."""
    folder = Path(folder)
    pages = folder.is_dir() and all(p.suffix == ".html" for p in folder.iterdir())
    if folder.exists() and not pages:
        raise CourseError(f"{folder} contains other files: name a new folder.")


def write_feedback(folder, graded, points):
    """Write a page for each student who handed something in. Rename the folder first if
    it exists, and return its new path; otherwise, return None.
    """
    folder = Path(folder).resolve()
    old_folder = learner_folder.set_aside(folder) if folder.exists() else None
    folder.mkdir(parents=True)
    for submission in graded:
        if submission.owner:
            text = fill_template(PAGE, _describe_work(submission, points))
            path = _find_free_path(folder, submission)
            path.write_text(text, encoding="utf-8", newline="\n")
    return old_folder


def _find_free_path(folder, submission):
    """Find an unused path whose name tells the platform which student it is for."""
    prefix = submission.owner.prefix
    name = f"{prefix}feedback" if prefix else submission.student
    # Valid as a file name on every system, and without folders.
    name = re.sub(r"[^\w .@()+-]", "_", name).strip(". ")[:100] or "_"
    names = [f"{name}.html", *(f"{name}-{n}.html" for n in range(2, 1000))]
    return next(p for p in map(folder.joinpath, names) if not p.exists())


def _describe_work(submission, points):
    awarded, sections = award_points(submission, points), []
    possible = sum(look_up_points(n, points) for _, n in submission.verdicts)
    for (number, n), verdict in submission.verdicts.items():
        if n == 1:
            title = escape(read_header(number).title)
            sections.append(f"<h2>Step {number}: {title}</h2>")
        title = f"Exercise {n}: {_read_titles(number).get(n, '')}".removesuffix(": ")
        is_right = verdict == RIGHT
        words = "Right." if is_right else f"Not yet: {verdict[:MAX_LETTERS]}"
        sections.append(
            f'<section class="{"right" if is_right else "wrong"}"><h3>{escape(title)} '
            f"<span>{awarded[number, n]} of {look_up_points(n, points)}</span></h3>"
            f"<p>{escape(words)}</p></section>"
        )
    total = f"{sum(awarded.values())} of {possible} points"
    student, exercises = escape(submission.student), "\n".join(sections)
    return {"student": student, "points": total, "exercises": exercises}


def _read_titles(number):
    """Read the titles of a lesson's exercises, by number."""
    text = "\n".join(cell["source"] for cell in read_lesson(number)[0])
    return {int(n): title.replace("`", "") for n, title in TITLE.findall(text)}
