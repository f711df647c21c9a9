"""Exercises: a task with two hints, a solution between two markers, and a check.

In a lesson, an exercise looks like this::

    ### Exercise 1: twice

    Write `twice(x)`.

    ```{hint}
    Which operator makes a number larger?
    ```

    ```{hint}
    Multiply, and return what you get.
    ```

Two code cells follow: the solution, between ``### BEGIN SOLUTION`` and ``### END
SOLUTION``, and the check, tagged ``check``. Students' copies lack the part of the check
between ``### BEGIN HIDDEN TESTS`` and ``### END HIDDEN TESTS``, which tries other
inputs to catch hard-coded answers.
"""

import itertools
import re
from dataclasses import dataclass

from .lessons import CourseError

BEGIN = "### BEGIN SOLUTION"
END = "### END SOLUTION"
BEGIN_HIDDEN = "### BEGIN HIDDEN TESTS"
END_HIDDEN = "### END HIDDEN TESTS"
STUB = "...  # your code here"
# At the top level no statement is needed, and a final ``...`` would be displayed.
STUB_OUTSIDE = "# your code here"
CHECK = "check"
FOLDED = "hide-input"
MAY_RAISE = "raises-exception"

HINT = re.compile(r"^```\{hint\}\n(?P<text>.*?)\n```$\n*", re.M | re.S)
ANSWER = re.compile(r"^```\{answer\}\n(?P<text>.*?)\n```$\n*", re.M | re.S)
FOLDED_HINT = re.compile(r'<details class="hint">.*?</details>\n*', re.S)


@dataclass
class Exercise:
    """An exercise of a lesson. The solution and the check are the sources of whole
    cells; their positions are indices into the lesson's cells.
    """

    hints: list[str]
    solution: str
    position: int
    check: str = ""
    check_position: int = 0


def find_exercises(cells):
    """Find the exercises in a lesson's cells."""
    exercises: list[Exercise] = []
    hints: list[str] = []
    for position, cell in enumerate(cells):
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            hints = [hint["text"] for hint in HINT.finditer(source)] or hints
        elif is_solution(source):
            exercises.append(Exercise(hints, source, position, check_position=position))
            hints = []
        elif is_check(cell) and exercises:
            exercises[-1].check, exercises[-1].check_position = source, position
    return exercises


def is_solution(source):
    return BEGIN in source


def is_check(cell):
    return CHECK in cell["metadata"].get("tags", ())


def replace_solutions(source, markers=False):
    """Replace each marked solution with a stub that does nothing; with `markers`, keep
    the markers around it.

    Raises
    ------
    CourseError
        If the markers are not in pairs.
    """

    def make_stub(marked):
        line = STUB if marked["indent"] else STUB_OUTSIDE
        lines = [BEGIN, line, END] if markers else [line]
        return "\n".join(marked["indent"] + line for line in lines) + marked["end"]

    return _replace_marked(source, BEGIN, END, make_stub)


def remove_hidden_tests(source):
    """Remove the hidden tests from a check.

    Raises
    ------
    CourseError
        If the markers are not in pairs.
    """
    return _replace_marked(source, BEGIN_HIDDEN, END_HIDDEN, lambda marked: "")


def remove_markers(source):
    """Remove the marker lines around a solution."""
    marks = BEGIN, END
    return "\n".join(line for line in source.splitlines() if line.strip() not in marks)


def _replace_marked(source, begin, end, replacement):
    pattern = rf"(?m)^(?P<indent> *){begin}\n(?:.*\n)*?(?P=indent){end}(?P<end>\n|\Z)"
    text, count = re.subn(pattern, replacement, source)
    if not count == source.count(begin) == source.count(end):
        raise CourseError(f"The markers `{begin}` and `{end}` must come in pairs.")
    return text.removesuffix("\n")


# --- In notebooks ---------------------------------------------------------------------


def fold_blocks(text):
    """Convert the hints of a task, and the answer to a prediction, to blocks that open
    at a click.
    """
    counter = itertools.count(1)

    def fold(block, kind, title):
        head = f'<details class="{kind}"><summary>{title}</summary>'
        return f"{head}\n\n{block['text']}\n\n</details>\n\n"

    text = HINT.sub(lambda hint: fold(hint, "hint", f"Hint {next(counter)}"), text)
    return ANSWER.sub(lambda it: fold(it, "answer", "What happens"), text).rstrip()
