"""The beginning of a new step: a lesson and a module that build, to be rewritten."""

from pathlib import Path

from . import lessons
from .lessons import CourseError, StepKind, kind, lesson_path, module_path, previous
from .student_copies import write_new

SKELETON = Path(__file__).with_name("skeleton.md")
DOUBLE = '''

def double(x):
    """Twice `x`; TODO: put the step's own functions here."""
    return 2 * x
'''


def begin(number, title):
    """Write the two files of a new step; return their paths.

    Raises
    ------
    CourseError
        If the step is there already, or if its number would leave a gap.
    """
    paths = lesson_path(number), module_path(number)
    if there := [path.name for path in paths if path.exists()]:
        raise CourseError(f"{' and '.join(there)}: there already. Nothing was written.")
    if number != (following := next_number()):
        raise CourseError(f"Step {number} would leave a gap. The next is {following}.")
    lesson = SKELETON.read_text(encoding="utf-8").format(
        number=number, title=title, before=previous(number), module=paths[1].name
    )
    if kind(number) is StepKind.PACKAGE:
        lesson = _with_write_it(lesson)
    for path, text in zip(paths, (lesson, _module(number, title)), strict=True):
        write_new(path, text)
    return paths


def next_number():
    """The number that a new step has to have: a new one comes last."""
    return lessons.numbers()[-1] + 1


def _with_write_it(lesson):
    # The first exercise becomes what is written before the code is shown.
    start, end = lesson.index("### Exercise 1"), lesson.index("### Exercise 2")
    written = lesson[start:end]
    lesson = lesson[:start] + lesson[end:]
    return lesson.replace("## The code", f"## Write it\n\n{written}## The code")


def _module(number, title):
    head = f'"""Step {number}: {title[:1].lower()}{title[1:]}."""\n'
    return f'{head}\n__all__ = ["double"]\n{DOUBLE}'
