"""The notebook of a step in the workshop: the lesson, its code replaced by stubs, which
are made from the difference of two steps. And those of the lesson's cells that judge.
"""

import ast
import re
from functools import cache
from itertools import takewhile
from typing import Any

from .. import builder, overview, student_copies
from ..builder import code_cell, text_cell
from ..definitions import format_names, get_owner, read_imports
from ..exercises import FOLDED, GOES_ON, for_students
from ..lessons import MAP, head, notebook_path, stem
from .framework import step_of
from .package import FIRST, LAST, on_the_package
from .stubs import make_stubs
from .trial import LOAD, seconds_of

BEFORE = "", "The problem", "The idea"
CODE, WRITE, WORKS = "The code", "Write it", "It works"
# The tag of a cell that shows what the lesson's own way keeps: another way may be right
# without it, so the cell does not judge.
ONE_WAY = "one-way"
SHOWS_CODE = re.compile(r"# %load -s|steps\.diff\(")
# From step 33 on the definitions of the package are shown so.
LISTS_CODE = re.compile(r"steps\.source\(")
IMPORTS = re.compile(r"(?:(?:import|from) .*\n?|\n)+")
NOTHING = (
    f"## {WRITE}\n\nNothing is to be written here. Your framework is a package from "
    "step 33 on, and this lesson runs on it: run the cells, and have it judged."
)
# Above the lesson's first imports, in the package.
ON_YOURS = "# This lesson runs on yours: what the steps hand on is your package.\n"
# Paragraphs about the cells that the workshop leaves out.
OF_CELLS = re.compile(r"whole code of the step|%load")
# And sentences about the differences that it does not show.
OF_DIFFERENCES = re.compile(r"steps\.diff\(|Lines with a minus|is here once more")
SENTENCES = re.compile(r"(?<=[.:])\s+(?=[A-Z`*])")


def text_of(number, module):
    """The text of the notebook of a step, for one who has a module after the step
    before.
    """
    whole = for_students(lesson_of(number), tell_solutions=True)
    cells: list[dict[str, Any]] = []
    for title, section in sections(whole["cells"]):
        if title == WRITE:  # the workshop asks for all of the step
            cells += _for_all_exercises(section)
            continue
        if title == CODE:
            cells += _write_it(number, module, section)
            continue
        if number > LAST:
            section = [*without_listings(number, section)]
        if title == WORKS:
            cells += [*map(_goes_on, section), *_judge(number)]
        elif number >= FIRST and title in BEFORE:
            # What it shows is still to be written.
            cells += map(_goes_on, section)
        else:
            cells += section
    if step_of(number).is_package:
        _fold_imports(cells)
    cells.insert(2, code_cell(f"import steps\n\nsteps.workshop({number})"))
    ways = overview.ways_on(number)
    for place, cell in enumerate(cells, start=1):
        cell["id"] = f"workshop{number:02d}-{place:03d}"
        if cell["cell_type"] == "markdown":
            cell["source"] = _linked(number, ways, cell["source"])
    return student_copies.text_of_copy(number, whole | {"cells": cells})


def _fold_imports(cells):
    first = next(cell for cell in cells if cell["cell_type"] == "code")
    source = ON_YOURS + first["source"]
    first.update(_tagged(first, FOLDED, jupyter={"source_hidden": True}), source=source)


def _tagged(cell, tag, **look):
    tags = dict.fromkeys([*cell["metadata"].get("tags", ()), tag])
    return cell | {"metadata": cell["metadata"] | {"tags": list(tags)} | look}


def _write_it(number, module, section):
    """The part of the lesson that shows its code, turned into one that asks for it."""
    prose = [c["source"] for c in section if c["cell_type"] == "markdown"]
    code = [cell for cell in section if cell["cell_type"] == "code"]
    rest = [*without_listings(number, code)]
    imports = [cell for cell in rest if IMPORTS.fullmatch(cell["source"] + "\n")]
    others = [cell for cell in rest if cell not in imports]
    to_fill = [code_cell(text) for text in make_stubs(step_of(number), module)]
    return [text_cell(_task(number, prose)), *imports, *to_fill, *map(_goes_on, others)]


def _for_all_exercises(section):
    """What stands above the first exercise, and helps the checks of others, too."""
    above = takewhile(lambda cell: "### Exercise" not in cell["source"], section)
    return [cell for cell in above if cell["cell_type"] == "code"]


