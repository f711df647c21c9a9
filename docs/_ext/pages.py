"""Write the pages of the site that are made from the course: lessons, stages, the API.

They are written to ``docs/lessons``, ``docs/course`` and ``docs/api``, which git
ignores. The glossary stays in its file, and gets its links during the build.
"""

import importlib
import inspect
import json
import re
import shutil
import sys
from functools import cache
from html import escape
from pathlib import Path
from types import ModuleType

import colab
import front
from address import repository

from steps.course import exercises, overview
from steps.course.lessons import (
    MAP,
    StepKind,
    is_on_library,
    kind,
    lesson_path,
    notebook_path,
    numbers,
    read_front_matter,
    read_header,
    stem,
)

# The public modules, in order: later ones build on earlier ones.
ROOMS = {
    "dezero_lite": "Variables and functions",
    "dezero_lite.functions": "Functions",
    "dezero_lite.layers": "Layers",
    "dezero_lite.models": "Models",
    "dezero_lite.optimizers": "Optimizers",
    "dezero_lite.datasets": "Data sets",
    "dezero_lite.dataloaders": "Loaders",
    "dezero_lite.transforms": "Transforms",
    "dezero_lite.func": "Function transforms",
    "dezero_lite.schedules": "Learning rates",
    "dezero_lite.tokenizer": "Tokens",
    "dezero_lite.checkpoint": "Checkpoints",
    "dezero_lite.pytorch": "PyTorch's weights",
    "dezero_lite.onnx": "ONNX files",
    "dezero_lite.parallel": "More than one processor",
    "dezero_lite.parallel.dask": "On the workers of Dask",
    "dezero_lite.parallel.mpi": "On MPI",
    "dezero_lite.compiled": "Compiled loops",
    "dezero_lite.player": "The player",
    "dezero_lite.cuda": "GPU",
    "dezero_lite.utils": "Tools",
}


DOCS = Path(__file__).parents[1]

# The modules with which a page of the reference begins; the others follow by name.
FIRST = [
    "dezero_lite.core.variable",
    "dezero_lite.core.function",
    "dezero_lite.core.arrays",
    "dezero_lite.core.settings",
    "dezero_lite.layers.layer",
    "dezero_lite.models.model",
    "dezero_lite.datasets.dataset",
]


def write(docs):
    """Write all pages to the folder of the site's sources."""
    for name in ("lessons", "course", "api"):
        shutil.rmtree(docs / name, ignore_errors=True)
        (docs / name).mkdir()
    write_lessons(docs / "lessons")
    front.write(docs / "course")
    if known := repository():
        colab.write(docs / "course" / "away" / "notebooks", known.url)
    write_stages(docs / "course")
    write_api(docs / "api")


def lead_to_lessons(app, page, text):
    """Change links to a lesson's Markdown file, meant for readers of the files, to
    links to its page.
    """
    text[0] = re.sub(r"\(\.\./steps/(step\d\d)\.md\)", r"(lessons/\1.ipynb)", text[0])
    if page == "glossary":
        text[0] = linked_glossary(text[0])


# --- lessons --------------------------------------------------------------------------


def write_lessons(folder):
    for number in [MAP, *numbers()]:
        book = json.loads(notebook_path(number).read_text(encoding="utf-8"))
        terms = terms_of(number)
        for cell in book["cells"]:
            if cell["cell_type"] == "code":
                describe_pictures(cell)
                lead_to_pages(cell)
                name_fold(cell)
            else:
                cell["source"] = lead_to_terms("".join(cell["source"]), terms)
        if number != MAP and (used := api_links(number)):
            book["cells"].append(markdown(f"{stem(number)}-api", used))
        (folder / f"{stem(number)}.ipynb").write_text(json.dumps(book), "utf-8")


def describe_pictures(cell):
    """Pass on the description and width of pictures: myst-nb reads them from the cell,
    not from the output.
    """
    image = {"alt": cell["metadata"].get("alt")}
    for output in cell["outputs"]:
        if width := output.get("metadata", {}).get("image/png", {}).get("width"):
            image["width"] = f"{width}px"
    if said := {key: value for key, value in image.items() if value}:
        cell["metadata"].setdefault("mystnb", {})["image"] = said


