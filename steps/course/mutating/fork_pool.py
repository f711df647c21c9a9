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

from .. import exercises
from ..judge import audit_hook
from ..judge.cells import ENDS, Failure, failure, new_names

CAN_FORK = hasattr(os, "fork")
# The first try may take this long; another one ten times as long as that, and so many
# seconds at least.
FIRST = 600
PATIENCE = 5
MEMORY = 4 << 30
# A failure of all the cells of a try, and not of one of them.
ALL = -1


def tries(child, cells, at, jobs=1, patience=PATIENCE):
    """Run a lesson in a child, and try attempts on the way; what comes of it.

    Parameters
    ----------
    child : Child
        Answers with this module.
    cells : list of str
        The lesson's.
    at : dict
        Maps positions of cells to what is tried before them: a list of lists of cells.
    jobs : int
        How many are tried at once.

    Yields
    ------
    position, number, failures
        What comes of a try: a dict from positions of its own cells, or `ALL`, to their
        Failures. Without a number, it is the lesson's own cell that fails.
    """
    task = {"cells": [[cell, at.get(n, [])] for n, cell in enumerate(cells)]}
    child.send(task | {"jobs": jobs, "patience": patience})
    while "done" not in (line := child.hear(FIRST)):
        failures = {n: Failure(*failed) for n, failed in line["failures"]}
        yield line["position"], line["number"], failures


def places(cells):
    """Where a lesson's exercises are: pairs of the position of a solution's cell, and
    the sources of the cells after it up to its check.
    """
    sources = [cell["source"] for cell in cells]
    return [
        (each.place, sources[each.place + 1 : each.check_place + 1])
        for each in exercises.of_lesson(cells)
    ]


# --- In the process -------------------------------------------------------------------


def answer(task, say):
    """Run a lesson; where it can be, in a fork, so that the next one finds nothing."""
    if not CAN_FORK:
        _lesson(task, say)
        return
    # So that no fork has to.
    import matplotlib.pyplot  # noqa: F401
    import numpy.random  # noqa: F401
    from tqdm import tqdm

    tqdm.monitor_interval = 0  # the watch on its bars is a thread
    gc.freeze()
    if failures := _end_of(*_forked(partial(_lesson, task, say))):
        _tell(say, None, None, failures)


def _lesson(task, say):
    names = new_names()
    for position, (cell, tried) in enumerate(task["cells"]):
        for number, failures in _tried(tried, names, task["jobs"], task["patience"]):
            _tell(say, position, number, failures)
        if failed := failure(cell, names):
            _tell(say, position, None, {0: failed})
    return {}


def _tell(say, position, number, failures):
    line = {"position": position, "number": number}
    say(line | {"failures": list(failures.items())})


def _tried(sequences, names, jobs, patience):
    """Pairs of the number of a try and its failures, the first one first."""
    one_by_one = not CAN_FORK or threading.active_count() > 1
    began = time.perf_counter()
    seconds, running = FIRST, {}
    for number, cells in enumerate(sequences):
        if one_by_one:
            yield number, _run(cells, dict(names), seconds)
        else:
            child, result = _forked(partial(_run, cells, names), seconds)
            running[result] = number, child
        if running and (number == 0 or len(running) == jobs):
            yield from _first_to_end(running)
        if number == 0:
            seconds = max(patience, 10 * (time.perf_counter() - began))
    while running:
        yield from _first_to_end(running)


def _run(cells, names, seconds=None):
    found = ((n, failure(cell, names, seconds)) for n, cell in enumerate(cells))
    return {n: failed for n, failed in found if failed}


def _first_to_end(running):
    for result in select.select(list(running), [], [])[0]:
        number, child = running.pop(result)
        yield number, _end_of(child, result)


def _forked(action, seconds=None):
    """Begin an action in a fork that an alarm ends: its process id, and where its
    result is to be read.
    """
    result, here = os.pipe()
    child = os.fork()
    if child:
        os.close(here)
        return child, result
    try:
        # The alarm ends the process, whatever it does: nothing is there to catch it.
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds or 0)
        if seconds:
            audit_hook.limit(MEMORY)
        with os.fdopen(here, "w", encoding="utf-8") as file:
            json.dump(action(), file)
    finally:
        os._exit(0)


def _end_of(child, result):
    """The result of a fork; that it was stopped, or ended, where there is none."""
    with os.fdopen(result, encoding="utf-8") as file:
        text = file.read()
    _, status = os.waitpid(child, 0)
    if text:
        return {int(n): failed for n, failed in json.loads(text).items()}
    alarmed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM
    return {ALL: Failure("TimeoutError" if alarmed else ENDS, "")}
