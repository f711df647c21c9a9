"""Find which exercises are solved in a folder of copies, lesson by lesson.

A lesson in which no exercise was begun is not run; others run up to the last exercise
that was begun. Verdicts are cached until the answers change.
"""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import learner_folder, student_copies
from .classroom import answers, grading, submissions
from .classroom.archives import make_file
from .judge.attempts import judge
from .judge.cells import TOO_SLOW
from .lessons import CourseError, notebook_path, numbers
from .results import NOT_BEGUN

REMEMBERED = ".progress.json"


def judge_folder(folder):
    """Judge the attempts in a folder of copies.

    If the folder is not the learner's own, such as one that a teacher received, the
    attempts are graded: nothing in the folder is trusted.

    Returns
    -------
    dict
        The verdicts on the exercises of each lesson in the folder, by step number:
        "right", "not begun", or the message of the check.

    Raises
    ------
    CourseError
        If the folder holds no lesson.
    """
    folder = Path(folder).resolve()
    chosen = [n for n in numbers() if (folder / notebook_path(n).name).exists()]
    if not chosen:
        raise CourseError(f"{folder} does not contain any lessons.")
    remembered = None
    if is_own(folder):
        remembered = learner_folder.read_json(folder / REMEMBERED, is_spare=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        judged = list(pool.map(lambda n: _judge_lesson(n, folder, remembered), chosen))
    if remembered is not None:
        verdicts_by_key = {key: verdicts for key, verdicts in judged if key}
        (folder / REMEMBERED).write_text(json.dumps(verdicts_by_key), encoding="utf-8")
    return {n: verdicts for n, (_, verdicts) in zip(chosen, judged, strict=True)}


def is_own(folder):
    """Return whether a folder is the learner's own; others are graded."""
    return Path(folder).resolve() == Path(learner_folder.FOLDER).resolve()


def _judge_lesson(number, folder, remembered):
    """Return the key for caching a lesson's verdicts, and the verdicts in order; an
    empty key means not to cache them.
    """
    path = folder / notebook_path(number).name
    verdicts = dict.fromkeys(answers.read_lesson(number)[1], NOT_BEGUN)
    try:
        notebook = submissions.read_notebook(make_file(path))
        if remembered is None:
            graded = grading.judge_notebook(number, notebook)[0].items()
            verdicts |= {n: x for n, x in graded if x != grading.NOT_BEGUN}
            return "", list(verdicts.values())
    except ValueError as error:
        return "", [f"{path.name} {error}"] * len(verdicts)
    cells = answers.list_cells_to_run(number, answers.Answers(number, notebook))
    if not cells:
        return "", list(verdicts.values())
    key = student_copies.digest([number, cells])
    if key in remembered:
        return key, remembered[key]
    judged = list((verdicts | judge(cells, folder)[0]).values())
    # Do not cache a timeout: on a busy machine, a correct answer may be too slow.
    return "" if TOO_SLOW in judged else key, judged
