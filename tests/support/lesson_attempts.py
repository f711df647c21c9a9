"""Attempts at a lesson's exercises, and faults in how its checks respond."""

import os
import re
from collections import Counter

import pytest

from steps.course import builder, exercises
from steps.course.judge.cell_text import find_bound_names
from steps.course.judge.child import Child
from steps.course.mutating import fork_pool, planted, slicing
from tests.support.lesson_checks import code_cells, source, tags

KINDS = {"right", "wrong", "by heart"}
ATTEMPT = re.compile(
    r"^## (\d) ([a-z ]+?)(?:: ([^\n]+))?\n+```python\n(.*?)^```$", re.M | re.S
)
# Minimum time limit for an attempt, in seconds; the machine may be busy.
PATIENCE = 60
CHILD = pytest.StashKey[Child]()
JOBS = 1 if "PYTEST_XDIST_WORKER" in os.environ else os.cpu_count() or 1


def child_of(config):
    """One process for all lessons of a run: each lesson runs in a fork of it."""
    if CHILD not in config.stash:
        config.stash[CHILD] = Child(fork_pool.__name__)
        config.add_cleanup(config.stash[CHILD].end)
    return config.stash[CHILD]


def cells_of(number):
    """Select the cells of a lesson that its exercises depend on, or that depend on
    them.
    """
    cells = code_cells(builder.assemble(number))
    return slicing.slice_cells(cells, touched_by_exercises(cells))


def touched_by_exercises(cells):
    """Select the cells that use, directly or indirectly, what an exercise defines, and
    so may behave differently if it is not solved; except the exercise's own check.
    """
    found, written, own = [], set(), set()
    for cell in cells:
        text = source(cell)
        solution = exercises.is_solution(text)
        used = slicing.find_used_names(exercises.replace_solutions(text))
        if not exercises.is_check(cell):
            written, own = written | own, set()
        if written & used:
            found.append(cell)
            written |= find_bound_names(text) | slicing.find_changed_names(text)
        elif not solution:
            written -= find_bound_names(text)
        if solution:
            own = find_bound_names(text)
    return found


class Attempts:
    """A lesson's cells, and attempts at its exercises in the format described in
    tests/lessons/attempts/conftest.py.
    """

    def __init__(self, cells, text=""):
        self._cells, self._text = cells, text
        self._found = ATTEMPT.findall(text)
        self._places = fork_pool.locate_exercises(cells)

    def complaints(self, child):
        """Yield all complaints one after another, each with the code that shows it."""
        trials = self._trials()
        tries = {p: [cells for cells, _ in made] for p, made in trials.items()}
        found = []
        for position, number, failures in fork_pool.run_attempts(
            child, self._way(), tries, JOBS, PATIENCE
        ):
            if number is None:
                found += self._lesson_stops(position, failures)
            else:
                found += trials[position][number][1](failures)
        return self._incomplete() + found

    def _way(self):
        """Select what runs between the exercises: no checks, because these run on the
        solutions at the exercises, except those that define something used later.
        """
        way, used = [], set()
        for cell in reversed(self._cells):
            left_out = (
                exercises.is_check(cell) and not find_bound_names(source(cell)) & used
            )
            used = used - (set() if left_out else find_bound_names(source(cell)))
            used |= slicing.find_used_names(source(cell))
            way.append("" if left_out else source(cell))
        return way[::-1]

    def _trials(self):
        """For each place of an exercise, yield pairs: cells to run there, and a
        function that finds complaints in their failures.
        """
        trials = {}
        for exercise, (position, rest) in enumerate(self._places, start=1):
            solution = source(self._cells[position])
            trials[position] = [_again(exercise, solution, rest)]
            for number, kind, words, attempt in self._found:
                if int(number) != exercise:
                    continue
                trials[position].append(_attempt(number, kind, words, attempt, rest))
                if kind == "by heart":
                    trials[position].append(_seen(number, attempt, rest))
        for exercise, name, position, attempt, rest in self._planted():
            trials[position].append(_planted(exercise, name, attempt, rest))
        if trials and any(
            not exercises.is_solution(source(cell))
            for cell in touched_by_exercises(self._cells)
        ):
            trials[self._places[0][0]].append(self._unsolved())
        return trials

    def _planted(self):
        """Plant a failure of each kind, each in another function if there are enough;
        `python -m steps plant` tries all of them in all functions.
        """
        by_kind = {}
        for exercise, (position, rest) in enumerate(self._places, start=1):
            variants = planted.plant(source(self._cells[position]), brief=position + 1)
            for name, attempt in variants.items():
                kind = name.partition(": ")[2]
                kind = "an exception" if kind in planted.EXCEPTIONS else kind
                found = exercise, name, position, attempt, rest
                by_kind.setdefault(kind, []).append(found)
        return [all_[n % len(all_)] for n, all_ in enumerate(by_kind.values())]

    def _unsolved(self):
        """Run the lesson from its first exercise on without solutions."""
        cells = self._cells[self._places[0][0] :]
        stubs = [exercises.replace_solutions(source(cell)) for cell in cells]

        def complaints(failures):
            found = []
            for n, cell in enumerate(cells):
                if exercises.CHECK in tags(cell):
                    found += _not_a_sentence(failures.get(n), "unsolved")
                elif n in failures and "raises-exception" not in tags(cell):
                    found.append(_shown("unsolved", failures[n].message, stubs[n]))
            return found

        return stubs, complaints

    def _lesson_stops(self, position, failures):
        ((_, failed),) = failures.items()
        cell = self._cells[position] if position is not None else None
        if cell and "raises-exception" in tags(cell):
            return []
        return [_shown("the lesson", failed.message, source(cell) if cell else "")]

    def _incomplete(self):
        found = []
        if len(self._found) != self._text.count("\n## "):
            found.append("a heading or a block is misspelt")
        kinds = Counter((int(n), kind) for n, kind, *_ in self._found)
        found += [f"{n}: {kind} is no kind" for n, kind in kinds if kind not in KINDS]
        for number, kind, words, attempt in self._found:
            if kind == "wrong" and not words:
                found.append(_shown(f"{number} wrong", "no words", attempt))
        for exercise in range(1, len(self._places) + 1) if self._text else ():
            if kinds[exercise, "right"] < 2:
                found.append(f"{exercise}: fewer than two right attempts")
            if not kinds[exercise, "wrong"] + kinds[exercise, "by heart"]:
                found.append(f"{exercise}: no wrong attempt")
        return found


