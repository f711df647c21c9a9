"""Who handed in what: notebooks, student by student."""

import json
import os
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..lessons import CourseError, notebook_path, numbers, spans, stem
from . import roster
from .archives import LARGEST, Owner, files_in, owner_of, readable
from .roster import Person

# Of one student, in all.
MUCH = 10 * LARGEST


@dataclass
class Submission:
    """What a student handed in: notebooks by the number of their lesson, and what is
    to be said beside that; judged, the outcomes of exercises by lesson and number.

    ``person`` is who they are in the roster; ``owner`` whose a platform says it is, or
    None where nothing was handed in.
    """

    student: str
    notebooks: dict[int, dict[str, Any]] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    person: Person | None = None
    owner: Owner | None = None
    outcomes: dict[tuple[int, int], str] = field(default_factory=dict)


def submissions(folder, people=()):
    """All submissions in a folder, or in a zip of it, in the order of their names.

    Parameters
    ----------
    folder : path
        Holds a file, a folder or a zip for each student, or files as Moodle and Canvas
        name them.
    people : list of Person, optional
        The class. Who of them handed in nothing is there, too, without an owner.

    Raises
    ------
    CourseError
        If there is no such folder, or nothing in it.
    """
    folder = Path(folder)
    if not folder.is_dir() and not (folder.is_file() and folder.suffix == ".zip"):
        raise CourseError(f"There is no folder {readable(str(folder))}.")
    students: dict[Any, tuple[Submission, list[Any]]] = {}
    for file in files_in(folder):
        owner, name = owner_of(file.path, file.read is None)
        person = roster.find(people, owner.name, owner.canvas)
        one = Submission(person.name if person else owner.name, person=person)
        key = person or (owner.name, owner.number)
        one, files = students.setdefault(key, (one, []))
        one.owner = one.owner or owner
        # Beside folders all count; in them there may be anything.
        beside = len(file.path.parts) == 1
        if file.read and (beside or name.endswith((".ipynb", ".zip"))):
            files.append((name, file))
    if not students:
        raise CourseError(
            f"{readable(str(folder))} is empty. It should hold a file or a folder for "
            "each student."
        )
    found = [_read_all(one, files) for one, files in students.values()]
    found += [Submission(p.name, person=p) for p in people if p not in students]
    often = Counter(one.student for one in found)
    for one in found:
        number = one.person.id if one.person else one.owner.number
        if often[one.student] > 1 and number:  # what tells them apart
            one.student += f" ({number})"
    return sorted(found, key=lambda one: os.fsencode(one.student))


def _read_all(found, files):
    if sum(file.size for _, file in files) > MUCH:
        found.said.append(f"more than {MUCH // 1_000_000} MB were handed in: not read")
        files = []
    # step08.ipynb before step08-Copy1.ipynb.
    for name, file in sorted(files, key=lambda pair: (len(pair[0]), pair[0])):
        if said := _take(found, name, file):
            found.said.append(f"{readable(name)} {said}")
    if not found.notebooks and not found.said:
        found.said.append("there is no notebook in the folder")
    return found


def _take(found, name, file):
    """Add what is in a file; return what is to be said about it."""
    try:
        notebook = read(file)
    except ValueError as error:
        return str(error)
    number = lesson_of(notebook, name)
    if number is None:
        return "is no lesson of this course"
    if number in found.notebooks:
        return f"is another copy of lesson {number}: not graded"
    found.notebooks[number] = notebook
    other = re.match(r"step\d\d", name) and not name.startswith(stem(number))
    return f"holds lesson {number}" if other else ""


def read(file):
    """A notebook as a dict; ValueError says in words what else a file is."""
    if file.size > LARGEST:
        raise ValueError(f"is larger than {LARGEST // 1_000_000} MB: not read")
    try:
        # Some editors put a mark at the beginning.
        text = file.read().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("is no notebook: it is not text in UTF-8") from None
    try:
        notebook = json.loads(text)
        if not all(isinstance(cell, dict) for cell in notebook["cells"]):
            raise TypeError
    except (LookupError, TypeError, RecursionError, ValueError):
        raise ValueError("is no notebook that can be read") from None
    return notebook


def lesson_of(notebook, name=""):
    """The number of the lesson that a notebook is of, or None: by its metadata, else
    by its cells, else by its file's name.
    """
    step = _marks(notebook, "course").get("step")
    if type(step) is int and step in numbers():  # 1.0 would name no file
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
    return str(_marks(cell, "nbgrader").get("grade_id", ""))


def _marks(thing, name):
    """Of the metadata of a notebook, or of a cell, those of that name."""
    metadata = thing.get("metadata")
    marks = metadata.get(name) if isinstance(metadata, dict) else None
    return marks if isinstance(marks, dict) else {}


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
