"""Put together what the learner wrote for a step, what they had before, and the
lesson's own where something is missing.
"""

from dataclasses import dataclass

from ..definitions import (
    Definition,
    Kind,
    find_globals,
    find_same,
    find_setattr,
    get_owner,
    parse,
    read_definitions,
    read_imports,
)
from ..module_text import ModuleText, complete_class
from .package import Package
from .step import Step, find_previous, get_step, read_code


@dataclass
class Attempt:
    """A learner's module after a step, and what is to be said about it.

    The names are those of definitions that are missing, that the learner's own class
    leaves out, that are as they were in the step before, and that are lent by the
    lesson; ``broken`` and ``ignored`` say why a cell is not Python or does not count.
    """

    step: Step
    module: ModuleText | Package
    missing: list[str]
    left_out: list[str]
    unchanged: list[str]
    broken: dict[str, str]
    ignored: dict[str, str]
    lent: set[str]

    def fill(self):
        """Get the module with the lesson's own in place of what is missing."""
        return lend_definitions(self.module, self.step, self.missing)


def lend_definitions(module, step, names):
    """Put the lesson's own definitions, and the imports that they need, into a copy."""
    imports = read_imports(parse(read_code(step.number)))
    module = module.copy()
    for name in names:
        lent, had = step.definitions[name], module.definitions
        if lent.kind == Kind.CLASS and name in had:
            # The class is theirs, and so is what it holds beside the lesson's.
            text = complete_class(lent.text, name, had, step.definitions)
            lent = Definition(Kind.CLASS, text)
        module.put(name, lent, step.definitions)
        module.add_imports(imports, find_globals(lent.text))
    return module


def build_attempt(number, code, base, lent=()):
    """Put what a learner has written for a step on top of what they had before.

    Parameters
    ----------
    code : LearnerCode
    base : ModuleText or Package
        Their framework after the step before.
    lent : set of str
        What of that is the lesson's own.
    """
    step, module, had = get_step(number), base.copy(), base.definitions
    if step.is_package:
        module.give(number, find_previous(number))
    else:
        _change_given(module, step, had)
    _put_written(module, step, code)
    now = module.definitions
    same = {*find_same(now, had)}.difference(step.given)
    broken = {n: why for n, why in code.broken.items() if n in step.definitions}
    unchanged = [n for n in step.changed if n in same]
    lacking = [n for n in step.definitions if n not in now]
    left_out = [n for n in lacking if _is_left_out(n, step, code, now)]
    # A class that is missing as a whole is named once.
    whole = {n for n in lacking if n == get_owner(n) or get_owner(n) not in lacking}
    # What stands in a cell that cannot be read may well have been changed there.
    unread = {n for n in unchanged if get_owner(n) in broken}
    missing = [n for n in step.definitions if n in whole.difference(left_out) | unread]
    undone = {*missing, *unchanged, *map(get_owner, [*missing, *unchanged])}
    ignored = {n: why for n, why in code.ignored.items() if n in undone}
    lent = set(lent) - (code.written - same | code.elsewhere)
    return Attempt(step, module, missing, left_out, unchanged, broken, ignored, lent)


def _change_given(module, step, had):
    """Drop what the step drops, and put in what it gives to a class of theirs."""
    for name in step.previous:
        if name not in step.definitions:
            _drop_with_helpers(module, name, step.definitions)
    for name in step.given:
        if get_owner(name) in had:
            module.put(name, step.definitions[name], step.definitions)


def _drop_with_helpers(module, name, known):
    """Drop a definition, and what it alone used of the learner's others."""
    if name not in module.definitions:
        return
    used = find_globals(module.definitions[name].text)
    module.drop(name)
    for helper in used & set(module.definitions) - set(known):
        if helper not in find_globals(module.body):
            _drop_with_helpers(module, helper, known)


def _put_written(module, step, code):
    """Put in what the learner wrote of the step, and what that uses of theirs."""
    # A method that stands by itself goes into its class, which has to be there.
    names = [name for name in code.definitions if name in step.definitions]
    for name in sorted(names, key=lambda n: code.definitions[n].kind != Kind.CLASS):
        definition = code.definitions[name]
        if definition.kind == Kind.CLASS:
            for inner in read_definitions(definition.text):
                module.drop_attached(inner)
        module.put(name, definition, step.definitions)
    for name in step.given:  # an empty method counts as a stub
        if get_owner(name) in code.definitions and name not in module.definitions:
            module.put(name, step.definitions[name], step.definitions)
    for name, definition in code.definitions.items():
        # A loop may attach anything: what it does is seen when it has run.
        if name not in step.definitions and find_setattr(
            parse(definition.text).body[0]
        ):
            module.put(name, definition)
    while helpers := [n for n in module.missing_names if n in code.definitions]:
        for name in sorted(helpers):
            module.put(name, code.definitions[name])
    module.add_imports(code.imports)


def _is_left_out(name, step, code, now):
    """Whether a class that the learner wrote does without something of the lesson's."""
    if get_owner(name) not in now or name in {get_owner(name), *code.stubs}:
        return False
    inside = step.definitions[name].kind in (Kind.METHOD, Kind.ATTRIBUTE)
    return name not in step.added or (inside and get_owner(name) in code.definitions)
