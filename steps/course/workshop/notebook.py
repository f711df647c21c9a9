"""The notebook of a step in the workshop: the lesson, its code replaced by stubs."""

import re

from .. import builder, copies, overview
from ..exercises import GOES_ON, for_students
from ..lessons import MAP, head, notebook_path, stem
from . import stubs
from .framework import step_of
from .lesson import CODE, WORKS, WRITE, sections, shows_code
from .trial import SECONDS

IMPORTS = re.compile(r"(?:(?:import|from) .*\n?|\n)+")
# Paragraphs about the cells that the workshop leaves out.
OF_CELLS = re.compile(r"whole code of the step|%load")
# And sentences about the differences that it does not show.
OF_DIFFERENCES = re.compile(r"steps\.diff\(|Lines with a minus|is here once more")
SENTENCES = re.compile(r"(?<=[.:])\s+(?=[A-Z`*])")


def text_of(number, module, folder):
    """The text of the notebook of a step.

    Parameters
    ----------
    module : modules.Module
        What the learner has after the step before.
    folder : Path
        Where the notebook is to lie.
    """
    whole = for_students(builder.assemble(number), tell_solutions=True)
    cells, judged = [], False
    for title, section in sections(whole["cells"]):
        if title == CODE:
            cells += _write_it(number, module, section)
            continue
        cells += map(_goes_on, section) if title == WORKS else section
        if title == WORKS:
            cells += _judge(number)
            judged = True
    if not judged:
        cells += _judge(number)
    cells.insert(2, _code(f"import steps\n\nsteps.workshop({number})"))
    whole["cells"] = [
        cell | {"id": f"workshop{number:02d}-{place:03d}"}
        for place, cell in enumerate(cells, start=1)
    ]
    for cell in whole["cells"]:
        if cell["cell_type"] == "code":
            cell["source"] = copies.as_installed(cell["source"])
        else:
            cell["source"] = _linked(number, cell["source"])
    whole["metadata"]["course"] = {
        "step": number,
        "sources": copies.digest_of_sources(whole),
        "copy": copies.digest_of([cell["metadata"] for cell in whole["cells"]]),
    }
    return builder.as_text(whole)


def _write_it(number, module, section):
    """The part of the lesson that shows its code, turned into one that asks for it."""
    prose = [c["source"] for c in section if c["cell_type"] == "markdown"]
    rest = [c for c in section if c["cell_type"] == "code" and not shows_code(c)]
    imports = [cell for cell in rest if IMPORTS.fullmatch(cell["source"] + "\n")]
    others = [cell for cell in rest if cell not in imports]
    to_fill = [_code(text) for text in stubs.cells(step_of(number), module)]
    return [_text(_task(number, prose)), *imports, *to_fill, *others]


def _task(number, prose):
    step = step_of(number)
    new = [name for name in step.to_write if name in step.added]
    changed = [name for name in step.to_write if name not in step.added]
    said = " ".join(
        [f"New: {_named(new)}."] * bool(new)
        + [f"To change: {_named(changed)}."] * bool(changed)
    )
    first = step.to_write[0]
    one = len(step.to_write) == 1
    places = (
        "cell below has a place for it" if one else "cells below have a place for each"
    )
    others = "" if one else " It knows the other names, too."
    task = (
        f"## {WRITE}\n\nNow you. {said} The {places}; `TODO` says where. Run a cell "
        "when it is written, and go on to *It works*, which runs on your code.\n\n"
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


def _named(names):
    return ", ".join(f"`{name}`" for name in names)


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
    return [_text(words), _code(f"steps.judge({number})")]


def _linked(number, text):
    """The lessons lie one folder above the workshop."""
    if text == overview.ways_on(number):
        return (
            f"[The map](../{notebook_path(MAP).name}) · "
            f"the lesson with its code: [{number}. {head(number).title}]"
            f"(../{stem(number)}.ipynb)"
        )
    return re.sub(r"\]\((start|step\d\d)\.ipynb\)", r"](../\1.ipynb)", text)


def _text(source):
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def _code(source):
    return {
        "cell_type": "code",
        "metadata": {},
        "execution_count": None,
        "outputs": [],
        "source": source,
    }