def lead_to_pages(cell):
    """Change links to notebooks, in a cell's outputs, to links to the site's pages."""
    for output in cell["outputs"]:
        if page := output.get("data", {}).get("text/html"):
            text = re.sub(r'(href="step\d\d)\.ipynb"', r'\1.html"', "".join(page))
            output["data"]["text/html"] = text


def name_fold(cell):
    """Label a folded cell with the kind of its contents."""
    what = what_is_in(cell)
    words = {"code_prompt_show": f"Show: {what}", "code_prompt_hide": f"Hide: {what}"}
    if exercises.FOLDED in cell["metadata"].get("tags", []):
        cell["metadata"].setdefault("mystnb", {}).update(words)


def what_is_in(cell):
    text = "".join(cell["source"])
    if exercises.is_check(cell):
        return "check"
    if exercises.is_solution(text):
        return "solution"
    if text.startswith("# %load"):
        return "full listing"
    drawn = any("image/png" in output.get("data", {}) for output in cell["outputs"])
    return "code of the picture" if drawn else "code"


def markdown(name, text):
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": text}


def api_links(number):
    """Return links from a lesson to the names that it adds to the package."""
    names = [name for name, step in introduced().items() if step == number]
    links = [
        f"{{py:obj}}`{name} <{path}>`"
        for name in names
        if (path := documented().get(name))
    ]
    return f"## In the reference\n\n{', '.join(links)}\n" if links else ""


def beginning(number):
    """Return the lines under the title of a lesson: its place in the course, and links
    to it in other places.
    """
    stages = dict(enumerate(overview.read_stages(), 1))
    where = next(n for n, stage in stages.items() if number in stage.steps)
    words = f"Step {number} of {len(numbers())} · stage {where}, {stages[where].title}"
    return f'<p class="where">{escape(words)}</p>{away(number)}'


def away(number):
    """Return links to the lesson in other places; an empty string if unpublished."""
    if not (known := repository()):
        return ""
    name = notebook_path(number).name
    ways = {"Run it in Colab": known.colab(name), "On Binder": known.binder}
    ways["Download"] = f"../notebooks/{name}"
    links = [f'<a href="{escape(to)}">{words}</a>' for words, to in ways.items() if to]
    return f'<p class="ways">{"".join(links)}</p>'


# --- the glossary ---------------------------------------------------------------------

TERM = re.compile(r"^\*\*(?P<words>.+?)\*\* \((?P<step>\d+)\):", re.MULTILINE)


@cache
def glossary():
    """Map each term to the step that introduces it and to its anchor on the page."""
    text = (DOCS / "glossary.md").read_text(encoding="utf-8")
    return {
        word: (int(found["step"]), place(found["words"]))
        for found in TERM.finditer(text)
        for word in found["words"].split(", ")
    }


def place(words):
    """Return the anchor of a term, for links from any page."""
    return "term-" + re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")


def linked_glossary(text):
    """Return the glossary with a clickable index, the stages as headings, and a link
    from each term to its step.
    """
    begins = {min(stage.steps): stage for stage in overview.read_stages()}
    stages = {
        first: f"Stage {count}: {stage.title}"
        for count, (first, stage) in enumerate(begins.items(), 1)
    }
    seen = set()

    def with_place(found):
        number = int(found["step"])
        head = [stages[n] for n in sorted(stages) if n <= number and n not in seen]
        seen.update(n for n in stages if n <= number)
        lines = [f"## {head[-1]}", ""] if head else []
        step = f"[step {number}](lessons/{stem(number)}.ipynb)"
        lines += [f"({place(found['words'])})=", f"**{found['words']}** ({step}):"]
        return "\n".join(lines)

    words = sorted(glossary().items(), key=lambda item: item[0].lower())
    alphabet = " · ".join(f"[{word}](#{where})" for word, (_, where) in words)
    first = TERM.search(text).start()
    terms = TERM.sub(with_place, text[first:])
    terms = re.sub(
        r" \((\d+)\)(?!:)",
        lambda found: f" ([step {found[1]}](lessons/{stem(int(found[1]))}.ipynb))",
        terms,
    )
    return f"{text[:first]}{alphabet}\n\n{terms}"


