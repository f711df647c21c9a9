"""Exercises: a solution between two markers, a check behind it, and copies for students
without the solutions.
"""

import copy
import json
import os
import re
from pathlib import Path

from .course import LESSONS, CourseError, known, notebook_path, numbers

BEGIN = "### BEGIN SOLUTION"
END = "### END SOLUTION"
STUB = "...  # your code here"
# Between functions no statement is needed, and a last line of dots would be printed.
STUB_OUTSIDE = "# your code here"
CHECK = "check"


def is_solution(source):
    return BEGIN in source


def without_solution(source):
    """Replace each marked solution by a stub that runs and does nothing.

    Raises
    ------
    CourseError
        If the markers do not stand in pairs.
    """
    lines, inside = [], False
    for line in source.splitlines():
        if line.strip() == (END if inside else BEGIN):
            inside = not inside
            if inside:
                stub = STUB if line.startswith(" ") else STUB_OUTSIDE
                lines.append(line.replace(BEGIN, stub))
        elif line.strip() in (BEGIN, END):
            raise CourseError(f"The markers `{BEGIN}` and `{END}` must stand in pairs.")
        elif not inside:
            lines.append(line)
    if inside:
        raise CourseError(f"A `{BEGIN}` has no `{END}`.")
    return "\n".join(lines)


def for_students(notebook):
    """A copy of a notebook (as a dict) without solutions and outputs, its exercise
    cells open.
    """
    notebook = copy.deepcopy(notebook)
    notebook["metadata"].pop("course", None)
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        cell.update(outputs=[], execution_count=None)
        source = "".join(cell["source"])
        if is_solution(source):
            cell["source"] = without_solution(source)
            cell["metadata"].pop("jupyter", None)
            cell["metadata"]["tags"] = [
                tag for tag in cell["metadata"].get("tags", []) if tag != "hide-input"
            ]
    return notebook


def write_copies(folder, chosen=None):
    """Write students' notebooks into a folder; write none if one of them is there
    already.

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
    targets = {
        folder / notebook_path(n).name: notebook_path(known(n))
        for n in chosen or numbers()
    }
    if there := sorted(path.name for path in targets if path.exists()):
        raise CourseError(
            f"{folder} already holds {', '.join(there)}. Nothing was written, so that "
            "no work is lost: choose another folder, or name the steps that are "
            "missing."
        )
    if missing := [str(path.name) for path in targets.values() if not path.exists()]:
        raise CourseError(
            f"Not built yet: {', '.join(missing)}. `python -m steps build` builds them."
        )
    folder.mkdir(parents=True, exist_ok=True)
    for target, source in targets.items():
        notebook = for_students(json.loads(source.read_text(encoding="utf-8")))
        text = (
            json.dumps(_pointed_at_code(notebook, folder), indent=1, ensure_ascii=False)
            + "\n"
        )
        # Mode x fails, rather than overwrites, if the file has come into being
        # meanwhile.
        with target.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    return list(targets)


def _pointed_at_code(notebook, folder):
    # The %load lines name the code's place as seen from notebooks/; a copy elsewhere
    # needs its own way there.
    try:
        way = Path(os.path.relpath(LESSONS, folder.resolve())).as_posix()
    except ValueError:  # another drive on Windows
        way = LESSONS.as_posix()
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        cell["source"] = re.sub(
            r"^(# %load -s \S+ )\.\./steps/", lambda match: f"{match[1]}{way}/", source
        )
    return notebook
