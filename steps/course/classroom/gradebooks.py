"""Makes tables of points for the gradebooks of Moodle and Canvas: a row for each
student, and a column for each lesson.

Both gradebooks keep the points of students who are not in the file. Students who handed
in nothing are therefore left out.
"""

import itertools

from ..lessons import CourseError
from .grading import award_points, list_worths
from .roster import Person


def require_roster(people):
    """Raise CourseError if the roster has neither e-mail addresses nor IDs."""
    if not any(person.email or person.id for person in people):
        raise CourseError(
            "Moodle identifies students by e-mail address or ID number: pass `--roster "
            "roster.csv` with one of the two for each student."
        )


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
