"""The guards: rules for every lesson.

A guard takes a Lesson and returns a list of complaints, which is empty if all is well.
So the tests can run it on the course, where it must find nothing, and on a planted
fault, where it must find something.
"""

import ast
import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from itertools import zip_longest
from types import ModuleType

import pytest

import dezero_lite
from steps.course import builder, exercises, lessons, sources
from steps.course.definitions import IMPORTS, read_texts, split_module
from steps.course.differences import Differences, compare_modules
from steps.course.lessons import (
    CourseError,
    StepKind,
    is_on_library,
    kind,
    latest,
    numbers,
    of_kind,
    previous,
    read_front_matter,
)
from tests.support import public_names

SECTIONS = ["The problem", "The idea", "The code", "It works", "The trap"]
SECTIONS += ["Exercises", "In the real frameworks", "Summary"]
TAGS = {"hide-input", "check", "raises-exception", "nbval-ignore-output", "one-way"}
WORDS = ["simply", "just", "obviously", "of course", "trivial", "easy to see"]
WIDEST, LONGEST, MOST_NAMES = 88, 45, 10
# Code that draws graphs works for every framework.
TOOLS = {"get_dot_graph", "play", "plot_dot_graph"}
HEAVY_PACKAGES = {"matplotlib", "IPython", "graphviz", "pygraphviz", "PIL", "cupy"}
NO_TEXT = re.compile(r"<IPython\.core\.display\.\w+ object>")
# Names a file beside its module, or runs as a worker in another process.
NEEDS_MODULE = re.compile(r"_file\(|^def \w+\(ring\b")
# Anything that makes a page request something from another host.
ELSEWHERE = re.compile(r"<(?:link|script|img|iframe)[^>]*(?:src|href)=.?.?https?:")
# What a lesson does if its front matter says so; `tests.matrix` reads that.
DOES = {
    "trains": re.compile(r"\.update\(\)"),
    "measures": re.compile(r"\b(?:perf_counter|timeit|tracemalloc|best_time\()"),
}


@dataclass(frozen=True)
class Lesson:
    """A lesson, as the guards see it; `before` is the module that this step continues
    from.
    """

    number: int
    text: str
    notebook: dict
    module: str
    before: str = ""

    @property
    def kind(self):
        return kind(self.number)

    @cached_property
    def header(self):
        return lessons.parse_header(self.text, self.number)

    @cached_property
    def prose(self):
        return re.sub(r"```.*?```", "", self.text, flags=re.DOTALL)

    @cached_property
    def code(self):
        cells = re.findall(r"^```\{code-cell\}.*?^```", self.text, re.DOTALL | re.M)
        return "\n".join(cells)

    @cached_property
    def loaded(self):
        """Return the definitions that %load lines show."""
        lines = re.findall(r"^# %load -s (\S+) ", self.text, re.MULTILINE)
        return {name for names in lines for name in names.split(",")}

    @property
    def written(self):
        """Return whether readers write the step's central definition before it is
        shown.
        """
        heart = read_front_matter(self.number).heart
        return heart == "written" or (not heart and self.kind is StepKind.PACKAGE)


@cache
def lesson(number):
    """Read everything that belongs to a step. A notebook that is not built has no
    cells, which only the guard of the builder reports.
    """

    def module(number):
        return lessons.module_path(number).read_text(encoding="utf-8") if number else ""

    return Lesson(
        number,
        lessons.lesson_path(number).read_text(encoding="utf-8"),
        _notebook(number) if lessons.notebook_path(number).exists() else {"cells": []},
        module(number),
        module(previous(number)),
    )


def stands_alone(number):
    """Return whether the module of a step imports nothing from the project."""
    return kind(number) is not StepKind.PACKAGE and read_front_matter(number).alone


def notebook(number):
    """Read the notebook of a step as a dict; skip the test if it is missing, because
    another test reports that.
    """
    if not lessons.notebook_path(number).exists():
        pytest.skip(f"step {number} is not built: `python -m steps build {number}`")
    return _notebook(number)


