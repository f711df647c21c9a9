"""The workshop in a terminal: ``python -m steps workshop``."""

import contextlib
import re
import time

from ..lessons import CourseError, head, stem, typed
from ..results import tell
from . import cut, hints, learner_module
from . import folder as workshop
from .framework import before as before_it
from .framework import code_of, step_of, steps
from .notebook import judging_cells
from .parts import listed
from .report import MOST, Report, Way, comparison
from .session import go_on
from .trial import TrialProcess
from .verdict import verdict_on

USAGE = (
    "8, next, judge 8, watch, hint 8 NAME, solution 8 NAME, diff 8, fresh 8, "
    "name NAME, or pack FOLDER"
)
# How often it is looked whether something was saved.
SECONDS = 0.3
LINK = re.compile(r"\[([^]]+)\]\([^)]+\)")
WORDS = ("next", "judge", "watch", "hint", "solution", "diff", "fresh", "where")
OF_PACKAGES = ("name", "pack")


def run(options):
    """Do what the words after ``workshop`` ask for; return the exit code."""
    word, *rest = options.words or [""]
    if word == "":
        print(f"{Way(workshop.place())}\n")
    if word == "" or word.isdecimal():
        return _open(int(word) if word else None)
    if word in OF_PACKAGES:
        return _package(word, *rest)
    if word not in WORDS:
        raise CourseError(f"The workshop does not know {word!r}. It knows {USAGE}.")
    if word != "judge" and (options.json or options.junit or options.fail_under):
        raise CourseError("--json, --junit and --fail-under go with judge.")
    numbers = [int(text) for text in rest if text.isdecimal()]
    names = [text for text in rest if not text.isdecimal()]
    number = numbers[0] if numbers else workshop.current()
    if number is None:
        raise CourseError("Name a step: all are done.")
    if word in ("next", "judge") and number == cut.LESSON:
        print(learner_module.cut_up())
        return 0
    workshop.of_the_workshop(number)
    if word == "next" and not options.anyway and workshop.is_untouched(number):
        return _open(number)
    if word in ("next", "judge"):
        return _judge(number, word == "next", options)
    if word in ("hint", "solution"):
        if not names:
            to_write = ", ".join(step_of(number).to_write)
            raise CourseError(f"Name one of {to_write}.")
        # `hint 8 NAME 3` is the third one.
        stage = numbers[1] - 1 if len(numbers) > 1 else options.nearer
        hint = hints.Hint(number, names[0], stage)
        print(hint.in_a_terminal() if word == "hint" else hints.code(number, names[0]))
    elif word == "diff":
        _diff(number)
    elif word == "watch":
        watch(workshop.place())
    elif word == "fresh":
        aside = workshop.fresh(number)
        print(f"Step {number} begins afresh; your notebook is {aside.name} beside it.")
    else:  # where: for start.py, which opens what lies there
        print(workshop.notebook_file(number))
    return 0


def _open(number):
    number = number or workshop.current()
    if number is None:
        path = workshop.own_file(steps()[-1])
        print(f"You have written every step of the workshop. Your framework is {path}.")
        return 0
    path, happened = workshop.lay(number)
    begins, before = workshop.base(number), f"{stem(before_it(number))}.py"
    why = f"the course or your {before} is newer"
    if begins.lent and not path.with_name(before).exists():
        why = f"there is no {before} of yours any more"
    anew = f"`{typed(f'workshop fresh {number}')}` sets it aside and lays the new one"
    said = {
        "new": f"Laid {path.name}. {begins.said}",
        "renewed": f"Renewed {path.name}: {why}. {begins.said}",
        "kept": f"Your {path.name} was laid when things were different: {why}. It "
        f"stays as it is, for you have worked in it; {anew}.",
    }
    print(f"Step {number}, {head(number).title}. {said.get(happened, '')}".rstrip())
    print(f"The notebook: {path}")
    return 0


def _judge(number, goes_on, options):
    """Judge a step, and go on if it is right, or if that is asked for."""
    verdict = verdict_on(workshop.saved(number))
    if not verdict.right and not (goes_on and options.anyway):
        lent = f"the lesson's own {listed(verdict.from_the_lesson, MOST)}"
        way_on = f"`{typed(f'workshop next {number} --anyway')}` goes on with {lent}."
        report = Report(verdict, [f"What counts is the saved notebook. {way_on}"])
        return tell(report.results(), options, report, 1)
    # No terminal shows links.
    said = [LINK.sub(r"\1", sentence) for sentence in go_on(verdict, workshop.place())]
    report = Report(verdict, said)
    status = tell(report.results(), options, report)
    following = workshop.after(number)
    return _open(following[0]) if goes_on and following else status


def _package(word, wanted=None):
    if word == "pack":
        print(f"{learner_module.pack(wanted)} is your package, to take along.")
    elif wanted:
        print(learner_module.rename(wanted))
    else:
        print(learner_module.name())
    return 0


def _diff(number):
    changes = comparison(workshop.saved(number))
    if not changes:
        print(f"What you have written for step {number} says the same as the lesson's.")
    for change in changes:
        print(f"--- yours\n+++ the lesson's: {change.name}")
        print("\n".join(change.lines()), end="\n\n")


# --- While somebody writes ------------------------------------------------------------


def watch(folder):
    """Judge what is saved, until Ctrl + C."""
    print(f"Save a notebook in {folder}, and it is judged. Ctrl + C ends this.")
    with contextlib.suppress(KeyboardInterrupt), TrialProcess() as process:
        process.try_out(1, judging_cells(1), code_of(1))  # loads what takes long
        for number in saved(folder):
            print(f"\n{time.strftime('%H:%M:%S')}  {judged(number, folder, process)}")


def judged(number, folder, process):
    """What is to be said about a step as it was saved."""
    try:
        return Report(verdict_on(workshop.saved(number, folder), process))
    except CourseError as error:  # a notebook that is half written
        return error


def saved(folder):
    """The numbers of steps, each when its notebook has been saved."""
    seen = _times(folder)
    while True:
        time.sleep(SECONDS)
        now = _times(folder)
        yield from (number for number in now if now[number] != seen.get(number))
        seen = now


def _times(folder):
    paths = {n: workshop.notebook_file(n, folder) for n in steps()}
    return {n: path.stat().st_mtime_ns for n, path in paths.items() if path.exists()}
