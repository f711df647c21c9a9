"""The learner's framework after a step: what they wrote for it, on top of what they
had, and the lesson's own where something is missing.
"""

from dataclasses import dataclass
from functools import cache, cached_property

from ..definitions import (
    Definition,
    Kind,
    find_globals,
    find_same,
    get_owner,
    parse,
    read_definitions,
    read_imports,
)
from ..lessons import StepKind, kind, module_path, numbers
from ..module_text import ModuleText, complete_class
from .package import FIRST, PARTS, WRITE, Package, is_package, package_at
from .stubs import is_placeholder


def steps():
    """The steps of the workshop."""
    written = {*WRITE, *PARTS}
    return [n for n in numbers() if kind(n) is StepKind.SNAPSHOT or n in written]


def before(number):
    """The step of the workshop before another one; 0 if there is none."""
    return max((n for n in steps() if n < number), default=0)


@dataclass
class Step:
    """What the lesson's own code of a step has, and what it does to the step before."""

    number: int
    definitions: dict[str, Definition]
    previous: dict[str, Definition]

    @cached_property
    def added(self):
        return [name for name in self.definitions if name not in self.previous]

    @cached_property
    def changed(self):
        return [n for n in self.definitions if n in self.previous and self._differs(n)]

    @cached_property
    def new(self):
        return {*self.added, *self.changed}

    @cached_property
    def to_write(self):
        """What is left to the learner; a new class stands for all that it holds."""
        new = self.new.difference(self.given)
        alone = {n for n in new if n == get_owner(n) or get_owner(n) not in new}
        alone |= {n for n in new if self.definitions[n].kind == Kind.ATTACHED}
        return [name for name in self.definitions if name in alone]

    @property
    def is_package(self):
        return is_package(self.number)

    @cached_property
    def given(self):
        """Methods that only say what a subclass has to write: nothing to invent; in the
        package, all that is not chosen to be written.
        """
        placeholders = [
            n for n, part in self.definitions.items() if is_placeholder(part)
        ]
        found = [n for n in placeholders if self._differs(n)]
        if self.is_package:
            chosen = WRITE[self.number]
            left = {n for n in self.new if not {n, get_owner(n)} & {*chosen}}
            found += [n for n in self.definitions if n in left]
        return found

    def _differs(self, name):
        """Whether a part is new or another one; a class is what it holds."""
        part, before = self.definitions[name], self.previous.get(name)
        return part.kind != Kind.CLASS and not part.has_same_code(before)


def given_until(number):
    """The names of what the steps of the package have brought, and not left to the
    learner.
    """
    brought = [step_of(n) for n in steps() if FIRST <= n <= number]
    names = {n for step in brought for n in step.given if n in step.added}
    return sorted(n for n in names if n == get_owner(n))


@cache
def step_of(number):
    begins = begin_of(number).body if number in PARTS else code_of(before(number))
    return Step(number, read_definitions(code_of(number)), read_definitions(begins))


def begin_of(number):
    """The module of a step that has parts to write, without them."""
    module = ModuleText.read(code_of(number))
    for name in PARTS[number]:
        module.drop(name)
    return module


@cache
def code_of(number):
    """The lesson's own code of a step; none before the first."""
    if is_package(number):
        return package_at(number).format()
    return module_path(number).read_text(encoding="utf-8") if number else ""


@dataclass
class Framework:
    """A module, and what is to be said about it: parts that are missing, that the
    learner's own class leaves out, that are as they were in the step before, that stand
    in a cell that does not count, with the reason, and that are the lesson's own.
    """

    step: Step
    module: ModuleText | Package
    missing: list[str]
    left_out: list[str]
    unchanged: list[str]
    broken: dict[str, str]
    ignored: dict[str, str]
    lent: set[str]

    def filled(self):
        """The module with the lesson's own in place of what is missing."""
        return with_own(self.module, self.step, self.missing)


