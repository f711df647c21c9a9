"""The checks that hold for every lesson.

Each takes what it judges as arguments and returns complaints, a list of texts that is
empty when all is well. So the tests can run it on the course, where it must find
nothing, and on a planted fault, where it must not stay silent.
"""

import ast
import json
import re

import pytest

from steps.course import exercises, sources
from steps.course.definitions import IMPORTS, definitions, pieces
from steps.course.differences import Differences, changes
from steps.course.lessons import Head, notebook_path

SECTIONS = [
    "The problem",
    "The idea",
    "The code",
    "It works",
    "The trap",
    "Exercises",
    "In the real frameworks",
    "Summary",
]
TAGS = {"hide-input", "check", "raises-exception", "nbval-ignore-output"}
WORDS = ["simply", "just", "obviously", "of course", "trivial", "easy to see"]
WIDEST = 88


def code_cells(notebook):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def source(cell):
    return "".join(cell["source"])


def tags(cell):
    return cell["metadata"].get("tags", [])


# --- The built notebook ---------------------------------------------------------------


def not_run_in_order(notebook):
    """nbval passes a notebook that was never executed; this does not."""
    counts = [cell["execution_count"] for cell in code_cells(notebook)]
    expected = list(range(1, len(counts) + 1))
    return (
        []
        if counts == expected
        else [f"the cells are counted {counts}, not {expected}"]
    )


def careless_tags(notebook):
    """A cell that is not compared says why, and an assertion stands under it."""
    complaints = []
    cells = code_cells(notebook)
    for cell, following in zip(cells, [*cells[1:], None], strict=True):
        complaints += [
            f"{cell['id']}: unknown tag {tag}" for tag in set(tags(cell)) - TAGS
        ]
        if "nbval-ignore-output" in tags(cell):
            if not source(cell).startswith("# Not compared:"):
                complaints.append(f"{cell['id']}: is not compared and does not say why")
            if following is None or "assert " not in source(following):
                complaints.append(
                    f"{cell['id']}: is not compared, and no assertion stands under it"
                )
    return complaints


def too_wide(notebook):
    """Code that runs out of the page at notebook width."""
    return [
        f"{cell['id']}: {len(line)} columns: {line}"
        for cell in code_cells(notebook)
        for line in source(cell).splitlines()
        # The list of names that a cell loads is a note for the builder and for IPython.
        if len(line) > WIDEST and not line.startswith("# %load")
    ]


def pictures_without_words(notebook):
    """Pictures that say nothing to a reader who cannot see them."""
    return [
        f"{cell['id']}: its picture needs :alt:, a text that says what it shows"
        for cell in code_cells(notebook)
        if len(cell["metadata"].get("alt", "")) < 40 and _has_picture(cell)
    ]


def _has_picture(cell):
    return any(
        kind.startswith("image/") or "<img" in str(shown)
        for output in cell["outputs"]
        for kind, shown in output.get("data", {}).items()
    )


def minutes(notebook):
    """The time that a lesson takes, as its head states it.

    130 words a minute, 15 visible lines of code a minute (of a difference between two
    steps, and of the package where a cell shows it, as well), 5 minutes for writing the
    step, and 3, 5 and 8 for the exercises.
    """
    words = lines = tasks = 0
    cells = code_cells(notebook)
    shown = dict(
        zip(
            map(id, cells), sources.shown([source(cell) for cell in cells]), strict=True
        )
    )
    for cell in notebook["cells"]:
        if "-links" in cell.get("id", ""):
            continue
        text = exercises.FOLDED_HINT.sub("", source(cell))
        if cell["cell_type"] == "markdown":
            words += len(re.sub(r"\$\$.*?\$\$", "", text, flags=re.DOTALL).split())
            tasks += len(re.findall(r"^### Exercise \d", text, re.MULTILINE))
        elif "hide-input" not in tags(cell):
            for code in [text, *shown[id(cell)]]:
                lines += len([line for line in code.splitlines() if line.strip()])
            for before, after in re.findall(
                r"^steps\.diff\((\d+), (\d+)\)", text, re.M
            ):
                lines += sum(
                    len([line for line in change.lines() if line[1:].strip()])
                    for change in Differences(int(before), int(after)).changes
                )
    # What is to be written is the first exercise, and has its 5 minutes already.
    tasks -= any("## Write it" in source(cell) for cell in notebook["cells"])
    return round(words / 130 + lines / 15 + 5 + sum((3, 5, 8)[:tasks]))


