"""The workshop in a terminal: ``python -m steps workshop``."""

import contextlib
import re
import time

from ..classroom.class_command import add_command
from ..definitions import format_names
from ..judge.attempts import RIGHT
from ..learner_folder import read_json
from ..lessons import CourseError, format_command, spans, stem
from ..results import WORDS, add_result_options, report_results
from ..translation.notebooks import read_title
from ..translation.tool import join_sentences
from . import carrying, hints, learner_module, split_core, workspace
from .notebook import list_judging_cells
from .report import ProgressLine, Report, compare_with_lesson
from .session import accept
from .step import find_previous, get_step, list_following, list_numbers, read_code
from .trial import TrialProcess
from .verdict import MOST, judge_attempt

# Seconds between checks for saved notebooks.
SECONDS = 0.3
ALL = "all"
LINK = re.compile(r"\[([^]]+)\]\([^)]+\)")


def add_to(commands):
    """Add `workshop` and its subcommands to the course tool."""
    text = "write the framework yourself, step by step; `workshop 8` opens step 8"
    group = commands.add_parser("workshop", help=text, description=text)
    group.set_defaults(run=go_on_writing)
    verbs = group.add_subparsers(metavar="command")

    def verb(name, run):
        more = add_command(verbs, name, run)
        text = "the step; by default, the first unfinished one"
        more("step", metavar="N", type=int, nargs="?", help=text)
        return more

    verb("open", open_step)
    text = "continue, with the lesson's code for whatever is missing or wrong"
    verb("next", next_step)("--anyway", action="store_true", help=text)
    more = add_command(verbs, "judge", judge)
    text = "the step, or `all`; by default, the first unfinished step"
    more("step", metavar="N", type=_read_number, nargs="?", help=text)
    add_result_options(more)
    text = "replace the old code there, after backing up each file"
    verb("carry", carry)("--apply", action="store_true", help=text)
    add_command(verbs, "watch", watch_workshop)
    definition = {"metavar": ("N", "NAME"), "nargs": "*", "help": "step and definition"}
    more = add_command(verbs, "hint", hint)
    more("words", **definition)
    more("--nearer", action="store_true", help="give a stronger hint")
    add_command(verbs, "solution", solution)("words", **definition)
    verb("diff", diff)
    verb("fresh", fresh)
    verb("where", where)
    add_command(verbs, "name", name)("name", metavar="NAME", nargs="?")
    add_command(verbs, "pack", pack)("folder", metavar="DIR", nargs="?")


def expand_shorthand(arguments):
    """Expand `workshop 8` to `workshop open 8`."""
    if arguments[:1] == ["workshop"] and "".join(arguments[1:2]).isdecimal():
        return ["workshop", "open", *arguments[1:]]
    return arguments


def go_on_writing(options):
    """Print the progress line, and open the first unfinished step."""
    print(f"{ProgressLine(workspace.get_folder())}\n")
    return _open_step(None)


def open_step(options):
    """create the notebook of a step, and print its path"""
    return _open_step(options.step)


def next_step(options):
    """judge a step; if it is right, open the next one"""
    if options.step == split_core.LESSON:
        return print(learner_module.split_up())
    number = _choose_number(options.step)
    if not options.anyway and workspace.is_untouched(number):
        return _open_step(number)
    report, goes_on = _judge_step(number, options.anyway)
    print(report)
    following = list_following(number)
    return _open_step(following[0]) if goes_on and following else int(not goes_on)


def judge(options):
    """judge a step; if it is right, write it to a file"""
    if options.step == split_core.LESSON:
        return print(learner_module.split_up())
    if options.step == ALL:
        return _judge_all()
    number = _choose_number(options.step)
    report, goes_on = _judge_step(number)
    return report_results(report.list_results(), options, report, int(not goes_on))


def _read_number(word):
    return ALL if word == ALL else int(word)


