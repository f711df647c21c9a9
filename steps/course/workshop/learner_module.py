"""What a learner wrote: as a module, as a text that step 23 can cut up, and from step
33 on as a package of files, which can also be installed elsewhere.
"""

import importlib
import inspect
import json
import keyword
import os
import re
import shutil
import subprocess
import sys
import tempfile
from importlib.machinery import SourceFileLoader
from importlib.util import find_spec
from pathlib import Path
from string import Template
from types import ModuleType

from .. import capabilities, learner_folder
from ..capabilities import WORKS
from ..definitions import definitions
from ..lessons import STEPS, CourseError, known, stem, typed
from ..student_copies import write_new
from . import folder as workshop
from . import growth
from .evidence import due
from .framework import given_until, step_of, steps
from .modules import Module
from .package import FIRST, execute, module_of, names_of_rooms
from .parts import Kind, Part, globals_used, listed, parts
from .trial import TrialProcess

NAME = "mine"
PARTS = Path(__file__).with_name("pack")
# What can be run, and the step that brings the last of what it needs.
RUNS = {"spiral": 48, "digits": 51}
# In the course the digits are a file of dezero_lite; a package that leaves has its own.
DATA = "digits.npz"
OURS = re.compile(r"( +# The file of dezero_lite.*\n)? +\(folder,\) = find_spec\(.*\n")
PLACE = f'Path(folder) / "data" / "{DATA}"', f'Path(__file__).with_name("{DATA}")'
# What the rows of the table use of those of steps 1 to 32.
HELPERS = ("box", "backward", "complaint", "made")
TESTS = '''"""What $name can do."""

import contextlib
import importlib
import io
import tempfile
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import $name


@pytest.fixture
def step():
    """All that $name has."""
    found = {}
    for room in $name.ROOMS:
        module = importlib.import_module(f"$name.{room}")
        found |= {name: getattr(module, name) for name in module.__all__}
    return SimpleNamespace(**found)


'''


def mine(number):
    """The learner's framework after a step, as a module: their file in the workshop, or
    the lesson's own where there is none. From step 33 on it is their package, in which
    the lesson lends what they have not written.
    """
    here = Path.cwd()
    place = here if here.name == "workshop" else here / "workshop"
    lesson = importlib.import_module(f"{STEPS}.{stem(known(number))}")
    done = [n for n in steps() if n <= number and workshop.own_file(n, place).exists()]
    if not done or (number < FIRST and done[-1] != number):
        return lesson
    path = workshop.own_file(done[-1], place)
    try:
        module = _package(number, place) if number >= FIRST else _module(path)
    except Exception as error:
        print(f"Your {path.name} does not run, so this is the lesson's. {error!r}")
        return lesson
    print(f"This is your own {path.name}.")
    return module


def _module(path):
    loader = SourceFileLoader(f"my_{path.stem}", str(path))
    module = ModuleType(loader.name)
    sys.modules[loader.name] = module  # where Python looks for the source of a class
    module.__file__ = str(path)
    loader.exec_module(module)
    return module


def _package(number, place):
    """The rooms as modules of one that has all their names."""
    number = max(n for n in steps() if n <= number)
    whole = workshop.reached(number, place).module.with_attached(number)
    package = ModuleType(f"my_{stem(number)}")
    sys.modules[package.__name__] = package
    execute(whole.text(), package, f"your {stem(number)}.py")
    vars(package).update(names_of_rooms(package.__name__))
    return package


# --- As a text ------------------------------------------------------------------------


def attached_text(module, number):
    """The text of a framework whose signs are all attached, as the lesson's are: what a
    class has inside, or a loop hands to it, stands in a line such as
    ``Variable.__add__ = add``.
    """
    text = Path(module.__file__).read_text(encoding="utf-8")
    found = Module.of(text)
    for name, part in step_of(number).parts.items():
        if part.kind == Kind.ATTACHED:
            _attach(found, module, name)
    return found.text()


def _attach(found, module, name):
    owner, _, sign = name.partition(".")
    there = found.parts().get(name)
    if there and there.kind == Kind.ATTACHED and there.text.startswith(f"{name} ="):
        return
    value = vars(vars(module)[owner]).get(sign)
    names = [n for n, other in vars(module).items() if other is value]
    inside = getattr(value, "__name__", sign)
    is_inside = there and there.kind == Kind.METHOD
    if is_inside and not names and inside not in found.parts():
        found.put(inside, Part(Kind.FUNCTION, there.text))
    found.drop(name)
    line = f"{name} = {(names or [inside])[0]}"
    if line not in found.chunks:
        found.chunks.append(line)


def helpers(text, number):
    """The learner's own definitions in a framework, in two groups: those that need none
    of the lesson's, and, by the name of what uses them first, the others.
    """
    found, known_parts = parts(text), step_of(number).parts
    signs = {n.partition(".")[2] for n in known_parts}
    own = [n for n in found if n not in known_parts and "." not in n and n not in signs]
    framework = {n for n in known_parts if "." not in n}
    low = [n for n in own if not globals_used(found[n].text) & framework]
    uses = {user: globals_used(part.text) for user, part in found.items()}
    high = [n for n in own if n not in low]
    return low, {n: next((u for u in uses if n in uses[u]), n) for n in high}


# --- As files -------------------------------------------------------------------------


def name(folder=None):
    """What the learner calls their package."""
    return learner_folder.read(workshop.place(folder) / workshop.STAMP).get(NAME, NAME)


