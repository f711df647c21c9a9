"""The name ``Module`` for copies of lesson 23 that still import it."""

from ..module_text import ModuleText


class Module:
    of = ModuleText.read
