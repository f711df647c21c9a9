"""Keep the learner's own folder, ``my-course``: nothing of theirs is overwritten.

A notebook knows, in its metadata, a digest of the sources it was laid with; as long as
its cells still have that digest, nobody has worked in it, and a newer lesson can take
its place. Of other files a stamp beside them has the digests.
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


def sync_copies(folder=None):
    """Write the map and the lessons that are missing; renew those nobody worked in.

    Returns
    -------
    dict
        The numbers of the steps that were laid anew, under "new"; under "renewed";
        under "kept" those left alone though the course has a newer lesson; and under
        "broken" those whose file cannot be read.
    """
    folder = Path(folder or FOLDER).resolve()
    done: dict[str, list[int]] = {"new": [], "renewed": [], "kept": [], "broken": []}
    targets = {number: folder / notebook_path(number).name for number in with_map()}
    digest = _digest_course()
    is_same = read_json(folder / STAMP, is_spare=True).get("course") == digest
    if is_same and all(path.exists() for path in targets.values()):
        return done
    for number, target in targets.items():
        if state := sync_copy(target, _make_copy(number, folder)):
            done[state].append(number)
    write_json(folder / STAMP, {"course": digest})
    return done


def _make_copy(number, folder):
    return student_copies.make_copy(number, folder, tell_solutions=True)


def sync_copy(target, text):
    """Write a copy, or renew it if nobody worked in it.

    Returns
    -------
    str or None
        "new", "renewed", "kept" where it is theirs and there is a newer one, "broken"
        where it cannot be read, or None where there was nothing to do.
    """
    if not target.exists():
        student_copies.write_new(target, text)
        return "new"
    try:
        notebook = read_json(target)
    except CourseError:
        return "broken"
    if _get_marks(notebook) == _get_marks(json.loads(text)):
        return None
    if not is_untouched(notebook):
        return "kept"
    replace_file(target, text)
    return "renewed"


def lay_copy(number, folder=None):
    """Write the learner's copy of one lesson, unless it is there; return its path."""
    folder = Path(folder or FOLDER).resolve()
    target = folder / notebook_path(number).name
    if not target.exists():
        student_copies.write_new(target, _make_copy(number, folder))
    return target


def lay_fresh(number, folder=None):
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
    text = _make_copy(number, folder)
    old = set_aside(target)
    student_copies.write_new(target, text)
    return old


def set_aside(path):
    """Give a file another name, and return that.

    Raises
    ------
    CourseError
        If there is no such file.
    """
    if not path.exists():
        raise CourseError(f"There is no {path.name} in {path.parent}.")
    names = (f"{path.stem}-old{number}{path.suffix}" for number in count(1))
    free = next(name for name in names if not path.with_name(name).exists())
    return path.rename(path.with_name(free))


# --- Whether something is theirs ------------------------------------------------------


def is_untouched(notebook):
    """Whether nobody has worked in a copy since it was laid."""
    marks, digest = _get_marks(notebook), student_copies.digest_sources
    return bool(marks) and marks["sources"] == digest(notebook)


def _get_marks(notebook):
    return notebook.get("metadata", {}).get("course", {})


def write_tracked(texts, stamp):
    """Write files, by their paths, and return which: those that somebody else changed
    stay as they are. The stamp, a file, notes the digests of what was written.
    """
    written = [p for p in texts if not p.exists() or is_tracked(p, stamp)]
    digests = read_json(stamp)
    for path in written:
        replace_file(path, texts[path])
        digests[os.path.relpath(path, stamp.parent)] = _digest(texts[path].encode())
    write_json(stamp, digests)
    return written


def is_tracked(path, stamp):
    """Whether a file is still as it was written with this stamp."""
    digest = read_json(stamp).get(os.path.relpath(path, stamp.parent))
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return digest == _digest(text.encode())


def _digest(data):
    return hashlib.sha256(data).hexdigest()[:16]


def _digest_course():
    """Digest all that copies are made from, the course tool included."""
    files = [*lessons.LESSONS.glob("*.md"), *lessons.LESSONS.rglob("*.py")]
    maps = student_copies.BUILT_MAP, notebook_path(lessons.MAP)
    data = b""
    for path in sorted([*files, *filter(Path.exists, maps)]):
        content = path.read_bytes().replace(b"\r\n", b"\n")
        data += path.name.encode() + hashlib.sha256(content).digest()
    return _digest(data)


# --- Reading and writing --------------------------------------------------------------


def read_json(path, is_spare=False):
    """Read a notebook, or another file of JSON, as a dict; an empty one if there is
    none, or if it cannot be read and is spare: it is made anew.

    Raises
    ------
    CourseError
        If it cannot be read: then it is not ours to replace.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return content if isinstance(content, dict) else {}
    except FileNotFoundError:
        return {}
    except ValueError:
        if is_spare:
            return {}
        raise CourseError(
            f"{path} cannot be read, and may be cut off: rename it, or delete it."
        ) from None


def write_json(path, content):
    replace_file(path, json.dumps(content, indent=1) + "\n")


def replace_file(path, text):
    """Write a file at once or not at all: an interrupted start leaves the old one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f".{path.name}.new")
    half.write_text(text, encoding="utf-8", newline="\n")
    os.replace(half, path)
