"""Which exercises are solved in a folder of copies, lesson by lesson.

A lesson in which no exercise was begun is not run; the others are run up to the last
exercise that was begun. What was judged once is remembered until it changes.
"""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import learner_folder, student_copies
from .classroom import answers
from .judge.cells import TOO_SLOW
from .judge.sequence import judge
from .lessons import CourseError, notebook_path, numbers

NOT_BEGUN = "not begun"
KNOWN = ".progress.json"


def progress(folder):
    """Judge the attempts in a folder of copies.

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
    known = learner_folder.read(folder / KNOWN)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        judged = pool.map(lambda number: _lesson(number, folder, known), there)
        found = dict(zip(there, judged, strict=True))
    remember = {key: outcomes for key, outcomes in found.values() if key}
    with (folder / KNOWN).open("w", encoding="utf-8") as file:
        json.dump(remember, file)
    return {number: outcomes for number, (_, outcomes) in found.items()}


def _lesson(number, folder, known):
    """A key under which the outcomes can be remembered, and the outcomes in order."""
    copy = json.loads((folder / notebook_path(number).name).read_text("utf-8"))
    cells = answers.cells_to_run(number, answers.Answers(number, copy))
    outcomes = dict.fromkeys(answers.lesson(number)[1], NOT_BEGUN)
    if not cells:
        return "", list(outcomes.values())
    key = student_copies.digest_of([number, cells])
    if key in known:
        return key, known[key]
    judged = list((outcomes | judge(cells, folder)[0]).values())
    # On a busy machine even what is right may take too long: that is not remembered.
    return "" if TOO_SLOW in judged else key, judged
