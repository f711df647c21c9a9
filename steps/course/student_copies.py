"""Makes students' copies of lessons: no solutions, no outputs, and theirs to keep."""

import copy
import hashlib
import json
import os
import re
from pathlib import Path

from . import builder, exercises, lessons, overview
from .lessons import MAP, STEPS, CourseError, known, notebook_path, numbers, with_map

# An installed package has no notebooks but this one, which lies beside the lessons.
BUILT_MAP = lessons.LESSONS / notebook_path(MAP).name
AGENTS = "AGENTS.md"


def write_copies(folder, chosen=None):
    """Write the map and students' notebooks into a folder; write none if one of them is
    there already. A map that is there already stays.

    They are made from the lessons, not from built notebooks, which an installed package
    does not have.

    Parameters
    ----------
    folder : path
        Made if it is missing.
    chosen : list of int, optional
        Step numbers; all steps if not given.

    Returns
    -------
    list of Path
        The files written.
    """
    folder = Path(folder).resolve()
    chosen = [known(n) for n in chosen or numbers()]
    return write_all(folder, make_copies(folder, chosen))


def make_copies(folder, chosen, **settings):
    """Make the texts of copies that are to lie in a folder, and of the map if it has
    none, by their paths; the settings are those of `make_copy`.
    """
    number_at = {folder / notebook_path(n).name: n for n in chosen}
    map_path = folder / notebook_path(MAP).name
    if MAP in with_map() and not map_path.exists():
        number_at = {map_path: MAP} | number_at

    def missing(name):
        return folder / name not in number_at and not (folder / name).exists()

    made = (make_copy(n, folder, missing, **settings) for n in number_at.values())
    return dict(zip(number_at, made, strict=True))


def write_all(folder, texts):
    """Write new files, whose texts are given by their paths; none if one of them is
    there already. Return the paths.
    """
    if names := sorted(path.name for path in texts if path.exists()):
        raise CourseError(
            f"{folder} already holds {', '.join(names)}. Nothing was written, so that "
            "no work is lost: choose another folder, or name the steps that are "
            "missing."
        )
    return [write_new(path, text) for path, text in texts.items()]


def write_new(path, text):
    """Write a new file, in a new folder if need be; return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Mode x fails, rather than overwrites, if the file has come into being meanwhile.
    with path.open("x", encoding="utf-8", newline="\n") as file:
        file.write(text)
    return path


def write_agents(folder):
    """Tell programming assistants, which look for a file of this name, how to help
    somebody who learns; return the file in a list, which is empty if there is one.
    """
    path = Path(folder).resolve() / AGENTS
    text = Path(__file__).with_name("agents.md").read_text(encoding="utf-8")
    return [] if path.exists() else [write_new(path, text)]


def ignore(_):
    """Find nothing missing, have nothing to finish."""


def make_copy(
    number, folder, missing=ignore, tell_solutions=False, finish=ignore, name=STEPS
):
    """Make the text of a student's copy that is to lie in a folder.

    Parameters
    ----------
    missing : callable
        Told the name of a notebook, says whether it is missing in the folder; a link to
        it is then plain words.
    tell_solutions : bool
        Whether the copy says how to see the solutions.
    finish : callable
        Told the notebook, does the last things to it.
    name : str
        What the steps are called where the copy will run.
    """
    if number == MAP:
        notebook = _read_built(number)
    else:
        notebook = remove_solutions(builder.assemble(number), tell_solutions)
    _import_steps(notebook)
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["source"] = _adapt_listings(cell["source"], folder)
        else:
            cell["source"] = overview.remove_links(cell["source"], missing)
    finish(notebook)
    return finish_copy(number, notebook, name)


def remove_solutions(notebook, tell_solutions=False):
    """Copy a notebook (a dict) without solutions, hints, hidden tests and outputs.

    Its exercise cells are open, and its checks folded. An exercise that is not solved
    yet does not stop *Run All*. Where a lesson has a part *Write it*, the code after it
    would give the answer away: it is folded, too.

    Parameters
    ----------
    tell_solutions : bool
        Whether to say how to see the solution, too, and not the hints alone.
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


def finish_copy(number, notebook, name=STEPS):
    """Make the text of a copy, which from then on knows what it was laid with."""
    name_steps(notebook, name)
    notebook["metadata"] |= make_kernel_metadata()
    notebook["metadata"]["course"] = {
        "step": number,
        "sources": digest_sources(notebook),
        "copy": digest([cell["metadata"] for cell in notebook["cells"]]),
    }
    return builder.serialize(notebook)


def make_kernel_metadata():
    """Make the metadata that JupyterLab would have from the kernel: what it has to add,
    it calls unsaved.
    """
    from ipykernel.ipkernel import IPythonKernel

    spec = builder.PYTHON | {"display_name": "Python 3 (ipykernel)"}
    return {"kernelspec": spec, "language_info": IPythonKernel.language_info}


def _read_built(number):
    """Read the map as it was built, its picture shown; bare if it is not built yet."""
    paths = [notebook_path(number), BUILT_MAP]
    path = next((path for path in paths if path.exists()), None)
    if path is None:
        return builder.assemble(number)
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"])
    return notebook


def digest_sources(notebook):
    """Digest what someone can write in a notebook: kinds and sources of cells."""
    cells = [(cell["cell_type"], "".join(cell["source"])) for cell in notebook["cells"]]
    return digest(cells)


def digest(thing):
    return hashlib.sha256(json.dumps(thing).encode()).hexdigest()[:16]


def _import_steps(notebook):
    # steps.hint and steps.solution are to be at hand, whatever the lesson needs.
    code_cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    if any(re.search(r"(?m)^import steps$", cell["source"]) for cell in code_cells):
        return
    for cell in code_cells:
        if re.match(r"import |from ", cell["source"]):
            cell["source"] += "\n\nimport steps"
            return


def _adapt_listings(code, folder):
    # The %load lines name the code's place as seen from notebooks/; a copy elsewhere in
    # the checkout needs its own way there. A copy that leaves this machine has none.
    if folder.resolve().is_relative_to(lessons.ROOT):
        prefix = Path(os.path.relpath(lessons.LESSONS, folder.resolve())).as_posix()
        replacement = rf"# %load -s \g<names> {prefix}/\g<file>"
    else:
        replacement = r"# From \g<file>: \g<names>"
    return builder.LOAD.sub(replacement, code)


def name_steps(notebook, steps=STEPS):
    """Let a notebook call the steps as they are called where it will run."""
    for cell in notebook["cells"]:
        rename = rename_in_code if cell["cell_type"] == "code" else rename_in_text
        cell["source"] = rename("".join(cell["source"]), steps)


def rename_in_code(code, steps=STEPS):
    """Let code call the steps as it has to here: what a checkout calls steps is
    dezero_lite.steps in an installed package.
    """
    if steps == "steps":
        return code
    package = steps.removesuffix(".steps")
    code = re.sub(r"(?m)^( *)import steps$", rf"\1from {package} import steps", code)
    code = re.sub(r"(?m)^( *)from steps\b", rf"\1from {steps}", code)
    return code.replace('"steps.course"', f'"{steps}.course"')


def rename_in_text(text, steps=STEPS):
    """Let a text have the commands that can be typed here: an installed package has no
    start.py.
    """
    if steps == "steps":
        return text
    tool = f"python -m {steps}"
    text = text.replace("python start.py steps", tool)
    text = text.replace("python start.py workshop", f"{tool} workshop")
    text = text.replace("python start.py lab", "jupyter lab")
    return text.replace("python start.py", f"{tool} lay")