def with_own(module, step, names):
    """A module with the lesson's own parts put in, and the imports that they need."""
    own = read_imports(parse(code_of(step.number)))
    module = module.copy()
    for name in names:
        part = step.definitions[name]
        if part.kind == Kind.CLASS and name in (there := module.definitions):
            # The class is theirs, and so is what it holds beside the lesson's.
            part = Definition(
                Kind.CLASS, complete_class(part.text, name, there, step.definitions)
            )
        module.put(name, part, step.definitions)
        module.add_imports(own, find_globals(part.text))
    return module


def framework(number, found, base, lent=()):
    """Put what a learner has written for a step on top of what they had before.

    Parameters
    ----------
    found : LearnerCode
    base : Module
        Their framework after the step before.
    lent : set of str
        What of that is the lesson's own.
    """
    step, module, had = step_of(number), base.copy(), base.definitions
    if step.is_package:
        module.give(number, before(number))
    else:
        _change_what_is_given(module, step, had)
    # A method that stands by itself goes into its class, which has to be there.
    theirs = [name for name in found.definitions if name in step.definitions]
    for name in sorted(theirs, key=lambda n: found.definitions[n].kind != Kind.CLASS):
        part = found.definitions[name]
        if part.kind == Kind.CLASS:
            for inner in read_definitions(part.text):
                module.drop_attached(inner)
        module.put(name, part, step.definitions)
    for name in step.given:  # an empty method counts as a stub
        if get_owner(name) in found.definitions and name not in module.definitions:
            module.put(name, step.definitions[name], step.definitions)
    _bring_helpers(module, found)
    module.add_imports(found.imports)
    there = module.definitions
    same = {*find_same(there, had)}.difference(step.given)
    broken = {n: said for n, said in found.broken.items() if n in step.definitions}
    unchanged = [n for n in step.changed if n in same]
    lacking = [n for n in step.definitions if n not in there]
    left_out = [n for n in lacking if _is_left_out(n, step, found, there)]
    # A class that is missing as a whole is named once.
    whole = {n for n in lacking if n == get_owner(n) or get_owner(n) not in lacking}
    # What stands in a cell that cannot be read may well have been changed there.
    unread = {n for n in unchanged if get_owner(n) in broken}
    missing = [n for n in step.definitions if n in whole.difference(left_out) | unread]
    undone = {*missing, *unchanged, *map(get_owner, [*missing, *unchanged])}
    ignored = {n: said for n, said in found.ignored.items() if n in undone}
    lent = set(lent) - (found.written - same | found.elsewhere)
    return Framework(step, module, missing, left_out, unchanged, broken, ignored, lent)


def _is_left_out(name, step, found, there):
    """Whether a class that the learner wrote does without something of the lesson's."""
    if get_owner(name) not in there or name in {get_owner(name), *found.stubs}:
        return False
    inside = step.definitions[name].kind in (Kind.METHOD, Kind.ATTRIBUTE)
    return name not in step.added or (inside and get_owner(name) in found.definitions)


def _change_what_is_given(module, step, had):
    for name in step.previous:
        if name not in step.definitions:
            _drop_with_helpers(module, name, step.definitions)
    for name in step.given:
        if get_owner(name) in had:
            module.put(name, step.definitions[name], step.definitions)


def _drop_with_helpers(module, name, known):
    """Take a part out, and what it alone used of the learner's other definitions."""
    if name not in (there := module.definitions):
        return
    used = find_globals(there[name].text)
    module.drop(name)
    for helper in used & set(module.definitions) - set(known):
        if helper not in find_globals(module.body):
            _drop_with_helpers(module, helper, known)


def _bring_helpers(module, found):
    """What the parts use of other things that the learner defines in the notebook."""
    while helpers := [n for n in module.missing_names if n in found.definitions]:
        for name in sorted(helpers):
            module.put_helper(name, found.definitions[name].text)
