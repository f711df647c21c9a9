"""The notebook of a step in the workshop: the lesson, its code replaced by stubs, which
are made from the difference of two steps. And those of the lesson's cells that judge.
"""

import ast
import difflib
import re
import textwrap
from functools import cache
from itertools import takewhile
from typing import Any

from .. import builder, definitions, overview, student_copies
from ..builder import make_code_cell, make_text_cell
from ..exercises import FOLDED, MAY_RAISE
from ..lessons import MAP, head, notebook_path, stem
from .framework import step_of
from .modules import with_member
from .package import FIRST, LAST, on_the_package
from .parts import ENDING, Kind, Part, arguments, body_of, listed, owner, parts
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
    whole = student_copies.remove_solutions(lesson_of(number), tell_solutions=True)
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
    cells.insert(2, make_code_cell(f"import steps\n\nsteps.workshop({number})"))
    ways = overview.make_navigation(number)
    for place, cell in enumerate(cells, start=1):
        cell["id"] = f"workshop{number:02d}-{place:03d}"
        if cell["cell_type"] == "markdown":
            cell["source"] = _linked(number, ways, cell["source"])
    return student_copies.finish_copy(number, whole | {"cells": cells})


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
    to_fill = map(make_code_cell, stubs(step_of(number), module))
    task = make_text_cell(_task(number, prose))
    return [task, *imports, *to_fill, *map(_goes_on, others)]


def _for_all_exercises(section):
    """What stands above the first exercise, and helps the checks of others, too."""
    above = takewhile(lambda cell: "### Exercise" not in cell["source"], section)
    return [cell for cell in above if cell["cell_type"] == "code"]


def _task(number, prose):
    step = step_of(number)
    task = _asked(step) if step.to_write else NOTHING
    if given := [n for n in step.given if step.is_package and n in step.added]:
        whole = [n for n in given if n == owner(n) or owner(n) not in given]
        task += f"\n\nGiven, as text that runs in your package: {listed(whole)}."
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
    said = [f"{what}: {listed(names)}." for what, names in groups.items() if names]
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
    return _tagged(cell, MAY_RAISE) if cell["cell_type"] == "code" else cell


def _judge(number):
    seconds, table = seconds_of(number), ""
    if number <= LAST:
        table = ", and with a table of what a framework can do after this step"
    words = (
        "## Is it right?\n\nThe next cell judges what you have written: with the "
        f"lesson's cells of *It works*{table}. What takes more than {seconds} seconds "
        "is stopped."
    )
    return [make_text_cell(words), make_code_cell(f"steps.judge({number})")]


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
        found = LISTS_CODE.search(source) and definitions.imports(ast.parse(source))
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
            found.append((place, student_copies.rename_in_code(cell["source"])))
    return found


@cache
def own_sources(step):
    """The sources of all the code cells that are the lesson's, as a copy has them."""
    cells = student_copies.remove_solutions(lesson_of(step))["cells"]
    return {cell["source"].strip() for cell in cells if cell["cell_type"] == "code"}


# --- The cells in which the learner writes --------------------------------------------


def stubs(step, module):
    """The sources of the cells to write in, one for what belongs together.

    Parameters
    ----------
    step : framework.Step
    module : modules.Module
        What the learner had after the step before.
    """
    had, found, attached = module.parts(), {}, []
    for name in step.to_write:
        part, owner = step.parts[name], name.partition(".")[0]
        if part.kind == Kind.ATTACHED:
            attached.append(name)
        elif owner != name:
            found[owner] = _own_class(step, owner, had)
        elif name in had:
            found[name] = _changed(step, name, had)
        else:
            found[name] = stub(step, name, part)
    return _joined(step, found) + [_attach(step, attached)] * bool(attached)


def _joined(step, found):
    """Short functions stand in the cell of what they go with."""
    joined: list[tuple[bool, str]] = []
    for name, text in found.items():
        part = step.parts[name]
        short = part.kind == Kind.FUNCTION and _count(part) == 1
        if joined and short and joined[-1][0]:
            joined[-1] = (True, f"{joined[-1][1]}\n\n\n{text}")
        else:
            goes_with = part.kind == Kind.CLASS and name in step.added
            joined.append((goes_with or short, text))
    return [text for _, text in joined]


