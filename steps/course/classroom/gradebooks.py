"""Points in the form in which the gradebooks of Moodle and of Canvas take them: a row a
student, a column a lesson.

In either, who is not in the file keeps what they have; so does here whoever handed in
nothing.
"""

from ..lessons import CourseError
from .grading import worth


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
    people = [one for one in graded if handed_in(one) and one.submission.person]
    key = "email" if any(one.submission.person.email for one in people) else "id"
    known = [one for one in people if getattr(one.submission.person, key)]
    rows = [["Full name", "ID number", "Email address", *map(_title, lessons)]]
    for one in known:
        person, got = one.submission.person, _of_lessons(one, lessons, points)
        rows.append([person.name, person.id, person.email, *got])
    return rows


def for_canvas(lessons, graded, points):
    """Known by Canvas's own number, which its files have, or by what a roster has."""
    worths = worth(points, lessons)
    possible = [sum(worths[key] for key in worths if key[0] == n) for n in lessons]
    who = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
    rows = [[*who, *map(_title, lessons)], ["Points Possible", *[""] * 4, *possible]]
    for one in filter(handed_in, graded):
        person, owner = one.submission.person, one.submission.owner
        ids = [one.student, owner.canvas, "", "", ""]
        if person:
            login = person.login or person.email
            canvas = person.canvas or owner.canvas
            ids = [person.name, canvas, person.id, login, person.section]
        rows.append([*ids, *_of_lessons(one, lessons, points)])
    return rows


def handed_in(one):
    """Whether somebody handed in anything."""
    return one.submission.owner is not None


def _title(number):
    return f"Step {number}"


def _of_lessons(one, lessons, points):
    worths = worth(points, lessons)
    got = {key: one.points(key, value) for key, value in worths.items()}
    return [sum(got[key] for key in got if key[0] == number) for number in lessons]
