"""The files that were handed in, in folders and in zips, as learning platforms pack
them.

Nothing is unpacked to the disk: so it does not matter where the paths in a zip lead.
"""

import io
import os
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePosixPath

from .. import student_copies
from ..judge.cells import make_printable

# A lesson with all its pictures has less than one.
LARGEST = 50_000_000
# Files in a zip, and zips in a zip.
MOST, DEEPEST = 10_000, 2
# Canvas: surnamename_LATE_12345_987654_step01-1.ipynb, or with anon_a1b2c for a name.
CANVAS = re.compile(
    r"(?:(?:LATE_)?(?P<anon>anon_\w+?)|(?P<name>\w+?)(?:_LATE)?_(?P<canvas>\d+))"
    r"_\d+_(?P<file>.+)"
)
# Moodle: Anna Miller_12345_assignsubmission_file_, with or without a folder of its own.
MOODLE = re.compile(
    r"(?P<name>[^_]+)_(?P<number>\d+)_assignsubmission_[a-z]+(?:_(?P<file>.*))?"
)


@dataclass(frozen=True)
class File:
    """A file that was handed in; a folder has nothing to read."""

    path: PurePosixPath
    size: int = 0
    read: Callable[[], bytes] | None = None


@dataclass(frozen=True)
class Owner:
    """Whose a file is, by its path: a name, and what a platform wrote beside it."""

    name: str
    number: str = ""
    canvas: str = ""
    # With this before its name, the platform takes a file back for the same student.
    prefix: str = ""


def files_in(place):
    """All files in a folder of submissions, or in a zip of it."""
    if place.is_file():
        return _unwrapped(_in_zip(place, PurePosixPath(place.name)))
    ends = [path.suffix for path in place.iterdir() if not _is_hidden([path.name])]
    files = list(_in_folder(place))
    return _unwrapped(files) if ends == [".zip"] else files


def owner_of(path, is_folder):
    """Whose a path is, and what the file is called without what a platform added."""
    top = path.parts[0]
    found = MOODLE.fullmatch(top) or CANVAS.fullmatch(top)
    if not found:
        whole = is_folder or len(path.parts) > 1
        return Owner(readable(top if whole else PurePosixPath(top).stem)), path.name
    told = {key: text or "" for key, text in found.groupdict().items()}
    flat = told["file"] and len(path.parts) == 1
    prefix = top[: found.start("file")] if told["file"] else f"{top.rstrip('_')}_"
    name, canvas = readable(told["name"] or told["anon"]), told.get("canvas", "")
    owner = Owner(name, told.get("number") or canvas, canvas, readable(prefix))
    return owner, told["file"] if flat else path.name


def readable(name):
    """A name in letters that every file and every terminal can show."""
    text = os.fsencode(name).decode("utf-8", "backslashreplace")
    return make_printable(text).replace("\n", " ")


# --- Folders --------------------------------------------------------------------------


def _is_hidden(parts):
    # AGENTS.md was handed out with the lessons, and is nobody's work.
    others = "__MACOSX", student_copies.AGENTS
    return any(part.startswith(".") or part in others for part in parts)


def _in_folder(folder):
    for place in sorted(folder.rglob("*"), key=os.fsencode):
        path = PurePosixPath(place.relative_to(folder).as_posix())
        if _is_hidden(path.parts):
            continue
        regular = place.is_file() and not place.is_symlink()
        if regular and place.suffix.lower() == ".zip":
            yield from _in_zip(place, path)
        elif place.is_dir() and not place.is_symlink():
            yield File(path)
        else:
            yield file_at(place, path)


def file_at(place, path=None):
    """A file on this machine, which is read when it is asked for."""
    path = path or PurePosixPath(place.name)
    return File(path, place.lstat().st_size, partial(_on_disk, place))


def _on_disk(place):
    if place.is_symlink():
        raise ValueError("is a link, and not a file")
    if not place.is_file():  # a pipe would be waited for
        raise ValueError("is no file")
    try:
        return place.read_bytes()
    except OSError as error:
        raise ValueError(f"cannot be read ({error.strerror})") from None


# --- Zips -----------------------------------------------------------------------------


def _in_zip(source, path, depth=1):
    """What lies in a zip, as if it were a folder of its name: a zip on the disk, or one
    in a zip, to be read. One that cannot be read stays a file, which says why.
    """
    try:
        if depth > DEEPEST:
            raise ValueError("is a zip too deep in others: not read")
        file = io.BytesIO(source()) if callable(source) else source
        opened = partial(zipfile.ZipFile, file)
        with opened() as archive:
            members = archive.infolist()
        if len(members) > MOST:
            raise ValueError(f"holds more than {MOST} files: not read")
    except Exception as error:  # whatever is wrong with it
        known = isinstance(error, ValueError)
        reason = str(error) if known else "is no zip that can be read"
        yield File(path, 0, partial(_refuse, reason))
        return
    yield File(path.with_suffix(""))
    for member in members:
        parts = [x for x in re.split(r"[/\\]", _name(member)) if x not in ("", "..")]
        if not parts or _is_hidden(parts):
            continue
        inside = path.with_suffix("").joinpath(*parts)
        read = partial(_from_zip, opened, member)
        if member.is_dir():
            yield File(inside)
        elif inside.suffix.lower() == ".zip" and member.file_size <= LARGEST:
            yield from _in_zip(read, inside, depth + 1)
        else:
            yield File(inside, member.file_size, read)


def _name(member):
    # Without this mark a name is read as of 1981; a Mac leaves it out and means UTF-8.
    if member.flag_bits & 0x800:
        return member.filename
    try:
        return member.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return member.filename


def _from_zip(opened, member):
    try:
        # By its size, which may be a lie: without one, all is unpacked at once.
        with opened() as archive, archive.open(member) as file:
            return file.read(member.file_size + 1)
    except Exception:  # a password, a checksum, another kind of zip
        raise ValueError("cannot be read from its zip") from None


def _refuse(reason):
    raise ValueError(reason)


def _unwrapped(files):
    """What lies in the zip, and in a folder in it that holds all; but what is one
    student's stays together.
    """
    files = list(files)
    while len(tops := {file.path.parts[0] for file in files}) == 1:
        cut = (replace(f, path=PurePosixPath(*f.path.parts[1:])) for f in files)
        inner = [file for file in cut if file.path.parts]
        names = (file.path for file in inner if len(file.path.parts) == 1)
        books = [name for name in names if name.suffix == ".ipynb"]
        mine = any(not owner_of(name, False)[0].prefix for name in books)
        if not inner or mine or owner_of(PurePosixPath(*tops), True)[0].prefix:
            break
        files = inner
    return files
