"""Reads the notebooks that students handed in, student by student."""

import json
import os
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..lessons import CourseError, notebook_path, numbers, spans, stem
from . import roster
from .archives import MAX_FILE_SIZE, Owner, identify_owner, list_files, make_readable
from .roster import Person

# Limit for all files of one student, in bytes.
MAX_TOTAL_SIZE = 10 * MAX_FILE_SIZE


@dataclass
class Submission:
    """A student's submission: notebooks by lesson number, remarks and, when judged, the
    verdicts by lesson and exercise number.

    ``person`` is the student in the roster, and ``owner`` the one that the files name;
    it is None if nothing was handed in.
    """

    student: str
    notebooks: dict[int, dict[str, Any]] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    person: Person | None = None
    owner: Owner | None = None
    verdicts: dict[tuple[int, int], str] = field(default_factory=dict)


def read_submissions(folder, people=()):
    """Read the submissions in a folder, or in a zip of one, sorted by student.

    Parameters
    ----------
    folder : path
        Holds a file, a folder or a zip for each student, or files as Moodle and Canvas
        name them.
    people : list of Person, optional
        The class. Those who handed in nothing get a Submission without an owner.

    Raises
    ------
    CourseError
        If there is no such folder, or if it is empty.
    """
    folder = Path(folder)
    if not folder.is_dir() and not (folder.is_file() and folder.suffix == ".zip"):
        raise CourseError(f"There is no folder {make_readable(str(folder))}.")
    students: dict[Any, tuple[Submission, list[Any]]] = {}
    for file in list_files(folder):
        owner, name = identify_owner(file.path, file.read is None)
        person = roster.find_person(people, owner.name, owner.canvas)
        submission = Submission(person.name if person else owner.name, person=person)
        key = person or (owner.name, owner.number)
        submission, files = students.setdefault(key, (submission, []))
        submission.owner = submission.owner or owner
        # At top level every file counts; in folders, only notebooks and zips.
        beside = len(file.path.parts) == 1
        if owner.is_late:
            submission.remarks.append(f"{make_readable(name)} was late")
        if file.read and (beside or name.endswith((".ipynb", ".zip"))):
            files.append((name, file))
    if not students:
        raise CourseError(
            f"{make_readable(str(folder))} is empty. It should contain a file or a "
            "folder for each student."
        )
    submissions = [_add_notebooks(*students[key]) for key in students]
    missing = [person for person in people if person not in students]
    submissions += [Submission(person.name, person=person) for person in missing]
    counts = Counter(each.student for each in submissions)
    for submission in submissions:
        person, owner = submission.person, submission.owner
        number = person.id if person else owner.number
        if counts[submission.student] > 1 and number:  # tells namesakes apart
            submission.student += f" ({number})"
    return sorted(submissions, key=lambda each: os.fsencode(each.student))


def _add_notebooks(submission, files):
    remarks = submission.remarks
    if sum(file.size for _, file in files) > MAX_TOTAL_SIZE:
        limit = MAX_TOTAL_SIZE // 1_000_000
        remarks.append(f"the submission exceeds {limit} MB: not read")
        files = []
    # Read step08.ipynb before step08-Copy1.ipynb.
    for name, file in sorted(files, key=lambda pair: (len(pair[0]), pair[0])):
        if remark := _add_notebook(submission, name, file):
            remarks.append(f"{make_readable(name)} {remark}")
    if not submission.notebooks and not remarks:
        remarks.append("there is no notebook in the folder")
    return submission


def _add_notebook(submission, name, file):
    """Add the notebook in a file to a submission; return a remark, or ""."""
    try:
        notebook = read_notebook(file)
    except ValueError as error:
        return str(error)
    number = identify_lesson(notebook, name)
    if number is None:
        return "is not a lesson of this course"
    if number in submission.notebooks:
        return f"is another copy of lesson {number}: not graded"
    submission.notebooks[number] = notebook
    is_misnamed = re.match(r"step\d\d", name) and not name.startswith(stem(number))
    return f"holds lesson {number}" if is_misnamed else ""


def read_notebook(file):
    """Read a notebook as a dict; raise ValueError if the file is not a notebook."""
    if file.size > MAX_FILE_SIZE:
        raise ValueError(f"is larger than {MAX_FILE_SIZE // 1_000_000} MB: not read")
    try:
        # Some editors write a byte order mark at the beginning.
        text = file.read().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("is not a notebook: not UTF-8 text") from None
    try:
        notebook = json.loads(text)
        if not all(isinstance(cell, dict) for cell in notebook["cells"]):
            raise TypeError
    except (LookupError, TypeError, RecursionError, ValueError):
        raise ValueError("is not a readable notebook") from None
    return notebook


def identify_lesson(notebook, name=""):
    """Return the number of a notebook's lesson, or None: from its metadata, else from
    its cells, else from its file name.
    """
    number = _read_metadata(notebook, "course").get("step")
    if type(number) is int and number in numbers():  # not 1.0 or True
        return number
    names = [str(cell.get("id", "")) for cell in notebook["cells"]]
    names += [read_grade_id(cell) for cell in notebook["cells"]]
    for text in [*names, name]:
        match = re.match(r"step(\d\d)(?!\d)", text)
        if match and int(match[1]) in numbers():
            return int(match[1])
    return None


def read_grade_id(cell):
    """Return a cell's id in nbgrader's metadata, which all copies have, or ""."""
    return str(_read_metadata(cell, "nbgrader").get("grade_id", ""))


def _read_metadata(holder, name):
    """Return the fields under a name in the metadata of a notebook or cell, or {}."""
    metadata = holder.get("metadata")
    fields = metadata.get(name) if isinstance(metadata, dict) else None
    return fields if isinstance(fields, dict) else {}


def list_lessons(submissions):
    """List the numbers of all lessons that anybody handed in.

    Raises
    ------
    CourseError
        If there are none.
    """
    lessons = sorted({number for each in submissions for number in each.notebooks})
    if not lessons:
        raise CourseError(
            "None of the submissions contains a lesson. The course has the steps "
            f"{spans(numbers())}, in files named like {notebook_path(8).name}."
        )
    return lessons
