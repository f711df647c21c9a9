"""The workshop in a terminal: ``python -m steps workshop``."""

import contextlib
import re
import time

from ..classroom.class_command import command
from ..definitions import format_names
from ..lessons import CourseError, head, stem, typed
from ..results import add_options, tell
from . import folder as workshop
from . import hints, learner_module, split_core
from .framework import before as before_it
from .framework import code_of, step_of, steps
from .notebook import judging_cells
from .report import MOST, Report, Way, comparison
from .session import go_on
from .trial import TrialProcess
from .verdict import verdict_on

# How often it is looked whether something was saved.
SECONDS = 0.3
LINK = re.compile(r"\[([^]]+)\]\([^)]+\)")


def add_to(commands):
    """Add the command, with its own ones, to the course tool's."""
    text = "write the framework yourself, step by step; `workshop 8` opens step 8"
    group = commands.add_parser("workshop", help=text, description=text)
    group.set_defaults(run=go_on_writing)
    verbs = group.add_subparsers(metavar="command")

    def verb(name, run):
        more = command(verbs, name, run)
        text = "the step; the first that is not done, if left out"
        more("step", metavar="N", type=int, nargs="?", help=text)
        return more

    verb("open", open_step)
    text = "go on with the lesson's own code in place of what is missing or wrong"
    verb("next", next_step)("--anyway", action="store_true", help=text)
    add_options(verb("judge", judge))
    command(verbs, "watch", watch_workshop)
    definition = {"metavar": ("N", "NAME"), "nargs": "*", "help": "step and definition"}
    more = command(verbs, "hint", hint)
    more("words", **definition)
    more("--nearer", action="store_true", help="the nearer one")
    command(verbs, "solution", solution)("words", **definition)
    verb("diff", diff)
    verb("fresh", fresh)
    verb("where", where)
    command(verbs, "name", name)("name", metavar="NAME", nargs="?")
    command(verbs, "pack", pack)("folder", metavar="DIR", nargs="?")


def spelt_out(arguments):
    """`workshop 8` is short for `workshop open 8`."""
    if arguments[:1] == ["workshop"] and "".join(arguments[1:2]).isdecimal():
        return ["workshop", "open", *arguments[1:]]
    return arguments


def go_on_writing(options):
    """Show the way, and open the first step that is not done."""
    print(f"{Way(workshop.place())}\n")
    return _open(None)


def open_step(options):
    """lay the notebook of a step, and say where it is"""
    return _open(options.step)


def next_step(options):
    """judge a step; if it is right, open the next one"""
    if options.step == split_core.LESSON:
        return print(learner_module.cut_up())
    number = _chosen(options.step)
    if not options.anyway and workshop.is_untouched(number):
        return _open(number)
    report, goes_on = _judged(number, options.anyway)
    print(report)
    following = workshop.after(number)
    return _open(following[0]) if goes_on and following else int(not goes_on)


def judge(options):
    """judge a step; if it is right, write it to a file"""
    if options.step == split_core.LESSON:
        return print(learner_module.cut_up())
    number = _chosen(options.step)
    report, goes_on = _judged(number)
    return tell(report.results(), options, report, int(not goes_on))


def watch_workshop(options):
    """judge every notebook when it is saved"""
    watch(workshop.place())


def hint(options):
    """give a hint for a definition: hint 8 NAME; `hint 8 NAME 3` is the third one"""
    number, name, stages = _definition(options.words)
    stage = stages[0] - 1 if stages else options.nearer
    print(hints.Hint(number, name, stage).in_a_terminal())


def solution(options):
    """show the lesson's code of a definition: solution 8 NAME"""
    number, name, _ = _definition(options.words)
    print(hints.code(number, name))


def fresh(options):
    """set your notebook of a step aside, and lay a new one"""
    number = _chosen(options.step)
    aside = workshop.fresh(number)
    print(f"Step {number} begins afresh; your notebook is {aside.name} beside it.")


def where(options):
    """say where the notebook of a step is"""
    print(workshop.notebook_file(_chosen(options.step)))


def name(options):
    """say what your package is called, or call it NAME"""
    print(
        learner_module.rename(options.name) if options.name else learner_module.name()
    )


def pack(options):
    """write your package to a folder, to take along"""
    print(f"{learner_module.pack(options.folder)} is your package, to take along.")


def _chosen(number):
    """The step that is named, or else the first that is not done."""
    if (number := number or workshop.current()) is None:
        raise CourseError("Name a step: all are done.")
    return workshop.of_the_workshop(number)


def _definition(words):
    """The step and the definition that words name, and the numbers after them."""
    numbers = [int(word) for word in words if word.isdecimal()]
    names = [word for word in words if not word.isdecimal()]
    number = _chosen(numbers[0] if numbers else None)
    if not names:
        raise CourseError(f"Name one of {', '.join(step_of(number).to_write)}.")
    return number, names[0], numbers[1:]


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


def _judged(number, anyway=False):
    """A report on a step, and whether it goes on: if it is right, or if that is asked
    for.
    """
    verdict = verdict_on(workshop.saved(number))
    if verdict.right or anyway:
        # No terminal shows links.
        said = [LINK.sub(r"\1", text) for text in go_on(verdict, workshop.place())]
        return Report(verdict, said), True
    lent = f"the lesson's own {format_names(verdict.from_the_lesson, MOST)}"
    way_on = f"`{typed(f'workshop next {number} --anyway')}` goes on with {lent}."
    return Report(verdict, [f"What counts is the saved notebook. {way_on}"]), False


def diff(options):
    """show what differs between your code of a step and the lesson's"""
    number = _chosen(options.step)
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
