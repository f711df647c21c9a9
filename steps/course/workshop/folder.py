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
from ..lessons import CourseError, known, spans, stem, typed
from . import notebook
from .framework import before, code_of, framework, step_of, steps, with_own
from .learner_code import LearnerCode, learner_code
from .modules import LESSONS_OWN, Module
from .package import FIRST, Package, module_of
from .parts import Kind, alike

STAMP = ".workshop.json"


def place(folder=None):
    """The folder of the workshop."""
    return Path(folder or learner_folder.FOLDER / "workshop").resolve()


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
    found = learner_folder.read(path).get("cells")
    if not isinstance(found, list):
        raise CourseError(
            f"{path.name} is no notebook that can be read. "
            f"`{typed(f'workshop fresh {number}')}` sets it aside and makes a new one."
        )
    code = [cell for cell in found if cell.get("cell_type") == "code"]
    return ["".join(cell.get("source", "")) for cell in code]


# --- Frameworks -----------------------------------------------------------------------


@dataclass
class Base:
    """What a step begins with: a module, the names of what is the lesson's own in it,
    and what is to be said about it.
    """

    module: Module
    lent: set[str]
    said: str = ""


def base(number, folder=None):
    """The learner's framework after the step before; where they have none, that of the
    lesson, with what they wrote earlier and the lessons did not change since.
    """
    last = before(number)
    found = reached(last, folder) if last else Base(Module(), set())
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
    goes_on = number >= FIRST and _newest(number, folder)
    return (_goes_on if goes_on else _lessons_own)(number, folder)


def _goes_on(number, folder):
    """What they had before a step of the package, and what it would have brought."""
    begins = base(number, folder)
    own = framework(number, LearnerCode(), begins.module, begins.lent)
    said = _said(number, _newest(number, folder))
    lends = [*own.missing, *own.unchanged]
    return Base(with_own(own.module, own.step, lends), begins.lent.union(lends), said)


def _lessons_own(number, folder):
    """The lesson's own after a step, with what they wrote before that stayed so."""
    module, last = module_of(code_of(number)), _newest(number, folder)
    theirs = _bring(module, last, number, own_text(last, folder)) if last else set()
    return Base(module, set(module.parts()) - theirs, _said(number, last))


def _newest(number, folder):
    """The last step up to one that has a file of theirs; 0 if there is none."""
    there = (n for n in steps() if n <= number and own_text(n, folder) is not None)
    return max(there, default=0)


def _said(number, last):
    gap = [n for n in steps() if last < n <= number]
    said = f"What step{'s' * (len(gap) > 1)} {spans(gap)} would have given it is the "
    return f"{said}lesson's own." + f" The rest is from your {stem(last)}.py." * bool(
        last
    )


def _bring(module, last, before, text):
    """Put in what is theirs and did not change since; return the names."""
    theirs, now = Module.of(text), step_of(before).parts
    brought, stays = theirs.parts(), {*alike(now, step_of(last).parts)}
    stays -= {name for name, part in brought.items() if part.kind == Kind.CLASS}
    for name in [name for name in brought if name in stays]:
        module.put(name, brought[name], now)
    module.imports = theirs.imports | module.imports
    return stays.intersection(brought) - lent(text)


def lent(text):
    """The names of what is the lesson's own in a file, which says so at its top."""
    said = ast.get_docstring(ast.parse(text)) or ""
    return set(said.partition(LESSONS_OWN)[2].split())


def own_text(number, folder=None):
    """The learner's file of a step; None if there is none that is Python."""
    with contextlib.suppress(OSError, ValueError, SyntaxError):
        text = own_file(number, folder).read_text(encoding="utf-8")
        ast.parse(text)
        return text
    return None


def saved(number, folder=None):
    """The learner's framework of a step from their notebook as it was saved."""
    return assembled(number, cells_of(number, folder), folder)


def assembled(number, cells, folder=None):
    """The learner's framework of a step from the cells of their notebook."""
    step, begins = step_of(number), base(number, folder)
    laid = notebook.stubs(step, begins.module)
    found = learner_code(cells, step.parts, notebook.own_sources(number), laid)
    return framework(number, found, begins.module, begins.lent)


def write(verdict, folder=None):
    """Write what passes as the learner's file of the step.

    Returns
    -------
    Path or None
        None if somebody else changed the file: then it stays as it is.
    """
    path = own_file(verdict.step, folder)
    written = write_ours({path: verdict.module.text(_docstring(verdict))}, folder)
    return path if written else None


def write_ours(texts, folder=None):
    """Write files, by their paths, and return which: those that somebody else changed
    stay as they are.
    """
    marks, written = learner_folder.read(place(folder) / STAMP), []
    for path, text in texts.items():
        name = os.path.relpath(path, place(folder))
        if path.exists() and marks.get(name) != _digest(path.read_text("utf-8")):
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        learner_folder.replace(path, text)
        marks[name] = _digest(text)
        written.append(path)
    learner_folder.replace(place(folder) / STAMP, json.dumps(marks, indent=1) + "\n")
    return written


def _docstring(verdict):
    title = lessons.head(verdict.step).title
    lines = [f"My framework after step {verdict.step}, {title}."]
    if names := verdict.lent:
        lines += ["", LESSONS_OWN, *(f"    {name}" for name in names), ""]
    return "\n".join(lines)


def _digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]
