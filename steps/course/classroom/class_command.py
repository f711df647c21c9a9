"""The command line of the classroom: ``python -m steps class``."""

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


def add_command(commands, name, run):
    """Add a command whose help is its function's docstring; return the method that adds
    arguments to it.
    """
    description = inspect.getdoc(run)
    parser = commands.add_parser(name, help=description, description=description)
    parser.set_defaults(run=run)
    return parser.add_argument


def add_class_commands(commands):
    """Add the `class` command and its subcommands to the course tool."""
    description = "for teachers: hand out lessons, grade what comes back"
    group = commands.add_parser("class", help=description, description=description)
    verbs = group.add_subparsers(required=True, metavar="command")

    def add_verb(name, run, folder, count="+"):
        add = add_command(verbs, name, run)
        add("folder", metavar="DIR", help=folder)
        add("numbers", metavar="N", type=int, nargs=count, help="the steps")
        text = "the points for the exercises of a lesson; 3,5,8"
        default = grading.POINTS
        add("--points", metavar="P", type=_parse_points, default=default, help=text)
        return add

    add = add_verb("release", release, "the folder to hand out")
    text = "hand out the workshop's notebooks instead"
    add("--workshop", action="store_true", help=text)
    text = "add the course as an installable package without solutions"
    add("--package", action="store_true", help=text)
    add_agents_option(add)
    text = "contains a file, folder or zip for each student; or a zip of all these"
    add = add_verb("grade", grade, text, "*")
    add("-o", "--output", metavar="FILE", default="points.csv", help="points.csv")
    text = "the class, as a CSV file: name,id,email"
    add("--roster", metavar="FILE", help=text)
    text = "write the table in the format of this gradebook"
    add("--for", dest="gradebook", choices=gradebooks.MAKE_ROWS, help=text)
    text = "also write a page for each student, into DIR; feedback"
    add("--feedback", metavar="DIR", nargs="?", const="feedback", help=text)
    text = f"time limit for an answer, in seconds; {SECONDS}"
    add("--seconds", metavar="S", type=float, default=SECONDS, help=text)
    add("--jobs", metavar="N", type=int, help="students judged at once; one per core")
    add_verb("nbgrader", write_sources, "nbgrader's folder of the course")


def add_agents_option(add):
    text = "leave out AGENTS.md, which asks assistants not to write the answers"
    add("--no-agents", action="store_true", help=text)


def _parse_points(text):
    return tuple(int(part) for part in text.split(","))


def release(options):
    """write notebooks without solutions to hand out; never overwrites files"""
    settings = options.points, options.workshop, options.package
    written = handout.release(options.folder, options.numbers, *settings)
    written += [] if options.no_agents else write_agents(options.folder)
    print(f"Wrote {_count_files(written)} into {os.path.abspath(options.folder)}:")
    for path in written:
        print(f"  {path.name}")


def write_sources(options):
    """write lessons as sources for nbgrader, with solutions"""
    folder, points = options.folder, options.points
    written = handout.write_nbgrader_sources(folder, options.numbers, points)
    print(f"Wrote {_count_files(written)} into {os.path.abspath(options.folder)}.")
    print("They contain the solutions; nbgrader generates the students' versions.")


def _count_files(written):
    return f"{len(written)} file{'s' * (len(written) != 1)}"


def grade(options):
    """judge a folder of submissions, and write a table of points"""
    if not os.path.isdir(os.path.dirname(os.path.abspath(options.output))):
        raise CourseError(f"The folder for {options.output} does not exist.")
    print(bubblewrap.describe_isolation(), flush=True)
    people = read_roster(options.roster) if options.roster else []
    if options.gradebook == "moodle":
        gradebooks.require_roster(people)
    if options.feedback:
        refuse_other_folder(options.feedback)
    start = time.time()

    from tqdm import tqdm

    bar = tqdm(unit="notebook", leave=False, disable=None)

    def report(count, submission):
        bar.total = count
        bar.update()
        if not submission:
            return
        points = sum(grading.award_points(submission, options.points).values())
        wrong = grading.find_first_wrong(submission) or "all right"
        remarks = f"  [{'; '.join(submission.remarks)}]" if submission.remarks else ""
        tqdm.write(f"{submission.student:20}  {points:3d}  {wrong}{remarks}")

    with bar:
        lessons, graded = grading.judge_submissions(
            *(options.folder, options.numbers, options.seconds, options.jobs),
            report,
            people,
        )
    # Spreadsheets need a byte order mark to recognise UTF-8; gradebooks do not.
    encoding = "utf-8" if options.gradebook else "utf-8-sig"
    default = gradebooks.make_teacher_rows
    make_rows = gradebooks.MAKE_ROWS.get(options.gradebook, default)
    rows = make_rows(lessons, graded, options.points)
    old_table = gradebooks.write_csv(options.output, rows, encoding)
    names = ", ".join(notebook_path(n).stem for n in lessons)
    print(
        f"Judged {names} of {len(graded)} students in {time.time() - start:.0f} s. "
        f"The points are in {os.path.abspath(options.output)}."
    )
    if old_table:
        print(f"The old table is now {old_table.name}.")
    if options.feedback:
        if old_pages := write_feedback(options.feedback, graded, options.points):
            print(f"The old folder is now {old_pages.name}.")
        print(f"The pages are in {os.path.abspath(options.feedback)}.")
    if people:
        _report_people(graded)


def _report_people(graded):
    """Print who in the roster handed in nothing, and who is not in the roster."""
    if missing := [each.student for each in graded if not each.owner]:
        print(f"No submission from: {', '.join(missing)}.")
    if unknown := [each.student for each in graded if not each.person]:
        print(f"Not in the roster: {', '.join(unknown)}.")
