"""The package that grows as it is at a step: a text of several rooms.

From step 33 on a framework is a package. Here it is one text, in which a line such as
``# === functions.py`` begins a room, so that a step can be compared with the one
before, be judged, and be kept in one file, like those of steps 1 to 32. What the text
says can also be written as files, which is what a learner takes along.
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
    facts,
    module_path,
    numbers,
    of_kind,
    stem,
)
from ..module_text import ModuleText

# From the lowest one up.
ROOMS = (
    *("core", "utils", "functions", "functions_conv"),
    *("layers", "models", "optimizers", "datasets", "dataloaders"),
    *("attention", "gpt"),
)
FRAMEWORK = LESSONS / "framework"
HEADING = re.compile(r"^# --- (?:Step (\d+))?.*\n+", re.MULTILINE)


@cache
def source(room):
    return (FRAMEWORK / f"{room}.py").read_text(encoding="utf-8")


_HEADED = {room: [int(n or 0) for n in HEADING.findall(source(room))] for room in ROOMS}
_BEGINS = {facts(n).stands_on: n for n in numbers()}
# The package grows from the first of these steps to the last.
FIRST, LAST = _BEGINS["framework"], max(map(max, _HEADED.values()))
_LEFT = {n: facts(n).write for n in numbers() if facts(n).write or facts(n).workshop}
# What is left to the learner at each step; all else that a step brings is given. Steps
# that are not here bring nothing to write, and no lesson that has to run on theirs.
WRITE = {n: names for n, names in _LEFT.items() if n <= LAST}
# What the learner writes of a step's own module, after their package has ended; the
# lesson runs on dezero_lite. A step that is not here has nothing to write.
PARTS = {n: names for n, names in _LEFT.items() if n > LAST}
# Stage 7: of dezero_lite these lessons take the data sets, which are arrays; all else
# that they need is the package, on which the first of them write nothing.
STAGE_7 = {n: names for n, names in WRITE.items() if n >= _BEGINS["dezero_lite"]}
# Its rooms, and the step with which each begins.
ROOMS_OF_STAGE_7 = {r: first for r, (first, *_) in _HEADED.items() if first in STAGE_7}
# The modules that are the package, and those that hand it on.
HANDS_ON = [n for n in of_kind(StepKind.PACKAGE) if FIRST <= n <= LAST]
PLACE = re.compile(
    rf"{STEPS}\.(framework\.\w+|library|step({'|'.join(map(str, HANDS_ON))}))"
)
TITLE = re.compile(r"^# === (\w+)\.py\n", re.MULTILINE)
OURS = re.compile(r"^from dezero_lite(?!\.datasets\b)[\w.]* import", re.MULTILINE)


def is_package(step):
    """Whether the framework of a step is a package, and the learner's own."""
    return FIRST <= step <= LAST


def module_of(text):
    """The module, or the package, that a text describes."""
    return Package.read(text) if TITLE.search(text) else ModuleText.read(text)


