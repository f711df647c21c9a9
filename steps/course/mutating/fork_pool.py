"""Tries many attempts at an exercise: what stands before it runs once for all of them.

At the exercise the process forks, and each fork runs one attempt. So an attempt spoils
nothing for those after it, an alarm ends it whatever it does, and some run at once.
Where the system cannot fork, or where threads run, which a fork does not have, an
attempt gets a copy of the names instead.
"""

import gc
import json
import os
import select
import signal
import threading
import time
from functools import partial

from .. import builder, exercises
from ..judge import audit_hook
from ..judge.cells import ENDS, Failure, catch_failure, make_names
from ..judge.child import Child
from ..lessons import ROOT
from .slicing import slice_cells

CAN_FORK = hasattr(os, "fork")
# The first attempt may take this long; another one ten times as long as that, and so
# many seconds at least.
FIRST_SECONDS = 600
MIN_SECONDS = 5
MAX_MEMORY = 4 << 30
# A failure of all the cells of an attempt, and not of one of them.
WHOLE_ATTEMPT = -1


def run_variants(number, make_variants, jobs=1):
    """Run variants of the solutions of a lesson; yield for each the exercise, its name,
    its failures, and the position of the check among them.

    Parameters
    ----------
    make_variants : callable
        Makes of the source of a solution a dict from names to other sources.
    """
    lesson = builder.assemble(number)["cells"]
    cells = slice_cells([cell for cell in lesson if cell["cell_type"] == "code"])
    sources = [cell["source"] for cell in cells]
    attempts, facts = {}, {}
    for exercise, (position, following) in enumerate(locate_exercises(cells), start=1):
        variants = make_variants(sources[position])
        attempts[position] = [[text, *following] for text in variants.values()]
        facts[position] = exercise, list(variants), len(following)
    with Child(__name__, ROOT) as child:
        found = run_attempts(child, sources, attempts, jobs)
        for position, attempt, failures in found:
            if attempt is not None:  # else a cell of the lesson, which may be meant to
                exercise, names, check = facts[position]
                yield exercise, names[attempt], failures, check


def run_attempts(child, cells, attempts, jobs=1, min_seconds=MIN_SECONDS):
    """Run a lesson in a child, and attempts on the way; yield what comes of it.

    Parameters
    ----------
    child : Child
        Answers with this module.
    cells : list of str
        The lesson's.
    attempts : dict
        Maps positions of cells to what runs before them: a list of lists of cells.
    jobs : int
        How many run at once.
    min_seconds : float
        What an attempt may take at least.

    Yields
    ------
    position, number, failures
        What comes of an attempt: a dict from positions of its own cells, or
        `WHOLE_ATTEMPT`, to their Failures. Without a number, it is the lesson's own
        cell that fails.
    """
    pairs = [(cell, attempts.get(n, [])) for n, cell in enumerate(cells)]
    child.send({"cells": pairs, "jobs": jobs, "min_seconds": min_seconds})
    while "done" not in (line := child.receive(FIRST_SECONDS)):
        failures = {n: Failure(*failure) for n, failure in line["failures"]}
        yield line["position"], line["number"], failures


def locate_exercises(cells):
    """Locate a lesson's exercises: pairs of the position of a solution's cell, and the
    sources of the cells after it up to its check.
    """
    sources = [cell["source"] for cell in cells]
    return [
        (each.position, sources[each.position + 1 : each.check_position + 1])
        for each in exercises.find_exercises(cells)
    ]


# --- In the process -------------------------------------------------------------------


def answer(task, say):
    """Run a lesson; where it can be, in a fork, so that the next one finds nothing."""
    if not CAN_FORK:
        _run_lesson(task, say)
        return
    # So that no fork has to.
    import matplotlib.pyplot  # noqa: F401
    import numpy.random  # noqa: F401
    from tqdm import tqdm

    tqdm.monitor_interval = 0  # the watch on its bars is a thread
    gc.freeze()
    if failures := _wait_for(*_fork(partial(_run_lesson, task, say))):
        _report(say, None, None, failures)


def _run_lesson(task, say):
    names = make_names()
    limits = task["jobs"], task["min_seconds"]
    for position, (cell, attempts) in enumerate(task["cells"]):
        for number, failures in _run_attempts(attempts, names, *limits):
            _report(say, position, number, failures)
        if failure := catch_failure(cell, names):
            _report(say, position, None, {0: failure})
    return {}


def _report(say, position, number, failures):
    line = {"position": position, "number": number}
    say(line | {"failures": list(failures.items())})


def _run_attempts(attempts, names, jobs, min_seconds):
    """Yield pairs of the number of an attempt and its failures, the first one first."""
    without_forks = not CAN_FORK or threading.active_count() > 1
    start = time.perf_counter()
    seconds, running = FIRST_SECONDS, {}
    for number, cells in enumerate(attempts):
        if without_forks:
            yield number, _run_cells(cells, dict(names), seconds)
        else:
            process, result = _fork(partial(_run_cells, cells, names), seconds)
            running[result] = number, process
        if running and (number == 0 or len(running) == jobs):
            yield from _collect_finished(running)
        if number == 0:
            seconds = max(min_seconds, 10 * (time.perf_counter() - start))
    while running:
        yield from _collect_finished(running)


def _run_cells(cells, names, seconds=None):
    failures = (catch_failure(cell, names, seconds) for cell in cells)
    return {n: failure for n, failure in enumerate(failures) if failure}


def _collect_finished(running):
    for result in select.select(list(running), [], [])[0]:
        number, process = running.pop(result)
        yield number, _wait_for(process, result)


def _fork(action, seconds=None):
    """Begin an action in a fork that an alarm ends; return its process id, and where
    its result is to be read.
    """
    read_end, write_end = os.pipe()
    process = os.fork()
    if process:
        os.close(write_end)
        return process, read_end
    try:
        # The alarm ends the process, whatever it does: nothing is there to catch it.
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds or 0)
        if seconds:
            audit_hook.limit_resources(MAX_MEMORY)
        with os.fdopen(write_end, "w", encoding="utf-8") as file:
            json.dump(action(), file)
    finally:
        os._exit(0)


def _wait_for(process, read_end):
    """Return the result of a fork; that it was stopped, or ended, if there is none."""
    with os.fdopen(read_end, encoding="utf-8") as file:
        text = file.read()
    _, status = os.waitpid(process, 0)
    if text:
        return {int(n): failure for n, failure in json.loads(text).items()}
    is_alarm = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM
    return {WHOLE_ATTEMPT: Failure("TooSlow" if is_alarm else ENDS, "")}
