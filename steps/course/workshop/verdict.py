"""Judges what a learner has written for a step, and finds where to look."""

from dataclasses import dataclass, field
from typing import Any

from ..capabilities import CAPABILITIES, WORKS
from .framework import Framework, code_of, with_own
from .modules import Module
from .notebook import judging_cells
from .parts import Kind, alike
from .trial_process import TrialProcess


@dataclass
class Verdict:
    """What came of it.

    ``failure`` and ``table`` are those of the learner's own parts, with the lesson's in
    place of what is missing. ``culprits`` are the parts in whose place the lesson's
    mend it; there is none where even the lesson's own code does not pass. ``module`` is
    what goes on.
    """

    own: Framework
    failure: dict[str, Any] | None
    table: dict[str, str]
    module: Module
    culprits: list[str] = field(default_factory=list)

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
        same = alike(self.own.step.parts, self.module.parts())
        return [name for name in same if name in lessons]


def wrong_rows(step, table):
    """The rows of the table that should work at a step, and do not."""
    due = [row for row in CAPABILITIES if row.expected(step) == WORKS]
    return [row for row in due if table.get(row.name) != WORKS]


def verdict_on(own, process=None):
    """Judge a framework by the lesson's own cells and by the table."""
    if process is None:
        with TrialProcess() as process:
            return verdict_on(own, process)
    filled = own.filled()
    found = _tried(process, own, filled)
    verdict = Verdict(own, found["failure"], found["table"], filled)
    if not verdict.passes:
        verdict.culprits, verdict.module = _mended(process, verdict)
    return verdict


def _tried(process, own, module, brief=False):
    number = own.step.number
    return process.try_out(number, judging_cells(number), module.text(), brief)


def _mended(process, verdict):
    """Parts in whose place the lesson's make everything pass, and the module then."""
    own, filled = verdict.own, verdict.module
    suspects = _suspects(own, filled, verdict.failure)
    new = [n for n in suspects if n in {*own.step.added, *own.step.changed}]
    older = [n for n in suspects if n not in new]

    def mend(names):
        return names and _passes(process, own, with_own(filled, own.step, names))

    for names in filter(mend, [*([n] for n in new), new, *([n] for n in older)]):
        needed = names
        for name in names:
            fewer = [other for other in needed if other != name]
            needed = fewer if mend(fewer) else needed
        return needed, with_own(filled, own.step, needed)
    lesson = Module.of(code_of(own.step.number))
    return (suspects if _passes(process, own, lesson) else []), lesson


def _suspects(own, filled, failure):
    """The learner's own parts that are not as the lesson's: first those in which the
    error arose, the innermost first; classes as a whole last.
    """
    there, step = filled.parts(), own.step
    others = {*own.missing, *alike(step.parts, there)}
    names = [
        name
        for name, part in step.parts.items()
        if name in there and name not in others and part.kind != Kind.ATTRIBUTE
    ]
    first = [n for n in (failure["parts"] if failure else [])[::-1] if n in names]
    classes = [n for n in names if step.parts[n].kind == Kind.CLASS]
    order = [*first, *(n for n in names if n not in classes), *classes]
    return list(dict.fromkeys(order))


def _passes(process, own, module):
    found = _tried(process, own, module, brief=True)
    return not found["failure"] and set(found["table"].values()) <= {WORKS}
