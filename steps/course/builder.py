"""Build an executed notebook from text and code: ``stepNN.md`` and ``stepNN.py`` become
``notebooks/stepNN.ipynb``.

Building twice gives the same bytes: cell ids come from step and position, and dates,
local paths and version numbers are left out. Measured times cannot repeat, so a cell
tagged ``nbval-ignore-output`` keeps its output until one of the notebook's sources
changes.
"""

import hashlib
import json
import os
import re
import sys
import tempfile
from copy import copy
from functools import lru_cache
from pathlib import Path

from dezero_lite import player

from . import exercises, lessons, overview, pictures, sources
from .definitions import extract
from .exercises import FOLDED
from .lessons import MAP, CourseError, lesson_path, module_path, notebook_path, stem
from .translation.tool import VARIABLE

LOAD = re.compile(r"# %load -s (?P<names>\S+) \.\./steps/(?P<file>step\d\d\.py)")
MEASURED = "nbval-ignore-output"
LINKS = "links"
MAX_BYTES = 1_000_000
CELL_TIMEOUT = 300
# Leave Matplotlib's version out of the PNG metadata.
PICTURES = (
    "--InlineBackend.print_figure_kwargs="
    "{'bbox_inches': 'tight', 'metadata': {'Software': None}}"
)
PYTHON = {"display_name": "Python 3", "language": "python", "name": "python3"}
KERNEL = {"kernelspec": PYTHON, "language_info": {"name": "python"}}


# --- Assembling -----------------------------------------------------------------------


def assemble(number):
    """Assemble a step's notebook, not yet executed, as a dict: the lesson's cells with
    the code inserted.
    """
    numbered = enumerate(read_lesson_cells(number), start=1)
    cells = [_make_cell(number, position, cell) for position, cell in numbered]
    _fold_imports(cells)
    _mark_exercises(number, cells)
    _add_links(number, cells)
    metadata = {"course": {"step": number}} | KERNEL
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def read_lesson_cells(number):
    """Read a lesson's cells as written in its Markdown file, without inserted code."""
    return list(_parse(lesson_path(number).read_text(encoding="utf-8")))


@lru_cache(maxsize=128)
def _parse(text):
    # Cached: the tests parse the same lesson hundreds of times.
    from .formats import jupytext

    return jupytext.reads(text, fmt="md:myst").cells


def _make_cell(number, position, cell):
    name = {"id": f"{stem(number)}-{position:02d}"}
    if cell.cell_type != "code":
        return make_text_cell(exercises.fold_blocks(cell.source)) | name
    code = make_code_cell(_load_code(cell.source)) | name
    for key in ("tags", "alt"):  # keep this order: copies store a digest of it
        if key in cell.metadata:
            code["metadata"][key] = copy(cell.metadata[key])
    if FOLDED in code["metadata"].get("tags", ()):
        fold(code)
    return code


def _fold_imports(cells):
    # Fold the imports, so that the lesson opens with the problem.
    first = next((cell for cell in cells if cell["cell_type"] == "code"), None)
    if first and re.match(r"import |from ", first["source"]):
        fold(first)


def fold(cell):
    """Fold a code cell, so that it opens at a click."""
    metadata = cell["metadata"]
    metadata["tags"] = list(dict.fromkeys([*metadata.get("tags", []), FOLDED]))
    metadata["jupyter"] = {"source_hidden": True}


def make_text_cell(source):
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def make_code_cell(source):
    cell = {"cell_type": "code", "metadata": {}, "source": source}
    return cell | {"execution_count": None, "outputs": []}


def cut(cell, signs):
    """Split a text cell into one cell for each heading; `signs` is a pattern for the
    hashes of a heading.
    """
    if cell["cell_type"] != "markdown":
        return [cell]
    texts = re.split(rf"(?m)^(?={signs} )", "".join(cell["source"]))
    return [cell | {"source": text.rstrip()} for text in texts if text.strip()]


def _load_code(source):
    if not source.startswith("# %load"):
        return source
    lines = list(map(LOAD.fullmatch, source.strip().splitlines()))
    if not all(lines):
        raise CourseError(
            "A %load cell may only contain lines like "
            f"`# %load -s Name ../steps/stepNN.py`, but this one is: {source}"
        )
    return "\n\n\n".join(map(_load_line, lines))


def _load_line(line):
    path = lessons.LESSONS / line["file"]
    text = _require(path).read_text(encoding="utf-8")
    return f"{line[0]}\n{extract(text, line['names'].split(','), path.name)}"


