"""Arrays in files: saved whole or not at all, and read without trust. Step 53 explains
them.

An ``.npz`` file is a zip archive with one array per member, and each array begins with
a header that states its shape and dtype. :func:`open_arrays` reads the headers alone,
so that a file that does not fit is refused before anything large is unpacked.
"""

from __future__ import annotations

import contextlib
import math
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["check_fit", "load_arrays", "open_arrays", "save_arrays"]

Array = NDArray[Any]
StrPath = str | bytes | os.PathLike[str] | os.PathLike[bytes]

# What a zip archive's two methods of packing make of one byte, at most.
STORED, DEFLATED = 0, 8
MOST_FROM_A_BYTE = {STORED: 1, DEFLATED: 1032}


# --- saving ---------------------------------------------------------------------------


def save_arrays(path: StrPath, arrays: Mapping[str, Array]) -> None:
    """Write an ``.npz`` file, as ``np.savez`` would, whole or not at all; ``.npz`` is
    added to a path without it.

    A file that is there already is replaced, and keeps its permissions.

    Raises
    ------
    FileNotFoundError
        If the folder is not there.
    PermissionError
        If the file is there and read-only.
    ValueError
        If the path names a folder, but no file in it.
    """
    path = os.path.realpath(_with_ending(path))
    mode = _permissions(path)
    _clear_unfinished(path)
    unfinished = _unfinished_name(path)
    try:
        with _create(unfinished, mode) as file:
            _write(file, arrays)
        if mode is not None:
            os.chmod(unfinished, mode)
        os.replace(unfinished, path)
    except BaseException:
        if os.path.exists(unfinished):
            os.remove(unfinished)
        raise


def _create(path: str, mode: int | None) -> IO[bytes]:
    # The x refuses a name that is taken, by a link as well.
    wanted = 0o666 if mode is None else mode
    return open(path, "xb", opener=lambda path, flags: os.open(path, flags, wanted))


def _write(file: IO[bytes], arrays: Mapping[str, Array]) -> None:
    import zipfile

    with zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            # Without the time of day in it, the same arrays make the same file.
            info = zipfile.ZipInfo(name + ".npy")
            with archive.open(info, "w", force_zip64=True) as member:
                np.lib.format.write_array(
                    member, np.asanyarray(array), allow_pickle=False
                )


def _with_ending(path: StrPath) -> str:
    path = os.fsdecode(path)
    return path if path.endswith(".npz") else path + ".npz"


def _permissions(path: str) -> int | None:
    # Those of the file to replace, or None if there is none.
    folder, name = os.path.split(path)
    if name == ".npz":
        raise ValueError(
            f"{folder + os.sep} names a folder: say what to call the file in it, as in "
            f"{os.path.join(folder, 'weights.npz')!r}"
        )
    if not os.path.isdir(folder):
        raise FileNotFoundError(
            f"there is no folder {folder} to save in: make it first"
        )
    if not os.path.exists(path):
        return None
    mode = stat.S_IMODE(os.stat(path).st_mode)
    # An administrator may write everywhere; a file without a bit for writing was made
    # so to stay as it is.
    if not mode & 0o222 or not os.access(path, os.W_OK):
        raise PermissionError(
            f"{path} is read-only, so it was not replaced: save under another name, or "
            "make it writable first"
        )
    return mode


# While a file is written it goes by a name that nobody can foresee, which ends in the
# number of the process that writes.
def _unfinished_name(path: str) -> str:
    return f"{path}.{os.urandom(8).hex()}.{os.getpid()}.tmp"


def _clear_unfinished(path: str) -> None:
    # What processes that were killed in the middle of saving have left behind.
    folder, name = os.path.split(path)
    pattern = re.compile(re.escape(name) + r"\.[0-9a-f]{16}\.(\d+)\.tmp")
    for other in os.listdir(folder):
        match = pattern.fullmatch(other)
        if match and not _is_alive(int(match[1])):
            with contextlib.suppress(OSError):
                os.remove(os.path.join(folder, other))


def _is_alive(process: int) -> bool:
    if os.name == "nt":
        # There, nobody can ask so; but a file that somebody writes cannot be removed.
        return process == os.getpid()
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # somebody else's, or no number of a process
        return True
    return True


# --- loading --------------------------------------------------------------------------


class StoredArray:
    """An array that is still in its file: what its header says, and how to read it."""

    def __init__(
        self, shape: tuple[int, ...], dtype: np.dtype[Any], read: Callable[[], Array]
    ) -> None:
        self.shape = shape
        self.dtype = dtype
        self.read = read


def side_by_side(parts: Sequence[StoredArray]) -> StoredArray:
    """Arrays of one shape and dtype as one, joined along the last axis."""
    *lead, last = parts[0].shape
    return StoredArray(
        (*lead, len(parts) * last),
        parts[0].dtype,
        lambda: np.concatenate([part.read() for part in parts], axis=-1),
    )


def load_arrays(path: StrPath) -> dict[str, Array]:
    """Read an ``.npz`` file; pickles, which could run anything, are refused.

    Raises
    ------
    FileNotFoundError
        If there is no such file, neither with ``.npz`` at its end nor without.
    ValueError
        If it is no such file, or a damaged one, or one with pickles.
    """
    with open_arrays(path) as stored:
        return {name: array.read() for name, array in stored.items()}


