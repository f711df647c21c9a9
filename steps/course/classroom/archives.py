"""Finds submitted files in folders and zips, as learning platforms pack them.

Nothing is unpacked to disk, so paths in a zip that lead elsewhere do no harm.
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

# In bytes; a lesson with all its pictures has less than 1 MB.
MAX_FILE_SIZE = 50_000_000
# Maximum number of files in a zip, and depth of zips in zips.
MAX_MEMBERS, MAX_DEPTH = 10_000, 2
# Canvas: surnamename_LATE_12345_987654_step01-1.ipynb; if grading is anonymous,
# LATE_anon_a1b2c_987654_step01-1.ipynb.
CANVAS = re.compile(
    r"(?:(?:LATE_)?(?P<anon>anon_\w+?)|(?P<name>\w+?)(?:_LATE)?_(?P<canvas>\d+))"
    r"_\d+_(?P<file>.+)"
)
# Moodle: Anna Miller_12345_assignsubmission_file_, as the name of a folder, or followed
# by the name of a file.
MOODLE = re.compile(
    r"(?P<name>[^_]+)_(?P<number>\d+)_assignsubmission_[a-z]+(?:_(?P<file>.*))?"
)


@dataclass(frozen=True)
class File:
    """A submitted file, or a folder, whose ``read`` is None."""

    path: PurePosixPath
    size: int = 0
    read: Callable[[], bytes] | None = None


@dataclass(frozen=True)
class Owner:
    """The student who handed in a file, with the platform's details in its path."""

    name: str
    number: str = ""
    canvas: str = ""
    # A file whose name begins with this can be uploaded for the same student.
    prefix: str = ""
    is_late: bool = False


def list_files(folder):
    """List the files in a folder of submissions, or in a zip of one."""
    if folder.is_file():
        return _unwrap(_walk_zip(folder, PurePosixPath(folder.name)))
    suffixes = [path.suffix for path in folder.iterdir() if not _is_hidden([path.name])]
    files = list(_walk_folder(folder))
    return _unwrap(files) if suffixes == [".zip"] else files


def identify_owner(path, is_folder):
    """Return a path's Owner, and the file's name without the platform's additions."""
    top = path.parts[0]
    match = MOODLE.fullmatch(top) or CANVAS.fullmatch(top)
    if not match:
        is_name = is_folder or len(path.parts) > 1
        name = top if is_name else PurePosixPath(top).stem
        return Owner(make_readable(name)), path.name
    fields = {key: text or "" for key, text in match.groupdict().items()}
    name, canvas = fields["name"] or fields["anon"], fields.get("canvas", "")
    number, file = fields.get("number") or canvas, fields["file"]
    prefix = top[: match.start("file")] if file else f"{top.rstrip('_')}_"
    is_late = match.re is CANVAS and "LATE_" in prefix
    owner = Owner(make_readable(name), number, canvas, make_readable(prefix), is_late)
    return owner, file if file and len(path.parts) == 1 else path.name


def make_readable(name):
    """Replace the characters of a name that a file or a terminal cannot show."""
    text = os.fsencode(name).decode("utf-8", "backslashreplace")
    return make_printable(text).replace("\n", " ")


# --- Folders --------------------------------------------------------------------------


def _is_hidden(parts):
    # AGENTS.md was handed out with the lessons, and is not a student's work.
    ignored = "__MACOSX", student_copies.AGENTS
    return any(part.startswith(".") or part in ignored for part in parts)


def _walk_folder(folder):
    for entry in sorted(folder.rglob("*"), key=os.fsencode):
        path = PurePosixPath(entry.relative_to(folder).as_posix())
        if _is_hidden(path.parts):
            continue
        is_regular = entry.is_file() and not entry.is_symlink()
        if is_regular and entry.suffix.lower() == ".zip":
            yield from _walk_zip(entry, path)
        elif entry.is_dir() and not entry.is_symlink():
            yield File(path)
        else:
            yield make_file(entry, path)


def make_file(location, path=None):
    """Make a File from a path on this machine; it is read only when needed."""
    path = path or PurePosixPath(location.name)
    return File(path, location.lstat().st_size, partial(_read_from_disk, location))


def _read_from_disk(location):
    if location.is_symlink():
        raise ValueError("is a link, not a file")
    if not location.is_file():  # reading a pipe would block
        raise ValueError("is not a regular file")
    try:
        return location.read_bytes()
    except OSError as error:
        raise ValueError(f"cannot be read ({error.strerror})") from None


# --- Zips -----------------------------------------------------------------------------


def _walk_zip(source, path, depth=1):
    """Yield the contents of a zip as if it were a folder of that name.

    The source is a path, or for a zip in a zip, a function that reads it. A zip that
    cannot be read is yielded as a file, whose ``read`` raises the reason.
    """
    try:
        if depth > MAX_DEPTH:
            raise ValueError("is nested in too many zips: not read")
        archive_file = io.BytesIO(source()) if callable(source) else source
        open_archive = partial(zipfile.ZipFile, archive_file)
        with open_archive() as archive:
            members = archive.infolist()
        if len(members) > MAX_MEMBERS:
            raise ValueError(f"contains more than {MAX_MEMBERS} files: not read")
    except Exception as error:  # the zip may be damaged in any way
        is_explained = isinstance(error, ValueError)
        reason = str(error) if is_explained else "is not a readable zip"
        yield File(path, 0, partial(_refuse, reason))
        return
    yield File(path.with_suffix(""))
    for member in members:
        parts = re.split(r"[/\\]", _decode_name(member))
        parts = [part for part in parts if part not in ("", "..")]
        if not parts or _is_hidden(parts):
            continue
        member_path = path.with_suffix("").joinpath(*parts)
        read = partial(_read_member, open_archive, member)
        if member.is_dir():
            yield File(member_path)
        elif member_path.suffix.lower() == ".zip" and member.file_size <= MAX_FILE_SIZE:
            yield from _walk_zip(read, member_path, depth + 1)
        else:
            yield File(member_path, member.file_size, read)


def _decode_name(member):
    # Without the UTF-8 flag, zipfile decodes names as cp437; macOS omits the flag.
    if member.flag_bits & 0x800:
        return member.filename
    try:
        return member.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return member.filename


def _read_member(open_archive, member):
    try:
        # The declared size may be false: without a limit, read() would unpack it all.
        with open_archive() as archive, archive.open(member) as file:
            return file.read(member.file_size + 1)
    except Exception:  # password, wrong checksum, unknown compression
        raise ValueError("cannot be unpacked from its zip") from None


def _refuse(reason):
    raise ValueError(reason)


def _unwrap(files):
    """Remove outer folders that hold all the files, unless such a folder belongs to a
    single student.
    """
    files = list(files)
    while len(tops := {file.path.parts[0] for file in files}) == 1:
        shortened = (replace(f, path=PurePosixPath(*f.path.parts[1:])) for f in files)
        inner = [file for file in shortened if file.path.parts]
        names = (file.path for file in inner if len(file.path.parts) == 1)
        books = [name for name in names if name.suffix == ".ipynb"]
        is_one_student = not all(identify_owner(n, False)[0].prefix for n in books)
        is_one_student |= bool(identify_owner(PurePosixPath(*tops), True)[0].prefix)
        if not inner or is_one_student:
            break
        files = inner
    return files