def rename(new, folder=None):
    """Call it so from now on; the files under the old name stay."""
    taken = new in sys.stdlib_module_names or new in ("numpy", "steps", "dezero_lite")
    if taken or not new.isidentifier() or keyword.iskeyword(new):
        raise CourseError(f"{new!r} cannot be the name of a package: take a new word.")
    stamps = workshop.place(folder) / workshop.STAMP
    marks = learner_folder.read(stamps) | {NAME: new}
    stamps.parent.mkdir(parents=True, exist_ok=True)
    learner_folder.replace(stamps, json.dumps(marks, indent=1) + "\n")
    newest = _newest(folder)
    return write(module_of(workshop.own_text(newest, folder)), newest, folder)


def write(package, number, folder=None):
    """Write the rooms beside the workshop; return what is to be said about it."""
    place = workshop.place(folder).parent / name(folder)
    rooms = files(package, number)
    texts = {place / f"{room}.py": text for room, text in rooms.items()}
    written = workshop.write_ours(texts, folder)
    said = f"`import {place.name}` beside it is your package."
    if kept := [path.name for path in texts if path not in written]:
        said += f" You changed {', '.join(kept)}: they stay as they are."
    return said


def files(package, number):
    """The texts of the rooms by name, ``__init__`` among them."""
    rooms = package.with_attached(number).files()
    listed_rooms = ", ".join(f'"{room}"' for room in rooms)
    init = (
        f'"""My framework after step {number}."""\n\nfrom . import {", ".join(rooms)}\n'
        f"from .core import *\n\nROOMS = [{listed_rooms}]\n"
    )
    return {"__init__": init} | rooms


def _newest(folder):
    done = [n for n in steps() if workshop.own_text(n, folder) is not None]
    if not done or done[-1] < FIRST:
        raise CourseError(
            f"Your framework is a package from step {FIRST} on. "
            f"`{typed('workshop')}` goes on with the way there."
        )
    return done[-1]


# --- To leave -------------------------------------------------------------------------


def pack(target=None, folder=None):
    """Write a folder that can be installed, and shown: the package, the tests that it
    passes, what it can do, and pictures of its runs. Return where it is.
    """
    number, title = _newest(folder), name(folder)
    place = target or workshop.place(folder).parent / f"{title}-package"
    target = Path(place).resolve()
    if target.exists():
        raise CourseError(f"There is a {target} already: name another folder.")
    with tempfile.TemporaryDirectory() as made:
        _pack(Path(made), number, title, workshop.own_text(number, folder))
        shutil.copytree(made, target, ignore=shutil.ignore_patterns("__pycache__"))
    return target


def _pack(target, number, title, text):
    for room, code in files(module_of(text), number).items():
        code = OURS.sub("", code).replace(*PLACE)
        write_new(target / title / f"{room}.py", code)
    passed = _passed(number, text)
    words = {"name": title, "step": number}
    tests = Template(TESTS).substitute(words) + _tests(passed)
    write_new(target / "tests" / f"test_{title}.py", tests)
    runs = [run for run, since in RUNS.items() if since <= number]
    if "digits" in runs:
        ours = Path(find_spec("dezero_lite").origin)  # type: ignore[union-attr, arg-type]
        shutil.copy(ours.with_name("data") / DATA, target / title)
    words["runs"] = "\n".join(_ran(run, target, words) for run in runs)
    words["table"] = "\n".join(f"- {row.name}" for row in passed)
    words["given"] = listed(given_until(number)) or "nothing"
    words["lent"] = listed(sorted(workshop.lent(text))) or "nothing"
    for part in ("README.md", "pyproject.toml"):
        write_new(target / part, _filled(part, words))


def _filled(part, words):
    return Template((PARTS / part).read_text(encoding="utf-8")).substitute(words)


def _passed(number, text):
    """The rows of the table that a framework passes."""
    with TrialProcess() as process:
        found = process.try_out(number, [], text)["table"]
    return [row for row in due(number) if found.get(row.name) == WORKS]


def _tests(rows):
    """The rows of the table as tests, and what they use."""
    helpers = [inspect.getsource(getattr(capabilities, name)) for name in HELPERS]
    passed = {row.probe.__name__ for row in rows}
    for name, text in definitions(inspect.getsource(growth)).items():
        if name in passed:
            helpers.append(text.partition("\n")[2].replace("def ", "def test_", 1))
        elif not text.startswith("@since") and name not in ("GROWTH", "since"):
            helpers.append(text)
    return "\n\n\n".join(text.strip() for text in helpers) + "\n"


def _ran(run, target, words):
    """Let an example run, which leaves a picture; return what is to be said of it."""
    example = Path("examples") / f"{run}.py"
    write_new(target / example, _filled(f"{run}.txt", words))
    path = os.pathsep.join(filter(None, [str(target), os.environ.get("PYTHONPATH")]))
    surroundings = os.environ | {"PYTHONPATH": path, "MPLBACKEND": "Agg"}
    command = [sys.executable, str(example)]
    done = subprocess.run(
        command, cwd=target, env=surroundings, capture_output=True, text=True
    )
    if done.returncode:
        raise CourseError(f"{example} does not run on your package:\n{done.stderr}")
    return f"\n`python {example.as_posix()}`: {done.stdout.strip()}\n\n![]({run}.png)\n"
