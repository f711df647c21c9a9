"""Paths of the course's files, and the front matter and header of each lesson."""

import os
import re
from dataclasses import dataclass, field, fields
from enum import Enum
from functools import cache
from pathlib import Path

# The package of the steps: `steps` in a checkout, `dezero_lite.steps` if installed.
STEPS = __package__.removesuffix(".course")
LESSONS = Path(__file__).resolve().parents[1]
ROOT = LESSONS.parent
NOTEBOOKS = ROOT / "notebooks"
# The map, start.md, comes before the first step and is built like a step.
MAP = 0
FILE = re.compile(r"step(?P<number>\d\d)(?P<ending>\.\w+)")
# Environment variables for every process that runs lessons. Several processes with
# several threads each compete for the cores, and can be ten times slower. NumPy reads
# the variables when it is imported.
KERNELS = {
    "OPENBLAS_NUM_THREADS": "1",
    # As in dezero_lite.keep_memory(): the memory of large arrays is reused.
    "MALLOC_MMAP_THRESHOLD_": str(2**25),
    "MALLOC_TRIM_THRESHOLD_": str(2**26),
}


class CourseError(Exception):
    """An error that the user can fix; the message says how."""


def numbers():
    """Return the numbers of the steps that have a lesson and a module, in order."""
    return sorted(_files(".md") & _files(".py"))


def with_map():
    """Return the numbers of everything that has a notebook: the map, if it exists, and
    the steps.
    """
    return [MAP] * lesson_path(MAP).exists() + numbers()


def find_unpaired_files():
    """Find the steps that lack a lesson or a module; return a list of messages."""
    complaints = []
    for number in sorted(_files(".md") ^ _files(".py")):
        pair = lesson_path(number), module_path(number)
        found, missing = sorted(pair, key=lambda path: not path.exists())
        complaints.append(f"{found.name} needs {missing.name} beside it.")
    return complaints


def _files(ending):
    found = map(FILE.fullmatch, os.listdir(LESSONS))
    return {int(file["number"]) for file in found if file and file["ending"] == ending}


class StepKind(Enum):
    """The kind of a step's module, which decides what is required of the step."""

    SNAPSHOT = "the whole framework as it is at that step, in one file that needs NumPy"
    PACKAGE = "functions of its own, and what the package that grows has by then"
    DESIGN = "the same idea in another design, in one file that needs NumPy"


def one_of(*values):
    """Make a field of FrontMatter with some possible values, the first by default."""
    return field(default=values[0], metadata={"values": values})


@dataclass(frozen=True)
class FrontMatter:
    """The settings of a lesson, from the block ``course:`` in the front matter of its
    ``stepNN.md``. CONTRIBUTING.md explains the keys.
    """

    kind: str = one_of("package", "snapshot", "design")
    stage: int = 0
    stands_on: str = one_of("", "snapshot", "framework", "dezero_lite")
    continues: int = 0
    alone: bool = True
    heart: str = one_of("", "written", "shown")
    write: list[str] = field(default_factory=list)
    asks: dict[str, str] = field(default_factory=dict)
    workshop: bool = False
    example: str = ""
    trains: bool = False
    measures: bool = False
    compiles: bool = False
    change_takes: str = one_of("", "seconds", "minutes")
    shorter: dict[str, str] = field(default_factory=dict)
    question: str = ""
    explains: list[str] = field(default_factory=list)
    card: dict[str, str] = field(default_factory=dict)


BLOCK = re.compile(r"\A(---\n(?:(?!---\n).*\n)*?)(course:.*\n(?:[ #].*\n)*)")


def read_front_matter(number):
    """Read the settings in the front matter of a lesson.

    Raises
    ------
    CourseError
        If the block has an unknown key, or a wrong value.
    """
    path = lesson_path(number)
    return _read_front_matter(path, path.stat().st_mtime_ns)


@cache  # until the file changes
def _read_front_matter(path, _):
    block = BLOCK.match(path.read_text(encoding="utf-8"))
    if not block:
        return FrontMatter()
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        said = yaml.load(block[2], loader)["course"]
    except yaml.YAMLError as error:
        said = " ".join(str(error).split())
    if not isinstance(said, dict):
        raise CourseError(f"{path.name}: `course` needs lines `key: value`, not {said}")
    for key, value in said.items():
        if wrong := _what_is_wrong(key, value):
            raise CourseError(f"{path.name}: `{key}` in `course` {wrong}.")
    return FrontMatter(**said)


