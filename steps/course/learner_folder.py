"""Keep the learner's own folder, ``my-course``, up to date without overwriting their
work.

A notebook's metadata hold a digest of its original cells. As long as the cells still
match, nobody has worked in the notebook, and a newer lesson can replace it. For other
files, a stamp file beside them holds the digests.
"""

import hashlib
import json
import os
from itertools import count
from pathlib import Path

from . import lessons, student_copies
from .lessons import CourseError, known, notebook_path, with_map
from .translation.tool import STAMP, get_language

FOLDER = lessons.ROOT / "my-course" if lessons.NOTEBOOKS.is_dir() else Path("my-course")


def sync_copies(folder=None):
    """Create missing copies of the map and the lessons; update those nobody worked in.

    Returns
    -------
    dict
        The numbers of the steps, by what happened to their copies: "new" (created),
        "renewed" (updated), "kept" (left alone although the course has a newer lesson)
        and "broken" (not readable).
    """
    folder = Path(folder or FOLDER).resolve()
    done: dict[str, list[int]] = {"new": [], "renewed": [], "kept": [], "broken": []}
    targets = {number: folder / notebook_path(number).name for number in with_map()}
    digest = _digest_course()
    # The digest lets the next start skip the comparison.
    stamp = read_json(folder / STAMP, is_spare=True)
    if stamp.get("course") == digest and all(
        path.exists() for path in targets.values()
    ):
        return done
    for number, target in targets.items():
        if state := sync_copy(target, _format_copy(number, folder)):
            done[state].append(number)
    write_json(folder / STAMP, stamp | {"course": digest})
    return done


def _format_copy(number, folder):
    return student_copies.format_copy(number, folder, tell_solutions=True)


def sync_copy(target, text):
    """Create a copy, or update it if nobody worked in it.

    Returns
    -------
    str or None
        "new"; "renewed"; "kept" if someone worked in it and the lesson is newer;
        "broken" if it is not readable; None if it is up to date.
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


def create_copy(number, folder=None):
    """Create the learner's copy of a lesson unless it exists; return its path."""
    folder = Path(folder or FOLDER).resolve()
    target = folder / notebook_path(number).name
    if not target.exists():
        student_copies.write_new(target, _format_copy(number, folder))
    return target


def restart_lesson(number, folder=None):
    """Rename the learner's copy of a lesson, and create a new copy.

    Returns
    -------
    Path
        The new path of the old copy.

    Raises
    ------
    CourseError
        If the step does not exist, or if there is no copy of it.
    """
    folder = Path(folder or FOLDER).resolve()
    target = folder / notebook_path(known(number)).name
    text = _format_copy(number, folder)
    old = set_aside(target)
    student_copies.write_new(target, text)
    return old


def set_aside(path):
    """Rename a file, such as ``step08.ipynb`` to ``step08-old1.ipynb``; return the new
    path.

    Raises
    ------
    CourseError
        If the file does not exist.
    """
    if not path.exists():
        raise CourseError(f"There is no {path.name} in {path.parent}.")
    names = (f"{path.stem}-old{number}{path.suffix}" for number in count(1))
    free = next(name for name in names if not path.with_name(name).exists())
    return path.rename(path.with_name(free))


# --- The learner's changes ------------------------------------------------------------


def is_untouched(notebook):
    """Return whether nobody has worked in a copy since it was created."""
    marks, digest = _get_marks(notebook), student_copies.digest_sources
    return bool(marks) and marks["sources"] == digest(notebook)


def _get_marks(notebook):
    return notebook.get("metadata", {}).get("course", {})


def write_tracked(texts, stamp):
    """Write files, given as a dict from path to text; return the paths written.

    Files that were changed since they were last written are left alone. The file
    `stamp` records the digests of the written files.
    """
    written = [p for p in texts if not p.exists() or is_tracked(p, stamp)]
    digests = read_json(stamp)
    for path in written:
        replace_file(path, texts[path])
        digests[os.path.relpath(path, stamp.parent)] = _digest(texts[path].encode())
    write_json(stamp, digests)
    return written


def is_tracked(path, stamp):
    """Return whether a file still matches its digest in the stamp."""
    digest = read_json(stamp).get(os.path.relpath(path, stamp.parent))
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return digest == _digest(text.encode())


def _digest(data):
    return hashlib.sha256(data).hexdigest()[:16]


def _digest_course():
    """Return a digest of all that copies are made from, including the course tool and
    the learner's language.
    """
    files = [*lessons.LESSONS.glob("*.md"), *lessons.LESSONS.rglob("*.py")]
    files += lessons.LESSONS.rglob("*.po")
    maps = student_copies.BUILT_MAP, notebook_path(lessons.MAP)
    data = str(get_language()).encode()
    for path in sorted([*files, *filter(Path.exists, maps)]):
        content = path.read_bytes().replace(b"\r\n", b"\n")
        data += path.name.encode() + hashlib.sha256(content).digest()
    return _digest(data)


# --- Reading and writing --------------------------------------------------------------


def read_json(path, is_spare=False):
    """Read a JSON file, such as a notebook, as a dict; a missing file gives an empty
    dict.

    A damaged file also gives an empty dict if `is_spare`, because it will be written
    again.

    Raises
    ------
    CourseError
        If the file is damaged and not `is_spare`: it may be the learner's.
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
            f"{path} cannot be read and may be truncated: rename or delete it."
        ) from None


def write_json(path, content):
    replace_file(path, json.dumps(content, indent=1) + "\n")


def replace_file(path, text):
    """Write a file atomically: if this is interrupted, the old file stays."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f".{path.name}.new")
    half.write_text(text, encoding="utf-8", newline="\n")
    os.replace(half, path)
