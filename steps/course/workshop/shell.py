"""The workshop in a terminal: ``python -m steps workshop``."""

import re

from ..lessons import CourseError, head, previous, stem, typed
from . import folder as workshop
from . import hints
from .framework import step_of
from .judging import judge
from .live import go_on
from .report import Report, comparison

USAGE = "8, next, judge 8, hint 8 NAME, solution 8 NAME, diff 8, or fresh 8"


def run(words, anyway=False, nearer=False):
    """Do what the words after ``workshop`` ask for; return the exit code."""
    word, *rest = words or [""]
    if word == "" or word.isdecimal():
        return _open(int(word) if word else None)
    if word not in COMMANDS:
        raise CourseError(f"The workshop does not know {word!r}. It knows {USAGE}.")
    numbers = [int(text) for text in rest if text.isdecimal()]
    names = [text for text in rest if not text.isdecimal()]
    return COMMANDS[word](_Asked(numbers, names, anyway, nearer))


class _Asked:
    def __init__(self, numbers, names, anyway, nearer):
        self._numbers, self._names = numbers, names
        self.anyway, self.nearer = anyway, nearer

    @property
    def number(self):
        """The step that is named, or the current one."""
        number = self._numbers[0] if self._numbers else workshop.current()
        if number is None:
            raise CourseError("Name a step: all are done.")
        return workshop.of_the_workshop(number)

    @property
    def name(self):
        if not self._names:
            raise CourseError(f"Name one of {', '.join(self._to_write())}.")
        return self._names[0]

    def _to_write(self):
        return step_of(self.number).to_write


def _open(number):
    number = number or workshop.current()
    if number is None:
        last = workshop.steps()[-1]
        print(_finished(last))
        return 0
    path, happened = workshop.lay(number)
    said = {
        "new": f"Laid {path.name}. {workshop.base(number).said}",
        "renewed": f"Renewed {path.name}: the course is newer, or your file of step "
        f"{previous(number)} is.",
        "kept": f"The course is newer than your {path.name}, which stays as it is: you "
        f"have worked in it. `{typed(f'workshop fresh {number}')}` sets it aside and "
        "lays the new one.",
    }
    print(f"Step {number}, {head(number).title}. {said.get(happened, '')}".rstrip())
    print(f"The notebook: {path}")
    return 0


def _finished(last):
    return (
        f"You have written every step of the workshop. Your framework is "
        f"{workshop.place() / f'{stem(last)}.py'}."
    )


def _next(asked):
    """Judge the current step, and go on if it is right, or if that is asked for."""
    number = asked.number
    verdict = _judged(number)
    if not verdict.right and not asked.anyway:
        print(Report(verdict, [_how_to_go_on(verdict)]))
        return 1
    print(Report(verdict, _plain(_after(verdict))))
    following = [n for n in workshop.steps() if n > number]
    return _open(following[0]) if following else 0


def _how_to_go_on(verdict):
    names = ", ".join(verdict.from_the_lesson)
    return (
        f"What counts is the saved notebook. `{typed('workshop next --anyway')}` goes "
        f"on with the lesson's own {names}."
    )


def _after(verdict):
    return go_on(verdict, workshop.place())


def _judged(number):
    return judge(workshop.assembled(number, workshop.cells_of(number)))


def _judge(asked):
    verdict = _judged(asked.number)
    print(Report(verdict, _plain(_after(verdict)) if verdict.right else []))
    return 0 if verdict.right else 1


def _plain(sentences):
    return [re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", said) for said in sentences]


def _hint(asked):
    print(hints.Hint(asked.number, asked.name, asked.nearer).in_a_terminal())


def _solution(asked):
    print(hints.Code(asked.number, asked.name))


def _diff(asked):
    verdict = _judged(asked.number)
    for change in comparison(verdict):
        print(f"--- yours\n+++ the lesson's: {change.name}")
        print("\n".join(change.lines()), end="\n\n")


def _fresh(asked):
    aside = workshop.fresh(asked.number)
    print(
        f"Step {asked.number} begins afresh; your notebook is {aside.name} beside it."
    )


def _where(asked):
    """For start.py, which opens what lies there."""
    print(workshop.place() / f"{stem(asked.number)}.ipynb")


COMMANDS = {
    "next": _next,
    "judge": _judge,
    "hint": _hint,
    "solution": _solution,
    "diff": _diff,
    "fresh": _fresh,
    "where": _where,
}
