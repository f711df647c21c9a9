"""Every public name of the package, the step that introduces it, and what a public name
still lacks.

Names that only readers of the book need are in book_names.ini, and no step has them.
"""

import ast
import sys
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from inspect import getdoc, isclass, isfunction
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType

import dezero_lite
from steps.course.lessons import ROOT
from steps.library import MODULES
from tests.support import sessions


def modules():
    """List every module of the package, including Numba's loops if Numba is
    installed.
    """
    found = walk_packages(dezero_lite.__path__, "dezero_lite.")
    names = ["dezero_lite", *(name for _, name, _ in found)]
    if not find_spec("numba"):
        names.remove("dezero_lite.compiled.kernels")
    return [import_module(name) for name in names]


def public_names():
    """Return every public name with its value, except modules."""
    found = {}
    for name in MODULES:
        module = import_module(f"dezero_lite.{name}".rstrip("."))
        for public in module.__all__:
            value = getattr(module, public)
            if not isinstance(value, ModuleType):
                found.setdefault(public, value)
    return found


def kept_back():
    """Find functions that are public in their file but not exported: a dict from name
    to value.

    They are missing from the file's ``__all__``, or ``functions/__init__.py`` does not
    export them. Functions that other files of the package use, and files without an
    ``__all__``, are internal.
    """
    found = {}
    rooms = dezero_lite.functions.__path__[0]
    files = [f"functions.{path.stem}" for path in Path(rooms).glob("[!_]*.py")]
    for file in {*files, *MODULES} - {""}:
        module = import_module(f"dezero_lite.{file}")
        listed = getattr(module, "__all__", None)
        if listed is None:
            continue
        found |= _forgotten(module)
        if file in files:
            handed_on = dezero_lite.functions.__all__
            found |= {n: getattr(module, n) for n in listed if n not in handed_on}
    return found


def _forgotten(module):
    return {
        name: value
        for name, value in vars(module).items()
        if isfunction(value) and value.__module__ == module.__name__
        if not name.startswith("_") and name not in module.__all__
        if not _is_used_elsewhere(name, value)
    }


def _is_used_elsewhere(name, value):
    # What functions/__init__.py imports, it exports, which does not count as use.
    passing_on = (value.__module__, "dezero_lite.functions")
    return any(
        vars(module).get(name) is value
        for home, module in list(sys.modules.items())
        if home.startswith("dezero_lite") and home not in passing_on
    )


PACKAGE = ("dezero_lite", "dezero")  # the second as the book's reader calls it


def names_used(text):
    """Return the names of the package that a test module uses: those that it imports,
    accesses in a module, as in ``F.square``, or names in a parameter, as in
    ``"square"``.
    """
    modules, used = set(), set()
    nodes = list(ast.walk(ast.parse(text)))
    for node in nodes:
        if isinstance(node, ast.Import):
            found = [a for a in node.names if a.name.startswith(PACKAGE)]
            modules |= {alias.asname or alias.name for alias in found}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found = node.names if node.module.startswith(PACKAGE) else []
            modules |= {alias.asname or alias.name for alias in found}
            used |= {alias.name for alias in found}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            used.add(node.value)
    for node in nodes:
        if isinstance(node, ast.Attribute):
            home = ast.unparse(node.value)
            if home in modules or home.startswith(tuple(f"{p}." for p in PACKAGE)):
                used.add(node.attr)
    return used


@cache
def tested():
    """Collect the names that the package's tests use."""
    files = (ROOT / "tests" / "package").glob("*.py")
    texts = [path.read_text(encoding="utf-8") for path in files]
    pages = (ROOT / "tests" / "package" / "sessions").glob("*.md")
    texts += [sessions.script(path.read_text(encoding="utf-8")) for path in pages]
    return set().union(*map(names_used, texts))


def still_to_do(name, value, introduced, tested, public=True):
    """List in sentences what a public name still lacks.

    Parameters
    ----------
    name : str
    value : object
        The object with this name.
    introduced : collection of str
        The names in the ``__all__`` of the last package step.
    tested : collection of str
        The names that the package's tests use.
    public : bool
        Whether the package exports it.
    """
    home = getattr(value, "__module__", "dezero_lite")
    tasks = []
    if name not in getattr(sys.modules.get(home), "__all__", [name]) and not public:
        tasks.append(
            f"List {name} in `__all__` of {home.replace('.', '/')}.py; if only that "
            "file needs it, let its name begin with an underscore."
        )
    if home.startswith("dezero_lite.functions.") and not public:
        tasks.append(
            f"Import {name} in dezero_lite/functions/__init__.py, and list it in "
            "`__all__` there."
        )
    if (isfunction(value) or isclass(value)) and not getdoc(value):
        tasks.append(f"Write its docstring, in {home}: numpydoc, with shapes.")
    if name not in tested:
        tasks.append("Test it in tests/package/; check_function judges its gradients.")
    if name not in introduced:
        tasks.append(
            "Say which step introduces it: in `__all__` of the step's module and after "
            "**New** in its lesson."
        )
    return tasks


def complaints(introduced, tested):
    """Return a text for each public name that lacks something."""
    names = public_names()
    found = {
        name: still_to_do(name, value, introduced, tested, name in names)
        for name, value in (kept_back() | names).items()
    }
    for name in set(introduced) - set(names):
        found[name] = [
            "It has a step, but the package does not have it. If it was moved, import "
            "it where it was, and list it in `__all__` there; if it is gone, take it "
            "out of its step."
        ]
    texts = []
    for name, tasks in found.items():
        lines = [f"To do for the public name {name} (CONTRIBUTING.md tells more):"]
        lines += [f"{count}. {task}" for count, task in enumerate(tasks, 1)]
        texts += ["\n".join(lines)] * bool(tasks)
    return texts
