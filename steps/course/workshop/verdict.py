"""Judge a learner's attempt at a step, and find where to look for errors."""

import time
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ..capabilities import WORKS
from ..definitions import Kind, find_same, get_owner
from ..module_text import ModuleText
from .attempt import Attempt, lend_definitions
from .notebook import list_judging_cells
from .package import FIRST, Package, read_module
from .step import read_code
from .trial import TrialProcess, find_wrong_rows, select_required_rows

# A message lists at most this many names. From this many culprits on, their classes are
# blamed instead if these are fewer.
MOST = 3
# How many of the likeliest definitions are tried first, one by one.
FIRST_ONES = 8
# How many failing rows, and how many passing ones, are traced, which makes them five
# times slower.
TRACED = 6
# Limit for the search for culprits, in seconds. It rarely takes two, but an endless
# loop is stopped only after a while.
PATIENCE = 60


@dataclass
class Verdict:
    """The result of judging an attempt.

    ``failure`` and ``table`` come from the learner's own definitions, plus the lesson's
    for any that are missing. ``evidence`` maps each failing row to its error, ``ran``
    maps rows to the definitions that they ran, and ``notes`` has failures that only
    inform. ``culprits`` is a minimal list of definitions, likeliest first: replacing
    them with the lesson's makes everything pass. It is empty if even the lesson's own
    code fails. ``module`` is the framework to go on with.
    """

    attempt: Attempt
    failure: dict[str, Any] | None
    table: dict[str, str]
    module: ModuleText | Package
    culprits: list[str] = field(default_factory=list)
    evidence: dict[str, str] = field(default_factory=dict)
    notes: list[tuple[str, str, str]] = field(default_factory=list)
    ran: dict[str, list[str]] = field(default_factory=dict)

    @property
    def likely(self):
        """The definitions in the failure's traceback, innermost first."""
        return self.failure["definitions"][::-1] if self.failure else []

    @property
    def cells(self):
        """The lesson's cells to try again. From step 33 on, these are the cells up to
        the one that failed, if any; before that, all of them.
        """
        cells = list_judging_cells(self.number)
        if self.number < FIRST:
            return cells
        at = self.failure["cell"] if self.failure else None
        there = [k for k, (place, _) in enumerate(cells) if place == at]
        return cells[: there[-1] + 1 if there else 0]

    @property
    def number(self):
        return self.attempt.step.number

    @property
    def passes(self):
        return not self.failure and not find_wrong_rows(self.number, self.table)

    @property
    def is_right(self):
        """Whether everything passes, and no definition is missing."""
        return self.passes and not self.attempt.missing

    @property
    def to_lend(self):
        """The definitions that the lesson must lend if the learner continues now."""
        return [*self.attempt.missing, *self.culprits]

    @property
    def lent(self):
        """The names in ``module`` that the lesson lends, in order."""
        lessons = {*self.attempt.lent, *self.to_lend}
        same = find_same(self.attempt.step.definitions, self.module.definitions)
        return [name for name in same if name in lessons]


def judge_attempt(attempt, process=None):
    """Judge an attempt by the lesson's own cells and the table."""
    if process is None:
        with TrialProcess() as process:
            return judge_attempt(attempt, process)
    number, kinds = attempt.step.number, attempt.step.definitions
    if names := [n for n in attempt.missing if kinds[n].kind == Kind.ATTACHED]:
        text, how = attempt.module.format(), {"brief": True, "names": names}
        done = process.try_out(number, [], text, **how)["attached"]
        attempt.missing = [n for n in attempt.missing if n not in done]
    filled, cells = attempt.fill(), list_judging_cells(number)
    outcome = process.try_out(number, cells, filled.format())
    del outcome["attached"]
    verdict = Verdict(attempt, module=filled, **outcome)
    if not verdict.passes:
        verdict.culprits, verdict.module = _find_culprits(process, verdict)
    return verdict


