"""Make hints for a definition, in stages: two from ``hints.md``, then a skeleton of the
lesson's code.
"""

import ast
import re
from functools import cache
from pathlib import Path

from ..definitions import format_names, get_owner
from ..help import Hint
from ..lessons import CourseError, format_command
from ..listings import Listing
from ..translation.notebooks import make_translate
from ..translation.tool import join_sentences
from .step import get_step
from .workspace import check_number

# The question and the way for a definition that is given.
GIVEN = "It is given, so you need not write it.", "Its code is at the end: read it."
TITLES = ["The way", "Its skeleton"]
SECTION = re.compile(r"^## (\d+) (.+)\n\n(.+)\n\n(.+)$", re.M)


def find_definition(number, name):
    """Return the full name of a definition of a step, and the definition.

    Raises
    ------
    CourseError
        If the step has no definition of that name, or several.
    """
    step = get_step(check_number(number))
    ending = [n for n in step.definitions if n.rpartition(".")[2] == name]
    if name in step.definitions or len(ending) == 1:
        name = name if name in step.definitions else ending[0]
        return name, step.definitions[name]
    known = ending or step.to_write
    raise CourseError(
        f"Step {number} has several {name}: name one of {', '.join(known)}."
        if ending
        else f"Step {number} has no {name}: name one of {', '.join(known)}."
    )


@cache
def read_hints():
    """Read the hints file: a dict from (step, name) to (question, way)."""
    text = Path(__file__).with_suffix(".md").read_text(encoding="utf-8")
    return {
        (int(step), name): (question, way)
        for step, names, question, way in SECTION.findall(text)
        for name in names.split(", ")
    }


def make_hint(number, name, nearer=0, in_terminal=False):
    """Make the Hint for a definition: a question, then the way, then a skeleton.

    Parameters
    ----------
    nearer : int
        Which of the three to show, counted from 0; in a notebook, the others are a
        click away.
    in_terminal : bool
        Whether the learner asks in a terminal, rather than in a notebook.
    """
    name, hints = _find_hints(number, name)
    call = f'steps.hint({number}, "{name}", nearer={int(nearer) + 1})'
    code = f'steps.solution({number}, "{name}")'
    if in_terminal:
        more = "3" if nearer else "--nearer"
        call = format_command(f"workshop hint {number} {name} {more}")
        code = format_command(f"workshop solution {number} {name}")
    return Hint(hints, TITLES, int(nearer), call, code)


def _find_hints(number, name):
    """Return the full name of a definition, and its hints, the nearest last."""
    name, definition = find_definition(number, name)
    step, skeleton = get_step(number), make_skeleton(definition.text)
    begins = f"`{name}` does not change in step {number}."
    if name in step.added:
        begins = f"`{name}` is new in step {number}."
    elif name in step.new.union(map(get_owner, step.new)):
        begins = f"`{name}` changes in step {number}."
    inside = [n for n in step.to_write if get_owner(n) == name != n]
    if inside:
        question = join_sentences(begins, f"In it, write {format_names(inside)}.")
        return name, [question, "Each of them has its own hints.", skeleton]
    # An unchanged definition has its hint at the step that last added or changed it.
    keys = ((n, x) for n in range(number, 0, -1) for x in (name, get_owner(name)))
    written = (read_hints()[key] for key in keys if key in read_hints())
    question, way = next(written, GIVEN)
    translate = make_translate(number)
    question = join_sentences(begins, translate(question))
    return name, [question, translate(way), skeleton]


def show_code(number, name):
    """Show the lesson's code of one definition."""
    return Listing(find_definition(number, name)[1].text)


# --- The skeleton ---------------------------------------------------------------------


def make_skeleton(text):
    """Reduce a definition to its structure, with dots for values and arguments."""
    tree, dots = ast.parse(text), ast.Constant(...)
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AugAssign | ast.Return):
            node.value = dots
        elif isinstance(node, ast.Raise):
            node.exc, node.cause = getattr(node.exc, "func", node.exc), None
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            node.value.args, node.value.keywords = [dots], []
        elif isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant):
            node.value = dots
    return ast.unparse(tree)
