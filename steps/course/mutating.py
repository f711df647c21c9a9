"""Measures the checks: how many mutants of the solutions do they find?

``python -m steps mutate 8`` makes the mutants of lesson 8. The lesson runs once; at
each exercise the process forks, and each fork tries one mutant. A mutant is killed if
the cells up to the check fail or do not end; it survives if the check is content.
Survivors that do no harm are named, with the reason, in ``harmless.json``.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from . import builder, exercises
from .lessons import ROOT, STEPS, CourseError, known, numbers
from .mutants import mutants
from .running import close_pictures, complaint, prepare, run, silence

HARMLESS = Path(__file__).with_name("harmless.json")
PAGE = ROOT / "docs" / "exercises.md"
KILLED, SURVIVED, TOO_SLOW = "killed", "survived", "too slow"
# A mutant may take ten times as long as the solution, and this many seconds at least.
PATIENCE = 5
MEMORY = 4 * 2**30


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


# --- In the parent --------------------------------------------------------------------


def measure(steps=None, jobs=None, show=lambda done, total: None):
    """Try the mutants of lessons: a Score for each.

    Parameters
    ----------
    steps : list of int, optional
        All steps if not given.
    jobs : int, optional
        How many mutants are tried at once; as many as there are cores if not given.
    show : callable
        Called with the number of mutants tried and their total, after each.

    Raises
    ------
    CourseError
        If a solution fails its own check, or if the system cannot fork.
    """
    if not hasattr(os, "fork"):
        raise CourseError(
            "Mutants are tried in forks, which this system does not have."
        )
    chosen = [known(n) for n in steps] if steps else numbers()
    jobs = jobs or os.cpu_count() or 1
    total = sum(
        len(mutants(exercise.solution))
        for n in chosen
        for exercise in exercises.of_lesson(builder.lesson_cells(n))
    )
    done = 0

    def lesson(number):
        nonlocal done
        found = []
        for line in _tried(number, max(1, jobs // len(chosen))):
            found.append(line)
            done += 1
            show(done, total)
        return _score(number, found)

    with ThreadPoolExecutor(min(jobs, len(chosen))) as pool:
        return list(pool.map(lesson, chosen))


def _tried(number, jobs):
    """Lines [exercise, change, outcome] from a process that tries the mutants of a
    lesson.
    """
    command = [sys.executable, "-m", f"{STEPS}.course.mutating", str(number), str(jobs)]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        encoding="utf-8",
        cwd=ROOT,
    ) as child:
        assert child.stdout
        assert child.stderr
        for line in child.stdout:
            yield json.loads(line)
        said = child.stderr.read().strip()
    if child.returncode:
        last = said.splitlines()[-1] if said else f"exit code {child.returncode}"
        raise CourseError(f"The mutants of step {number} could not be tried: {last}")


def _score(number, lines):
    named = harmless()
    survived = {(e, change) for e, change, outcome in lines if outcome == SURVIVED}
    listed = {
        (int(key.split(".")[1]), change)
        for key, changes in named.items()
        if key.split(".")[0] == str(number)
        for change in changes
    }
    return Score(
        step=number,
        exercises=len(exercises.of_lesson(builder.lesson_cells(number))),
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

HEAD = """\
# How good the checks are

An exercise is only as good as its check. So the checks are measured: small faults are
planted in each solution, one at a time (another operator, another constant, a statement
or a returned value left out, two arguments the wrong way round), and the check has to
find them. A fault that the check lets pass is a *survivor*. Some do no harm, because
the answer stays right; they are listed with the reason in `steps/course/harmless.json`,
and do not count. The score is the share of all others that were found.

A row shows what the lesson gave when it was last measured, with
`python -m steps mutate --table 8`; without a number, all lessons are measured. A lesson
without a row has not been measured yet.

| step | exercises | mutants | found | harmless | survivors | score |
| ---: | ---: | ---: | ---: | ---: | ---: | ---: |
"""
ROW = re.compile(r"^\| (\d+) \|.*\|$", re.M)


def write_table(scores, page=PAGE):
    """Write the scores into the table of the docs; other lessons keep their rows."""
    old = page.read_text(encoding="utf-8") if page.exists() else ""
    rows = {int(row[1]): row[0] for row in ROW.finditer(old)}
    rows |= {score.step: _row(score) for score in scores}
    text = HEAD + "".join(f"{rows[n]}\n" for n in sorted(rows))
    page.write_text(text, encoding="utf-8", newline="\n")


def _row(score):
    counted = score.mutants - score.harmless
    share = f"{score.killed / counted:.1%}" if counted else "–"
    cells = [score.step, score.exercises, score.mutants, score.killed]
    cells += [score.harmless, len(score.survivors), share]
    return f"| {' | '.join(map(str, cells))} |"


# --- In the process that tries --------------------------------------------------------


def try_all(number, jobs, say):
    """Run a lesson, and at each exercise its mutants, some at once."""
    names = {"__name__": "__main__"}
    cells = [c for c in builder.assemble(number)["cells"] if c["cell_type"] == "code"]
    exercise = 0
    for position, cell in enumerate(cells):
        source = cell["source"]
        if exercises.is_solution(source):
            exercise += 1
            rest = _up_to_check(cells[position + 1 :])
            for change, outcome in _try(source, rest, names, jobs):
                say([exercise, change, outcome])
        with silence():
            complaint(lambda source=source: run(source, names))
            close_pictures()


def _up_to_check(cells):
    sources = []
    for cell in cells:
        sources.append(cell["source"])
        if exercises.CHECK in cell["metadata"].get("tags", ()):
            return sources
    raise CourseError("an exercise has no check")


def _try(solution, rest, names, jobs):
    began = time.perf_counter()
    if _end_of(_fork([solution, *rest], names, 600)) != SURVIVED:
        raise CourseError(f"the check is not content with: {solution}")
    seconds = max(PATIENCE, 10 * (time.perf_counter() - began))
    waiting = list(mutants(solution).items())[::-1]
    running: dict[int, str] = {}
    while waiting or running:
        while waiting and len(running) < jobs:
            change, source = waiting.pop()
            running[_fork([source, *rest], names, seconds)] = change
        child, status = os.wait()
        yield running.pop(child), _outcome(status)


def _fork(sources, names, seconds):
    """Run cells in a fork that an alarm ends; return its process id."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        import resource

        # The alarm ends the process, whatever it does: nothing is there to catch it.
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        with silence():
            failed = complaint(lambda: [run(source, names) for source in sources])
        status = 0 if failed is None else 1
    finally:
        os._exit(status)


def _end_of(child):
    return _outcome(os.waitpid(child, 0)[1])


def _outcome(status):
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM:
        return TOO_SLOW
    return SURVIVED if status == 0 else KILLED


def main():
    prepare()
    number, jobs = map(int, sys.argv[1:])
    lines = os.fdopen(os.dup(1), "w", encoding="utf-8")
    try:
        try_all(
            number, jobs, lambda line: print(json.dumps(line), file=lines, flush=True)
        )
    except CourseError as error:
        sys.exit(str(error).replace("\n", " "))


if __name__ == "__main__":
    main()