def _what_is_wrong(key, value):
    known = {setting.name: setting for setting in fields(FrontMatter)}
    if key not in known:
        return "is unknown; CONTRIBUTING.md lists the settings"
    values, kind = known[key].metadata.get("values"), type(getattr(FrontMatter(), key))
    if values and value not in values:
        return f"must be one of {', '.join(filter(None, values))}, not {value!r}"
    return "" if type(value) is kind else f"must be a {kind.__name__}, not {value!r}"


def drop_course_block(text):
    """Return a lesson's text without the block ``course:``, which is not displayed."""
    return BLOCK.sub(r"\1", text)


def latest(key, number):
    """Return the value of a key in the last lesson up to this one that sets it; None if
    none does.
    """
    said = [getattr(read_front_matter(n), key) for n in numbers() if n <= number]
    return next(filter(None, reversed(said)), None)


@cache
def is_on_library(number):
    """Return whether a package step builds on dezero_lite, not the growing package."""
    return latest("stands_on", number) == "dezero_lite"


def kind(number):
    """Return the StepKind of a step."""
    return StepKind[read_front_matter(number).kind.upper()]


def of_kind(*kinds):
    """Return the numbers of the steps of some kinds, in order."""
    return [number for number in numbers() if kind(number) in kinds]


def previous(number):
    """Return the step that this one continues; 0 if it starts from scratch."""
    if kind(number) is StepKind.DESIGN:
        return read_front_matter(number).continues
    return max((n for n in of_kind(kind(number)) if n < number), default=0)


def known(number):
    """Return the number if the step exists, and raise a CourseError if it does not."""
    if number not in numbers():
        for message in find_unpaired_files():
            if f"step{number:02d}" in message:
                raise CourseError(message)
        raise CourseError(
            f"There is no step {number}. The course has the steps {spans(numbers())}."
        )
    return number


def spans(values):
    """Format sorted integers as ranges: [1, 2, 3, 7] is '1-3, 7'."""
    runs: list[list[int]] = []
    for value in values:
        if runs and value == runs[-1][1] + 1:
            runs[-1][1] = value
        else:
            runs.append([value, value])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def format_command(command):
    """Return the shell command with which a learner runs a command of the course tool.

    A checkout has start.py, which finds the environment by itself; an installed package
    has only the tool.
    """
    if STEPS != "steps":
        return f"python -m {STEPS} {command}"
    way = "" if command.startswith("workshop") else "steps "
    return f"python start.py {way}{command}"


def module_path(number):
    return LESSONS / f"step{number:02d}.py"


def stem(number):
    """Return the name of a step's files without the extension."""
    return "start" if number == MAP else f"step{number:02d}"


def lesson_path(number):
    return LESSONS / f"{stem(number)}.md"


def notebook_path(number):
    return NOTEBOOKS / f"{stem(number)}.ipynb"


@dataclass
class Header:
    """The header of a lesson: its title, and the **Time** line under it."""

    title: str
    minutes: int
    new: list[str]
    changed: list[str]
    gone: list[str]
    visits: list[str]


def read_header(number):
    """Read the header of a lesson.

    The line under the title reads ``**Time** 20 minutes · **Builds on** step 7``,
    followed, if there is anything to list, by ``· **New** `f` · **Changed** `g` ·
    **Gone** `h```. If the lesson visits dezero_lite, it ends with ``· **Visits**
    `dezero_lite.layers.GRU```. It lists at most ten new names; the others are in a
    table at the end of the lesson, whose first column is called *Also new*.
    """
    return parse_header(lesson_path(number).read_text(encoding="utf-8"), number)


def parse_header(text, number):
    """Read the header from the text of a lesson."""
    title = re.search(rf"(?m)^# Step {number}: (.+)$", text)
    line = re.search(r"(?m)^\*\*Time\*\* (\d+) minutes · \*\*Builds on\*\* .+$", text)
    if not title or not line:
        raise CourseError(
            f"{lesson_path(number).name} needs a title `# Step {number}: …` and a "
            "line `**Time** … · **Builds on** …`."
        )
    new, *others = (
        _names(line[0], word) for word in ("New", "Changed", "Gone", "Visits")
    )
    return Header(title[1], int(line[1]), new + _also_new(text), *others)


def _names(line, word):
    part = re.search(rf"\*\*{word}\*\* ([^·]+)", line)
    return re.findall(r"`([^`]+)`", part[1]) if part else []


def _also_new(text):
    rows = re.search(r"^\| Also new \|.*\n((?:\|.*\n?)+)", text, re.MULTILINE)
    cells = re.findall(r"^\|([^|]+)\|", rows[1], re.MULTILINE) if rows else []
    return [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]