@dataclass
class Package:
    """The rooms of a package, each a module as text; what a Module can do, it can."""

    rooms: dict[str, ModuleText] = field(default_factory=dict)

    @classmethod
    def read(cls, text):
        found = TITLE.split(text)[1:]
        texts = zip(found[::2], found[1::2], strict=True)
        return cls({room: ModuleText.read(text) for room, text in texts})

    def format(self, docstring=""):
        """The whole, as it is kept in one file."""
        rooms = [f"# === {room}.py\n{text}" for room, text in self.files().items()]
        return "\n\n".join([f'"""{docstring}"""'] * bool(docstring) + rooms)

    def files(self):
        """The texts of the rooms, the lowest first."""
        found: dict[str, str] = {}
        names: dict[str, str] = {}
        for room in [room for room in ROOMS if room in self.rooms]:
            found[room] = self._with_imports(room, names).format()
            # Of two rooms that have a name, the higher one's is taken from then on.
            names |= dict.fromkeys(self.rooms[room].definitions, room)
        return found

    @property
    def body(self):
        return "\n".join(module.body for module in self.rooms.values())

    def copy(self):
        return Package({room: module.copy() for room, module in self.rooms.items()})

    @property
    def definitions(self):
        return {n: p for m in self.rooms.values() for n, p in m.definitions.items()}

    @property
    def missing_names(self):
        """Names that no room defines or imports, and that are no room's name."""
        missing = set().union(*(m.missing_names for m in self.rooms.values()))
        return missing - set(self.definitions) - set(ROOMS)

    # --- Changing ---------------------------------------------------------------------

    def put(self, name, part, order=()):
        """Put a part into the room that it has in the small package."""
        there = [r for r, m in self.rooms.items() if get_owner(name) in m.definitions]
        room = homes().get(get_owner(name)) or (there or ["core"])[-1]
        self.rooms.setdefault(room, ModuleText()).put(name, part, order)

    def drop_attached(self, name):
        for module in self.rooms.values():
            module.drop_attached(name)

    def put_helper(self, name, text):
        """Put a helper into the lowest room that uses it."""
        users = [m for m in self.rooms.values() if name in m.missing_names]
        users[0].put_helper(name, text)

    def add_imports(self, source, wanted=None):
        defined = {*self.definitions, *ROOMS}
        source = {name: source[name] for name in source if name not in defined}
        for module in self.rooms.values():
            module.add_imports(source, wanted)

    def give(self, step, before):
        """Put in what the steps after one bring up to another, and do not leave to the
        learner. What steps 1 to 32 have made stays as it is.
        """
        core = read_definitions(module_path(FIRST - 1).read_text(encoding="utf-8"))
        for room in package_at(step).rooms:
            for chunk, brought in introduced(room).items():
                defines = set(read_definitions(chunk))
                is_old = room == "core" and defines & set(core)
                is_left = defines & {*WRITE.get(brought, ())}
                if before < brought <= step and not is_old and not is_left:
                    self._give(room, chunk)

    def _give(self, room, chunk):
        """Put a statement into a room in place of what defines the same."""
        module = self.rooms.setdefault(room, ModuleText())
        names = set(read_definitions(chunk))
        kept = [c for c in module.statements if not names & set(read_definitions(c))]
        module.statements = [*kept, chunk]
        module.imports = imports_of(room) | module.imports

    def with_attached(self, step):
        """A copy with what the steps themselves attach to classes, such as the sum to
        `Variable`: what runs without them.
        """
        whole = self.copy()
        for number in [n for n in of_kind(StepKind.PACKAGE) if FIRST <= n <= step]:
            whole._attach(module_path(number).read_text(encoding="utf-8"))
        return whole

    def _attach(self, text):
        own = read_definitions(text)
        rooms = [self.rooms[room] for room in ROOMS if room in self.rooms]
        for name in [name for name, part in own.items() if part.kind == Kind.ATTACHED]:
            used = find_globals(own[name].text, True) - {get_owner(name)}
            homes = [room for room in rooms if used & set(room.definitions)]
            for room in homes[-1:]:
                new = sorted(used & set(own) - set(room.definitions))
                lines = [own[each].text for each in [*new, name]]
                room.statements += [
                    line for line in lines if line not in room.statements
                ]

    # --- Imports ----------------------------------------------------------------------

    def _with_imports(self, room, lower):
        """A room with the imports of what it takes from rooms below; what Python has by
        itself is Python's, unless the small package takes it from a room here.
        """
        module = self.rooms[room].copy()
        own = imports_of(room).items()
        theirs = {name: line for name, line in own if line.startswith("from .")}
        module.imports = {n: i for n, i in module.imports.items() if n not in theirs}
        used = find_globals(module.body, True) - set(module.definitions)
        for name in used - set(module.imports):
            if name in theirs:
                module.imports[name] = theirs[name]
            elif name in lower and name not in dir(builtins):
                module.imports[name] = f"from .{lower[name]} import {name}"
        return module


# --- What there is at a step ----------------------------------------------------------


@cache
def imports_of(room):
    return read_imports(ast.parse(source(room)))


@cache
def homes():
    """From each name to its room; of two rooms that have it, to the lower one."""
    rooms = reversed(package_at(LAST).rooms.items())
    return {name: room for room, module in rooms for name in module.definitions}


