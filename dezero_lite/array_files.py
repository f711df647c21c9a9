"""Arrays in files: saved completely or not at all, and loaded without trusting the
file. Step 53 explains them.

The files are NumPy's ``.npz``, a zip archive with one array per member, or, if a path
ends in ``.safetensors``, a format that other frameworks also read. The latter requires
the package ``safetensors``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from .atomic import StrPath as StrPath
from .atomic import open_atomic

__all__ = ["check_fit", "load_arrays", "save_arrays"]

Array = NDArray[Any]

# An archive may unpack to this many times its size, plus a little for small files.
MOST_FROM_A_BYTE = 100
ALWAYS_ALLOWED = 2**24
TENSORS = ".safetensors"


# --- saving ---------------------------------------------------------------------------


def save_arrays(path: StrPath, arrays: Mapping[str, Array]) -> None:
    """Write an ``.npz`` file, like ``np.savez``, or a ``.safetensors`` file, completely
    or not at all; ``.npz`` is added to a path with another suffix.

    An existing file is replaced, and keeps its permissions.

    Raises
    ------
    FileNotFoundError
        If the folder does not exist.
    ImportError
        For a ``.safetensors`` file, if the package is not installed.
    PermissionError
        If the file exists and is read-only.
    ValueError
        If the path names a folder instead of a file.
    """
    path = os.path.realpath(_add_ending(path))
    folder, name = os.path.split(path)
    if name in (".npz", TENSORS):
        raise ValueError(
            f"{folder + os.sep} names a folder: say what to call the file in it, as in "
            f"{os.path.join(folder, 'weights' + name)!r}"
        )
    write = _write_tensors if path.endswith(TENSORS) else _write_npz
    with open_atomic(path) as file:
        write(file, arrays)


def _write_tensors(file: IO[bytes], arrays: Mapping[str, Array]) -> None:
    # In C order, the only one that the format supports.
    content = {name: np.asarray(value, order="C") for name, value in arrays.items()}
    odd = [name for name, array in content.items() if array.dtype.kind not in "fiub"]
    if odd:
        raise ValueError(
            f"a {TENSORS} file can hold only numeric arrays, and {', '.join(odd)} are "
            "not: save as .npz"
        )
    file.write(_import_safetensors().numpy.save(content))


def _write_npz(file: IO[bytes], arrays: Mapping[str, Array]) -> None:
    import zipfile

    # Not with np.savez, which rejects an array called `file`.
    with zipfile.ZipFile(file, "w") as archive:
        for name, value in arrays.items():
            array = np.asanyarray(value)
            with archive.open(name + ".npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)


def _add_ending(path: StrPath) -> str:
    path = os.fsdecode(path)
    return path if path.endswith((".npz", TENSORS)) else path + ".npz"


# --- loading --------------------------------------------------------------------------


def load_arrays(path: StrPath) -> dict[str, Array]:
    """Read an ``.npz`` or ``.safetensors`` file; pickles, which could run any code, are
    rejected.

    Raises
    ------
    FileNotFoundError
        If the file does not exist, with or without the suffix ``.npz``.
    ImportError
        For a ``.safetensors`` file, if the package is not installed.
    ValueError
        If the file has another format, is damaged, contains pickles, or unpacks to more
        than a hundred times its size.
    """
    import zipfile

    path = _find_file(path)
    if path.endswith(TENSORS):
        return _read_tensors(path)
    with open(path, "rb") as file:
        try:
            return _read_npz(zipfile.ZipFile(file), os.path.getsize(path))
        except MemoryError:
            raise
        except Exception as error:  # of many types: a damaged file can cause any
            raise ValueError(
                f"{path} cannot be read as an .npz file of plain arrays: it is "
                "damaged, has another format, or contains pickles, which are rejected "
                f"because they could run any code ({error})"
            ) from error


def _read_tensors(path: str) -> dict[str, Array]:
    library = _import_safetensors()
    try:
        # pread, not mmap: a mapped file occupies the memory a second time while it is
        # read.
        with library.safe_open(path, framework="numpy", backend="pread") as file:
            return {name: _widen(file.get_tensor(name)) for name in file.keys()}  # noqa: SIM118
    except (MemoryError, OSError):
        raise
    except Exception as error:  # the library's, or a dtype that NumPy lacks
        raise ValueError(
            f"{path} cannot be read as a .safetensors file: it is damaged, has another "
            f"format, or holds numbers of a dtype that NumPy lacks ({error})"
        ) from error


def _widen(array: Array) -> Array:
    # NumPy lacks bfloat16, unless the package ml_dtypes is loaded.
    return array.astype(np.float32) if array.dtype.name == "bfloat16" else array


def _import_safetensors() -> Any:
    try:
        import_module("safetensors.numpy")
    except ImportError as error:
        raise ImportError(
            f"{TENSORS} files require a package that is missing ({error}): run "
            "`pip install safetensors`"
        ) from None
    with suppress(ImportError):
        import_module("ml_dtypes")
    return import_module("safetensors")


def _find_file(path: StrPath) -> str:
    candidates = dict.fromkeys([_add_ending(path), os.fsdecode(path)])
    for candidate in candidates:
        if os.path.isfile(candidate):
            return candidate
    raise FileNotFoundError(f"there is no file {' or '.join(candidates)}")


def _read_npz(archive: Any, size: int) -> dict[str, Array]:
    members = archive.infolist()
    _check_number(archive, len(members))
    total = sum(member.file_size for member in members)
    if total > MOST_FROM_A_BYTE * size + ALWAYS_ALLOWED:
        raise ValueError(f"its {size} bytes would unpack to {total}")
    arrays = {}
    for member in members:
        name = member.filename.removesuffix(".npy")
        if name in arrays:
            raise ValueError(f"two of its arrays are called {name!r}")
        with archive.open(member) as file:
            arrays[name] = np.lib.format.read_array(file, allow_pickle=False)
            # Reading beyond the last byte makes zipfile verify the checksum.
            if file.read(1):
                raise ValueError(f"{member.filename} is longer than its array")
    return arrays


def _check_number(archive: Any, found: int) -> None:
    # The last record of an archive states the number of members. zipfile ignores it,
    # and can miss some members if a length is damaged.
    archive.fp.seek(-22 - len(archive.comment), os.SEEK_END)
    record = archive.fp.read(12)
    number = int.from_bytes(record[10:], "little")
    if record[:4] != b"PK\5\6" or number not in (found, 0xFFFF):
        raise ValueError(f"it has {found} members, but declares {number}")


def check_fit(
    path: StrPath,
    name: str,
    found: Mapping[str, Array],
    expected: Mapping[str, tuple[int | None, ...] | None],
) -> None:
    """Compare the arrays `found` in a file with the shapes `expected`, in which
    ``None`` matches anything.

    Raises
    ------
    ValueError
        If they differ; the message says what is missing, surplus or of another shape.
    """
    both = [key for key in expected if key in found]
    wrong = {
        "missing from the file": [key for key in expected if key not in found],
        "not in the model": [key for key in found if key not in expected],
        "of another shape": [
            f"{key} (file: {found[key].shape}, model: {_format_shape(expected[key])})"
            for key in both
            if not _fits(found[key].shape, expected[key])
        ],
        "not real numbers": [key for key in both if found[key].dtype.kind not in "fiu"],
    }
    lines = [f"\n  {what}: {first_few(keys)}" for what, keys in wrong.items() if keys]
    if lines:
        raise ValueError(
            f"{os.fsdecode(path)} does not fit this {name}, so nothing was "
            f"loaded:{''.join(lines)}"
        )


def _fits(shape: tuple[int, ...], expected: tuple[int | None, ...] | None) -> bool:
    if expected is None or len(shape) != len(expected):
        return expected is None
    return all(e in (None, n) for n, e in zip(shape, expected, strict=True))


def _format_shape(shape: tuple[int | None, ...] | None) -> str:
    return str(shape).replace("None", "?")


def first_few(keys: list[str], count: int = 6) -> str:
    """Join the first few names, and say how many more there are."""
    more = f" and {len(keys) - count} more" if len(keys) > count else ""
    return ", ".join(keys[:count]) + more
