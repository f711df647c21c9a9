"""Judges all submissions, and writes the points."""

import csv
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from .. import learner_folder
from ..judge import sequence
from ..judge.cells import plain
from ..judge.sequence import RIGHT, SECONDS
from ..lessons import CourseError, known
from .answers import Answers, bound, cells_to_run, compiles, lesson, source_of
from .submissions import Submission, handed_in, submissions

# An exercise takes about as many minutes.
POINTS = (3, 5, 8)
NOT_BEGUN = "nothing was written"
# Of a notebook's cells; a lesson has a tenth of it.
LONGEST = 1_000_000


@dataclass
class Graded:
    """What a student gets: the outcome of each exercise, by lesson and number, and
    what is to be said beside that.
    """

    student: str
    outcomes: dict[tuple[int, int], str]
    said: list[str] = field(default_factory=list)
    submission: Submission | None = None

    def points(self, worth):
        """What each exercise brings, by lesson and number."""
        outcomes = self.outcomes.items()
        return {k: points_of(k[1], worth) * (said == RIGHT) for k, said in outcomes}

    def first_wrong(self):
        """The first thing that went wrong, in words."""
        for (step, exercise), outcome in self.outcomes.items():
            if outcome != RIGHT:
                return f"{step}.{exercise}: {_line(outcome)}"
        return ""


def worth(points, lessons):
    """What the exercises of lessons bring; from the last one named on, the same."""
    tasks = [(number, n) for number in lessons for n in lesson(number)[1]]
    return {(number, n): points_of(n, points) for number, n in tasks}


def points_of(exercise, points):
    return points[min(exercise, len(points)) - 1]


def grade(
    folder, chosen=(), seconds=SECONDS, jobs=None, told=lambda graded: None, people=()
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
        Told each Graded when it is there.
    people : list of roster.Person, optional
        The class, whose names the table then has.

    Returns
    -------
    list of int, list of Graded
        The lessons, and the students in the order of their names.
    """
    found = submissions(folder, people)
    lessons = list(dict.fromkeys(map(known, chosen))) or handed_in(found)
    for number in lessons:
        if not lesson(number)[1]:
            raise CourseError(f"Step {number} has no exercises.")
    with ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        graded = []
        for one in pool.map(lambda one: _student(one, lessons, seconds), found):
            told(one)
            graded.append(one)
    return lessons, graded


def _student(one, lessons, seconds):
    graded = Graded(one.student, {}, list(one.said), one)
    for number in lessons:
        outcomes, said = _all(number, "there is no notebook of this lesson"), []
        try:
            if number in one.notebooks:
                outcomes, said = grade_notebook(number, one.notebooks[number], seconds)
        except Exception as error:  # whatever it is, the others are to be graded
            reason = f"cannot be graded ({type(error).__name__}: {_line(error)})"
            outcomes = _all(number, reason)
        graded.outcomes |= {(number, n): told for n, told in outcomes.items()}
        graded.said += [f"{number}.{told}" for told in said]
    for number in sorted(set(one.notebooks) - set(lessons)):
        graded.said.append(f"lesson {number} was handed in, and not asked for")
    return graded


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
        if text and compiles(text) and not (bound(text) & task.asks_for):
            # The lesson may have something of that name, which must not be judged.
            outcomes[n] = f"defines no {', '.join(sorted(task.asks_for))}"
            answers.texts[n] = None
    cells = cells_to_run(number, answers)
    asked = frozenset().union(*(t.asks_for for t in lesson(number)[1].values()))
    found, noticed = sequence.judge(cells, seconds=seconds, asked=asked)
    return outcomes | found, [*answers.odd, *noticed]


# --- The points -----------------------------------------------------------------------


def table(lessons, graded, points=POINTS):
    """A row a student, a column an exercise, for a teacher to read."""
    worths = worth(points, lessons)
    columns = [f"{step}.{n} ({worths[step, n]})" for step, n in worths]
    after = [f"total ({sum(worths.values())})", "first wrong", "to look at"]
    rows = [["student", *columns, *after]]
    for one in graded:
        got = one.points(points).values()
        said = "; ".join(map(_line, one.said))
        rows.append([one.student, *got, sum(got), one.first_wrong(), said])
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
    return plain(line)


def _cell(value):
    """A spreadsheet takes what begins like this for a formula, and computes it."""
    risky = isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t"))
    return f"'{value}" if risky else value
