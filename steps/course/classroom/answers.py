"""From a student's notebook to the cells that have to run to judge it.

The lesson, its checks and their hidden tests are ours, whatever was done to them in the
notebook; what is taken from there are the answers, and the cells that were added.

A cell is known by its id, which most programs keep, or by nbgrader's metadata, which a
cell that was split or duplicated keeps. A cell that is not known, and that defines what
an exercise asks for, counts as its answer, or as part of it.
"""

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache

from .. import builder, exercises, student_copies
from ..judge.attempts import ADDED, ATTEMPT, CHECK, LESSON
from ..judge.cell_text import drop_magics, find_bound_names, is_python
from .submissions import grade_id

NOT_WRITTEN = "raise NotImplementedError", "raise NotImplementedError()"


@dataclass
class Task:
    """An exercise as its lesson has it."""

    answer_id: str
    check_id: str
    stub: str
    asks_for: set[str]

    def is_begun(self, text):
        return _bare(text) != _bare(self.stub)

    def is_defined_in(self, text):
        """Say whether a text defines what is asked for: to import it is not enough."""
        return bool(self.asks_for & find_bound_names(text, imports=False))


@cache
def lesson(number):
    """A lesson's cells, and its exercises by their numbers."""
    cells = builder.assemble(number)["cells"]
    tasks = {}
    for n, each in enumerate(exercises.of_lesson(cells), start=1):
        ids = cells[each.place]["id"], cells[each.check_place]["id"]
        stub = exercises.without_solution(each.solution)
        asks_for = find_bound_names(stub, imports=False)
        asks_for = asks_for or find_bound_names(each.solution, imports=False)
        tasks[n] = Task(*ids, stub, asks_for)
    return cells, tasks


def cells_to_run(number, answers):
    """Triples (kind, number of the exercise, source), up to the last answer."""
    cells, tasks = lesson(number)
    places = {task.answer_id: n for n, task in tasks.items()}
    checks = {task.check_id: n for n, task in tasks.items()}
    run = [(ADDED, 0, text) for text in answers.added.get(None, [])]
    end = 0
    for cell in cells:
        key, source = cell["id"], student_copies.as_installed(cell["source"])
        if key in places:
            exercise = places[key]
            if text := answers.texts[exercise]:
                run.append((ATTEMPT, exercise, text))
        elif key in checks:
            if answers.texts[checks[key]]:
                run.append((CHECK, checks[key], source))
                end = len(run)
        elif cell["cell_type"] == "code":
            run.append((LESSON, 0, source))
        run += [(ADDED, 0, text) for text in answers.added.get(key, [])]
    return run[:end]


class Answers:
    """What a notebook holds, however it was cut up.

    ``texts`` has for each exercise the text of its answer, or None where nothing was
    written; ``added`` the added cells, by the id of the lesson's cell before them.
    """

    def __init__(self, number, notebook):
        cells, self._tasks = lesson(number)
        self._known = {cell["id"]: cell["id"] for cell in cells}
        self._known |= {mark: cell["id"] for cell in cells if (mark := grade_id(cell))}
        self._seen: Counter[str] = Counter()
        parts: dict[int, list[str]] = {n: [] for n in self._tasks}
        others = self._sorted(notebook["cells"], parts)
        written = {n: list(filter(self._tasks[n].is_begun, parts[n])) for n in parts}
        wrote = {n for n, texts in written.items() if texts}
        self.added: dict[str | None, list[str]] = {}
        for before, at, text in others:
            home = self._home(at, text, wrote)
            place = written[home] if home else self.added.setdefault(before, [])
            place.append(text)
        self.texts = {n: _one_text(written[n], parts[n]) for n in parts}

    def _sorted(self, cells, parts):
        """Sort the code of answers into parts; the other cells that were added, each
        with the lesson's cell, and the exercise, before it.
        """
        exercise_of = {task.answer_id: n for n, task in self._tasks.items()}
        before, at, others = None, 0, []
        for cell in cells:
            code = cell.get("cell_type") == "code"
            names = str(cell.get("id")), grade_id(cell)
            key = self._known.get(names[0]) or self._known.get(names[1])
            exercise = exercise_of.get(key)
            if exercise and not code:  # turned into text: no answer any more
                continue
            if key:
                self._seen[key] += 1
                before, at = key, exercise or at
            text = as_here(source_of(cell)) if code else ""
            if exercise:
                parts[exercise].append(text)
            elif not key and text.strip():
                others.append((before, at, text))
        return others

    def _home(self, at, text, wrote):
        """The exercise that an added cell answers. Where an answer is written, only a
        cell below it is a later version of it.
        """
        fits = [n for n, task in self._tasks.items() if task.is_defined_in(text)]
        if at in fits:
            return at
        open_ones = [n for n in fits if n not in wrote]
        return min(open_ones, key=lambda n: abs(n - at), default=None)

    @property
    def odd(self):
        """What is odd about the notebook."""
        said = []
        # Where no cell is known, another program has left out all that marks them.
        for n, task in self._tasks.items() if self._seen else ():
            if not self._seen[task.answer_id]:
                said.append(f"{n}: its answer cell is gone")
            elif self._seen[task.answer_id] > 1:
                said.append(f"{n}: its answer is in several cells")
            if not self._seen[task.check_id]:
                said.append(f"{n}: its check is gone")
        return said


def source_of(cell):
    source = cell.get("source", "")
    lines = source if isinstance(source, list) else [source]
    return "".join(line for line in lines if isinstance(line, str))


def as_here(text):
    """A student's text with the course's own name for the steps, be it the one of the
    checkout or of the installed package.
    """
    text = re.sub(r"(?m)^( *)from dezero_lite import steps$", r"\1import steps", text)
    return student_copies.as_installed(text.replace("dezero_lite.steps", "steps"))


def _bare(text):
    """What is left of a cell without what stands for an answer, nbgrader's too."""
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    return [x for x in lines if x not in ("", "...", "pass", *NOT_WRITTEN)]


def _one_text(texts, parts):
    """Of an answer in several cells the whole, as it was before it was split; where
    that is no Python, the last of them. A part may hold no more than the stub does: the
    line that it begins with.
    """
    if not texts:
        return None
    wholes = ["\n".join(map(drop_magics, cells)) for cells in (texts, parts)]
    return next(filter(is_python, wholes), drop_magics(texts[-1]))
