"""Combine the learner's code for a step, their earlier framework, and the lesson's own
code where something is missing.
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
    """A learner's framework after a step, with the state of its definitions.

    ``missing`` has the definitions that are not written yet, ``left_out`` those that
    the learner's own class lacks, ``unchanged`` those that are as in the step before,
    and ``lent`` those lent by the lesson. ``broken`` and ``ignored`` map a name to the
    reason why its cell is not Python or its definition does not count.
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
        """Return the module with the lesson's own code for missing definitions."""
        return lend_definitions(self.module, self.step, self.missing)


def lend_definitions(module, step, names):
    """Return a copy of a module with some of the lesson's own definitions, and the
    imports that they need.
    """
    imports = read_imports(parse(read_code(step.number)))
    module = module.copy()
    for name in names:
        lent, had = step.definitions[name], module.definitions
        if lent.kind == Kind.CLASS and name in had:
            # Keep what the learner's class has in addition to the lesson's.
            text = complete_class(lent.text, name, had, step.definitions)
            lent = Definition(Kind.CLASS, text)
        module.put(name, lent, step.definitions)
        module.add_imports(imports, find_globals(lent.text))
    return module


def build_attempt(number, code, base, lent=()):
    """Add what a learner has written for a step to what they had before.

    Parameters
    ----------
    code : LearnerCode
    base : ModuleText or Package
        Their framework after the step before.
    lent : set of str
        The names in it that the lesson lends.
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
    # A missing class is named once, without its members.
    whole = {n for n in lacking if n == get_owner(n) or get_owner(n) not in lacking}
    # A definition in a cell that is not Python may have been changed there.
    unread = {n for n in unchanged if get_owner(n) in broken}
    missing = [n for n in step.definitions if n in whole.difference(left_out) | unread]
    undone = {*missing, *unchanged, *map(get_owner, [*missing, *unchanged])}
    ignored = {n: why for n, why in code.ignored.items() if n in undone}
    lent = set(lent) - (code.written - same | code.elsewhere)
    return Attempt(step, module, missing, left_out, unchanged, broken, ignored, lent)


def _change_given(module, step, had):
    """Drop the definitions that the step drops, and add given methods to the learner's
    classes.
    """
    for name in step.previous:
        if name not in step.definitions:
            _drop_with_helpers(module, name, step.definitions)
    for name in step.given:
        if get_owner(name) in had:
            module.put(name, step.definitions[name], step.definitions)


def _drop_with_helpers(module, name, known):
    """Drop a definition, and the learner's helpers that only it used."""
    if name not in module.definitions:
        return
    used = find_globals(module.definitions[name].text)
    module.drop(name)
    for helper in used & set(module.definitions) - set(known):
        if helper not in find_globals(module.body):
            _drop_with_helpers(module, helper, known)


def _put_written(module, step, code):
    """Add the learner's definitions for the step, and the helpers that they use."""
    # Classes come first, so that separate methods can go into them.
    names = [name for name in code.definitions if name in step.definitions]
    for name in sorted(names, key=lambda n: code.definitions[n].kind != Kind.CLASS):
        definition = code.definitions[name]
        if definition.kind == Kind.CLASS:
            for inner in read_definitions(definition.text):
                module.drop_attached(inner)
        module.put(name, definition, step.definitions)
    for name in step.given:  # empty ones were removed as stubs
        if get_owner(name) in code.definitions and name not in module.definitions:
            module.put(name, step.definitions[name], step.definitions)
    for name, definition in code.definitions.items():
        # A loop may attach anything, which is known only after it has run.
        if name not in step.definitions and find_setattr(definition.node):
            module.put(name, definition)
    while helpers := [n for n in module.missing_names if n in code.definitions]:
        for name in sorted(helpers):
            module.put(name, code.definitions[name])
    module.add_imports(code.imports)


def _is_left_out(name, step, code, now):
    """Return whether the learner's version of a class lacks one of the lesson's
    definitions.
    """
    if get_owner(name) not in now or name in {get_owner(name), *code.stubs}:
        return False
    is_member = step.definitions[name].is_member
    return name not in step.added or (is_member and get_owner(name) in code.definitions)
