"""Tries many attempts at an exercise; the cells before it run only once.

At the exercise the process forks, and each fork runs one attempt. So attempts cannot
affect each other, an alarm can end any of them, and several run at once. If the system
cannot fork, or other threads are running, which a fork would not copy, each attempt
runs in a copy of the namespace instead.
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
from ..translation.notebooks import translate_for_learner
from .slicing import slice_cells

CAN_FORK = hasattr(os, "fork")
# Limit for the first attempt; later ones get ten times the time that it took, and at
# least MIN_SECONDS.
FIRST_SECONDS = 600
MIN_SECONDS = 5
MAX_MEMORY = 4 << 30
# Position of a failure that concerns the whole attempt, not one of its cells.
WHOLE_ATTEMPT = -1


def run_variants(number, make_variants, jobs=1):
    """Run variants of the solutions of a lesson; yield for each the exercise, its name,
    a dict of its failures by cell, and the position of the check among these cells.

    Parameters
    ----------
    make_variants : callable
        Takes the source of a solution and returns a dict from names to other sources.
    """
    lesson = translate_for_learner(number, builder.assemble(number))["cells"]
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
            if attempt is not None:  # else a lesson's cell failed, maybe on purpose
                exercise, names, check = facts[position]
                yield exercise, names[attempt], failures, check


def run_attempts(child, cells, attempts, jobs=1, min_seconds=MIN_SECONDS):
    """Run a lesson in a child process, and attempts between its cells; yield the
    results.

    Parameters
    ----------
    child : Child
        A process that runs this module.
    cells : list of str
        The sources of the lesson's cells.
    attempts : dict
        Maps the position of a cell to the attempts that run before it, each of which
        is a list of cells.
    jobs : int
        How many attempts to run at once.
    min_seconds : float
        The shortest time limit for an attempt.

    Yields
    ------
    position, number, failures
        The position of the cell, the number of the attempt, and a dict from positions
        of the attempt's own cells, or `WHOLE_ATTEMPT`, to their Failures. The number is
        None if a cell of the lesson failed; so is the position if the process ended.
    """
    pairs = [(cell, attempts.get(n, [])) for n, cell in enumerate(cells)]
    child.send({"cells": pairs, "jobs": jobs, "min_seconds": min_seconds})
    while "done" not in (line := child.receive(FIRST_SECONDS)):
        failures = {n: Failure(*failure) for n, failure in line["failures"]}
        yield line["position"], line["number"], failures


def locate_exercises(cells):
    """Return for each exercise the position of its solution's cell, and the sources of
    the cells after it, up to and including its check.
    """
    sources = [cell["source"] for cell in cells]
    return [
        (each.position, sources[each.position + 1 : each.check_position + 1])
        for each in exercises.find_exercises(cells)
    ]


# --- In the process -------------------------------------------------------------------


def handle_task(task, say):
    """Run a lesson, in a fork if possible, so that it leaves nothing for the next."""
    if not CAN_FORK:
        _run_lesson(task, say)
        return
    # Import these once, not in every fork.
    import matplotlib.pyplot  # noqa: F401
    import numpy.random  # noqa: F401
    from tqdm import tqdm

    tqdm.monitor_interval = 0  # starts no monitor thread
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
    """Yield each attempt's number and failures; the first runs alone, to be timed."""
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
    """Start an action in a fork, which an alarm ends after some seconds; return its
    process id, and the file descriptor from which to read the result.
    """
    read_end, write_end = os.pipe()
    process = os.fork()
    if process:
        os.close(write_end)
        return process, read_end
    try:
        # With the default handler, the alarm ends the process whatever it is doing.
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds or 0)
        if seconds:
            audit_hook.limit_resources(MAX_MEMORY)
        with os.fdopen(write_end, "w", encoding="utf-8") as file:
            json.dump(action(), file)
    finally:
        os._exit(0)


def _wait_for(process, read_end):
    """Return a fork's result or, if there is none, a failure that says how it ended."""
    with os.fdopen(read_end, encoding="utf-8") as file:
        text = file.read()
    _, status = os.waitpid(process, 0)
    if text:
        return {int(n): failure for n, failure in json.loads(text).items()}
    is_alarm = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM
    return {WHOLE_ATTEMPT: Failure("TooSlow" if is_alarm else ENDS, "")}
