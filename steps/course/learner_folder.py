"""A folder of the learner's own, ``my-course``: laid once, renewed with care.

What the learner changed is never overwritten. A copy knows, in its metadata, a digest
of the sources it was laid with; as long as its cells still have that digest, nobody has
worked in it, and a newer lesson can take its place.
"""

import hashlib
import json
import os
from itertools import count
from pathlib import Path

from . import lessons, student_copies
from .lessons import CourseError, known, notebook_path, with_map

FOLDER = lessons.ROOT / "my-course" if lessons.NOTEBOOKS.is_dir() else Path("my-course")
# Says from which course the folder was laid, so that the next start need not look.
STAMP = ".course.json"


def lay(folder=None):
    """Write the map and the lessons that are missing; renew those nobody worked in.

    Returns
    -------
    dict
        The numbers of the steps that were laid anew, under "new"; under "renewed"; and
        under "kept" those left alone though the course has a newer lesson.
    """
    folder = Path(folder or FOLDER).resolve()
    done: dict[str, list[int]] = {"new": [], "renewed": [], "kept": []}
    targets = {number: folder / notebook_path(number).name for number in with_map()}
    made_from = read(folder / STAMP).get("course")
    if made_from == _course() and all(p.exists() for p in targets.values()):
        return done
    folder.mkdir(parents=True, exist_ok=True)
    for number, target in targets.items():
        text = student_copies.make_copy(number, folder, tell_solutions=True)
        if happened := lay_one(target, text):
            done[happened].append(number)
    replace(folder / STAMP, json.dumps({"course": _course()}) + "\n")
    return done


def lay_one(target, text):
    """Write a copy, or renew it if nobody worked in it.

    Returns
    -------
    str or None
        "new", "renewed", "kept" where it is theirs and there is a newer one, or None
        where there was nothing to do.
    """
    if not target.exists():
        student_copies.write_new(target, text)
        return "new"
    notebook = read(target)
    if _marks(notebook) == _marks(json.loads(text)):
        return None
    if not is_untouched(notebook):
        return "kept"
    replace(target, text)
    return "renewed"


def fresh(number, folder=None):
    """Set the learner's copy of a lesson aside and lay a new one.

    Returns
    -------
    Path
        Where the old copy is now.

    Raises
    ------
    CourseError
        If there is no such step, or no copy of it.
    """
    folder = Path(folder or FOLDER).resolve()
    target = folder / notebook_path(known(number)).name
    text = student_copies.make_copy(number, folder, tell_solutions=True)
    aside = set_aside(target)
    student_copies.write_new(target, text)
    return aside


def set_aside(target):
    """Give a file another name, and return that.

    Raises
    ------
    CourseError
        If there is no such file.
    """
    if not target.exists():
        raise CourseError(f"There is no {target.name} in {target.parent}.")
    names = (f"{target.stem}-old{number}{target.suffix}" for number in count(1))
    free = next(name for name in names if not target.with_name(name).exists())
    return target.rename(target.with_name(free))


# --- What state a copy is in ----------------------------------------------------------


def is_untouched(notebook):
    """Whether nobody has worked in a copy since it was laid."""
    marks = _marks(notebook)
    return bool(marks) and marks["sources"] == student_copies.digest_sources(notebook)


def _marks(notebook):
    return notebook.get("metadata", {}).get("course", {})


def read(path):
    """A notebook, or another file of JSON, as a dict; an empty one if there is none,
    or if it cannot be read: then it is not ours to replace.
    """
    try:
        notebook = json.loads(path.read_text(encoding="utf-8"))
        return notebook if isinstance(notebook, dict) else {}
    except (FileNotFoundError, ValueError):
        return {}


def replace(path, text):
    # At once or not at all: an interrupted start leaves the old file.
    half = path.with_name(f".{path.name}.new")
    half.write_text(text, encoding="utf-8", newline="\n")
    os.replace(half, path)


def _course():
    """A digest of all that copies are made from, the course tool included."""
    digest = hashlib.sha256()
    files = [*lessons.LESSONS.glob("*.md"), *lessons.LESSONS.rglob("*.py")]
    maps = student_copies.BUILT_MAP, notebook_path(lessons.MAP)
    for path in sorted([*files, *filter(Path.exists, maps)]):
        content = path.read_bytes().replace(b"\r\n", b"\n")
        digest.update(path.name.encode() + hashlib.sha256(content).digest())
    return digest.hexdigest()[:16]