def _notebook(number):
    return json.loads(lessons.notebook_path(number).read_text(encoding="utf-8"))


def code_cells(notebook):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def source(cell):
    return "".join(cell["source"])


def tags(cell):
    return cell["metadata"].get("tags", [])


def imported(number):
    return import_module(f"steps.step{number:02d}")


@cache
def public(number):
    """Collect the public names introduced up to a step; the designs come after all
    steps.
    """
    names = public_names.public_names().keys()
    if kind(number) is StepKind.DESIGN:
        return {*names, *dezero_lite.__all__}
    if is_on_library(number):
        return before(number) | (names & {*imported(number).__all__})
    steps = [n for n in of_kind(StepKind.PACKAGE) if n <= number]
    return set(imported(steps[-1]).__all__) if steps else set()


@cache
def before(number):
    """Collect the public names that a package step continues with."""
    last = previous(number)
    if read_front_matter(number).stands_on == "dezero_lite":  # names from earlier steps
        later = [imported(n).__all__ for n in of_kind(StepKind.PACKAGE) if n >= number]
        seen = public(last) | TOOLS | visited(last).difference(*later)
        return public_names.public_names().keys() & seen
    return set() if read_front_matter(number).stands_on else public(last)


@cache
def visited(number):
    """Collect the names of dezero_lite that lessons up to a step visit: one by one, or
    all of a module.
    """
    steps = [n for n in of_kind(StepKind.PACKAGE) if n <= number]
    headers = [lesson(n).header for n in steps if not is_on_library(n)]
    names = {name for header in headers for name in header.new}
    for path in [path for header in headers for path in header.visits]:
        module, _, name = path.rpartition(".")
        names.add(name)
        if module == "dezero_lite":
            names |= set(getattr(import_module(path), "__all__", ()))
    return names & public_names.public_names().keys()


# --- The built notebook ---------------------------------------------------------------


def not_what_the_builder_gives(lesson):
    reason = builder.explain_staleness(lesson.number)
    return [f"{reason}: `python -m steps build {lesson.number}`"] if reason else []


def not_run_in_order(lesson):
    """Every cell was executed; nbval would pass a notebook that never was."""
    counts = [cell["execution_count"] for cell in code_cells(lesson.notebook)]
    expected = list(range(1, len(counts) + 1))
    return [f"the cells are counted {counts}"] if counts != expected else []


def careless_tags(lesson):
    """A cell that is not compared says why, and an assertion follows it."""
    complaints = []
    cells = code_cells(lesson.notebook)
    for cell, following in zip_longest(cells, cells[1:]):
        unknown = sorted(set(tags(cell)) - TAGS)
        complaints += [f"{cell['id']}: unknown tag {tag}" for tag in unknown]
        if "nbval-ignore-output" in tags(cell):
            about = f"{cell['id']}: is not compared"
            comment = re.match(r"(?:#.*\n)*", source(cell))[0]
            if "not compared" not in re.sub(r"\n# ", " ", comment).lower():
                complaints.append(f"{about}, and its first comment does not say why")
            if following is None or "assert " not in source(following):
                complaints.append(f"{about}, and no assertion stands under it")
    return complaints


def unsaid_in_the_front_matter(lesson):
    return [
        f"`{found[0]}` in a cell, and the front matter does not say `{key}: true`"
        for key, does in DOES.items()
        if (found := does.search(lesson.code))
        and not getattr(read_front_matter(lesson.number), key)
    ]


def too_wide(lesson):
    """Find code that is wider than the page of a notebook."""
    return [
        f"{cell['id']}: {len(line)} columns, {WIDEST} fit: {line}"
        for cell in code_cells(lesson.notebook)
        for line in source(cell).splitlines()
        if len(line) > WIDEST
    ]


def pictures_without_words(lesson):
    """Find pictures without information for readers who cannot see them."""
    return [
        f"{cell['id']}: its picture needs :alt:, a text that says what it shows"
        for cell in code_cells(lesson.notebook)
        if len(cell["metadata"].get("alt", "")) < 40 and _has_picture(cell)
    ]


