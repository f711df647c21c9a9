"""Help with an exercise, on request: :func:`steps.hint` and :func:`steps.solution`."""

from . import builder, exercises
from .lessons import CourseError, known
from .listings import Listing


class Hints:
    """The hints of an exercise: the first at once, the nearer ones at a click."""

    def __init__(self, step, exercise, nearer=False):
        hints = _exercise(step, exercise).hints
        if not hints:
            raise CourseError(
                f"Exercise {exercise} of step {step} has no hints. "
                f"`steps.solution({step}, {exercise})` shows a solution."
            )
        self._first, *self._nearer = hints
        self._all = nearer
        self._way_on = f"A nearer one: steps.hint({step}, {exercise}, nearer=True)"

    def __repr__(self):
        more = self._nearer if self._all else [self._way_on] * bool(self._nearer)
        return "\n\n".join([self._first, *more])

    def _repr_markdown_(self):
        folded = [
            f"<details{' open' if self._all else ''}><summary>A nearer hint</summary>"
            f"\n\n{hint}\n\n</details>"
            for hint in self._nearer
        ]
        return "\n\n".join([self._first, *folded])


class Solution(Listing):
    """A solution of an exercise: other right ones exist."""

    def __init__(self, step, exercise):
        text = exercises.without_markers(_exercise(step, exercise).solution)
        if exercises.STUB in text or exercises.STUB_OUTSIDE in text.splitlines():
            text = "# This package of the course was made without solutions."
        super().__init__(text)


def _exercise(step, exercise):
    found = exercises.of_lesson(builder.lesson_cells(known(step)))
    if exercise not in range(1, len(found) + 1):
        raise CourseError(
            f"Step {step} has no exercise {exercise}; it has {len(found)} exercises."
        )
    return found[exercise - 1]
