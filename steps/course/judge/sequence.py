"""Judges attempts in the place where their lesson asks for them.

What runs are triples (kind, number of the exercise, source), in order: the lesson's own
cells, attempts, checks, and cells that the learner added. The process gets each when
the one before is done: no attempt finds a check before it runs, and what an attempt
says by itself counts for nothing.
"""

import linecache
import tempfile
import threading
import time

from . import audit_hook
from .cell_text import find_bound_names
from .cells import TOO_SLOW, failure, new_names, plain, run
from .child import GRACE, NOTICES, Child, Stopped

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
# A process has to begin before the time of a cell does.
BEGIN = {"kind": LESSON, "source": ""}


def judge(cells, folder=None, seconds=SECONDS, asked=frozenset()):
    """Run cells in a process of their own, in a folder; or without one, behind a fence.

    Parameters
    ----------
    seconds : float
        What a cell that is not the lesson's own may take.
    asked : set of str
        The names that exercises ask for: those of Python's own among them are to be
        taken for it.

    Returns
    -------
    dict, list of str
        What each check says, by the number of its exercise; and what was noticed, each
        beginning with the number of the exercise.
    """
    outcomes: dict[int, str] = {}
    noticed: dict[str, None] = {}
    checks = sum(kind == CHECK for kind, *_ in cells)
    # Whatever is handed in, there is an end.
    until = time.monotonic() + 2 * (LESSON_SECONDS + checks * (seconds + GRACE))
    for _ in range(RUNS):
        if not any(kind == CHECK for kind, *_ in cells):
            return outcomes, list(noticed)
        tasks = [_task(cell, seconds, asked) for cell in cells]
        stopped_at, reason = _run(tasks, folder, until, outcomes, noticed)
        if stopped_at is None:
            return outcomes, list(noticed)
        stopped = kind, exercise, _ = cells[stopped_at]
        if kind in ANSWER:
            outcomes[exercise] = reason
            cells = [c for c in cells if c[0] not in ANSWER or c[1] != exercise]
        else:
            noticed[f"0: a cell that is no answer {reason}"] = None
            cells = [cell for cell in cells if cell != stopped]
    left = {n: reason for kind, n, _ in cells if kind == CHECK}
    return left | outcomes, list(noticed)


def _task(cell, seconds, asked):
    kind, exercise, source = cell
    keeps = asked | find_bound_names(source) if kind == CHECK else asked
    task = {"kind": kind, "exercise": exercise, "source": source, "seconds": seconds}
    return task | {"keeps": sorted(keeps)}


def _run(tasks, folder, until, outcomes, noticed):
    """Run tasks once, and note what comes of it: the position of that at which they
    were stopped, with the reason, or None.
    """
    failed: dict[int, str | None] = {}
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as apart,
        Child(__name__, folder or apart, fenced=folder is None) as child,
    ):
        end = threading.Timer(max(0, until - time.monotonic()), child.end)
        end.start()
        at = 0
        try:
            _done(child, BEGIN, noticed)
            for task in tasks:
                said = _done(child, task, noticed)
                if task["kind"] == ATTEMPT:
                    failed[task["exercise"]] = said
                elif task["kind"] == CHECK:
                    said = failed.get(task["exercise"]) or said
                    outcomes[task["exercise"]] = _outcome(said)
                at += 1
        except Stopped as stopped:
            return at, TOO_SLOW if time.monotonic() > until else str(stopped)
        finally:
            end.cancel()
    return None, ""


def _done(child, task, noticed):
    """What a task fails with, or None; what is noticed meanwhile brings no time."""
    lesson = task["kind"] == LESSON
    patience = LESSON_SECONDS if lesson else task["seconds"] + GRACE
    until = time.monotonic() + patience
    child.send(task)
    while "done" not in (line := child.hear(max(0, until - time.monotonic()))):
        if len(noticed) < NOTICES:
            noticed[f"{task['exercise']}: {plain(line['noticed'])}"] = None
    return line["done"]


def _outcome(said):
    """What a check says, in words; what an attempt says is never that it is right."""
    if said is None:
        return RIGHT
    return f"AssertionError: {RIGHT}" if said == RIGHT else plain(said)


# --- In the process -------------------------------------------------------------------

_names = new_names()


def answer(task, say):
    """Run a cell; return what it fails with, in words, or None."""
    kind, source = task["kind"], task.pop("source")
    if kind == LESSON:
        before = audit_hook.pythons(_names)
        failure(source, _names)
        audit_hook.keep(before, _names)
        return None
    held = audit_hook.hold(_names, tuple(task["keeps"]), kind == CHECK)
    way = _run_check if kind == CHECK else _run_attempt
    found = failure(source, _names, task["seconds"], way)
    changed = audit_hook.let_go(held, _names)
    if found is not None:
        return found.words
    return f"changed {changed} during its check" if changed and kind == CHECK else None


def _run_attempt(source, names):
    run(source, names, f"<answer {len(linecache.cache)}>")


def _run_check(source, names):
    # It is in no list of files: there an attempt could read it.
    exec(compile(source, "<cell of a check>", "exec"), names)