@cache
def introduced(room):
    """From each statement of a room to the step that brings it, as the heading above
    says.
    """
    found, step = {}, FIRST
    for chunk in ModuleText.read(source(room)).statements:
        if heading := HEADING.match(chunk):
            step = max(step, int(heading[1] or 0))
        found[HEADING.sub("", chunk)] = step
    return found


@cache
def package_at(step):
    """The small package as it is at a step."""
    rooms = {}
    for room in ROOMS:
        chunks = [c for c, brought in introduced(room).items() if brought <= step]
        if chunks:
            rooms[room] = ModuleText(chunks, dict(imports_of(room)))
    return Package(rooms)


# --- As modules -----------------------------------------------------------------------


def forget():
    """Let the steps, and the small package, be imported anew."""
    for name in [name for name in sys.modules if PLACE.fullmatch(name)]:
        parent, _, child = name.rpartition(".")
        del sys.modules[name]
        vars(sys.modules[parent]).pop(child, None)


def load(text, step):
    """Let the rooms of a text take the place of the small package, for the steps that
    are imported from now on: they attach to its classes what they bring.
    """
    forget()
    execute(text, f"{STEPS}.framework", f"your {stem(step)}.py")
    if step in STAGE_7:
        load_lessons(step)


def names_of_rooms(package):
    """All that the rooms define, by name; of two that have a name, the higher one's."""
    found: dict[str, Any] = {}
    for room in ROOMS:
        module = sys.modules.get(f"{package}.{room}")
        found |= {name: vars(module)[name] for name in getattr(module, "__all__", ())}
    return found


def execute(text, package, file):
    """Run the rooms of a text as modules of a package."""
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    titles = [*TITLE.finditer(text)]
    ends = [match.start() for match in titles[1:]] + [len(text)]
    for title, end in zip(titles, ends, strict=True):
        # Blank lines above, so that lines have the numbers that they have in the text.
        above = "\n" * text[: title.end()].count("\n")
        made(f"{package}.{title[1]}", above + text[title.end() : end], file)


def made(name, text, file):
    """Run a text as a module, which who imports it gets from then on."""
    module = ModuleType(name)
    module.__package__, module.__file__ = name.rpartition(".")[0] or STEPS, str(file)
    take_the_place(module)
    exec(compile(text, str(file), "exec"), vars(module))
    return module


def take_the_place(module):
    """From now on, who imports this module of the course gets this one."""
    sys.modules[module.__name__] = module
    package, _, name = module.__name__.rpartition(".")
    if package:
        setattr(importlib.import_module(package), name, module)


# --- The lessons of stage 7, on the package -------------------------------------------


def load_lessons(step):
    """Make the modules of the steps from 69 up to this one anew, with the package in
    the place of dezero_lite, and return the last. The process has them from then on in
    the place of the course's.
    """
    take_the_place(_library(step))
    for number in range(min(STAGE_7), step + 1):
        path = module_path(number)
        text = OURS.sub("from .library import", path.read_text(encoding="utf-8"))
        module = made(f"{STEPS}.{stem(number)}", text, path)
    return module


def on_the_package(step, code):
    """A cell of a lesson, which from 69 to 74 imports from the package what it imports
    from dezero_lite elsewhere.
    """
    return OURS.sub("from steps.library import", code) if step in STAGE_7 else code


def _library(step):
    """What the package has by then, and the data sets of dezero_lite, in the place of
    ``steps.library``.
    """
    library = ModuleType(f"{STEPS}.library")
    vars(library).update({name: getattr(datasets, name) for name in datasets.__all__})
    step60 = importlib.import_module(f"{STEPS}.step60")
    vars(library).update({name: getattr(step60, name) for name in step60.__all__})
    for room in [room for room, first in ROOMS_OF_STAGE_7.items() if first <= step]:
        there = vars(importlib.import_module(f"{STEPS}.framework.{room}"))
        vars(library).update({n: it for n, it in there.items() if callable(it)})
    vars(library).update(__getattr__=_is_missing, moved=partial(getattr, library))
    return library


def _is_missing(name):
    if name.startswith("__"):
        raise AttributeError(name)
    step = next((n for n, names in WRITE.items() if name in names), None)
    raise ImportError(
        f"your package has no {name}" + (f", which step {step} writes" if step else "")
    )