# --- New parts ------------------------------------------------------------------------


def stub(step, name, part):
    if part.kind not in (Kind.CLASS, Kind.FUNCTION, Kind.METHOD):
        return f"# TODO step {step.number}: set {name.rpartition('.')[2]} here."
    head = "\n".join(part.text.splitlines()[: _begin(part.text)]).rstrip()
    if part.kind == Kind.CLASS:
        inside = {n: p for n, p in parts(part.text).items() if "." in n}
        members = [
            p.text if n in step.given else stub(step, n, p) for n, p in inside.items()
        ]
        return "\n\n".join([head, *(textwrap.indent(m, "    ") for m in members)])
    count = _count(part)
    return (
        f"{head}\n    # TODO step {step.number}: write this; the lesson's version has "
        f"{count} line{'s' * (count > 1)}.\n"
        f'    raise NotImplementedError("{name} {ENDING}")'
    )


def _begin(text):
    """How many lines a definition has before its first statement."""
    node = ast.parse(text).body[0]
    first = (body_of(node) or node.body)[0]
    decorators = getattr(first, "decorator_list", [])
    return min(inner.lineno for inner in [first, *decorators]) - 1


def _count(part):
    """How many lines of code a part has: without its head, its text and comments."""
    lines = map(str.strip, part.text.splitlines()[_begin(part.text) :])
    return sum(bool(line) and not line.startswith("#") for line in lines)


def _attach(step, names):
    todo = f"# TODO step {step.number}: "
    lines = textwrap.wrap(", ".join(names), 88 - len(todo))
    return "\n".join(f"{todo}{line}" for line in ["attach to the class:", *lines])


# --- Parts that change ----------------------------------------------------------------


def _own_class(step, owner, had):
    """The learner's own class, with stubs for what is new in it and a line above what
    changes.
    """
    text = _with_new_docstring(step, owner, had[owner].text)
    for name, part in step.parts.items():
        if not name.startswith(f"{owner}.") or part.kind == Kind.ATTACHED:
            continue
        if name in step.given:
            text = with_member(text, name, part, step.parts)
        elif name in step.changed and name in had:
            changed = Part(part.kind, _changed(step, name, had))
            text = with_member(text, name, changed, step.parts)
        elif name in step.added and name not in had:
            new = stub(step, name, part)
            if part.kind == Kind.METHOD:
                text = with_member(text, name, Part(part.kind, new), step.parts)
            else:  # A comment in place of what the class is to hold.
                lines, place = text.splitlines(), _begin(text)
                text = "\n".join([*lines[:place], f"    {new}", "", *lines[place:]])
    return text


def _with_new_docstring(step, owner, text):
    if owner not in step.before:
        return text
    texts = step.before[owner].text, step.parts[owner].text
    old, new = (ast.get_docstring(ast.parse(each).body[0]) for each in texts)
    return text.replace(f'"""{old}"""', f'"""{new}"""', 1) if old and new else text


def _changed(step, name, had):
    """The learner's own version, under a line that says that it has to change."""
    mine = had[name].text
    if had[name].kind not in (Kind.FUNCTION, Kind.METHOD):  # square = lambda x: ...
        return f"# TODO step {step.number}: change this.\n{mine}"
    lines, place = mine.splitlines(), _begin(mine)
    todo = [f"    # TODO step {step.number}: change this; {_news(step, name)}."]
    old, new = (ast.unparse(arguments(p[name])) for p in (step.before, step.parts))
    if old != new:
        todo.append(f"    # TODO step {step.number}: its head becomes")
        todo.append(f"    # def {name.rpartition('.')[2]}({new}):")
    return "\n".join([*lines[:place], *todo, *lines[place:]])


def _news(step, name):
    """How much of a part the lesson changes."""
    old, new = (p[name].text.splitlines() for p in (step.before, step.parts))
    marks = [line[0] for line in difflib.ndiff(old, new)]
    count = max(marks.count("+"), marks.count("-"))
    return f"the lesson changes {count} line{'s' * (count > 1)} of it"
