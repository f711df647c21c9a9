"""Hints for one definition, in stages, made from the lesson's own code."""

import ast

from ..lessons import CourseError, typed
from ..listings import Listing
from .folder import of_the_workshop
from .framework import step_of
from .parts import Kind, listed, owner
from .stubs import head_of


def found(number, name):
    """The full name of a part of a step, and the part.

    Raises
    ------
    CourseError
        If the step has none of that name, or several.
    """
    step = step_of(of_the_workshop(number))
    if name in step.parts:
        return name, step.parts[name]
    ending = [n for n in step.parts if n.rpartition(".")[2] == name]
    if len(ending) == 1:
        return ending[0], step.parts[ending[0]]
    known = ending or step.to_write
    raise CourseError(
        f"Step {number} has {'several' if ending else 'no'} {name}. There "
        f"{'is' if len(known) == 1 else 'are'} {', '.join(known)}."
    )


class Hint:
    """What a definition works with, then what it looks like, the words left out."""

    def __init__(self, number, name, nearer=False):
        self._name, self._part = found(number, name)
        self._step, self._nearer = step_of(number), nearer

    def __repr__(self):
        call = f'({self._step.number}, "{self._name}"'
        return self._said(f"steps.hint{call}, nearer=True)", f"steps.solution{call})")

    def in_a_terminal(self):
        """The words for someone who asked there, and asks on there."""
        which = f"{self._step.number} {self._name}"
        return self._said(
            typed(f"workshop hint {which} --nearer"),
            typed(f"workshop solution {which}"),
        )

    def _said(self, nearer, solution):
        if not self._nearer:
            return f"{self._first()}\n\nA nearer one: {nearer}"
        shape = skeleton(self._part.text)
        return f"{self._first()}\n\n{shape}\n\nThe lesson's code: {solution}"

    def _repr_markdown_(self):
        call = f'`steps.solution({self._step.number}, "{self._name}")`'
        return (
            f"{self._first()}\n\n<details{' open' if self._nearer else ''}><summary>A "
            f"nearer hint: its skeleton</summary>\n\n```python\n"
            f"{skeleton(self._part.text)}\n```\n\nThe lesson's code: {call}\n\n"
            "</details>"
        )

    def _first(self):
        name, step = self._name, self._step
        touched, begins = {*step.added, *step.changed}, "stays as it was"
        if name in touched.union(map(owner, touched)):
            begins = "is new" if name in step.added else "changes"
        said = [f"`{name}` {begins} in step {step.number}."]
        if text := _docstring(self._part.text):
            said.append(text if text.endswith(".") else f"{text}.")
        if self._part.kind == Kind.ATTACHED:
            return f"{said[0]} A line of its own attaches it to the class."
        if self._part.kind == Kind.ATTRIBUTE:
            return f"{said[0]} It is a value that the class holds, under its docstring."
        return " ".join([*said, *self._heads(), *self._names()])

    def _heads(self):
        before = self._step.before.get(self._name)
        old, new = head_of(before), head_of(self._part)
        says = f"Its head was `{old}`, and is now `{new}`."
        return [says] if before and old != new else []

    def _names(self):
        now = words(self._part.text)
        before = self._step.before.get(self._name)
        if not before:
            return [f"It works with {listed(now)}."] if now else []
        old = words(before.text)
        more = [word for word in now if word not in old]
        gone = [word for word in old if word not in now]
        said = [f"In it from now on: {listed(more)}."] * bool(more)
        said += [f"No longer in it: {listed(gone)}."] * bool(gone)
        same = f": {listed(now)}" if now else ""
        return said or [f"It works with the same names as before{same}."]


class Code(Listing):
    """The lesson's code of one definition."""

    def __init__(self, number, name):
        super().__init__(found(number, name)[1].text)


def _docstring(text):
    node = ast.parse(text).body[0]
    if not isinstance(node, ast.FunctionDef | ast.ClassDef):
        return ""
    said = ast.get_docstring(node) or ""
    return " ".join(said.split()).replace("``", "`")


def words(text):
    """The names that a definition takes from elsewhere: attributes, and what it calls;
    a class's own words, too, such as ``yield`` and ``isinstance``.
    """
    seen = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute):
            short = isinstance(node.value, ast.Name)
            seen.append(ast.unparse(node) if short else f".{node.attr}")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            seen.append(node.func.id)
        elif isinstance(node, ast.Yield):
            seen.append("yield")
    return sorted(dict.fromkeys(seen))


# --- The skeleton ---------------------------------------------------------------------


def skeleton(text):
    """A definition with its loops and branches, and dots for all that they do."""
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