def terms_of(number):
    """Return the terms that a lesson introduces, with their anchors in the glossary."""
    return {word: where for word, (step, where) in glossary().items() if step == number}


def lead_to_terms(text, terms):
    """Link the bold terms of a lesson's text to the glossary."""

    def linked(found):
        where = terms.get(found[1], terms.get(found[1].removesuffix("s")))
        return f"[{found[0]}](#{where})" if where else found[0]

    return re.sub(r"\*\*([a-z][^*\n]*)\*\*(?!\])", linked, text)


# --- stages ---------------------------------------------------------------------------


def write_stages(folder):
    """Write a page for each stage, with its lessons in the sidebar, and a page that
    links to all stages.
    """
    lines = ["# The course by stage", ""]
    toctree = ["../lessons/start"]
    for count, stage in enumerate(overview.read_stages(), 1):
        hours = sum(read_header(number).minutes for number in stage.steps) / 60
        title = f"Stage {count}: {stage.title}"
        gain = f"By the end, {stage.gain} Its lessons take about {hours:.0f} hours."
        page = [f"# {title}", "", gain, "", *table(stage), ""]
        page += contents(f"../lessons/{stem(number)}" for number in stage.steps)
        (folder / f"stage{count}.md").write_text("\n".join(page), "utf-8")
        lines += [f"## [{title}](stage{count}.md)", "", gain, ""]
        lines += [", ".join(map(link, stage.steps)), ""]
        toctree.append(f"stage{count}")
    text = "\n".join([*lines, *contents(toctree)])
    (folder / "index.md").write_text(text, "utf-8")


def table(stage):
    """Return a table of a stage's steps: their questions, minutes and new names."""
    rows = [
        "| step | the question it answers | minutes | new names |",
        "| :--- | :--- | ---: | :--- |",
    ]
    for number in stage.steps:
        new = ", ".join(f"`{name}`" for name in read_header(number).new)
        minutes = read_header(number).minutes
        rows.append(f"| {link(number)} | {question(number)} | {minutes} | {new} |")
    return rows


def link(number):
    """Return a link to a lesson, from the pages of the stages."""
    return f"[{number}. {read_header(number).title}](../lessons/{stem(number)}.ipynb)"


def contents(places):
    """Return a table of contents that is shown only in the sidebar."""
    return ["```{toctree}", ":hidden:", ":maxdepth: 1", "", *places, "```", ""]


def question(number):
    """Return the question that a step answers: the one in its front matter, or else
    the last in the summary of the step before, or else the first sentence of the
    lesson.
    """
    if asked := read_front_matter(number).question:
        return asked
    if number - 1 in numbers():
        summary = lesson_path(number - 1).read_text("utf-8").rpartition("## Summary")[2]
        if asked := re.findall(r"[A-Z][^.?!]*\?", summary):
            return " ".join(asked[-1].split())
    text = lesson_path(number).read_text("utf-8").partition("\n# Step ")[2]
    return re.split(r"(?<=[.!?])\s", text.partition("\n\n")[2].strip())[0]


# --- the API --------------------------------------------------------------------------


# Attributes that only the framework's own classes use.
PRIVATE = ("repr_names", "state_names", "learn_sizes")

# Autodoc shows no special methods; a line describes the most important ones.
SIGNS = """Signs: ``+`` and ``*`` come in :doc:`step 20 <../lessons/step20>`, arrays and
numbers on either side in :doc:`step 21 <../lessons/step21>`, ``-``, ``/`` and ``**`` in
:doc:`step 22 <../lessons/step22>`, ``@`` in :doc:`step 41 <../lessons/step41>`, and
``x[0]`` in :doc:`step 47 <../lessons/step47>`. ``len(x)`` and ``print(x)`` work since
:doc:`step 19 <../lessons/step19>`."""


