"""Measures checks: how many mutants of the solutions do they find?

``python -m steps mutate 8`` makes the mutants of lesson 8. The lesson runs once; at
each exercise the process forks, and each fork tries one mutant. A mutant is killed if
the cells up to the check fail or do not end; it survives if the check is content.
Survivors that do no harm are named, with the reason, in ``harmless.json``.
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
# Before its mutants, the check is tried on the solution itself.
UNCHANGED = ""


@dataclass
class Score:
    """What the checks of a lesson found."""

    number: int
    exercises: int
    mutants: int
    killed: int
    harmless: int
    # Of those that are not known to be harmless: (exercise, change).
    survivors: list[tuple[int, str]]
    # Named harmless, and no survivor any more.
    gone: list[tuple[int, str]]


def measure(chosen=None, jobs=None):
    """Try the mutants of lessons, and show at a terminal how far it is; return a Score
    for each.

    Parameters
    ----------
    chosen : list of int, optional
        Step numbers; all steps if not given.
    jobs : int, optional
        How many mutants are tried at once; as many as there are cores if not given.

    Raises
    ------
    CourseError
        If a solution fails its own check, or if the system cannot fork.
    """
    from tqdm import tqdm

    if not fork_pool.CAN_FORK:
        raise CourseError("Mutants need forks, which this system does not have.")
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
    """Yield triples (exercise, change, survives), one for each mutant of a lesson."""
    make = lambda solution: {UNCHANGED: solution} | make_mutants(solution)
    try:
        found = fork_pool.run_variants(number, make, jobs)
        for exercise, change, failures, _ in found:
            if change != UNCHANGED:
                yield exercise, change, not failures
            elif failures:
                solution = _read(number)[exercise - 1].solution
                raise CourseError(f"The check is not content with: {solution}")
    except Stopped as stopped:
        raise CourseError(
            f"The mutants of step {number} could not be tried: it {stopped}."
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
    """Read which survivors do no harm: from "8.2" to a dict of changes and reasons."""
    return json.loads(HARMLESS.read_text(encoding="utf-8"))


# --- The table ------------------------------------------------------------------------

ROW = re.compile(r"^\| (\d+) \|.*\|$", re.M)


def write_table(scores, page=PAGE):
    """Write the scores into the table of the docs; what stands above it stays, and so
    do the rows of other lessons.
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
