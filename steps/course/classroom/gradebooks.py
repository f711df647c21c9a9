"""Points in the form in which the gradebooks of Moodle and of Canvas take them: a row a
student, a column a lesson.

In either, who is not in the file keeps what they have; so does here whoever handed in
nothing.
"""

import itertools

from ..lessons import CourseError
from .grading import points_got, worth
from .roster import Person


def need_roster(people):
    """Raise CourseError where the roster is not enough for Moodle."""
    if not any(one.email or one.id for one in people):
        raise CourseError(
            "Moodle knows students by their e-mail or ID number: `--roster roster.csv` "
            "has to name the class, with one of the two."
        )


def for_moodle(lessons, graded, points):
    """Known by their e-mail or, where the roster has none, by their ID number. Moodle
    takes nothing at all where it does not know one of them.
    """
    people = {one.person: one for one in graded if one.owner and one.person}
    key = "email" if any(person.email for person in people) else "id"
    titles = [f"Step {number}" for number in lessons]
    rows = [["Full name", "ID number", "Email address", *titles]]
    for person, one in people.items():
        if getattr(person, key):
            got = _by_lesson(points_got(one, points))
            rows.append([person.name, person.id, person.email, *got])
    return rows


def for_canvas(lessons, graded, points):
    """Known by Canvas's own number, which its files have, or by what a roster has."""
    possible = _by_lesson(worth(points, lessons))
    titles = [f"Step {number}" for number in lessons]
    who = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
    rows = [[*who, *titles], ["Points Possible", *[""] * 4, *possible]]
    for one in graded:
        if one.owner:
            person = one.person or Person(one.student)
            canvas, login = (
                person.canvas or one.owner.canvas,
                person.login or person.email,
            )
            ids = [person.name, canvas, person.id, login, person.section]
            rows.append([*ids, *_by_lesson(points_got(one, points))])
    return rows


def _by_lesson(points):
    """Points of exercises, lesson by lesson."""
    exercises = itertools.groupby(points.items(), lambda item: item[0][0])
    return [sum(brings for _, brings in some) for _, some in exercises]
