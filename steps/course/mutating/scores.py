"""Measures the checks: how many mutants of the solutions do they find?

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
from ..judge.child import Child, Stopped
from ..lessons import ROOT, CourseError, known, numbers
from . import fork_pool
from .mutants import mutants
from .slicing import needed

HARMLESS = Path(__file__).with_name("harmless.json")
PAGE = ROOT / "docs" / "exercises.md"


@dataclass
class Score:
    """What the checks of a lesson found."""

    step: int
    exercises: int
    mutants: int
    killed: int
    harmless: int
    # Of those that are not known to be harmless: (exercise, change).
    survivors: list[tuple[int, str]]
    # Named harmless, and no survivor any more.
    gone: list[tuple[int, str]]


def measure(steps=None, jobs=None):
    """Try the mutants of lessons, and show at a terminal how far it is: a Score for
    each.

    Parameters
    ----------
    steps : list of int, optional
        All steps if not given.
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
    chosen = [known(n) for n in steps] if steps else numbers()
    jobs = jobs or os.cpu_count() or 1
    tasks = [e for n in chosen for e in exercises.of_lesson(builder.lesson_cells(n))]
    total = sum(len(mutants(exercise.solution)) for exercise in tasks)

    def lesson(number):
        found = []
        for line in _tried(number, max(1, jobs // len(chosen))):
            found.append(line)
            bar.update()
        return _score(number, found)

    with (
        tqdm(total=total, unit="mutant", disable=None) as bar,
        ThreadPoolExecutor(min(jobs, len(chosen))) as pool,
    ):
        return list(pool.map(lesson, chosen))


def _tried(number, jobs):
    """Triples (exercise, change, survives), one for each mutant of a lesson."""
    lesson = builder.assemble(number)["cells"]
    cells = needed([cell for cell in lesson if cell["cell_type"] == "code"])
    at, planted = {}, {}
    for exercise, (position, rest) in enumerate(fork_pool.places(cells), start=1):
        solution = cells[position]["source"]
        faults = mutants(solution)
        at[position] = [[text, *rest] for text in [solution, *faults.values()]]
        planted[position] = exercise, [solution, *faults]
    try:
        with Child(fork_pool.__name__, ROOT) as child:
            for position, count, failures in fork_pool.tries(
                child, [cell["source"] for cell in cells], at, jobs
            ):
                if count is None:  # a cell of the lesson fails, and may be meant to
                    continue
                exercise, changes = planted[position]
                if count:
                    yield exercise, changes[count], not failures
                elif failures:
                    raise CourseError(f"The check is not content with: {changes[0]}")
    except Stopped as stopped:
        raise CourseError(
            f"The mutants of step {number} could not be tried: it {stopped}."
        ) from None


def _score(number, lines):
    named, tasks = harmless(), exercises.of_lesson(builder.lesson_cells(number))
    survived = {(e, change) for e, change, survives in lines if survives}
    listed = {
        (exercise, change)
        for exercise in range(1, len(tasks) + 1)
        for change in named.get(f"{number}.{exercise}", ())
    }
    return Score(
        step=number,
        exercises=len(tasks),
        mutants=len(lines),
        killed=len(lines) - len(survived),
        harmless=len(survived & listed),
        survivors=sorted(survived - listed),
        gone=sorted(listed - survived),
    )


def harmless():
    """Survivors that do no harm: maps "8.2" to a dict from a change to the reason."""
    return json.loads(HARMLESS.read_text(encoding="utf-8"))


# --- The table ------------------------------------------------------------------------

ROW = re.compile(r"^\| (\d+) \|.*\|$", re.M)


def write_table(scores, page=PAGE):
    """Write the scores into the table of the docs; what stands above it stays, and so
    do the rows of other lessons.
    """
    old = page.read_text(encoding="utf-8")
    rows = {int(row[1]): row[0] for row in ROW.finditer(old)}
    rows |= {score.step: _row(score) for score in scores}
    text = ROW.split(old)[0] + "".join(f"{rows[n]}\n" for n in sorted(rows))
    page.write_text(text, encoding="utf-8", newline="\n")


def _row(score):
    counted = score.mutants - score.harmless
    share = f"{score.killed / counted:.1%}" if counted else "–"
    cells = [score.step, score.exercises, score.mutants, score.killed]
    cells += [score.harmless, len(score.survivors), share]
    return f"| {' | '.join(map(str, cells))} |"
