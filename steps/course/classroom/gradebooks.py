"""Makes tables of points as the gradebooks of Moodle and of Canvas take them: a row a
student, a column a lesson.

In either, who is not in the file keeps what they have; so does here whoever handed in
nothing.
"""

import itertools

from ..lessons import CourseError
from .grading import award_points, list_worths
from .roster import Person


def require_roster(people):
    """Raise CourseError where the roster is not enough for Moodle."""
    if not any(person.email or person.id for person in people):
        raise CourseError(
            "Moodle knows students by their e-mail or ID number: `--roster roster.csv` "
            "has to name the class, with one of the two."
        )


def make_moodle_rows(lessons, graded, points):
    """Make rows by e-mail or, where the roster has none, by ID number. Moodle takes
    nothing at all where it does not know one of them.
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
    """Make rows by Canvas's own number, which its files have, or by a roster's."""
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
    """Sum the points of exercises, lesson by lesson."""
    lessons = itertools.groupby(points, lambda exercise: exercise[0])
    return [sum(map(points.get, exercises)) for _, exercises in lessons]


MAKE_ROWS = {"moodle": make_moodle_rows, "canvas": make_canvas_rows}
