"""The notebook of a step in the workshop: the lesson, its code replaced by stubs. And
those of the lesson's cells that judge.
"""

import re
from functools import cache
from typing import Any

from .. import builder, overview, student_copies
from ..builder import code_cell, text_cell
from ..exercises import GOES_ON, for_students
from ..lessons import MAP, head, notebook_path, stem
from . import stubs
from .framework import step_of
from .parts import listed
from .trial import LOAD, SECONDS

CODE, WRITE, WORKS = "The code", "Write it", "It works"
# The tag of a cell that shows what the lesson's own way keeps: another way may be right
# without it, so the cell does not judge.
ONE_WAY = "one-way"
SHOWS_CODE = re.compile(r"# %load -s|steps\.diff\(")
IMPORTS = re.compile(r"(?:(?:import|from) .*\n?|\n)+")
# Paragraphs about the cells that the workshop leaves out.
OF_CELLS = re.compile(r"whole code of the step|%load")
# And sentences about the differences that it does not show.
OF_DIFFERENCES = re.compile(r"steps\.diff\(|Lines with a minus|is here once more")
SENTENCES = re.compile(r"(?<=[.:])\s+(?=[A-Z`*])")


def text_of(number, module):
    """The text of the notebook of a step, for one who has a module after the step
    before.
    """
    whole = for_students(builder.assemble(number), tell_solutions=True)
    cells: list[dict[str, Any]] = []
    for title, section in sections(whole["cells"]):
        if title == WRITE:
            continue  # the workshop asks for all of the step
        if title == CODE:
            cells += _write_it(number, module, section)
        elif title == WORKS:
            cells += [*map(_goes_on, section), *_judge(number)]
        else:
            cells += section
    cells.insert(2, code_cell(f"import steps\n\nsteps.workshop({number})"))
    for place, cell in enumerate(cells, start=1):
        cell["id"] = f"workshop{number:02d}-{place:03d}"
        if cell["cell_type"] == "markdown":
            cell["source"] = _linked(number, cell["source"])
    return student_copies.text_of_copy(number, whole | {"cells": cells})


def _write_it(number, module, section):
    """The part of the lesson that shows its code, turned into one that asks for it."""
    prose = [c["source"] for c in section if c["cell_type"] == "markdown"]
    rest = [c for c in section if c["cell_type"] == "code" and not shows_code(c)]
    imports = [cell for cell in rest if IMPORTS.fullmatch(cell["source"] + "\n")]
    others = [cell for cell in rest if cell not in imports]
    to_fill = [code_cell(text) for text in stubs.cells(step_of(number), module)]
    return [text_cell(_task(number, prose)), *imports, *to_fill, *others]


def _task(number, prose):
    step = step_of(number)
    new = [name for name in step.to_write if name in step.added]
    changed = [name for name in step.to_write if name not in step.added]
    groups = {"New": new, "To change": changed}
    said = [f"{what}: {listed(names)}." for what, names in groups.items() if names]
    first = step.to_write[0]
    places, others = "cell below has a place for it", ""
    if len(step.to_write) > 1:
        places = "cells below have a place for each"
        others = " It knows the other names, too."
    task = (
        f"## {WRITE}\n\nNow you. {' '.join(said)} The {places}; `TODO` says where. "
        "Run a cell when it is written, and go on to *It works*, which runs on your "
        "code. A class that you write is the whole class: what you leave out is out."
        "\n\n"
        f'Stuck? `steps.hint({number}, "{first}")` gives a hint, then a nearer one '
        f"and, at last, the lesson's code.{others} If a cell does not come to an end, "
        "*Kernel → Interrupt Kernel* stops it."
    )
    if left := _about_the_code(prose):
        task += (
            "\n\n<details><summary>What the lesson says about its code</summary>\n\n"
            f"{left}\n\n</details>"
        )
    return task


def _about_the_code(prose):
    """What the lesson says where it shows its code, as far as it is not about cells
    that are not here.
    """
    left = []
    for text in "\n\n".join(prose).removeprefix(f"## {CODE}").split("\n\n"):
        said = [s for s in SENTENCES.split(text) if not OF_DIFFERENCES.search(s)]
        if said and text.strip() and not OF_CELLS.search(text):
            ends = re.sub(r":$", ".", said[-1].rstrip())
            left.append(" ".join([*said[:-1], ends]))
    return "\n\n".join(left)


def _goes_on(cell):
    """A cell after which Run All goes on, to the one that judges, if it fails."""
    if cell["cell_type"] != "code":
        return cell
    tags = [*cell["metadata"].get("tags", ()), GOES_ON]
    return cell | {"metadata": cell["metadata"] | {"tags": list(dict.fromkeys(tags))}}


def _judge(number):
    words = (
        "## Is it right?\n\nThe next cell judges what you have written: with the "
        "lesson's cells of *It works*, and with a table of what a framework can do "
        f"after this step. What takes more than {SECONDS} seconds is stopped."
    )
    return [text_cell(words), code_cell(f"steps.judge({number})")]


def _linked(number, text):
    """The lessons lie one folder above the workshop."""
    if text == overview.ways_on(number):
        return (
            f"[The map](../{notebook_path(MAP).name}) · "
            f"the lesson with its code: [{number}. {head(number).title}]"
            f"(../{stem(number)}.ipynb)"
        )
    return re.sub(r"\]\((start|step\d\d)\.ipynb\)", r"](../\1.ipynb)", text)


# --- The lesson -----------------------------------------------------------------------


def sections(cells):
    """Pairs (title, cells) of a lesson; the first has no title.

    A cell of text with several titles is cut there.
    """
    found: list[tuple[str, list[dict[str, Any]]]] = [("", [])]
    for piece in (piece for cell in cells for piece in builder.cut(cell, "##")):
        title = re.match(r"## (.+)", "".join(piece["source"]))
        if title and piece["cell_type"] == "markdown":
            found.append((title[1].strip(), []))
        found[-1][1].append(piece)
    return found


def shows_code(cell):
    """Whether a cell would give the step's code away."""
    return cell["cell_type"] == "code" and bool(SHOWS_CODE.search(cell["source"]))


@cache
def judging_cells(step):
    """The lesson's own cells up to the end of *It works*, as (place, source)."""
    found: list[tuple[str, str]] = []
    for title, cells in sections(builder.assemble(step)["cells"]):
        if title == "Exercises" or (found and found[-1][0].startswith(WORKS)):
            break
        if title == WRITE:
            continue
        codes = [cell for cell in cells if cell["cell_type"] == "code"]
        judge = [c for c in codes if ONE_WAY not in c["metadata"].get("tags", ())]
        for count, cell in enumerate(judge, start=1):
            if not shows_code(cell):
                place = f"{title or 'The beginning'}, cell {count}"
                place = WRITE if title == CODE else place  # no cells of code there
                found.append((place, student_copies.as_installed(cell["source"])))
            elif LOAD not in dict(found).values():
                found.append((title, LOAD))
    return found


@cache
def own_sources(step):
    """The sources of all the code cells that are the lesson's, as a copy has them."""
    cells = for_students(builder.assemble(step))["cells"]
    return {cell["source"].strip() for cell in cells if cell["cell_type"] == "code"}
