"""Make students' copies of lessons, without solutions and outputs."""

import copy
import hashlib
import json
import os
import re
from pathlib import Path
from string import Template

from . import builder, exercises, lessons, overview
from .lessons import MAP, STEPS, CourseError, known, notebook_path, numbers, with_map
from .translation.notebooks import translate_for_learner

# The only notebook in an installed package; it is in the folder of the lessons.
BUILT_MAP = lessons.LESSONS / notebook_path(MAP).name
AGENTS = "AGENTS.md"


def write_copies(folder, chosen=None):
    """Write the map and students' notebooks to a folder.

    Nothing is written if one of the notebooks already exists; an existing map is kept.
    The copies are made from the lessons, because an installed package has no built
    notebooks.

    Parameters
    ----------
    folder : path
        Created if it is missing.
    chosen : list of int, optional
        Step numbers; all steps by default.

    Returns
    -------
    list of Path
        The files written.
    """
    folder = Path(folder).resolve()
    chosen = [known(n) for n in chosen or numbers()]
    return write_all(folder, format_copies(folder, chosen))


def format_copies(folder, chosen, **settings):
    """Format the copies for a folder, and the map if the folder lacks it: a dict from
    path to text. The settings are those of `format_copy`.
    """
    number_at = {folder / notebook_path(n).name: n for n in chosen}
    map_path = folder / notebook_path(MAP).name
    if MAP in with_map() and not map_path.exists():
        number_at = {map_path: MAP} | number_at

    def missing(name):
        return folder / name not in number_at and not (folder / name).exists()

    made = (format_copy(n, folder, missing, **settings) for n in number_at.values())
    return dict(zip(number_at, made, strict=True))


def write_all(folder, texts):
    """Write new files, given as a dict from path to text; return the paths.

    Raises
    ------
    CourseError
        If one of the files already exists; nothing is written then.
    """
    if names := sorted(path.name for path in texts if path.exists()):
        raise CourseError(
            f"{folder} already contains {', '.join(names)}. To avoid losing work, "
            "nothing was written: choose another folder, or name the missing steps."
        )
    return [write_new(path, text) for path, text in texts.items()]


