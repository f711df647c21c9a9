"""Make slides of a lesson: one HTML page, which needs no network and no other file.

The built notebook becomes columns of slides: each section is a column, and each text
begins a slide. Exercises are left out. Content that is too long for one slide continues
on the next, which a script in the page arranges. reveal.js shows the slides and MathJax
the formulas; both come from Python packages and are embedded in the page.
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
from .lessons import CourseError, known, notebook_path, read_header, stem
from .student_copies import write_new

REVEAL = "sphinx_revealjs", "_static/revealjs/dist"
MATHJAX = "sphinx-mathjax-offline", "static/mathjax"
# The page uses the browser's own fonts; others would have to be downloaded.
TEMPLATE = Path(__file__).with_name("slides.html")
LEFT_OUT = ("Exercise", "Write it")  # sections, by the beginning of their titles
# The label of folded code.
SUMMARY = "Show the code"


def write_slides(number, path=None):
    """Write the slides of a step; return their path.

    Raises
    ------
    CourseError
        If the file already exists, or if reveal.js or MathJax is not installed.
    """
    path = Path(path or f"{stem(known(number))}-slides.html")
    if path.exists():
        raise CourseError(
            f"{path} already exists and was left alone: name another file with -o."
        )
    write_new(path, make_page(number))
    return path


def make_page(number):
    """Return the page as HTML."""
    from pygments.formatters import HtmlFormatter

    columns = "\n".join(map(_render_column, group_slides(_select_cells(number))))
    fields = {
        "title": html.escape(f"{number}. {read_header(number).title}"),
        "reveal.css": _read_asset(*REVEAL, "reveal.css"),
        "colours": HtmlFormatter(style="default").get_style_defs(".highlight"),
        "columns": columns,
        "reveal.js": _escape_script(_read_asset(*REVEAL, "reveal.js")),
        "mathjax": _escape_script(_read_asset(*MATHJAX, "tex-svg.js")),
    }
    template = TEMPLATE.read_text(encoding="utf-8")
    return re.sub(r"<<([\w.]+)>>", lambda match: fields[match[1]], template)


def _select_cells(number):
    """Select the cells to show: no exercises or links, and no code before a section."""
    from .formats import nbformat

    notebook = nbformat.read(notebook_path(number), as_version=4)
    part, selected = "", []
    for cell in chain.from_iterable(cut(cell, "#{1,3}") for cell in notebook["cells"]):
        is_text = cell["cell_type"] == "markdown"
        if is_text and (heading := re.match(r"#{2,3} (.+)", cell["source"])):
            part = heading[1]
        if part.startswith(LEFT_OUT) or f"-{LINKS}" in cell["id"]:
            continue
        if is_text:
            cell["source"] = overview.remove_links(cell["source"], lambda _: True)
        if is_text or part:
            selected.append(cell)
    return selected


def group_slides(cells):
    """Group cells into columns of slides: a column for each section, and a slide for
    each text with the cells that follow it.
    """
    columns: list[list[list[dict[str, Any]]]] = []
    for cell in cells:
        is_text = cell["cell_type"] == "markdown"
        if not columns or (is_text and re.match(r"#{1,2} ", cell["source"])):
            columns.append([[]])
        elif is_text:
            columns[-1].append([])
        columns[-1][-1].append(cell)
    return columns


def _render_column(slides):
    slides_html = ("".join(map(_render_cell, cells)) for cells in slides)
    column = "\n".join(f"<section>{slide}</section>" for slide in slides_html)
    return f"<section>{column}</section>"


def _render_cell(cell):
    """Render a cell as HTML; folded code opens at a click, with its output below."""
    if exercises.FOLDED not in cell["metadata"].get("tags", ()):
        return _convert_cell(cell)
    code = _convert_cell(cell | {"outputs": []})
    outputs = _convert_cell(cell | {"source": ""}) if cell["outputs"] else ""
    return f"<details><summary>{SUMMARY}</summary>{code}</details>{outputs}"


def _convert_cell(cell):
    """Convert a cell to HTML with nbconvert."""
    from .formats import nbformat

    exporter = _make_exporter(cell["cell_type"] == "code" and not cell["source"])
    notebook = nbformat.v4.new_notebook(cells=[nbformat.from_dict(cell)])
    page, _ = exporter.from_notebook_node(notebook)
    # Remove the links beside headings, which are useless on slides.
    return re.sub(r'<a class="anchor-link".*?</a>', "", page)


@cache
def _make_exporter(without_code):
    from nbconvert import HTMLExporter

    prompts = dict.fromkeys(("exclude_input_prompt", "exclude_output_prompt"), True)
    return HTMLExporter(template_name="basic", exclude_input=without_code, **prompts)


def _escape_script(text):
    return text.replace("</script", r"<\/script")


def _read_asset(package, folder, name):
    spec = find_spec(package)
    if not spec or not spec.submodule_search_locations:
        raise CourseError(
            f"Slides need {package}: "
            'pip install -e ".[classroom]" -c constraints.txt, or '
            "python start.py slides N, which installs it."
        )
    path = Path(spec.submodule_search_locations[0]) / folder / name
    return path.read_text(encoding="utf-8")
