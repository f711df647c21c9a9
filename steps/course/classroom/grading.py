"""Judges all submissions, and awards the points."""

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any

from ..judge import attempts
from ..judge.attempts import RIGHT, SECONDS
from ..judge.cell_text import is_python
from ..judge.cells import make_printable
from ..lessons import CourseError, known
from .answers import Answers, list_cells_to_run, read_lesson, read_source
from .submissions import list_lessons, read_submissions

# The points for a lesson's exercises, which take about as many minutes.
POINTS = (3, 5, 8)
NOT_BEGUN = "nothing was written"
# Limit for all cells of a notebook, in characters; lessons have less than a tenth.
MAX_LETTERS = 1_000_000


def award_points(submission, points):
    """Return a student's points, by lesson and exercise number."""
    verdicts = submission.verdicts
    worths = {key: look_up_points(key[1], points) for key in verdicts}
    return {key: worths[key] * (verdicts[key] == RIGHT) for key in verdicts}


def find_first_wrong(submission):
    """Describe a student's first exercise that is not right; "" if all are right."""
    for (number, n), verdict in submission.verdicts.items():
        if verdict != RIGHT:
            return f"{number}.{n}: {take_first_line(verdict)}"
    return ""


def list_worths(points, lessons):
    """Return the points of lessons' exercises, by lesson and exercise number."""
    exercises = [(number, n) for number in lessons for n in read_lesson(number)[1]]
    return {(number, n): look_up_points(n, points) for number, n in exercises}


def look_up_points(exercise, points):
    """Look up the points of an exercise; the last value also holds for later ones."""
    return points[min(exercise, len(points)) - 1]


def judge_submissions(
    folder, chosen=(), seconds=SECONDS, jobs=None, report=lambda *_: None, people=()
):
    """Judge all submissions in a folder.

    Parameters
    ----------
    folder : path
        A folder, or a zip of one, with a file or a folder for each student.
    chosen : list of int, optional
        The lessons to judge; by default, all that anybody handed in.
    seconds : float
        Time limit for an answer, and for its check.
    jobs : int, optional
        How many notebooks to judge at once; by default, one per core.
    report : callable
        Called after each notebook with the number of notebooks, and the Submission if
        this was its last notebook, or None.
    people : list of roster.Person, optional
        The class; the table then has the names in the roster.

    Returns
    -------
    list of int, list of Submission
        The lessons, and the submissions with verdicts, sorted by student.
    """
    submissions = read_submissions(folder, people)
    lessons = list(dict.fromkeys(map(known, chosen))) or list_lessons(submissions)
    for number in lessons:
        if not read_lesson(number)[1]:
            raise CourseError(f"Step {number} has no exercises.")
    _note_equal_answers(lessons, submissions)
    pairs = [(submission, number) for submission in submissions for number in lessons]
    judge = partial(_judge_lesson, seconds)
    with ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        for (submission, number), found in zip(
            pairs, pool.map(judge, pairs), strict=True
        ):
            verdicts, remarks = found
            submission.verdicts |= {(number, n): v for n, v in verdicts.items()}
            submission.remarks += [f"{number}.{remark}" for remark in remarks]
            is_last = number == lessons[-1]
            if is_last:
                _note_other_lessons(lessons, submission)
            report(len(pairs), submission if is_last else None)
    return lessons, submissions


def _note_equal_answers(lessons, submissions):
    """Add remarks on equal answers of several students; comments do not count."""
    owners: dict[tuple[int, int, str], list[Any]] = {}
    for submission in submissions:
        for number in set(lessons) & submission.notebooks.keys():
            with suppress(Exception):  # judging it will report the error
                answers = Answers(number, submission.notebooks[number])
                for n in answers.texts:
                    if digest := answers.digest(n):
                        owners.setdefault((number, n, digest), []).append(submission)
    for (number, n, digest), having in owners.items():
        for submission in having if len(having) > 1 else ():
            remark = f"{number}.{n}: {len(having)} gave this answer ({digest[:4]})"
            submission.remarks.append(remark)


def _judge_lesson(seconds, pair):
    submission, number = pair
    if number not in submission.notebooks:
        return _give_all(number, "there is no notebook for this lesson"), []
    try:
        return judge_notebook(number, submission.notebooks[number], seconds)
    except Exception as error:  # the others still have to be graded
        reason = f"{type(error).__name__}: {take_first_line(error)}"
        return _give_all(number, f"cannot be graded ({reason})"), []


def _note_other_lessons(lessons, submission):
    for number in sorted(set(submission.notebooks) - set(lessons)):
        submission.remarks.append(f"lesson {number} was handed in but not assigned")


def _give_all(number, verdict):
    return dict.fromkeys(read_lesson(number)[1], verdict)


def judge_notebook(number, notebook, seconds=SECONDS):
    """Judge a notebook; return the verdicts by exercise number, and remarks, each of
    which begins with the number of an exercise.
    """
    if sum(len(read_source(cell)) for cell in notebook["cells"]) > MAX_LETTERS:
        raise ValueError(f"it has more than {MAX_LETTERS:,} characters")
    answers, (_, tasks) = Answers(number, notebook), read_lesson(number)
    verdicts = _give_all(number, NOT_BEGUN)
    for n, task in tasks.items():
        text = answers.texts[n]
        if text and is_python(text) and task.is_missing_in(text):
            # Do not judge what the lesson itself may define under that name.
            verdicts[n] = f"does not define {', '.join(sorted(task.required_names))}"
            answers.texts[n] = None
    cells = list_cells_to_run(number, answers)
    names = frozenset().union(
        *(task.required_names | task.set_names for task in tasks.values())
    )
    judged, notices = attempts.judge(cells, seconds=seconds, requested_names=names)
    return verdicts | judged, [*answers.remarks, *notices]


def take_first_line(text):
    """Return the first line of a text, shortened, without unprintable characters."""
    line = (str(text).strip().splitlines() or [""])[0][:200]
    return make_printable(line)
