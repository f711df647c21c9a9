"""Judges attempts at exercises, each at its place in the lesson.

Cells are triples (kind, number of the exercise, source), in order: the lesson's own
cells, attempts, checks, and cells that the learner added. The process receives each
cell only when the previous one is done, so an attempt cannot read its check in advance.
Output that an attempt writes itself never counts as a verdict.
"""

import linecache
import tempfile
import threading
import time

from . import audit_hook
from .cell_text import find_bound_names, find_set_attributes
from .cells import TOO_SLOW, catch_failure, make_names, make_printable, run_cell
from .child import GRACE_SECONDS, MAX_NOTICES, Child, Stopped

LESSON = "lesson"
ADDED = "added"
ATTEMPT = "attempt"
CHECK = "check"
JUDGED_KINDS = ATTEMPT, CHECK
RIGHT = "right"
# Limit for an attempt, and for its check; each usually takes a second or two.
SECONDS = 20
# Limit for a lesson's own cell, which may train a network on a busy machine.
LESSON_SECONDS = 180


# When a cell stops the process, the others run again without it, up to this many runs.
MAX_RUNS = 8
# Sent first, so that no cell is charged for the time that the process takes to start.
FIRST_TASK = {"kind": LESSON, "source": ""}


def judge(cells, folder=None, seconds=SECONDS, requested_names=frozenset()):
    """Run cells in a child process: in a folder, or isolated if none is given.

    Parameters
    ----------
    seconds : float
        Time limit for each cell that is not the lesson's own.
    requested_names : set of str
        The names that solutions bind, and the attributes that they set. Attempts may
        change these even if they belong to Python or to the lesson.

    Returns
    -------
    dict, list of str
        The verdicts by number of the exercise: "right", or what is wrong. The notices,
        each of which begins with the number of the exercise, or 0 for other cells.
    """
    verdicts: dict[int, str] = {}
    notices: dict[str, None] = {}
    checks = sum(kind == CHECK for kind, *_ in cells)
    # Limit the total time, whatever was handed in.
    patience = 2 * (LESSON_SECONDS + checks * (seconds + GRACE_SECONDS))
    deadline = time.monotonic() + patience
    for _ in range(MAX_RUNS):
        if not any(kind == CHECK for kind, *_ in cells):
            return verdicts, list(notices)
        tasks = [_make_task(cell, seconds, requested_names) for cell in cells]
        position, reason = _run_tasks(tasks, folder, deadline, verdicts, notices)
        if position is None:
            return verdicts, list(notices)
        stopped = kind, exercise, _ = cells[position]
        if kind in JUDGED_KINDS:
            verdicts[exercise] = reason
            cells = [c for c in cells if c[0] not in JUDGED_KINDS or c[1] != exercise]
        else:
            notices[f"0: a cell that is not an answer {reason}"] = None
            cells = [cell for cell in cells if cell != stopped]
    remaining = {n: reason for kind, n, _ in cells if kind == CHECK}
    return remaining | verdicts, list(notices)


def _make_task(cell, seconds, requested_names):
    kind, exercise, source = cell
    own_names = set()
    if kind == CHECK:
        own_names = find_bound_names(source) | find_set_attributes(source)
    task = {"kind": kind, "exercise": exercise, "source": source, "seconds": seconds}
    return task | {"kept_names": sorted(requested_names | own_names)}


def _run_tasks(tasks, folder, deadline, verdicts, notices):
    """Run the tasks once, and record verdicts and notices; return the position of the
    task at which the process stopped, or None, and the reason.
    """
    attempt_failures: dict[int, str | None] = {}
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as empty_folder,
        Child(__name__, folder or empty_folder, isolated=folder is None) as child,
    ):
        timer = threading.Timer(max(0, deadline - time.monotonic()), child.end)
        timer.start()
        position = 0
        try:
            _await_result(child, FIRST_TASK, notices)
            for task in tasks:
                failure = _await_result(child, task, notices)
                if task["kind"] == ATTEMPT:
                    attempt_failures[task["exercise"]] = failure
                elif task["kind"] == CHECK:
                    failure = attempt_failures.get(task["exercise"]) or failure
                    verdicts[task["exercise"]] = _make_verdict(failure)
                position += 1
        except Stopped as stopped:
            return position, TOO_SLOW if time.monotonic() > deadline else str(stopped)
        finally:
            timer.cancel()
    return None, ""


def _await_result(child, task, notices):
    """Return how a task failed, or None; notices do not extend its time limit."""
    is_lesson = task["kind"] == LESSON
    seconds = LESSON_SECONDS if is_lesson else task["seconds"] + GRACE_SECONDS
    deadline = time.monotonic() + seconds
    child.send(task)
    while "done" not in (line := child.receive(max(0, deadline - time.monotonic()))):
        if len(notices) < MAX_NOTICES:
            notices[f"{task['exercise']}: {make_printable(line['noticed'])}"] = None
    return line["done"]


def _make_verdict(failure):
    """Make a verdict; a failure whose message is "right" does not count as right."""
    if failure is None:
        return RIGHT
    return f"AssertionError: {RIGHT}" if failure == RIGHT else make_printable(failure)


# --- In the process -------------------------------------------------------------------

_names = make_names()


def handle_task(task, say):
    """Run a cell; return how it failed, or None. Ignore failures of lesson cells."""
    kind, source = task["kind"], task.pop("source")
    if kind == LESSON:
        names_before = dict(_names)
        catch_failure(source, _names)
        audit_hook.remember_lesson_names(names_before, _names)
        return None
    is_check, kept_names = kind == CHECK, tuple(task["kept_names"])
    check = source if is_check else None
    state = audit_hook.before_student_code(_names, kept_names, check)
    run_source = _run_check if is_check else _run_attempt
    failure = catch_failure(source, _names, task["seconds"], run_source)
    changed = audit_hook.after_student_code(state, _names)
    if failure is not None:
        return failure.message
    return f"changed {changed} during its check" if changed and is_check else None


def _run_attempt(source, names):
    run_cell(source, names, f"<answer {len(linecache.cache)}>")


def _run_check(source, names):
    # Keep it out of linecache, where an attempt could read it.
    exec(compile(source, "<cell of a check>", "exec"), names)
