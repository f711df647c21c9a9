"""The framework package at each step, as one source text with several modules.

From step 33 on the framework is a package. Here it is a single text, in which a line
such as ``# === functions.py`` begins a module. So a step can be compared with the one
before, judged, and kept in one file, like those of steps 1 to 32. The learner can also
take it along as separate files.
"""

import ast
import builtins
import importlib
import linecache
import re
import sys
from dataclasses import dataclass, field
from functools import cache, partial
from types import ModuleType
from typing import Any

from dezero_lite import datasets

from ..definitions import Kind, find_globals, get_owner, read_definitions, read_imports
from ..lessons import (
    LESSONS,
    STEPS,
    StepKind,
    module_path,
    numbers,
    of_kind,
    read_front_matter,
    stem,
)
from ..module_text import ModuleText

# Lowest first.
MODULES = (
    *("core", "utils", "functions", "functions_conv"),
    *("layers", "models", "optimizers", "datasets", "dataloaders"),
    *("attention", "gpt"),
)
FRAMEWORK = LESSONS / "framework"
HEADING = re.compile(r"^# --- (?:Step (\d+))?.*\n+", re.MULTILINE)


@cache
def read_source(module):
    return (FRAMEWORK / f"{module}.py").read_text(encoding="utf-8")


_HEADED = {m: [int(n or 0) for n in HEADING.findall(read_source(m))] for m in MODULES}
_BEGINS = {read_front_matter(n).stands_on: n for n in numbers()}
# The first and the last step that add to the package.
FIRST, LAST = _BEGINS["framework"], max(map(max, _HEADED.values()))
_LEFT = {
    n: read_front_matter(n).write
    for n in numbers()
    if read_front_matter(n).write or read_front_matter(n).workshop
}
# What the learner writes at each step of the package; other new definitions are given.
# Steps that are not listed have nothing to write, and are not in the workshop.
WRITE = {n: names for n, names in _LEFT.items() if n <= LAST}
# What the learner writes in a step's own module after the package; these lessons run on
# dezero_lite. Steps that are not listed have nothing to write.
WRITE_LATER = {n: names for n, names in _LEFT.items() if n > LAST}
# Stage 7: these lessons take only the data sets, which are arrays, from dezero_lite,
# and everything else from the package. The first of them have nothing to write.
STAGE_7 = {n: names for n, names in WRITE.items() if n >= _BEGINS["dezero_lite"]}
# The modules that begin in stage 7, with their first steps.
MODULES_OF_STAGE_7 = {m: n for m, (n, *_) in _HEADED.items() if n in STAGE_7}
# The steps that re-export the package, and a pattern for these and its own modules.
HANDS_ON = [n for n in of_kind(StepKind.PACKAGE) if FIRST <= n <= LAST]
OF_PACKAGE = re.compile(
    rf"{STEPS}\.(framework\.\w+|library|step({'|'.join(map(str, HANDS_ON))}))"
)
TITLE = re.compile(r"^# === (\w+)\.py\n", re.MULTILINE)
OURS = re.compile(r"^from dezero_lite(?!\.datasets\b)[\w.]* import", re.MULTILINE)


def is_package(number):
    """Return whether the learner's framework is a package at a step."""
    return FIRST <= number <= LAST


def read_module(text):
    """Parse source code into a ModuleText or, for several modules, a Package."""
    return Package.read(text) if TITLE.search(text) else ModuleText.read(text)


