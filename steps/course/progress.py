"""Which exercises are solved in a folder of copies, lesson by lesson.

A lesson in which no exercise was begun is not run; the others are run up to the last
exercise that was begun. What was judged once is remembered until it changes.
"""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import builder, copies, exercises
from .lessons import STEPS, CourseError, notebook_path, numbers
from .running import ATTEMPT, JUDGE, LESSON, TOO_SLOW

NOT_BEGUN = "not begun"
NOT_REACHED = "not reached, because of the exercise before"
# For a lesson with all its attempts.
SECONDS = 180
KNOWN = ".progress.json"


def progress(folder):
    """Judge the attempts in a folder of copies.

    Returns
    -------
    dict
        For each lesson that is in the folder, by number, the outcomes of its exercises:
        "right", "not begun", or what the check says.

    Raises
    ------
    CourseError
        If the folder holds no lesson.
    """
    folder = Path(folder).resolve()
    there = [n for n in numbers() if (folder / notebook_path(n).name).exists()]
    if not there:
        raise CourseError(f"{folder} holds no lesson.")
    known = _remembered(folder)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        judged = pool.map(lambda number: _lesson(number, folder, known), there)
        found = dict(zip(there, judged, strict=True))
    remember = {key: outcomes for key, outcomes in found.values() if key}
    with (folder / KNOWN).open("w", encoding="utf-8") as file:
        json.dump(remember, file)
    return {number: outcomes for number, (_, outcomes) in found.items()}


def _remembered(folder):
    try:
        return json.loads((folder / KNOWN).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def _lesson(number, folder, known):
    """A key under which the outcomes can be remembered, and the outcomes in order."""
    copy = json.loads((folder / notebook_path(number).name).read_text("utf-8"))
    cells = cells_to_run(number, copy)
    count = len(exercises.of_lesson(builder.lesson_cells(number)))
    if not cells:
        return "", [NOT_BEGUN] * count
    key = copies.digest_of([number, cells])
    if key in known:
        return key, known[key]
    judged, ended = run_apart(cells, folder)
    outcomes = [NOT_BEGUN] * count
    unjudged = "ends Python" if ended else TOO_SLOW
    for kind, exercise, _ in cells:
        if kind != JUDGE:
            continue
        if exercise in judged:
            outcomes[exercise - 1] = judged[exercise]
        else:  # the first one that did not come to an end; those after it did not run
            outcomes[exercise - 1] = unjudged
            unjudged = NOT_REACHED
    # On a busy machine even what is right may take too long: that is not remembered.
    return "" if TOO_SLOW in outcomes else key, outcomes


def cells_to_run(number, copy):
    """What has to run to judge a copy, as :func:`running.judge` takes it: the lesson's
    own cells, the learner's attempts and the cells that they added, and the lesson's
    checks, hidden tests included.
    """
    lesson = builder.assemble(number)["cells"]
    theirs, added = _attempts_and_additions(copy, {cell["id"] for cell in lesson})
    cells = [(LESSON, 0, source) for source in added.get(None, [])]
    exercise, end, begun = 0, 0, False
    for cell in lesson:
        source = copies.as_installed(cell["source"])
        if cell["cell_type"] != "code":
            pass
        elif exercises.is_solution(source):
            exercise += 1
            stub = exercises.without_solution(source)
            attempt = theirs.get(cell["id"], stub)
            begun = attempt.strip() != stub.strip()
            cells.append((ATTEMPT, exercise, attempt))
        elif exercises.CHECK not in cell["metadata"].get("tags", ()):
            cells.append((LESSON, 0, source))
        elif begun:
            cells.append((JUDGE, exercise, source))
            end = len(cells)
        cells += [(LESSON, 0, source) for source in added.get(cell["id"], [])]
    return cells[:end]


def _attempts_and_additions(copy, known):
    """The sources of a copy's cells by id; and those of the cells that the learner
    added, by the id of the lesson's cell before them.
    """
    sources: dict[str, str] = {}
    added: dict[str | None, list[str]] = {}
    before = None
    for cell in copy["cells"]:
        source = "".join(cell["source"])
        if cell.get("id") in known:
            before = cell["id"]
            sources[before] = source
        elif cell["cell_type"] == "code":
            added.setdefault(before, []).append(source)
    return sources, added


def run_apart(cells, folder, seconds=SECONDS):
    """Run cells in a process of their own: outcomes by exercise, and whether they
    came to an end.
    """
    # Our own package has to be found from any folder.
    top = Path(__file__).parents[__package__.count(".") + 1]
    path = [str(top), os.environ.get("PYTHONPATH", "")]
    try:
        done = subprocess.run(
            [sys.executable, "-m", f"{STEPS}.course.running"],
            input=json.dumps(cells),
            cwd=folder,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, path))},
            capture_output=True,
            encoding="utf-8",
            timeout=seconds,
        )
        said, ended = done.stdout, True
    except subprocess.TimeoutExpired as error:
        said, ended = _text(error.stdout), False
    lines = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    return {line["exercise"]: line["outcome"] for line in lines}, ended


def _text(said):
    # After a time-out it is bytes on one system and text on another.
    return said.decode() if isinstance(said, bytes) else said or ""
