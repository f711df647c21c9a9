"""Judges what a learner has written for a step, and finds where to look."""

import time
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ..capabilities import WORKS
from ..definitions import Kind, find_same
from ..module_text import ModuleText
from .framework import Framework, code_of, with_own
from .notebook import judging_cells
from .package import Package, module_of
from .trial import TrialProcess, due

# How many seconds the search may take for what is to be lent. It hardly ever takes
# two, but a loop without end is stopped only after some.
PATIENCE = 60


@dataclass
class Verdict:
    """What came of it.

    ``failure`` and ``table`` are those of the learner's own parts, with the lesson's in
    place of what is missing; ``evidence`` says, by the name of a row, what it gave.
    ``culprits`` are the fewest parts in whose place the lesson's mend it, the likeliest
    first; there is none where even the lesson's own code does not pass. ``module`` is
    what goes on.
    """

    own: Framework
    failure: dict[str, Any] | None
    table: dict[str, str]
    module: ModuleText | Package
    culprits: list[str] = field(default_factory=list)
    evidence: dict[str, str] = field(default_factory=dict)

    @property
    def step(self):
        return self.own.step.number

    @property
    def passes(self):
        return not self.failure and not wrong_rows(self.step, self.table)

    @property
    def right(self):
        """Whether it passes, and all of it is the learner's."""
        return self.passes and not self.own.missing

    @property
    def from_the_lesson(self):
        """What has to stand in for the learner's own, if they go on now."""
        return [*self.own.missing, *self.culprits]

    @property
    def lent(self):
        """The names in ``module`` that are the lesson's own, in order."""
        lessons = {*self.own.lent, *self.from_the_lesson}
        same = find_same(self.own.step.definitions, self.module.definitions)
        return [name for name in same if name in lessons]


def wrong_rows(step, table):
    """The rows of the table that should work at a step, and do not."""
    return [row for row in due(step) if table.get(row.name) != WORKS]


def verdict_on(own, process=None):
    """Judge a framework by the lesson's own cells and by the table."""
    if process is None:
        with TrialProcess() as process:
            return verdict_on(own, process)
    filled = own.filled()
    found = _tried(process, own, filled)
    verdict = Verdict(own, module=filled, **found)
    if not verdict.passes:
        verdict.culprits, verdict.module = _mended(process, verdict)
    return verdict


def _tried(process, own, module, **how):
    cells = judging_cells(own.step.number)
    return process.try_out(own.step.number, cells, module.format(), **how)


def _mended(process, verdict):
    """The fewest parts in whose place the lesson's make everything pass, the likeliest
    first, and the module then.
    """
    own, filled = verdict.own, verdict.module
    until = time.monotonic() + PATIENCE
    suspects = _suspects(own, filled, verdict.failure)
    wrong = [row.name for row in wrong_rows(verdict.step, verdict.table)]

    @cache
    def mend(*names):
        if time.monotonic() > until:
            return False
        return _passes(process, own, with_own(filled, own.step, names), wrong)

    # A whole class is the most to lend: it stands for all that it holds.
    members = [n for n in suspects if own.step.definitions[n].kind != Kind.CLASS]
    new = [n for n in members if n in own.step.new]
    ends = [len(new) + 2**k for k in range(len(suspects).bit_length())]
    # The step's own come first, together, too, before each of many older ones.
    sets = [*((name,) for name in new), tuple(new)]
    sets += [(name,) for name in members if name not in new]
    sets += [tuple(suspects[:end]) for end in ends]
    if names := next((names for names in sets if names and mend(*names)), None):
        needed = list(fewest(names, mend))
        return needed, with_own(filled, own.step, needed)
    lesson = module_of(code_of(own.step.number))
    return (suspects if _passes(process, own, lesson, wrong) else []), lesson


def fewest(names, mend):
    """What is left of names that mend when none can be left out any more.

    Tries to leave out halves, then quarters and so on, the last ones first: Zeller's
    delta debugging.
    """
    size = len(names) // 2
    while size and len(names) > 1:
        starts = reversed(range(0, len(names), size))
        fewer = (names[:k] + names[k + size :] for k in starts)
        if shorter := next((n for n in fewer if n and mend(*n)), None):
            names, size = shorter, min(size, len(shorter) // 2)
        else:
            size //= 2
    return names


def _suspects(own, filled, failure):
    """The learner's own parts that are not as the lesson's, the likeliest first: those
    of the step, then older ones, and classes as a whole last; among them first those in
    which the error arose, the innermost first, and those that nobody touched.
    """
    there, step = filled.definitions, own.step
    alike_or_lent = {*own.missing, *find_same(step.definitions, there)}
    arose = (failure["definitions"] if failure else [])[::-1]
    likely = [*arose, *own.left_out, *own.unchanged, *step.definitions]
    kinds, new = {n: p.kind for n, p in step.definitions.items()}, step.new
    mine = {n for n, kind in kinds.items() if n in there and kind != Kind.ATTRIBUTE}
    possible = mine.union(own.left_out) - alike_or_lent
    names = [name for name in dict.fromkeys(likely) if name in possible]
    return sorted(names, key=lambda n: (kinds[n] == Kind.CLASS, n not in new))


def _passes(process, own, module, first):
    found = _tried(process, own, module, brief=True, first=first)
    return not found["failure"] and set(found["table"].values()) <= {WORKS}
