"""Build the workshop's notebook of a step, which is the lesson with stubs instead of
its code, and list the lesson's cells that judge the step.
"""

import ast
import re
from functools import cache
from itertools import takewhile
from typing import Any

from .. import builder, overview, student_copies
from ..builder import make_code_cell, make_text_cell
from ..definitions import format_names, get_owner, read_imports
from ..exercises import MAY_RAISE
from ..lessons import MAP, STEPS, notebook_path, stem
from ..translation.notebooks import read_title, translate_for_learner
from ..translation.tool import join_sentences
from .package import FIRST, LAST, redirect_imports
from .step import get_step
from .stubs import make_stubs
from .trial import LOAD, get_seconds

BEFORE = "", "The problem", "The idea"
CODE, WRITE, WORKS = "The code", "Write it", "It works"
# Tag of a cell that holds only for the lesson's own solution. Other solutions may be
# right, so the cell does not judge.
ONE_WAY = "one-way"
SHOWS_CODE = re.compile(r"# %load -s|steps\.diff\(")
# How lessons from step 33 on show definitions of the package.
LISTS_CODE = re.compile(r"steps\.source\(")
LINK = re.compile(r"\]\((start|step\d\d)\.ipynb\)")
IMPORTS = re.compile(r"(?:(?:import|from) .*\n?|\n)+")
NOTHING = (
    f"## {WRITE}\n\nThere is nothing to write here. From step 33 on, your framework is "
    "a package, and this lesson runs on it: run the cells, and have it judged."
)
# Goes above the lesson's first imports, in the package.
ON_YOURS = "# This lesson runs on your package: the imports below take it from there.\n"
# Matches paragraphs about cells that the workshop leaves out.
OF_CELLS = re.compile(r"folded cell contains all the code|%load")
# Matches sentences about differences that the workshop does not show.
OF_DIFFERENCES = re.compile(r"steps\.diff\(|Lines with a minus|is here once more")
SENTENCES = re.compile(r"(?<=[.:])\s+(?=[A-Z`*])")


def build_text(number, module, name=STEPS):
    """Return the notebook of a step as text, for a learner with this framework after
    the step before; it imports the steps as `name`.
    """
    lesson = assemble_lesson(number)
    whole = student_copies.remove_solutions(lesson, tell_solutions=True)
    cells: list[dict[str, Any]] = []
    for title, section in split_sections(whole["cells"]):
        if title == WRITE:  # stubs replace its exercises
            cells += _keep_helpers(section)
            continue
        if title == CODE:
            cells += _ask_for_code(number, module, section)
            continue
        if number > LAST:
            section = [*drop_listings(number, section)]
        if title == WORKS:
            cells += [*map(_let_run_on, section), *_make_judge_cells(number)]
        elif number >= FIRST and title in BEFORE:
            # These cells may use definitions that are not written yet.
            cells += map(_let_run_on, section)
        else:
            cells += section
    if get_step(number).is_package:
        _fold_imports(cells)
    cells.insert(2, make_code_cell(f"import steps\n\nsteps.workshop({number})"))
    ways = overview.make_navigation(number)
    for position, cell in enumerate(cells, start=1):
        cell["id"] = f"workshop{number:02d}-{position:03d}"
        if cell["source"] == ways:
            cell["source"] = _link_to_lesson(number)
    notebook = translate_for_learner(number, whole | {"cells": cells})
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":  # lessons are one folder above the workshop
            cell["source"] = LINK.sub(r"](../\1.ipynb)", cell["source"])
    return student_copies.serialize_copy(number, notebook, name)


def _fold_imports(cells):
    first = next(cell for cell in cells if cell["cell_type"] == "code")
    first["source"] = ON_YOURS + first["source"]
    builder.fold(first)


def _ask_for_code(number, module, section):
    """Turn the section that shows the lesson's code into one that asks for it."""
    prose = [c["source"] for c in section if c["cell_type"] == "markdown"]
    code = [cell for cell in section if cell["cell_type"] == "code"]
    rest = [*drop_listings(number, code)]
    imports = [cell for cell in rest if IMPORTS.fullmatch(cell["source"] + "\n")]
    others = [cell for cell in rest if cell not in imports]
    to_fill = [make_code_cell(text) for text in make_stubs(get_step(number), module)]
    task = make_text_cell(_write_task(number, prose))
    return [task, *imports, *to_fill, *map(_let_run_on, others)]


