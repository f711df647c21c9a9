"""Help with an exercise on request: :func:`steps.hint` and :func:`steps.solution`."""

from dataclasses import dataclass

from . import builder, exercises
from .lessons import CourseError, known
from .listings import Listing
from .translation.markdown import replace_units
from .translation.notebooks import make_translate


@dataclass(repr=False)
class Hint:
    """The hints for an exercise: the first is open, the others open at a click.

    Parameters
    ----------
    hints : list of str
        The hints, the most explicit last.
    titles : list of str
        The titles of the hints after the first.
    shown : int
        How many of the hints after the first are open from the start.
    call : str
        The call that shows the next hint.
    solution : str
        The call that shows the lesson's code; the last hint is then a skeleton of it.
    """

    hints: list[str]
    titles: list[str]
    shown: int
    call: str
    solution: str = ""

    def __repr__(self):
        parts = self.hints[: self.shown + 1]
        if len(parts) < len(self.hints):
            parts.append(f"Another hint: {self.call}")
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
    """Make the Hint of an exercise; with `nearer`, all its hints are open."""
    hints = _find_exercise(number, exercise).hints
    if not hints:
        raise CourseError(
            f"Exercise {exercise} of step {number} has no hints. "
            f"`steps.solution({number}, {exercise})` shows a solution."
        )
    translate = make_translate(number)
    hints = [replace_units(hint, translate) for hint in hints]
    titles = ["A nearer hint"] * (len(hints) - 1)
    call = f"steps.hint({number}, {exercise}, nearer=True)"
    return Hint(hints, titles, len(titles) * bool(nearer), call)


def show_solution(number, exercise):
    """Return a Listing of one of the correct solutions of an exercise."""
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