def _has_picture(cell):
    kinds = [kind for output in cell["outputs"] for kind in output.get("data", {})]
    return any(kind.startswith("image/") for kind in kinds)


def without_text(lesson):
    """Find outputs whose only text is Python's repr of an object: nobody could read
    them where HTML is not shown, as in a terminal.
    """
    return [
        f"{cell['id']}: its output has no text but {text}; does it `import steps`?"
        for cell in code_cells(lesson.notebook)
        for output in cell["outputs"]
        if NO_TEXT.match(text := "".join(output.get("data", {}).get("text/plain", "")))
    ]


def asks_another_host(lesson):
    text = json.dumps(lesson.notebook).replace("\\n", " ")
    return [f"{found[0]}" for found in ELSEWHERE.finditer(text)]


def wrong_minutes(lesson):
    if not lesson.notebook["cells"]:
        return []
    counted = minutes(lesson.notebook)
    stated = lesson.header.minutes
    complaints = []
    if stated != counted:
        complaints.append(f"the header says {stated} minutes, and {counted} it takes")
    if counted > LONGEST:
        complaints.append(f"{counted} minutes: cut, fold, or make it two lessons")
    return complaints


def minutes(notebook):
    """Compare the time that a lesson takes with the one in its header.

    130 words per minute, 15 visible lines of code per minute (including differences
    between two steps, and the package's code that a cell shows), 5 minutes for writing
    the step, and 3, 5 and 8 for the exercises.
    """
    words = lines = tasks = 0
    cells = code_cells(notebook)
    for cell, texts in zip(cells, sources.list_shown(cells), strict=True):
        if "hide-input" not in tags(cell):
            lines += sum(map(_full_lines, [source(cell), *texts]))
            lines += _lines_of_differences(source(cell))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown" and "-links" not in cell.get("id", ""):
            text = exercises.FOLDED_HINT.sub("", source(cell))
            words += len(re.sub(r"\$\$.*?\$\$", "", text, flags=re.DOTALL).split())
            tasks += len(re.findall(r"^### Exercise \d", text, re.MULTILINE))
            # It is the first exercise, which already has its 5 minutes.
            tasks -= "## Write it" in text
    return round(words / 130 + lines / 15 + 5 + sum((3, 5, 8)[:tasks]))


def _full_lines(code):
    return len([line for line in code.splitlines() if line.strip()])


def _lines_of_differences(code):
    return sum(
        _full_lines("\n".join(line[1:] for line in change.lines()))
        for steps in re.findall(r"^steps\.diff\((\d+), (\d+)\)", code, re.M)
        for change in Differences(*map(int, steps)).changes
    )


# --- The lesson -----------------------------------------------------------------------


def misshapen(lesson):
    """The parts of a lesson are in order; it has at least two exercises, each with a
    solution and a check. If readers write the step's central definition before it is
    shown, that is the first exercise, in its own part.
    """
    text = lesson.text
    parts = re.findall(r"^## (.+)$", text, re.MULTILINE)
    wanted = list(SECTIONS)
    if lesson.written:
        wanted.insert(SECTIONS.index("The code"), "Write it")
    complaints = [] if parts == wanted else [f"the parts are {parts}, not {wanted}"]
    first = r"^## Write it\n.*?^### Exercise 1\b"
    if lesson.written and not re.search(first, text, re.M | re.S):
        complaints.append("what is to be written is not exercise 1")
    exercises = len(re.findall(r"^### Exercise \d", text, re.MULTILINE))
    checks = len(re.findall(r"^:tags: \[check\]$", text, re.MULTILINE))
    if not 2 <= exercises == checks:
        complaints.append(f"{exercises} exercises, {checks} checks; two at least")
    return complaints