def _add_links(number, cells):
    if number == MAP:
        for cell in cells:
            if cell["cell_type"] == "markdown":
                cell["source"] = overview.add_links(cell["source"])
    elif navigation := overview.make_navigation(number):
        name = f"{stem(number)}-{LINKS}"
        cells.insert(1, make_text_cell(navigation) | {"id": name})
        cells.append(make_text_cell(navigation) | {"id": f"{name}-end"})


def _mark_exercises(number, cells):
    # Add nbgrader's metadata, with which a teacher can release and grade the notebooks.
    for n, exercise in enumerate(exercises.find_exercises(cells), start=1):
        exercises.replace_solutions(exercise.solution)
        exercises.remove_hidden_tests(exercise.check)
        positions = {"check": exercise.check_position, "exercise": exercise.position}
        for kind, position in positions.items():
            solution, metadata = kind == "exercise", cells[position]["metadata"]
            marks = {"grade": not solution, "grade_id": f"{stem(number)}-{kind}{n}"}
            marks |= {"locked": not solution, "schema_version": 3, "solution": solution}
            marks |= {"task": False} | ({} if solution else {"points": 1})
            fold(cells[position])
            metadata["nbgrader"] = marks


def digest_sources(number):
    """Return a digest of a step's source files and of the package code that it shows.

    Raises
    ------
    CourseError
        If one of the files is missing, or if shown code has no source.
    """
    cells = [cell for cell in read_lesson_cells(number) if cell.cell_type == "code"]
    codes = [cell.source for cell in cells]
    used_numbers = set(map(int, re.findall(r"\bstep(\d\d)\b", "\n".join(codes))))
    style = lessons.LESSONS / "course.mplstyle"
    paths = [lesson_path(number), style]
    paths += [module_path(n) for n in sorted(used_numbers | {number} - {MAP})]
    if any("steps.draw(" in code for code in codes):
        paths.append(Path(pictures.__file__))
    if any("steps.play(" in code for code in codes):
        paths += sorted(Path(player.__file__).parent.glob("*.*"))
    digest = hashlib.sha256()
    if number == MAP:  # its picture shows which lessons exist
        digest.update(str(lessons.numbers()).encode())
    for path in paths:
        text = lessons.drop_course_block(_require(path).read_text(encoding="utf-8"))
        digest.update(f"{path.name}{text}".encode())
    for texts in sources.list_shown(cells):
        digest.update("".join(texts).encode())
    return digest.hexdigest()[:16]


def _require(path):
    if not path.exists():
        raise CourseError(f"The lesson uses {path.name}, which does not exist.")
    return path


# --- Running --------------------------------------------------------------------------


def execute(notebook, folder=None, language=""):
    """Run a notebook (a dict) in a fresh kernel, in ``notebooks/`` by default, and
    return it with cleaned outputs. The course tool's messages are in English by
    default.

    Raises
    ------
    CourseError
        If a cell fails that is not tagged ``raises-exception``, if a cell writes to
        stderr, or if an output contains a local path or a memory address.
    """
    # Import this first, because nbclient also imports nbformat.
    from .formats import nbformat  # isort: skip
    import nbclient

    running = nbformat.from_dict(notebook)
    client = nbclient.NotebookClient(running, timeout=CELL_TIMEOUT)
    client.record_timing, client.coalesce_streams = False, True
    client.resources = {"metadata": {"path": str(folder or lessons.NOTEBOOKS)}}
    # Silence the kernel's warnings about encryption: it talks only to this process.
    client.extra_arguments = ["--log-level=ERROR", PICTURES]
    try:
        client.execute(env=lessons.KERNELS | os.environ | {VARIABLE: language})
    except nbclient.exceptions.CellExecutionError as error:
        name = stem(_read_course(notebook)["step"])
        raise CourseError(f"{name} does not run:\n{error}") from None
    for cell, ran in zip(notebook["cells"], running.cells, strict=True):
        if cell["cell_type"] == "code":
            cell["execution_count"] = ran.execution_count
            alt = cell["metadata"].get("alt")
            cell["outputs"] = [_clean_output(output, alt) for output in ran.outputs]
            _refuse_what_varies(cell)
    return notebook


def _clean_output(output, alt):
    output = json.loads(json.dumps(output))
    output.pop("transient", None)
    if "traceback" in output:
        output["traceback"] = [_remove_paths(line) for line in output["traceback"]]
    if alt and "image/png" in output.get("data", {}):
        # The site and the slides read the alternative text here. JupyterLab does not
        # yet, and nbval does not compare it.
        output["metadata"].setdefault("image/png", {})["alt"] = alt
    return output