def _judge_all():
    """Judge every notebook that the learner has edited, without writing any files."""
    worked_in = [n for n in list_numbers() if not workspace.is_untouched(n)]
    if not worked_in:
        raise CourseError("You have not edited any notebook yet.")
    print(
        f"Judging your notebooks of step {spans(worked_in)}, {len(worked_in)} in all, "
        "without writing files. Training takes minutes; press Ctrl + C to stop.\n"
    )
    wrong = 0
    with TrialProcess() as process:
        for number in worked_in:
            report = judge_saved(number, workspace.get_folder(), process)
            wrong += isinstance(report, CourseError) or not report.verdict.is_right
            print(str(report).partition("\n")[0], flush=True)
    return int(wrong > 0)


def carry(options):
    """judge a step that you have changed, then each later file that still contains the
    old code
    """
    number = _choose_number(options.step)
    report, is_right = _judge_step(number)
    print(str(report).partition("\n")[0])
    if not is_right:
        return 1
    holders = carrying.find_holders(number)
    files = [holder for holder in holders if holder.path.suffix == ".py"]
    if not holders:
        return print(f"No later file contains the old code of step {number}.")
    print(f"Judging {len(files)} later files with the new code; Ctrl + C stops it.")
    with TrialProcess() as process:
        for holder in files:
            carrying.judge_holder(holder, process)
            complaint = holder.complaint
            outcome = f"not right: {complaint}" if complaint else WORDS[RIGHT]
            names = format_names(holder.names)
            print(f"{holder.path.name}, with the new {names}: {outcome}", flush=True)
    wrong = {holder.number for holder in files if holder.complaint}
    ready = [holder for holder in holders if holder.number not in wrong]
    listed = ", ".join(holder.path.name for holder in ready) or "no file"
    if options.apply:
        carrying.apply(ready)
        print(f"Replaced in {listed}; the old files were backed up.")
    else:
        command = format_command(f"workshop carry {number} --apply")
        print(f"`{command}` replaces it in {listed}, after backing up each file.")
    return int(bool(wrong))


def watch_workshop(options):
    """judge every notebook when it is saved"""
    watch(workspace.get_folder())


def hint(options):
    """give a hint for a definition: hint 8 NAME; `hint 8 NAME 3` is the third one"""
    number, name, stages = _choose_definition(options.words)
    stage = stages[0] - 1 if stages else options.nearer
    print(hints.make_hint(number, name, stage, in_terminal=True))


def solution(options):
    """show the lesson's code of a definition: solution 8 NAME"""
    number, name, _ = _choose_definition(options.words)
    print(hints.show_code(number, name))


def fresh(options):
    """back up your notebook of a step, and create a new one"""
    number = _choose_number(options.step)
    old = workspace.restart_step(number)
    print(f"Step {number} starts afresh; your old notebook is now {old.name}.")


def where(options):
    """print the path of a step's notebook"""
    print(workspace.get_notebook_path(_choose_number(options.step)))


def name(options):
    """print the name of your package, or rename it to NAME"""
    new = options.name
    print(learner_module.rename(new) if new else learner_module.get_name())


def pack(options):
    """write your package to a folder that can be installed"""
    print(f"Your package is in {learner_module.pack(options.folder)}.")


def _choose_number(number):
    """Return the number if it is given, or else the first unfinished step."""
    if (number := number or workspace.find_current()) is None:
        raise CourseError("All steps are done: name one.")
    return workspace.check_number(number)


def _choose_definition(words):
    """Return the step, the definition and any further numbers in ``words``."""
    numbers = [int(word) for word in words if word.isdecimal()]
    names = [word for word in words if not word.isdecimal()]
    number = _choose_number(numbers[0] if numbers else None)
    if not names:
        raise CourseError(f"Name one of {', '.join(get_step(number).to_write)}.")
    return number, names[0], numbers[1:]


