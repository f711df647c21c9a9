"""Old names, which still work but raise a warning that gives the new ones."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from .from_pytorch import find_answer, missing_attribute

#: New names of modules, functions and methods, by their old full names. Lessons have
#: shown some of the old ones, and learners' copies still use them.
NAMES = {
    "dezero_lite.book.door": "dezero_alias",
    "dezero_lite.files": "downloads",
    "dezero_lite.func.forward": "jvp_rules",
    "dezero_lite.npz": "array_files",
    "dezero_lite.core.Primitive.on": "apply",
    "dezero_lite.core.backward.fitted": "match_shape_and_dtype",
    "dezero_lite.functions.linear._left": "_grad_of_x",
    "dezero_lite.functions.linear._right": "_grad_of_W",
    "dezero_lite.func.jvp_rules.both_operands": "jvp_binary",
    "dezero_lite.func.jvp_rules.each_for_itself": "jvp_elementwise",
    "dezero_lite.func.jvp_rules.pushed": "apply_jvp_rule",
    "dezero_lite.func.jvp_rules.same_function": "jvp_linear",
    "dezero_lite.func.jvp_rules.transposed_twice": "jvp_by_two_vjps",
}


def old_names_of(module: str) -> Callable[[str], Any]:
    """Make a module's ``__getattr__`` that finds old names and explains PyTorch's."""

    def find(name: str) -> Any:
        old = f"{module}.{name}"
        if old not in NAMES:
            raise missing_attribute(module, name, f"module {module!r}")
        _warn(old)
        thing = getattr(import_module(module), NAMES[old])
        setattr(sys.modules[module], name, thing)  # so that it warns only once
        return thing

    return find


def old_method(old: str) -> Callable[..., Any]:
    """Return a method that works under its old name, with a warning."""

    def method(self: Any, *args: Any) -> Any:
        _warn(old)
        return getattr(self, NAMES[old])(*args)

    return method


class OldModules:
    """A finder for modules under their old names; Python asks it last."""

    def find_spec(self, name: str, *_: Any) -> ModuleSpec | None:
        if name not in NAMES:
            # `from dezero_lite.layers import ReLU` looks for a module ReLU at last.
            package, missing = name.rpartition(".")[::2]
            if answer := find_answer(package, missing):
                raise ImportError(f"{package} has no {missing}: {answer}", name=name)
            return None
        _warn(name)
        return ModuleSpec(name, self)  # type: ignore[arg-type]

    def create_module(self, _: ModuleSpec) -> None:
        """Let Python create a module; `exec_module` replaces it."""

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__] = import_module(_new_name(module.__name__))


def _new_name(old: str) -> str:
    return f"{old.rpartition('.')[0]}.{NAMES[old]}"


def _warn(old: str) -> None:
    # Level 3 is our caller's caller.
    message = f"{old} is now called {_new_name(old)}"
    warnings.warn(message, DeprecationWarning, stacklevel=3)


sys.meta_path.append(OldModules())