@contextlib.contextmanager
def open_arrays(path: StrPath) -> Iterator[dict[str, StoredArray]]:
    """Open an ``.npz`` file: in this ``with`` block, its arrays can be asked for their
    shapes and dtypes, and read.

    Nothing is unpacked but the headers, until somebody calls ``read``.

    Raises
    ------
    FileNotFoundError
        If there is no such file, neither with ``.npz`` at its end nor without.
    ValueError
        If it is no such file, or a damaged one, or one with pickles; ``read`` raises
        it, too, where the damage is in the numbers.
    """
    import zipfile

    path = _found(path)
    with open(path, "rb") as file:
        with _refuse_damage(path):
            archive = zipfile.ZipFile(file)
            _check_number(file, archive)
            stored = {}
            for info in archive.infolist():
                name = info.filename.removesuffix(".npy")
                if name in stored:
                    raise ValueError(f"two of its arrays are called {name!r}")
                stored[name] = _stored(path, archive, info)
        yield stored


def _found(path: StrPath) -> str:
    candidates = [_with_ending(path), os.fsdecode(path)]
    for candidate in candidates:
        if os.path.isfile(candidate):
            return candidate
    raise FileNotFoundError(
        f"there is no file {' or '.join(dict.fromkeys(candidates))}"
    )


@contextlib.contextmanager
def _refuse_damage(path: str) -> Iterator[None]:
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:  # of many kinds, since a damaged file can say anything
        raise ValueError(
            f"{path} cannot be read as an .npz file of plain arrays: it is damaged, or "
            "something else, or holds pickles, which are refused because they could "
            f"run any program ({error})"
        ) from error


def _check_number(file: IO[bytes], archive: Any) -> None:
    # The last record of an archive says how many members there are. zipfile does not
    # look, and can lose some where a length is damaged.
    file.seek(-22 - len(archive.comment), os.SEEK_END)
    record = file.read(12)
    number = int.from_bytes(record[10:], "little")
    members = len(archive.infolist())
    if record[:4] != b"PK\5\6" or number not in (members, 0xFFFF):
        raise ValueError(f"it has {members} members, but promises {number}")


def _stored(path: str, archive: Any, info: Any) -> StoredArray:
    # One member of the archive, of which no more is read than its header.
    most = info.compress_size * MOST_FROM_A_BYTE.get(info.compress_type, 0)
    if info.file_size > most:
        raise ValueError(
            f"{info.filename} cannot hold the {info.file_size} bytes that it promises"
        )
    with archive.open(info) as member:
        shape, dtype = _read_header(member)
        size = member.tell() + math.prod(shape) * dtype.itemsize
    if dtype.hasobject:
        raise ValueError(f"{info.filename} is a pickle")
    if info.file_size != size:
        raise ValueError(
            f"{info.filename} has {info.file_size} bytes, but promises {size}"
        )

    def read() -> Array:
        with _refuse_damage(path), archive.open(info) as member:
            # To the last byte, where the checksum is compared.
            return np.lib.format.read_array(member, allow_pickle=False)

    return StoredArray(shape, dtype, read)


def _read_header(member: Any) -> tuple[tuple[int, ...], np.dtype[Any]]:
    version = np.lib.format.read_magic(member)
    read = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }.get(version)
    if read is None:
        raise ValueError(f"it has a header of version {version}")
    shape, _, dtype = read(member)
    return shape, dtype


def check_fit(
    path: StrPath,
    name: str,
    found: Mapping[str, Array | StoredArray],
    expected: Mapping[str, tuple[int | None, ...] | None],
) -> None:
    """Compare the arrays `found` in a file with the shapes `expected`, in which
    ``None`` stands for anything.

    Raises
    ------
    ValueError
        If they differ; the message says what is missing, surplus or of another shape.
    """
    wrong = {
        "missing from the file": [key for key in expected if key not in found],
        "not in the model": [key for key in found if key not in expected],
        "of another shape": [
            f"{key} (file: {found[key].shape}, model: {_form(shape)})"
            for key, shape in expected.items()
            if key in found and not _fits(found[key].shape, shape)
        ],
        "no floating-point numbers": [
            key
            for key in found
            if key in expected and found[key].dtype.kind not in "fiu"
        ],
    }
    if any(wrong.values()):
        lines = [
            f"\n  {what}: {_first_few(keys)}" for what, keys in wrong.items() if keys
        ]
        raise ValueError(
            f"{os.fsdecode(path)} does not fit this {name}, so nothing was "
            f"loaded:{''.join(lines)}"
        )


def _fits(shape: tuple[int, ...], expected: tuple[int | None, ...] | None) -> bool:
    if expected is None:
        return True
    return len(shape) == len(expected) and all(
        e in (None, n) for n, e in zip(shape, expected, strict=True)
    )


def _form(shape: tuple[int | None, ...] | None) -> str:
    return str(shape).replace("None", "?")


def _first_few(keys: list[str], count: int = 6) -> str:
    more = f" and {len(keys) - count} more" if len(keys) > count else ""
    return ", ".join(keys[:count]) + more
