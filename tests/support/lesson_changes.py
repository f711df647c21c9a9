# ruff: noqa: F821
"""The changes that a lesson invites its reader to make, and their results."""

import inspect
import re

from steps.course import builder
from steps.course.exercises import ANSWER
from steps.course.lessons import lesson_path
from steps.course.mutating import fork_pool
from steps.course.mutating.slicing import LISTING, find_used_names, slice_cells
from tests.support.lesson_checks import source, tags

INVITED = re.compile(r"\bPredict, then change\b")
CHANGE = re.compile(
    r"^## (runs|runs alone|stops: [^\n]+)\n+```diff\n(.*?)^```$"
    r"(?:\n+```python\n(.*?)^```$)?",
    re.M | re.S,
)
NUMBER = re.compile(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?(?!\w)")
PREDICTION = re.compile(
    r"(?P<invited>^[^\n]*\bPredict, then change\b.*?)^"
    + ANSWER.pattern.removeprefix("^"),
    re.M | re.S,
)
PART = re.compile(r"^### ", re.M)
PATIENCE = 60
# A sentence, not a bare number.
SENTENCE = 12


def invitations(text):
    """Count how often a lesson's text says *Predict, then change*."""
    return len(INVITED.findall(text))


def numbers_in(text):
    return {number.replace(",", "") for number in NUMBER.findall(text)}


def numbers_of_answers(text):
    """Return the numbers in each answer to an invitation that the invitation lacks."""
    pairs = [(it["invited"], it["text"]) for it in PREDICTION.finditer(text)]
    return [numbers_in(answer) - numbers_in(invited) for invited, answer in pairs]


def says(number, *found):
    """Check that the result of a change has all numbers of an answer. (It runs before
    the code that should then be true, and gets the answers.)
    """
    import re

    texts = re.findall(pattern, " ".join(found))
    run, answer = {text.replace(",", "") for text in texts}, answers[number - 1]
    assert answer <= run, f"answer {number} has {answer - run}, and the run {run}"


def both_sides(hunk):
    """Return the lines that a hunk of a diff removes, and those that it adds; lines
    without a sign are in both.
    """
    lines = hunk.strip("\n").split("\n")
    old, new = ([line[1:] for line in lines if line[:1] != sign] for sign in "+-")
    return "\n".join(["", *old, ""]) if old else "", "\n".join(["", *new, ""])


class Changes:
    """A lesson's cells, and changes in the format described in
    tests/lessons/changes/conftest.py.
    """

    def __init__(self, cells, text, answers=()):
        self._cells, self._text, self._answers = cells, text, list(answers)
        self._found = CHANGE.findall(text)

    @classmethod
    def of_lesson(cls, number, text):
        lesson = lesson_path(number).read_text(encoding="utf-8")
        answers = numbers_of_answers(lesson)
        return cls(builder.assemble(number)["cells"], text, answers)

    def complaints(self, child):
        """Yield all complaints one after another."""
        found, tries = [], []
        if len(self._found) != self._text.count("\n## "):
            found.append("a heading or a block is misspelt")
        for follows, diff, then in self._found:
            try:
                start, cells = self._changed(diff, follows.endswith(" alone"))
            except LookupError as error:
                found.append(f"{error}\n\n{diff}")
                continue
            if then:
                given = f"pattern, answers = {NUMBER.pattern!r}, {self._answers}"
                cells.append(_cell(f"{given}\n{inspect.getsource(says)}\n{then}"))
            tries.append((start, cells, follows, diff))
        for position, numbers in enumerate(self._answers, start=1):
            if numbers and f"says({position}, " not in self._text:
                found.append(
                    f"no run gives the numbers of answer {position}: {numbers}"
                )
        return found + self._tried(child, sorted(tries, key=lambda one: one[0]))

    def _tried(self, child, tries):
        """Find faults in the results of the changes, each of which is made at its place
        in one run of the lesson.
        """
        found = []
        # The names that each change uses, so that none hides another's.
        changed = [
            _cell("\n".join(sorted(_used_names(cells)))) for _, cells, *_ in tries
        ]
        # The part of the lesson that the changed cells depend on, and an empty cell at
        # the end.
        last = max((start for start, *_ in tries), default=0)
        placed = [{**cell, "place": n} for n, cell in enumerate(self._cells[:last])]
        cells = [cell for cell in placed if _runs(cell)]
        listed = [cell for cell in cells if source(cell).startswith(LISTING)]
        stood_on = slice_cells(cells + changed, changed + listed)[: -len(changed)]
        lesson = [source(cell) for cell in stood_on] + [""]
        at: dict[int, list[list[str]]] = {}
        asked = {}
        for start, changed_cells, follows, diff in tries:
            position = sum(cell["place"] < start for cell in stood_on)
            trials = at.setdefault(position, [])
            asked[position, len(trials)] = follows, diff
            trials.append([source(cell) for cell in changed_cells])
        for place in fork_pool.run_attempts(child, lesson, at, 1, PATIENCE):
            position, number, failures = place
            if number is None:
                (failed,) = failures.values()
                found.append(f"before a change: {failed.message}\n\n{lesson[position]}")
            else:
                found += _judged(*asked[position, number], failures)
        return found

    def _changed(self, diff, alone):
        """Return the position of the first changed cell, and the cells from it up to
        the invitation, or to an exercise or another part; or only the changed ones.
        """
        texts = {n: source(cell) for n, cell in enumerate(self._cells) if _runs(cell)}
        ends = [n for n, cell in enumerate(self._cells) if _ends(cell)]
        touched = []
        for hunk in diff.split("@@\n"):
            old, new = both_sides(hunk)
            if not old:  # a cell of the reader's own, under the last invitation
                invited = [n for n in ends if invitations(source(self._cells[n]))]
                return invited[-1], [_cell(new)]
            places = [n for n, text in texts.items() if old in _framed(text)]
            if len(places) != 1:
                raise LookupError(f"{len(places)} cells have these lines")
            (place,) = places
            texts[place] = _framed(texts[place]).replace(old, new, 1).strip("\n")
            touched.append(place)
        start, end = min(touched), max(touched)
        if not alone:
            end = next((n for n in ends if n > end), end)
        return start, [_cell(text) for n, text in texts.items() if start <= n <= end]


def _used_names(cells):
    return find_used_names("\n".join(map(source, cells)))


def _ends(cell):
    text = source(cell)
    return cell["cell_type"] == "markdown" and bool(
        invitations(text) or PART.search(text)
    )


def _runs(cell):
    return cell["cell_type"] == "code" and "raises-exception" not in tags(cell)


def _framed(text):
    return f"\n{text}\n"


def _cell(text):
    return {"cell_type": "code", "source": text, "metadata": {}}


def _judged(follows, diff, failures):
    """Find faults in the result of a change; only its first failure counts."""
    said = failures[min(failures)] if failures else None
    words = follows.removeprefix("stops: ")
    if follows.startswith("runs"):
        return [f"stops: {said.message}\n\n{diff}"] if said else []
    if said is None:
        return [f"runs, and should stop: {words}\n\n{diff}"]
    if words not in said.message:
        return [f"stops: {said.message}\nand not: {words}\n\n{diff}"]
    if len(said.text) < SENTENCE:
        return [f"stops without a sentence: {said.message}\n\n{diff}"]
    return []
