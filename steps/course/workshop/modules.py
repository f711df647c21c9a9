"""Let copies of lesson 23 run that were laid when a ModuleText was a ``Module``."""

from ..module_text import ModuleText


class Module:
    of = ModuleText.read
