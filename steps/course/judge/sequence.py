"""Judges attempts in the place where their lesson asks for them.

What runs are triples (kind, number of the exercise, source), in order: the lesson's own
cells, attempts, checks, and cells that the learner added.
"""

import tempfile

from . import fence
from .cells import Failure, failure, new_names
from .child import GRACE, Child, Stopped

LESSON = "lesson"
ADDED = "added"
ATTEMPT = "attempt"
CHECK = "check"
ANSWER = ATTEMPT, CHECK
RIGHT = "right"
# For an attempt and for its check; they take a second or two.
SECONDS = 20
# A cell of a lesson may train a network, on a machine that others use, too.
LESSON_SECONDS = 180


# What ends the process is left out, and the rest is run again, so many times.
RUNS = 8


def judge(cells, folder=None, seconds=SECONDS):
    """Run cells in a process of their own, in a folder; or without one, behind a fence.

    Parameters
    ----------
    seconds : float
        What a cell that is not the lesson's own may take.

    Returns
    -------
    dict, list of str
        What each check says, by the number of its exercise; and what was noticed, each
        beginning with the number of the exercise.
    """
    outcomes: dict[int, str] = {}
    noticed: dict[str, None] = {}
    for _ in range(RUNS):
        stopped_at, reason = _run(cells, folder, seconds, outcomes, noticed)
        if stopped_at is None:
            return outcomes, list(noticed)
        stopped = cells[stopped_at]
        kind, exercise, _ = stopped
        left_out = [stopped]
        if kind in ANSWER:
            outcomes[exercise] = reason
            left_out = [c for c in cells if c[0] in ANSWER and c[1] == exercise]
        else:
            noticed[f"0: a cell that is no answer {reason}"] = None
        cells = [cell for cell in cells if cell not in left_out]
        if not any(kind == CHECK for kind, *_ in cells):
            return outcomes, list(noticed)
    left = {n: reason for kind, n, _ in cells if kind == CHECK}
    return left | outcomes, list(noticed)


def _run(cells, folder, seconds, outcomes, noticed):
    """Run cells once, and note what comes of it: the position of the cell at which they
    were stopped, with the reason, or None.
    """
    at = None
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as apart,
        Child(__name__, folder or apart, fenced=folder is None) as child,
    ):
        child.send({"cells": cells, "seconds": seconds})
        try:
            while "done" not in (line := child.hear(_patience(cells, at, seconds))):
                at = line.get("at", at)
                if "noticed" in line:
                    noticed[f"{cells[at][1]}: {line['noticed']}"] = None
                if "outcome" in line:
                    outcomes[line["exercise"]] = line["outcome"]
        except Stopped as stopped:
            return at or 0, str(stopped)
    return None, ""


def _patience(cells, at, seconds):
    if at is None or cells[at][0] == LESSON:
        return LESSON_SECONDS
    return seconds + GRACE


# --- In the process -------------------------------------------------------------------


def answer(task, say):
    """Run cells; say at which one it is, and the outcome of each check."""
    names = new_names()
    failed: dict[int, Failure | None] = {}
    for at, (kind, exercise, source) in enumerate(task["cells"]):
        say({"at": at})
        if kind == LESSON:
            failure(source, names)
            continue
        with fence.theirs(names):
            found = failure(source, names, task["seconds"])
        if kind == ATTEMPT:
            failed[exercise] = found
        elif kind == CHECK:
            found = failed.get(exercise) or found
            outcome = found.words if found else RIGHT
            say({"exercise": exercise, "outcome": outcome})