def notebook(number):
    """The notebook of a step, as a dict; a test that needs one that is not there is
    skipped, because another one says so.
    """
    path = notebook_path(number)
    if not path.exists():
        pytest.skip(f"{path.name} is not built: `python -m steps build {number}`")
    return json.loads(path.read_text(encoding="utf-8"))


# --- The lesson -----------------------------------------------------------------------


def misshapen(lesson, written=False):
    """The parts of a lesson, in their order; two exercises at least, each with a
    solution and a check. Where the reader writes the step's heart before it is shown,
    that is the first exercise, in a part of its own.
    """
    parts = re.findall(r"^## (.+)$", lesson, re.MULTILINE)
    wanted = list(SECTIONS)
    if written:
        wanted.insert(SECTIONS.index("The code"), "Write it")
    complaints = [] if parts == wanted else [f"the parts are {parts}"]
    if written and not re.search(
        r"^## Write it\n.*?^### Exercise 1\b", lesson, re.M | re.S
    ):
        complaints.append("what is to be written is not exercise 1")
    exercises = len(re.findall(r"^### Exercise \d", lesson, re.MULTILINE))
    checks = len(re.findall(r"^:tags: \[check\]$", lesson, re.MULTILINE))
    if not 2 <= exercises == checks:
        complaints.append(f"{exercises} exercises, {checks} checks")
    return complaints


def unwritten(lesson):
    """What the skeleton of a lesson leaves to be written."""
    return [line for line in lesson.splitlines() if "TODO" in line]


def unkind_words(lesson):
    """Words that tell a reader who is stuck that it was easy."""
    prose = re.sub(r"```.*?```", "", lesson, flags=re.DOTALL)
    return [
        f"says “{word}”"
        for word in WORDS
        if re.search(rf"\b{word}\b", prose, re.IGNORECASE)
    ]


def unknown_terms(lesson, number, glossary):
    """Terms in bold, which a lesson defines where it first uses them, and which the
    glossary keeps with that step.
    """
    known = {}
    for names, step in re.findall(r"^\*\*(.+?)\*\* \((\d+)\)", glossary, re.MULTILINE):
        known |= dict.fromkeys(names.split(", "), int(step))
    prose = re.sub(r"```.*?```", "", lesson, flags=re.DOTALL)
    terms = set(re.findall(r"\*\*([a-z]\w+(?: \w+){0,2})\*\*", prose))
    steps = {term: known.get(term, known.get(term.removesuffix("s"))) for term in terms}
    return [
        f"{term} is not in the glossary with this step"
        for term in sorted(terms)
        if steps[term] != number
    ]


def not_shown(lesson, before, after):
    """Definitions that the step adds or changes and that no %load line of the lesson
    shows.
    """
    shown = {
        name
        for names in re.findall(r"^# %load -s (\S+) ", lesson, re.MULTILINE)
        for name in names.split(",")
    }
    wanted = [
        change.name
        for change in changes(before, after)
        if change.kind != "removed" and change.name != IMPORTS
    ]
    return [
        f"{name} is not shown"
        for name in wanted
        if not {name, name.split(".")[0]} & shown
    ]