def too_many_names(lesson):
    """A header has no more names of this step or of dezero_lite than the limit."""
    text = lesson.text.partition("| Also new |")[0]
    header = lessons.parse_header(text, lesson.number)
    count = len(header.new) + len(header.visits)
    advice = "move some to a table at the end, | Also new | what it is |"
    return [f"{count} names in the header: {advice}"] if count > MOST_NAMES else []


def unwritten(lesson):
    """Find the placeholders of the skeletons in a lesson and its module."""
    files = (".md", lesson.text), (".py", lesson.module)
    return [
        f"{lessons.stem(lesson.number)}{ending}, line {count}: {line.strip()}"
        for ending, text in files
        for count, line in enumerate(text.splitlines(), start=1)
        if "TODO" in line
    ]


def unkind_words(lesson):
    """Find words that tell readers who are stuck that it was easy."""
    said = [w for w in WORDS if re.search(rf"\b{w}\b", lesson.prose, re.IGNORECASE)]
    return [f"says “{word}”" for word in said]


@cache
def glossary():
    text = (lessons.ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    found = re.findall(r"^\*\*(.+?)\*\* \((\d+)\)", text, re.MULTILINE)
    return {name: int(step) for names, step in found for name in names.split(", ")}


def terms_not_in_the_glossary(lesson):
    """Find terms in bold, which a lesson defines where it first uses them, that the
    glossary does not list with that step.
    """
    known = glossary()
    terms = set(re.findall(r"\*\*([a-z]\w+(?: \w+){0,2})\*\*", lesson.prose))
    return [
        f"{term}: docs/glossary.md needs **{term}** ({lesson.number})"
        for term in sorted(terms)
        if known.get(term, known.get(term.removesuffix("s"))) != lesson.number
    ]


def definitions_not_shown(lesson):
    """Find definitions that the step adds or changes but no %load line shows."""
    found = compare_modules(lesson.before, lesson.module)
    wanted = [c.name for c in found if c.kind != "removed" and c.name != IMPORTS]
    return [
        f"{name} is not shown: {_load(lesson, name)}"
        for name in wanted
        if not {name, name.split(".")[0]} & lesson.loaded
    ]


def _load(lesson, name):
    return f"# %load -s {name} ../steps/{lessons.module_path(lesson.number).name}"


def wrongly_announced(lesson):
    """Compare the line under the title with the actual changes."""
    header, before, after = lesson.header, lesson.before, lesson.module
    found = [
        change for change in compare_modules(before, after) if change.name != IMPORTS
    ]
    added = {c.name.split(".")[0] for c in found if c.kind == "added"}
    whole = {name for name in added if name not in read_texts(before)}
    touched = {c.name.split(".")[0] for c in found if c.kind != "removed"} - whole
    named = [*header.new, *header.changed]
    announced = {name.split(".")[0] for name in named} - whole
    gone = {c.name for c in found if c.kind == "removed" and "." not in c.name}
    said = [
        ("is new and not announced, after **New**", whole - set(header.new)),
        ("changed and is not announced, after **Changed**", touched - announced),
        ("is announced and did not change", announced - touched),
        ("is announced and does not exist", {n for n in named if not _has(after, n)}),
        ("is announced as new and is old", {n for n in header.new if _has(before, n)}),
        ("is gone, and the header does not say so", gone - set(header.gone)),
        ("is said to be gone, and is not", set(header.gone) - gone),
    ]
    return [f"{name} {what}" for what, names in said for name in sorted(names)]


def _has(text, name):
    # Methods are defined; data attributes are assigned to self somewhere in the class.
    if name in read_texts(text):
        return True
    owner, _, attribute = name.partition(".")
    return bool(attribute) and f"self.{attribute} =" in read_texts(text).get(owner, "")


def from_a_later_step(lesson):
    """Find steps, and names of the package, that the reader has not seen."""
    used = {int(found) for found in re.findall(r"\bstep(\d\d)\b", lesson.text)}
    names = set(re.findall(r"(?<!from )(?<!import )\bdezero_lite\.(\w+)", lesson.code))
    for room in re.findall(r"import dezero_lite\.\w+ as (\w+)", lesson.code):
        names |= set(re.findall(rf"\b{room}\.(\w+)", lesson.code))
    for found in re.findall(r"from dezero_lite\S* import (.+)", lesson.code):
        names |= set(re.findall(r"\w+", found))
    # A lesson introduces whatever it shows.
    for shown in re.findall(r"steps\.source\(([^)]+)\)", lesson.code):
        names -= set(re.findall(r"\w+", shown))
    later = [f"uses step {n}" for n in sorted(used) if n > lesson.number]
    modules = {name.partition(".")[0] for name in public_names.MODULES}
    names -= public(lesson.number) | visited(lesson.number) | modules | {"as"}
    return later + [f"uses {name} of the package" for name in sorted(names)]


# --- The modules ----------------------------------------------------------------------


def drifted(lesson):
    """Find definitions that do the same as in the previous step, but are written
    differently.

    A class's docstring may change along with one of its methods.
    """
    if not lesson.before:
        return []
    old, new = split_module(lesson.before), split_module(lesson.module)
    changed = {name for name in new if old.get(name) != new[name]}
    owners = {name.split(".")[0] for name in changed if "." in name}
    return [
        f"{name} differs from step {previous(lesson.number)} in letters only"
        for name in sorted(changed & old.keys() - owners)
        if _same_code(old[name], new[name])
    ]


def _same_code(one, other):
    try:
        return _without_docstrings(one) == _without_docstrings(other)
    except SyntaxError:  # a class without its methods and without a body
        return "".join(one.split()) == "".join(other.split())


def _without_docstrings(text):
    tree = ast.parse(text)
    for node in ast.walk(tree):
        defines = isinstance(node, ast.FunctionDef | ast.ClassDef)
        if defines and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.dump(tree)


def foreign_imports(lesson):
    """Find imports of a self-contained step besides NumPy and the standard library."""
    if not stands_alone(lesson.number):
        return []
    names = []
    for node in ast.walk(ast.parse(lesson.module)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names.append("." * node.level + (node.module or ""))
    allowed = sys.stdlib_module_names | {"numpy"}
    return [f"imports {name}" for name in names if name.split(".")[0] not in allowed]


def stray_names(lesson):
    """Find names that a star import provides although the step does not define them."""
    step, defined = imported(lesson.number), read_texts(lesson.module)
    return [
        f"{name} in `__all__` is not the step's own"
        for name in step.__all__
        if isinstance(getattr(step, name), ModuleType)
        or (stands_alone(lesson.number) and name not in defined)
    ]


def missing_in_all(lesson):
    """Find names that a snapshot defines but a star import does not provide."""
    step = imported(lesson.number)
    own = [n for n, v in vars(step).items() if _home(v) == step.__name__]
    return [
        f"{name} is missing in `__all__`"
        for name in own
        if name not in step.__all__ and not name.startswith("test_")
    ]


def _home(value):
    return getattr(value, "__module__", None)


# Runs in its own process: imports modules, each as if it were the first, and reports
# the effects.
WATCH = """
import contextlib, io, json, sys, threading
import numpy
before, seen, reports = set(sys.modules), [], {}

def hook(event, arguments):
    opening = event == "open" and isinstance(arguments[1], str)
    writing = opening and set(arguments[1]) & set("wax+")
    reaching = ("socket.connect", "socket.bind", "subprocess.Popen", "os.system")
    if writing or event in reaching:
        seen.append(f"{event} {arguments[0]!r}")

sys.dont_write_bytecode = True
sys.addaudithook(hook)
for module in sys.argv[1:]:
    seen.clear()
    running, said = threading.active_count(), io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        __import__(module)
    threads = threading.active_count() - running
    seen += [f"a print of {said.getvalue()!r}"] * bool(said.getvalue())
    seen += [f"{threads} threads"] * bool(threads)
    new = set(sys.modules) - before
    reports[module] = seen[:], sorted({name.split(".")[0] for name in new})
    for name in new:
        del sys.modules[name]
print(json.dumps(reports))
"""


def watched(modules, folder):
    """Return the effects of each module's import, and the packages that it imports."""
    run = [sys.executable, "-c", WATCH, *modules]
    done = subprocess.run(run, cwd=folder, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return json.loads(done.stdout)


@cache
def _imports_of_steps():
    # In a chain, each step begins by importing the previous one, so the last has all.
    last = {latest("stands_on", n): n for n in of_kind(StepKind.PACKAGE)}.values()
    chosen = [n for n in numbers() if kind(n) is not StepKind.PACKAGE or n in last]
    chosen += [n for n in of_kind(StepKind.PACKAGE) if is_on_library(n)]
    with tempfile.TemporaryDirectory() as folder:
        return watched([f"steps.step{n:02d}" for n in chosen], folder)


def noisy_or_heavy_imports(lesson):
    """An import is silent, starts nothing, opens nothing, and is light."""
    found = _imports_of_steps().get(f"steps.step{lesson.number:02d}")
    return heavy(*found, stands_alone(lesson.number)) if found else []


def heavy(seen, packages, alone=False):
    """List complaints about the effects of an import."""
    unwanted = HEAVY_PACKAGES | ({"dezero_lite"} if alone else set())
    return [f"its import makes {what}" for what in seen] + [
        f"its import brings {name}" for name in sorted(unwanted & set(packages))
    ]


# --- Package steps, and designs -------------------------------------------------------


def announced_wrongly(lesson):
    """Compare the names after **New** with the new names of a package step.

    Up to 60, a header may omit small helpers that the package gets, and announces
    visits to dezero_lite.
    """
    own, new, _ = _news(lesson)
    named, needed, known = set(lesson.header.new), {*own, *new}, {*own, *new}
    if not is_on_library(lesson.number):
        needed, known = set(own), known | public_names.public_names().keys()
    missing, extra = sorted(needed - named), sorted(named - known)
    said = [f"{n} is new: the header needs it after **New**" for n in missing]
    return said + [f"{n} is after **New**, and is not new" for n in extra]


def news_not_shown(lesson):
    """Find functions of a package step that no %load line shows, and public names that
    `steps.source` does not show. Values, such as a path, have no source: the lesson's
    code uses them.
    """
    own, new, values = _news(lesson)
    if not is_on_library(lesson.number):
        new = [name for name in new if name in lesson.header.new]
    shown = set(re.findall(r"steps\.source\((?:step\d+\.)?(\w+)", lesson.text))
    step = imported(lesson.number)
    # Another name for the same object, like the book's.
    things = [getattr(step, name) for name in shown & set(step.__all__)]
    shown |= {name for name in new if getattr(step, name) in things}
    lines = lesson.code.splitlines()
    code = "\n".join(ln for ln in lines if not re.match(r"\s*(from|import|#) ?", ln))
    shown |= {name for name in values if re.search(rf"\b{name}\b", code)}
    ways = {name: _load(lesson, name) for name in own}
    ways |= {name: f"steps.source({name})" for name in new}
    ways |= {name: "a cell that uses it" for name in values}
    return [
        f"{name} is not shown: {way}"
        for name, way in ways.items()
        if name not in lesson.loaded | shown
    ]


def _news(lesson):
    """Return the names that the step defines, its public names, and which are
    values.
    """
    own = [name for name in read_texts(lesson.module) if "." not in name]
    step = imported(lesson.number)
    old = set(own) if is_on_library(lesson.number) else before(lesson.number)
    new = sorted({*step.__all__} - old)
    return own, new, [name for name in new if not callable(getattr(step, name))]


def not_cumulative(lesson):
    """Up to 60, a package step begins with the previous one, and none of its names is
    dezero_lite's.
    """
    if is_on_library(lesson.number):
        return []
    step, last = imported(lesson.number), previous(lesson.number)
    names, things = step.__all__, public_names.public_names()
    lost = sorted(before(lesson.number) - set(names))
    same = {n for n in names if n in things and getattr(step, n) is things[n]}
    complaints = [f"{name} of step {last} is missing in `__all__`" for name in lost]
    complaints += [f"{name} is dezero_lite's" for name in sorted(same - TOOLS)]
    twice = sorted({name for name in names if names.count(name) > 1})
    complaints += [f"{name} is twice in `__all__`" for name in twice]
    beginning = f"from .step{last:02d} import *"
    stands_on = read_front_matter(lesson.number).stands_on
    if not stands_on and beginning not in lesson.module:
        complaints.append(f"`{beginning}` is missing")
    return complaints


def not_its_own(lesson):
    """From 69 on, a step exports the names that it defines, and those of dezero_lite
    that no earlier step has introduced.
    """
    if not is_on_library(lesson.number):
        return []
    own, new, _ = _news(lesson)
    step, things = imported(lesson.number), public_names.public_names()
    lost = sorted(set(own) - set(step.__all__))
    old = sorted(before(lesson.number).intersection(new))
    strange = [name for name in new if getattr(step, name) is not things.get(name)]
    complaints = [f"{name} is missing in `__all__`" for name in lost]
    complaints += [f"{name} is in `__all__`, and an earlier step's" for name in old]
    return complaints + [f"{name} is not what dezero_lite has" for name in strange]


def undoes_a_change(lesson):
    """Find imports of what an earlier visible cell defines with a %load line: a reader
    who edits that cell would see no effect. Functions that need their module may be
    imported: those that name a file beside it, or that other processes run.
    """
    own = re.compile(rf"^from steps.step{lesson.number:02d} import (.+)", re.M)
    texts, shown, complaints = read_texts(lesson.module), set(), []
    for cell in code_cells(lesson.notebook):
        again = set(", ".join(own.findall(source(cell))).split(", "))
        complaints += [f"{name} is imported again" for name in sorted(shown & again)]
        if "hide-input" not in tags(cell):
            for names, _ in builder.LOAD.findall(source(cell)):
                shown |= set(names.split(","))
        shown -= {name for name in shown if NEEDS_MODULE.search(texts.get(name, ""))}
    return complaints


def announces_strange_names(lesson):
    """A design announces at least one name, and only names in its own `__all__`."""
    names = imported(lesson.number).__all__
    strange = [f"{n} is not in `__all__`" for n in lesson.header.new if n not in names]
    return strange if lesson.header.new else ["the header has nothing after **New**"]


# --- All of them ----------------------------------------------------------------------

ALWAYS = [misshapen, too_many_names, unwritten, unkind_words, terms_not_in_the_glossary]
ALWAYS += [from_a_later_step, drifted, foreign_imports, stray_names]
ALWAYS += [noisy_or_heavy_imports, not_what_the_builder_gives, not_run_in_order]
ALWAYS += [careless_tags, too_wide, pictures_without_words, asks_another_host]
ALWAYS += [without_text, unsaid_in_the_front_matter, undoes_a_change]
ALWAYS += [wrong_minutes]
OF_KIND = {
    StepKind.SNAPSHOT: [definitions_not_shown, wrongly_announced, missing_in_all],
    StepKind.PACKAGE: [announced_wrongly, news_not_shown, not_cumulative, not_its_own],
    StepKind.DESIGN: [definitions_not_shown, announces_strange_names],
}


def complaints(lesson):
    """Run all guards; return their complaints by name."""
    return [
        f"{guard.__name__.replace('_', ' ')}: {text}"
        for guard in [*ALWAYS, *OF_KIND[lesson.kind]]
        for text in _asked(guard, lesson)
    ]


def _asked(guard, lesson):
    try:
        return guard(lesson)
    except CourseError as error:
        return [str(error)]


def fail_with(complaints):
    """Fail with all complaints at once, if there are any."""
    __tracebackhide__ = True
    if complaints:
        pytest.fail("\n".join(complaints), pytrace=False)
