"""Carry a change to a step over to the learner's later files that have the old code."""

import ast
import json
import textwrap
from dataclasses import dataclass
from pathlib import Path

from .. import learner_folder
from ..definitions import Definition, Kind, parse
from ..translation.tool import translate
from . import workspace
from .notebook import list_judging_cells
from .package import FIRST, LAST, read_module
from .step import list_following
from .trial import find_wrong_rows


@dataclass
class Holder:
    """One of the learner's later files, which has old definitions of a step.

    ``names`` are these definitions, ``text`` is the file with the new ones, and
    ``complaint`` says what then fails.
    """

    path: Path
    number: int
    names: list[str]
    text: str
    complaint: str = ""


def find_holders(number):
    """Find the learner's later files and notebooks that contain old definitions of a
    step, character for character.
    """
    path = workspace.get_own_path(number)
    module = read_module(path.read_text(encoding="utf-8"))
    old = _read_old(path, module.definitions)
    later = [n for n in list_following(number) if n <= LAST]
    found = [_renew_file(n, module, old) for n in later]
    found += [_renew_notebook(n, module, old) for n in later]
    return [holder for holder in found if holder]


def _read_old(path, new):
    """Read a step's old definitions from the files that were set aside: sets of
    Definitions by name.
    """
    old: dict[str, set[Definition]] = {}
    for kept in path.parent.glob(f"{path.stem}-old*.py"):
        parts = read_module(kept.read_text(encoding="utf-8")).definitions
        for name, definition in parts.items():
            is_other = name in new and definition.text != new[name].text
            if is_other and definition.kind != Kind.CLASS:  # members are compared
                old.setdefault(name, set()).add(definition)
    return old


def _renew_file(number, module, old):
    text = workspace.read_own_text(number)
    if text is None:
        return None
    theirs = read_module(text)
    names = [n for n in old if theirs.definitions.get(n) in old[n]]
    for name in names:
        theirs.put(name, module.definitions[name], module.definitions)
    while more := sorted({*theirs.missing_names} & {*module.definitions}):
        for name in more:  # helpers of the new definitions
            theirs.put(name, module.definitions[name])
    theirs.add_imports(module.imports)
    path = workspace.get_own_path(number)
    docstring = ast.get_docstring(parse(text)) or ""
    return names and Holder(path, number, names, theirs.format(docstring))


def _renew_notebook(number, module, old):
    path = workspace.get_notebook_path(number)
    if not path.exists():
        return None
    content, names = learner_folder.read_json(path), []
    for cell in content.get("cells", []):
        source = "".join(cell.get("source", ""))
        for name, definitions in old.items():
            for definition in definitions:
                texts = definition.text, module.definitions[name].text
                side = "    " * definition.is_member
                before, after = (textwrap.indent(text, side) for text in texts)
                if cell.get("cell_type") == "code" and f"{before}\n" in f"{source}\n":
                    source = source.replace(before, after)
                    cell["source"] = source
                    names.append(name)
    return names and Holder(path, number, names, json.dumps(content, indent=1) + "\n")


def judge_holder(holder, process):
    """Try a file with the new definitions on the table and, before the package, also on
    the lesson's cells.
    """
    cells = list_judging_cells(holder.number) if holder.number < FIRST else []
    done = process.try_out(holder.number, cells, holder.text)
    wrong = [row.name for row in find_wrong_rows(holder.number, done["table"])]
    if done["failure"] or wrong:
        holder.complaint = translate(wrong[0]) if wrong else done["failure"]["error"]


def apply(holders):
    """Set each file aside, and write the one with the new definitions."""
    for holder in holders:
        learner_folder.set_aside(holder.path)
        if holder.path.suffix == ".py":
            stamp = workspace.get_stamp()
            learner_folder.write_tracked({holder.path: holder.text}, stamp)
        else:
            learner_folder.replace_file(holder.path, holder.text)
