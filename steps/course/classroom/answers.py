"""Finds the answers in a student's notebook, and lists the cells to run to judge them.

The lesson, its checks and their hidden tests are ours, even if the student changed
them; only the answers and the added cells are taken from the notebook.

A cell is identified by its id, which most programs keep, or by nbgrader's metadata,
which survives when a cell is split or duplicated. An unidentified cell that defines
what an exercise asks for counts as its answer, or as part of it.
"""

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache

from .. import builder, exercises, student_copies
from ..judge.attempts import ADDED, ATTEMPT, CHECK, LESSON
from ..judge.cell_text import (
    drop_magics,
    find_bound_names,
    find_set_attributes,
    is_python,
)
from ..translation.notebooks import translate_for_learner
from .submissions import read_grade_id

PLACEHOLDERS = "raise NotImplementedError", "raise NotImplementedError()"


@dataclass
class Task:
    """An exercise, as its lesson states it."""

    answer_id: str
    check_id: str
    stub: str
    required_names: set[str]
    set_names: set[str]

    def is_begun(self, text):
        return _drop_placeholders(text) != _drop_placeholders(self.stub)

    def is_defined_in(self, text):
        """Return whether a cell defines a required name; an import does not count."""
        return bool(self.required_names & find_bound_names(text, imports=False))

    def is_missing_in(self, text):
        """Return whether names are required and a cell defines none of them."""
        return bool(self.required_names) and not self.is_defined_in(text)


@cache
def read_lesson(number):
    """Return a lesson's cells, and a dict of its exercises by number."""
    cells = translate_for_learner(number, builder.assemble(number))["cells"]
    tasks = {}
    for n, exercise in enumerate(exercises.find_exercises(cells), start=1):
        ids = cells[exercise.position]["id"], cells[exercise.check_position]["id"]
        stub = exercises.replace_solutions(exercise.solution)
        names = find_bound_names(stub, imports=False)
        names = names or find_bound_names(exercise.solution, imports=False)
        found = find_bound_names(exercise.solution, imports=False)
        found |= find_set_attributes(exercise.solution)
        tasks[n] = Task(*ids, stub, names, found)
    return cells, tasks


def list_cells_to_run(number, answers):
    """List the cells to run up to the last check: (kind, exercise number, source)."""
    cells, tasks = read_lesson(number)
    answered_at = {task.answer_id: n for n, task in tasks.items()}
    checked_at = {task.check_id: n for n, task in tasks.items()}
    selected = [(ADDED, 0, text) for text in answers.added.get(None, [])]
    end = 0
    for cell in cells:
        cell_id, source = cell["id"], student_copies.rename_in_code(cell["source"])
        if exercise := answered_at.get(cell_id):
            if text := answers.texts[exercise]:
                selected.append((ATTEMPT, exercise, text))
        elif exercise := checked_at.get(cell_id):
            if answers.texts[exercise]:
                selected.append((CHECK, exercise, source))
                end = len(selected)
        elif cell["cell_type"] == "code":
            selected.append((LESSON, 0, source))
        selected += [(ADDED, 0, text) for text in answers.added.get(cell_id, [])]
    return selected[:end]


class Answers:
    """Answers in a notebook, even if its cells were split, duplicated or moved.

    ``texts`` maps each exercise to the source of its answer, or None if nothing was
    written; ``added`` maps the id of a lesson's cell to the added cells that follow it.
    """

    def __init__(self, number, notebook):
        cells, self._tasks = read_lesson(number)
        self._known = {cell["id"]: cell["id"] for cell in cells}
        self._known |= {i: cell["id"] for cell in cells if (i := read_grade_id(cell))}
        self._seen: Counter[str] = Counter()
        parts: dict[int, list[str]] = {n: [] for n in self._tasks}
        added = self._collect(notebook["cells"], parts)
        begun = {n: list(filter(self._tasks[n].is_begun, parts[n])) for n in parts}
        answered = {n for n, texts in begun.items() if texts}
        self.added: dict[str | None, list[str]] = {}
        for previous_id, previous_exercise, text in added:
            exercise = self._find_exercise(previous_exercise, text, answered)
            answer = begun.get(exercise)
            texts = self.added.setdefault(previous_id, []) if answer is None else answer
            texts.append(text)
        self.texts = {n: _join_parts(begun[n], parts[n]) for n in parts}

    def _collect(self, cells, parts):
        """Collect the sources of the answer cells in `parts`; return the added cells,
        each as (id of the lesson's cell before it, exercise before it, source).
        """
        answered_at = {task.answer_id: n for n, task in self._tasks.items()}
        previous_id, previous_exercise, added = None, 0, []
        for cell in cells:
            is_code = cell.get("cell_type") == "code"
            cell_id = self._known.get(str(cell.get("id")))
            cell_id = cell_id or self._known.get(read_grade_id(cell))
            exercise = answered_at.get(cell_id)
            if exercise and not is_code:  # changed to Markdown: not an answer
                continue
            if cell_id:
                self._seen[cell_id] += 1
                previous_id, previous_exercise = cell_id, exercise or previous_exercise
            text = use_local_steps(read_source(cell)) if is_code else ""
            if exercise:
                parts[exercise].append(text)
            elif not cell_id and text.strip():
                added.append((previous_id, previous_exercise, text))
        return added

    def _find_exercise(self, previous, text, answered):
        """Find the exercise that an added cell answers, or None. If the cell fits the
        exercise before it, that one, answered or not; else the nearest unanswered one.
        """
        candidates = [n for n, task in self._tasks.items() if task.is_defined_in(text)]
        if previous in candidates:
            return previous
        unanswered = [n for n in candidates if n not in answered]
        return min(unanswered, key=lambda n: abs(n - previous), default=None)

    def digest(self, exercise):
        """Return a hash of an answer's code, or None if nothing was written."""
        text = self.texts[exercise]
        return student_copies.digest(_drop_placeholders(text)) if text else None

    @property
    def remarks(self):
        """List missing checks, and answer cells that are missing or duplicated."""
        remarks = []
        # If no cell is identified, another program has dropped all ids and metadata.
        for n, task in self._tasks.items() if self._seen else ():
            if not self._seen[task.answer_id]:
                remarks.append(f"{n}: its answer cell is missing")
            elif self._seen[task.answer_id] > 1:
                remarks.append(f"{n}: its answer is in several cells")
            if not self._seen[task.check_id]:
                remarks.append(f"{n}: its check is missing")
        return remarks


def read_source(cell):
    source = cell.get("source", "")
    lines = source if isinstance(source, list) else [source]
    return "".join(line for line in lines if isinstance(line, str))


def use_local_steps(text):
    """Make a student's code import the steps by the name that they have here, in a
    checkout or in an installed package.
    """
    text = re.sub(r"(?m)^( *)from dezero_lite import steps$", r"\1import steps", text)
    return student_copies.rename_in_code(text.replace("dezero_lite.steps", "steps"))


def _drop_placeholders(text):
    """Return a cell's lines without comments, blank lines and placeholders."""
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    return [line for line in lines if line not in ("", "...", "pass", *PLACEHOLDERS)]


def _join_parts(texts, all_parts):
    """Join the parts of an answer that was split into several cells, if necessary with
    those that only repeat the stub; if this is not valid Python, return the last part.
    """
    if not texts:
        return None
    joined = ["\n".join(map(drop_magics, parts)) for parts in (texts, all_parts)]
    return next(filter(is_python, joined), drop_magics(texts[-1]))
