"""The learner's workshop: their notebooks, and the frameworks that they have written.

``step08.ipynb`` is where they write step 8, ``step08.py`` their framework after it. The
file is made from the notebook, and made anew only as long as nobody else changed it.
"""

import ast
import contextlib
import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from .. import learner_folder, lessons
from ..definitions import parse
from ..lessons import CourseError, known, spans, stem, typed
from ..module_text import ModuleText
from . import notebook
from .framework import before, begin_of, code_of, framework, step_of, steps, with_own
from .learner_code import LearnerCode, read_cells
from .package import FIRST, LAST, PARTS, Package, module_of
from .stubs import make_stubs

STAMP = ".workshop.json"
# In the docstring of a learner's file, above the names of what is not theirs.
LESSONS_OWN = "The lesson's own in it:"
ON_OURS = f"This lesson runs on dezero_lite: your own package ends with step {LAST}."


def place(folder=None):
    """The folder of the workshop."""
    return Path(folder or learner_folder.FOLDER / "workshop").resolve()


def near():
    """The workshop of the notebook that runs this: its own folder, or one beside it."""
    here = Path.cwd()
    return here if here.name == "workshop" else here / "workshop"


def notebook_file(number, folder=None):
    return place(folder) / f"{stem(number)}.ipynb"


def own_file(number, folder=None):
    """Where the learner's framework of a step is, if it is written."""
    return place(folder) / f"{stem(number)}.py"


def after(number):
    return [n for n in steps() if n > number]


def of_the_workshop(number):
    """Return the number if this step is written in the workshop.

    Raises
    ------
    CourseError
        If it is not; the message says where it is written.
    """
    if known(number) not in steps():
        raise CourseError(
            f"Step {number} is no step of the workshop, which has {spans(steps())}. "
            f"Its lesson, my-course/{stem(number)}.ipynb, says what to write."
        )
    return number


def current(folder=None):
    """The first step that is not done; None when all are."""
    return next((n for n in steps() if not own_file(n, folder).exists()), None)


# --- Notebooks ------------------------------------------------------------------------


def lay(number, folder=None):
    """Write the notebook of a step, unless it is there; return its path and what
    happened, as :func:`learner_folder.lay_one` says it.
    """
    target = notebook_file(of_the_workshop(number), folder)
    target.parent.mkdir(parents=True, exist_ok=True)
    text = notebook.text_of(number, base(number, folder).module)
    return target, learner_folder.lay_one(target, text)


def fresh(number, folder=None):
    """Set the notebook of a step aside and lay a new one; return where the old one is.

    The file of the step is set aside with it, so that the step is to be done again.
    """
    aside = learner_folder.set_aside(notebook_file(of_the_workshop(number), folder))
    if (done := own_file(number, folder)).exists():
        learner_folder.set_aside(done)
    lay(number, folder)
    return aside


def is_untouched(number, folder=None):
    """Whether nobody has worked in the notebook of a step, or there is none."""
    path = notebook_file(number, folder)
    return not path.exists() or learner_folder.is_untouched(learner_folder.read(path))


def cells_of(number, folder=None):
    """The sources of the code cells in the notebook of a step."""
    path = notebook_file(number, folder)
    if not path.exists():
        raise CourseError(
            f"There is no {path.name} in {path.parent} yet. "
            f"`{typed(f'workshop {number}')}` makes it."
        )
    if (found := code_in(path)) is None:
        raise CourseError(
            f"{path.name} is no notebook that can be read. "
            f"`{typed(f'workshop fresh {number}')}` sets it aside and makes a new one."
        )
    return found


def code_in(path):
    """The sources of the code cells of a notebook; None if it cannot be read."""
    found = learner_folder.read(path).get("cells")
    if not isinstance(found, list):
        return None
    code = [cell for cell in found if cell.get("cell_type") == "code"]
    return ["".join(cell.get("source", "")) for cell in code]


# --- Frameworks -----------------------------------------------------------------------