def wrongly_announced(head: Head, before, after):
    """The line under the title against what really changed."""
    found = [change for change in changes(before, after) if change.name != IMPORTS]
    owners = {
        kind: {c.name.split(".")[0] for c in found if c.kind == kind}
        for kind in ("added", "changed", "removed")
    }
    whole = {name for name in owners["added"] if name not in definitions(before)}
    touched = {c.name.split(".")[0] for c in found if c.kind != "removed"} - whole
    announced = {name.split(".")[0] for name in head.new + head.changed} - whole
    complaints = [
        f"{name} is new and not announced" for name in sorted(whole - set(head.new))
    ]
    complaints += [
        f"{name} changed and is not announced" for name in sorted(touched - announced)
    ]
    complaints += [
        f"{name} is announced and did not change"
        for name in sorted(announced - touched)
    ]
    complaints += [
        f"{name} is announced and does not exist"
        for name in head.new + head.changed
        if not _has(after, name)
    ]
    complaints += [
        f"{name} is announced as new and is old"
        for name in head.new
        if _has(before, name)
    ]
    gone = {c.name for c in found if c.kind == "removed" and "." not in c.name}
    return complaints + [
        f"{name}: gone, or not gone" for name in sorted(gone ^ set(head.gone))
    ]


def _has(text, name):
    # A method is defined; a data attribute is assigned to self somewhere in its class.
    if name in definitions(text):
        return True
    owner, _, attribute = name.partition(".")
    return bool(attribute) and f"self.{attribute} =" in definitions(text).get(owner, "")


def from_a_later_step(lesson, number, public=()):
    """Steps, and names of the package, that the reader has not seen."""
    used = {int(found) for found in re.findall(r"\bstep(\d\d)\b", lesson)}
    code = "\n".join(
        re.findall(r"^```\{code-cell\}.*?^```", lesson, re.DOTALL | re.MULTILINE)
    )
    names = set(re.findall(r"(?<!from )\bdezero_lite\.(\w+)", code))
    for imported in re.findall(r"from dezero_lite\S* import (.+)", code):
        names |= set(re.findall(r"\w+", imported))
    # What a lesson shows, it introduces.
    for shown in re.findall(r"steps\.(?:source|side_by_side)\(([^)]+)\)", code):
        names -= set(re.findall(r"\w+", shown))
    complaints = [f"uses step {later}" for later in sorted(used) if later > number]
    return complaints + [
        f"uses {name} of the package" for name in sorted(names - set(public))
    ]


def package_step_not_shown(lesson, own, public, values=()):
    """Functions of a package step that no %load line shows, and public names that
    neither `steps.source` nor `steps.side_by_side` shows. Values, such as a path, have
    no source: the lesson's code uses them.
    """
    loaded = {
        name
        for names in re.findall(r"^# %load -s (\S+) ", lesson, re.MULTILINE)
        for name in names.split(",")
    }
    shown = set(re.findall(r"steps\.source\((\w+)", lesson))
    shown |= set(re.findall(r"steps\.side_by_side\([\w.]+, (\w+)", lesson))
    code = "\n".join(
        line
        for cell in re.findall(r"^```\{code-cell\}.*?^```", lesson, re.S | re.M)
        for line in cell.splitlines()
        if not re.match(r"\s*(from|import|#) ?", line)
    )
    shown |= {name for name in values if re.search(rf"\b{name}\b", code)}
    return [
        f"{name} is not shown"
        for name in [*own, *public, *values]
        if name not in loaded | shown
    ]


# --- The modules ----------------------------------------------------------------------


def drifted(before, after):
    """Definitions that do the same as in the step before, written differently.

    A class's docstring may change along with one of its methods.
    """
    old, new = pieces(before), pieces(after)
    changed = {name for name in new if old.get(name) != new[name]}
    owners = {name.split(".")[0] for name in changed if "." in name}
    return [
        f"{name} differs in letters only"
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
        body = getattr(node, "body", None)
        if (
            isinstance(body, list)
            and body
            and isinstance(node, ast.FunctionDef | ast.ClassDef)
        ):
            first = body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                node.body = body[1:] or [ast.Pass()]
    return ast.dump(tree)


def foreign_imports(text):
    """What a self-contained step imports beside NumPy and the standard library."""
    import sys

    names = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names.append("." * node.level + (node.module or ""))
    allowed = sys.stdlib_module_names | {"numpy"}
    return [f"imports {name}" for name in names if name.split(".")[0] not in allowed]
