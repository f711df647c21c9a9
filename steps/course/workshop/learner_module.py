"""Load the learner's framework as a module and, from step 23 on, write it as a package,
which can be installed elsewhere.
"""

import importlib
import inspect
import itertools
import keyword
import os
import re
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from .. import capabilities, package_files
from ..capabilities import WORKS
from ..definitions import format_names, list_top_names, read_texts
from ..learner_folder import is_tracked, read_json, write_json, write_tracked
from ..lessons import (
    STEPS,
    CourseError,
    format_command,
    known,
    numbers,
    read_front_matter,
    stem,
)
from ..module_text import ModuleText
from ..student_copies import fill_template, write_new
from . import capabilities_package, split_core, workspace
from .package import (
    FIRST,
    LAST,
    WRITE_LATER,
    Package,
    collect_names,
    exec_module,
    exec_package,
    is_package,
    read_module,
)
from .step import list_given, list_numbers
from .trial import TrialProcess, select_required_rows

NAME = "mine"
TEMPLATES = Path(__file__).with_name("pack")
# In the course, the digits are a file of dezero_lite; an exported package has a copy.
DATA = "digits.npz"
OURS = re.compile(r"( +# The file of dezero_lite.*\n)? +\(folder,\) = find_spec\(.*\n")
PLACE = f'Path(folder) / "data" / "{DATA}"', f'Path(__file__).with_name("{DATA}")'
# Helpers from the table of steps 1 to 32 that the rows use.
HELPERS = ("box", "backward", "expect_error", "expect_unchanged", "derive")


def load_own(number):
    """Load the learner's framework after a step as a module, or the lesson's own if
    they have no file. From step 33 on it is their package, in which the lesson lends
    what they have not written.
    """
    folder = workspace.find_nearby()
    lesson = importlib.import_module(f"{STEPS}.{stem(known(number))}")
    until = number if number in WRITE_LATER else min(number, LAST)
    paths = {n: workspace.get_own_path(n, folder) for n in list_numbers() if n <= until}
    done = [n for n, path in paths.items() if path.exists()]
    if not done or (not is_package(until) and done[-1] != number):
        return lesson
    path = paths[done[-1]]
    try:
        if is_package(until):
            module = _load_package(until, folder)
        else:
            text = path.read_text(encoding="utf-8")
            module = exec_module(f"my_{path.stem}", text, path)
    except Exception as error:
        print(f"Your {path.name} fails, so this is the lesson's instead: {error!r}")
        return lesson
    print(f"This is your own {path.name}.")
    return module


def _load_package(number, folder):
    """Load the learner's package, which re-exports all names of its modules."""
    number = max(n for n in list_numbers() if n <= number)
    whole = workspace.get_framework(number, folder).module.copy_with_attached(number)
    name, file = f"my_{stem(number)}", f"your {stem(number)}.py"
    package = exec_module(name, "", file)
    exec_package(whole.format(), name, file)
    vars(package).update(collect_names(name))
    return package


# --- Writing files --------------------------------------------------------------------


def get_name(folder=None):
    """Return the name of the learner's package."""
    return read_json(workspace.get_stamp(folder)).get(NAME, NAME)


def rename(new, folder=None):
    """Rename the learner's package, and its folder; return a message."""
    others = {"numpy", "steps", "dezero_lite", package_files.NAME}
    taken = new in others or new in sys.stdlib_module_names
    if taken or not new.isidentifier() or keyword.iskeyword(new):
        raise CourseError(f"{new!r} cannot be a package name: choose another one.")
    stamp = workspace.get_stamp(folder)
    last, parent = _find_newest(folder, split_core.LESSON - 1), stamp.parent.parent
    old, package, marks = get_name(folder), parent / new, read_json(stamp)
    if new != old and (parent / old).exists():
        if package.exists():
            raise CourseError(f"{package} already exists: choose another name.")
        (parent / old).rename(package)
        ours, theirs = (os.path.join("..", name, "") for name in (old, new))
        marks = {
            theirs + path[len(ours) :] if path.startswith(ours) else path: mark
            for path, mark in marks.items()
        }
    write_json(stamp, marks | {NAME: new})
    return write_package(last, folder)


def split_up(folder=None):
    """Split the learner's newest core as decided in lesson 23; return a message."""
    message = write_package(_find_newest(folder, split_core.LESSON - 1), folder)
    package = workspace.get_folder(folder).parent / get_name(folder)
    rooms = sorted(path.stem for path in package.glob("core/[!_]*.py"))
    if rooms:
        message += f" Its core has the modules {format_names(rooms)}."
    return message


def write_package(number, folder=None):
    """Write the learner's framework after a step as a package beside the workshop;
    return a message.
    """
    package, room_of = workspace.get_folder(folder).parent / get_name(folder), None
    core, stamp = package / "core.py", workspace.get_stamp(folder)
    # A core.py that the learner has edited stays, so the core is not split.
    if not core.exists() or is_tracked(core, stamp):
        room_of = split_core.read_decision(package.parent)
    text = workspace.read_own_text(number, folder)
    modules, problem = format_files(text, number, room_of)
    texts = {package / f"{name}.py": text for name, text in modules.items()}
    old = {*package.glob("*.py"), *package.glob("core/*.py")}.difference(texts)
    written = write_tracked(texts, stamp)
    for path in old:
        if is_tracked(path, stamp):
            path.unlink()
    message = f"Beside it, `import {package.name}` imports your package.{problem}"
    if kept := [path.name for path in texts if path not in written]:
        message += f" Left alone, because you edited them: {', '.join(kept)}."
    return message


