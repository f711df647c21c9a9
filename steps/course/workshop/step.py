"""The definitions of a step, and which of them the learner writes."""

from dataclasses import dataclass
from functools import cache, cached_property

from ..definitions import Definition, Kind, get_owner, read_definitions
from ..lessons import StepKind, kind, module_path, numbers
from ..module_text import ModuleText
from .package import FIRST, WRITE, WRITE_LATER, build_package, is_package
from .stubs import is_placeholder


@dataclass
class Step:
    """The definitions of a step and of the step before it."""

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
        """The names that the learner writes; that of a new class covers its members."""
        new = self.new.difference(self.given)
        alone = {n for n in new if n == get_owner(n) or get_owner(n) not in new}
        alone |= {n for n in new if self.definitions[n].kind == Kind.ATTACHED}
        return [name for name in self.definitions if name in alone]

    @property
    def is_package(self):
        return is_package(self.number)

    @cached_property
    def given(self):
        """The names that the learner need not write: methods that only say what a
        subclass must define and, in the package, every new definition that is not
        listed in WRITE.
        """
        placeholders = [n for n, d in self.definitions.items() if is_placeholder(d)]
        given = [n for n in placeholders if self._differs(n)]
        if self.is_package:
            chosen = {*WRITE[self.number]}
            rest = {n for n in self.new if not {n, get_owner(n)} & chosen}
            given += [n for n in self.definitions if n in rest]
        return given

    def _differs(self, name):
        """Return whether a definition is new or has changed; always False for a class,
        whose members are compared instead.
        """
        definition, previous = self.definitions[name], self.previous.get(name)
        is_class = definition.kind == Kind.CLASS
        return not is_class and not definition.has_same_code(previous)


@cache
def get_step(number):
    """Return the Step with this number."""
    previous = read_code(find_previous(number))
    if number in WRITE_LATER:
        previous = read_beginning(number).body
    return Step(number, *map(read_definitions, (read_code(number), previous)))


@cache
def read_code(number):
    """Return the lesson's own code of a step; empty for step 0."""
    if is_package(number):
        return build_package(number).format()
    return module_path(number).read_text(encoding="utf-8") if number else ""


def read_beginning(number):
    """Read the module of a step after the package, without the definitions that the
    learner writes.
    """
    module = ModuleText.read(read_code(number))
    for name in WRITE_LATER[number]:
        module.drop(name)
    return module


# --- The steps of the workshop --------------------------------------------------------


def list_numbers():
    """List the numbers of the steps that the learner writes in the workshop."""
    written = {*WRITE, *WRITE_LATER}
    return [n for n in numbers() if kind(n) is StepKind.SNAPSHOT or n in written]


def find_previous(number):
    """Return the workshop's step before this one, or 0."""
    return max((n for n in list_numbers() if n < number), default=0)


def list_following(number):
    return [n for n in list_numbers() if n > number]


def list_given(number):
    """List the functions, classes and constants that the steps of the package, up to
    this one, give to the learner.
    """
    steps = [get_step(n) for n in list_numbers() if FIRST <= n <= number]
    names = {n for step in steps for n in step.given if n in step.added}
    return sorted(n for n in names if n == get_owner(n))
