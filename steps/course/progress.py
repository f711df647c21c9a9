"""Which exercises are solved in a folder of copies, lesson by lesson.

A lesson in which no exercise was begun is not run; the others are run up to the last
exercise that was begun. What was judged once is remembered until it changes.
"""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import learner_folder, student_copies
from .classroom import answers, grading, submissions
from .classroom.handed_in import file_at
from .judge.cells import TOO_SLOW
from .judge.sequence import judge
from .lessons import CourseError, notebook_path, numbers
from .results import NOT_BEGUN

KNOWN = ".progress.json"


def progress(folder):
    """Judge the attempts in a folder of copies. In a folder that is not the learner's
    own, as one that a teacher got back, they are graded: nothing in it is believed.

    Returns
    -------
    dict
        For each lesson that is in the folder, by number, the outcomes of its exercises:
        "right", "not begun", or what the check says.

    Raises
    ------
    CourseError
        If the folder holds no lesson.
    """
    folder = Path(folder).resolve()
    there = [n for n in numbers() if (folder / notebook_path(n).name).exists()]
    if not there:
        raise CourseError(f"{folder} holds no lesson.")
    known = learner_folder.read_json(folder / KNOWN) if is_own(folder) else None
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        judged = pool.map(lambda number: _lesson(number, folder, known), there)
        found = dict(zip(there, judged, strict=True))
    if known is not None:
        remember = {key: outcomes for key, outcomes in found.values() if key}
        (folder / KNOWN).write_text(json.dumps(remember), encoding="utf-8")
    return {number: outcomes for number, (_, outcomes) in found.items()}


def is_own(folder):
    """Whether a folder is the learner's own; any other one is graded."""
    return Path(folder).resolve() == Path(learner_folder.FOLDER).resolve()


def _lesson(number, folder, known):
    """A key under which the outcomes can be remembered, and the outcomes in order."""
    outcomes = dict.fromkeys(answers.lesson(number)[1], NOT_BEGUN)
    try:
        copy = submissions.read(file_at(folder / notebook_path(number).name))
        if known is None:
            graded = grading.grade_notebook(number, copy)[0]
            begun = {n: x for n, x in graded.items() if x != grading.NOT_BEGUN}
            return "", list((outcomes | begun).values())
    except ValueError as error:
        return "", [f"{notebook_path(number).name} {error}"] * len(outcomes)
    cells = answers.cells_to_run(number, answers.Answers(number, copy))
    if not cells:
        return "", list(outcomes.values())
    key = student_copies.digest_of([number, cells])
    if key in known:
        return key, known[key]
    judged = list((outcomes | judge(cells, folder)[0]).values())
    # On a busy machine even what is right may take too long: that is not remembered.
    return "" if TOO_SLOW in judged else key, judged