def _keep_helpers(section):
    """Return the code cells above the first exercise, which other checks use."""
    above = takewhile(lambda cell: "### Exercise" not in cell["source"], section)
    return [cell for cell in above if cell["cell_type"] == "code"]


def _write_task(number, prose):
    step = get_step(number)
    task = _say_what_to_write(step) if step.to_write else NOTHING
    if given := [n for n in step.given if step.is_package and n in step.added]:
        whole = [n for n in given if n == get_owner(n) or get_owner(n) not in given]
        names = format_names([_describe_given(step, name) for name in whole])
        task += f"\n\nAlready written, and part of your package: {names}."
    if left := _keep_prose(prose):
        task += (
            "\n\n<details><summary>What the lesson says about its code</summary>\n\n"
            f"{left}\n\n</details>"
        )
    return task


def _describe_given(step, name):
    """Return the signature of a function, or those of a class's methods."""
    arguments = step.definitions[name].arguments
    if arguments:
        return f"{name}({ast.unparse(arguments)})"
    inside = [n for n in step.given if n.startswith(f"{name}.") and n[-1] != "_"]
    methods = dict.fromkeys(inside)
    calls = [_describe_given(step, n).partition(".")[2] for n in methods]
    calls = [call.replace("(self, ", "(").replace("(self)", "()") for call in calls]
    return f"{name}: {', '.join(calls)}" if calls else name


def _say_what_to_write(step):
    """Return the instructions: what to write, and how to get help."""
    new = [name for name in step.to_write if name in step.added]
    changed = [name for name in step.to_write if name not in step.added]
    lists = [f"New: {format_names(new)}."] * bool(new)
    lists += [f"To change: {format_names(changed)}."] * bool(changed)
    to_write = join_sentences(*lists)
    places, others = "cell below has a place for it", ""
    if len(step.to_write) > 1:
        places = "cells below have a place for each"
        others = " It also has hints for the other names."
    return (
        f"## {WRITE}\n\nYour turn. {to_write} The {places}, marked `TODO`. "
        "Run each cell once you have written it, and go on to *It works*, which runs "
        "on your code. A class that you write replaces the whole class, so include "
        "everything that it needs."
        "\n\n"
        f'Stuck? `steps.hint({step.number}, "{step.to_write[0]}")` gives a hint, then '
        f"a stronger one and, in the end, the lesson's code.{others} If a cell does "
        "not finish, *Kernel → Interrupt Kernel* stops it."
    )


def _keep_prose(prose):
    """Return the prose of the section with the lesson's code, except what it says about
    cells that the workshop leaves out.
    """
    paragraphs = []
    for text in "\n\n".join(prose).removeprefix(f"## {CODE}").split("\n\n"):
        kept = [s for s in SENTENCES.split(text) if not OF_DIFFERENCES.search(s)]
        if kept and text.strip() and not OF_CELLS.search(text):
            last = re.sub(r":$", ".", kept[-1].rstrip())
            paragraphs.append(" ".join([*kept[:-1], last]))
    return "\n\n".join(paragraphs)


def read_prose(number):
    """Return the prose about the lesson's code, as the workshop's notebook has it."""
    sections = dict(split_sections(assemble_lesson(number)["cells"]))
    cells = sections.get(CODE, ())
    return _keep_prose([c["source"] for c in cells if c["cell_type"] == "markdown"])


def _let_run_on(cell):
    """Tag a code cell so that *Run All* continues after an error in it."""
    if cell["cell_type"] == "code":
        tags = dict.fromkeys([*cell["metadata"].get("tags", ()), MAY_RAISE])
        cell["metadata"]["tags"] = list(tags)
    return cell


