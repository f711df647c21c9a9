"""What of a lesson the workshop needs: its sections, and the cells that judge."""

import re
from functools import cache
from typing import Any

from .. import builder, copies, exercises
from .trial import LOAD

CODE, WRITE, WORKS = "The code", "Write it", "It works"
SHOWS_CODE = re.compile(r"# %load -s|steps\.diff\(")


def sections(cells):
    """Pairs (title, cells) of a lesson; the first has no title.

    A cell of text with several titles is cut there.
    """
    found: list[tuple[str, list[dict[str, Any]]]] = [("", [])]
    for cell in cells:
        if cell["cell_type"] != "markdown":
            found[-1][1].append(cell)
            continue
        for piece in re.split(r"^(?=## )", "".join(cell["source"]), flags=re.M):
            if title := re.match(r"## (.+)", piece):
                found.append((title[1].strip(), []))
            if piece.strip():
                found[-1][1].append(cell | {"source": piece.rstrip()})
    return found


def shows_code(cell):
    """Whether a cell would give the step's code away."""
    return cell["cell_type"] == "code" and bool(SHOWS_CODE.search(cell["source"]))


@cache
def judging_cells(step):
    """The lesson's own cells up to the end of *It works*, as (place, source)."""
    found: list[tuple[str, str]] = []
    loaded = False
    for title, cells in sections(builder.assemble(step)["cells"]):
        if title == "Exercises" or (found and found[-1][0].startswith(WORKS)):
            break
        count = 0
        for cell in cells:
            if cell["cell_type"] != "code":
                continue
            count += 1
            if shows_code(cell):
                load, loaded = not loaded, True
                found += [(title, LOAD)] * load
            else:
                place = f"{title or 'The beginning'}, cell {count}"
                place = WRITE if title == CODE else place  # no cells of code there
                found.append((place, copies.as_installed(cell["source"])))
    return found


@cache
def own_sources(step):
    """The sources of all the code cells that are the lesson's, as a copy has them."""
    copy = exercises.for_students(builder.assemble(step))
    return {
        cell["source"].strip() for cell in copy["cells"] if cell["cell_type"] == "code"
    }
