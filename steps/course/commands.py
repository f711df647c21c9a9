"""The command line of the course tool: ``python -m steps --help``."""

import argparse
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

from . import lessons
from .classroom import shell
from .differences import Differences
from .lessons import MAP, CourseError, halves, head, known, numbers, stem, with_map


def main(arguments=None):
    """Run the course tool; return the exit code."""
    options = _parser().parse_args(arguments)
    try:
        return options.run(options) or 0
    except CourseError as error:
        print(error, file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:
        print(
            f'This needs {error.name}: pip install "dezero-lite[course,test]"',
            file=sys.stderr,
        )
        return 1


def _parser():
    parser = argparse.ArgumentParser(
        prog=os.environ.get("COURSE_COMMAND", f"python -m {lessons.STEPS}"),
        description="The course tool.",
    )
    commands = parser.add_subparsers(required=True, metavar="command")

    def command(name, run, text):
        added = commands.add_parser(name, help=text, description=text)
        added.set_defaults(run=run)
        return added

    def numbers_argument(added, text):
        added.add_argument("steps", metavar="N", type=int, nargs="*", help=text)

    command("list", list_steps, "list the steps, with their new names")
    command("lab", lab, "open a step in JupyterLab").add_argument(
        "step", metavar="N", type=int
    )
    added = command("diff", diff, "show what changed between two steps")
    added.add_argument("before", metavar="A", type=int)
    added.add_argument("after", metavar="B", type=int)
    added = command("build", build, "build notebooks from lessons and code")
    added.add_argument(
        "steps",
        metavar="N",
        type=_number_or_map,
        nargs="*",
        help="the steps to build, or start, the map; all if none is named",
    )
    added.add_argument(
        "--force",
        action="store_true",
        help="overwrite notebooks that were changed by hand",
    )
    added = command("new", new, "begin a step: a lesson and a module to rewrite")
    added.add_argument(
        "step", metavar="N", type=int, nargs="?", help="the next number, if left out"
    )
    added.add_argument("title", metavar="TITLE")
    command("check", check, "say which notebooks are stale; exit code 1 if any is")
    added = command(
        "student", student, "write copies without solutions; overwrites nothing"
    )
    added.add_argument("folder", metavar="DIR")
    numbers_argument(added, "the steps to copy; all if none is named")
    added = command("lay", lay, "make my-course, or renew it; loses no work")
    added.add_argument("folder", metavar="DIR", nargs="?")
    added = command("fresh", fresh, "set your copy of a step aside, and lay a new one")
    added.add_argument("step", metavar="N", type=int)
    added.add_argument("folder", metavar="DIR", nargs="?")
    added = command("progress", progress, "show which exercises are solved in a folder")
    added.add_argument("folder", metavar="DIR", nargs="?")
    added = command(
        "workshop",
        workshop,
        "write the framework yourself, step by step: 8, next, judge 8, hint 8 NAME, "
        "solution 8 NAME, diff 8, fresh 8",
    )
    added.add_argument("words", metavar="WORD", nargs="*")
    added.add_argument(
        "--anyway", action="store_true", help="next: go on with the lesson's own code"
    )
    added.add_argument("--nearer", action="store_true", help="hint: the nearer one")
    shell.add_to(commands)
    added = command("slides", slides, "write slides of a step, which need no network")
    added.add_argument("step", metavar="N", type=int)
    added.add_argument("-o", "--output", metavar="FILE", help="stepNN-slides.html")
    added = command("mutate", mutate, "measure the checks with mutants of solutions")
    numbers_argument(added, "the steps; all if none is named")
    added.add_argument(
        "--jobs", metavar="N", type=int, help="mutants tried at once; one a core"
    )
    added.add_argument(
        "--table", action="store_true", help="write the scores to docs/exercises.md"
    )
    numbers_argument(
        command("verify", verify, "run notebooks and compare every output"),
        "the steps; all if none is named",
    )
    return parser


def _number_or_map(text):
    return MAP if text == "start" else int(text)


def list_steps(options):
    for number in numbers():
        facts = head(number)
        new = f"  [{', '.join(facts.new)}]" if facts.new else ""
        print(f"{number:3d}  {facts.title}{new}  {facts.minutes} min")


def lab(options):
    path = _built(options.step)
    return subprocess.call([sys.executable, "-m", "jupyterlab", str(path)])


def diff(options):
    print(Differences(options.before, options.after))


def build(options):
    from . import builder

    _need_checkout()
    for number in [n if n == MAP else known(n) for n in options.steps] or with_map():
        print(f"{stem(number)} … ", end="", flush=True)
        start = time.perf_counter()
        changed = builder.build(number, options.force)
        print(
            f"{'built' if changed else 'unchanged'} "
            f"({time.perf_counter() - start:.1f} s)"
        )


def check(options):
    from . import builder

    _need_checkout()
    stale = {
        number: reason for number in with_map() if (reason := builder.why_stale(number))
    }
    for half in halves():
        print(half)
    for number, reason in stale.items():
        print(
            f"{stem(number)}.ipynb is stale: {reason}. `python -m steps build "
            f"{number or 'start'}` builds it."
        )
    if stale or halves():
        return 1
    print(f"All {len(with_map())} notebooks are what the builder gives.")
    return 0


def new(options):
    from .beginning import begin, next_number

    _need_checkout()
    if options.title.isdecimal():
        raise CourseError('A step needs a title: python -m steps new "A toy lesson"')
    number = options.step or next_number()
    for path in begin(number, options.title):
        print(f"Wrote {path.relative_to(lessons.ROOT)}.")
    print(f"Rewrite what says TODO; `python -m steps build {number}` builds it.")


def student(options):
    from .copies import write_copies

    written = write_copies(options.folder, options.steps)
    folder = shlex.quote(str(Path(options.folder).resolve()))
    print(
        f"Wrote {', '.join(path.stem for path in written)} into {folder}, without "
        f"solutions. To open them: python -m jupyterlab {folder}"
    )


def lay(options):
    from . import own

    folder = Path(options.folder or own.FOLDER)
    done = own.lay(folder)
    if done.new:
        print(f"Laid {_count(done.new)} in {folder}, to work in.")
    if done.renewed:
        print(f"The course is newer: renewed {_count(done.renewed)}.")
    if done.kept:
        where = f" {shlex.quote(str(options.folder))}" if options.folder else ""
        anew = f"`{lessons.typed('fresh N')}{where}`"
        print(
            f"You have worked in {', '.join(map(stem, done.kept))}, and the course has "
            f"a newer version. Yours stays as it is; {anew} sets your copy of step N "
            "aside and lays the new one."
        )


def _count(steps):
    return stem(steps[0]) if len(steps) == 1 else f"{len(steps)} notebooks"


def fresh(options):
    from . import own

    aside = own.fresh(options.step, options.folder or own.FOLDER)
    print(f"{stem(options.step)}.ipynb is new; your copy is {aside.name} beside it.")


def progress(options):
    from .judge.sequence import RIGHT
    from .own import FOLDER
    from .progress import NOT_BEGUN, progress

    found = progress(options.folder or FOLDER)
    untouched = [n for n, said in found.items() if set(said) == {NOT_BEGUN}]
    for number, outcomes in found.items():
        if number in untouched:
            continue
        print(f"{number:3d}  {head(number).title}")
        for exercise, said in enumerate(outcomes, start=1):
            # One line each: what a check says may go on for many.
            wrong = said not in (RIGHT, NOT_BEGUN)
            said = f"not yet: {said.splitlines()[0]}" if wrong else said
            print(f"     {exercise}  {said}")
    if untouched:
        print(f"Not begun: {lessons.spans(untouched)}.")
    solved = sum(said == RIGHT for outcomes in found.values() for said in outcomes)
    total = sum(map(len, found.values()))
    print(f"{solved} of {total} exercises are solved.")


def workshop(options):
    from .workshop import shell

    return shell.run(options.words, options.anyway, options.nearer)


def slides(options):
    from .slides import write

    _built(options.step)
    path = write(options.step, options.output)
    print(
        f"Wrote {path.resolve()}. A browser opens it; the arrow keys lead through it."
    )


def mutate(options):
    from tqdm import tqdm

    from . import mutating

    _need_checkout()
    with tqdm(unit="mutant", disable=None) as bar:

        def show(done, total):
            bar.total = total
            bar.update(done - bar.n)

        scores = mutating.measure(options.steps, options.jobs, show)
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
