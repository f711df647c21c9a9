"""State that a lesson leaves and its checks read: names, and the attributes of modules,
classes and functions.

All of it is kept in tuples, which an attempt could find but not change. This module
uses nothing from the standard library that an attempt could patch.
"""

import sys
from types import CodeType, FunctionType, ModuleType
from typing import Any

# The packages that lessons use, and the course tool, which is excluded.
PACKAGES, TOOL = ("__main__", "steps", "dezero_lite"), "steps.course"
FUNCTION_ATTRIBUTES = "__code__", "__defaults__", "__kwdefaults__"


class LessonState:
    """Remembers the state that the lesson left, and restores it."""

    def __init__(self):
        self._names: tuple[Any, ...] = ()
        self._attributes: tuple[Any, ...] = ()

    def remember(self, names_before, names):
        """Remember the names that a lesson's cell has bound, and all attributes."""
        changed = find_changes(tuple(names_before.items()), tuple(names.items()))
        kept = ((n, value) for n, value in self._names if n in names)
        self._names = tuple((dict(kept) | dict(changed)).items())
        owners = _find_owners(value for _, value in self._names)
        self._attributes = tuple((x, tuple(_read(x).items())) for x in owners)

    def select_read_names(self, source):
        """Return a dict of the lesson's names that a check reads, directly or through
        functions and classes that the lesson's cells define.
        """
        lesson: dict[str, Any] = dict(self._names)
        selected: dict[str, Any] = {}
        codes = [compile(source, "check", "exec")]
        while codes:
            code = codes.pop()
            codes += (x for x in code.co_consts if isinstance(x, CodeType))
            for name in code.co_names:
                if name in lesson and name not in selected:
                    selected[name] = lesson[name]
                    behind = _find_owners([lesson[name]], packages=PACKAGES[:1])
                    codes += (f.__code__ for f in behind if isinstance(f, FunctionType))
        return selected

    def restore_attributes(self, kept_names):
        """Restore changed attributes, except `kept_names`; return their names."""
        return [
            f"{owner.__name__}.{name}"
            for owner, before in self._attributes
            for name in _restore(owner, dict(before), kept_names)
        ]


def find_changes(before, after, kept_names=()):
    """Return the pairs (name, value) that are new or changed, except `kept_names`."""
    before = dict(before)
    now = ((n, value) for n, value in after if n not in kept_names)
    return tuple((n, value) for n, value in now if value is not before.get(n))


def _find_owners(values, packages=PACKAGES):
    """Find the modules, classes and functions of some packages among values and their
    attributes; by default, also among all loaded modules.
    """
    modules = [x for x in tuple(sys.modules.values()) if isinstance(x, ModuleType)]
    queue = [*values, *(modules if packages is PACKAGES else ())]
    found: dict[int, Any] = {}
    while queue:
        value = queue.pop()
        if id(value) in found or not isinstance(
            value, (ModuleType, type, FunctionType)
        ):
            continue
        is_module = isinstance(value, ModuleType)
        home = str(value.__name__ if is_module else value.__module__)
        if home.partition(".")[0] in packages and not (home + ".").startswith(TOOL):
            found[id(value)] = value
            queue += () if isinstance(value, FunctionType) else vars(value).values()
            if isinstance(value, type):
                accessors = [x for x in vars(value).values() if isinstance(x, property)]
                queue += [x for p in accessors for x in (p.fget, p.fset) if x]
    return tuple(found.values())


def _read(owner):
    if isinstance(owner, FunctionType):
        return {name: getattr(owner, name) for name in FUNCTION_ATTRIBUTES}
    return dict(vars(owner))


def _restore(owner, before, kept_names):
    now = _read(owner)
    changed = [
        name
        for name in before | now
        if name not in kept_names
        and now.get(name) is not before.get(name)
        # Data, such as counters and settings, may change; code may not.
        and (
            isinstance(owner, FunctionType)
            or _acts(before.get(name))
            or _acts(now.get(name))
        )
    ]
    for name in changed:
        if name in before:
            setattr(owner, name, before[name])
        else:
            delattr(owner, name)
    return changed


def _acts(value):
    return callable(value) or hasattr(type(value), "__get__")
