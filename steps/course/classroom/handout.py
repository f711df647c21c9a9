"""Writes what a teacher hands out: copies of lessons, nbgrader's sources, and a package
without solutions.
"""

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
from .grading import POINTS, look_up_points

INSTALLED_STEPS = "dezero_lite.steps"
EXERCISE = re.compile(r"(?m)^### Exercise (\d+).*$")
READ_ME = "READ-ME.md"
TEMPLATES = Path(__file__).with_name("templates")


def release(folder, chosen, points=POINTS, workshop=False, package=False):
    """Write notebooks without solutions and hidden tests, and the map; overwrite
    nothing.

    Parameters
    ----------
    chosen : list of int
        The numbers of the steps.
    points : sequence of int
        The points for a lesson's exercises, in order.
    workshop : bool
        Whether to write the workshop's notebooks, into a folder ``workshop``, instead
        of those with exercises.
    package : bool
        Whether to add a package without solutions, which the notebooks then use.

    Returns
    -------
    list of Path
        The files written.
    """
    folder = Path(folder).resolve()
    name = INSTALLED_STEPS if package else STEPS
    texts = make_texts(folder, chosen, points, name, workshop)
    written = student_copies.write_all(folder, texts)
    return written + (_add_package(folder) if package else [])


def make_texts(folder, chosen, points=POINTS, name=INSTALLED_STEPS, workshop=False):
    """Return the contents of notebooks, by path; they import the steps as `name`."""
    numbers = sorted({known(n) for n in chosen})
    settings = {"finish": partial(_set_points, points), "name": name}
    copied = [] if workshop else numbers
    texts = student_copies.format_copies(folder, copied, **settings)
    for number in numbers if workshop else ():
        path = folder / "workshop" / notebook_path(number).name
        texts[path] = _make_workshop_copy(number, name)
    map_path = folder / notebook_path(MAP).name
    if name == INSTALLED_STEPS and map_path in texts:
        texts[map_path] = _adapt_map(texts[map_path])
    return texts


def _adapt_map(text):
    """Change the map's commands to find the lessons beside it, not in my-course."""
    text = text.replace("folder that holds `my-course`", "folder of this map")
    text = text.replace("progress my-course", "progress .")
    text = text.replace("lab my-course/", "lab ")
    text = re.sub(r"(steps fresh \d+)`", r"\1 .`", text)
    # Copies from a teacher are not updated.
    return re.sub(r"(?s) When the course is updated.*?left alone\.", "", text)


def _make_workshop_copy(number, name):
    """Make the workshop's notebook of a step, for a learner who begins there."""
    from ..module_text import ModuleText
    from ..workshop import notebook, step, workspace

    before = step.read_code(lessons.previous(workspace.check_number(number)))
    return notebook.build_text(number, ModuleText.read(before), name)


def _set_points(points, notebook):
    """Write the points of exercises into their titles and nbgrader's metadata."""
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            append = partial(_append_points, points)
            cell["source"] = EXERCISE.sub(append, cell["source"])
        metadata = cell["metadata"].get("nbgrader", {})
        if number := re.search(r"check(\d+)$", metadata.get("grade_id", "")):
            metadata["points"] = look_up_points(int(number[1]), points)


def _append_points(points, match):
    worth = look_up_points(int(match[1]), points)
    return f"{match[0]} ({worth} point{'s' * (worth != 1)})"


# --- nbgrader -------------------------------------------------------------------------

CONFIGURATION = """\
c = get_config()
c.CourseDirectory.course_id = "{name}"
# Some lessons train a network.
c.ExecutePreprocessor.timeout = 120
"""


def write_nbgrader_sources(folder, chosen, points=POINTS):
    """Write lessons as sources for nbgrader, which removes the solutions and hidden
    tests itself; return the files written.
    """
    folder = Path(folder).resolve()
    texts = {}
    for number in sorted({known(n) for n in chosen}):
        path = folder / "source" / stem(number) / notebook_path(number).name
        texts[path] = _make_source(number, path.parent, points)
    if not (settings := folder / "nbgrader_config.py").exists():
        texts[settings] = CONFIGURATION.format(name=folder.name)
    return student_copies.write_all(folder, texts)


def _make_source(number, folder, points):
    whole = {cell["id"]: cell["source"] for cell in builder.assemble(number)["cells"]}

    def finish(notebook):
        _set_points(points, notebook)
        for cell in notebook["cells"]:
            if "nbgrader" in cell["metadata"]:
                cell["source"] = whole[cell["id"]]

    return student_copies.format_copy(number, folder, lambda name: True, finish=finish)


# --- A package without solutions ------------------------------------------------------


def _add_package(folder):
    wheels = sorted(folder.glob("dezero_lite-*.whl"))
    written = [] if wheels else [build_package(folder)]
    read_me, (wheel, *_) = folder / READ_ME, wheels or written
    if not read_me.exists():
        text = (TEMPLATES / "read-me.md").read_text(encoding="utf-8")
        written.append(write_new(read_me, text.format(wheel=wheel.name)))
    return written


def build_package(folder):
    """Build a wheel without solutions and hidden tests; return its path."""
    if not (lessons.ROOT / "pyproject.toml").exists():
        raise CourseError("A package can only be built from a checkout of the course.")
    import hatchling  # noqa: F401

    with tempfile.TemporaryDirectory() as target:
        course = Path(target) / "course"
        _copy_without_solutions(course)
        build = sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", target
        finished = subprocess.run(build, cwd=course, capture_output=True)
        wheel = next(Path(target).glob("*.whl"), None)
        if not wheel:
            message = finished.stderr.decode("utf-8", "replace")
            raise CourseError(f"Could not build the package:\n{message}")
        return Path(shutil.copy(wheel, folder))


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
        # Keep the markers: hints find the exercises by them.
        text = path.read_text(encoding="utf-8")
        text = exercises.replace_solutions(text, markers=True)
        text = exercises.remove_hidden_tests(text)
        path.write_text(f"{text}\n", encoding="utf-8", newline="\n")
    # Leave it empty: the file has to exist, but its entries quote the solutions.
    (tree / STEPS / "course" / "mutating" / "harmless.json").write_text(
        "{}\n", encoding="utf-8"
    )
    settings = tree / "pyproject.toml"
    text = settings.read_text(encoding="utf-8")
    # Let pip distinguish it from the full package.
    text = re.sub(r'(?m)^(version = "[^"+]+)"', r'\1+students"', text, count=1)
    settings.write_text(text, encoding="utf-8", newline="\n")
