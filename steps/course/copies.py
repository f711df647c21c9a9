"""Students' copies of the lessons: no solutions, no outputs, and theirs to keep."""

import os
import re
from pathlib import Path

from . import builder
from .exercises import for_students
from .lessons import LESSONS, STEPS, CourseError, known, notebook_path, numbers


def write_copies(folder, chosen=None):
    """Write students' notebooks into a folder; write none if one of them is there
    already.

    They are made from the lessons, not from built notebooks, which an installed package
    does not have.

    Parameters
    ----------
    folder : path
        Made if it is missing.
    chosen : list of int, optional
        Step numbers; all steps if not given.

    Returns
    -------
    list of Path
        The files written.
    """
    folder = Path(folder)
    targets = {folder / notebook_path(n).name: known(n) for n in (chosen or numbers())}
    if there := sorted(path.name for path in targets if path.exists()):
        raise CourseError(
            f"{folder} already holds {', '.join(there)}. Nothing was written, so that "
            "no work is lost: choose another folder, or name the steps that are "
            "missing."
        )
    texts = {target: _copy(number, folder) for target, number in targets.items()}
    folder.mkdir(parents=True, exist_ok=True)
    for target, text in texts.items():
        # Mode x fails, rather than overwrites, if the file has come into being
        # meanwhile.
        with target.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    return list(targets)


def _copy(number, folder):
    notebook = for_students(builder.assemble(number))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["source"] = _as_installed(_pointed_at_code(cell["source"], folder))
    return builder.as_text(notebook)


def _pointed_at_code(code, folder):
    # The %load lines name the code's place as seen from notebooks/; a copy elsewhere
    # needs its own way there.
    try:
        way = Path(os.path.relpath(LESSONS, folder.resolve())).as_posix()
    except ValueError:  # another drive on Windows
        way = LESSONS.as_posix()
    return re.sub(
        r"^(# %load -s \S+ )\.\./steps/", lambda match: f"{match[1]}{way}/", code
    )


def _as_installed(code, steps=STEPS):
    # What a checkout calls steps is dezero_lite.steps in an installed package.
    if steps == "steps":
        return code
    package = steps.removesuffix(".steps")
    code = re.sub(r"(?m)^( *)import steps$", rf"\1from {package} import steps", code)
    code = re.sub(r"(?m)^( *)from steps\b", rf"\1from {steps}", code)
    return code.replace('"steps.course"', f'"{steps}.course"')