def write_new(path, text):
    """Write a new file, and create its folder if it is missing; return the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Mode x fails, instead of overwriting a file created in the meantime.
    with path.open("x", encoding="utf-8", newline="\n") as file:
        file.write(text)
    return path


def fill_template(path, fields):
    """Read a template, and fill in its fields, such as ``$name``."""
    return Template(path.read_text(encoding="utf-8")).substitute(fields)


def write_agents(folder):
    """Write AGENTS.md, which tells coding assistants how to help a learner; return a
    list with the path, or an empty list if the file already exists.
    """
    path = Path(folder).resolve() / AGENTS
    text = Path(__file__).with_name("agents.md").read_text(encoding="utf-8")
    return [] if path.exists() else [write_new(path, text)]


def ignore(_):
    """Do nothing; the default for `missing` and `finish`."""


def format_copy(
    number, folder, missing=ignore, tell_solutions=False, finish=ignore, name=STEPS
):
    """Format a student's copy of a lesson, for a folder, as the text of a notebook.

    Parameters
    ----------
    missing : callable
        Takes the name of a notebook and returns whether the folder lacks it; links to
        missing notebooks become plain text.
    tell_solutions : bool
        Whether the copy says how to see the solutions.
    finish : callable
        Takes the notebook and makes the final changes to it.
    name : str
        The name of the steps' package where the copy will run.
    """
    if number == MAP:
        notebook = _read_built(number)
    else:
        notebook = remove_solutions(builder.assemble(number), tell_solutions)
    notebook = translate_for_learner(number, notebook)
    _import_steps(notebook)
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["source"] = _adapt_listings(cell["source"], folder)
        else:
            cell["source"] = overview.remove_links(cell["source"], missing)
    finish(notebook)
    return serialize_copy(number, notebook, name)


def remove_solutions(notebook, tell_solutions=False):
    """Copy a notebook (a dict) without solutions, hints, hidden tests and outputs.

    Its exercise cells are open and its checks are folded. An unsolved exercise does not
    stop *Run All*. If an exercise comes before the section *The code*, the code there
    would give the answer away and is also folded.

    Parameters
    ----------
    tell_solutions : bool
        Whether to say how to see the solutions, and not only the hints.
    """
    notebook = copy.deepcopy(notebook)
    number = notebook["metadata"].pop("course", {}).get("step")
    exercise, task, gives_away = 0, None, False
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        tags = cell["metadata"].get("tags", [])
        if cell["cell_type"] != "code":
            cell["source"] = exercises.FOLDED_HINT.sub("", source).rstrip()
            hints, task = source != cell["source"], cell
            if part := re.search(r"^## .+", source, re.M):
                gives_away = part[0] == "## The code" and exercise > 0
            continue
        cell.update(outputs=[], execution_count=None)
        if exercises.is_solution(source):
            exercise += 1
            cell["source"] = exercises.replace_solutions(source)
            cell["metadata"].pop("jupyter", None)
            tags = [tag for tag in tags if tag != exercises.FOLDED]
            cell["metadata"]["tags"] = [*tags, exercises.MAY_RAISE]
            if task:
                task["source"] += _name_help(number, exercise, hints, tell_solutions)
                task = None
        elif exercises.CHECK in tags:
            cell["source"] = exercises.remove_hidden_tests(source)
            cell["metadata"]["tags"] = [*tags, exercises.MAY_RAISE]
        elif gives_away:
            folded = {"source_hidden": True, "outputs_hidden": True}
            cell["metadata"]["jupyter"] = folded
    return notebook


def _name_help(number, exercise, hints, solutions):
    ways = [f"`steps.hint({number}, {exercise})` gives a hint"] * hints
    ways += [f"`steps.solution({number}, {exercise})` shows a solution"] * solutions
    return f"\n\nStuck? {', '.join(ways)}." if ways else ""


def serialize_copy(number, notebook, name=STEPS):
    """Serialize a copy, with digests of its original cells in the metadata."""
    name_steps(notebook, name)
    notebook["metadata"] |= make_kernel_metadata()
    notebook["metadata"]["course"] = {
        "step": number,
        "sources": digest_sources(notebook),
        "copy": digest([cell["metadata"] for cell in notebook["cells"]]),
    }
    return builder.serialize(notebook)


def make_kernel_metadata():
    """Make the metadata that JupyterLab would otherwise add from the kernel, marking
    the notebook as unsaved.
    """
    from ipykernel.ipkernel import IPythonKernel

    spec = builder.PYTHON | {"display_name": "Python 3 (ipykernel)"}
    return {"kernelspec": spec, "language_info": IPythonKernel.language_info}


def _read_built(number):
    """Read the built map, with its picture; without it if the map is not built yet."""
    paths = [notebook_path(number), BUILT_MAP]
    path = next((path for path in paths if path.exists()), None)
    if path is None:
        return builder.assemble(number)
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"])
    return notebook


def digest_sources(notebook):
    """Return a digest of the parts of a notebook that someone can write: the types and
    sources of its cells.
    """
    cells = [(cell["cell_type"], "".join(cell["source"])) for cell in notebook["cells"]]
    return digest(cells)


def digest(thing):
    return hashlib.sha256(json.dumps(thing).encode()).hexdigest()[:16]


def _import_steps(notebook):
    # Make steps.hint and steps.solution available in every lesson.
    code_cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    if any(re.search(r"(?m)^import steps$", cell["source"]) for cell in code_cells):
        return
    for cell in code_cells:
        if re.match(r"import |from ", cell["source"]):
            cell["source"] += "\n\nimport steps"
            return


def _adapt_listings(code, folder):
    # The paths in %load lines are relative to notebooks/. A copy elsewhere in the
    # checkout needs another relative path; a copy outside the checkout has none.
    if folder.resolve().is_relative_to(lessons.ROOT):
        prefix = Path(os.path.relpath(lessons.LESSONS, folder.resolve())).as_posix()
        replacement = rf"# %load -s \g<names> {prefix}/\g<file>"
    else:
        replacement = r"# From \g<file>: \g<names>"
    return builder.LOAD.sub(replacement, code)


def name_steps(notebook, steps=STEPS):
    """Change the steps' package name in a notebook to the one where it will run."""
    for cell in notebook["cells"]:
        rename = rename_in_code if cell["cell_type"] == "code" else rename_in_text
        cell["source"] = rename("".join(cell["source"]), steps)


def rename_in_code(code, steps=STEPS):
    """Change the name of the steps' package in code: `steps` in a checkout is
    `dezero_lite.steps` in an installed package.
    """
    if steps == "steps":
        return code
    package = steps.removesuffix(".steps")
    code = re.sub(r"(?m)^( *)import steps$", rf"\1from {package} import steps", code)
    code = re.sub(r"(?m)^( *)from steps\b", rf"\1from {steps}", code)
    return code.replace('"steps.course"', f'"{steps}.course"')


def rename_in_text(text, steps=STEPS):
    """Change the commands in a text for an installed package, which lacks start.py."""
    if steps == "steps":
        return text
    tool = f"python -m {steps}"
    text = text.replace("python start.py steps", tool)
    text = text.replace("python start.py workshop", f"{tool} workshop")
    text = text.replace("python start.py lab", "jupyter lab")
    return text.replace("python start.py", f"{tool} lay")
