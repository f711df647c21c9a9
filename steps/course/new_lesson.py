"""Create a new step: a lesson and a module that build, ready to be rewritten."""

from pathlib import Path

from . import lessons
from .lessons import CourseError, StepKind, lesson_path, module_path, of_kind
from .student_copies import write_new

SKELETONS = "skeleton.md", "skeleton.py.txt"


def create_lesson(number, title):
    """Write the two files of a new step; return their paths.

    Raises
    ------
    CourseError
        If the step already exists, or if its number would leave a gap.
    """
    paths = lesson_path(number), module_path(number)
    if names := [path.name for path in paths if path.exists()]:
        raise CourseError(f"Already there: {' and '.join(names)}. Nothing was written.")
    if number != (following := find_next_number()):
        raise CourseError(f"Step {number} would leave a gap. The next is {following}.")
    previous = of_kind(StepKind.PACKAGE)[-1]
    fields = {"number": number, "title": title, "module": paths[1].name}
    fields |= {"before": previous, "lower_title": f"{title[:1].lower()}{title[1:]}"}
    for path, name in zip(paths, SKELETONS, strict=True):
        text = Path(__file__).with_name(name).read_text(encoding="utf-8")
        write_new(path, text.format(**fields))
    return paths


def find_next_number():
    """Return the number for a new step: one after the last step."""
    return lessons.numbers()[-1] + 1
