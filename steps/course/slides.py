"""Slides of a lesson: one page, which needs no network and no other file.

The built notebook is cut where a text begins; a section of the lesson is a column of
slides. Exercises are not on them. What is too long for one slide goes on on the next:
that the page itself finds out. reveal.js shows the slides, MathJax the formulas; both
come from Python packages that carry them, and are put into the page.
"""

import html
import re
from functools import cache
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

from . import exercises, overview
from .builder import LINKS, cut
from .lessons import CourseError, head, known, notebook_path, stem
from .student_copies import write_new

REVEAL = "sphinx_revealjs", "_static/revealjs/dist"
MATHJAX = "sphinx-mathjax-offline", "static/mathjax"
# The browser's own fonts are used there: others would have to be fetched.
TEMPLATE = Path(__file__).with_name("slides.html")
FOR_READERS = ("Exercise", "Write it")  # parts, by how their titles begin
# Code that belongs to a picture.
SHOW = "Show the code"


def write(number, path=None):
    """Write the slides of a step; return where they are.

    Raises
    ------
    CourseError
        If the file is there already, or if what shows the slides is not installed.
    """
    path = Path(path or f"{stem(known(number))}-slides.html")
    if path.exists():
        raise CourseError(
            f"{path} is there already and stays as it is; -o names another file."
        )
    write_new(path, page(number))
    return path


def page(number):
    """The page, as text."""
    from pygments.formatters import HtmlFormatter

    columns = "\n".join(map(_column, sections(_shown(number))))
    fill = {
        "title": html.escape(f"{number}. {head(number).title}"),
        "reveal.css": _file(*REVEAL, "reveal.css"),
        "colours": HtmlFormatter(style="default").get_style_defs(".highlight"),
        "columns": columns,
        "reveal.js": _script(_file(*REVEAL, "reveal.js")),
        "mathjax": _script(_file(*MATHJAX, "tex-svg.js")),
    }
    template = TEMPLATE.read_text(encoding="utf-8")
    return re.sub(r"<<([\w.]+)>>", lambda found: fill[found[1]], template)


def _shown(number):
    """The cells that are shown: all but exercises, and the imports beside the title."""
    from .formats import nbformat

    whole = nbformat.read(notebook_path(number), as_version=4)
    part, shown = "", []
    for cell in chain.from_iterable(cut(cell, "#{1,3}") for cell in whole["cells"]):
        text = cell["cell_type"] == "markdown"
        if text and (heading := re.match(r"#{2,3} (.+)", cell["source"])):
            part = heading[1]
        if part.startswith(FOR_READERS) or f"-{LINKS}" in cell["id"]:
            continue
        if text:
            cell["source"] = overview.without_links_to(cell["source"], lambda _: True)
        if text or part:
            shown.append(cell)
    return shown


def sections(cells):
    """Columns of slides: a column for each section, a slide for each text and what
    follows it.
    """
    columns: list[list[list[dict[str, Any]]]] = []
    for cell in cells:
        text = cell["cell_type"] == "markdown"
        if not columns or (text and re.match(r"#{1,2} ", cell["source"])):
            columns.append([[]])
        elif text:
            columns[-1].append([])
        columns[-1][-1].append(cell)
    return columns


def _column(slides):
    shown = ("".join(map(_folded, cells)) for cells in slides)
    inside = "\n".join(f"<section>{slide}</section>" for slide in shown)
    return f"<section>{inside}</section>"


def _folded(cell):
    """A cell; code that is hidden behind a word that opens it, and its output."""
    if exercises.FOLDED not in cell["metadata"].get("tags", ()):
        return _html(cell)
    code = _html(cell | {"outputs": []})
    outputs = _html(cell | {"source": ""}) if cell["outputs"] else ""
    return f"<details><summary>{SHOW}</summary>{code}</details>{outputs}"


def _html(cell):
    """A cell as nbconvert shows it."""
    from .formats import nbformat

    exporter = _exporter(cell["cell_type"] == "code" and not cell["source"])
    notebook = nbformat.v4.new_notebook(cells=[nbformat.from_dict(cell)])
    shown, _ = exporter.from_notebook_node(notebook)
    # Signs that lead to a heading have no place to lead to.
    return re.sub(r'<a class="anchor-link".*?</a>', "", shown)


@cache
def _exporter(without_code):
    from nbconvert import HTMLExporter

    prompts = dict.fromkeys(("exclude_input_prompt", "exclude_output_prompt"), True)
    return HTMLExporter(template_name="basic", exclude_input=without_code, **prompts)


def _script(text):
    return text.replace("</script", r"<\/script")


def _file(package, folder, name):
    found = find_spec(package)
    if not found or not found.submodule_search_locations:
        raise CourseError(
            f"Slides need {package}: "
            'pip install -e ".[classroom]" -c constraints.txt, or '
            "python start.py slides N, which installs it."
        )
    place = Path(found.submodule_search_locations[0]) / folder / name
    return place.read_text(encoding="utf-8")
