"""Who handed in what: a file or a folder a student."""

import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..judge.cells import plain
from ..lessons import CourseError, notebook_path, numbers, spans, stem

# A lesson with all its pictures has less than one.
LARGEST = 50_000_000


@dataclass
class Submission:
    """What a student handed in: notebooks by the number of their lesson, and what is
    to be said about the other files.
    """

    student: str
    notebooks: dict[int, dict[str, Any]] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)


def submissions(folder):
    """All submissions in a folder, in the order of their names.

    Raises
    ------
    CourseError
        If there is no such folder, or nothing in it.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise CourseError(f"There is no folder {_readable(str(folder))}.")
    places = [path for path in folder.iterdir() if not path.name.startswith(".")]
    found = [_of(place) for place in sorted(places, key=lambda p: os.fsencode(p.name))]
    if not found:
        raise CourseError(
            f"{_readable(str(folder))} is empty. It should hold a file or a folder for "
            "each student."
        )
    return found


def _of(place):
    name = place.name if place.is_dir() else place.stem
    found = Submission(_readable(name))
    for path in _files(place):
        _take(found, path)
    if not found.notebooks and not found.said:
        found.said.append("there is no notebook in the folder")
    return found


def _files(place):
    """The notebooks of a student. Copies that Jupyter keeps for itself do not count,
    nor does what a link leads to: it may be anything on the teacher's machine.
    """
    if not place.is_dir() or place.is_symlink():
        return [place]
    inside = place.rglob("*.ipynb")
    inside = [path for path in inside if ".ipynb_checkpoints" not in path.parts]
    # step08.ipynb before step08-Copy1.ipynb.
    return sorted(inside, key=lambda path: (len(path.name), os.fsencode(path)))


def _take(found, path):
    name = _readable(path.name)
    try:
        notebook = read(path)
    except ValueError as error:
        found.said.append(f"{name} {error}")
        return
    number = lesson_of(notebook, path.name)
    if number is None:
        found.said.append(f"{name} is no lesson of this course")
    elif number in found.notebooks:
        found.said.append(f"{name} is another copy of lesson {number}: not graded")
    else:
        found.notebooks[number] = notebook
        if re.match(r"step\d\d", path.name) and not path.name.startswith(stem(number)):
            found.said.append(f"{name} holds lesson {number}")


def read(path):
    """A notebook as a dict; ValueError says in words what else a file is."""
    if path.is_symlink():
        raise ValueError("is a link, and not a file")
    try:
        if not path.is_file():  # reading a pipe would never end
            raise ValueError("is no file")
        if path.stat().st_size > LARGEST:
            raise ValueError(f"is larger than {LARGEST // 1_000_000} MB: not read")
        notebook = json.loads(path.read_text(encoding="utf-8"))
        cells = notebook["cells"]
        if not all(isinstance(cell, dict) for cell in cells):
            raise TypeError
    except OSError as error:
        raise ValueError(f"cannot be read ({error.strerror})") from None
    except (LookupError, TypeError, RecursionError, json.JSONDecodeError):
        raise ValueError("is no notebook that can be read") from None
    except UnicodeDecodeError:
        raise ValueError("is no notebook: it is not text in UTF-8") from None
    return notebook


def lesson_of(notebook, name=""):
    """The number of the lesson that a notebook is of, or None: by its metadata, else
    by its cells, else by its file's name.
    """
    metadata = notebook.get("metadata")
    course = metadata.get("course") if isinstance(metadata, dict) else None
    step = course.get("step") if isinstance(course, dict) else None
    if type(step) is int and step in numbers():  # 8.0 and True are none
        return step
    marks = [str(cell.get("id", "")) for cell in notebook["cells"]]
    marks += [grade_id(cell) for cell in notebook["cells"]]
    for mark in [*marks, name]:
        found = re.match(r"step(\d\d)(?!\d)", mark)
        if found and int(found[1]) in numbers():
            return int(found[1])
    return None


def grade_id(cell):
    """What nbgrader's metadata, which every copy has, call a cell; else nothing."""
    metadata = cell.get("metadata")
    marks = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    return str(marks.get("grade_id", "")) if isinstance(marks, dict) else ""


def handed_in(found):
    """The numbers of all lessons that anybody handed in.

    Raises
    ------
    CourseError
        If there is none.
    """
    lessons = sorted({number for one in found for number in one.notebooks})
    if not lessons:
        raise CourseError(
            "None of the submissions holds a lesson. The course has the steps "
            f"{spans(numbers())}; their files are called {notebook_path(8).name}, and "
            "so on."
        )
    return lessons


def _readable(name):
    """A name in letters that every file can hold, whatever its system wrote."""
    return plain(os.fsencode(name).decode("utf-8", "backslashreplace"))
