"""The learner's workshop: their notebooks, and the frameworks that they have written.

The learner writes step 8 in ``step08.ipynb``, and ``step08.py`` is their framework
after it. The file is generated from the notebook, and is never overwritten once
somebody has edited it.
"""

import ast
import contextlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from .. import learner_folder
from ..definitions import Kind, format_names, get_owner, parse
from ..learner_folder import read_json
from ..lessons import CourseError, format_command, known, spans, stem
from ..module_text import ModuleText
from ..translation.notebooks import read_title
from . import notebook
from .attempt import build_attempt, lend_definitions
from .learner_code import LearnerCode, read_cells
from .package import FIRST, LAST, WRITE_LATER, Package, read_module
from .step import find_previous, get_step, list_numbers, read_beginning, read_code
from .stubs import make_stubs
from .trial import TrialProcess
from .verdict import find_fewest

STAMP = ".workshop.json"
# Heading in the docstring of a learner's file, above the names that the lesson lends.
LESSONS_OWN = "The lesson's own in it:"
ON_OURS = f"This lesson runs on dezero_lite: your own package ends with step {LAST}."


def get_folder(folder=None):
    """Return the folder of the workshop."""
    return Path(folder or learner_folder.FOLDER / "workshop").resolve()


def find_nearby():
    """Return the workshop of the running notebook: its own folder, or the one beside
    it.
    """
    here = Path.cwd()
    return here if here.name == "workshop" else here / "workshop"


def get_stamp(folder=None):
    """Return the path of the file with digests of the modules that the workshop wrote,
    which show whether somebody has edited them.
    """
    return get_folder(folder) / STAMP


def get_notebook_path(number, folder=None):
    return get_folder(folder) / f"{stem(number)}.ipynb"


def get_own_path(number, folder=None):
    """Return the path of the learner's framework after a step, whether it exists or
    not.
    """
    return get_folder(folder) / f"{stem(number)}.py"


def check_number(number):
    """Return the number if that step is written in the workshop.

    Raises
    ------
    CourseError
        If it is not; the message names the learner's copy of its lesson.
    """
    if known(number) not in list_numbers():
        lesson = learner_folder.create_copy(number)
        raise CourseError(
            f"Step {number} is not a step of the workshop, which has "
            f"{spans(list_numbers())}. "
            f"Its lesson is my-course/{lesson.name}."
        )
    return number


def find_current(folder=None):
    """Return the first unfinished step, or None if all are done."""
    open_steps = (n for n in list_numbers() if not get_own_path(n, folder).exists())
    return next(open_steps, None)


# --- Notebooks ------------------------------------------------------------------------


def sync_notebook(number, folder=None):
    """Create the notebook of a step, or update it if it is unedited. Returns its path
    and what happened, as :func:`learner_folder.sync_copy` does.
    """
    target = get_notebook_path(check_number(number), folder)
    text = notebook.build_text(number, get_base(number, folder).module)
    return target, learner_folder.sync_copy(target, text)


def restart_step(number, folder=None):
    """Set the notebook of a step aside and create a new one; return the old one's path.

    The file of the step is also set aside, so that the step counts as unfinished.
    """
    old = learner_folder.set_aside(get_notebook_path(check_number(number), folder))
    if (path := get_own_path(number, folder)).exists():
        learner_folder.set_aside(path)
    sync_notebook(number, folder)
    return old


def is_untouched(number, folder=None):
    """Return whether the notebook of a step is missing or unedited."""
    path = get_notebook_path(number, folder)
    return not path.exists() or learner_folder.is_untouched(read_json(path))


def read_notebook(number, folder=None):
    """Return the sources of the code cells in the notebook of a step."""
    path = get_notebook_path(number, folder)
    if not path.exists():
        raise CourseError(
            f"There is no {path.name} in {path.parent} yet. "
            f"`{format_command(f'workshop {number}')}` creates it."
        )
    if (cells := read_code_cells(path)) is None:
        anew = format_command(f"workshop fresh {number}")
        raise CourseError(
            f"{path.name} is not a readable notebook. "
            f"`{anew}` backs it up and creates a new one."
        )
    return cells


def read_code_cells(path):
    """Return the sources of a notebook's code cells, or None if unreadable."""
    cells = None
    with contextlib.suppress(CourseError):
        cells = read_json(path).get("cells")
    if not isinstance(cells, list):
        return None
    code = [cell for cell in cells if cell.get("cell_type") == "code"]
    return ["".join(cell.get("source", "")) for cell in code]


# --- The learner's frameworks ---------------------------------------------------------


@dataclass
class Base:
    """A framework to begin a step with.

    ``lent`` has the names that the lesson lends, and ``message`` tells the learner
    about the framework. ``is_mixed`` means that it combines the learner's code with the
    lesson's, and that the result has not been judged.
    """

    module: ModuleText
    lent: set[str]
    message: str = ""
    is_mixed: bool = False


def get_base(number, folder=None):
    """Return the framework that a step begins with: the learner's after the step before
    or, for a step after the package, the lesson's own module.
    """
    if number in WRITE_LATER:
        return Base(read_beginning(number), set(), ON_OURS)
    base = _get_framework_before(number, folder)
    if base.is_mixed:
        _lend_whole_classes(base, get_step(find_previous(number)))
    return base