def _remove_paths(line):
    prefixes = (Path(sys.prefix), "environment/"), (Path(sys.base_prefix), "python/")
    for folder, name in ((lessons.ROOT, ""), *prefixes):
        for spelling in (str(folder), str(folder).replace(str(Path.home()), "~", 1)):
            line = line.replace(spelling + os.sep, name)
    return line


def _refuse_what_varies(cell):
    if any(output.get("name") == "stderr" for output in cell["outputs"]):
        raise CourseError(
            f"Cell {cell['id']} writes to stderr, which nbval compares. For a progress "
            "bar, use steps.progress."
        )
    text, subject = json.dumps(cell["outputs"]), f"The output of cell {cell['id']}"
    paths = lessons.ROOT, Path.home(), Path(sys.prefix)
    for path in (*paths, Path(tempfile.gettempdir()) / "ipykernel_"):
        if json.dumps(str(path))[1:-1] in text:
            raise CourseError(f"{subject} contains a path of this machine ({path}).")
    if address := re.search(r"<[\w.]+ (object )?at 0x[0-9a-f]+>", text):
        raise CourseError(f"{subject} contains a memory address: {address[0]}.")


# --- Writing --------------------------------------------------------------------------


def build(number, force=False):
    """Build the notebook of a step; return whether its bytes changed.

    Raises
    ------
    CourseError
        If the lesson does not run, if the notebook would be too large, or if it was
        edited by hand since it was built and ``force`` is false.
    """
    path = notebook_path(number)
    old = read_notebook(path)
    if old and not force and _is_edited(old):
        raise CourseError(
            f"{path.name} was edited after it was built, and building would lose "
            "that. Keep a copy under another name, or pass --force."
        )
    new_digest = digest_sources(number)
    notebook = execute(assemble(number))
    notebook["metadata"]["course"]["sources"] = new_digest
    if old:
        _keep_measured(notebook, old)
    notebook["metadata"]["course"]["checksum"] = digest_cells(notebook)
    text = serialize(notebook)
    if len(text) > MAX_BYTES:
        raise CourseError(
            f"{path.name} would have {len(text):,} bytes; the limit is {MAX_BYTES:,}."
        )
    changed = not path.exists() or path.read_text(encoding="utf-8") != text
    if changed:
        path.write_text(text, encoding="utf-8", newline="\n")
    return changed


def read_notebook(path):
    """Read a notebook as a dict; None if the file is missing."""
    from .formats import nbformat

    return nbformat.read(path, as_version=4) if path.exists() else None


def serialize(notebook):
    from .formats import nbformat

    return nbformat.writes(nbformat.from_dict(notebook)) + "\n"


def digest_cells(notebook):
    """Return a digest of a notebook's cells and outputs, to detect edits by hand."""
    text = json.dumps(notebook["cells"], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _read_course(notebook):
    return notebook["metadata"].get("course", {})


def _is_edited(notebook):
    return digest_cells(notebook) != _read_course(notebook).get("checksum")


def _keep_measured(notebook, old):
    # Keep measured outputs as long as the notebook's sources are unchanged.
    if _read_course(notebook)["sources"] != _read_course(old).get("sources"):
        return
    outputs = {cell["id"]: cell.get("outputs") for cell in old["cells"]}
    for cell in notebook["cells"]:
        if MEASURED in cell["metadata"].get("tags", []) and outputs.get(cell["id"]):
            cell["outputs"] = outputs[cell["id"]]


# --- Checking -------------------------------------------------------------------------


def explain_staleness(number):
    """Return the reason why a step's notebook is out of date; None if it is current."""
    notebook = read_notebook(notebook_path(number))
    if not notebook:
        return "it is not built yet"
    if _is_edited(notebook):
        return (
            "it was edited after it was built (running it in place and saving it does "
            "that)"
        )
    try:
        fresh, digest = assemble(number), digest_sources(number)
    except CourseError as error:
        return f"it cannot be built. {str(error).rstrip('.')}"
    if _read_course(notebook).get("sources") != digest:
        return "its lesson, or code that its lesson uses, has changed"
    if _remove_outputs(notebook) != _remove_outputs(fresh):
        return "the builder, or the title of a lesson that it links to, has changed"
    return None


def _remove_outputs(notebook):
    keys = "cell_type", "id", "metadata", "source"
    return [{key: cell[key] for key in keys} for cell in notebook["cells"]]