def _again(exercise, solution, rest):
    """The check fails on the untouched stub, with a sentence, and can then run on the
    solution, more than once.
    """
    stub, check = exercises.replace_solutions(solution), rest[-1]
    cells = [stub, *rest, solution, *rest, check, solution]
    on_stub, once_more = len(rest), 2 * len(rest) + 2

    def complaints(failures):
        found = _not_a_sentence(failures.pop(on_stub, None), f"{exercise} untouched")
        if once_more in failures and "run both cells again" in failures[once_more].text:
            del failures[once_more]
        what = f"{exercise} again"
        return found + [_shown(what, f.message, cells[n]) for n, f in failures.items()]

    return cells, complaints


def _attempt(number, kind, words, attempt, rest):
    what = f"{number} {kind}"

    def complaints(failures):
        if kind == "right":
            return [_shown(what, f.message, attempt) for f in failures.values()]
        answer = failures.pop(len(rest), None)
        if failures:
            return [
                _shown(what, f"stops: {f.message}", attempt) for f in failures.values()
            ]
        if answer is None:
            return [_shown(what, "is accepted", attempt)]
        if answer.kind != "AssertionError" or words not in answer.text:
            return [_shown(f"{what}: {words}", answer.message, attempt)]
        return []

    return [attempt, *rest], complaints


def _planted(number, name, attempt, rest):
    """A planted failure gets a sentence, and no point."""
    cells = [attempt, *rest]

    def complaints(failures):
        what = planted.explain_fault(failures, len(rest))
        return [f"{number} {name}: {what}"] if what else []

    return cells, complaints


def _seen(number, attempt, rest):
    """A hard-coded answer passes everything that is visible."""
    *between, check = rest
    cells = [attempt, *between, exercises.remove_hidden_tests(check)]
    what = f"{number} by heart, without hidden tests"
    return cells, lambda failures: [
        _shown(what, f.message, attempt) for f in failures.values()
    ]


def _not_a_sentence(failed, what):
    """Find faults in a check's message for a stub."""
    if failed is None:
        return [f"{what}: the check passes on the stub"]
    if failed.kind != "AssertionError" or len(failed.text) < 12:
        return [f"{what}: “{failed.message}”, which does not help"]
    return []


def _shown(what, said, code):
    return f"{what}: {said}\n\n{code}".rstrip()
