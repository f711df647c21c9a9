"""A learner in the workshop, who types into notebooks and has them judged."""

import ast
import json
import re
from pathlib import Path
from typing import NamedTuple

from steps.course.definitions import Definition, Kind, cut_text, read_definitions
from steps.course.module_text import put_into_class
from steps.course.workshop import workspace
from steps.course.workshop.package import LAST
from steps.course.workshop.session import accept
from steps.course.workshop.step import get_step, read_code
from steps.course.workshop.stubs import is_placeholder, is_stub
from steps.course.workshop.verdict import judge_attempt
from tests.support.lesson_checks import code_cells, source
from tests.support.sections import sections

WAYS = Path(__file__).with_name("ways")

# In `ways/own.md` and `ways/wrong.md`: the step, the mistake, the expected messages,
# and the code to type.
WAY = re.compile(
    r"^## (\d+) (?:right|wrong: ([^\n]+))\n\n((?:- [^\n]+\n)*)\n*```python\n(.*?)^```$",
    re.M | re.S,
)


class Way(NamedTuple):
    step: int
    what: str
    said: list[str]
    code: str


def ways(name):
    """Read what learners type from a file such as `ways/own.md`."""
    text = (WAYS / name).read_text(encoding="utf-8")
    found = [
        Way(int(step), what, [line[2:] for line in said.splitlines()], code)
        for step, what, said, code in WAY.findall(text)
    ]
    assert len(found) == text.count("\n## "), "a heading or a block is misspelt"
    return found


OWN_WAY = {way.step: way.code for way in ways("own.md")}
OWN_PACKAGE = {way.step: way.code for way in ways("own_package.md")}
OWN_PARTS = {way.step: way.code for way in ways("own_parts.md")}


class Slip(NamedTuple):
    """Return the lesson's code of a definition, with ``old`` replaced by ``new``."""

    step: int
    what: str
    said: list[str]
    old: str
    new: str

    @property
    def code(self):
        step = get_step(self.step)
        texts = [step.definitions[name].text for name in step.to_write]
        methods = [name for name in step.to_write if "." in name]
        attached = [f"{name} = {name.partition('.')[2]}" for name in methods]
        whole = "\n\n\n".join([*texts, *attached])
        if not step.is_package and self.step <= LAST:
            whole = read_code(self.step)
        assert whole.count(self.old) == 1, "this is not once in the lesson's code"
        return whole.replace(self.old, self.new)


def slips(name="slips.md"):
    """Read the slips in a file such as `ways/slips.md`."""
    found = []
    path = WAYS / name
    for title, said, codes in sections(path):
        step, what = title.split(" wrong: ")
        old, new = (code.rstrip("\n") for code in codes)
        found.append(Slip(int(step), what, re.findall("^- (.+)", said, re.M), old, new))
    return found


def as_typed(step, name):
    """Return the lesson's code of a definition, as it is typed into a cell."""
    text = step.definitions[name].text
    owner, _, member = name.partition(".")
    if not member or text.startswith(f"{name} ="):
        return text
    inside = "\n".join(f"    {line}" for line in text.splitlines())
    return f"class {owner}:\n{inside}"


class Learner:
    """Works in a folder, step by step."""

    def __init__(self, place):
        self.place = place

    def open(self, number):
        workspace.sync_notebook(number, self.place)
        return json.loads(self.path(number).read_text(encoding="utf-8"))

    def path(self, number):
        return self.place / f"step{number:02d}.ipynb"

    def own_file(self, number):
        return self.place / f"step{number:02d}.py"

    def cells(self, number):
        """Return the code cells of a freshly opened notebook, as text."""
        return [source(cell) for cell in code_cells(self.open(number))]

    def writes(self, number, *cells):
        """Build an attempt at a step from cells."""
        return workspace.make_attempt(number, cells, self.place)

    def save(self, number, notebook):
        self.path(number).write_text(json.dumps(notebook), encoding="utf-8")

    def types(self, number, code):
        """Open a step, type code where it belongs, and save."""
        notebook = self.open(number)
        type_into(notebook, code)
        self.save(number, notebook)

    def judged(self, number, process=None):
        return judge_attempt(workspace.read_attempt(number, self.place), process)

    def goes_on(self, number, code, process=None):
        """Write a step, have it judged, and go on, whatever the verdict."""
        self.types(number, code)
        verdict = self.judged(number, process)
        accept(verdict, self.place)
        return verdict


def type_into(notebook, code):
    """Write each definition where the notebook has a place for it; others go into a new
    cell above those.
    """
    rest = []
    for node in ast.parse(code).body:
        text = cut_text(code, node)
        if not _typed(notebook, node, text):
            rest.append(text)
    if rest:
        _new_cell(notebook, "\n\n\n".join(rest))


def _typed(notebook, node, text):
    """Type a definition over its stub; return False if it has none."""
    name = getattr(node, "name", None)
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        name = node.targets[0].id
    for cell in code_cells(notebook):
        there = read_definitions(source(cell)) if "TODO step" in source(cell) else {}
        if name not in there:
            continue
        old = there[name].text
        if there[name].kind == Kind.CLASS and not _is_new(there[name].text):
            for member, part in read_definitions(text).items():
                old = put_into_class(old, member, part) if "." in member else old
            text = old
        cell["source"] = source(cell).replace(there[name].text, text)
        return True
    return False


def _is_new(text):
    """Return whether nothing of a class is written yet, so that it is written as a
    whole.
    """
    (node,) = ast.parse(text).body
    methods = [n for n in node.body if isinstance(n, ast.FunctionDef)]
    written = [n for n in methods if not is_stub(n)]
    return all(is_placeholder(Definition(Kind.METHOD, ast.unparse(n))) for n in written)


def _new_cell(notebook, text):
    heads = [source(cell).startswith("## Write it") for cell in notebook["cells"]]
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "source": text}
    notebook["cells"].insert(heads.index(True) + 1, cell | {"execution_count": None})
