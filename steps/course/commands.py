"""The command line of the course tool: ``python -m steps --help``."""

import argparse
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

from . import builder, learner_folder, lessons, mutating, results
from . import progress as solved
from .beginning import begin, next_number
from .classroom import class_command
from .classroom.repository import TO_FILL_IN, lay_repository
from .differences import Differences
from .judge import wall
from .judge.sequence import RIGHT
from .lessons import (
    MAP,
    CourseError,
    find_unpaired_files,
    head,
    known,
    numbers,
    stem,
    with_map,
)
from .results import NOT_BEGUN
from .student_copies import write_agents, write_copies
from .workshop import workshop_command


def main(arguments=None):
    """Run the course tool; return the exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    options = _parser().parse_args(workshop_command.expand_shorthand(arguments))
    try:
        return options.run(options) or 0
    except CourseError as error:
        said = str(error)
    except ModuleNotFoundError as error:
        said = f'This needs {error.name}: pip install "dezero-lite[course,test]"'
    print(said, file=sys.stderr)
    return 1


def _parser():
    parser = argparse.ArgumentParser(
        prog=os.environ.get("COURSE_COMMAND", f"python -m {lessons.STEPS}"),
        description="The course tool.",
    )
    commands = parser.add_subparsers(required=True, metavar="command")

    def command(name, run, **arguments):
        more = class_command.command(commands, name, run)
        for argument, settings in arguments.items():
            more(argument, **settings)
        return more

    step = {"metavar": "N", "type": int}
    steps = step | {"nargs": "*", "help": "the steps; all if none is named"}
    folder = {"metavar": "DIR", "nargs": "?"}
    command("list", list_steps)
    command("lab", lab, step=step)
    command("diff", diff, before=step | {"metavar": "A"}, after=step | {"metavar": "B"})
    text = "the steps to build, or start, the map; all if none is named"
    more = command("build", build, steps=steps | {"type": _number_or_map, "help": text})
    text = "overwrite notebooks that were changed by hand"
    more("--force", action="store_true", help=text)
    text = "the next number, if left out"
    title = {"metavar": "TITLE"}
    command("new", new, step=step | {"nargs": "?", "help": text}, title=title)
    command("check", check)
    command("student", student, folder={"metavar": "DIR"}, steps=steps)
    class_command.add_agents(command("lay", lay, folder=folder))
    command("fresh", fresh, step=step, folder=folder)
    results.add_options(command("progress", progress, folder=folder))
    workshop_command.add_to(commands)
    class_command.add_to(commands)
    text = "the student's repository"
    where = {"metavar": "DIR", "help": text}
    more = command("repository", repository, folder=where, steps=steps)
    text = "of the exercises have to be right for the service's green; 100"
    more("--fail-under", metavar="N", type=float, default=100, help=f"N percent {text}")
    class_command.add_agents(more)
    more = command("slides", slides, step=step)
    more("-o", "--output", metavar="FILE", help="stepNN-slides.html")
    more = command("mutate", mutate, steps=steps)
    more("--jobs", metavar="N", type=int, help="mutants tried at once; one a core")
    text = "write the scores to docs/exercises.md"
    more("--table", action="store_true", help=text)
    command("verify", verify, steps=steps)
    return parser


def _number_or_map(text):
    return MAP if text == "start" else int(text)


def list_steps(options):
    """list the steps, with their new names"""
    for number in numbers():
        facts = head(number)
        new = f"  [{', '.join(facts.new)}]" if facts.new else ""
        print(f"{number:3d}  {facts.title}{new}  {facts.minutes} min")


def lab(options):
    """open a step in JupyterLab"""
    path = _built(options.step)
    return subprocess.call([sys.executable, "-m", "jupyterlab", str(path)])


def diff(options):
    """show what changed between two steps"""
    print(Differences(options.before, options.after))


def build(options):
    """build notebooks from lessons and code"""
    _need_checkout()
    for number in [n if n == MAP else known(n) for n in options.steps] or with_map():
        print(f"{stem(number)} … ", end="", flush=True)
        start = time.perf_counter()
        changed = builder.build(number, options.force)
        seconds = time.perf_counter() - start
        print(f"{'built' if changed else 'unchanged'} ({seconds:.1f} s)")


def check(options):
    """say which notebooks are stale; exit code 1 if any is"""
    _need_checkout()
    complaints, checked = find_unpaired_files(), with_map()
    for number in checked:
        if reason := builder.why_stale(number):
            complaints.append(
                f"{stem(number)}.ipynb is stale: {reason}. `python -m steps build "
                f"{number or 'start'}` builds it."
            )
    all_well = f"All {len(checked)} notebooks are what the builder gives."
    print("\n".join(complaints) or all_well)
    return int(bool(complaints))


def new(options):
    """begin a step: a lesson and a module to rewrite"""
    _need_checkout()
    if options.title.isdecimal():
        raise CourseError('A step needs a title: python -m steps new "A toy lesson"')
    number = options.step or next_number()
    for path in begin(number, options.title):
        print(f"Wrote {path.relative_to(lessons.ROOT)}.")
    print(f"Rewrite what says TODO; `python -m steps build {number}` builds it.")


def student(options):
    """write copies without solutions; overwrites nothing"""
    written = write_copies(options.folder, options.steps)
    folder = shlex.quote(str(Path(options.folder).resolve()))
    print(
        f"Wrote {', '.join(path.stem for path in written)} into {folder}, without "
        f"solutions. To open them: python -m jupyterlab {folder}"
    )


def lay(options):
    """make my-course, or renew it; loses no work"""
    folder = Path(options.folder or learner_folder.FOLDER)
    done = learner_folder.sync_copies(folder)
    if done["new"]:
        if not options.no_agents:
            write_agents(folder)
        print(f"Laid {_count(done['new'])} in {folder}, to work in.")
    if done["renewed"]:
        print(f"The course is newer: renewed {_count(done['renewed'])}.")
    if done["kept"]:
        where = f" {shlex.quote(str(options.folder))}" if options.folder else ""
        anew = f"`{lessons.format_command('fresh N')}{where}`"
        worked_in = ", ".join(map(stem, done["kept"]))
        print(
            f"You have worked in {worked_in}, and the course has "
            f"a newer version. Yours stays as it is; {anew} sets your copy of step N "
            "aside and lays the new one."
        )


def _count(steps):
    return stem(steps[0]) if len(steps) == 1 else f"{len(steps)} notebooks"


def fresh(options):
    """set your copy of a step aside, and lay a new one"""
    folder = options.folder or learner_folder.FOLDER
    old = learner_folder.lay_fresh(options.step, folder)
    print(f"{stem(options.step)}.ipynb is new; your copy is {old.name} beside it.")


def progress(options):
    """show which exercises are solved in a folder"""
    folder = options.folder or learner_folder.FOLDER
    if not (options.json or solved.is_own(folder)):
        print(wall.said(), flush=True)
    found = solved.progress(folder)
    judged = [
        results.of_exercise(stem(number), exercise, said)
        for number, outcomes in found.items()
        for exercise, said in enumerate(outcomes, start=1)
    ]
    return results.report(judged, options, "\n".join(_progress_in_words(found)))


def _progress_in_words(found):
    untouched = [n for n, said in found.items() if set(said) == {NOT_BEGUN}]
    for number, outcomes in found.items():
        if number in untouched:
            continue
        yield f"{number:3d}  {head(number).title}"
        for exercise, said in enumerate(outcomes, start=1):
            # One line each: what a check says may go on for many.
            wrong = said not in (RIGHT, NOT_BEGUN)
            said = f"not yet: {said.splitlines()[0]}" if wrong else said
            yield f"     {exercise}  {said}"
    if untouched:
        yield f"Not begun: {lessons.spans(untouched)}."
    solved = sum(said == RIGHT for outcomes in found.values() for said in outcomes)
    total = sum(map(len, found.values()))
    yield f"{solved} of {total} exercises are solved."


def repository(options):
    """lay a repository for a student: notebooks, and workflows that judge them"""
    percent, agents = f"{options.fail_under:g}", not options.no_agents
    course, written = lay_repository(options.folder, options.steps, percent, agents)
    print(f"Wrote {len(written)} files into {Path(options.folder).resolve()}.")
    print(f"What judges is {course}")
    if TO_FILL_IN in course:
        print(
            "No address of the course is known here. Write yours in place of "
            f"{TO_FILL_IN} in README.md, .gitlab-ci.yml and .github/workflows/"
            "exercises.yml, or set COURSE_URL and lay it anew."
        )


def slides(options):
    """write slides of a step, which need no network"""
    from .slides import write

    _built(options.step)
    path = write(options.step, options.output)
    said = "A browser opens it; the arrow keys lead through it."
    print(f"Wrote {path.resolve()}. {said}")


def mutate(options):
    """measure the checks with mutants of solutions"""
    _need_checkout()
    scores = mutating.measure(options.steps, options.jobs)
    for score in scores:
        print(
            f"{stem(score.step)}: {score.mutants} mutants, {score.killed} found, "
            f"{score.harmless} harmless, {len(score.survivors)} survivors"
        )
        for exercise, change in score.survivors:
            print(f"    {score.step}.{exercise}  {change}")
        for exercise, change in score.gone:
            print(f"    {score.step}.{exercise}  harmless, but found now: {change}")
    if options.table:
        mutating.write_table(scores)
    return int(any(score.survivors or score.gone for score in scores))


def verify(options):
    """run notebooks and compare every output"""
    paths = [str(_built(number)) for number in options.steps or numbers()]
    return subprocess.call([sys.executable, "-m", "pytest", *paths], cwd=lessons.ROOT)


def _built(number):
    _need_checkout()
    path = lessons.notebook_path(known(number))
    if not path.exists():
        raise CourseError(
            f"{path.name} is not built yet. `python -m steps build {number}` builds it."
        )
    return path


def _need_checkout():
    if not lessons.NOTEBOOKS.is_dir():
        raise CourseError(
            "This needs a checkout of the course: the installed package has the "
            "steps, not the notebooks."
        )