def _make_judge_cells(number):
    seconds, table = get_seconds(number), "a table of what a framework can do by now"
    how = f"with the lesson's cells from *It works*, and with {table}"
    if get_step(number).is_package:
        how = f"with {table}; the lesson must run, but failed asserts do not count"
    elif number > LAST:
        how = "with the lesson's cells from *It works*"
    words = (
        "## Is it right?\n\nThe next cell judges what you have written: "
        f"{how}. It stops anything that takes more than {seconds} seconds."
    )
    return [make_text_cell(words), make_code_cell(f"steps.judge({number})")]


def _link_to_lesson(number):
    return (
        f"[The map]({notebook_path(MAP).name}) · the lesson with its code: "
        f"[{number}. {read_title(number)}]({stem(number)}.ipynb)"
    )


# --- The lesson -----------------------------------------------------------------------


def assemble_lesson(number):
    """Assemble the lesson with imports that suit the learner's framework."""
    lesson = builder.assemble(number)
    for cell in lesson["cells"]:
        if cell["cell_type"] == "code":
            cell["source"] = redirect_imports(number, cell["source"])
    return lesson


def split_sections(cells):
    """Split a lesson into pairs (title, cells); the first has no title.

    A text cell with several titles is split.
    """
    sections: list[tuple[str, list[dict[str, Any]]]] = [("", [])]
    for cell in [part for whole in cells for part in builder.cut(whole, "##")]:
        title = re.match(r"## (.+)", "".join(cell["source"]))
        if title and cell["cell_type"] == "markdown":
            sections.append((title[1].strip(), []))
        sections[-1][1].append(cell)
    return sections


def drop_listings(number, cells):
    """Yield the cells that do not show the step's own code. Of a cell that lists
    definitions of the package, only the imports are kept; of one that loads code of a
    later step, an import of the same names.
    """
    for cell in cells:
        source = cell["source"]
        if cell["cell_type"] != "code" or not _gives_away(number, source):
            yield cell
            continue
        imports = LISTS_CODE.search(source) and read_imports(ast.parse(source))
        lines = [*dict.fromkeys(imports.values())] if imports else []
        if number > LAST:
            for names, file in builder.LOAD.findall(source):
                names = names.replace(",", ", ")
                lines.append(f"from steps.{file.removesuffix('.py')} import {names}")
        if lines:
            yield cell | {"source": "\n".join(lines)}


def _gives_away(number, source):
    shows = [line for line in source.splitlines() if SHOWS_CODE.search(line)]
    lists = [line for line in source.splitlines() if LISTS_CODE.search(line)]
    if number <= LAST:
        return lists if get_step(number).is_package else shows
    named = re.findall(r"\w+", " ".join(shows + lists))
    return {"diff", *get_step(number).to_write}.intersection(named)


@cache
def list_judging_cells(number):
    """List the lesson's own cells up to the end of *It works*, as (name, source).

    Cells with the tag ONE_WAY are left out. In the package, where the table judges, the
    cells have to run, but their assertions only inform.
    """
    step = get_step(number)
    judging: list[tuple[str, str]] = []
    for title, cells in split_sections(assemble_lesson(number)["cells"]):
        if title == "Exercises" or (judging and judging[-1][0].startswith(WORKS)):
            break
        if title == WRITE:
            continue
        code = [cell for cell in cells if cell["cell_type"] == "code"]
        code = [c for c in code if ONE_WAY not in c["metadata"].get("tags", ())]
        if title == CODE or not step.is_package:
            code = list(drop_listings(number, code))
        if title == CODE and not step.is_package:
            judging.append((title, LOAD))
        for count, cell in enumerate(code, start=1):
            name = f"{title or 'The beginning'}, cell {count}"
            name = WRITE if title == CODE else name  # the title in the notebook
            judging.append((name, student_copies.rename_in_code(cell["source"])))
    return judging


@cache
def list_lesson_sources(number):
    """Return the sources of the lesson's code cells, as they are in a copy, in English
    and in the learner's language.
    """
    english = student_copies.remove_solutions(assemble_lesson(number))
    cells = english["cells"] + translate_for_learner(number, english)["cells"]
    return {cell["source"].strip() for cell in cells if cell["cell_type"] == "code"}