def format_files(text, number, room_of=None):
    """Format the modules of a package, with ``__init__`` and with the core split into
    modules. Returns a dict from name to source, and a message if the core cannot be
    split.
    """
    package = Package({"core": ModuleText.read(text)})
    if number >= FIRST:
        package = read_module(text)
    texts, problem = package.copy_with_attached(number).format_modules(), ""
    listed = ", ".join(f'"{name}"' for name in texts)
    init = (
        f'"""My framework after step {number}."""\n\nfrom . import {", ".join(texts)}\n'
        f"{''.join(itertools.starmap(_import_all, texts.items()))}\n"
        f"ROOMS = [{listed}]\n"
    )
    try:
        if room_of:
            core = split_core.format_rooms(ModuleText.read(texts["core"]), room_of)
            texts |= {f"core/{room}": text for room, text in core.items()}
            del texts["core"]
    except split_core.Circle as circle:
        problem = f" {circle}"
    return {"__init__": init} | texts, problem


def _import_all(room, text):
    """Format the import of a module's names, except any that hides the module."""
    names = [name for name in list_top_names(text) if name[0] != "_"]
    if room not in names:
        return f"from .{room} import *\n"
    listed = "".join(f"    {name},\n" for name in names if name != room)
    return f"from .{room} import (\n{listed})\n"


def _find_newest(folder, first=FIRST):
    """Return the last step whose framework the learner has; raise an error if it comes
    before ``first``.
    """
    frameworks = [n for n in list_numbers() if n <= LAST]
    done = [n for n in frameworks if workspace.read_own_text(n, folder) is not None]
    if not done or done[-1] < first:
        raise CourseError(
            f"This needs step {first}, which is not written yet. "
            f"`{format_command('workshop')}` opens your next step."
        )
    return done[-1]


# --- Packing --------------------------------------------------------------------------


def pack(target=None, folder=None):
    """Write a folder that can be installed: the package, the tests that it passes, a
    list of its capabilities, and examples with pictures. Returns the folder.
    """
    number, name = _find_newest(folder), get_name(folder)
    parent = workspace.get_folder(folder).parent
    target = Path(target or parent / f"{name}-package").resolve()
    if target.exists():
        raise CourseError(f"{target} already exists: name another folder.")
    text = workspace.read_own_text(number, folder)
    with tempfile.TemporaryDirectory() as draft:
        _pack(Path(draft), number, name, text, split_core.read_decision(parent))
        shutil.copytree(draft, target, ignore=shutil.ignore_patterns("__pycache__"))
    return target


def _pack(target, number, package, text, room_of):
    for name, code in format_files(text, number, room_of)[0].items():
        code = OURS.sub("", code).replace(*PLACE)
        write_new(target / package / f"{name}.py", code)
    passed = _list_passed(number, text)
    words = {"name": package, "step": number}
    tests = "\n\n".join(
        [fill_template(TEMPLATES / "tests.txt", words), *_format_tests(passed)]
    )
    write_new(target / "tests" / f"test_{package}.py", tests)
    runs = [
        run for n in numbers() if n <= number and (run := read_front_matter(n).example)
    ]
    if "digits" in runs:
        ours = Path(find_spec("dezero_lite").origin)  # type: ignore[union-attr, arg-type]
        shutil.copy(ours.with_name("data") / DATA, target / package)
    words["runs"] = "\n".join(_run_example(run, target, words) for run in runs)
    words["table"] = "\n".join(f"- {row.name}" for row in passed)
    words["given"] = format_names(list_given(number)) or "nothing"
    words["lent"] = format_names(sorted(workspace.read_lent(text))) or "nothing"
    for file in ("README.md", "pyproject.toml"):
        write_new(target / file, fill_template(TEMPLATES / file, words))


def _list_passed(number, text):
    """List the rows of the table that a framework passes."""
    with TrialProcess() as process:
        table = process.try_out(number, [], text)["table"]
    return [row for row in select_required_rows(number) if table.get(row.name) == WORKS]


def _format_tests(rows):
    """Format rows of the table as tests, with the helpers that they use."""
    helpers = [inspect.getsource(getattr(capabilities, name)) for name in HELPERS]
    passed = {row.probe.__name__ for row in rows}
    for name, text in read_texts(inspect.getsource(capabilities_package)).items():
        if name in passed:
            helpers.append(text.partition("\n")[2].replace("def ", "def test_", 1))
        elif not text.startswith("@since") and name not in ("CAPABILITIES", "since"):
            helpers.append(text)
    return [f"{text.strip()}\n" for text in helpers]


def _run_example(run, target, words):
    """Run an example, which saves a picture; return its entry in the README."""
    example = Path("examples") / f"{run}.py"
    write_new(target / example, fill_template(TEMPLATES / f"{run}.txt", words))
    path = os.pathsep.join(filter(None, [str(target), os.environ.get("PYTHONPATH")]))
    env = os.environ | {"PYTHONPATH": path, "MPLBACKEND": "Agg"}
    command = [sys.executable, str(example)]
    done = subprocess.run(command, cwd=target, env=env, capture_output=True, text=True)
    if done.returncode:
        raise CourseError(f"{example} fails with your package:\n{done.stderr}")
    return f"\n`python {example.as_posix()}`: {done.stdout.strip()}\n\n![]({run}.png)\n"