@dataclass
class Package:
    """The modules of a package, by name; shares most methods with ModuleText."""

    modules: dict[str, ModuleText] = field(default_factory=dict)

    @classmethod
    def read(cls, text):
        texts = TITLE.split(text)[1:]
        pairs = zip(texts[::2], texts[1::2], strict=True)
        return cls({name: ModuleText.read(text) for name, text in pairs})

    def copy(self):
        return Package({name: module.copy() for name, module in self.modules.items()})

    @property
    def body(self):
        return "\n".join(module.body for module in self.modules.values())

    @property
    def definitions(self):
        return {n: d for m in self.modules.values() for n, d in m.definitions.items()}

    @property
    def imports(self):
        return {n: line for m in self.modules.values() for n, line in m.imports.items()}

    @property
    def missing_names(self):
        """The names that no module defines or imports, except those of modules."""
        missing = set().union(*(m.missing_names for m in self.modules.values()))
        return missing - set(self.definitions) - set(MODULES)

    def format(self, docstring=""):
        """Format the whole package as a single file."""
        modules = self.format_modules().items()
        texts = [f"# === {name}.py\n{text}" for name, text in modules]
        return "\n\n".join([f'"""{docstring}"""'] * bool(docstring) + texts)

    def format_modules(self):
        """Format each module, lowest first: a dict from name to source."""
        texts: dict[str, str] = {}
        home: dict[str, str] = {}
        for name in [name for name in MODULES if name in self.modules]:
            texts[name] = self._copy_with_imports(name, home).format()
            # If two modules define the same name, every module above them imports it
            # from the higher of the two.
            home |= dict.fromkeys(self.modules[name].definitions, name)
        return texts

    def _copy_with_imports(self, name, home):
        """Copy a module, and import what it uses from lower modules. A builtin is not
        replaced by an import, unless the lesson's package imports that name from one of
        its modules.
        """
        module = self.modules[name].copy()
        lines = read_module_imports(name).items()
        theirs = {n: line for n, line in lines if line.startswith("from .")}
        module.imports = {n: i for n, i in module.imports.items() if n not in theirs}
        used = find_globals(module.body, True) - set(module.definitions)
        for each in used - set(module.imports):
            if each in theirs:
                module.imports[each] = theirs[each]
            elif each in home and each not in dir(builtins):
                module.imports[each] = f"from .{home[each]} import {each}"
        return module

    # --- Changing ---------------------------------------------------------------------

    def put(self, name, definition, order=()):
        """Put a definition into the same module as in the lesson's package. A helper of
        the learner's goes into the module that defines it or, if it is new, into the
        lowest one that uses it.
        """
        owner, modules = get_owner(name), self.modules.items()
        names = [n for n, m in modules if name in m.missing_names][:1]
        names += [n for n, m in modules if owner in m.definitions]
        home = map_homes().get(owner) or (names or ["core"])[-1]
        self.modules.setdefault(home, ModuleText()).put(name, definition, order)

    def drop_attached(self, name):
        for module in self.modules.values():
            module.drop_attached(name)

    def add_imports(self, imports, wanted=None):
        defined = {*self.definitions, *MODULES}
        lines = {name: line for name, line in imports.items() if name not in defined}
        for module in self.modules.values():
            module.add_imports(lines, wanted)

    def give(self, number, before):
        """Add the definitions that the steps after ``before``, up to ``number``, give
        to the learner. Definitions from steps 1 to 32 stay as they are.
        """
        core = read_definitions(module_path(FIRST - 1).read_text(encoding="utf-8"))
        for name in build_package(number).modules:
            for statement, step in read_introductions(name).items():
                defines = set(read_definitions(statement))
                is_old = name == "core" and defines & set(core)
                is_left = defines & {*WRITE.get(step, ())}
                if before < step <= number and not is_old and not is_left:
                    self._give(name, statement)

    def _give(self, name, statement):
        """Put a statement into a module, replacing those that define the same names."""
        module = self.modules.setdefault(name, ModuleText())
        names = set(read_definitions(statement))
        kept = [s for s in module.statements if not names & set(read_definitions(s))]
        module.statements = [*kept, statement]
        module.imports = read_module_imports(name) | module.imports

    def copy_with_attached(self, until):
        """Copy the package, and add what the modules of the steps attach to classes,
        such as ``Variable.sum``, so that it runs without those modules.
        """
        whole = self.copy()
        for number in [n for n in of_kind(StepKind.PACKAGE) if FIRST <= n <= until]:
            whole._attach(module_path(number).read_text(encoding="utf-8"))
        return whole

    def _attach(self, text):
        of_step = read_definitions(text)
        modules = [self.modules[name] for name in MODULES if name in self.modules]
        for name in [n for n, d in of_step.items() if d.kind == Kind.ATTACHED]:
            used = find_globals(of_step[name].text, True) - {get_owner(name)}
            users = [module for module in modules if used & set(module.definitions)]
            for module in users[-1:]:
                new = sorted(used & set(of_step) - set(module.definitions))
                for line in [of_step[each].text for each in [*new, name]]:
                    if line not in module.statements:
                        module.statements.append(line)


# --- The package at a step ------------------------------------------------------------


@cache
def read_module_imports(module):
    return read_imports(ast.parse(read_source(module)))


@cache
def map_homes():
    """Map each name to its module; if two modules define it, to the lower one."""
    modules = reversed(build_package(LAST).modules.items())
    return {name: home for home, module in modules for name in module.definitions}


