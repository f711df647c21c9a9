"""What a learner wrote: as a module, and from step 23 on as a package of files, which
can also be installed elsewhere.
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
from importlib.util import find_spec
from pathlib import Path
from string import Template

from .. import capabilities, learner_folder
from ..capabilities import WORKS
from ..definitions import format_names, read_texts
from ..lessons import STEPS, CourseError, facts, known, numbers, stem, typed
from ..module_text import ModuleText
from ..student_copies import write_new
from . import folder as workshop
from . import growth, split_core
from .framework import given_until, steps
from .package import (
    FIRST,
    LAST,
    PARTS,
    Package,
    execute,
    is_package,
    made,
    module_of,
    names_of_rooms,
)
from .trial import TrialProcess, due

NAME = "mine"
TEMPLATES = Path(__file__).with_name("pack")
# In the course the digits are a file of dezero_lite; a package that leaves has its own.
DATA = "digits.npz"
OURS = re.compile(r"( +# The file of dezero_lite.*\n)? +\(folder,\) = find_spec\(.*\n")
PLACE = f'Path(folder) / "data" / "{DATA}"', f'Path(__file__).with_name("{DATA}")'
# What the rows of the table use of those of steps 1 to 32.
HELPERS = ("box", "backward", "complaint", "made")


def mine(number):
    """The learner's framework after a step, as a module: their file in the workshop, or
    the lesson's own where there is none. From step 33 on it is their package, in which
    the lesson lends what they have not written.
    """
    place = workshop.near()
    lesson = importlib.import_module(f"{STEPS}.{stem(known(number))}")
    until = number if number in PARTS else min(number, LAST)
    done = [n for n in steps() if n <= until and workshop.own_file(n, place).exists()]
    if not done or (not is_package(until) and done[-1] != number):
        return lesson
    path = workshop.own_file(done[-1], place)
    try:
        if is_package(until):
            module = _package(until, place)
        else:
            text = path.read_text(encoding="utf-8")
            module = made(f"my_{path.stem}", text, path)
    except Exception as error:
        print(f"Your {path.name} does not run, so this is the lesson's. {error!r}")
        return lesson
    print(f"This is your own {path.name}.")
    return module


def _package(number, place):
    """The rooms as modules of one that has all their names."""
    number = max(n for n in steps() if n <= number)
    whole = workshop.reached(number, place).module.with_attached(number)
    named, file = f"my_{stem(number)}", f"your {stem(number)}.py"
    package = made(named, "", file)
    execute(whole.format(), named, file)
    vars(package).update(names_of_rooms(named))
    return package


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
    return write(_newest(folder, split_core.LESSON - 1), folder)


def cut_up(folder=None):
    """Cut the learner's newest core by what they decided in lesson 23; say so."""
    said = write(_newest(folder, split_core.LESSON - 1), folder)
    rooms = (workshop.place(folder).parent / name(folder) / "core").glob("[!_]*.py")
    names = format_names(sorted(path.stem for path in rooms))
    return f"{said} Its core has the rooms {names}." if names else said


def write(number, folder=None):
    """Write the learner's framework after a step as a package beside the workshop;
    return what is to be said about it.
    """
    place, homes = workshop.place(folder).parent / name(folder), None
    one_room = place / "core.py"
    # A core of one room that they changed stays, and hides what it is cut into.
    if not one_room.exists() or workshop.is_ours(one_room, folder):
        homes = split_core.read_decision(place.parent)
    rooms, said = files(workshop.own_text(number, folder), number, homes)
    texts = {place / f"{room}.py": text for room, text in rooms.items()}
    old = {*place.glob("*.py"), *place.glob("core/*.py")}.difference(texts)
    written = workshop.write_ours(texts, folder)
    for path in old:
        if workshop.is_ours(path, folder):
            path.unlink()
    said = f"`import {place.name}` beside it is your package.{said}"
    if kept := [path.name for path in texts if path not in written]:
        said += f" You changed {', '.join(kept)}: they stay as they are."
    return said


def files(text, number, homes=None):
    """The texts of the rooms by name, ``__init__`` among them, the core cut into those
    of its pieces; and what is to be said where it cannot be cut.
    """
    package = (
        module_of(text) if number >= FIRST else Package({"core": ModuleText.read(text)})
    )
    rooms, said = package.with_attached(number).files(), ""
    listed_rooms = ", ".join(f'"{room}"' for room in rooms)
    init = (
        f'"""My framework after step {number}."""\n\nfrom . import {", ".join(rooms)}\n'
        f"from .core import *\n\nROOMS = [{listed_rooms}]\n"
    )
    try:
        if homes:
            core = split_core.format_rooms(ModuleText.read(rooms["core"]), homes)
            rooms |= {f"core/{room}": text for room, text in core.items()}
            del rooms["core"]
    except split_core.Circle as circle:
        said = f" {circle}"
    return {"__init__": init} | rooms, said


def _newest(folder, first=FIRST):
    frameworks = [n for n in steps() if n <= LAST]
    done = [n for n in frameworks if workshop.own_text(n, folder) is not None]
    if not done or done[-1] < first:
        raise CourseError(
            f"This needs step {first}, which is not written yet. "
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
        homes = split_core.read_decision(workshop.place(folder).parent)
        _pack(Path(made), number, title, workshop.own_text(number, folder), homes)
        shutil.copytree(made, target, ignore=shutil.ignore_patterns("__pycache__"))
    return target


def _pack(target, number, title, text, homes):
    for room, code in files(text, number, homes)[0].items():
        code = OURS.sub("", code).replace(*PLACE)
        write_new(target / title / f"{room}.py", code)
    passed = _passed(number, text)
    words = {"name": title, "step": number}
    tests = "\n\n".join([_filled("tests.txt", words), *_tests(passed)])
    write_new(target / "tests" / f"test_{title}.py", tests)
    runs = [run for n in numbers() if n <= number and (run := facts(n).example)]
    if "digits" in runs:
        ours = Path(find_spec("dezero_lite").origin)  # type: ignore[union-attr, arg-type]
        shutil.copy(ours.with_name("data") / DATA, target / title)
    words["runs"] = "\n".join(_ran(run, target, words) for run in runs)
    words["table"] = "\n".join(f"- {row.name}" for row in passed)
    words["given"] = format_names(given_until(number)) or "nothing"
    words["lent"] = format_names(sorted(workshop.lent(text))) or "nothing"
    for part in ("README.md", "pyproject.toml"):
        write_new(target / part, _filled(part, words))


def _filled(part, words):
    return Template((TEMPLATES / part).read_text(encoding="utf-8")).substitute(words)


def _passed(number, text):
    """The rows of the table that a framework passes."""
    with TrialProcess() as process:
        found = process.try_out(number, [], text)["table"]
    return [row for row in due(number) if found.get(row.name) == WORKS]


def _tests(rows):
    """The rows of the table as tests, and what they use."""
    helpers = [inspect.getsource(getattr(capabilities, name)) for name in HELPERS]
    passed = {row.probe.__name__ for row in rows}
    for name, text in read_texts(inspect.getsource(growth)).items():
        if name in passed:
            helpers.append(text.partition("\n")[2].replace("def ", "def test_", 1))
        elif not text.startswith("@since") and name not in ("GROWTH", "since"):
            helpers.append(text)
    return [f"{text.strip()}\n" for text in helpers]


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
