"""Give hints for one definition, in stages: two from ``hints.md``, and one made from
the lesson's own code.
"""

import ast
import re
from functools import cache
from pathlib import Path

from ..definitions import format_names, get_owner
from ..lessons import CourseError, format_command
from ..listings import Listing
from .step import get_step
from .workspace import check_number

# Of what a step brings and leaves to nobody.
GIVEN = "It is given: nothing of it is to be written.", "Read its code, at the end."
SECTION = re.compile(r"^## (\d+) (.+)\n\n(.+)\n\n(.+)$", re.M)


def find_definition(number, name):
    """Find the full name of a definition of a step, and the Definition.

    Raises
    ------
    CourseError
        If the step has none of that name, or several.
    """
    step = get_step(check_number(number))
    ending = [n for n in step.definitions if n.rpartition(".")[2] == name]
    if name in step.definitions or len(ending) == 1:
        name = name if name in step.definitions else ending[0]
        return name, step.definitions[name]
    known = ending or step.to_write
    raise CourseError(
        f"Step {number} has {'several' if ending else 'no'} {name}. There "
        f"{'is' if len(known) == 1 else 'are'} {', '.join(known)}."
    )


@cache
def read_hints():
    """Read the hints of the file, by step and name: the question, and the way."""
    text = Path(__file__).with_suffix(".md").read_text(encoding="utf-8")
    return {
        (int(step), name): (question, way)
        for step, names, question, way in SECTION.findall(text)
        for name in names.split(", ")
    }


class Hint:
    """A question about a definition, then the way, then what it looks like, the words
    left out.

    Parameters
    ----------
    nearer : int
        Which of the three is shown, counted from 0; in a notebook, the others are a
        click away.
    """

    def __init__(self, number, name, nearer=0):
        self._name, self._definition = find_definition(number, name)
        self._step, self._nearer = get_step(number), int(nearer)

    def __repr__(self):
        call = f'({self._step.number}, "{self._name}"'
        nearer = f"steps.hint{call}, nearer={self._nearer + 1})"
        return self._format(nearer, f"steps.solution{call})")

    def format_for_terminal(self):
        """Format it for someone who asked in a terminal, and asks on there."""
        which = f"{self._step.number} {self._name}"
        nearer = " 3" if self._nearer else " --nearer"
        solution = format_command(f"workshop solution {which}")
        return self._format(format_command(f"workshop hint {which}{nearer}"), solution)

    def _format(self, nearer, solution):
        stages = [*self._choose_words(), make_skeleton(self._definition.text)]
        more = f"A nearer one: {nearer}"
        if self._nearer >= len(stages) - 1:
            more = f"The lesson's code: {solution}"
        return "\n\n".join([*stages[: self._nearer + 1], more])

    def _repr_markdown_(self):
        call = f'`steps.solution({self._step.number}, "{self._name}")`'
        question, way = self._choose_words()
        shape = f"```python\n{make_skeleton(self._definition.text)}\n```"
        last = f"{shape}\n\nThe lesson's code: {call}"
        folded = self._fold(1, "The way", way) + self._fold(2, "Its skeleton", last)
        return f"{question}\n\n{folded}"

    def _fold(self, stage, title, text):
        head = f"<details{' open' * (self._nearer >= stage)}><summary>{title}</summary>"
        return f"{head}\n\n{text}\n\n</details>\n\n"

    def _choose_words(self):
        name, step, begins = self._name, self._step, "stays as it was"
        if name in step.new.union(map(get_owner, step.new)):
            begins = "is new" if name in step.added else "changes"
        begins = f"`{name}` {begins} in step {step.number}."
        inside = [n for n in step.to_write if get_owner(n) == name != n]
        if inside:
            question = f"{begins} In it are to be written: {format_names(inside)}."
            return question, "Each of them has hints of its own."
        # What stays has its hint at the step that brought it, or that changed it last.
        asked = (
            (n, x) for n in range(step.number, 0, -1) for x in (name, get_owner(name))
        )
        find_definition = (read_hints()[key] for key in asked if key in read_hints())
        question, way = next(find_definition, GIVEN)
        return f"{begins} {question}", way


def show_code(number, name):
    """Show the lesson's code of one definition."""
    return Listing(find_definition(number, name)[1].text)


# --- The skeleton ---------------------------------------------------------------------


def make_skeleton(text):
    """Keep the loops and branches of a definition, with dots for all that they do."""
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