@dataclass
class Base:
    """What a step begins with: a module, the names of what is the lesson's own in it,
    and what is to be said about it.
    """

    module: ModuleText
    lent: set[str]
    said: str = ""


def base(number, folder=None):
    """The learner's framework after the step before; where they have none, what they
    had last, with what each step since would have brought.
    """
    if number in PARTS:
        return Base(begin_of(number), set(), ON_OURS)
    last = before(number)
    found = reached(last, folder) if last else Base(ModuleText(), set())
    if number == FIRST:
        found.module = Package({"core": found.module})
    return found


def reached(number, folder=None):
    """The learner's framework after a step, with the lesson's own for what they have
    not written.
    """
    if (text := own_text(number, folder)) is not None:
        said = f"It begins with your {stem(number)}.py."
        return Base(module_of(text), lent(text), said)
    there = (n for n in steps() if n < number and own_text(n, folder) is not None)
    last = max(there, default=0)
    gap = [n for n in steps() if last < n <= number]
    said = f"What step{'s' * (len(gap) > 1)} {spans(gap)} would have given it is the "
    said += "lesson's own."
    if not last:
        module = module_of(code_of(number))
        return Base(module, {*module.definitions}, said)
    # What they had, and what the step would have brought.
    begins = base(number, folder)
    own = framework(number, LearnerCode(), begins.module, begins.lent)
    lends = [*own.missing, *own.unchanged]
    said += f" The rest is from your {stem(last)}.py."
    return Base(with_own(own.module, own.step, lends), begins.lent.union(lends), said)


def lent(text):
    """The names of what is the lesson's own in a file, which says so at its top."""
    said = ast.get_docstring(parse(text)) or ""
    return set(said.partition(LESSONS_OWN)[2].split())


def own_text(number, folder=None):
    """The learner's file of a step; None if there is none that is Python."""
    with contextlib.suppress(OSError, ValueError, SyntaxError):
        text = own_file(number, folder).read_text(encoding="utf-8")
        parse(text)
        return text
    return None


def saved(number, folder=None):
    """The learner's framework of a step from their notebook as it was saved."""
    return assembled(number, cells_of(number, folder), folder)


def assembled(number, cells, folder=None):
    """The learner's framework of a step from the cells of their notebook."""
    step, begins = step_of(number), base(number, folder)
    laid = make_stubs(step, begins.module)
    found = read_cells(cells, step.definitions, notebook.own_sources(number), laid)
    return framework(number, found, begins.module, begins.lent)


def write(verdict, folder=None):
    """Write what passes as the learner's file of the step.

    Returns
    -------
    Path or None
        None if somebody else changed the file: then it stays as it is.
    """
    path = own_file(verdict.step, folder)
    written = write_ours({path: verdict.module.format(_docstring(verdict))}, folder)
    return path if written else None


def write_ours(texts, folder=None):
    """Write files, by their paths, and return which: those that somebody else changed
    stay as they are.
    """
    marks, written = learner_folder.read(place(folder) / STAMP), []
    for path, text in texts.items():
        name = os.path.relpath(path, place(folder))
        if path.exists() and not is_ours(path, folder):
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        learner_folder.replace(path, text)
        marks[name] = _digest(text)
        written.append(path)
    learner_folder.replace(place(folder) / STAMP, json.dumps(marks, indent=1) + "\n")
    return written


def is_ours(path, folder=None):
    """Whether a file is as it was written so."""
    marks = learner_folder.read(place(folder) / STAMP)
    name = os.path.relpath(path, place(folder))
    return path.exists() and marks.get(name) == _digest(path.read_text("utf-8"))


def _docstring(verdict):
    title = lessons.head(verdict.step).title
    what = "framework after" if verdict.step <= LAST else "code of"
    lines = [f"My {what} step {verdict.step}, {title}."]
    if names := verdict.lent:
        lines += ["", LESSONS_OWN, *(f"    {name}" for name in names), ""]
    return "\n".join(lines)


def _digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]
