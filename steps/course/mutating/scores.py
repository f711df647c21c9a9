"""Measures checks: how many mutants of the solutions do they find?

``python -m steps mutate 8`` makes the mutants of lesson 8. The lesson runs once; at
each exercise the process forks, and each fork tries one mutant. A mutant is killed if
a cell up to the check fails or does not end; it survives if the check passes.
Harmless survivors are listed in ``harmless.json``, with reasons.
"""

import json
import os
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from .. import builder, exercises
from ..judge.child import Stopped
from ..lessons import ROOT, CourseError, known, numbers
from . import fork_pool
from .mutants import make_mutants

HARMLESS = Path(__file__).with_name("harmless.json")
PAGE = ROOT / "docs" / "exercises.md"
# The name of the solution itself, on which the check is tried before the mutants.
UNCHANGED = ""


@dataclass
class Score:
    """Results of measuring a lesson's checks."""

    number: int
    exercises: int
    mutants: int
    killed: int
    harmless: int
    # Survivors that are not listed as harmless: (exercise, change).
    survivors: list[tuple[int, str]]
    # Listed as harmless, but no longer among the survivors.
    gone: list[tuple[int, str]]


def measure(chosen=None, jobs=None):
    """Try the mutants of lessons, with a progress bar in a terminal; return a Score for
    each lesson.

    Parameters
    ----------
    chosen : list of int, optional
        Step numbers; by default, all steps.
    jobs : int, optional
        How many mutants to try at once; by default, one per core.

    Raises
    ------
    CourseError
        If a solution fails its own check, or if the system cannot fork.
    """
    from tqdm import tqdm

    if not fork_pool.CAN_FORK:
        raise CourseError("Mutants need fork, which this system does not support.")
    chosen = [known(number) for number in chosen] if chosen else numbers()
    jobs = jobs or os.cpu_count() or 1
    solutions = [each.solution for number in chosen for each in _read(number)]
    total = sum(len(make_mutants(solution)) for solution in solutions)

    def measure_lesson(number):
        outcomes = []
        for outcome in _run_mutants(number, max(1, jobs // len(chosen))):
            outcomes.append(outcome)
            bar.update()
        return _make_score(number, outcomes)

    with (
        tqdm(total=total, unit="mutant", disable=None) as bar,
        ThreadPoolExecutor(min(jobs, len(chosen))) as pool,
    ):
        return list(pool.map(measure_lesson, chosen))


def _read(number):
    return exercises.find_exercises(builder.read_lesson_cells(number))


def _run_mutants(number, jobs):
    """Yield (exercise, change, survives) for each mutant of a lesson."""
    make = lambda solution: {UNCHANGED: solution} | make_mutants(solution)
    try:
        found = fork_pool.run_variants(number, make, jobs)
        for exercise, change, failures, _ in found:
            if change != UNCHANGED:
                yield exercise, change, not failures
            elif failures:
                solution = _read(number)[exercise - 1].solution
                raise CourseError(f"The check rejects the solution: {solution}")
    except Stopped as stopped:
        raise CourseError(
            f"The mutants of step {number} could not be run: a check {stopped}."
        ) from None


def _make_score(number, outcomes):
    harmless, count = read_harmless(), len(_read(number))
    survived = {(n, change) for n, change, survives in outcomes if survives}
    listed = {
        (n, change)
        for n in range(1, count + 1)
        for change in harmless.get(f"{number}.{n}", ())
    }
    return Score(
        number=number,
        exercises=count,
        mutants=len(outcomes),
        killed=len(outcomes) - len(survived),
        harmless=len(survived & listed),
        survivors=sorted(survived - listed),
        gone=sorted(listed - survived),
    )


def read_harmless():
    """Read the harmless survivors: a dict from exercise ("8.2") to {change: reason}."""
    return json.loads(HARMLESS.read_text(encoding="utf-8"))


# --- The table ------------------------------------------------------------------------

ROW = re.compile(r"^\| (\d+) \|.*\|$", re.M)


def write_table(scores, page=PAGE):
    """Write the scores into the table in the docs; keep the text above it and the rows
    of other lessons.
    """
    old = page.read_text(encoding="utf-8")
    rows = {int(row[1]): row[0] for row in ROW.finditer(old)}
    rows |= {score.number: _make_row(score) for score in scores}
    text = ROW.split(old)[0] + "".join(f"{rows[n]}\n" for n in sorted(rows))
    page.write_text(text, encoding="utf-8", newline="\n")


def _make_row(score):
    harmful = score.mutants - score.harmless
    share = f"{score.killed / harmful:.1%}" if harmful else "–"
    cells = [score.number, score.exercises, score.mutants, score.killed]
    cells += [score.harmless, len(score.survivors), share]
    return f"| {' | '.join(map(str, cells))} |"
