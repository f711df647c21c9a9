"""Judges a notebook of the workshop whenever it is saved."""

import contextlib
import time

from ..lessons import CourseError
from . import folder as workshop
from .framework import code_of
from .notebook import judging_cells
from .report import Report
from .trial_process import TrialProcess
from .verdict import verdict_on

SECONDS = 0.3


def watch(folder):
    """Judge what is saved, until Ctrl + C."""
    print(f"Save a notebook in {folder}, and it is judged. Ctrl + C ends this.")
    with contextlib.suppress(KeyboardInterrupt), TrialProcess() as process:
        process.try_out(1, judging_cells(1), code_of(1))  # loads what takes long
        for number in saved(folder):
            print(f"\n{time.strftime('%H:%M:%S')}  {judged(number, folder, process)}")


def judged(number, folder, process):
    """What is to be said about a step as it was saved."""
    try:
        return Report(verdict_on(workshop.saved(number, folder), process))
    except CourseError as error:  # a notebook that is half written
        return error


def saved(folder):
    """The numbers of steps, each when its notebook has been saved."""
    seen = _times(folder)
    while True:
        time.sleep(SECONDS)
        now = _times(folder)
        yield from (number for number in now if now[number] != seen.get(number))
        seen = now


def _times(folder):
    paths = {n: workshop.notebook_file(n, folder) for n in workshop.steps()}
    return {n: path.stat().st_mtime_ns for n, path in paths.items() if path.exists()}