def _find_culprits(process, verdict):
    """Find a minimal list of definitions to blame: replacing them with the lesson's
    makes everything pass. Returns their names, likeliest first, and the resulting
    module.
    """
    filled, step = verdict.module, verdict.attempt.step
    wrong = [row.name for row in find_wrong_rows(verdict.number, verdict.table)]
    if wrong:
        right = [name for name, outcome in verdict.table.items() if outcome == WORKS]
        traced = wrong[:TRACED] + right[:TRACED]
        outcome = process.try_out(verdict.number, [], filled.format(), traced=traced)
        verdict.ran = outcome["ran"]
    suspects, until = _suspect(verdict), time.monotonic() + PATIENCE

    def passes(module):
        text, cells = module.format(), verdict.cells
        return process.passes(verdict.number, text, cells, wrong)

    @cache
    def is_fixed_by(*names):
        in_time = time.monotonic() < until
        return in_time and passes(lend_definitions(filled, step, names))

    sets = _list_sets(verdict, suspects)
    if names := next((names for names in sets if names and is_fixed_by(*names)), None):
        needed = find_fewest(names, is_fixed_by)
        owners = tuple(dict.fromkeys(map(get_owner, needed)))
        if len(needed) >= MOST > len(owners) and is_fixed_by(*owners):
            needed = owners
        likely = [*verdict.likely, *suspects, *owners]
        return sorted(needed, key=likely.index), lend_definitions(filled, step, needed)
    lesson = read_module(read_code(verdict.number))
    return (suspects if passes(lesson) else []), lesson


def _list_sets(verdict, suspects):
    """List the sets of names to replace, in the order in which to try them."""
    step = verdict.attempt.step
    # Members are tried before their classes, since lending a class lends all its
    # members.
    members = [n for n in suspects if step.definitions[n].kind != Kind.CLASS]
    new = [n for n in members if n in step.new]
    soon = {*members[:FIRST_ONES], *new, *verdict.likely}
    first = [n for n in members if n in soon]
    owners = dict.fromkeys(get_owner(n) for n in first if get_owner(n) in suspects)
    ends = [len(new) + 2**k for k in range(len(members).bit_length())]
    # Single definitions come first: the likeliest, the step's own, and those in the
    # traceback. Then come all of the step's own, single classes, and ever larger sets.
    sets = [*((name,) for name in first), tuple(new), *((name,) for name in owners)]
    sets += [tuple(members[:end]) for end in ends]
    sets += [(name,) for name in members if name not in first]
    return [*sets, tuple(suspects)]


def find_fewest(names, is_fixed_by):
    """Reduce ``names`` to a minimal subset for which ``is_fixed_by`` holds.

    Tries to leave out halves, then quarters and so on, the last ones first: Zeller's
    delta debugging.
    """
    size = len(names) // 2
    while size and len(names) > 1:
        starts = reversed(range(0, len(names), size))
        fewer = (names[:k] + names[k + size :] for k in starts)
        if shorter := next((n for n in fewer if n and is_fixed_by(*n)), None):
            names, size = shorter, min(size, len(shorter) // 2)
        else:
            size //= 2
    return names


def _suspect(verdict):
    """List the learner's definitions that differ from the lesson's, likeliest first.

    Classes come last. The others are sorted by score, with the step's own first among
    equals, then those in the traceback, left out of a class, or unchanged.
    """
    attempt, definitions = verdict.attempt, verdict.module.definitions
    step = attempt.step
    same_or_lent = {*attempt.missing, *find_same(step.definitions, definitions)}
    likely = [*verdict.likely, *attempt.left_out, *attempt.unchanged]
    kinds, new = {n: d.kind for n, d in step.definitions.items()}, step.new
    own = {n for n in kinds if n in definitions and kinds[n] != Kind.ATTRIBUTE}
    possible = own.union(attempt.left_out) - same_or_lent
    names = [name for name in dict.fromkeys([*likely, *kinds]) if name in possible]
    scores = _score(verdict)
    key = lambda n: (kinds[n] == Kind.CLASS, -scores.get(n, 0.0), n not in new)
    return sorted(names, key=key)


def _score(verdict):
    """Score definitions with Ochiai's formula: the more of the rows that ran one fail,
    and the fewer pass, the higher.
    """
    rows = select_required_rows(verdict.number)
    wrong = {row.name for row in find_wrong_rows(verdict.number, verdict.table)}
    all_runs, failing = Counter[str](), Counter[str]()
    for row in rows:
        all_runs.update(verdict.ran.get(row.name, ()))
        failing.update(verdict.ran.get(row.name, ()) if row.name in wrong else ())
    return {name: failing[name] / all_runs[name] ** 0.5 for name in failing}