def write_api(folder):
    toctree, rows = [], {}
    for room, title in ROOMS.items():
        module = importlib.import_module(room)
        page = room.replace(".", "-")
        toctree.append(page)
        lines = [f"# {title}", "", f"```{{eval-rst}}\n.. module:: {room}\n```", ""]
        lines += prose(inspect.getdoc(module))
        files = by_file(room)
        for path, names in files.items():
            if len(files) > 1:
                heading, rest = of_a_file(path)
                lines += [f"## {heading}", ""] if heading != title else []
                lines += prose(rest)
            for name in names:
                lines += [directive(room, name), ""]
                rows[name] = (
                    f"| {{py:obj}}`{name} <{room}.{name}>` | "
                    f"{summary(room, name)} | {step_link(name)} |"
                )
        (folder / f"{page}.md").write_text("\n".join(lines), "utf-8")
    text = [
        "# Reference",
        "",
        "Every public name, with the step that introduces it. A name leads to what it",
        "takes, returns and raises.",
        "",
        "| name | what it is | step |",
        "| :--- | :--- | ---: |",
        *(rows[name] for name in sorted(rows, key=str.lower)),
        "",
        *contents(toctree),
    ]
    (folder / "index.md").write_text(rst_roles("\n".join(text)), "utf-8")


def by_file(room):
    """Return the names of a module by the file that defines them, in the order in which
    the file does. The core files come first.
    """
    module = importlib.import_module(room)
    files = {}
    for name in module.__all__:
        if documented().get(name) == f"{room}.{name}":
            path = getattr(getattr(module, name), "__module__", None) or room
            files.setdefault(path, []).append(name)
    ordered = sorted(sorted(files), key=lambda path: [*FIRST, path].index(path))
    return {
        path: sorted(files[path], key=lambda name: line_of(getattr(module, name)))
        for path in ordered
    }


def line_of(value):
    """Return the line at which a class or a function is defined; 0 for other values."""
    code = inspect.isclass(value) or inspect.isfunction(value)
    return inspect.getsourcelines(value)[1] if code else 0


def of_a_file(path):
    """Return the docstring of a file as a heading (its first words) and the rest."""
    text = inspect.getdoc(sys.modules[path])
    heading, rest = re.split(r"[.:](?:\s|$)", text, maxsplit=1)
    rest = rest.strip()
    return " ".join(heading.split()), rest[:1].upper() + rest[1:]


def prose(text):
    """Return a file's docstring as reStructuredText, with steps linked to lessons."""

    def linked(found):
        return found[1] + re.sub(
            r"\d+", lambda n: f":doc:`{n[0]} <../lessons/{stem(int(n[0]))}>`", found[2]
        )

    text = re.sub(r"\b([Ss]teps?\s)(\d+(?:(?:–|,\s|\sand\s)\d+)*)", linked, text)
    # Interpreted text has to end before a space or punctuation.
    text = text.replace("`–:doc:", "`\\ –\\ :doc:")
    return ["```{eval-rst}", text, "```", ""] if text else []


def directive(room, name):
    value = getattr(importlib.import_module(room), name)
    lines = [f".. autofunction:: {room}.{name}"]
    if not callable(value):
        # Not autodata, which would show the value on this machine.
        number = first_met()[name]
        step = f":doc:`step {number} <../lessons/{stem(number)}>`"
        lines = [
            f".. data:: {name}",
            "",
            f"   {constant(room, name)} Introduced in {step}.",
        ]
    if inspect.isclass(value):
        lines = [f".. autoclass:: {room}.{name}", "   :members:"]
        lines.append(f"   :exclude-members: {', '.join(PRIVATE)}")
        if any(base.__name__ in documented() for base in value.__bases__):
            lines.append("   :show-inheritance:")
    return "\n".join(["```{eval-rst}", *lines, "```"])


def summary(room, name):
    """Return the first sentence of a docstring, or of the comment above a constant."""
    value = getattr(importlib.import_module(room), name)
    words = inspect.getdoc(value) if callable(value) else constant(room, name)
    text = re.split(r"(?<=[.!?])\s", " ".join(words.split()))[0]
    return text.replace("|", r"\|")


