"""What a teacher hands out: copies, nbgrader's sources, and a package without
solutions.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from .. import builder, exercises, lessons, student_copies
from ..lessons import MAP, STEPS, CourseError, known, notebook_path, stem
from ..student_copies import write_new
from .grading import POINTS, points_of

INSTALLED = "dezero_lite.steps"
EXERCISE = re.compile(r"(?m)^### Exercise (\d+).*$")
READ_ME = "READ-ME.md"
TEMPLATES = Path(__file__).with_name("templates")


def release(folder, chosen, points=POINTS, workshop=False, package=False):
    """Write what is handed out: notebooks without solutions and hidden tests, and the
    map. Nothing that is there is overwritten.

    Parameters
    ----------
    chosen : list of int
        The steps.
    points : sequence of int
        What the exercises bring, in the order of a lesson.
    workshop : bool
        Whether to write the notebooks of the workshop, in a folder of that name, and
        not those with exercises.
    package : bool
        Whether to put a package without solutions beside them, which they then use.

    Returns
    -------
    list of Path
        The files written.
    """
    folder = Path(folder).resolve()
    name = INSTALLED if package else STEPS
    texts = texts_to_release(folder, chosen, points, name, workshop)
    written = student_copies.write_all(folder, texts)
    return written + (_with_package(folder) if package else [])


def texts_to_release(folder, chosen, points=POINTS, name=INSTALLED, workshop=False):
    """The texts of notebooks that call the steps by a name, by their paths."""
    steps = sorted({known(n) for n in chosen})
    how = {"finish": partial(_set_points, points), "name": name}
    texts = student_copies.texts_of_copies(folder, [] if workshop else steps, **how)
    if workshop:
        place = folder / "workshop"
        texts |= {place / notebook_path(n).name: _workshop(n, name) for n in steps}
    the_map = folder / notebook_path(MAP).name
    if name == INSTALLED and the_map in texts:
        texts[the_map] = _of_this_folder(texts[the_map])
    return texts


def _of_this_folder(text):
    """A map whose commands are for lessons that lie beside it, not in my-course."""
    text = text.replace("folder that holds `my-course`", "folder of this map")
    text = text.replace("progress my-course", "progress .")
    text = text.replace("lab my-course/", "lab ")
    text = re.sub(r"(steps fresh \d+)`", r"\1 .`", text)
    # What a teacher hands out is not renewed.
    return re.sub(r"(?s) When the course is updated.*?left alone\.", "", text)


def _workshop(number, name):
    """The notebook of a step in the workshop, for one who begins there."""
    from ..module_text import ModuleText
    from ..workshop import notebook, step, workspace

    before = step.read_code(lessons.previous(workspace.check_number(number)))
    made = json.loads(notebook.build_text(number, ModuleText.read(before)))
    return student_copies.text_of_copy(number, made, name)


def _set_points(points, notebook):
    """Let a notebook's exercises say how many points they bring."""
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            with_points = partial(_with_points, points)
            cell["source"] = EXERCISE.sub(with_points, cell["source"])
        marks = cell["metadata"].get("nbgrader", {})
        if number := re.search(r"check(\d+)$", marks.get("grade_id", "")):
            marks["points"] = points_of(int(number[1]), points)


def _with_points(points, found):
    worth = points_of(int(found[1]), points)
    return f"{found[0]} ({worth} point{'s' * (worth != 1)})"


# --- nbgrader -------------------------------------------------------------------------

CONFIGURATION = """\
c = get_config()
c.CourseDirectory.course_id = "{name}"
# Some lessons train a network.
c.ExecutePreprocessor.timeout = 120
"""


def for_nbgrader(folder, chosen, points=POINTS):
    """Write lessons as nbgrader wants its sources, solutions and hidden tests in them:
    it takes them out itself. Return the files written.
    """
    folder = Path(folder).resolve()
    texts = {}
    for number in sorted({known(n) for n in chosen}):
        path = folder / "source" / stem(number) / notebook_path(number).name
        texts[path] = _source(number, path.parent, points)
    if not (settings := folder / "nbgrader_config.py").exists():
        texts[settings] = CONFIGURATION.format(name=folder.name)
    return student_copies.write_all(folder, texts)


def _source(number, folder, points):
    whole = {cell["id"]: cell["source"] for cell in builder.assemble(number)["cells"]}

    def finish(notebook):
        _set_points(points, notebook)
        for cell in notebook["cells"]:
            if "nbgrader" in cell["metadata"]:
                cell["source"] = whole[cell["id"]]

    return student_copies.copy_of(number, folder, lambda name: True, finish=finish)


# --- A package without solutions ------------------------------------------------------


def _with_package(folder):
    there = sorted(folder.glob("dezero_lite-*.whl"))
    written = [] if there else [build_package(folder)]
    read_me, (wheel, *_) = folder / READ_ME, there or written
    if not read_me.exists():
        text = (TEMPLATES / "read-me.md").read_text(encoding="utf-8")
        written.append(write_new(read_me, text.format(wheel=wheel.name)))
    return written


def build_package(folder):
    """Build a wheel of the course without solutions and hidden tests; return it."""
    if not (lessons.ROOT / "pyproject.toml").exists():
        raise CourseError("A package can be built from a checkout of the course only.")
    import hatchling  # noqa: F401

    with tempfile.TemporaryDirectory() as place:
        tree = Path(place) / "course"
        _copy_without_solutions(tree)
        words = "-m", "hatchling", "build", "-t", "wheel", "-d", place
        done = subprocess.run([sys.executable, *words], cwd=tree, capture_output=True)
        built = next(Path(place).glob("*.whl"), None)
        if not built:
            said = done.stderr.decode("utf-8", "replace")
            raise CourseError(f"The package could not be built:\n{said}")
        return Path(shutil.copy(built, folder))


def _copy_without_solutions(tree):
    for name in ("dezero_lite", STEPS):
        ignore = shutil.ignore_patterns("__pycache__", "harmless.json")
        shutil.copytree(lessons.ROOT / name, tree / name, ignore=ignore)
    for name in ("README.md", "LICENSE", "pyproject.toml"):
        shutil.copy(lessons.ROOT / name, tree)
    (tree / lessons.NOTEBOOKS.name).mkdir()
    shutil.copy(notebook_path(MAP), tree / lessons.NOTEBOOKS.name)
    for number in lessons.numbers():
        path = tree / STEPS / f"{stem(number)}.md"
        # The markers stay: hints look for the exercise there.
        text = path.read_text(encoding="utf-8")
        text = exercises.without_solution(text, markers=True)
        text = exercises.without_hidden_tests(text)
        path.write_text(f"{text}\n", encoding="utf-8", newline="\n")
    # Faults that do no harm quote the solutions; the file has to be there.
    (tree / STEPS / "course" / "harmless.json").write_text("{}\n", encoding="utf-8")
    settings = tree / "pyproject.toml"
    text = settings.read_text(encoding="utf-8")
    # So that pip tells the two apart.
    text = re.sub(r'(?m)^(version = "[^"+]+)"', r'\1+students"', text, count=1)
    settings.write_text(text, encoding="utf-8", newline="\n")
