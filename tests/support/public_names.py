"""Every public name of the package, the step that introduces it, and what else a
public name needs.

Names that only the book's reader needs stand in book_names.py, and no step has them.
"""

import ast
from importlib import import_module
from inspect import getdoc, isclass, isfunction
from pathlib import Path
from types import ModuleType

import dezero_lite

# Where a name is the same in two modules, the first one here is meant:
# functions.sum_to, not the helper for arrays.
MODULES = [
    "",
    "functions",
    "layers",
    "models",
    "optimizers",
    "datasets",
    "dataloaders",
    "transforms",
    "cuda",
    "utils",
    "player",
    "schedules",
    "tokenizer",
    "parallel",
    "parallel.dask",
    "parallel.mpi",
    "checkpoint",
]


def public_names():
    """Every public name with what it stands for, modules left out."""
    found = {}
    for name in MODULES:
        module = import_module(f"dezero_lite.{name}".rstrip("."))
        for public in module.__all__:
            value = getattr(module, public)
            if not isinstance(value, ModuleType):
                found.setdefault(public, value)
    return found


def functions_kept_back():
    """Functions of ``dezero_lite/functions/`` that its ``__init__`` does not hand on:
    a dict from name to value.

    Files without an ``__all__`` serve the others there; book.py has what the book's
    reader alone needs.
    """
    found = {}
    for path in Path(dezero_lite.functions.__path__[0]).glob("[!_]*.py"):
        module = import_module(f"dezero_lite.functions.{path.stem}")
        for name in getattr(module, "__all__", []):
            if path.stem != "book" and name not in dezero_lite.functions.__all__:
                found[name] = getattr(module, name)
    return found


PACKAGE = ("dezero_lite", "dezero")  # the second as the book's reader calls it


def names_used(text):
    """The names of the package that a test module uses: what it imports from there,
    what it takes out of a module, as in ``F.square``, and what it names as a parameter,
    as in ``"square"``.
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


def still_to_do(name, value, introduced, tested, public=True):
    """What a public name still needs, as a list of sentences; empty if it has it all.

    Parameters
    ----------
    name : str
    value : object
        What the name stands for.
    introduced : collection of str
        The names in the ``__all__`` of the last package step.
    tested : collection of str
        The names that the package's tests use.
    public : bool
        Whether the package hands it on.
    """
    home = getattr(value, "__module__", "dezero_lite")
    tasks = []
    if not public:
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
    """One text for each public name that lacks something."""
    names = public_names()
    kept_back = functions_kept_back()
    found = {
        name: still_to_do(name, value, introduced, tested, name in names)
        for name, value in (kept_back | names).items()
    }
    for name in set(introduced) - set(names):
        found[name] = [
            "It has a step, but the package does not have it. If it was moved, import "
            "it where it was, and list it in `__all__` there; if it is gone, take it "
            "out of its step."
        ]
    return [
        "\n".join(
            [
                f"To do for the public name {name} (CONTRIBUTING.md tells more):",
                *(f"{count}. {task}" for count, task in enumerate(tasks, 1)),
            ]
        )
        for name, tasks in found.items()
        if tasks
    ]
