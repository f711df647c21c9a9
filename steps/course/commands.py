"""The command line of the course tool: ``python -m steps --help``."""

import argparse
import itertools
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

from . import MISSING, builder, learner_folder, lessons, results
from . import progress as solved
from .classroom import class_command
from .classroom.repository import MISSING_ADDRESS, write_repository
from .differences import Differences
from .judge import bubblewrap
from .judge.attempts import RIGHT
from .lessons import (
    MAP,
    CourseError,
    find_unpaired_files,
    known,
    numbers,
    read_header,
    stem,
    with_map,
)
from .mutating import planted, scores
from .new_lesson import create_lesson, find_next_number
from .results import NOT_BEGUN, WORDS
from .student_copies import write_agents, write_copies
from .translation import command as translate_command
from .translation.notebooks import read_title
from .workshop import workshop_command


def main(arguments=None):
    """Run the course tool; return the exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    parser = _make_parser()
    if not arguments:
        parser.print_help()
        return 0
    options = parser.parse_args(workshop_command.expand_shorthand(arguments))
    try:
        status = options.run(options) or 0
        sys.stdout.flush()  # flush here, where a closed pipe is handled
        return status
    except BrokenPipeError:  # as in `list | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("\nInterrupted; unfinished work was not saved.", file=sys.stderr)
        return 130
    except CourseError as error:
        message = str(error)
    except ModuleNotFoundError as error:
        message = MISSING.format(error.name)
    print(message, file=sys.stderr)
    return 1


def _make_parser():
    parser = argparse.ArgumentParser(
        prog=os.environ.get("COURSE_COMMAND", f"python -m {lessons.STEPS}"),
        description="The course tool.",
    )
    commands = parser.add_subparsers(required=True, metavar="command")

    def add(name, run, **arguments):
        add_argument = class_command.add_command(commands, name, run)
        for argument, settings in arguments.items():
            add_argument(argument, **settings)
        return add_argument

    number = {"metavar": "N", "type": int}
    several = number | {"nargs": "*", "help": "the steps; by default, all"}
    folder = {"metavar": "DIR", "nargs": "?"}
    add("list", list_steps)
    add("lab", open_lab, number=number)
    two = {"before": number | {"metavar": "A"}, "after": number | {"metavar": "B"}}
    add("diff", show_diff, **two)
    text = "the steps to build, or `start` for the map; by default, all"
    built = several | {"type": _parse_number, "help": text}
    option = add("build", build, numbers=built)
    text = "overwrite notebooks that were changed by hand"
    option("--force", action="store_true", help=text)
    following = number | {"nargs": "?", "help": "by default, the next number"}
    add("new", create_step, number=following, title={"metavar": "TITLE"})
    add("check", check_notebooks)
    add("student", write_student_copies, folder={"metavar": "DIR"}, numbers=several)
    class_command.add_agents_option(add("lay", sync_folder, folder=folder))
    add("fresh", restart_lesson, number=number, folder=folder)
    results.add_result_options(add("progress", show_progress, folder=folder))
    option = add("judge", judge_framework, path={"metavar": "PATH"})
    text = "a TOML file with the names that the framework uses"
    option("--names", metavar="FILE", help=text)
    text = "write the report to FILE.html or FILE.json, or a badge to FILE.svg"
    option("-o", "--output", metavar="FILE", action="append", default=[], help=text)
    workshop_command.add_to(commands)
    translate_command.add_to(commands)
    class_command.add_class_commands(commands)
    where = {"metavar": "DIR", "help": "the student's repository"}
    option = add("repository", create_repository, folder=where, numbers=several)
    text = "percentage of exercises that must be right for CI to pass; 100"
    option(
        "--fail-under",
        metavar="N",
        type=results.parse_percent,
        default=100,
        help=text,
    )
    class_command.add_agents_option(option)
    option = add("slides", make_slides, number=number)
    option("-o", "--output", metavar="FILE", help="stepNN-slides.html")
    option = add("mutate", mutate, numbers=several)
    option("--jobs", metavar="N", type=int, help="mutants run at once; one per core")
    text = "write the scores to docs/exercises.md"
    option("--table", action="store_true", help=text)
    add("plant", plant, numbers=several)
    add("verify", verify, numbers=several)
    return parser


def _parse_number(text):
    return MAP if text == "start" else int(text)


def list_steps(options):
    """list the steps, with their new names"""
    for number in numbers():
        header = read_header(number)
        new = f"  [{', '.join(header.new)}]" if header.new else ""
        print(f"{number:3d}  {read_title(number)}{new}  {header.minutes} min")


def open_lab(options):
    """open a step in JupyterLab"""
    path = _require_notebook(options.number)
    return subprocess.call([sys.executable, "-m", "jupyterlab", str(path)])


def show_diff(options):
    """show what changed between two steps"""
    print(Differences(options.before, options.after))


def build(options):
    """build notebooks from lessons and code"""
    _require_checkout()
    for number in [n if n == MAP else known(n) for n in options.numbers] or with_map():
        print(f"{stem(number)} … ", end="", flush=True)
        start = time.perf_counter()
        changed = builder.build(number, options.force)
        seconds = time.perf_counter() - start
        print(f"{'built' if changed else 'unchanged'} ({seconds:.1f} s)")


def check_notebooks(options):
    """list stale notebooks; exit code 1 if there are any"""
    _require_checkout()
    complaints, all_numbers = find_unpaired_files(), with_map()
    for number in all_numbers:
        if reason := builder.explain_staleness(number):
            complaints.append(
                f"{stem(number)}.ipynb is stale: {reason}. `python -m steps build "
                f"{number or 'start'}` builds it."
            )
    all_well = f"All {len(all_numbers)} notebooks are up to date."
    print("\n".join(complaints) or all_well)
    return int(bool(complaints))


def create_step(options):
    """start a new step: a lesson and a module to rewrite"""
    _require_checkout()
    if options.title.isdecimal():
        raise CourseError('A step needs a title: python -m steps new "A toy lesson"')
    number = options.number or find_next_number()
    for path in create_lesson(number, options.title):
        print(f"Wrote {path.relative_to(lessons.ROOT)}.")
    print(f"Fill in each TODO; `python -m steps build {number}` builds the notebook.")


def write_student_copies(options):
    """write copies without solutions; never overwrites files"""
    written = write_copies(options.folder, options.numbers)
    folder = shlex.quote(str(Path(options.folder).resolve()))
    print(
        f"Wrote {', '.join(path.stem for path in written)} into {folder}, without "
        f"solutions. To open them: python -m jupyterlab {folder}"
    )


def sync_folder(options):
    """create my-course, or update it without losing work"""
    folder = Path(options.folder or learner_folder.FOLDER)
    done = learner_folder.sync_copies(folder)
    new, renewed, kept = done["new"], done["renewed"], done["kept"]
    if new:
        if not options.no_agents:
            write_agents(folder)
        print(f"Created {_name_notebooks(new)} in {folder}, to work in.")
    if renewed:
        print(f"The course is newer: updated {_name_notebooks(renewed)}.")
    if done["broken"]:
        names = ", ".join(f"{stem(n)}.ipynb" for n in done["broken"])
        command = lessons.format_command("fresh N")
        print(
            f"{names} cannot be read and may be truncated: `{command}` backs up your "
            "copy of step N and creates a new one."
        )
    if kept:
        argument = f" {shlex.quote(str(options.folder))}" if options.folder else ""
        command = f"`{lessons.format_command('fresh N')}{argument}`"
        worked_in = ", ".join(map(stem, kept))
        print(
            f"You have edited {worked_in}, and the course has a newer version. Yours "
            f"was left alone; {command} backs up your copy of step N and creates the "
            "new one."
        )


def _name_notebooks(numbers):
    return stem(numbers[0]) if len(numbers) == 1 else f"{len(numbers)} notebooks"


def restart_lesson(options):
    """back up your copy of a step, and create a new one"""
    folder = options.folder or learner_folder.FOLDER
    old_copy = learner_folder.restart_lesson(options.number, folder)
    name = stem(options.number)
    print(f"Created a new {name}.ipynb; your old copy is now {old_copy.name}.")


def show_progress(options):
    """show which exercises are solved in a folder"""
    folder = options.folder or learner_folder.FOLDER
    if not (options.json or solved.is_own(folder)):
        print(bubblewrap.describe_isolation(), flush=True)
    judged = solved.judge_folder(folder)
    made = [
        results.make_result(stem(number), exercise, verdict)
        for number, verdicts in judged.items()
        for exercise, verdict in enumerate(verdicts, start=1)
    ]
    return results.report_results(made, options, "\n".join(_describe_progress(judged)))


def _describe_progress(judged):
    untouched = [n for n, verdicts in judged.items() if set(verdicts) == {NOT_BEGUN}]
    for number, verdicts in judged.items():
        if number in untouched:
            continue
        yield f"{number:3d}  {read_title(number)}"
        for exercise, verdict in enumerate(verdicts, start=1):
            # Show only the first line: a check's message may have many.
            said = WORDS.get(verdict) or f"not yet: {verdict.splitlines()[0]}"
            yield f"     {exercise}  {said}"
    if untouched:
        yield f"Not begun: {lessons.spans(untouched)}."
    all_verdicts = list(itertools.chain(*judged.values()))
    right = all_verdicts.count(RIGHT)
    yield f"{right} of {len(all_verdicts)} exercises are solved."


def create_repository(options):
    """create a repository for a student: notebooks, and workflows that judge them"""
    percent, agents = f"{options.fail_under:g}", not options.no_agents
    course, written = write_repository(options.folder, options.numbers, percent, agents)
    print(f"Wrote {len(written)} files into {Path(options.folder).resolve()}.")
    print(f"It is judged by {course}")
    if MISSING_ADDRESS in course:
        print(
            "The course's address is unknown. Replace "
            f"{MISSING_ADDRESS} in README.md, .gitlab-ci.yml and .github/workflows/"
            "exercises.yml, or set COURSE_URL and create the repository again."
        )


def make_slides(options):
    """write slides of a step, for use without a network"""
    from .slides import write_slides

    _require_notebook(options.number)
    path = write_slides(options.number, options.output)
    print(
        f"Wrote {path.resolve()}. Open it in a browser; the arrow keys turn the pages."
    )


def mutate(options):
    """measure the checks with mutants of solutions"""
    _require_checkout()
    measured = scores.measure(options.numbers, options.jobs)
    for score in measured:
        print(
            f"{stem(score.number)}: {score.mutants} mutants, {score.killed} found, "
            f"{score.harmless} harmless, {len(score.survivors)} survivors"
        )
        for exercise, change in score.survivors:
            print(f"    {score.number}.{exercise}  {change}")
        for exercise, change in score.gone:
            print(f"    {score.number}.{exercise}  not harmless any more: {change}")
    if options.table:
        scores.write_table(measured)
    return int(any(score.survivors or score.gone for score in measured))


def judge_framework(options):
    """test what a framework written elsewhere, as a file or a package, can do"""
    from tqdm import tqdm

    from .frameworks import report, trial

    if wrong := [p for p in options.output if Path(p).suffix not in report.FORMATS]:
        raise CourseError(f"{wrong[0]} should end in {', '.join(report.FORMATS)}.")
    adapter = trial.read_adapter(options.names)
    trying = trial.try_framework(options.path, adapter)
    *_, result = tqdm(trying, total=len(trial.list_rows()), leave=False, disable=None)
    print(report.make_text(result))
    for path in options.output:
        report.write_report(result, path)
        print(f"Wrote {path}.")


def plant(options):
    """plant faults in solutions; each must cost the point, with an explanation"""
    _require_checkout()
    total, faults = 0, 0
    for number in options.numbers or numbers():
        count, found = planted.find_faults(known(number))
        total, faults = total + count, faults + len(found)
        print(*found, sep="\n", end="\n" * bool(found), flush=True)
    print(f"{total} faults planted, {faults} unexplained or still worth a point")
    return int(bool(faults))


def verify(options):
    """run notebooks and compare every output"""
    paths = [str(_require_notebook(number)) for number in options.numbers or numbers()]
    return subprocess.call([sys.executable, "-m", "pytest", *paths], cwd=lessons.ROOT)


def _require_notebook(number):
    _require_checkout()
    path = lessons.notebook_path(known(number))
    if not path.exists():
        raise CourseError(
            f"{path.name} is not built yet. `python -m steps build {number}` builds it."
        )
    return path


def _require_checkout():
    if not lessons.NOTEBOOKS.is_dir():
        raise CourseError(
            "This needs a checkout of the course: the installed package has the "
            "steps, not the notebooks."
        )