def _get_framework_before(number, folder):
    previous = find_previous(number)
    base = get_framework(previous, folder) if previous else Base(ModuleText(), set())
    if number == FIRST:
        base.module = Package({"core": base.module})
    return base


def _lend_whole_classes(base, step):
    """Lend whole classes where single methods were lent but do not work: a learner's
    class with another design has other attributes.
    """
    text = base.module.format()
    if passes_table(step.number, text):
        return
    kinds = {name: definition.kind for name, definition in step.definitions.items()}
    owners = tuple(n for n in kinds if n in {*map(get_owner, base.lent)} - base.lent)
    owners = tuple(n for n in owners if kinds[n] == Kind.CLASS)
    lend = lambda *names: lend_definitions(base.module, step, names)
    works = lambda *names: passes_table(step.number, lend(*names).format())
    if owners and works(*owners):
        owners = find_fewest(owners, works)
    base.module, names = lend(*owners), format_names(owners)
    base.lent |= {n for n in kinds if get_owner(n) in owners}
    base.message += (
        f" All of {names} is the lesson's, because single methods did not fit yours."
    )


@lru_cache(maxsize=64)  # a session calls it after each cell
def passes_table(number, text):
    """Return whether a framework passes the rows that should work at a step."""
    with TrialProcess() as process:
        return process.passes(number, text)


def describe_mixture(number, folder=None):
    """Return a list with a sentence about the learner's missing files, or an empty list
    if none are missing.
    """
    base = get_base(number, folder)
    return [base.message] * base.is_mixed


def get_framework(number, folder=None):
    """Return the learner's framework after a step. If its file is missing, begin with
    their latest one, and add the lesson's own code for the steps since.
    """
    if (text := read_own_text(number, folder)) is not None:
        message = f"It begins with your {stem(number)}.py."
        return Base(read_module(text), read_lent(text), message)
    until = [n for n in list_numbers() if n <= number]
    last = max((n for n in until if read_own_text(n, folder) is not None), default=0)
    gap = [n for n in until if n > last]
    files = ", ".join(f"{stem(n)}.py" for n in gap)
    message = f"You have no {files}, so the code of step {spans(gap)} is the lesson's."
    if len(gap) > 1:
        message = (
            f"You have no {files}, so the code of steps {spans(gap)} is the lesson's."
        )
    if not last:
        module = read_module(read_code(number))
        return Base(module, {*module.definitions}, message)
    # Add this step's definitions to the framework before it.
    base = _get_framework_before(number, folder)
    attempt = build_attempt(number, LearnerCode(), base.module, base.lent)
    lent = [*attempt.missing, *attempt.unchanged]
    module = lend_definitions(attempt.module, attempt.step, lent)
    message += f" The rest is from your {stem(last)}.py."
    return Base(module, base.lent.union(lent), message, is_mixed=True)


def read_lent(text):
    """Read the names that the lesson lends from the docstring of a learner's file."""
    docstring = ast.get_docstring(parse(text)) or ""
    return set(docstring.partition(LESSONS_OWN)[2].split())


def read_own_text(number, folder=None):
    """Return the source of the learner's file of a step, or None if it is missing or
    not valid Python.
    """
    with contextlib.suppress(OSError, ValueError, SyntaxError):
        text = get_own_path(number, folder).read_text(encoding="utf-8")
        parse(text)
        return text
    return None


def read_attempt(number, folder=None):
    """Read the learner's attempt at a step from their saved notebook."""
    return make_attempt(number, read_notebook(number, folder), folder)


def make_attempt(number, cells, folder=None):
    """Build the learner's attempt at a step from the cells of their notebook."""
    step, base = get_step(number), get_base(number, folder)
    stub_cells = make_stubs(step, base.module)
    lesson = notebook.list_lesson_sources(number)
    code = read_cells(cells, step.definitions, lesson, stub_cells)
    return build_attempt(number, code, base.module, base.lent)


# --- The learner's file ---------------------------------------------------------------


def write_framework(verdict, folder=None):
    """Write the framework of a verdict as the learner's file of the step.

    Returns
    -------
    Path or None
        None if somebody else has edited the file, which then stays as it is.
    """
    path = get_own_path(verdict.number, folder)
    text = verdict.module.format(_write_docstring(verdict))
    stamp = get_stamp(folder)
    is_tracked = learner_folder.is_tracked(path, stamp)
    if is_tracked and path.read_text(encoding="utf-8") != text:
        later = [n for n in list_numbers() if n > verdict.number]
        if any(get_own_path(n, folder).exists() for n in later):
            learner_folder.set_aside(path)  # later files may contain its code
    return path if learner_folder.write_tracked({path: text}, stamp) else None


def _write_docstring(verdict):
    title = read_title(verdict.number)
    lines = [f"My framework after step {verdict.number}, {title}."]
    if verdict.number > LAST:
        lines = [f"My code of step {verdict.number}, {title}."]
    if names := verdict.lent:
        lines += ["", LESSONS_OWN, *(f"    {name}" for name in names), ""]
    return "\n".join(lines)
