"""The classroom in a terminal: ``python -m steps class``."""

import inspect
import os
import time

from ..judge import bubblewrap
from ..judge.attempts import SECONDS
from ..lessons import CourseError, notebook_path
from ..student_copies import write_agents
from . import gradebooks, grading, handout
from .feedback import refuse_other_folder, write_feedback
from .roster import read_roster


def command(commands, name, run):
    """Add a command, which says of itself what its function's docstring says; return
    what adds an argument.
    """
    text = inspect.getdoc(run)
    added = commands.add_parser(name, help=text, description=text)
    added.set_defaults(run=run)
    return added.add_argument


def add_to(commands):
    """Add the command, with its own ones, to the course tool's."""
    text = "for teachers: hand out lessons, grade what comes back"
    group = commands.add_parser("class", help=text, description=text)
    verbs = group.add_subparsers(required=True, metavar="command")

    def verb(name, run, folder, count="+"):
        more = command(verbs, name, run)
        more("folder", metavar="DIR", help=folder)
        more("steps", metavar="N", type=int, nargs=count, help="the steps")
        text = "what the exercises of a lesson bring; 3,5,8 if it is not said"
        default = grading.POINTS
        more("--points", metavar="P", type=_points, default=default, help=text)
        return more

    more = verb("release", release, "the folder to hand out")
    text = "the notebooks of the workshop instead"
    more("--workshop", action="store_true", help=text)
    text = "with the course as a package that has no solutions, to install"
    more("--package", action="store_true", help=text)
    add_agents(more)
    text = "holds a file, a folder or a zip for each student; or a zip of that"
    more = verb("grade", grade, text, "*")
    more("-o", "--output", metavar="FILE", default="points.csv", help="points.csv")
    text = "the class, in CSV: name,id,email"
    more("--roster", metavar="FILE", help=text)
    text = "the table that this gradebook imports"
    more("--for", dest="gradebook", choices=("moodle", "canvas"), help=text)
    text = "write a page for each student, too; into feedback"
    more("--feedback", metavar="DIR", nargs="?", const="feedback", help=text)
    text = f"what an answer may take; {SECONDS}"
    more("--seconds", metavar="S", type=float, default=SECONDS, help=text)
    more("--jobs", metavar="N", type=int, help="students judged at once; one a core")
    verb("nbgrader", nbgrader, "nbgrader's folder of the course")


def add_agents(more):
    text = "without AGENTS.md, which asks assistants not to write the answers"
    more("--no-agents", action="store_true", help=text)


def _points(text):
    return tuple(int(part) for part in text.split(","))


def release(options):
    """write notebooks to hand out, without solutions; overwrites nothing"""
    more = options.points, options.workshop, options.package
    written = handout.release(options.folder, options.steps, *more)
    written += [] if options.no_agents else write_agents(options.folder)
    print(f"Wrote {_count(written)} into {os.path.abspath(options.folder)}:")
    for path in written:
        print(f"  {path.name}")


def nbgrader(options):
    """write lessons as sources for nbgrader, solutions in them"""
    written = handout.for_nbgrader(options.folder, options.steps, options.points)
    print(f"Wrote {_count(written)} into {os.path.abspath(options.folder)}.")
    print("They hold the solutions: what students get is what nbgrader makes of them.")


def _count(written):
    return f"{len(written)} file{'s' * (len(written) != 1)}"


def grade(options):
    """judge a folder of submissions, and write a table of points"""
    if not os.path.isdir(os.path.dirname(os.path.abspath(options.output))):
        raise CourseError(f"There is no folder for {options.output}.")
    print(bubblewrap.describe_isolation(), flush=True)
    people = read_roster(options.roster) if options.roster else []
    if options.gradebook == "moodle":
        gradebooks.need_roster(people)
    if options.feedback:
        refuse_other_folder(options.feedback)
    began = time.time()

    def tell(one):
        points = sum(grading.points_got(one, options.points).values())
        wrong = grading.first_wrong(one) or "all right"
        looks = f"  [{'; '.join(one.said)}]" if one.said else ""
        print(f"{one.student:20}  {points:3d}  {wrong}{looks}", flush=True)

    lessons, graded = grading.grade(
        options.folder, options.steps, options.seconds, options.jobs, tell, people
    )
    # No mark at the beginning for a gradebook: it is no spreadsheet.
    encoding = "utf-8" if options.gradebook else "utf-8-sig"
    form = getattr(gradebooks, f"for_{options.gradebook}", grading.table)
    rows = form(lessons, graded, options.points)
    aside = grading.write_points(options.output, rows, encoding)
    names = ", ".join(notebook_path(n).stem for n in lessons)
    print(
        f"Judged {names} of {len(graded)} students in {time.time() - began:.0f} s. "
        f"The points are in {os.path.abspath(options.output)}."
    )
    if aside:
        print(f"The table that was there is {aside.name} now.")
    if options.feedback:
        if before := write_feedback(options.feedback, graded, options.points):
            print(f"The folder that was there is {before.name} now.")
        print(f"The pages are in {os.path.abspath(options.feedback)}.")
    if people:
        _tell_who(graded)


def _tell_who(graded):
    """Name who of the roster is missing, and who is not in it."""
    missing = [one.student for one in graded if not one.owner]
    unknown = [one.student for one in graded if not one.person]
    for said, names in (("Handed in nothing", missing), ("Not in the roster", unknown)):
        if names:
            print(f"{said}: {', '.join(names)}.")
