"""Files that are saved completely or not at all. Step 53 explains them.

A file is first saved under a temporary name, and then replaces the old file in one
step. Each save has its own temporary name, so that several processes do not disturb
each other.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO

StrPath = str | bytes | os.PathLike[str] | os.PathLike[bytes]

# In seconds. No running save goes without writing for so long.
HOUR = 3600


@contextmanager
def open_atomic(path: StrPath) -> Iterator[IO[bytes]]:
    """Open a file for writing that replaces `path` at the end of the ``with`` block; if
    the block fails, `path` stays unchanged.

    The new file takes the permissions of the old one.

    Raises
    ------
    FileNotFoundError
        If the folder does not exist.
    PermissionError
        If the file exists and is read-only.
    """
    path = os.path.realpath(os.fsdecode(path))
    if os.path.exists(path) and not os.path.isfile(path):
        # A terminal or a pipe is written to, not replaced.
        with open(path, "wb") as file:
            yield file
        return
    mode = _permissions(path)
    folder, name = os.path.split(path)
    remove_leftovers(folder, rf"{re.escape(name)}\.[0-9a-f]{{16}}\.tmp")
    # An unpredictable name; mode x rejects a file that someone else put there.
    unfinished = f"{path}.{own_suffix()}.tmp"
    try:
        make = lambda path, flags: os.open(path, flags, mode)
        with open(unfinished, "xb", opener=make) as file:
            yield file
        if os.path.exists(path):
            os.chmod(unfinished, mode)
        os.replace(unfinished, path)
    except BaseException:
        with suppress(FileNotFoundError):
            os.remove(unfinished)
        raise


def own_suffix() -> str:
    """Return sixteen random hexadecimal digits, to make a file name unique."""
    return os.urandom(8).hex()


def remove_leftovers(
    folder: str | os.PathLike[str], names: str, but: str | None = None
) -> None:
    """Delete what killed saves have left in a folder: everything that matches `names`,
    a regular expression, except `but`.

    Files written to within the last hour are kept: another process may be saving them.
    """
    from shutil import rmtree

    # Saving goes on even if the folder cannot be read, or another process is deleting
    # an entry.
    with suppress(OSError):
        for entry in os.scandir(folder):
            if entry.name == but or not re.fullmatch(names, entry.name):
                continue
            with suppress(OSError):
                inside = os.scandir(entry) if entry.is_dir() else ()
                last = max(part.stat().st_mtime for part in (entry, *inside))
                if time.time() - last > HOUR:
                    rmtree(entry) if entry.is_dir() else os.remove(entry)


def _permissions(path: str) -> int:
    # The permissions of the file to replace, else the default ones.
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        raise FileNotFoundError(
            f"cannot save: the folder {folder} does not exist, so create it first"
        )
    if not os.path.exists(path):
        return 0o666
    mode = stat.S_IMODE(os.stat(path).st_mode)
    # An administrator may write to any file; but a file without write permission was
    # made read-only on purpose.
    if not mode & 0o222 or not os.access(path, os.W_OK):
        raise PermissionError(
            f"{path} is read-only, so it was not replaced: save under another name, or "
            "make it writable first"
        )
    return mode
