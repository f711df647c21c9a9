"""Makes and writes the table of a class's points: for teachers, or for the gradebooks
of Moodle and Canvas, with a row for each student and a column for each lesson.

Both gradebooks keep the points of students who are not in the file. Students who handed
in nothing are therefore left out.
"""

import csv
import itertools
from pathlib import Path

from .. import learner_folder
from ..lessons import CourseError
from .grading import award_points, find_first_wrong, list_worths, take_first_line
from .roster import Person


def require_roster(people):
    """Raise CourseError if the roster has neither e-mail addresses nor IDs."""
    if not any(person.email or person.id for person in people):
        raise CourseError(
            "Moodle identifies students by e-mail address or ID number: pass `--roster "
            "roster.csv` with one of the two for each student."
        )


def make_teacher_rows(lessons, graded, points):
    """Make rows for teachers: one per student, with a column per exercise."""
    worths = list_worths(points, lessons)
    columns = [f"{number}.{n} ({worths[number, n]})" for number, n in worths]
    last_columns = [f"total ({sum(worths.values())})", "first wrong", "to look at"]
    rows = [["student", *columns, *last_columns]]
    for submission in graded:
        awarded = award_points(submission, points).values()
        remarks = "; ".join(map(take_first_line, submission.remarks))
        row = [submission.student, *awarded, sum(awarded)]
        rows.append([*row, find_first_wrong(submission), remarks])
    return rows


def make_moodle_rows(lessons, graded, points):
    """Make Moodle's rows, for students with an e-mail address or, if the roster has
    none, an ID number. Moodle rejects the whole file if it does not know one student.
    """
    submissions = {each.person: each for each in graded if each.owner and each.person}
    key = "email" if any(person.email for person in submissions) else "id"
    titles = [f"Step {number}" for number in lessons]
    rows = [["Full name", "ID number", "Email address", *titles]]
    for person, submission in submissions.items():
        if getattr(person, key):
            awarded = _sum_by_lesson(award_points(submission, points))
            rows.append([person.name, person.id, person.email, *awarded])
    return rows


def make_canvas_rows(lessons, graded, points):
    """Make Canvas's rows, with Canvas's own IDs from the roster or the file names."""
    possible = _sum_by_lesson(list_worths(points, lessons))
    titles = [f"Step {number}" for number in lessons]
    headings = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
    rows = [[*headings, *titles], ["Points Possible", *[""] * 4, *possible]]
    for submission in graded:
        if submission.owner:
            person = submission.person or Person(submission.student)
            canvas = person.canvas or submission.owner.canvas
            login = person.login or person.email
            ids = [person.name, canvas, person.id, login, person.section]
            rows.append([*ids, *_sum_by_lesson(award_points(submission, points))])
    return rows


def _sum_by_lesson(points):
    """Return the total points of each lesson's exercises."""
    lessons = itertools.groupby(points, lambda exercise: exercise[0])
    return [sum(map(points.get, exercises)) for _, exercises in lessons]


MAKE_ROWS = {"moodle": make_moodle_rows, "canvas": make_canvas_rows}


def write_csv(path, rows, encoding):
    """Write a table of points. Rename the file first if it exists, and return its new
    path; otherwise, return None.

    With the encoding utf-8-sig, the file begins with a mark by which spreadsheets
    recognise UTF-8.
    """
    path = Path(path)
    old_table = learner_folder.set_aside(path) if path.exists() else None
    with path.open("x", encoding=encoding, newline="") as file:
        csv.writer(file).writerows(map(_escape_formula, row) for row in rows)
    return old_table


def _escape_formula(value):
    """Quote a value that a spreadsheet would evaluate as a formula."""
    risky = isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t"))
    return f"'{value}" if risky else value
