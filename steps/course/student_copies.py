"""Students' copies of the lessons: no solutions, no outputs, and theirs to keep."""

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
FOLDED_HINT = re.compile(r'<details class="hint">.*?</details>\n*', re.S)


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
    steps = [known(n) for n in chosen or numbers()]
    return write_all(folder, texts_of_copies(folder, steps))


def texts_of_copies(folder, steps, **how):
    """The texts of copies that are to lie in a folder, and of the map if it has none,
    by their paths; how they are made, `copy_of` is told.
    """
    targets = {folder / notebook_path(n).name: n for n in steps}
    the_map = folder / notebook_path(MAP).name
    if MAP in with_map() and not the_map.exists():
        targets = {the_map: MAP} | targets

    def missing(name):
        return folder / name not in targets and not (folder / name).exists()

    return {path: copy_of(n, folder, missing, **how) for path, n in targets.items()}


def write_all(folder, texts):
    """Write new files, whose texts are given by their paths; none if one of them is
    there already. Return the paths.
    """
    if there := sorted(path.name for path in texts if path.exists()):
        raise CourseError(
            f"{folder} already holds {', '.join(there)}. Nothing was written, so that "
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


def nothing(_):
    """Finds nothing missing, has nothing to finish."""


def copy_of(
    number, folder, missing=nothing, tell_solutions=False, finish=nothing, name=STEPS
):
    """The text of a student's copy that is to lie in a folder.

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
    whole = _with_outputs(number) if number == MAP else builder.assemble(number)
    notebook = whole if number == MAP else remove_solutions(whole, tell_solutions)
    _import_steps(notebook)
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["source"] = _pointed_at_code(cell["source"], folder)
        else:
            cell["source"] = overview.without_links_to(cell["source"], missing)
    finish(notebook)
    return text_of_copy(number, notebook, name)


def remove_solutions(notebook, tell_solutions=False):
    """A copy of a notebook (as a dict) without solutions, hints, hidden tests and
    outputs.

    Its exercise cells are open, and its checks folded. An exercise that is not solved
    yet does not stop *Run All*. Where a lesson has a part *Write it*, the code after it
    would give the answer away: it is folded, too.

    Parameters
    ----------
    tell_solutions : bool
        Whether to say how to see the solution, too, and not the hints alone.
    """
    notebook = copy.deepcopy(notebook)
    step = notebook["metadata"].pop("course", {}).get("step")
    exercise, task, gives_away = 0, None, False
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        tags = cell["metadata"].get("tags", [])
        if cell["cell_type"] != "code":
            cell["source"] = FOLDED_HINT.sub("", source).rstrip()
            hints, task = source != cell["source"], cell
            if part := re.search(r"^## .+", source, re.M):
                gives_away = part[0] == "## The code" and exercise > 0
            continue
        cell.update(outputs=[], execution_count=None)
        if exercises.is_solution(source):
            exercise += 1
            cell["source"] = exercises.without_solution(source)
            cell["metadata"].pop("jupyter", None)
            tags = [tag for tag in tags if tag != exercises.FOLDED]
            cell["metadata"]["tags"] = [*tags, exercises.GOES_ON]
            if task:
                task["source"] += _where_help_is(step, exercise, hints, tell_solutions)
                task = None
        elif exercises.CHECK in tags:
            cell["source"] = exercises.without_hidden_tests(source)
            cell["metadata"]["tags"] = [*tags, exercises.GOES_ON]
        elif gives_away:
            folded = {"source_hidden": True, "outputs_hidden": True}
            cell["metadata"]["jupyter"] = folded
    return notebook


def _where_help_is(step, exercise, hints, solutions):
    ways = [f"`steps.hint({step}, {exercise})` gives a hint"] * hints
    ways += [f"`steps.solution({step}, {exercise})` shows a solution"] * solutions
    return f"\n\nStuck? {', '.join(ways)}." if ways else ""


def text_of_copy(number, notebook, name=STEPS):
    """The text of a copy, which from then on knows what it was laid with."""
    name_steps(notebook, name)
    notebook["metadata"] |= kernel()
    notebook["metadata"]["course"] = {
        "step": number,
        "sources": digest_of_sources(notebook),
        "copy": digest_of([cell["metadata"] for cell in notebook["cells"]]),
    }
    return builder.as_text(notebook)


def kernel():
    """As JupyterLab would have it from the kernel: what it has to add, it calls
    unsaved.
    """
    from ipykernel.ipkernel import IPythonKernel

    spec = builder.PYTHON | {"display_name": "Python 3 (ipykernel)"}
    return {"kernelspec": spec, "language_info": IPythonKernel.language_info}


def _with_outputs(number):
    """The map as it was built, its picture shown; bare where it is not built yet."""
    built = [notebook_path(number), BUILT_MAP]
    path = next((path for path in built if path.exists()), None)
    if path is None:
        return builder.assemble(number)
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"])
    return notebook


def digest_of_sources(notebook):
    """A digest of what someone can write in a notebook: kinds and sources of cells."""
    cells = [(cell["cell_type"], "".join(cell["source"])) for cell in notebook["cells"]]
    return digest_of(cells)


def digest_of(thing):
    return hashlib.sha256(json.dumps(thing).encode()).hexdigest()[:16]


def _import_steps(notebook):
    # steps.hint and steps.solution are to be at hand, whatever the lesson needs.
    codes = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    if any(re.search(r"(?m)^import steps$", cell["source"]) for cell in codes):
        return
    for cell in codes:
        if re.match(r"import |from ", cell["source"]):
            cell["source"] += "\n\nimport steps"
            return


def _pointed_at_code(code, folder):
    # The %load lines name the code's place as seen from notebooks/; a copy elsewhere in
    # the checkout needs its own way there. A copy that leaves this machine has none.
    if folder.resolve().is_relative_to(lessons.ROOT):
        way = Path(os.path.relpath(lessons.LESSONS, folder.resolve())).as_posix()
        replacement = rf"# %load -s \g<names> {way}/\g<file>"
    else:
        replacement = r"# From \g<file>: \g<names>"
    return builder.LOAD.sub(replacement, code)


def name_steps(notebook, steps=STEPS):
    """Let a notebook call the steps as they are called where it will run."""
    for cell in notebook["cells"]:
        named = as_installed if cell["cell_type"] == "code" else as_typed
        cell["source"] = named("".join(cell["source"]), steps)


def as_installed(code, steps=STEPS):
    """Code as it has to be here: what a checkout calls steps is dezero_lite.steps in an
    installed package.
    """
    if steps == "steps":
        return code
    package = steps.removesuffix(".steps")
    code = re.sub(r"(?m)^( *)import steps$", rf"\1from {package} import steps", code)
    code = re.sub(r"(?m)^( *)from steps\b", rf"\1from {steps}", code)
    return code.replace('"steps.course"', f'"{steps}.course"')


def as_typed(text, steps=STEPS):
    """A text whose commands are those that can be typed here: an installed package has
    no start.py.
    """
    if steps == "steps":
        return text
    tool = f"python -m {steps}"
    text = text.replace("python start.py steps", tool)
    text = text.replace("python start.py workshop", f"{tool} workshop")
    text = text.replace("python start.py lab", "jupyter lab")
    return text.replace("python start.py", f"{tool} lay")