def constant(room, name):
    """Return the comment above a constant, in the file that assigns it."""
    for path in sorted((DOCS.parent / "dezero_lite").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if found := re.search(rf"^#: (.+)\n{name}\b.* = ", text, re.MULTILINE):
            return found[1]
    raise LookupError(f"{room}.{name} has no line of words, `#: …`, above it")


def step_link(name):
    number = first_met()[name]
    return f"[{number}](../lessons/{stem(number)}.ipynb)"


def rst_roles(text):
    """Replace double backquotes and roles in a docstring with Markdown."""
    text = re.sub(r":(?:mod|func|class|meth):`~?([\w.]+)`", r"`\1`", text)
    return re.sub(r"``([^`\n]+)``", r"`\1`", text)


@cache
def documented():
    """Map each public name to the full name under which the reference lists it. A name
    in two modules is listed under the one that is not the package itself.
    """
    found = {}
    for room in sorted(ROOMS, key=lambda room: room == "dezero_lite"):
        module = importlib.import_module(room)
        for name in module.__all__:
            if not isinstance(getattr(module, name), ModuleType):
                found.setdefault(name, f"{room}.{name}")
    return found


@cache
def introduced():
    """Map each public name of dezero_lite to the step that introduces it: up to step
    60, the step that adds it to the growing package, or a lesson that visits it.
    """
    found = {}
    # Sorted so that steps on the library come last: a visit to a module includes names
    # that they introduce.
    for number in sorted(numbers(), key=lambda number: not is_on_library(number)):
        if kind(number) is StepKind.PACKAGE:
            names = {*importlib.import_module(f"steps.{stem(number)}").__all__}
            if not is_on_library(number):
                names |= {*read_header(number).new, *visited(number)}
            for name in sorted(names & documented().keys()):
                found.setdefault(name, number)
    return found


def visited(number):
    """Yield the names of dezero_lite that a lesson visits, alone or in a module."""
    for path in read_header(number).visits:
        module, _, name = path.rpartition(".")
        yield name
        if module == "dezero_lite":
            yield from getattr(importlib.import_module(path), "__all__", ())


@cache
def first_met():
    """Map each public name and method to the step that introduces it. For code that the
    learner writes before the package exists, that is the step in which they write it.
    `explains` in a lesson's settings lists methods that are introduced in another step
    than their class.
    """
    found = {}
    for number in numbers():
        if kind(number) is not StepKind.DESIGN:
            for name in read_header(number).new:
                found.setdefault(name, number)
    for name, number in introduced().items():
        found.setdefault(name, number)
    for number in numbers():
        for name in read_front_matter(number).explains:
            found.setdefault(name, number)
    return found


def keep_colons(app, what, name, obj, options, lines):
    """Replace the first colon of a property's docstring: Napoleon takes the words
    before it for the type.
    """
    if what == "property" and lines:
        lines[0] = lines[0].replace(": ", " – ", 1)


def name_the_step(app, what, name, obj, options, lines):
    """Add the step that introduces a name to its docstring; to a method's docstring
    only if the step is not that of its class.
    """
    room, _, last = name.rpartition(".")
    owner = room.rpartition(".")[2]
    if documented().get(last) == name:
        number = first_met()[last]
        text = f"Introduced in :doc:`step {number} <../lessons/{stem(number)}>`"
        package = introduced()[last]
        if package != number:
            step = f":doc:`step {package} <../lessons/{stem(package)}>`"
            text += f", and in the package in {step}"
        lines += ["", f"{text}."]
        if last == "Variable":
            lines += ["", *SIGNS.split("\n")]
    elif documented().get(owner) == room:
        number = first_met().get(f"{owner}.{last}")
        if owner == "Variable":
            number = number or introduced().get(last)
        if number and number != first_met()[owner]:
            step = f":doc:`step {number} <../lessons/{stem(number)}>`"
            lines += ["", f"Introduced in {step}."]
