"""Exercises: a solution between two markers, and a check behind it."""

import copy

from .lessons import CourseError

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
