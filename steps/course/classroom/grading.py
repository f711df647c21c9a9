"""Judges all submissions, and writes the points."""

import contextlib
import csv
import json
import os
import queue
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import own
from ..lessons import STEPS, CourseError, known
from ..running import ATTEMPT, JUDGE, LESSON, RIGHT, TOO_SLOW
from .answers import answers_in, bound, cells_to_run, compiles, lesson
from .submissions import handed_in, submissions

# An exercise takes about as many minutes.
POINTS = (3, 5, 8)
NOT_BEGUN = "nothing was written"
ENDS = "ends Python"
# For one cell: an answer, and its check.
SECONDS = 20
# A cell of a lesson may train a network, on a machine that others use, too.
LESSON_SECONDS = 180
# Beside the limit that the process keeps itself, for what cannot be interrupted there.
GRACE = 10
# A notebook is run again without the cell that ended the process, so many times.
RUNS = 8
KEPT = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "LD_LIBRARY_PATH", "DEZERO_LITE_DATA")
KEPT_TOO = "OPENBLAS_", "OMP_"


@dataclass
class Graded:
    """What a student gets: the outcome of each exercise, by lesson and number, and
    what is to be said beside that.
    """

    student: str
    outcomes: dict[tuple[int, int], str]
    said: list[str] = field(default_factory=list)

    def points(self, key, worth):
        return worth if self.outcomes[key] == RIGHT else 0

    def first_wrong(self):
        """The first thing that went wrong, in words."""
        for (step, exercise), outcome in self.outcomes.items():
            if outcome != RIGHT:
                return f"{step}.{exercise}: {_line(outcome)}"
        return ""


def worth(points, number):
    """What the exercises of a lesson bring; from the last one named on, the same."""
    _, tasks = lesson(number)
    return {(number, n): points[min(n, len(points)) - 1] for n in tasks}


def grade(folder, chosen=(), seconds=SECONDS, jobs=None, told=lambda graded: None):
    """Judge all submissions in a folder.

    Parameters
    ----------
    folder : path
        Holds a file or a folder for each student.
    chosen : list of int, optional
        The lessons that were asked for; all that anybody handed in if not given.
    seconds : float
        What an answer, or its check, may take.
    jobs : int, optional
        Notebooks judged at once; one a core if not given.
    told : callable
        Told each Graded when it is there.

    Returns
    -------
    list of int, list of Graded
        The lessons, and the students in the order of their names.
    """
    found = submissions(folder)
    lessons = [known(n) for n in chosen] or handed_in(found)
    for number in lessons:
        if not lesson(number)[1]:
            raise CourseError(f"Step {number} has no exercises.")
    with ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        graded = []
        for one in pool.map(lambda one: _student(one, lessons, seconds), found):
            told(one)
            graded.append(one)
    return lessons, graded


def _student(one, lessons, seconds):
    graded = Graded(one.student, {}, list(one.said))
    for number in lessons:
        if number in one.notebooks:
            try:
                outcomes, said = judge(number, one.notebooks[number], seconds)
            except Exception as error:  # whatever it is, the others are to be graded
                reason = f"cannot be graded ({type(error).__name__}: {_line(error)})"
                outcomes, said = _all(number, reason), []
        else:
            outcomes, said = _all(number, "there is no notebook of this lesson"), []
        graded.outcomes |= {(number, n): told for n, told in outcomes.items()}
        graded.said += [f"{number}.{told}" for told in said]
    for number in sorted(set(one.notebooks) - set(lessons)):
        graded.said.append(f"lesson {number} was handed in, and not asked for")
    return graded


def _all(number, outcome):
    return dict.fromkeys(lesson(number)[1], outcome)


def judge(number, notebook, seconds=SECONDS):
    """The outcomes of a notebook's exercises by number, and what was odd, each
    beginning with the number of the exercise.
    """
    answers = answers_in(number, notebook)
    outcomes = _all(number, NOT_BEGUN)
    for n, task in lesson(number)[1].items():
        text = answers.texts[n]
        if text and compiles(text) and not (bound(text) & task.asks_for):
            # The lesson may have something of that name, which must not be judged.
            outcomes[n] = f"defines no {', '.join(sorted(task.asks_for))}"
            answers.texts[n] = None
    cells = cells_to_run(number, answers)
    found, noticed = _outcomes(cells, seconds) if cells else ({}, [])
    return outcomes | found, [*answers.odd, *noticed]