@cache
def read_introductions(module):
    """Map each statement of a module to the step that adds it, as the headings in the
    module say.
    """
    steps, number = {}, FIRST
    for statement in ModuleText.read(read_source(module)).statements:
        if heading := HEADING.match(statement):
            number = max(number, int(heading[1] or 0))
        steps[HEADING.sub("", statement)] = number
    return steps


@cache
def build_package(number):
    """Build the lesson's Package as it is at a step."""
    modules = {}
    for name in MODULES:
        steps = read_introductions(name).items()
        if statements := [s for s, step in steps if step <= number]:
            modules[name] = ModuleText(statements, dict(read_module_imports(name)))
    return Package(modules)


# --- Loading modules ------------------------------------------------------------------


def forget_modules():
    """Remove the package, and the steps that re-export it, from ``sys.modules``, so
    that they are imported again.
    """
    for name in [name for name in sys.modules if OF_PACKAGE.fullmatch(name)]:
        parent, _, child = name.rpartition(".")
        del sys.modules[name]
        vars(sys.modules[parent]).pop(child, None)


def load_package(text, number):
    """Load a package from source as ``steps.framework``. Steps imported from now on
    attach their definitions to its classes.
    """
    forget_modules()
    exec_package(text, f"{STEPS}.framework", f"your {stem(number)}.py")
    if number in STAGE_7:
        load_lessons(number)


def collect_names(package):
    """Collect the public names of all modules with their values; if two modules define
    a name, the higher one wins.
    """
    values: dict[str, Any] = {}
    for each in MODULES:
        module = sys.modules.get(f"{package}.{each}")
        values |= {name: vars(module)[name] for name in getattr(module, "__all__", ())}
    return values


def exec_package(text, package, file):
    """Run the modules of a source text as the modules of a package."""
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    titles = [*TITLE.finditer(text)]
    ends = [match.start() for match in titles[1:]] + [len(text)]
    for title, end in zip(titles, ends, strict=True):
        # Blank lines above keep the line numbers of the whole text.
        above = "\n" * text[: title.end()].count("\n")
        exec_module(f"{package}.{title[1]}", above + text[title.end() : end], file)


def exec_module(name, text, file):
    """Run source code as a module, and install it for later imports."""
    module = ModuleType(name)
    module.__package__, module.__file__ = name.rpartition(".")[0] or STEPS, str(file)
    install_module(module)
    exec(compile(text, str(file), "exec"), vars(module))
    return module


def install_module(module):
    """Install a module, so that later imports of its name get this one."""
    sys.modules[module.__name__] = module
    package, _, name = module.__name__.rpartition(".")
    if package:
        setattr(importlib.import_module(package), name, module)


# --- The lessons of stage 7, on the package -------------------------------------------


def load_lessons(number):
    """Load the modules of steps 69 to ``number``, with the package instead of
    dezero_lite, and return the last one. In this process they replace the course's own.
    """
    install_module(_make_library(number))
    for each in range(min(STAGE_7), number + 1):
        path = module_path(each)
        text = OURS.sub("from .library import", path.read_text(encoding="utf-8"))
        module = exec_module(f"{STEPS}.{stem(each)}", text, path)
    return module


def redirect_imports(number, code):
    """Return the code of a cell; in lessons 69 to 74 it imports from the package
    instead of dezero_lite.
    """
    return OURS.sub("from steps.library import", code) if number in STAGE_7 else code


def _make_library(number):
    """Make ``steps.library`` from the package as it is at a step, and dezero_lite's
    data sets.
    """
    library = ModuleType(f"{STEPS}.library")
    vars(library).update({name: getattr(datasets, name) for name in datasets.__all__})
    step60 = importlib.import_module(f"{STEPS}.step60")
    vars(library).update({name: getattr(step60, name) for name in step60.__all__})
    for name in [m for m, first in MODULES_OF_STAGE_7.items() if first <= number]:
        values = vars(importlib.import_module(f"{STEPS}.framework.{name}"))
        vars(library).update({n: v for n, v in values.items() if callable(v)})
    vars(library).update(__getattr__=_refuse_missing, moved=partial(getattr, library))
    return library


def _refuse_missing(name):
    if name.startswith("__"):
        raise AttributeError(name)
    number = next((n for n, names in WRITE.items() if name in names), None)
    writes = f", which step {number} writes" if number else ""
    raise ImportError(f"your package has no {name}{writes}")
