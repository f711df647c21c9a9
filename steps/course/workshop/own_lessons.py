"""Lessons 69 to 74 on the package at ``steps.framework``, which in the workshop is the
learner's own. Of dezero_lite they take the data sets, which are arrays.
"""

import importlib
import re
import sys
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec
from types import ModuleType

from ..lessons import STEPS, module_path, stem

# What the learner writes at each step. What else its part of the rooms has is lent.
WRITE = {
    69: (),
    70: (),
    71: ("causal_mask", "attention_weights", "attention"),
    72: ("MultiHeadAttention",),
    73: ("LayerNorm", "TransformerBlock"),
    74: ("GPT", "generate"),
}
# The rooms of stage 7, and the step with which each begins.
ROOMS = {"attention": 69, "gpt": 74}
OURS = re.compile(r"^from dezero_lite(?!\.datasets\b)[\w.]* import", re.MULTILINE)


class OnThePackage(SourceFileLoader):
    """Runs the module of a step with the package in the place of dezero_lite."""

    def get_code(self, fullname):
        text = OURS.sub("from .library import", self.get_source(fullname) or "")
        return compile(text, self.path, "exec")


def load(step):
    """Make the modules of the steps from 69 up to this one anew, on the package, and
    return the last. The process has them from then on in the place of the course's.
    """
    _take_the_place(_library(step))
    for number in range(min(WRITE), step + 1):
        name = f"{STEPS}.{stem(number)}"
        loader = OnThePackage(name, str(module_path(number)))
        module = module_from_spec(ModuleSpec(name, loader, origin=loader.path))
        module.__file__ = loader.path
        _take_the_place(module)
        loader.exec_module(module)
    return module


def _take_the_place(module):
    sys.modules[module.__name__] = module
    setattr(sys.modules[STEPS], module.__name__.rpartition(".")[2], module)


def _library(step):
    """What the package has by then, in the place of ``steps.library``."""
    library = ModuleType(f"{STEPS}.library")
    step60 = importlib.import_module(f"{STEPS}.step60")
    for name in step60.__all__:
        setattr(library, name, getattr(step60, name))
    for room in [room for room, first in ROOMS.items() if first <= step]:
        there = vars(importlib.import_module(f"{STEPS}.framework.{room}"))
        vars(library).update({n: it for n, it in there.items() if callable(it)})
    public = [name for name in vars(library) if name[0] != "_"]
    vars(library).update(__all__=public, __getattr__=_is_missing)
    return library


def _is_missing(name):
    if name.startswith("__"):
        raise AttributeError(name)
    step = next((n for n, names in WRITE.items() if name in names), None)
    raise ImportError(
        f"your package has no {name}" + (f", which step {step} writes" if step else "")
    )
