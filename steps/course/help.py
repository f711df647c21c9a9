"""Helps with an exercise, on request: :func:`steps.hint` and :func:`steps.solution`."""

from dataclasses import dataclass

from . import builder, exercises
from .lessons import CourseError, known
from .listings import Listing


@dataclass(repr=False)
class Hint:
    """Shows hints: the first at once, the nearer ones at a click.

    Parameters
    ----------
    hints : list of str
        The nearest is the last.
    titles : list of str
        What opens the nearer ones.
    shown : int
        How many of the nearer ones are shown at once.
    call : str
        What asks for the next one.
    solution : str
        What shows the lesson's code, of which the last hint is then a skeleton.
    """

    hints: list[str]
    titles: list[str]
    shown: int
    call: str
    solution: str = ""

    def __repr__(self):
        parts = self.hints[: self.shown + 1]
        if len(parts) < len(self.hints):
            parts.append(f"A nearer one: {self.call}")
        elif self.solution:
            parts.append(f"The lesson's code: {self.solution}")
        return "\n\n".join(parts)

    def _repr_markdown_(self):
        first, *nearer = self.hints
        if self.solution:
            code = f"```python\n{nearer[-1]}\n```"
            nearer[-1] = f"{code}\n\nThe lesson's code: `{self.solution}`"
        parts = [first]
        for n, (title, hint) in enumerate(zip(self.titles, nearer, strict=True), 1):
            head = f"<details{' open' * (self.shown >= n)}><summary>{title}</summary>"
            parts.append(f"{head}\n\n{hint}\n\n</details>")
        return "\n\n".join(parts)


def make_hint(number, exercise, nearer=False):
    """Make the Hint of an exercise."""
    hints = _find_exercise(number, exercise).hints
    if not hints:
        raise CourseError(
            f"Exercise {exercise} of step {number} has no hints. "
            f"`steps.solution({number}, {exercise})` shows a solution."
        )
    titles = ["A nearer hint"] * (len(hints) - 1)
    call = f"steps.hint({number}, {exercise}, nearer=True)"
    return Hint(hints, titles, len(titles) * bool(nearer), call)


def show_solution(number, exercise):
    """Show a solution of an exercise: other right ones exist."""
    text = exercises.remove_markers(_find_exercise(number, exercise).solution)
    if exercises.STUB in text or exercises.STUB_OUTSIDE in text.splitlines():
        text = "# This package of the course was made without solutions."
    return Listing(text)


def _find_exercise(number, exercise):
    found = exercises.find_exercises(builder.read_lesson_cells(known(number)))
    if exercise not in range(1, len(found) + 1):
        raise CourseError(
            f"Step {number} has no exercise {exercise}; it has {len(found)} exercises."
        )
    return found[exercise - 1]