def _task(number, prose):
    step = step_of(number)
    task = _asked(step) if step.to_write else NOTHING
    if given := [n for n in step.given if step.is_package and n in step.added]:
        whole = [n for n in given if n == get_owner(n) or get_owner(n) not in given]
        task += f"\n\nGiven, as text that runs in your package: {format_names(whole)}."
    if left := _about_the_code(prose):
        task += (
            "\n\n<details><summary>What the lesson says about its code</summary>\n\n"
            f"{left}\n\n</details>"
        )
    return task


def _asked(step):
    """What is to be written, and where there is help."""
    new = [name for name in step.to_write if name in step.added]
    changed = [name for name in step.to_write if name not in step.added]
    groups = {"New": new, "To change": changed}
    said = [
        f"{what}: {format_names(names)}." for what, names in groups.items() if names
    ]
    places, others = "cell below has a place for it", ""
    if len(step.to_write) > 1:
        places = "cells below have a place for each"
        others = " It knows the other names, too."
    return (
        f"## {WRITE}\n\nNow you. {' '.join(said)} The {places}; `TODO` says where. "
        "Run a cell when it is written, and go on to *It works*, which runs on your "
        "code. A class that you write is the whole class: what you leave out is out."
        "\n\n"
        f'Stuck? `steps.hint({step.number}, "{step.to_write[0]}")` gives a hint, then '
        f"a nearer one and, at last, the lesson's code.{others} If a cell does not "
        "come to an end, *Kernel → Interrupt Kernel* stops it."
    )


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
    return _tagged(cell, GOES_ON) if cell["cell_type"] == "code" else cell


def _judge(number):
    seconds, table = seconds_of(number), ""
    if number <= LAST:
        table = ", and with a table of what a framework can do after this step"
    words = (
        "## Is it right?\n\nThe next cell judges what you have written: with the "
        f"lesson's cells of *It works*{table}. What takes more than {seconds} seconds "
        "is stopped."
    )
    return [text_cell(words), code_cell(f"steps.judge({number})")]


def _linked(number, ways, text):
    """The lessons lie one folder above the workshop."""
    if text == ways:
        return (
            f"[The map](../{notebook_path(MAP).name}) · "
            f"the lesson with its code: [{number}. {head(number).title}]"
            f"(../{stem(number)}.ipynb)"
        )
    return re.sub(r"\]\((start|step\d\d)\.ipynb\)", r"](../\1.ipynb)", text)


# --- The lesson -----------------------------------------------------------------------


def lesson_of(number):
    """The lesson as it runs on the learner's own."""
    lesson = builder.assemble(number)
    for cell in lesson["cells"]:
        if cell["cell_type"] == "code":
            cell["source"] = on_the_package(number, cell["source"])
    return lesson


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


def without_listings(number, cells):
    """The cells that do not give the step's own code away; of those that list parts of
    the package, the imports.
    """
    for cell in cells:
        source = cell["source"]
        if cell["cell_type"] != "code" or not _gives_away(number, source):
            yield cell
            continue
        found = LISTS_CODE.search(source) and read_imports(ast.parse(source))
        if found:
            yield cell | {"source": "\n".join(dict.fromkeys(found.values()))}


def _gives_away(number, source):
    shows = [line for line in source.splitlines() if SHOWS_CODE.search(line)]
    lists = [line for line in source.splitlines() if LISTS_CODE.search(line)]
    if number <= LAST:
        return lists if step_of(number).is_package else shows
    named = re.findall(r"\w+", " ".join(shows + lists))
    return {"diff", *step_of(number).to_write}.intersection(named)


@cache
def judging_cells(step):
    """The lesson's own cells up to the end of *It works*, as (place, source)."""
    found: list[tuple[str, str]] = []
    for title, cells in sections(lesson_of(step)["cells"]):
        if title == "Exercises" or (found and found[-1][0].startswith(WORKS)):
            break
        if title == WRITE:
            continue
        codes = [cell for cell in cells if cell["cell_type"] == "code"]
        judge = [c for c in codes if ONE_WAY not in c["metadata"].get("tags", ())]
        if title == CODE or not step_of(step).is_package:
            judge = list(without_listings(step, judge))
        if title == CODE and not step_of(step).is_package:
            found.append((title, LOAD))
        for count, cell in enumerate(judge, start=1):
            place = f"{title or 'The beginning'}, cell {count}"
            place = WRITE if title == CODE else place  # no cells of code there
            found.append((place, student_copies.as_installed(cell["source"])))
    return found


@cache
def own_sources(step):
    """The sources of all the code cells that are the lesson's, as a copy has them."""
    cells = for_students(lesson_of(step))["cells"]
    return {cell["source"].strip() for cell in cells if cell["cell_type"] == "code"}