def _outcomes(cells, seconds):
    """Run cells; where one ends the process, run again without it."""
    outcomes: dict[int, str] = {}
    noticed: list[str] = []
    for _ in range(RUNS):
        run = Run(cells, seconds)
        outcomes |= run.outcomes
        noticed += [said for said in run.noticed if said not in noticed]
        if run.stopped_at is None:
            return outcomes, noticed
        kind, exercise, _ = cells[run.stopped_at]
        if kind in (ATTEMPT, JUDGE):
            outcomes[exercise] = run.reason
            cells = [
                c for c in cells if not (c[0] in (ATTEMPT, JUDGE) and c[1] == exercise)
            ]
        else:
            cells = cells[: run.stopped_at] + cells[run.stopped_at + 1 :]
            noticed.append(f"0: a cell that is no answer {run.reason}")
        if not any(kind == JUDGE for kind, *_ in cells):
            return outcomes, noticed
    left = {
        n: run.reason for kind, n, _ in cells if kind == JUDGE and n not in outcomes
    }
    return outcomes | left, noticed


class Run:
    """One run of cells in a process of its own: outcomes by exercise, what was noticed,
    and the position of the cell at which it was stopped, or None.
    """

    def __init__(self, cells, seconds):
        self.outcomes: dict[int, str] = {}
        self.noticed: list[str] = []
        self.stopped_at: int | None = 0
        self.reason = ""
        self._cells, self._seconds = cells, seconds
        self._lines: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._token = secrets.token_hex(8)
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            child = _start(folder)
            try:
                self._hand_over(child)
                self._listen()
            finally:
                _end(child)

    def _hand_over(self, child):
        task = {"cells": self._cells, "seconds": self._seconds, "token": self._token}
        threading.Thread(target=self._read, args=(child.stdout,), daemon=True).start()
        with contextlib.suppress(OSError):  # it ended: then there are no lines
            child.stdin.write(json.dumps(task))
            child.stdin.close()

    def _read(self, stream):
        with contextlib.suppress(ValueError, OSError), stream:
            for text in stream:
                line = json.loads(text)
                if line.pop("token", "") == self._token:
                    self._lines.put(line)
        self._lines.put(None)

    def _listen(self):
        at = -1
        while at < len(self._cells):
            try:
                line = self._lines.get(timeout=self._patience(at))
            except queue.Empty:
                self.stopped_at, self.reason = max(at, 0), TOO_SLOW
                return
            if line is None:
                self.stopped_at, self.reason = max(at, 0), ENDS
                return
            at = line.get("at", at)
            if "noticed" in line:
                self.noticed.append(f"{self._cells[at][1]}: {line['noticed']}")
            if "outcome" in line:
                self.outcomes[line["exercise"]] = line["outcome"]
        self.stopped_at = None

    def _patience(self, at):
        if at < 0 or self._cells[at][0] == LESSON:
            return LESSON_SECONDS
        return self._seconds + GRACE


def _start(folder):
    top = Path(__file__).parents[__package__.count(".") + 1]
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in KEPT or name.startswith(KEPT_TOO)
    }
    return subprocess.Popen(
        [sys.executable, "-m", f"{STEPS}.course.classroom.desk"],
        cwd=folder,
        env=kept | _surroundings(folder) | {"PYTHONPATH": str(top)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )


def _surroundings(folder):
    """Nothing of the teacher's is passed on but where the fonts are."""
    import matplotlib as mpl

    here = dict.fromkeys(("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP"), folder)
    return here | {"MPLCONFIGDIR": mpl.get_cachedir(), "PYTHONDONTWRITEBYTECODE": "1"}


def _end(child):
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(child.pid, signal.SIGKILL)
    child.kill()
    child.wait()


# --- The points -----------------------------------------------------------------------


def write_points(path, lessons, graded, points=POINTS):
    """Write a table: a row a student, a column an exercise. A table that is there
    already is set aside; return where, or None.
    """
    path = Path(path)
    worths = {key: value for n in lessons for key, value in worth(points, n).items()}
    aside = own.set_aside(path) if path.exists() else None
    # With a mark at its beginning, spreadsheets read it as UTF-8.
    with path.open("x", encoding="utf-8-sig", newline="") as file:
        table = csv.writer(file)
        columns = [f"{step}.{n} ({worths[step, n]})" for step, n in worths]
        total = sum(worths.values())
        table.writerow(
            ["student", *columns, f"total ({total})", "first wrong", "to look at"]
        )
        for one in graded:
            got = [one.points(key, value) for key, value in worths.items()]
            said = "; ".join(map(_line, one.said))
            row = [one.student, *got, sum(got), one.first_wrong(), said]
            table.writerow([_cell(value) for value in row])
    return aside


def total(graded, points=POINTS):
    """The points of one student."""
    worths = {
        k: v
        for n in {s for s, _ in graded.outcomes}
        for k, v in worth(points, n).items()
    }
    return sum(graded.points(key, value) for key, value in worths.items())


def _line(text):
    """The first line of what was said, in letters that every program can show."""
    line = (str(text).strip().splitlines() or [""])[0][:200]
    return re.sub(r"[\x00-\x1f\x7f]", " ", line).encode("utf-8", "replace").decode()


def _cell(value):
    """A spreadsheet takes what begins like this for a formula, and computes it."""
    risky = isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t"))
    return f"'{value}" if risky else value