def _open_step(number):
    number = number or workspace.find_current()
    if number is None:
        path = workspace.get_own_path(list_numbers()[-1])
        print(f"You have written every step of the workshop. Your framework is {path}.")
        return 0
    path, state = workspace.sync_notebook(number)
    base, previous = workspace.get_base(number), f"{stem(find_previous(number))}.py"
    why = f"the course or your {previous} is newer"
    if base.lent and not path.with_name(previous).exists():
        why = "the course is newer"
        if previous in read_json(workspace.get_stamp()):
            why = f"your {previous} no longer exists"
    fresh = format_command(f"workshop fresh {number}")
    messages = {
        "new": f"Created {path.name}. {base.message}",
        "renewed": f"Updated {path.name}: {why}. {base.message}",
        "broken": f"{path.name} cannot be read and may be truncated: `{fresh}` backs "
        "it up and creates a new one.",
        "kept": f"Your {path.name} is out of date: {why}. It was left alone, because "
        f"you have edited it; `{fresh}` backs it up and creates the new one.",
    }
    title = f"Step {number}, {read_title(number)}."
    print(join_sentences(title, messages.get(state, "")).rstrip())
    print(f"The notebook: {path}")
    return 0


def _judge_step(number, anyway=False):
    """Judge a step and, if it is right or ``anyway`` is set, accept it. Returns the
    report, and whether the step was accepted.
    """
    verdict = judge_attempt(workspace.read_attempt(number))
    mixed = workspace.describe_mixture(number)
    if verdict.is_right or anyway:
        # Terminals do not show links.
        sentences = [*mixed, *accept(verdict, workspace.get_folder())]
        return Report(verdict, [LINK.sub(r"\1", text) for text in sentences]), True
    way_on = "Only the saved notebook was judged."
    if lent := format_names(verdict.to_lend, MOST):
        command = format_command(f"workshop next {number} --anyway")
        way_on += f" `{command}` continues with the lesson's own {lent}."
    return Report(verdict, [*mixed, way_on]), False


def diff(options):
    """show how your code for a step differs from the lesson's"""
    if options.step == split_core.LESSON:
        command = format_command(f"workshop judge {options.step}")
        raise CourseError(
            f"Step {options.step} adds no code: `{command}` splits your core as you "
            "decided there."
        )
    number = _choose_number(options.step)
    changes = compare_with_lesson(workspace.read_attempt(number))
    if not changes:
        print(f"Your code for step {number} does not differ from the lesson's.")
    for change in changes:
        print(f"--- yours\n+++ the lesson's: {change.name}")
        print("\n".join(change.lines()), end="\n\n")


# --- Judging at every save ------------------------------------------------------------


def watch(folder):
    """Judge each notebook when it is saved, until Ctrl + C."""
    print(f"Judging each notebook in {folder} when it is saved. Ctrl + C stops it.")
    with contextlib.suppress(KeyboardInterrupt), TrialProcess() as process:
        process.try_out(1, list_judging_cells(1), read_code(1))  # imports slow modules
        for number in wait_for_saved(folder):
            report = judge_saved(number, folder, process)
            print(f"\n{time.strftime('%H:%M:%S')}  {report}")


def judge_saved(number, folder, process):
    """Judge the saved notebook of a step; return a Report, or the CourseError."""
    try:
        return Report(judge_attempt(workspace.read_attempt(number, folder), process))
    except CourseError as error:  # such as a notebook that is still being saved
        return error


def wait_for_saved(folder):
    """Yield the number of a step whenever its notebook has been saved."""
    seen = _read_times(folder)
    while True:
        time.sleep(SECONDS)
        now = _read_times(folder)
        yield from (number for number in now if now[number] != seen.get(number))
        seen = now


def _read_times(folder):
    paths = {n: workspace.get_notebook_path(n, folder) for n in list_numbers()}
    return {n: path.stat().st_mtime_ns for n, path in paths.items() if path.exists()}
