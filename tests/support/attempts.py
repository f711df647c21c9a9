"""Attempts at exercises: a lesson is run up to the exercise, then the attempt takes the
place of the solution, and its check answers.
"""

import linecache
from functools import cache

from steps.course import builder, exercises
from tests.support import lesson_checks as checks


def run(text, names):
    """Run a cell; its lines can be read in a traceback, as in a notebook."""
    file = f"<cell {len(linecache.cache)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), names)


@cache
def lesson_until(number, exercise):
    """Run a lesson up to an exercise: its names, the exercise's cell and its check."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    mpl.use("Agg")
    # A notebook has `display`; here nobody looks.
    names = {"__name__": "__main__", "display": lambda *_: None}
    found = 0
    cells = iter(checks.code_cells(builder.assemble(number)))
    for cell in cells:
        text = checks.source(cell)
        found += exercises.is_solution(text)
        if found == exercise:
            return names, text, checks.source(next(cells))
        try:
            run(text, names)
        except Exception:
            assert "raises-exception" in checks.tags(cell)
        plt.close("all")
    raise LookupError(f"lesson {number} has no exercise {exercise}")


def complaint(number, exercise, attempt, hidden=True):
    """What the check of an exercise, with or without hidden tests, says to an attempt;
    None if it is content.
    """
    names, _, check = lesson_until(number, exercise)
    if not hidden:
        check = exercises.without_hidden_tests(check)
    names = dict(names)
    run(attempt, names)
    try:
        run(check, names)
    except AssertionError as error:
        return str(error)
    return None


def exercises_of(number):
    """The numbers of a lesson's exercises."""
    cells = checks.code_cells(builder.assemble(number))
    count = sum(exercises.is_solution(checks.source(cell)) for cell in cells)
    return set(range(1, count + 1))
