"""Judge what a learner has written for a step, and find where to look."""

import time
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ..capabilities import WORKS
from ..definitions import Kind, find_same
from ..module_text import ModuleText
from .attempt import Attempt, lend_definitions
from .notebook import list_judging_cells
from .package import Package, read_module
from .step import read_code
from .trial import TrialProcess, select_required_rows

# How many seconds the search may take for what is to be lent. It hardly ever takes
# two, but a loop without end is stopped only after some.
PATIENCE = 60


@dataclass
class Verdict:
    """What came of an attempt.

    ``failure`` and ``table`` are those of the learner's own definitions, with the
    lesson's in place of what is missing; ``evidence`` says, by the name of a row, what
    it gave. ``culprits`` are the fewest definitions in whose place the lesson's make
    everything pass, the likeliest first; there is none where even the lesson's own code
    does not pass. ``module`` is what goes on.
    """

    attempt: Attempt
    failure: dict[str, Any] | None
    table: dict[str, str]
    module: ModuleText | Package
    culprits: list[str] = field(default_factory=list)
    evidence: dict[str, str] = field(default_factory=dict)

    @property
    def number(self):
        return self.attempt.step.number

    @property
    def passes(self):
        return not self.failure and not find_wrong_rows(self.number, self.table)

    @property
    def is_right(self):
        """Whether it passes, and all of it is the learner's."""
        return self.passes and not self.attempt.missing

    @property
    def to_lend(self):
        """What has to stand in for the learner's own, if they go on now."""
        return [*self.attempt.missing, *self.culprits]

    @property
    def lent(self):
        """The names in ``module`` that are the lesson's own, in order."""
        lessons = {*self.attempt.lent, *self.to_lend}
        same = find_same(self.attempt.step.definitions, self.module.definitions)
        return [name for name in same if name in lessons]


def find_wrong_rows(number, table):
    """Find the rows of the table that should work at a step, and do not."""
    rows = select_required_rows(number)
    return [row for row in rows if table.get(row.name) != WORKS]


def judge_attempt(attempt, process=None):
    """Judge an attempt by the lesson's own cells and by the table."""
    if process is None:
        with TrialProcess() as process:
            return judge_attempt(attempt, process)
    filled = attempt.fill()
    verdict = Verdict(attempt, module=filled, **_try(process, attempt, filled))
    if not verdict.passes:
        verdict.culprits, verdict.module = _find_culprits(process, verdict)
    return verdict


def _try(process, attempt, module, **how):
    cells = list_judging_cells(attempt.step.number)
    return process.try_out(attempt.step.number, cells, module.format(), **how)


def _find_culprits(process, verdict):
    """Find the fewest definitions in whose place the lesson's make everything pass, the
    likeliest first, and the module then.
    """
    attempt, filled = verdict.attempt, verdict.module
    until = time.monotonic() + PATIENCE
    suspects = _list_suspects(attempt, filled, verdict.failure)
    wrong = [row.name for row in find_wrong_rows(verdict.number, verdict.table)]

    @cache
    def is_mended_by(*names):
        if time.monotonic() > until:
            return False
        module = lend_definitions(filled, attempt.step, names)
        return _passes(process, attempt, module, wrong)

    # A whole class is the most to lend: it stands for all that it holds.
    members = [n for n in suspects if attempt.step.definitions[n].kind != Kind.CLASS]
    new = [n for n in members if n in attempt.step.new]
    ends = [len(new) + 2**k for k in range(len(suspects).bit_length())]
    # The step's own come first, together, too, before each of many older ones.
    sets = [*((name,) for name in new), tuple(new)]
    sets += [(name,) for name in members if name not in new]
    sets += [tuple(suspects[:end]) for end in ends]
    if names := next((names for names in sets if names and is_mended_by(*names)), None):
        needed = list(find_fewest(names, is_mended_by))
        return needed, lend_definitions(filled, attempt.step, needed)
    lesson = read_module(read_code(attempt.step.number))
    return (suspects if _passes(process, attempt, lesson, wrong) else []), lesson


def find_fewest(names, is_mended_by):
    """Find what is left of names that mend it when none can be left out any more.

    Tries to leave out halves, then quarters and so on, the last ones first: Zeller's
    delta debugging.
    """
    size = len(names) // 2
    while size and len(names) > 1:
        starts = reversed(range(0, len(names), size))
        fewer = (names[:k] + names[k + size :] for k in starts)
        if shorter := next((n for n in fewer if n and is_mended_by(*n)), None):
            names, size = shorter, min(size, len(shorter) // 2)
        else:
            size //= 2
    return names


def _list_suspects(attempt, filled, failure):
    """List the learner's own definitions that are not as the lesson's, the likeliest
    first: those of the step, then older ones, and classes as a whole last; among them
    first those in which the error arose, the innermost first, and those that nobody
    touched.
    """
    definitions, step = filled.definitions, attempt.step
    same_or_lent = {*attempt.missing, *find_same(step.definitions, definitions)}
    arose = (failure["definitions"] if failure else [])[::-1]
    likely = [*arose, *attempt.left_out, *attempt.unchanged, *step.definitions]
    kinds, new = {n: d.kind for n, d in step.definitions.items()}, step.new
    own = {n for n in kinds if n in definitions and kinds[n] != Kind.ATTRIBUTE}
    possible = own.union(attempt.left_out) - same_or_lent
    names = [name for name in dict.fromkeys(likely) if name in possible]
    return sorted(names, key=lambda n: (kinds[n] == Kind.CLASS, n not in new))


def _passes(process, attempt, module, first):
    outcome = _try(process, attempt, module, brief=True, first=first)
    return not outcome["failure"] and set(outcome["table"].values()) <= {WORKS}
