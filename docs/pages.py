"""The pages of the site that follow from the course: lessons, stages, the API.

They are written into ``docs/lessons``, ``docs/course`` and ``docs/api``, which git does
not see.
"""

import importlib
import inspect
import json
import re
import shutil
from functools import cache
from types import ModuleType

from steps.course import overview
from steps.course.lessons import (
    MAP,
    StepKind,
    head,
    kind,
    notebook_path,
    numbers,
    stem,
)

# The rooms of the package, in the order in which they stand on each other.
ROOMS = {
    "dezero_lite": "Variables and functions",
    "dezero_lite.functions": "Functions",
    "dezero_lite.layers": "Layers",
    "dezero_lite.models": "Models",
    "dezero_lite.optimizers": "Optimizers",
    "dezero_lite.datasets": "Data sets",
    "dezero_lite.dataloaders": "Loaders",
    "dezero_lite.transforms": "Transforms",
    "dezero_lite.schedules": "Learning rates",
    "dezero_lite.tokenizer": "Tokens",
    "dezero_lite.player": "The player",
    "dezero_lite.cuda": "GPU",
    "dezero_lite.utils": "Tools",
}


def write(docs):
    """Write all pages, into the folder of the site's sources."""
    for name in ("lessons", "course", "api"):
        shutil.rmtree(docs / name, ignore_errors=True)
        (docs / name).mkdir()
    write_lessons(docs / "lessons")
    write_front(docs / "course")
    write_stages(docs / "course")
    write_api(docs / "api")


def lead_to_lessons(app, page, text):
    """Links to a lesson's text, which serve readers of the files, lead to its page."""
    text[0] = re.sub(r"\(\.\./steps/(step\d\d)\.md\)", r"(lessons/\1.ipynb)", text[0])


# --- lessons --------------------------------------------------------------------------


def write_lessons(folder):
    for number in [MAP, *numbers()]:
        book = json.loads(notebook_path(number).read_text(encoding="utf-8"))
        for cell in book["cells"]:
            if cell["cell_type"] == "code":
                describe_pictures(cell)
        if number != MAP and (used := api_links(number)):
            book["cells"].append(markdown(f"{stem(number)}-api", used))
        (folder / f"{stem(number)}.ipynb").write_text(json.dumps(book), "utf-8")


def describe_pictures(cell):
    """Hand a picture's words on: myst-nb takes them from the cell, not the output."""
    words = cell["metadata"].get("alt")
    if words:
        render = cell["metadata"].setdefault("mystnb", {})
        render["image"] = {"alt": words}


def markdown(name, text):
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": text}


def api_links(number):
    """Links from a lesson to what it adds to the package."""
    names = [name for name, step in introduced().items() if step == number]
    links = [
        f"{{py:obj}}`{name} <{path}>`"
        for name in names
        if (path := documented().get(name))
    ]
    return f"## In the reference\n\n{', '.join(links)}\n" if links else ""


# --- stages ---------------------------------------------------------------------------


def write_front(folder):
    """What the front page shows: the course as a picture, and the player."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np

    from dezero_lite import Variable
    from dezero_lite.player import play

    plt.style.use("steps.course")
    with plt.rc_context({"savefig.bbox": "tight"}):
        overview.picture()
        plt.savefig(folder / "stages.png", dpi=120)
        plt.close("all")
    x = Variable(np.array(2.0), name="x")
    a = x**2
    y = a**2 + a**2
    (folder / "player.html").write_text(
        play(y, a=a, y=y)._repr_mimebundle_()["text/html"], "utf-8"
    )


def write_stages(folder):
    lines = ["# The course by stage", ""]
    toctree = ["```{toctree}", ":hidden:", ":maxdepth: 1", "", "../lessons/start"]
    for count, stage in enumerate(overview.stages(), 1):
        lines += [f"## Stage {count}: {stage.title}", "", f"After it, {stage.gain}", ""]
        lines += [
            "| step | minutes | new names | the question it answers |",
            "| :--- | ---: | :--- | :--- |",
        ]
        for number, title in stage.steps.items():
            if number in numbers():
                facts = head(number)
                new = ", ".join(f"`{name}`" for name in facts.new)
                lines.append(
                    f"| [{number}. {facts.title}](../lessons/{stem(number)}.ipynb) | "
                    f"{facts.minutes} | {new} | {question(number)} |"
                )
                toctree.append(f"../lessons/{stem(number)}")
            else:
                lines.append(f"| {number}. {title} | | | |")
        lines.append("")
    text = "\n".join([*lines, *toctree, "```", ""])
    (folder / "index.md").write_text(text, "utf-8")


def question(number):
    """The question that the lesson before leaves open: the last of its summary."""
    if number - 1 not in numbers():
        return ""
    book = json.loads(notebook_path(number - 1).read_text(encoding="utf-8"))
    texts = ["".join(cell["source"]) for cell in book["cells"]]
    summary = next(text for text in reversed(texts) if "## Summary" in text)
    asked = re.findall(r"[A-Z][^.?!\n]*\?", summary)
    return asked[-1].strip() if asked else ""


# --- the API --------------------------------------------------------------------------


def write_api(folder):
    toctree = []
    for name, title in ROOMS.items():
        module = importlib.import_module(name)
        names = [n for n in module.__all__ if documented().get(n) == f"{name}.{n}"]
        lines = [f"# {title}", "", inspect.getdoc(module) or "", ""]
        lines += [f"```{{eval-rst}}\n.. module:: {name}\n```", ""]
        for member in names:
            value = getattr(module, member)
            directive = "autoclass" if inspect.isclass(value) else "autofunction"
            if not (inspect.isclass(value) or callable(value)):
                continue
            members = "\n   :members:" if directive == "autoclass" else ""
            lines += [
                f"```{{eval-rst}}\n.. {directive}:: {name}.{member}{members}\n```",
                "",
            ]
        page = name.replace(".", "-")
        (folder / f"{page}.md").write_text(rst_roles("\n".join(lines)), "utf-8")
        toctree.append(page)
    text = "# Reference\n\nEvery public name, with the step that introduces it.\n\n"
    text += "```{toctree}\n:maxdepth: 1\n\n" + "\n".join(toctree) + "\n```\n"
    (folder / "index.md").write_text(text, "utf-8")


def rst_roles(text):
    """Double backquotes and roles of a docstring, in Markdown's way."""
    text = re.sub(r":(?:mod|func|class|meth):`~?([\w.]+)`", r"`\1`", text)
    return re.sub(r"``([^`\n]+)``", r"`\1`", text)


@cache
def documented():
    """For each public name, the full name under which the reference has it: where a
    name is in two rooms, that of the first.
    """
    found = {}
    for room in ROOMS:
        module = importlib.import_module(room)
        for name in module.__all__:
            if not isinstance(getattr(module, name), ModuleType):
                found.setdefault(name, f"{room}.{name}")
    return found


@cache
def introduced():
    """For each public name, the step that introduces it."""
    found = {}
    for number in numbers():
        if kind(number) is StepKind.PACKAGE:
            for name in importlib.import_module(f"steps.{stem(number)}").__all__:
                found.setdefault(name, number)
    return found


def name_the_step(app, what, name, obj, options, lines):
    """Add the step that introduces a name to its docstring."""
    number = introduced().get(name.rpartition(".")[2])
    if number and documented().get(name.rpartition(".")[2]) == name:
        lines += [
            "",
            f"Introduced in :doc:`step {number} <../lessons/{stem(number)}>`.",
        ]
