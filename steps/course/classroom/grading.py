"""Judges all submissions, and writes the points."""

import csv
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .. import learner_folder
from ..judge import attempts
from ..judge.attempts import RIGHT, SECONDS
from ..judge.cell_text import is_python
from ..judge.cells import make_printable
from ..lessons import CourseError, known
from .answers import Answers, cells_to_run, lesson, source_of
from .submissions import handed_in, submissions

# An exercise takes about as many minutes.
POINTS = (3, 5, 8)
NOT_BEGUN = "nothing was written"
# Of a notebook's cells; a lesson has a tenth of it.
LONGEST = 1_000_000


def points_got(one, points):
    """What each exercise brings a student, by lesson and number."""
    outcomes = one.outcomes.items()
    return {key: points_of(key[1], points) * (said == RIGHT) for key, said in outcomes}


def first_wrong(one):
    """The first thing that went wrong, in words."""
    outcomes = one.outcomes.items()
    wrong = (f"{s}.{n}: {_line(said)}" for (s, n), said in outcomes if said != RIGHT)
    return next(wrong, "")


def worth(points, lessons):
    """What the exercises of lessons bring; from the last one named on, the same."""
    tasks = [(number, n) for number in lessons for n in lesson(number)[1]]
    return {(number, n): points_of(n, points) for number, n in tasks}


def points_of(exercise, points):
    return points[min(exercise, len(points)) - 1]


def grade(
    folder, chosen=(), seconds=SECONDS, jobs=None, told=lambda one: None, people=()
):
    """Judge all submissions in a folder.

    Parameters
    ----------
    folder : path
        Holds a file or a folder for each student.
    chosen : list of int, optional
        The lessons that were asked for; all that anybody handed in if not given.
    seconds : float
        What an answer, or its check, may take.
    jobs : int, optional
        Notebooks judged at once; one a core if not given.
    told : callable
        Told each Submission when it is judged.
    people : list of roster.Person, optional
        The class, whose names the table then has.

    Returns
    -------
    list of int, list of Submission
        The lessons, and the students in the order of their names, with their outcomes.
    """
    found = submissions(folder, people)
    lessons = list(dict.fromkeys(map(known, chosen))) or handed_in(found)
    for number in lessons:
        if not lesson(number)[1]:
            raise CourseError(f"Step {number} has no exercises.")
    with ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        for one in pool.map(lambda one: _judged(one, lessons, seconds), found):
            told(one)
    return lessons, found


def _judged(one, lessons, seconds):
    for number in lessons:
        outcomes, said = _all(number, "there is no notebook of this lesson"), []
        try:
            if number in one.notebooks:
                outcomes, said = grade_notebook(number, one.notebooks[number], seconds)
        except Exception as error:  # whatever it is, the others are to be graded
            reason = f"cannot be graded ({type(error).__name__}: {_line(error)})"
            outcomes = _all(number, reason)
        one.outcomes |= {(number, n): told for n, told in outcomes.items()}
        one.said += [f"{number}.{told}" for told in said]
    for number in sorted(set(one.notebooks) - set(lessons)):
        one.said.append(f"lesson {number} was handed in, and not asked for")
    return one


def _all(number, outcome):
    return dict.fromkeys(lesson(number)[1], outcome)


def grade_notebook(number, notebook, seconds=SECONDS):
    """The outcomes of a notebook's exercises by number, and what was odd, each
    beginning with the number of the exercise.
    """
    if sum(len(source_of(cell)) for cell in notebook["cells"]) > LONGEST:
        raise ValueError(f"it has more than {LONGEST:,} letters")
    answers = Answers(number, notebook)
    outcomes = _all(number, NOT_BEGUN)
    for n, task in lesson(number)[1].items():
        text = answers.texts[n]
        if text and is_python(text) and not task.is_defined_in(text):
            # The lesson may have something of that name, which must not be judged.
            outcomes[n] = f"defines no {', '.join(sorted(task.asks_for))}"
            answers.texts[n] = None
    cells = cells_to_run(number, answers)
    asked = frozenset().union(*(t.asks_for for t in lesson(number)[1].values()))
    found, noticed = attempts.judge(cells, seconds=seconds, requested_names=asked)
    return outcomes | found, [*answers.odd, *noticed]


# --- The points -----------------------------------------------------------------------


def table(lessons, graded, points=POINTS):
    """A row a student, a column an exercise, for a teacher to read."""
    worths = worth(points, lessons)
    columns = [f"{step}.{n} ({worths[step, n]})" for step, n in worths]
    after = [f"total ({sum(worths.values())})", "first wrong", "to look at"]
    rows = [["student", *columns, *after]]
    for one in graded:
        got = points_got(one, points).values()
        said = "; ".join(map(_line, one.said))
        rows.append([one.student, *got, sum(got), first_wrong(one), said])
    return rows


def write_points(path, rows, encoding):
    """Write a table. One that is there already is set aside; return where, or None.

    With the mark of utf-8-sig at its beginning, spreadsheets read it as UTF-8.
    """
    path = Path(path)
    aside = learner_folder.set_aside(path) if path.exists() else None
    with path.open("x", encoding=encoding, newline="") as file:
        csv.writer(file).writerows([_cell(value) for value in row] for row in rows)
    return aside


def _line(text):
    """The first line of what was said, in letters that every program can show."""
    line = (str(text).strip().splitlines() or [""])[0][:200]
    return make_printable(line)


def _cell(value):
    """A spreadsheet takes what begins like this for a formula, and computes it."""
    risky = isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t"))
    return f"'{value}" if risky else value
